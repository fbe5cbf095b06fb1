//! What a flow delivered in whole seconds, whatever the width of the bins.

use crate::units::{Nanos, SECOND};

/// Sums over the whole seconds of the run that lie between two instants, kept as whole numbers so that no order of
/// additions matters.
#[derive(Clone, Copy, Debug)]
pub(super) struct WholeSeconds {
    /// The first second that counts, and the one behind the last.
    counted: (u64, u64),
    /// The second that is being filled, and the bytes in it.
    second: u64,
    bytes: u64,
    /// Of the seconds before it that count: bytes, and bytes squared.
    sum: u128,
    squares: u128,
}

impl WholeSeconds {
    /// Between `start` and `stop`.
    pub(super) fn new(start: Nanos, stop: Nanos) -> Self {
        let counted = (start.div_ceil(SECOND), stop / SECOND);
        Self { counted, second: 0, bytes: 0, sum: 0, squares: 0 }
    }

    /// So many bytes were delivered now.
    pub(super) fn add(&mut self, now: Nanos, bytes: u64) {
        let second = now / SECOND;
        if second != self.second {
            (self.sum, self.squares) = self.with_current();
            (self.second, self.bytes) = (second, 0);
        }
        self.bytes += bytes;
    }

    /// Standard deviation over mean up to `end`, behind which nothing was delivered that counts; `None`: there are fewer
    /// than two whole seconds, or nothing was delivered in them.
    pub(super) fn normalised_deviation(&self, end: Nanos) -> Option<f64> {
        let ended = Self { counted: (self.counted.0, self.counted.1.min(end / SECOND)), ..*self };
        let seconds = u128::from(ended.counted.1.checked_sub(ended.counted.0)?);
        let (sum, squares) = ended.with_current();
        if seconds < 2 || sum == 0 {
            return None;
        }
        // n² times the variance; at 1 Tbit/s for a week well below 2^128.
        let spread = (seconds * squares).saturating_sub(sum * sum);
        Some((spread as f64).sqrt() / sum as f64)
    }

    /// The sums with the second that is being filled, if it counts.
    fn with_current(&self) -> (u128, u128) {
        let counts = (self.counted.0..self.counted.1).contains(&self.second);
        let bytes = if counts { u128::from(self.bytes) } else { 0 };
        (self.sum + bytes, self.squares + bytes * bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TENTH: Nanos = SECOND / 10;

    /// `bytes` of each tenth of a second, delivered in its middle.
    fn delivered(start: Nanos, stop: Nanos, bytes: impl Fn(u64) -> u64) -> WholeSeconds {
        let mut seconds = WholeSeconds::new(start, stop);
        (0..40).for_each(|tenth| seconds.add(tenth * TENTH + TENTH / 2, bytes(tenth)));
        seconds
    }

    #[test]
    fn a_throughput_that_alternates_between_1_and_3_deviates_by_half_its_mean() {
        let seconds = delivered(0, 4 * SECOND, |tenth| if tenth % 20 < 10 { 100 } else { 300 });
        assert_eq!(seconds.normalised_deviation(4 * SECOND), Some(0.5));
    }

    /// Four seconds that hold 0, 6, 0 and 2: mean 2, standard deviation sqrt(24 / 4).
    #[test]
    fn seconds_without_a_delivery_count() {
        let mut seconds = WholeSeconds::new(0, 4 * SECOND);
        seconds.add(SECOND, 6);
        seconds.add(4 * SECOND - 1, 2);
        assert_eq!(seconds.normalised_deviation(4 * SECOND), Some(6_f64.sqrt() / 2.0));
    }

    #[test]
    fn seconds_that_are_not_whole_do_not_count() {
        let bytes = |tenth| if (10..30).contains(&tenth) { 100 } else { 9000 };
        let seconds = delivered(TENTH, 4 * SECOND - 1, bytes);
        assert_eq!(seconds.normalised_deviation(4 * SECOND - 1), Some(0.0));
        assert_eq!(seconds.normalised_deviation(3 * SECOND - 1), None, "one second is none to compare with");
        assert_eq!(delivered(2 * SECOND, SECOND, bytes).normalised_deviation(SECOND), None);
        assert_eq!(delivered(0, 4 * SECOND, |_| 0).normalised_deviation(4 * SECOND), None);
    }
}
