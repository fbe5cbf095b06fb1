//! Gaps between frames and their answers, and the instant until which both reserve the medium.

use super::share::Share;
use crate::frame::{Addr, Assumptions, Direction, Frame, FrameKind};
use crate::ieee80211::constants::PhyTiming;

/// Two stamps in whole microseconds, propagation, and the jitter of one receiver.
const TOLERANCE_US: f64 = 4.0;
/// A second frame that comes later than this does not answer the first: its own was not heard.
const UNHEARD_US: f64 = 250.0;

/// Counts answers.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    /// Those that start one SIFS after the frame they answer.
    pub(super) at_sifs: Share,
    /// CTS frames that reserve the medium for as long as the RTS.
    pub(super) nav_ends: Share,
    /// Answers without a known gap to what was heard. What the recorder sent, some drivers stamp when they hear that it
    /// was sent: that says nothing of the stamps of what it heard.
    pub(super) untimed: u64,
}

impl Answers {
    /// Counts a frame, and the one that comes one SIFS after it by kinds and addresses, if that is an answer.
    pub(super) fn observe(&mut self, first: &Frame, second: &Frame) {
        let are_readable = first.is_readable() && second.is_readable();
        // Whose end is that of the answer, less SIFS, shows nothing.
        let is_told = first.assumptions.contains(Assumptions::END_BY_ANSWER);
        if is_told || !are_readable || !is_response(second.kind) || first.ra.is_none_or(Addr::is_group) {
            return;
        }
        let Some(gap_ns) = first.end_ns.zip(second.start_ns).map(|(end, start)| start.saturating_sub(end)) else {
            self.untimed += u64::from(first.direction != Some(Direction::Tx));
            return;
        };
        let Some(phy) = first.phy else { return };
        let off_us = gap_ns as f64 / 1000.0 - PhyTiming::of(phy, first.channel_mhz).sifs_us;
        if off_us.abs() > UNHEARD_US {
            return;
        }
        self.at_sifs.count(off_us.abs() <= TOLERANCE_US);
        if (first.kind, second.kind) == (FrameKind::Rts, FrameKind::Cts) {
            if let Some((one, other)) = nav_end_us(first).zip(nav_end_us(second)) {
                self.nav_ends.count((one - other).abs() <= TOLERANCE_US);
            }
        }
    }
}

/// True for frames that a receiver sends because of the frame before them. Data after a CTS is none: its sender may have
/// sent it unheard, and what follows in the recording is a later subframe or the retransmission.
fn is_response(kind: FrameKind) -> bool {
    matches!(kind, FrameKind::Cts | FrameKind::Ack | FrameKind::BlockAck)
}

/// The end of the reservation (IEEE 802.11-2020, 9.3.1.2 and 9.3.1.3).
fn nav_end_us(frame: &Frame) -> Option<f64> {
    let nav_us = frame.nav_us.filter(|&us| us > 0)?;
    Some(frame.end_ns? as f64 / 1000.0 + f64::from(nav_us))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Phy;

    fn frame(kind: FrameKind, from_us: i64, until_us: i64, nav_us: u16) -> Frame {
        Frame {
            kind,
            ra: Some(Addr::node(1)),
            phy: Some(Phy::Ofdm),
            start_ns: Some(from_us * 1000),
            end_ns: Some(until_us * 1000),
            nav_us: Some(nav_us),
            ..Frame::new(1, 0)
        }
    }

    #[test]
    fn a_cts_reserves_what_is_left_of_the_reservation_of_the_rts() {
        let mut answers = Answers::default();
        let rts = frame(FrameKind::Rts, 0, 52, 300);
        for nav_us in [240, 243, 260] {
            answers.observe(&rts, &frame(FrameKind::Cts, 68, 112, nav_us));
        }
        assert_eq!((answers.nav_ends.held, answers.nav_ends.cases), (2, 3));
        assert_eq!((answers.at_sifs.held, answers.at_sifs.cases), (3, 3));
    }
    #[test]
    fn data_after_a_cts_is_no_answer() {
        let mut answers = Answers::default();
        let cts = frame(FrameKind::Cts, 0, 44, 300);
        answers.observe(&cts, &frame(FrameKind::QosData, 60, 90, 44));
        answers.observe(&cts, &frame(FrameKind::QosData, 200, 230, 44));
        assert_eq!(answers.at_sifs.cases, 0);
    }
}
