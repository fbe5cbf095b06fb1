//! How far the stamps of a source are off where they do not tell the gap between frames.

use crate::base::numbers::whole;

/// Maximum number of gaps kept.
const MAX_GAPS: usize = 1 << 12;
/// Fewer pairs say nothing.
const MIN_GAPS: usize = 8;
/// Share of the gaps on either side that is left out: answers to frames that were not recorded.
const OUTLIERS: f64 = 0.05;
/// An answer that seems to come later than this answers another frame.
const MAX_GAP_US: f64 = 50_000.0;

/// What is known of the distance between two stamps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum StampPrecision {
    /// The gaps between frames agree with the standard.
    Exact,
    /// They do not; they scatter by this many microseconds.
    Within(f64),
    /// There were no answers to measure.
    Unknown,
    /// The stamps are not those of single frames.
    NoTimes,
}

/// Gaps between frames and their answers, each measured from the stamps alone.
#[derive(Clone, Debug, Default)]
pub(super) struct Precision {
    /// If stamps mark the start of a frame, and if they mark its end.
    gaps_us: [Vec<f64>; 2],
}

impl Precision {
    /// Counts a frame and its answer, `apart_us` between their stamps beyond SIFS.
    pub(super) fn add(&mut self, apart_us: f64, first_airtime_us: f64, second_airtime_us: f64) {
        for (gaps, airtime) in self.gaps_us.iter_mut().zip([first_airtime_us, second_airtime_us]) {
            let gap = apart_us - airtime;
            if gaps.len() < MAX_GAPS && gap.abs() <= MAX_GAP_US {
                gaps.push(gap);
            }
        }
    }

    /// Bound on the error of the distance of two stamps, microseconds; `None` without enough answers.
    ///
    /// True gaps beyond SIFS are zero. Whichever end of a frame is stamped, the measured ones scatter by the error.
    pub(super) fn error_us(&self) -> Option<f64> {
        self.gaps_us.iter().filter_map(|gaps| width_us(gaps)).min_by(f64::total_cmp)
    }
}

fn width_us(gaps: &[f64]) -> Option<f64> {
    if gaps.len() < MIN_GAPS {
        return None;
    }
    let mut sorted = gaps.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let left_out = usize::try_from(whole(OUTLIERS * sorted.len() as f64)).ok()?;
    let (least, most) = (sorted.get(left_out)?, sorted.iter().rev().nth(left_out)?);
    Some(most - least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_the_width_of_the_scatter() {
        let mut precision = Precision::default();
        for number in 0..100 {
            precision.add(1000.0 + 3.0 * f64::from(number), 1000.0, 40.0);
        }
        let error = precision.error_us().unwrap();
        assert!((260.0..=300.0).contains(&error), "{error}");
        assert_eq!(Precision::default().error_us(), None);
    }
}
