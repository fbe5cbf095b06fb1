//! Exchanges of different senders that overlap in time, in one pass and bounded memory.

use std::collections::HashMap;

use crate::names::NOBODY;

/// Starts closer than this are ordinary collisions: a slot (20 us at most, 17.3.3) plus rounding of time stamps.
const SAME_SLOT_NS: i64 = 25_000;

/// How long an exchange of an earlier batch can still overlap: a Duration field reserves 32.8 ms at most (9.2.5).
pub const CARRIED_NS: i64 = 50_000_000;

/// Exchanges in progress at a time: as many as the exchange builder keeps open. Ends the search on damaged times.
const MAX_AT_ONCE: usize = 40;

/// Exchanges collected before they are compared; few enough to stay in the cache.
const BATCH: usize = 4096;

/// Steps per exchange that bring them from the order of their ends into that of their starts; more is disorder.
const MAX_STEPS: usize = 8;

/// An exchange with known start and end.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// The recording.
    pub source: u32,
    /// The sender.
    pub sender: u32,
    /// The receiver; [`NOBODY`]: unknown.
    pub receiver: u32,
    /// Start of its first frame, heard or not.
    pub start_ns: i64,
    /// End of its last.
    pub end_ns: i64,
    /// When the sender was sending its first frame.
    pub sending_ns: Option<(i64, i64)>,
    /// Its start is a stamp, not inferred.
    pub start_is_heard: bool,
    /// It was addressed to one station.
    pub is_attempt: bool,
    /// There was no response.
    pub failed: bool,
}

/// Overlaps of a sender with another, in a recording.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Overlapped {
    /// Times that the other began while the sender was sending.
    pub late_starts: i64,
    /// Overlaps of an attempt of the sender and an exchange of the other.
    pub overlapped: i64,
    /// Of them, those without response.
    pub overlapped_failed: i64,
    /// Total duration of the overlaps.
    pub overlap_ns: i64,
}

/// Overlaps so far, by the numbers of source, sender and other.
pub type Found = HashMap<[u32; 3], Overlapped>;

/// Overlaps so far, and the exchanges that may still overlap.
#[derive(Default)]
pub struct Overlaps {
    found: Found,
    /// With whether they are new: the others have been compared with one another.
    open: Vec<(Exchange, bool)>,
    carried: usize,
}

impl Overlaps {
    /// Takes the next exchange; they come nearly in the order of their ends within each source.
    pub fn push(&mut self, exchange: Exchange) {
        if self.open.len() >= BATCH.max(2 * self.carried) {
            self.settle();
        }
        self.open.push((exchange, true));
    }

    /// Overlaps of all settled exchanges.
    pub fn found(&self) -> &Found {
        &self.found
    }

    /// Compares the collected exchanges, and drops those that began long before the latest of their source.
    pub fn settle(&mut self) {
        let rows = &mut self.open;
        arrange(rows, |(exchange, _)| (exchange.source, exchange.start_ns));
        for (row, (first, is_new)) in rows.iter().enumerate() {
            for (second, other_is_new) in rows[row + 1..].iter().take(MAX_AT_ONCE) {
                if second.source != first.source || second.start_ns >= first.end_ns {
                    break;
                }
                if (*is_new || *other_is_new) && first.sender != second.sender {
                    add_pair(&mut self.found, first, second);
                }
            }
        }
        let mut late = Vec::new();
        for run in rows.chunk_by(|(one, _), (other, _)| one.source == other.source) {
            let since_ns = run[run.len() - 1].0.start_ns.wrapping_sub(CARRIED_NS);
            let carried = run.iter().filter(|(exchange, _)| exchange.start_ns >= since_ns);
            late.extend(carried.map(|&(exchange, _)| (exchange, false)));
        }
        self.carried = late.len();
        rows.clear();
        rows.append(&mut late);
    }
}

/// Adds an exchange and one of another sender that began before its end.
fn add_pair(found: &mut Found, first: &Exchange, second: &Exchange) {
    let is_talk = |one: &Exchange, other: &Exchange| one.receiver != NOBODY && one.receiver == other.sender;
    let apart = second.start_ns.wrapping_sub(first.start_ns) > SAME_SLOT_NS;
    if !apart || is_talk(first, second) || is_talk(second, first) {
        return;
    }
    let is_inside = |(from_ns, until_ns): (i64, i64)| {
        second.start_ns > from_ns.wrapping_add(SAME_SLOT_NS) && second.start_ns < until_ns
    };
    if second.start_is_heard && first.sending_ns.is_some_and(is_inside) {
        found.entry([first.source, first.sender, second.sender]).or_default().late_starts += 1;
    }
    let overlap_ns = first.end_ns.min(second.end_ns).wrapping_sub(second.start_ns);
    for (own, other) in [(first, second), (second, first)] {
        if own.is_attempt {
            let sums = found.entry([own.source, own.sender, other.sender]).or_default();
            sums.overlapped += 1;
            sums.overlapped_failed += i64::from(own.failed);
            sums.overlap_ns = sums.overlap_ns.wrapping_add(overlap_ns);
        }
    }
}

/// A stable insertion sort for nearly sorted rows.
fn arrange<T: Copy, K: Ord>(rows: &mut [T], key: impl Fn(&T) -> K) {
    let mut steps = MAX_STEPS * rows.len();
    for position in 1..rows.len() {
        let row = rows[position];
        let ahead = rows[..position].iter().rev().take_while(|before| key(before) > key(&row)).take(steps).count();
        rows.copy_within(position - ahead..position, position - ahead + 1);
        rows[position - ahead] = row;
        steps -= ahead;
        if steps == 0 {
            return rows.sort_by_key(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted() {
        let nearly: Vec<i64> = (0..1000).map(|n| n ^ 3).collect();
        let disorder: Vec<i64> = (0..1000).map(|n| n * 7919 % 1009).collect();
        for mut rows in [nearly, disorder, vec![], vec![1]] {
            let mut sorted = rows.clone();
            sorted.sort_unstable();
            arrange(&mut rows, |&row| row);
            assert_eq!(rows, sorted);
        }
    }
}
