//! Frames that one radio cannot have received beside one another.
//!
//! A radio receives one frame at a time. On the air frames do overlap: stations that do not hear one another begin while
//! another sends. A radio that has received the first frame to its end can still find the second, if its training (SYNC
//! of DSSS, the short training field of OFDM) goes on: 128 of the 192 us of a long preamble. The signal extension that
//! ends OFDM frames at 2.4 GHz is silence. What overlaps further, or is from the same transmitter, or answers the frame
//! it overlaps, is stamped wrongly (or a stronger frame was received in place of the one before: a few in ten thousand).

use super::share::Share;
use crate::base::time::ns;
use crate::frame::{Addr, Direction, Frame};
use crate::ieee80211::airtime;

/// Inexactness of two stamps.
const TOLERANCE_NS: i64 = 2_000;

/// Counts heard frames.
#[derive(Clone, Debug, Default)]
pub(super) struct Overlaps {
    /// Those that overlap another.
    pub(super) share: Share,
    latest: Option<Reception>,
}

/// When the radio received a frame.
#[derive(Clone, Copy, Debug)]
struct Reception {
    start_ns: i64,
    /// Until when it can have begun to receive it.
    found_ns: i64,
    /// End of its last symbol.
    end_ns: i64,
    ta: Option<Addr>,
    channel_mhz: Option<u16>,
}

impl Overlaps {
    /// Counts a frame, in recorded order. `is_answer`: it answers the one before it.
    pub(super) fn observe(&mut self, frame: &Frame, is_answer: bool) {
        if frame.direction == Some(Direction::Tx) {
            return;
        }
        let Some(reception) = Reception::of(frame) else { return };
        let overlaps = self.latest.as_ref().is_some_and(|latest| latest.excludes(&reception, is_answer));
        self.share.count(overlaps);
        self.latest = Some(reception);
    }
}

impl Reception {
    fn of(frame: &Frame) -> Option<Reception> {
        let (start_ns, end_ns) = frame.start_ns.zip(frame.end_ns)?;
        Some(Reception {
            start_ns,
            found_ns: start_ns.saturating_add(ns(airtime::training_us(frame))),
            end_ns: end_ns.saturating_sub(ns(airtime::signal_extension_us(frame))),
            ta: frame.ta.filter(|_| frame.is_readable()),
            channel_mhz: frame.channel_mhz,
        })
    }

    /// True if the radio cannot have received both.
    fn excludes(&self, next: &Reception, is_answer: bool) -> bool {
        let (first, second) = if next.start_ns < self.start_ns { (next, self) } else { (self, next) };
        let is_of_one_sender = first.ta.is_some() && first.ta == second.ta;
        let from_ns = if is_answer || is_of_one_sender { second.start_ns } else { second.found_ns };
        first.channel_mhz == second.channel_mhz && from_ns.saturating_add(TOLERANCE_NS) < first.end_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Phy, Preamble};

    fn overlapping(frames: &[(u32, Phy, i64, i64)], is_answer: bool) -> u64 {
        let mut overlaps = Overlaps::default();
        for &(ta, phy, from_us, until_us) in frames {
            let frame = Frame {
                ta: Some(Addr::node(ta)),
                phy: Some(phy),
                preamble: Some(Preamble::Long),
                channel_mhz: Some(2437),
                start_ns: Some(from_us * 1000),
                end_ns: Some(until_us * 1000),
                ..Frame::new(1, 0)
            };
            overlaps.observe(&frame, is_answer);
        }
        overlaps.share.held
    }

    #[test]
    fn a_preamble_is_found_behind_the_end_of_another_frame() {
        let behind = |us: i64| overlapping(&[(1, Phy::Dsss, 0, 500), (2, Phy::Dsss, 500 - us, 1000)], false);
        assert_eq!([behind(0), behind(96), behind(128), behind(135)], [0, 0, 0, 1]);
        let ofdm = |us: i64| overlapping(&[(1, Phy::Erp, 0, 500), (2, Phy::Erp, 500 - us, 600)], false);
        assert_eq!([ofdm(8 + 6), ofdm(20)], [0, 1], "short training field and signal extension");
    }

    #[test]
    fn a_sender_and_an_answer_wait_for_the_end() {
        assert_eq!(overlapping(&[(1, Phy::Dsss, 0, 500), (1, Phy::Dsss, 480, 900)], false), 1);
        assert_eq!(overlapping(&[(1, Phy::Dsss, 0, 500), (2, Phy::Dsss, 480, 900)], true), 1);
    }

    #[test]
    fn the_order_of_the_records_is_not_that_on_the_air() {
        assert_eq!(overlapping(&[(1, Phy::Dsss, 400, 900), (2, Phy::Dsss, 0, 500)], false), 0);
        assert_eq!(overlapping(&[(1, Phy::Dsss, 200, 900), (2, Phy::Dsss, 0, 500)], false), 1);
        assert_eq!(overlapping(&[(1, Phy::Dsss, 2000, 2900), (2, Phy::Dsss, 0, 500)], false), 0);
    }
}
