//! Whether HE PPDUs start in the slots behind the exchange before, as contention has it.
//!
//! Where all stamps mark the end of frames, answers come SIFS after frames of any length. Contention tells the length: a
//! station that waited for the medium starts AIFS and a whole number of slots after it fell idle (10.23.2.4), and with a
//! wrong length most starts are beside these slots.

use super::ampdu::AmpduAirtimes;
use super::model::ClockModel;
use super::sample::{distance_us, is_answer};
use crate::frame::Frame;
use crate::ieee80211::airtime;
use crate::ieee80211::constants::{PhyTiming, PPDU_MAX_NS};

/// Slots of the shortest AIFS, and how many behind it are counted: later starts are of packets that found an idle medium.
const AIFS_SLOTS: f64 = 2.0;
const BACKOFF_SLOTS: f64 = 18.0;

/// Starts behind answers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Starts {
    /// How many were soon enough to have waited, or too soon.
    pub(super) counted: u32,
    /// Each counts 1 on a slot, -1 between two or too soon, and 0 on the average where it has nothing to do with them.
    pub(super) nearness: f64,
}

impl Starts {
    /// Those of `frames`, read with lengths to be tried, with the clock that was found for these.
    pub(super) fn of(mut frames: Vec<Frame>, mut clock: ClockModel) -> Starts {
        frames.iter_mut().for_each(|frame| clock.apply(frame));
        AmpduAirtimes::default().share_airtimes(&mut frames, &clock, false);
        let mut starts = Starts::default();
        for (answer, frame) in frames.iter().zip(frames.iter().skip(1)) {
            if is_answer(answer) && airtime::is_read(frame) && answer.channel_mhz == frame.channel_mhz {
                starts.count(answer, frame);
            }
        }
        starts
    }

    fn count(&mut self, answer: &Frame, frame: &Frame) {
        let (Some(end_ns), Some(start_ns), Some(phy)) = (answer.end_ns, frame.start_ns, frame.phy) else { return };
        let PhyTiming { sifs_us, slot_us, .. } = PhyTiming::of(phy, frame.channel_mhz);
        let idle_us = distance_us(end_ns, start_ns);
        let slots = (idle_us - sifs_us) / slot_us;
        // What starts by more than the longest PPDU before the answer ends is not of its time.
        if idle_us * 1e3 >= -(PPDU_MAX_NS as f64) && slots <= AIFS_SLOTS + BACKOFF_SLOTS {
            self.counted += 1;
            let is_too_soon = slots < AIFS_SLOTS - 0.5;
            self.nearness += if is_too_soon { -1.0 } else { 1.0 - 4.0 * (slots - slots.round()).abs() };
        }
    }

    /// Their mean nearness.
    pub(super) fn mean(self) -> f64 {
        self.nearness / f64::from(self.counted.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{FrameKind, Phy};

    /// What a frame counts for that starts so long after the end of an ACK.
    fn counted(idle_us: i64) -> (u32, f64) {
        let answer = Frame { kind: FrameKind::Ack, end_ns: Some(0), ..Frame::new(1, 0) };
        let frame =
            Frame { phy: Some(Phy::He), channel_mhz: Some(5180), start_ns: Some(1_000 * idle_us), ..Frame::new(2, 0) };
        let mut starts = Starts::default();
        starts.count(&answer, &frame);
        (starts.counted, (starts.nearness * 10.0).round() / 10.0)
    }

    #[test]
    fn starts_count_by_how_near_to_a_slot_they_are() {
        assert_eq!(counted(34), (1, 1.0), "AIFS of two slots");
        assert_eq!(counted(43 + 15 * 9), (1, 1.0), "the longest first backoff of best effort");
        assert_eq!(counted(45), (1, 0.1), "a quarter of a slot beside one is as near as by chance");
        assert_eq!(counted(47), (1, -0.8));
        assert_eq!(counted(16), (1, -1.0), "SIFS behind an answer nobody contends");
        assert_eq!(counted(-300), (1, -1.0), "the length is wrong");
    }

    #[test]
    fn starts_that_have_nothing_to_do_with_the_answer_do_not_count() {
        assert_eq!(counted(16 + 21 * 9).0, 0);
        assert_eq!(counted(-6_000).0, 0);
    }
}
