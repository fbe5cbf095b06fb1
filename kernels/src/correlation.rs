//! Normalized cross-correlation of a log with a recording, for many lags.

/// A log's intervals and a recording's bins, both counted in bins.
pub struct Correlation {
    /// Start, end and value of each interval of the log, relative to the start of the log.
    intervals: Vec<(i64, i64, f64)>,
    /// Length of the log.
    length: i64,
    /// Cumulative volume of the recording before each bin edge.
    sums: Vec<f64>,
    /// Cumulative squares of the recording, smoothed over an interval, before each bin edge.
    squares: Vec<f64>,
}

impl Correlation {
    /// `starts`, `ends` and `values` have an entry per interval; `sums` and `squares` one per bin edge.
    ///
    /// None if the lengths do not match, or there is no bin edge.
    #[must_use]
    pub fn new(starts: &[i64], ends: &[i64], values: &[f64], sums: Vec<f64>, squares: Vec<f64>) -> Option<Self> {
        let matches = starts.len() == ends.len() && ends.len() == values.len() && sums.len() == squares.len();
        let length = *ends.last().unwrap_or(&0);
        let intervals =
            starts.iter().zip(ends).zip(values).map(|((&start, &end), &value)| (start, end, value)).collect();
        (matches && !sums.is_empty()).then_some(Self { intervals, length, sums, squares })
    }

    /// sum(xy) / sqrt(sum(x^2) sum(y^2)) if the log starts in the bin `start`; x is the recording and y the log.
    ///
    /// Inside the log, x is the mean over each interval; outside it the log is 0.
    #[must_use]
    pub fn at(&self, start: i64) -> f64 {
        let Self { intervals, length, sums, squares } = self;
        let last = sums.len() - 1;
        let edge = |at: i64| usize::try_from(at.saturating_add(start)).unwrap_or(0).min(last);
        let (mut product, mut own, mut carried_squares) = (0.0, 0.0, 0.0);
        for &(begin, end, value) in intervals {
            let (begin, end) = (edge(begin), edge(end));
            if end > begin {
                let bins = (end - begin) as f64;
                let carried = sums[end] - sums[begin];
                product += value * carried;
                own += value * value * bins;
                carried_squares += carried * carried / bins;
            }
        }
        let outside = squares[edge(0)] + squares[last] - squares[edge(*length)];
        let power = (carried_squares + outside) * own;
        if power > 0.0 {
            (product / power.sqrt()).min(1.0)
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cumulative(values: &[f64]) -> Vec<f64> {
        let mut sum = 0.0;
        std::iter::once(0.0)
            .chain(values.iter().map(|value| {
                sum += value;
                sum
            }))
            .collect()
    }

    #[test]
    fn highest_where_the_log_lies_on_its_own_traffic() {
        let bins: [f64; 8] = [0.0, 0.0, 0.0, 4.0, 2.0, 0.0, 0.0, 0.0];
        let squares = cumulative(&bins.map(|bin| bin * bin));
        let log = Correlation::new(&[0, 1], &[1, 2], &[2.0, 1.0], cumulative(&bins), squares).unwrap();
        let heights: Vec<f64> = (-10..10).map(|start| log.at(start)).collect();
        assert_eq!(heights.iter().position(|&height| height > 0.999), Some(13));
        // One bin late: sum(xy) = 2 * 2, sum(x^2) = 2^2 + 0 and 4^2 outside, sum(y^2) = 2^2 + 1^2.
        assert!((log.at(4) - 4.0 / (20.0_f64 * 5.0).sqrt()).abs() < 1e-12);
        assert_eq!(log.at(i64::MIN), 0.0);
        assert_eq!(log.at(i64::MAX), 0.0);
    }

    #[test]
    fn what_does_not_match_is_refused() {
        assert!(Correlation::new(&[0], &[1], &[], vec![0.0], vec![0.0]).is_none());
        assert!(Correlation::new(&[0], &[1], &[1.0], vec![], vec![]).is_none());
    }
}
