//! From one exchange of a sender to its next: by how many sequence numbers it went on, and in what time.
//!
//! `winf_analyzer/_models/saturation/recorded/completeness.py` says what they tell. A sender numbers QoS data per receiver and TID,
//! everything else together (IEEE 802.11-2020, 10.3.2.14), but for drivers that [`sender`] tells of. Times are ns; those of
//! damaged recordings wrap around.

mod sender;
pub mod table;

use rustc_hash::FxHashMap;
use sender::Left;

/// Sequence numbers are modulo this (9.2.4.4).
const NUMBERS: i64 = 4096;

/// Numbers that a sender may be ahead of the first one it repeats: a BlockAck window (10.25.6).
const WINDOW: i64 = winf_ieee80211::BLOCK_ACK_WINDOW as i64;

/// What counts as going on.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Numbers by which a sender may be ahead of what was heard of it last.
    pub max_advance: i64,
    /// Unit of the times, ns; above 0.
    pub tick_ns: i64,
    /// Longer ones are left out.
    pub max_gap_ticks: i64,
}

/// What is numbered together: a sender, or QoS data of a link with a TID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counter {
    /// Number of the sender among those of all media.
    Sender(usize),
    /// Number of the link among those of all media, and TID.
    Link(usize, i64),
}

/// What tells an exchange from those before it.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// Its sequence number.
    Sequence(i64),
    /// The trace of a simulator has no numbers, and every frame: a first attempt is the next number, others repeat it.
    Attempt {
        /// Whether it is the first attempt.
        first: bool,
    },
}

/// A numbered exchange.
#[derive(Clone, Copy, Debug)]
pub struct Numbered {
    /// Sequence number, or what stands for it.
    pub number: Number,
    /// Number of the kind of its data.
    pub kind: u32,
    /// MPDUs that were heard in it, at least one.
    pub mpdus: i64,
    /// When it began.
    pub start_ns: i64,
}

/// What an exchange tells about those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Numbers since the exchange before, and how many of them were heard in that one; None where it did not go on.
    pub advanced: Option<(i64, i64)>,
    /// Since that began, where nothing was missed between.
    pub gap_ticks: Option<i64>,
    /// It has the number of the exchange before.
    pub repeats: bool,
    /// Its number was heard before.
    pub again: bool,
}

/// The last exchange of each counter, and what was heard of the numbers around its own.
///
/// An aggregate whose first MPDU was lost before holds what was lost and what is new, so that numbers far ahead of its own
/// were heard in those before it. Where the recorder had missed that MPDU, the next one begins before the last.
pub struct SequenceSteps {
    limits: Limits,
    last: FxHashMap<Counter, Last>,
    /// Of senders whose numbers went elsewhere: where they were before.
    left: FxHashMap<usize, Left>,
}

/// The last exchange that went on.
#[derive(Clone, Copy)]
struct Last {
    exchange: Numbered,
    /// Numbers that were heard from its own on.
    ahead: i64,
    /// Numbers between the one before and this one that were not heard.
    missing: i64,
}

impl SequenceSteps {
    /// Nothing was heard so far.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, last: FxHashMap::default(), left: FxHashMap::default() }
    }

    /// Takes the next exchange of a counter.
    pub fn follow(&mut self, counter: Counter, exchange: Numbered) -> Step {
        let Some(before) = self.last.get_mut(&counter) else {
            self.last.insert(counter, Last::begun(exchange));
            return Step::default();
        };
        match counter {
            Counter::Link(..) => before.follow_link(exchange, self.limits),
            Counter::Sender(sender) => sender::follow(before, self.left.entry(sender), exchange, self.limits),
        }
    }
}

impl Last {
    /// Nothing was heard before.
    const fn begun(exchange: Numbered) -> Self {
        Self { exchange, ahead: exchange.mpdus, missing: 0 }
    }

    /// By how many numbers an exchange is ahead, 0 to 4095; None where this one has no number.
    const fn step_to(&self, exchange: &Numbered) -> Option<i64> {
        match (self.exchange.number, exchange.number) {
            (_, Number::Attempt { first }) => Some(first as i64),
            (Number::Sequence(before), Number::Sequence(seq)) => Some(seq.wrapping_sub(before).rem_euclid(NUMBERS)),
            (Number::Attempt { .. }, Number::Sequence(_)) => None,
        }
    }

    /// Takes the next exchange of a link: what a BlockAck says was lost is sent again within its window.
    fn follow_link(&mut self, exchange: Numbered, limits: Limits) -> Step {
        let back = self.step_to(&exchange).map_or(NUMBERS, |step| NUMBERS - step);
        if back <= WINDOW {
            return self.gone_back(back, exchange.mpdus);
        }
        self.follow(exchange, limits)
    }

    /// Takes the next exchange, which is not one of those before.
    fn follow(&mut self, exchange: Numbered, limits: Limits) -> Step {
        let Some(step) = self.step_to(&exchange) else {
            *self = Self::begun(exchange);
            return Step::default();
        };
        let went_on = (1..=limits.max_advance).contains(&step);
        let (before_ahead, heard) = (self.ahead, self.ahead.min(step));
        let left = if went_on { self.ahead - heard } else { 0 };
        let now = if step == 0 { self.ahead.max(exchange.mpdus) } else { left.saturating_add(exchange.mpdus) };
        let ticks = exchange.start_ns.wrapping_sub(self.exchange.start_ns).div_euclid(limits.tick_ns);
        let timed = step == 1 && (0..=limits.max_gap_ticks).contains(&ticks);
        let missing = match step {
            0 => self.missing,
            _ if went_on => step - heard,
            _ => 0,
        };
        *self = Self { exchange, ahead: now.min(WINDOW.max(exchange.mpdus)), missing };
        Step {
            advanced: went_on.then_some((step, heard)),
            gap_ticks: timed.then_some(ticks),
            repeats: step == 0,
            again: step == 0 || went_on && step < before_ahead,
        }
    }

    /// Takes an exchange that begins `back` numbers before: with what was missing there, as far as it reaches.
    fn gone_back(&mut self, back: i64, mpdus: i64) -> Step {
        let found = mpdus.min(back).min(self.missing);
        self.missing -= found;
        self.ahead = self.ahead.max(mpdus - found);
        let repeats = found == 0;
        Step { advanced: (!repeats).then_some((0, found)), gap_ticks: None, repeats, again: repeats }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { max_advance: 512, tick_ns: 100, max_gap_ticks: 50 };

    fn steps(exchanges: &[(i64, i64, i64)]) -> Vec<Step> {
        let mut passed = SequenceSteps::new(LIMITS);
        let numbered = |&(seq, mpdus, start_ns)| Numbered { number: Number::Sequence(seq), kind: 0, mpdus, start_ns };
        exchanges.iter().map(|exchange| passed.follow(Counter::Link(0, 0), numbered(exchange))).collect()
    }

    #[test]
    fn the_next_number_is_timed() {
        let found = steps(&[(4095, 1, 0), (0, 1, 1_950), (1, 1, 8_000), (2, 1, 7_000)]);
        let next = Step { advanced: Some((1, 1)), gap_ticks: None, ..Step::default() };
        assert_eq!(found, [Step::default(), Step { gap_ticks: Some(19), ..next }, next, next]);
    }

    #[test]
    fn what_was_heard_of_an_aggregate_is_not_missed() {
        let found = steps(&[(10, 4, 0), (16, 1, 10), (16, 1, 20), (529, 1, 30), (1040, 1, 40)]);
        assert_eq!(found[1].advanced, Some((6, 4)));
        assert!(found[2].repeats && found[2].advanced.is_none());
        assert_eq!(found[3], Step::default());
        assert_eq!(found[4].advanced, Some((511, 1)));
    }

    #[test]
    fn what_is_sent_again_was_not_missed() {
        // Of 10 to 19 two are lost, and sent again with 20 to 25; then 26 follows.
        let found = steps(&[(10, 10, 0), (12, 8, 10), (26, 1, 20), (27, 1, 30), (40, 1, 40)]);
        assert_eq!(found[1].advanced, Some((2, 2)));
        assert_eq!(found[2].advanced, Some((14, 14)));
        assert!(found[1].again && !found[4].again);
        // Two of those were heard twice: they stand for two that are missing later at most.
        assert_eq!(found[4].advanced, Some((13, 3)));
        let whole = steps(&[(10, 8, 0), (10, 8, 10), (30, 1, 20), (31, 1, 30)]);
        assert_eq!(whole[2].advanced, Some((20, 8)), "a repetition tells of no other numbers");
    }

    #[test]
    fn what_was_missing_may_be_sent_again() {
        // 20 to 29 were not heard, but some of them when they were repeated, with numbers that came meanwhile.
        let found = steps(&[(10, 10, 0), (30, 5, 10), (22, 6, 20), (24, 4, 30), (36, 1, 40), (31, 4, 50), (37, 1, 60)]);
        assert_eq!(found[1].advanced, Some((20, 10)));
        assert_eq!(found[2], Step { advanced: Some((0, 6)), gap_ticks: None, ..Step::default() });
        assert_eq!(
            found[3],
            Step { advanced: Some((0, 4)), gap_ticks: None, ..Step::default() },
            "no more than were missing"
        );
        assert_eq!(found[4].advanced, Some((6, 5)));
        assert_eq!(found[5].advanced, Some((0, 1)));
        assert_eq!(found[6].advanced, Some((1, 1)));
        let whole = steps(&[(10, 10, 0), (20, 5, 10), (18, 2, 20), (25, 1, 30)]);
        assert_eq!(whole[2], Step { repeats: true, again: true, ..Step::default() });
        assert_eq!(whole[3].advanced, Some((5, 5)));
    }

    #[test]
    fn without_numbers_a_first_attempt_is_the_next_one() {
        let mut passed = SequenceSteps::new(LIMITS);
        let mut follow =
            |number, start_ns| passed.follow(Counter::Sender(0), Numbered { number, kind: 0, mpdus: 1, start_ns });
        let attempt = |first| Number::Attempt { first };
        assert_eq!(follow(attempt(true), 0), Step::default());
        assert_eq!(
            follow(attempt(true), 1_950),
            Step { advanced: Some((1, 1)), gap_ticks: Some(19), ..Step::default() }
        );
        assert!(follow(attempt(false), 2_000).repeats);
        assert_eq!(follow(Number::Sequence(3), 2_100), Step::default());
    }

    #[test]
    fn counters_are_told_apart() {
        let mut passed = SequenceSteps::new(LIMITS);
        let exchange = Numbered { number: Number::Sequence(7), kind: 0, mpdus: 1, start_ns: 0 };
        for counter in [Counter::Sender(1), Counter::Link(1, 0), Counter::Link(1, 5), Counter::Link(2, 5)] {
            assert_eq!(passed.follow(counter, exchange), Step::default());
        }
        assert!(passed.follow(Counter::Link(1, 5), exchange).repeats);
    }
}
