//! Units of time.

/// A duration in microseconds as nanoseconds, the unit of time stamps; saturates, and takes NaN to 0.
pub(crate) fn ns(us: f64) -> i64 {
    (us * 1000.0).round() as i64
}
