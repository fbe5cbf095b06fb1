//! Share of the frames on the air that were heard.

use ahash::AHashMap;

use super::share::Share;
use crate::clock::follows_after_sifs;
use crate::exchanges::Tuned;
use crate::frame::{Addr, Direction, Frame, FrameKind};
use crate::ieee80211::constants::SEQUENCE_NUMBERS;

/// Maximum number of sequence counters. It bounds memory.
const COUNTERS: usize = 1 << 14;
/// A longer gap is no gap: the counter was reset, or the station was away.
const LONGEST_GAP: u32 = 64;
/// Fewer cases give no share.
const MIN_CASES: u64 = 20;

/// A sequence counter: transmitter, receiver and traffic identifier. Management frames and frames without QoS share one
/// per transmitter (IEEE 802.11-2020, 10.3.2.14.2).
type Counter = (Addr, Option<(Addr, u8)>);

/// Counts frames that were heard, and frames that show that others were not.
#[derive(Clone, Debug, Default)]
pub(super) struct Completeness {
    /// By counter: the last number, and the stay on a channel in which it was heard.
    last: AHashMap<Counter, (u32, u32)>,
    tuned: Tuned,
    stay: u32,
    numbers: Numbers,
    /// Of what the recorder sent itself, all of which it records.
    own: Numbers,
    answered: u64,
    answered_unheard: u64,
}

/// Numbers that were heard, those that were skipped, and those of the former that follow the one before.
#[derive(Clone, Copy, Debug, Default)]
struct Numbers {
    heard: u64,
    skipped: u64,
    next: u64,
}

impl Numbers {
    fn count(&mut self, step: u32) {
        self.heard += 1;
        self.skipped += u64::from(step - 1);
        self.next += u64::from(step == 1);
    }
}

impl Completeness {
    /// Counts a frame, given the frame recorded before it.
    pub(super) fn observe(&mut self, before: Option<&Frame>, frame: &Frame) {
        let is_first = self.tuned.hears(frame);
        self.stay = self.stay.wrapping_add(u32::from(is_first));
        if !frame.is_readable() {
            return;
        }
        if frame.direction == Some(Direction::Tx) {
            if let Some(step) = self.step(frame) {
                self.own.count(step);
            }
            return;
        }
        match frame.kind {
            FrameKind::Ack | FrameKind::BlockAck if frame.ra.is_some_and(|ra| !ra.is_group()) => {
                self.answered += 1;
                // What is answered at the beginning of a stay was sent before it.
                let is_heard = before
                    .filter(|_| !is_first)
                    .is_none_or(|before| !before.is_readable() || follows_after_sifs(before, frame));
                self.answered_unheard += u64::from(!is_heard);
            }
            _ => {
                if let Some(step) = self.step(frame) {
                    self.numbers.count(step);
                }
            }
        }
    }

    /// The share, and the number of frames it rests on. It is the smaller one of the shares by sequence numbers and by
    /// answers: a station of which nothing is heard leaves only answers to it. What a recorder sent itself was recorded,
    /// unless it lost records.
    pub(super) fn share(&self) -> Option<Share> {
        let share = |held: u64, missed: u64| Some(Share { held, cases: held + missed });
        let share = |heard, missed| share(heard, missed).filter(|share| share.cases >= MIN_CASES);
        let by_numbers = share(self.numbers.heard, self.numbers.skipped);
        // Some drivers record only a few of the frames that they send, or not with the numbers that are on the air.
        let by_own = share(self.own.heard, self.own.skipped).filter(|_| self.own.next * 2 >= self.own.heard);
        let by_answers = share(self.answered - self.answered_unheard, self.answered_unheard);
        let shares = [by_numbers, by_own, by_answers].into_iter().flatten();
        shares.min_by(|one, other| (one.held * other.cases).cmp(&(other.held * one.cases)))
    }

    /// How far on the frame is from the one of its counter that was heard before, where numbers between were skipped.
    fn step(&mut self, frame: &Frame) -> Option<u32> {
        let (ta, seq) = frame.ta.zip(frame.seq)?;
        if frame.frag.is_some_and(|frag| frag > 0) {
            return None;
        }
        let of_link = frame.ra.zip(frame.tid).filter(|(ra, _)| !ra.is_group());
        let counter = (ta, of_link);
        let full = self.last.len() >= COUNTERS;
        let Some(last) = self.last.get_mut(&counter) else {
            if !full {
                self.last.insert(counter, (seq, self.stay));
            }
            return None;
        };
        let (before, stay) = std::mem::replace(last, (seq, self.stay));
        if stay != self.stay {
            return None; // the radio was elsewhere
        }
        let step = seq.wrapping_sub(before) % SEQUENCE_NUMBERS;
        if step == 0 || step > SEQUENCE_NUMBERS - LONGEST_GAP {
            last.0 = before;
            return None; // a retransmission
        }
        Some(step).filter(|step| *step <= LONGEST_GAP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beacon(seq: u32) -> Frame {
        Frame { kind: FrameKind::Beacon, ta: Some(Addr::node(1)), seq: Some(seq), ..Frame::new(1, 0) }
    }

    #[test]
    fn skipped_numbers_were_not_heard() {
        let mut heard = Completeness::default();
        (0..200).map(|number| beacon((4000 + 2 * number) & 0x0fff)).for_each(|frame| heard.observe(None, &frame));
        let share = heard.share().unwrap();
        assert_eq!((share.held, share.cases), (199, 398));
    }

    fn own(seq: u32) -> Frame {
        let sent = Some(Direction::Tx);
        Frame { kind: FrameKind::Data, ta: Some(Addr::node(1)), seq: Some(seq), direction: sent, ..Frame::new(1, 0) }
    }

    #[test]
    fn what_is_missing_of_the_recorders_own_frames_was_lost() {
        let mut heard = Completeness::default();
        (0..400).filter(|number| number % 40 < 20).for_each(|number| heard.observe(None, &own(number)));
        let share = heard.share().unwrap();
        assert_eq!((share.held, share.cases), (199, 379));
    }

    #[test]
    fn own_frames_of_which_a_driver_records_few_tell_nothing() {
        let mut heard = Completeness::default();
        (0..200).for_each(|number| heard.observe(None, &own(5 * number)));
        assert!(heard.share().is_none());
    }

    #[test]
    fn what_was_sent_while_the_radio_was_elsewhere_is_not_skipped() {
        let mut heard = Completeness::default();
        for number in 0..400 {
            let mhz = if number % 40 < 20 { 2412 } else { 2437 };
            let ta = Some(Addr::node(u32::from(mhz)));
            heard.observe(None, &Frame { ta, channel_mhz: Some(mhz), ..beacon(number) });
        }
        assert_eq!(heard.share().map(|share| (share.held, share.cases)), Some((380, 380)));
    }

    #[test]
    fn answers_to_nothing_were_to_frames_not_heard() {
        let mut heard = Completeness::default();
        let ack = Frame { kind: FrameKind::Ack, ra: Some(Addr::node(1)), ..Frame::new(1, 0) };
        for _ in 0..30 {
            heard.observe(Some(&beacon(1)), &ack);
        }
        assert_eq!(heard.share().map(|share| (share.held, share.cases)), Some((0, 30)));
    }
}
