//! What a sender numbers together, where its numbers are not those of one counter.
//!
//! Some drivers number beacons or probe responses apart, and what waits for a station that sleeps is sent late. So the
//! place that a sender's numbers left is kept: each exchange goes on from the nearer of the two. A jump to another kind
//! of frames may be one to another counter: its numbers count as missed once the kind before it is heard beyond, too.

use std::collections::hash_map::Entry;
use std::mem::swap;

use super::{Last, Limits, Numbered, Step, NUMBERS, WINDOW};

/// Where the numbers of a sender were before they went elsewhere.
#[derive(Clone, Copy)]
pub(super) struct Left {
    last: Last,
    /// Numbers of the jump from there, and how many of them were heard: counted once it is known to be one.
    held: Option<(i64, i64)>,
    /// Numbers that the sender went on since; after many it is no other counter, but one that will come around.
    passed: i64,
}

/// Takes the next exchange of a sender, whose last is `here`.
pub(super) fn follow(here: &mut Last, left: Entry<'_, usize, Left>, exchange: Numbered, limits: Limits) -> Step {
    let Some(step) = here.step_to(&exchange) else { return here.follow(exchange, limits) };
    let mut left = match left {
        Entry::Vacant(_) if !goes_elsewhere(here, &exchange, step, limits) => return here.follow(exchange, limits),
        Entry::Vacant(place) => {
            let (left, found) = leave(here, exchange, limits);
            place.insert(left);
            return found;
        }
        Entry::Occupied(left) => left,
    };
    let other = left.get_mut();
    let step = match other.last.step_to(&exchange) {
        Some(nearer) if nearer < step => {
            swap(&mut other.last, here);
            (other.held, other.passed) = (None, 0);
            nearer
        }
        _ => step,
    };
    let goes_on = step <= limits.max_advance;
    let jump = other.held.filter(|_| goes_on && other.last.exchange.kind == exchange.kind);
    if goes_elsewhere(here, &exchange, step, limits) {
        let found;
        (*other, found) = leave(here, exchange, limits);
        return found.counting(jump);
    }
    let is_late = other.last.step_to(&exchange).is_some_and(|beyond| NUMBERS - beyond <= WINDOW);
    let found = here.follow(exchange, limits);
    other.passed += step;
    if jump.is_some() || other.passed >= NUMBERS / 4 {
        left.remove();
    }
    // What comes late tells of no numbers that were not heard in time.
    if is_late {
        Step { advanced: None, gap_ticks: None, ..found }
    } else {
        found.counting(jump)
    }
}

/// Whether an exchange may be of another counter than the last.
const fn goes_elsewhere(here: &Last, exchange: &Numbered, step: i64, limits: Limits) -> bool {
    step > limits.max_advance || step > WINDOW && here.exchange.kind != exchange.kind
}

/// Takes an exchange that may be of another counter; the numbers to it, if it goes on, are held.
fn leave(here: &mut Last, exchange: Numbered, limits: Limits) -> (Left, Step) {
    let last = *here;
    let found = here.follow(exchange, limits);
    (Left { last, held: found.advanced, passed: 0 }, Step { advanced: None, ..found })
}

impl Step {
    /// With the numbers of a jump before, if it was one.
    fn counting(self, jump: Option<(i64, i64)>) -> Self {
        let Some((numbers, heard)) = jump else { return self };
        let (advanced, of_these) = self.advanced.unwrap_or_default();
        Self { advanced: Some((numbers + advanced, heard + of_these)), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Counter, Number, SequenceSteps};
    use super::*;

    const LIMITS: Limits = Limits { max_advance: 512, tick_ns: 100, max_gap_ticks: 50 };
    const DATA: u32 = 0;
    const BEACON: u32 = 1;
    const PROBE: u32 = 2;

    fn advanced(exchanges: &[(u32, i64)]) -> Vec<Option<(i64, i64)>> {
        let mut passed = SequenceSteps::new(LIMITS);
        let numbered = |&(kind, seq)| Numbered { number: Number::Sequence(seq), kind, mpdus: 1, start_ns: 0 };
        exchanges.iter().map(|exchange| passed.follow(Counter::Sender(0), numbered(exchange)).advanced).collect()
    }

    #[test]
    fn a_counter_that_was_left_is_not_missed() {
        let next = Some((1, 1));
        let found =
            advanced(&[(BEACON, 3385), (DATA, 3730), (BEACON, 3386), (DATA, 3731), (DATA, 3733), (BEACON, 3387)]);
        assert_eq!(found, [None, None, next, next, Some((2, 1)), next]);
        let found =
            advanced(&[(BEACON, 1325), (PROBE, 1214), (BEACON, 1326), (DATA, 1327), (PROBE, 1215), (PROBE, 1215)]);
        assert_eq!(found, [None, None, next, next, next, None]);
    }

    #[test]
    fn a_jump_counts_once_both_kinds_are_beyond() {
        let found = advanced(&[(BEACON, 100), (DATA, 300), (DATA, 301), (BEACON, 303), (DATA, 304)]);
        assert_eq!(found, [None, None, Some((1, 1)), Some((202, 2)), Some((1, 1))]);
        let of_one_kind = advanced(&[(DATA, 100), (DATA, 300)]);
        assert_eq!(of_one_kind[1], Some((200, 1)));
        let of_three = advanced(&[(BEACON, 100), (DATA, 300), (BEACON, 500), (DATA, 501)]);
        assert_eq!(of_three[2..], [Some((200, 1)), Some((201, 2))]);
    }

    #[test]
    fn what_comes_late_is_not_missed() {
        let found = advanced(&[(DATA, 30), (DATA, 20), (DATA, 25), (DATA, 31)]);
        assert_eq!(found, [None, None, None, Some((1, 1))]);
    }

    #[test]
    fn a_place_that_was_passed_long_ago_is_forgotten() {
        let mut exchanges = vec![(DATA, 10), (DATA, 2000)];
        exchanges.extend((2001..6000).map(|seq| (DATA, seq % NUMBERS)));
        assert!(advanced(&exchanges)[2..].iter().all(|&step| step == Some((1, 1))));
    }
}
