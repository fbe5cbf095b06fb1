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
