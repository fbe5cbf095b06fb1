//! Units of time.

use super::numbers::whole;

/// Converts a duration in microseconds to nanoseconds, the unit of timestamps; saturates; NaN becomes 0.
pub(crate) fn ns(us: f64) -> i64 {
    whole((us * 1000.0).round())
}
