//! Sequence numbers that were heard, and the range that they span: what a recorder missed of each transmitter.
//!
//! QoS data are numbered per receiver and TID, everything else per transmitter (IEEE 802.11-2020, 10.3.2.14.2); some
//! drivers number beacons apart, so that both readings are kept. [`table`] reads frames from record batches.

mod pauses;
mod positions;
pub mod table;

use rustc_hash::FxHashMap;

use crate::names::Names;
use pauses::{Pauses, Silences, Skipped};
use positions::Positions;

/// Sequence numbers are modulo this (9.2.4.4).
const NUMBERS: i64 = 4096;

/// Steps beyond half of the range are those of a counter that began anew, or went back.
const MAX_SKIPPED: i64 = 2048;

/// A step back by up to as many is a retransmission within a block, anything else a step on.
const MAX_BACK: i64 = 256;

/// What is numbered together. Names are numbers of [`SequenceGaps`], [`crate::names::NOBODY`] is null.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Space {
    source: u32,
    observer: u32,
    ta: u32,
    /// Of QoS data.
    ra: u32,
    tid: Option<i32>,
}

/// A frame with a number.
#[derive(Clone, Copy)]
struct Numbered {
    at_ns: i64,
    seq: i64,
    retry: bool,
    is_beacon: bool,
    is_data: bool,
    /// By the recorder itself: its recording holds all of them, unless it pauses.
    is_sent: bool,
    /// The PPDU that it came in, where that held several.
    ppdu: Option<i64>,
}

/// Counts per space, of frames in the order in which they were sent.
#[derive(Default)]
pub struct SequenceGaps {
    names: Names,
    spaces: FxHashMap<Space, Both>,
    pauses: Pauses,
    /// Where the recorder of each source listens.
    listening: FxHashMap<u32, Listening>,
}

/// The channel of the frame before, MHz, and how often it has changed: what a radio that hops does not hear while it is
/// elsewhere, it does not miss.
#[derive(Clone, Copy, Default)]
struct Listening {
    channel_mhz: Option<i32>,
    stay: u32,
}

/// The two readings of a space.
#[derive(Clone, Default)]
struct Both {
    all: Counter,
    last: Option<Last>,
    /// MPDUs and PPDUs that were heard, without repetitions, and the PPDUs that were missed while the recorder was not deaf.
    mpdus: f64,
    ppdus: f64,
    missed: f64,
    /// The last silence over which numbers were skipped, and PPDUs that were: if it is no pause, they were missed.
    skipped: Option<(i64, f64)>,
    /// Until a beacon came the same as `all`.
    without_beacons: Option<Box<Counter>>,
}

/// The last frame of a space that was no repetition.
#[derive(Clone, Copy)]
struct Last {
    frame: Numbered,
    stay: u32,
}

/// The counter of a transmitter, unwrapped.
#[derive(Clone, Default)]
struct Counter {
    last: Option<i64>,
    heard: Positions,
    /// What was heard in stays on a channel before, and the number of the present one.
    earlier: Heard,
    stay: u32,
    /// The last silence over which numbers were skipped, and how many: if it is a pause, they were not missed.
    silence: Option<(i64, i64)>,
    /// Numbers skipped over pauses before.
    unrecorded: i64,
}

/// Sums of counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Heard {
    /// Numbers of which a first attempt was heard.
    firsts: i64,
    /// Numbers of which any attempt was heard.
    heard: i64,
    /// Numbers from the least to the greatest that was heard, both included.
    span: i64,
}

impl SequenceGaps {
    /// Notes that a frame was heard on this channel.
    fn listen(&mut self, source: u32, channel_mhz: i32) {
        let listening = self.listening.entry(source).or_default();
        let is_elsewhere = listening.channel_mhz.replace(channel_mhz).is_some_and(|before| before != channel_mhz);
        listening.stay = listening.stay.wrapping_add(u32::from(is_elsewhere));
    }

    fn add(&mut self, space: Space, frame: Numbered) {
        let stay = self.listening.get(&space.source).map_or(0, |listening| listening.stay);
        let both = self.spaces.entry(space).or_default();
        let silence = both.step(frame, stay, space.source, &mut self.pauses);
        if frame.is_sent {
            return;
        }
        let silences = self.pauses.of(space.source);
        if frame.is_beacon {
            both.without_beacons.get_or_insert_with(|| Box::new(both.all.clone()));
        } else if let Some(without) = &mut both.without_beacons {
            without.add(frame, stay, silence, silences);
        }
        both.all.add(frame, stay, silence, silences);
    }

    /// What was heard of a space, in both readings.
    fn heard(&self, space: Space, both: &Both) -> [Heard; 2] {
        let silences = self.pauses.of(space.source);
        let all = both.all.sums(silences);
        [all, both.without_beacons.as_ref().map_or(all, |counter| counter.sums(silences))]
    }
}

impl Both {
    /// The silence over which the frame is further on than the last, and the share of the numbers between that it holds.
    fn step(&mut self, frame: Numbered, stay: u32, source: u32, pauses: &mut Pauses) -> Option<(i64, f64)> {
        let before = self.last.map(|last| (last, steps(last.frame.seq, frame.seq)));
        if before.is_some_and(|(_, step)| step <= 0) {
            return None;
        }
        self.last = Some(Last { frame, stay });
        let is_of_last = before.is_some_and(|(last, _)| frame.ppdu.is_some() && last.frame.ppdu == frame.ppdu);
        self.mpdus += 1.0;
        if !is_of_last {
            self.ppdus += 1.0;
            pauses.heard(source, frame.is_data);
        }
        let goes_on =
            |last: Last, step| last.frame.is_beacon == frame.is_beacon && last.stay == stay && step <= MAX_SKIPPED;
        let (last, step) = before.filter(|&(last, step)| step > 1 && goes_on(last, step))?;
        let is_pause = |silence| pauses.of(source).is_some_and(|silences| silences.is_pause(silence));
        self.missed += self.skipped.take().filter(|&(silence, _)| !is_pause(silence)).map_or(0.0, |(_, ppdus)| ppdus);
        let ppdus = (step - 1) as f64 * self.ppdus / self.mpdus;
        let missed = (self.missed + 1.0) / (self.ppdus + self.missed + 2.0);
        let skipped =
            Skipped { after_ns: last.frame.at_ns, before_ns: frame.at_ns, ppdus, is_data: frame.is_data, missed };
        let found = pauses.skip(source, skipped);
        let over = found.map_or(0.0, |(_, share)| share * ppdus);
        self.skipped = found.map(|(silence, _)| (silence, over));
        self.missed += ppdus - over;
        found
    }
}

impl Counter {
    fn add(&mut self, frame: Numbered, stay: u32, over: Option<(i64, f64)>, silences: Option<&Silences>) {
        if stay != self.stay {
            *self = Self { earlier: self.sums(silences), stay, ..Self::default() };
        }
        let step = self.last.map_or(0, |last| steps(last, frame.seq));
        if let Some((silence, share)) = over {
            self.unrecorded = self.not_recorded(silences);
            self.silence = Some((silence, ((step - 1).max(0) as f64 * share) as i64));
        }
        self.last = Some(frame.seq);
        self.heard.step(step, !frame.retry);
    }

    fn sums(&self, silences: Option<&Silences>) -> Heard {
        let mut sums = self.heard.sums();
        sums.span = sums.span.saturating_sub(self.not_recorded(silences)).max(sums.heard);
        sums.add(self.earlier);
        sums
    }

    /// Numbers skipped over pauses.
    fn not_recorded(&self, silences: Option<&Silences>) -> i64 {
        let is_pause = |silence| silences.is_some_and(|all| all.is_pause(silence));
        let over = self.silence.filter(|&(silence, _)| is_pause(silence)).map_or(0, |(_, over)| over);
        self.unrecorded.saturating_add(over)
    }
}

/// How far a counter is on from one number to another.
fn steps(from: i64, to: i64) -> i64 {
    (to - from + MAX_BACK).rem_euclid(NUMBERS) - MAX_BACK
}

impl Heard {
    fn add(&mut self, other: Self) {
        self.firsts = self.firsts.saturating_add(other.firsts);
        self.heard = self.heard.saturating_add(other.heard);
        self.span = self.span.saturating_add(other.span);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::NOBODY;

    const SPACE: Space = Space { source: 0, observer: NOBODY, ta: 1, ra: NOBODY, tid: None };
    const FRAME: Numbered =
        Numbered { at_ns: 0, seq: 0, retry: false, is_beacon: false, is_data: true, is_sent: false, ppdu: None };

    fn heard(frames: &[(i64, bool, bool)]) -> [Heard; 2] {
        let mut gaps = SequenceGaps::default();
        for &(seq, retry, is_beacon) in frames {
            gaps.add(SPACE, Numbered { seq, retry, is_beacon, ..FRAME });
        }
        gaps.heard(SPACE, &gaps.spaces[&SPACE])
    }

    #[test]
    fn numbers_that_were_skipped_are_missed() {
        let found = heard(&[(4094, false, false), (4095, false, false), (2, false, false)]);
        assert_eq!(found, [Heard { firsts: 3, heard: 3, span: 5 }; 2]);
    }

    #[test]
    fn retransmissions_count_once_and_only_with_their_first_attempt() {
        let found = heard(&[(10, false, false), (11, true, false), (12, false, false), (10, true, false)]);
        assert_eq!(found, [Heard { firsts: 2, heard: 3, span: 3 }; 2]);
    }

    #[test]
    fn what_was_sent_while_the_radio_was_elsewhere_is_not_missed() {
        let mut gaps = SequenceGaps::default();
        for (channel_mhz, seq) in [(2412, 10), (2412, 12), (2437, 90), (2412, 100), (2412, 101)] {
            gaps.listen(SPACE.source, channel_mhz);
            let ta = if channel_mhz == 2412 { 1 } else { 2 };
            gaps.add(Space { ta, ..SPACE }, Numbered { seq, ..FRAME });
        }
        assert_eq!(gaps.heard(SPACE, &gaps.spaces[&SPACE])[0], Heard { firsts: 4, heard: 4, span: 5 });
    }

    /// Ten frames a tenth of a second apart, and ten more behind a silence of 10 s.
    fn behind_a_silence(step: i64) -> Heard {
        let mut gaps = SequenceGaps::default();
        for number in 0..20 {
            let (at_ns, seq) = if number < 10 { (0, number) } else { (10_000_000_000, number - 1 + step) };
            let at_ns = at_ns + number * 100_000_000;
            gaps.pauses.record(SPACE.source, at_ns);
            gaps.add(SPACE, Numbered { at_ns, seq, ..FRAME });
        }
        gaps.heard(SPACE, &gaps.spaces[&SPACE])[0]
    }

    #[test]
    fn what_was_sent_while_nothing_was_recorded_is_not_missed() {
        assert_eq!(behind_a_silence(1700), Heard { firsts: 20, heard: 20, span: 20 });
        assert_eq!(behind_a_silence(5), Heard { firsts: 20, heard: 20, span: 24 }, "too few for a pause");
    }

    #[test]
    fn a_step_back_is_short() {
        let of = |to| heard(&[(1000, false, false), (to, false, false)])[0];
        assert_eq!(of(744), Heard { firsts: 2, heard: 2, span: 257 });
        assert_eq!(of(743), Heard { firsts: 2, heard: 2, span: 3840 });
    }

    #[test]
    fn beacons_may_be_numbered_apart() {
        let found = heard(&[(1, false, false), (900, false, true), (2, false, false), (3, false, false)]);
        assert_eq!(found[1], Heard { firsts: 3, heard: 3, span: 3 });
        assert!(found[0].span > 4000);
    }
}
