//! Units of time.

/// Converts a duration in microseconds to nanoseconds, the unit of timestamps; saturates; NaN becomes 0.
pub(crate) fn ns(us: f64) -> i64 {
    (us * 1000.0).round() as i64
}
