//! The share of the last second for which a medium was busy.

use std::collections::VecDeque;

use crate::units::{Nanos, SECOND};

/// Width of the sliding window.
const WINDOW: Nanos = SECOND;
/// Intervals kept before those outside the window are dropped without a query.
const MAX_UNASKED: usize = 4096;

/// The union of the intervals in which a node found its medium busy, over a sliding second.
///
/// The wait before an exchange, DIFS and backoff, counts as part of the exchange, in the busy time as in the
/// capacity; otherwise the idle rest would be more than a link can carry.
#[derive(Clone, Debug, Default)]
pub(crate) struct BusyMeter {
    past: VecDeque<(Nanos, Nanos)>,
    past_total: Nanos,
    since: Option<Nanos>,
}

impl BusyMeter {
    /// The medium is busy from `start` on, which may lie in the past, but not before the end of the last interval.
    pub(crate) fn begin(&mut self, start: Nanos) {
        self.since.get_or_insert(start);
    }

    /// The medium is idle from now on.
    pub(crate) fn end(&mut self, now: Nanos) {
        let Some(start) = self.since.take() else { return };
        self.past_total += now - start;
        match self.past.back_mut() {
            Some((_, end)) if *end == start => *end = now,
            _ => self.past.push_back((start, now)),
        }
        if self.past.len().is_multiple_of(MAX_UNASKED) {
            self.forget(now);
        }
    }

    /// Share of the window, or of the time since the start of the run, that was busy.
    pub(crate) fn share(&mut self, now: Nanos) -> f64 {
        self.forget(now);
        let begin = now.saturating_sub(WINDOW);
        let current = self.since.map_or(0, |since| now - since.max(begin).min(now));
        let window = WINDOW.min(now).max(1);
        ((self.past_total + current) as f64 / window as f64).min(1.0)
    }

    /// Drops intervals that have left the window.
    fn forget(&mut self, now: Nanos) {
        let begin = now.saturating_sub(WINDOW);
        while let Some((start, end)) = self.past.front_mut() {
            if *start >= begin {
                break;
            }
            let gone = begin.min(*end) - *start;
            self.past_total -= gone;
            *start += gone;
            if *start == *end {
                self.past.pop_front();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::MILLISECOND;

    #[test]
    fn the_window_slides() {
        let mut meter = BusyMeter::default();
        meter.begin(0);
        meter.end(500 * MILLISECOND);
        assert_eq!(meter.share(SECOND), 0.5);
        assert_eq!(meter.share(SECOND + 200 * MILLISECOND), 0.3);
        meter.begin(SECOND + 200 * MILLISECOND);
        assert_eq!(meter.share(2 * SECOND), 0.8);
        assert_eq!(meter.share(4 * SECOND), 1.0);
    }
}
