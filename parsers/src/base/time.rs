//! Units of time.

use super::numbers::whole;

/// The earliest time of a record that is accepted, nanoseconds since the epoch: in 1896.
const EARLIEST_NS: i64 = -(1 << 61);
/// The latest: in 2116, later than pcap's 32 bits of seconds reach. The difference of any two fits in 64 bits.
pub(crate) const LATEST_NS: i64 = 1 << 62;

/// The time of a record, if it is one that a recording may have; other ones are damage.
pub(crate) fn accepted(ns: i128) -> Option<i64> {
    i64::try_from(ns).ok().filter(|ns| (EARLIEST_NS..=LATEST_NS).contains(ns))
}

/// The accepted time that is nearest.
pub(crate) fn nearest_accepted(ns: i64) -> i64 {
    ns.clamp(EARLIEST_NS, LATEST_NS)
}

/// Converts a duration in microseconds to nanoseconds, the unit of timestamps; saturates; NaN becomes 0.
pub(crate) fn ns(us: f64) -> i64 {
    whole((us * 1000.0).round())
}
