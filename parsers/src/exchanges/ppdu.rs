//! When a PPDU was on the air that is heard MPDU by MPDU.

use crate::clock::ns;
use crate::exchanges::heard::{Heard, LONGEST_HT_PPDU_NS};
use crate::frame::{Frame, FrameKind, Phy};
use crate::psdu::Psdu;

/// Stamps closer than this are the same: A-MPDU subframes may all carry the stamp of their PPDU.
const SAME_STAMP_NS: i64 = 2_000;
/// Without airtimes: stamps closer than this leave no room for the shortest PPDU (24 us) and DIFS (28 us).
const NO_ACCESS_BETWEEN_NS: i64 = 50_000;

/// One data PPDU, as far as its MPDUs were heard.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ppdu {
    psdu: Psdu,
    at_ns: i64,
    start_ns: Option<i64>,
    end_ns: Option<i64>,
    /// Every MPDU so far has the same start, or the same end.
    same_start: bool,
    same_end: bool,
}

impl Ppdu {
    pub(super) fn new(frame: &Frame, heard: &Heard) -> Ppdu {
        let Heard { at_ns, start_ns, end_ns, .. } = *heard;
        Ppdu { psdu: Psdu::new(frame), at_ns, start_ns, end_ns, same_start: true, same_end: true }
    }

    /// Adds a further subframe.
    pub(super) fn add(&mut self, frame: &Frame, heard: &Heard) {
        self.psdu.add(frame);
        self.same_start &= is_same(self.start_ns, heard.start_ns);
        self.same_end &= is_same(self.end_ns, heard.end_ns);
        self.end_ns = self.end_ns.max(heard.end_ns);
    }

    /// Airtime with one preamble, microseconds; a lower bound where subframes were not heard.
    pub(super) fn airtime_us(&self) -> Option<f64> {
        self.psdu.airtime_us()
    }

    /// Start and end, as far as known.
    ///
    /// The times of each subframe are those of a PPDU with that subframe alone. Where all have the
    /// stamp of the PPDU's start they share a start, where they have that of its end they share an
    /// end; subframes of equal length share both, and then the answer tells: the PPDU ended before it.
    pub(super) fn times_ns(&self, answer_start_ns: Option<i64>) -> (Option<i64>, Option<i64>) {
        let (Some(start), Some(end), Some(airtime_us)) = (self.start_ns, self.end_ns, self.airtime_us()) else {
            return (self.start_ns, self.end_ns);
        };
        let airtime = ns(airtime_us);
        let summed_end = start.saturating_add(airtime);
        let answered_before = answer_start_ns.is_some_and(|answer| answer < summed_end);
        if self.same_end && (!self.same_start || answered_before) {
            (Some(end.saturating_sub(airtime).min(start)), Some(end))
        } else {
            (Some(start), Some(summed_end.max(end)))
        }
    }

    /// True when the next MPDU of the same sender was in this PPDU: the capture says so, or it came
    /// sooner than any separate PPDU could.
    pub(super) fn is_joined_by(&self, frame: &Frame, heard: &Heard) -> bool {
        if !self.is_near(heard) || self.psdu.excludes(frame) {
            return false;
        }
        self.psdu.is_shared_by(frame) || may_be_subframe(frame) && self.overlaps(heard)
    }

    /// True when the capture says that a damaged frame was in this PPDU.
    pub(super) fn has_subframe(&self, frame: &Frame, heard: &Heard) -> bool {
        self.psdu.is_shared_by(frame) && self.is_near(heard)
    }

    fn is_near(&self, heard: &Heard) -> bool {
        heard.at_ns.abs_diff(self.at_ns) <= LONGEST_HT_PPDU_NS.unsigned_abs()
    }

    fn overlaps(&self, heard: &Heard) -> bool {
        match (self.end_ns, heard.start_ns) {
            (Some(end), Some(start)) => start < end.saturating_add(SAME_STAMP_NS),
            _ => heard.at_ns.saturating_sub(self.at_ns) <= NO_ACCESS_BETWEEN_NS,
        }
    }
}

/// True for frames that can be one of several in an A-MPDU, although the capture does not say so.
pub(super) fn may_be_subframe(frame: &Frame) -> bool {
    let aggregates = matches!(frame.phy, None | Some(Phy::Ht | Phy::Vht | Phy::He | Phy::Eht));
    aggregates && frame.kind == FrameKind::QosData
}

fn is_same(a: Option<i64>, b: Option<i64>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a.abs_diff(b) <= SAME_STAMP_NS.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 36 us of preamble, and a data rate of 65 Mb/s.
    fn subframe(length: u32, start_us: i64, end_us: i64) -> Frame {
        let mut frame = Frame {
            kind: FrameKind::QosData,
            phy: Some(Phy::Ht),
            mcs: Some(7),
            rate_mbps: Some(65.0),
            channel_mhz: Some(5180),
            length_bytes: Some(length),
            ampdu_ref: Some(1),
            start_ns: Some(start_us * 1000),
            end_ns: Some(end_us * 1000),
            ..Frame::new(1, 0)
        };
        crate::airtime::fill(&mut frame);
        frame
    }

    fn ppdu(frames: &[Frame; 2]) -> Ppdu {
        let mut ppdu = Ppdu::new(&frames[0], &Heard::of(&frames[0]));
        ppdu.add(&frames[1], &Heard::of(&frames[1]));
        ppdu
    }

    #[test]
    fn subframes_with_the_stamp_of_the_start_extend_the_end() {
        // 1504 octets alone: 36 + 47 * 4 us; with 504 more: 36 + 62 * 4 us.
        let ppdu = ppdu(&[subframe(1500, 0, 224), subframe(500, 0, 100)]);
        assert_eq!(ppdu.airtime_us(), Some(284.0));
        assert_eq!(ppdu.times_ns(Some(300_000)), (Some(0), Some(284_000)));
    }

    #[test]
    fn subframes_with_the_stamp_of_the_end_move_the_start() {
        let ppdu = ppdu(&[subframe(1500, 776, 1000), subframe(500, 900, 1000)]);
        assert_eq!(ppdu.times_ns(None), (Some(716_000), Some(1_000_000)));
    }

    #[test]
    fn the_answer_tells_for_subframes_of_equal_length() {
        // 2 * 1504 octets: 36 + 93 * 4 us.
        let ppdu = ppdu(&[subframe(1500, 776, 1000), subframe(1500, 776, 1000)]);
        assert_eq!(ppdu.times_ns(Some(1_016_000)), (Some(592_000), Some(1_000_000)), "ended before the answer");
        assert_eq!(ppdu.times_ns(Some(1_200_000)), (Some(776_000), Some(1_184_000)), "began with the first");
    }
}
