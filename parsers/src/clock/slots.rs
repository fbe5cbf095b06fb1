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
use crate::ieee80211::constants::PhyTiming;

/// Slots of the shortest AIFS, and how many behind it are counted: later starts are of packets that found an idle medium.
const AIFS_SLOTS: f64 = 2.0;
const BACKOFF_SLOTS: f64 = 18.0;

/// Longest PPDU: what starts by more before the end of an answer is not of its time.
const LONGEST_US: f64 = 5_484.0;

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
        let slots = (distance_us(end_ns, start_ns) - sifs_us) / slot_us;
        if (-LONGEST_US / slot_us..=AIFS_SLOTS + BACKOFF_SLOTS).contains(&slots) {
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
