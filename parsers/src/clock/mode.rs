//! The value that most measurements agree on.

/// Half the width within which measurements agree, microseconds: two stamps in whole microseconds and their jitter.
const AGREEMENT_US: f64 = 3.0;

/// Where most values agree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mode {
    /// Median of the values that agree.
    pub(super) value: f64,
    /// Their number.
    pub(super) count: usize,
}

/// The densest window of the values; `None` without values. NaN are left out.
///
/// Outliers of any number and size do not move it, as long as more values agree on one number than on any other.
pub(super) fn mode(values: impl Iterator<Item = f64>) -> Option<Mode> {
    let mut sorted: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let mut best: Option<(usize, usize)> = None;
    let mut end = 0;
    for (begin, least) in sorted.iter().enumerate() {
        while sorted.get(end).is_some_and(|value| value - least <= 2.0 * AGREEMENT_US) {
            end += 1;
        }
        if best.is_none_or(|(from, to)| end - begin > to - from) {
            best = Some((begin, end));
        }
    }
    let (from, to) = best?;
    let value = *sorted.get(from + (to - from) / 2)?;
    Some(Mode { value, count: to - from })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_do_not_move_it() {
        let values = [150.0, 156.0, 157.0, 157.0, 158.0, 900.0, -40.0, f64::NAN, 31.0, 77.0];
        assert_eq!(mode(values.into_iter()), Some(Mode { value: 157.0, count: 4 }));
        assert_eq!(mode([f64::NAN].into_iter()), None);
    }
}
