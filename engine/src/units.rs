//! Time, and the conversions that need care.

/// An instant or a span, nanoseconds. Instants count from the start of the replay.
pub type Nanos = u64;

/// One microsecond.
pub const MICROSECOND: Nanos = 1_000;
/// One millisecond.
pub const MILLISECOND: Nanos = 1_000_000;
/// One second.
pub const SECOND: Nanos = 1_000_000_000;

/// Seconds as a number that equations take.
#[must_use]
pub fn seconds(span: Nanos) -> f64 {
    span as f64 / 1e9
}

/// Nanoseconds of a span in seconds, rounded to the nearest; 0 for what is negative or no number, and no more than a
/// hundred years.
#[must_use]
pub fn nanos(seconds: f64) -> Nanos {
    const CENTURY: f64 = 3.2e18;
    (seconds * 1e9).clamp(0.0, CENTURY).round() as Nanos
}

/// How long `bytes` take at `bits_per_s`, rounded up so that no link is faster than its rate; `None` for a rate that
/// is not positive.
#[must_use]
pub fn serialization(bytes: u32, bits_per_s: u64) -> Option<Nanos> {
    (bits_per_s > 0).then(|| seconds_over(u64::from(bytes) * 8, u128::from(bits_per_s)))
}

/// Nanoseconds of `dividend / divisor` seconds, rounded up; what fits into 64 bits, and nearly all does, is divided there.
#[must_use]
pub(crate) fn seconds_over(dividend: u64, divisor: u128) -> Nanos {
    match (dividend.checked_mul(SECOND), Nanos::try_from(divisor)) {
        (Some(dividend), Ok(divisor)) => dividend.div_ceil(divisor),
        _ => (u128::from(dividend) * u128::from(SECOND)).div_ceil(divisor) as Nanos,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_in_seconds_survives_the_way_back() {
        assert_eq!(nanos(seconds(1_234_567_891)), 1_234_567_891);
        assert_eq!(nanos(-1.0), 0);
        assert_eq!(nanos(f64::NAN), 0);
    }

    #[test]
    fn serialization_rounds_up() {
        assert_eq!(serialization(1500, 11_000_000), Some(1_090_910));
        assert_eq!(serialization(1500, 0), None);
        assert_eq!(serialization(u32::MAX, 1_000_000_000_000), Some(34_359_739));
    }
}
