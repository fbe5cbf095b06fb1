//! A-MPDUs in a recording: one PPDU, recorded subframe by subframe.
//!
//! A subframe that is decoded on its own gets the airtime of a whole PPDU. This module groups the subframes of
//! one A-MPDU and divides its airtime among them. The first subframe gets the preamble. Each subframe gets the
//! symbols in which its octets end. The last subframe gets everything after the data.

use super::membership::{is_joined, may_be_aggregated};
use super::model::ClockModel;
use super::solicited::follows_after_sifs;
use crate::base::time::ns;
use crate::frame::{Assumptions, Direction, Frame, FrameKind, Preamble};
use crate::ieee80211::airtime;
use crate::ieee80211::airtime::Psdu;
use crate::ieee80211::constants::{PhyTiming, AMPDU_MAX_MPDUS};

/// Inexactness of stamps, within which an answer follows after SIFS.
const SAME_END_NS: i64 = 4_000;
/// The shortest time from the end of an unanswered PPDU to that of the next: timeout of the answer (SIFS, a slot and the
/// receiver's delay), DIFS, and the shortest PPDU that is answered by a BlockAck.
const RETRY_NS: i64 = 130_000;
const MAX_SUBFRAMES: usize = AMPDU_MAX_MPDUS as usize;

/// Divides the airtime of each A-MPDU among its subframes.
#[derive(Debug, Default)]
pub(crate) struct AmpduAirtimes {
    /// Subframes at the end of the last batch, held back because their A-MPDU may continue.
    held: Vec<Frame>,
}

impl AmpduAirtimes {
    /// Corrects `airtime_us`, `start_ns` and `end_ns` of A-MPDU subframes in a batch of frames that `clock` has
    /// timed. If there are `more` batches, an A-MPDU that may continue is held back for the next one.
    pub(crate) fn share_airtimes(&mut self, frames: &mut Vec<Frame>, clock: &ClockModel, more: bool) {
        frames.splice(0..0, self.held.drain(..));
        let mut first = 0;
        while let Some(rest) = frames.get_mut(first..).filter(|rest| !rest.is_empty()) {
            let subframes = count_subframes(rest);
            let may_go_on =
                subframes == rest.len() && subframes < MAX_SUBFRAMES && rest.first().is_some_and(may_be_aggregated);
            if may_go_on && more {
                self.held.extend(frames.drain(first..));
                return;
            }
            if let Some([alone, answer]) = rest.get_mut(..=subframes) {
                extend(alone, answer);
            }
            if subframes > 1 {
                let stamped_first = rest.first().is_some_and(|first| clock.marks_beginning(first));
                rest.get_mut(..subframes).into_iter().for_each(|ampdu| share(ampdu, stamped_first));
            }
            first += subframes;
        }
    }
}

/// Number of leading frames that belong to one PPDU.
fn count_subframes(frames: &[Frame]) -> usize {
    let Some(first) = frames.first() else { return 0 };
    let pairs = frames.iter().zip(frames.iter().skip(1)).take(MAX_SUBFRAMES - 1);
    pairs.take_while(|(before, frame)| is_joined(first, before, frame)).count() + 1
}

/// Extends a subframe recorded alone to the end of its PPDU, which is one SIFS before the BlockAck that answers it.
///
/// The answer is to this PPDU if it came too soon for one in between that was not heard.
fn extend(alone: &mut Frame, answer: &Frame) {
    let is_answered = answer.kind == FrameKind::BlockAck && follows_after_sifs(alone, answer);
    let are_readable = alone.is_readable() && answer.is_readable() && alone.kind == FrameKind::QosData;
    if !is_answered || !are_readable || !may_be_aggregated(alone) || alone.direction == Some(Direction::Tx) {
        return;
    }
    let (Some(end_ns), Some(answered_ns), Some(phy)) = (alone.end_ns, answer.start_ns, alone.phy) else { return };
    let ppdu_end_ns = answered_ns.saturating_sub(ns(PhyTiming::of(phy, alone.channel_mhz).sifs_us));
    if (SAME_END_NS..RETRY_NS).contains(&ppdu_end_ns.saturating_sub(end_ns)) {
        alone.end_ns = Some(ppdu_end_ns);
        alone.assumptions.insert(Assumptions::UNHEARD_SUBFRAMES);
    }
}

/// If `stamped_first`, the PPDU starts at the start of the first subframe. Otherwise, and if only the last subframe has
/// a signal and thus a stamp of its own, it ends at the end of the last subframe.
fn share(ampdu: &mut [Frame], stamped_first: bool) {
    let (Some(first), Some(last)) = (ampdu.first(), ampdu.last()) else { return };
    let first_no = first.frame_no;
    let is_completed = first.signal_dbm.is_none() && last.signal_dbm.is_some() && first.tsft_us != last.tsft_us;
    divide(ampdu, stamped_first && !is_completed);
    ampdu.iter_mut().for_each(|frame| frame.ppdu_no = Some(first_no));
}

/// Times of the subframes of a PPDU, in the order in which they were sent: from the start of the first one if
/// `from_start`, else up to the end of the last one.
pub(crate) fn divide(ampdu: &mut [Frame], from_start: bool) {
    let (Some(first), Some(last)) = (ampdu.first(), ampdu.last()) else { return };
    let Some((ends_us, airtime_us)) = ends_us(ampdu) else { return };
    let start_ns = match from_start {
        true => first.start_ns,
        false => last.end_ns.map(|end| end.saturating_sub(ns(airtime_us))),
    };
    let mut begin_us = 0.0;
    for (frame, end_us) in ampdu.iter_mut().zip(ends_us) {
        frame.airtime_us = Some(end_us - begin_us);
        frame.start_ns = start_ns.map(|start| start.saturating_add(ns(begin_us)));
        frame.end_ns = start_ns.map(|start| start.saturating_add(ns(end_us)));
        frame.assumptions.remove(Assumptions::AMPDU_ALONE);
        begin_us = end_us;
    }
}

/// End of each subframe, in microseconds after the start of the PPDU, and the airtime of the PPDU.
fn ends_us(ampdu: &[Frame]) -> Option<(Vec<f64>, f64)> {
    let sent = &modulation(ampdu)?;
    let mut psdu = Psdu::new(ampdu.first()?).delimited();
    let mut octets = vec![psdu.octets()];
    for frame in ampdu.get(1..)? {
        psdu.add(frame);
        octets.push(psdu.octets());
    }
    let airtime_us = airtime::ppdu_us(sent, psdu.octets())?;
    let signal_us = airtime_us - airtime::signal_extension_us(sent);
    let ends = octets.iter().map(|&octets| airtime::sent_by_us(sent, octets).map(|end| end.min(signal_us)));
    let mut ends: Vec<f64> = ends.collect::<Option<_>>()?;
    *ends.last_mut()? = airtime_us;
    Some((ends, airtime_us))
}

/// A subframe with the rate and format of the PPDU. Some capture tools record a lower rate than was sent for damaged
/// subframes. Some radios know the format of one subframe alone, and others of none, and call the rest greenfield; what
/// one of them calls mixed is answered one SIFS after the end of a mixed PPDU.
fn modulation(ampdu: &[Frame]) -> Option<Frame> {
    let rate = |frame: &&Frame| frame.rate_mbps.unwrap_or(0.0);
    let best = ampdu.iter().max_by(|a, b| {
        (a.is_readable(), rate(a)).partial_cmp(&(b.is_readable(), rate(b))).unwrap_or(std::cmp::Ordering::Equal)
    })?;
    let is_mixed = ampdu.iter().any(|frame| frame.preamble == Some(Preamble::Mixed));
    Some(Frame { preamble: if is_mixed { Some(Preamble::Mixed) } else { best.preamble }, ..best.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ClockAnalysis;
    use crate::frame::Phy;

    /// At 65 Mb/s: 36 us of preamble, and 4 us for each 260 bits.
    fn subframe(length: u32, start_us: i64) -> Frame {
        let mut frame = Frame {
            phy: Some(Phy::Ht),
            mcs: Some(7),
            rate_mbps: Some(65.0),
            channel_mhz: Some(2437),
            length_bytes: Some(length),
            ampdu_ref: Some(1),
            ..Frame::new(1, start_us * 1000)
        };
        airtime::fill(&mut frame);
        frame.start_ns = Some(frame.ts_ns);
        frame.end_ns = frame.airtime_us.map(|us| frame.ts_ns + ns(us));
        frame
    }

    fn times(frames: &[Frame]) -> Vec<(f64, i64, i64)> {
        let us = |time: Option<i64>| time.unwrap() / 1000;
        frames.iter().map(|frame| (frame.airtime_us.unwrap(), us(frame.start_ns), us(frame.end_ns))).collect()
    }

    fn with_shared_airtimes(mut frames: Vec<Frame>) -> Vec<Frame> {
        AmpduAirtimes::default().share_airtimes(&mut frames, &ClockAnalysis::default().decide(), false);
        frames
    }

    #[test]
    fn subframes_share_the_airtime_of_their_ppdu() {
        // 1504, 3012 and 3516 octets: 12054, 24118 and 28150 bits are 47, 93 and 109 symbols; 6 us extend the last.
        let shared = with_shared_airtimes(vec![subframe(1500, 1000), subframe(1501, 1000), subframe(500, 1000)]);
        assert_eq!(times(&shared), [(224.0, 1000, 1224), (184.0, 1224, 1408), (70.0, 1408, 1478)]);
        assert!(shared.iter().all(|frame| !frame.assumptions.contains(Assumptions::AMPDU_ALONE)));
        let mut at_end = vec![subframe(1500, 1000), subframe(1501, 1000), subframe(500, 1000)];
        at_end.iter_mut().for_each(|frame| frame.end_ns = Some(2_000_000));
        share(&mut at_end, false);
        assert_eq!(times(&at_end), [(224.0, 1522, 1746), (184.0, 1746, 1930), (70.0, 1930, 2000)]);
    }

    #[test]
    fn an_l_sig_length_counts_what_was_not_heard() {
        let vht = |length| {
            let mut frame = Frame { phy: Some(Phy::Vht), nss: Some(1), channel_mhz: Some(5180), ..subframe(length, 0) };
            frame.ppdu.l_sig_length = Some(3 * 480 / 4 - 3); // 500 us
            frame
        };
        // 1504 octets take 47 symbols after 40 us, 3008 take 93.
        let shared = with_shared_airtimes(vec![vht(1500), vht(1500)]);
        assert_eq!(times(&shared), [(228.0, 0, 228), (272.0, 228, 500)]);
    }

    #[test]
    fn an_extra_ldpc_symbol_is_that_of_the_whole_psdu() {
        let vht = |length| {
            let mut frame = Frame {
                phy: Some(Phy::Vht),
                mcs: Some(8),
                nss: Some(2),
                bandwidth_mhz: Some(40),
                guard_ns: Some(800),
                rate_mbps: Some(324.0),
                ldpc: Some(true),
                channel_mhz: Some(5745),
                ..subframe(length, 1000)
            };
            frame.ppdu.ldpc_extra = Some(true);
            airtime::fill(&mut frame);
            frame.end_ns = frame.airtime_us.map(|us| frame.ts_ns + ns(us));
            frame
        };
        // 2208 bits are two symbols of 1296; 108 of 972 parity bits would be punctured: three symbols after 44 us.
        let shared = with_shared_airtimes(vec![vht(172), vht(94)]);
        assert_eq!(shared.iter().filter_map(|frame| frame.airtime_us).sum::<f64>(), 56.0);
    }

    #[test]
    fn other_ppdus_are_left_alone() {
        let others = [
            Frame { ampdu_ref: Some(2), ..subframe(1500, 2000) },
            Frame { ampdu_ref: None, ..subframe(1500, 3000) },
            Frame { phy: Some(Phy::Ofdm), rate_mbps: Some(54.0), ..subframe(1500, 4000) },
            subframe(1500, 5000),
            subframe(1500, 50_000),
        ];
        assert_eq!(with_shared_airtimes(others.to_vec()), others);
    }

    #[test]
    fn equal_stamps_of_the_radio_stand_in_for_a_reference() {
        let stamped = |tsft| Frame { ampdu_ref: None, tsft_us: Some(tsft), ..subframe(1500, 1000) };
        assert_eq!(
            times(&with_shared_airtimes(vec![stamped(7), stamped(7)])),
            [(224.0, 1000, 1224), (190.0, 1224, 1414)]
        );
        for apart in [vec![stamped(7), stamped(700)], vec![stamped(0), stamped(0)]] {
            assert_eq!(with_shared_airtimes(apart.clone()), apart);
        }
    }

    #[test]
    fn damaged_subframes_of_a_lower_rate_count_at_the_rate_of_the_others() {
        let damaged = Frame { mcs: Some(0), rate_mbps: Some(6.5), fcs_ok: Some(false), ..subframe(1500, 1000) };
        let shared = with_shared_airtimes(vec![damaged, subframe(1500, 1000)]);
        assert_eq!(times(&shared), [(224.0, 1000, 1224), (190.0, 1224, 1414)]);
    }

    #[test]
    fn a_mixed_subframe_decides_the_format() {
        let greenfield = Frame { preamble: Some(Preamble::Greenfield), signal_dbm: Some(-50), ..subframe(1500, 1000) };
        let mixed = Frame { preamble: Some(Preamble::Mixed), fcs_ok: Some(false), ..subframe(1500, 1000) };
        for ampdu in [vec![greenfield.clone(), mixed.clone()], vec![mixed, greenfield.clone()]] {
            assert_eq!(times(&with_shared_airtimes(ampdu)), [(224.0, 1000, 1224), (190.0, 1224, 1414)]);
        }
        let shared = with_shared_airtimes(vec![greenfield.clone(), greenfield]);
        assert_eq!(times(&shared), [(212.0, 1000, 1212), (190.0, 1212, 1402)], "all are");
    }

    #[test]
    fn batches_make_no_difference() {
        let frames: Vec<Frame> =
            (0..40).map(|number| Frame { ampdu_ref: Some(number / 7), ..subframe(1500, 1000) }).collect();
        let clock = ClockAnalysis::default().decide();
        for size in 1..12 {
            let mut ampdus = AmpduAirtimes::default();
            let mut shared = Vec::new();
            for (number, batch) in frames.chunks(size).enumerate() {
                let mut batch = batch.to_vec();
                ampdus.share_airtimes(&mut batch, &clock, (number + 1) * size < frames.len());
                shared.append(&mut batch);
            }
            assert_eq!(shared, with_shared_airtimes(frames.clone()), "batches of {size}");
        }
    }

    #[test]
    fn an_endless_ampdu_is_cut() {
        let mut frames = vec![subframe(1500, 1000); 3 * MAX_SUBFRAMES];
        let mut ampdus = AmpduAirtimes::default();
        ampdus.share_airtimes(&mut frames, &ClockAnalysis::default().decide(), true);
        assert_eq!((frames.len(), ampdus.held.len()), (3 * MAX_SUBFRAMES, 0));
    }
}
