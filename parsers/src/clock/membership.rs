//! Which MPDUs were in one PPDU.
//!
//! No sign is trusted alone. Radios stamp all subframes of an A-MPDU with one TSFT, but some stamp only the last one
//! right. The A-MPDU reference number is that of the PPDU in most drivers, in others it differs for each MPDU or is the
//! sequence number. Drivers record the signal with the first subframe alone, or with the last alone. What the standard
//! demands holds in all of them: one transmitter, receiver and rate, ascending sequence numbers, at most 5.484 ms, and
//! no second PPDU before the first has ended.

use crate::base::time::ns;
use crate::frame::{Direction, Frame, FrameKind, Phy};
use crate::ieee80211::constants::{PPDU_MAX_NS, SEQUENCE_HALF_RANGE, SEQUENCE_NUMBERS};

/// Inexactness of two stamps of one radio.
const STAMP_TOLERANCE_NS: i64 = 4_000;

/// True if `frame`, recorded right after `before`, was in the same PPDU. `first` is the first recorded frame of that
/// PPDU, which may be `before`.
pub(super) fn is_joined(first: &Frame, before: &Frame, frame: &Frame) -> bool {
    if !may_be_aggregated(before) || !may_be_aggregated(frame) || !is_alike(before, frame) || is_repeated(before, frame)
    {
        return false;
    }
    let (same_reference, is_of_ppdu) = (same_reference(before, frame), is_reference_of_ppdu(before, frame));
    let Some((since_first_ns, apart_ns)) = since(first, frame).zip(since(before, frame)) else {
        let is_referred = same_reference == Some(true) && is_of_ppdu != Some(false);
        return is_referred && first.ts_ns.abs_diff(frame.ts_ns) <= PPDU_MAX_NS;
    };
    if apart_ns == 0 {
        return true;
    }
    if since_first_ns.unsigned_abs() > PPDU_MAX_NS {
        return false;
    }
    let told = same_reference.filter(|_| is_of_ppdu == Some(true));
    told.unwrap_or_else(|| is_unfinished(first, before) || is_overlapped(before, apart_ns))
}

/// True for frames that can be a subframe of an A-MPDU.
pub(super) fn may_be_aggregated(frame: &Frame) -> bool {
    frame.phy.is_some_and(Phy::has_ampdu) && frame.length_bytes.is_some_and(|length| length > 0)
}

/// One channel, direction and PHY; of readable frames also one transmitter, receiver and rate. The rate of a damaged
/// subframe is not always that of the PPDU.
pub(super) fn is_alike(before: &Frame, frame: &Frame) -> bool {
    let is_sent = |frame: &Frame| frame.direction == Some(Direction::Tx);
    let same_radio = before.phy == frame.phy && before.channel_mhz == frame.channel_mhz;
    if !same_radio || is_sent(before) != is_sent(frame) {
        return false;
    }
    let are_readable = before.is_readable() && frame.is_readable();
    !are_readable || before.ta == frame.ta && before.ra == frame.ra && before.mcs == frame.mcs
}

/// True if both are numbered and the number does not ascend: an A-MPDU has no MPDU twice.
///
/// Some stations put what they send again behind what they send first; stamp and reference then show one PPDU.
pub(super) fn is_repeated(before: &Frame, frame: &Frame) -> bool {
    if !before.is_readable() || !frame.is_readable() || before.tid != frame.tid {
        return false;
    }
    let (Some(one), Some(other)) = (before.seq, frame.seq) else { return false };
    let step = other.wrapping_sub(one) % SEQUENCE_NUMBERS;
    let descends = step >= SEQUENCE_HALF_RANGE;
    let is_one_ppdu = since(before, frame) == Some(0) && same_reference(before, frame) == Some(true);
    step == 0 || descends && !is_one_ppdu
}

/// Whether both have the same A-MPDU reference number; `None` where one has none.
pub(super) fn same_reference(before: &Frame, frame: &Frame) -> Option<bool> {
    before.ampdu_ref.zip(frame.ampdu_ref).map(|(one, other)| one == other)
}

/// Whether the reference numbers are those of PPDUs, not sequence numbers; `None` where neither frame has one to compare.
///
/// A driver that writes sequence numbers there gives a damaged frame the reference of its repetition.
fn is_reference_of_ppdu(before: &Frame, frame: &Frame) -> Option<bool> {
    let told = [frame, before].into_iter().find(|frame| frame.is_readable() && frame.seq.is_some())?;
    Some(told.seq != told.ampdu_ref)
}

/// Time between the radio's stamps; `None` without them.
pub(super) fn since(earlier: &Frame, later: &Frame) -> Option<i64> {
    let stamp = |frame: &Frame| frame.tsft_us.filter(|&us| us != 0 && us != u64::MAX);
    let apart_us = stamp(later)?.wrapping_sub(stamp(earlier)?) as i64;
    Some(apart_us.saturating_mul(1000))
}

/// True if the signal is still to come: of a received A-MPDU that began without one, only the last subframe has it.
fn is_unfinished(first: &Frame, before: &Frame) -> bool {
    let is_silent = |frame: &Frame| frame.signal_dbm.is_none() && frame.direction != Some(Direction::Tx);
    is_silent(first) && is_silent(before) && before.kind == FrameKind::QosData
}

/// True if the earlier frame, sent alone, had not ended.
fn is_overlapped(before: &Frame, apart_ns: i64) -> bool {
    let alone_ns = before.airtime_us.map(ns);
    alone_ns.is_some_and(|alone| apart_ns >= 0 && apart_ns < alone.saturating_sub(STAMP_TOLERANCE_NS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Addr, ParseError};

    fn subframe(seq: u32, tsft_us: u64) -> Frame {
        Frame {
            kind: FrameKind::QosData,
            phy: Some(Phy::Ht),
            mcs: Some(7),
            ta: Some(Addr::node(1)),
            ra: Some(Addr::node(2)),
            seq: Some(seq),
            tid: Some(0),
            length_bytes: Some(1500),
            airtime_us: Some(224.0),
            signal_dbm: Some(-50),
            tsft_us: Some(tsft_us),
            ..Frame::new(1, 1_000_000)
        }
    }

    fn joined(before: &Frame, frame: &Frame) -> bool {
        is_joined(before, before, frame)
    }

    #[test]
    fn one_stamp_joins_whatever_the_reference() {
        assert!(joined(&subframe(4095, 7), &subframe(0, 7)));
        let numbered = |seq, reference| Frame { ampdu_ref: Some(reference), ..subframe(seq, 7) };
        assert!(joined(&numbered(1, 1), &numbered(2, 2)));
    }

    #[test]
    fn a_reference_that_a_retry_shares_joins_nothing() {
        let numbered = |seq, tsft| Frame { ampdu_ref: Some(9), ..subframe(seq, tsft) };
        assert!(!joined(&numbered(5, 1000), &numbered(5, 1000)));
        assert!(!joined(&numbered(5, 1000), &numbered(5, 1300)));
        assert!(joined(&numbered(5, 1000), &numbered(6, 1300)), "stamped one by one");
        assert!(!joined(&numbered(5, 1000), &numbered(6, 9000)), "longer than a PPDU");
    }

    #[test]
    fn what_is_sent_again_may_follow_what_is_sent_first() {
        let numbered = |seq, tsft, reference| Frame { ampdu_ref: Some(reference), ..subframe(seq, tsft) };
        assert!(joined(&numbered(776, 1000, 9), &numbered(768, 1000, 9)));
        assert!(!joined(&numbered(776, 1000, 9), &numbered(768, 1100, 9)), "one reference, two stamps");
        assert!(!joined(&numbered(776, 1000, 9), &numbered(768, 1000, 10)), "one stamp, two references");
        assert!(!joined(&subframe(776, 1000), &subframe(768, 1000)), "no reference");
    }

    #[test]
    fn without_radio_stamps_the_reference_decides() {
        let numbered =
            |seq, reference, ts_ns| Frame { tsft_us: None, ampdu_ref: Some(reference), ts_ns, ..subframe(seq, 0) };
        assert!(joined(&numbered(5, 1, 0), &numbered(6, 1, 1_000)));
        assert!(!joined(&numbered(5, 1, 0), &numbered(6, 2, 1_000)));
        assert!(!joined(&numbered(5, 1, 0), &numbered(6, 1, 90_000_000)));
    }

    #[test]
    fn a_sequence_number_in_place_of_the_reference_joins_no_repetition() {
        let numbered = |tsft| Frame { ampdu_ref: Some(536), ..subframe(536, tsft) };
        let damaged = |tsft| Frame { parse_error: Some(ParseError::BadFcs), seq: None, ..numbered(tsft) };
        assert!(!joined(&damaged(1000), &numbered(1373)));
        assert!(!joined(&numbered(1000), &damaged(1373)));
        assert!(!joined(&damaged(1000), &damaged(1373)), "nothing tells what the reference is");
        let first = |seq, tsft| Frame { ampdu_ref: Some(536), ..subframe(seq, tsft) };
        assert!(joined(&first(536, 1000), &first(537, 1373)), "the number of the first subframe");
        assert!(joined(&damaged(1000), &first(537, 1373)));
        let unstamped = |frame: Frame| Frame { tsft_us: None, ..frame };
        assert!(!joined(&unstamped(damaged(1000)), &unstamped(numbered(1373))));
    }

    #[test]
    fn a_ppdu_whose_signal_is_to_come_goes_on() {
        let silent = |seq, tsft| Frame { signal_dbm: None, ..subframe(seq, tsft) };
        assert!(joined(&silent(1, 1000), &subframe(2, 1700)));
        assert!(!joined(&subframe(2, 1000), &silent(3, 1700)), "the signal has come");
        let first = subframe(1, 1000);
        assert!(!is_joined(&first, &silent(2, 1000), &subframe(3, 1700)), "the signal was that of the first");
        let sent = |seq, tsft| Frame { direction: Some(Direction::Tx), ..silent(seq, tsft) };
        assert!(!joined(&sent(1, 1000), &sent(2, 1700)), "the recorder's own frames have none");
    }

    #[test]
    fn two_ppdus_of_one_transmitter_do_not_overlap() {
        assert!(joined(&subframe(1, 1000), &subframe(2, 1095)));
        assert!(!joined(&subframe(1, 1000), &subframe(2, 1300)));
    }

    #[test]
    fn another_station_or_rate_is_another_ppdu() {
        let others = [
            Frame { ta: Some(Addr::node(3)), ..subframe(2, 7) },
            Frame { ra: Some(Addr::node(3)), ..subframe(2, 7) },
            Frame { mcs: Some(6), ..subframe(2, 7) },
            Frame { channel_mhz: Some(2412), ..subframe(2, 7) },
            Frame { phy: Some(Phy::Ofdm), ..subframe(2, 7) },
        ];
        assert!(others.iter().all(|other| !joined(&subframe(1, 7), other)));
    }
}
