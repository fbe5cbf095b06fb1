//! Units of timestamps.

use std::fmt;

/// The unit of a timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resolution {
    /// 10 to the power of minus this, seconds.
    Decimal(u8),
    /// 2 to the power of minus this, seconds.
    Binary(u8),
}

impl Resolution {
    /// Converts a number of units to nanoseconds.
    pub fn ns(self, ticks: u64) -> i128 {
        let ticks = i128::from(ticks);
        match self {
            Resolution::Decimal(exponent @ 0..=9) => ticks * 10i128.pow(9 - u32::from(exponent)),
            Resolution::Decimal(exponent) => {
                10i128.checked_pow(u32::from(exponent) - 9).map_or(0, |divisor| ticks / divisor)
            }
            // 64 bits times the 30 bits of 10^9 fit.
            Resolution::Binary(exponent) => (ticks * 1_000_000_000).checked_shr(u32::from(exponent)).unwrap_or(0),
        }
    }
}

impl fmt::Display for Resolution {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Resolution::Decimal(6) => write!(formatter, "microseconds"),
            Resolution::Decimal(9) => write!(formatter, "nanoseconds"),
            Resolution::Decimal(exponent) => write!(formatter, "10^-{exponent} s"),
            Resolution::Binary(exponent) => write!(formatter, "2^-{exponent} s"),
        }
    }
}
