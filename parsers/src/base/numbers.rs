//! The one place where floating-point numbers become integers and shorter ones.

/// The integer part; the nearest `i64` of what is outside its range, 0 of NaN.
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and NaN is 0")]
pub(crate) const fn whole(value: f64) -> i64 {
    value as i64
}

/// The nearest `f32`.
#[expect(clippy::cast_possible_truncation, reason = "rounds")]
pub(crate) const fn single(value: f64) -> f32 {
    value as f32
}

/// A rate in Mb/s as tables hold it: 7.3 and 72.2222, not the 7.300000191 and 72.222221375 that are the nearest `f32`.
/// To the digits that an `f32` has: 0.1 kb/s, from 1 Gb/s on 1 kb/s.
pub(crate) fn megabits(rate_mbps: f32) -> f64 {
    let units = if rate_mbps < 1000.0 { 10_000.0 } else { 1000.0 };
    (f64::from(rate_mbps) * units).round() / units
}

/// An octet count as fields hold it; the largest of what is beyond it.
pub(crate) fn octets(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_the_nearest() {
        assert_eq!([whole(2.9), whole(-2.9), whole(1e300), whole(f64::NAN)], [2, -2, i64::MAX, 0]);
        assert_eq!(octets(usize::MAX), u32::MAX);
    }
}
