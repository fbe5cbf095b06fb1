//! What a recorder tells of a PPDU with one of its subframes alone, or wrongly.
//!
//! All subframes of an A-MPDU have one rate and format. Some recorders tell them with the first or the last subframe
//! alone; the others get them from it ([`complete`]). Others know no HT, and record its rates as those of a PHY before
//! it. Such a PHY has no A-MPDUs: of two frames that one transmitter sent at one instant the rate is not what was
//! recorded ([`FalseRates`]).

use std::collections::BTreeMap;

use super::membership::{is_alike, is_repeated, may_be_aggregated, same_reference, since};
use crate::base::numbers::whole;
use crate::base::{Warning, WarningCode};
use crate::frame::{Frame, FrameKind, Phy};
use crate::ieee80211::airtime;

/// Pairs of frames of one instant from which on their rate is false, and the share of the frames with it that they are.
const MIN_PAIRS: u32 = 10;
const MIN_SHARE: f64 = 0.01;
/// Share of the equal stamps up to which they may be those of other pairs: there are more where the clock is coarse.
const MAX_OTHERS: f64 = 0.1;

/// Gives subframes without rate and PHY those of the subframe before or behind them in the same PPDU.
pub(crate) fn complete(frames: &mut [Frame]) {
    if !frames.iter().any(lacks_rate) {
        return;
    }
    for place in 1..frames.len() {
        if let Some([before, frame]) = frames.get_mut(place - 1..=place) {
            complete_from(before, frame, is_of_one_ppdu);
        }
    }
    for place in (1..frames.len()).rev() {
        if let Some([before, frame]) = frames.get_mut(place - 1..=place) {
            complete_from(frame, before, |frame, before| is_of_one_ppdu(before, frame));
        }
    }
}

fn complete_from(known: &Frame, frame: &mut Frame, is_one: fn(&Frame, &Frame) -> bool) {
    let is_told = known.rate_mbps.is_some() || known.mcs.is_some();
    if !lacks_rate(frame) || !is_told || !may_be_aggregated(known) || !is_one(known, frame) {
        return;
    }
    let psdu_missing = frame.ppdu.psdu_missing;
    frame.phy = known.phy;
    (frame.rate_mbps, frame.mcs, frame.nss) = (known.rate_mbps, known.mcs, known.nss);
    (frame.bandwidth_mhz, frame.guard_ns, frame.preamble) = (known.bandwidth_mhz, known.guard_ns, known.preamble);
    (frame.stbc, frame.ldpc, frame.ppdu) = (known.stbc, known.ldpc, known.ppdu);
    frame.ppdu.psdu_missing = psdu_missing;
    frame.ampdu_ref = frame.ampdu_ref.or(known.ampdu_ref);
    airtime::fill(frame);
}

fn lacks_rate(frame: &Frame) -> bool {
    frame.phy.is_none() && frame.rate_mbps.is_none() && frame.mcs.is_none() && frame.kind == FrameKind::QosData
}

/// True if both are readable data of one transmitter to one receiver, with one stamp, or without one by one reference.
fn is_of_one_ppdu(before: &Frame, frame: &Frame) -> bool {
    let is_data = |frame: &Frame| frame.is_readable() && frame.kind == FrameKind::QosData && frame.ta.is_some();
    let are_ends_equal = before.ta == frame.ta && before.ra == frame.ra && before.channel_mhz == frame.channel_mhz;
    let is_one_instant = match since(before, frame) {
        Some(apart_ns) => apart_ns == 0,
        None => same_reference(before, frame) == Some(true),
    };
    is_data(before) && is_data(frame) && are_ends_equal && is_one_instant && !is_repeated(before, frame)
}

/// Rates of PHYs without A-MPDUs that some recorder tells of frames that it received in A-MPDUs.
#[derive(Debug, Default)]
pub(crate) struct FalseRates(Vec<Rate>);

type Rate = (Phy, u32);

/// Frames of a rate, and pairs of them of one instant.
#[derive(Default)]
struct Count {
    frames: u32,
    pairs: u32,
}

impl Count {
    fn is_false(&self) -> bool {
        self.pairs >= MIN_PAIRS && f64::from(self.pairs) >= MIN_SHARE * f64::from(self.frames)
    }
}

impl FalseRates {
    /// Finds them in the first frames of a radio.
    pub fn find(frames: &[Frame]) -> FalseRates {
        let mut counts: BTreeMap<Rate, Count> = BTreeMap::new();
        for rate in frames.iter().filter_map(rate_of) {
            counts.entry(rate).or_default().frames += 1;
        }
        let (mut pairs, mut others) = (0, 0);
        for (before, frame) in frames.iter().zip(frames.iter().skip(1)) {
            if since(before, frame) != Some(0) {
                continue;
            }
            let rate = rate_of(frame).filter(|rate| rate_of(before) == Some(*rate) && is_of_one_ppdu(before, frame));
            if let Some(rate) = rate {
                counts.entry(rate).or_default().pairs += 1;
                pairs += 1;
            } else {
                others += u32::from(!is_alike(before, frame));
            }
        }
        if f64::from(others) > MAX_OTHERS * f64::from(pairs) {
            return FalseRates::default();
        }
        FalseRates(counts.into_iter().filter(|(_, count)| count.is_false()).map(|(rate, _)| rate).collect())
    }

    /// Takes such a rate from a data frame, and the airtime that followed from it.
    pub fn apply(&self, frame: &mut Frame) {
        if !self.0.is_empty() && rate_of(frame).is_some_and(|rate| self.0.contains(&rate)) {
            (frame.phy, frame.rate_mbps, frame.airtime_us) = (None, None, None);
        }
    }

    /// Says which rates are false, if any.
    pub fn warning(&self) -> Option<Warning> {
        let rates: Vec<String> =
            self.0.iter().map(|(phy, rate)| format!("{phy:?} {}", f64::from(*rate) / 10.0)).collect();
        let message = format!(
            "frames of one instant and transmitter have rates without A-MPDUs ({} Mb/s): the rate of data with them is \
             unknown",
            rates.join(", ").to_lowercase()
        );
        let code = WarningCode::RateContradicted;
        (!rates.is_empty()).then_some(Warning { frame_no: None, offset: None, code, message })
    }
}

/// PHY and rate of QoS data of a PHY without A-MPDUs, in 0.1 Mb/s.
fn rate_of(frame: &Frame) -> Option<Rate> {
    let phy = frame.phy.filter(|phy| matches!(phy, Phy::Dsss | Phy::Ofdm | Phy::Erp))?;
    let rate_mbps = frame.rate_mbps.filter(|_| frame.kind == FrameKind::QosData)?;
    Some((phy, u32::try_from(whole(f64::from(10.0 * rate_mbps))).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Addr;

    fn untold(seq: u32, tsft_us: u64) -> Frame {
        Frame {
            kind: FrameKind::QosData,
            ta: Some(Addr::node(1)),
            ra: Some(Addr::node(2)),
            seq: Some(seq),
            tid: Some(0),
            length_bytes: Some(1500),
            channel_mhz: Some(5180),
            tsft_us: Some(tsft_us),
            ..Frame::new(1, 0)
        }
    }

    fn ht(seq: u32, tsft_us: u64) -> Frame {
        Frame { phy: Some(Phy::Ht), mcs: Some(7), rate_mbps: Some(65.0), ..untold(seq, tsft_us) }
    }

    fn at_54(seq: u32, tsft_us: u64) -> Frame {
        Frame { phy: Some(Phy::Ofdm), rate_mbps: Some(54.0), airtime_us: Some(252.0), ..untold(seq, tsft_us) }
    }

    fn rates(mut frames: Vec<Frame>) -> Vec<Option<f32>> {
        complete(&mut frames);
        frames.iter().map(|frame| frame.rate_mbps).collect()
    }

    #[test]
    fn one_subframe_tells_of_all() {
        let all = vec![Some(65.0); 3];
        assert_eq!(rates(vec![ht(1, 7), untold(2, 7), untold(3, 7)]), all);
        assert_eq!(rates(vec![untold(1, 7), untold(2, 7), ht(3, 7)]), all);
        let mut frames = vec![ht(1, 7), untold(2, 7)];
        complete(&mut frames);
        assert!(frames.iter().skip(1).all(|frame| frame.airtime_us.is_some() && frame.phy == Some(Phy::Ht)));
    }

    #[test]
    fn another_ppdu_tells_nothing() {
        let other = Frame { ra: Some(Addr::node(3)), ..untold(2, 7) };
        for frame in [untold(2, 8), untold(1, 7), other] {
            assert_eq!(rates(vec![ht(1, 7), frame]), [Some(65.0), None]);
        }
        assert_eq!(rates(vec![at_54(1, 7), untold(2, 7)]), [Some(54.0), None], "no A-MPDU");
        let referred = |frame: Frame| Frame { tsft_us: None, ampdu_ref: Some(5), ..frame };
        assert_eq!(rates(vec![referred(ht(1, 0)), referred(untold(2, 0))]), [Some(65.0); 2]);
    }

    /// Twenty A-MPDUs of two, recorded as of 54 Mb/s.
    fn misread() -> Vec<Frame> {
        (0..20)
            .flat_map(|ppdu| {
                [at_54(2 * ppdu, 1000 * u64::from(ppdu) + 1), at_54(2 * ppdu + 1, 1000 * u64::from(ppdu) + 1)]
            })
            .collect()
    }

    #[test]
    fn frames_of_one_instant_were_not_sent_before_ht() {
        let mut frames = misread();
        let found = FalseRates::find(&frames);
        assert!(found.warning().is_some_and(|warning| warning.message.contains("(ofdm 54 Mb/s)")));
        frames.push(at_54(99, 99_000));
        frames.push(Frame { kind: FrameKind::Ack, rate_mbps: Some(24.0), ..at_54(0, 99_500) });
        frames.iter_mut().for_each(|frame| found.apply(frame));
        assert!(frames.iter().take(41).all(|frame| frame.rate_mbps.is_none() && frame.airtime_us.is_none()));
        assert_eq!(frames.last().and_then(|ack| ack.rate_mbps), Some(24.0));
    }

    #[test]
    fn a_coarse_clock_proves_nothing() {
        let answered = misread().into_iter().flat_map(|data| {
            let ack = Frame { kind: FrameKind::Ack, ta: None, ra: data.ta, seq: None, ..data.clone() };
            [data, ack]
        });
        let coarse: Vec<Frame> =
            answered.map(|frame| Frame { tsft_us: frame.tsft_us.map(|us| us / 10_000), ..frame }).collect();
        assert!(FalseRates::find(&coarse).warning().is_none());
        let alone: Vec<Frame> = (0..40).map(|seq| at_54(seq, 300 * u64::from(seq) + 1)).collect();
        assert!(FalseRates::find(&alone).warning().is_none());
    }
}
