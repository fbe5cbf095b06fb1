//! The airtime of data by the Duration field of the frames that protected it.

use super::OpenExchange;
use crate::exchanges::span::sifs_us;
use crate::frame::Frame;
use crate::ieee80211::airtime;
use crate::ieee80211::constants::CTS_BYTES;

/// A Duration field is rounded up to a microsecond per frame it covers; stamps are not exact either.
const NAV_TOLERANCE_NS: i64 = 30_000;

impl OpenExchange {
    /// Airtime of data that was not heard, or whose own is unknown, from the Duration field of what
    /// protected it: the CTS's covers SIFS, data, SIFS and answer, the RTS's a SIFS and the CTS besides
    /// (9.2.5). `None` where the field does not end with the answer: it protected something else.
    pub(super) fn protected_data_us(&self, answer: &Frame) -> Option<f64> {
        let answer_us = answer.airtime_us?;
        let (nav_us, from_ns, clearing_us) = match (self.row.nav_cts_us, self.row.nav_rts_us) {
            (Some(nav), _) => (nav, self.row.cts_ns, 0.0),
            (None, Some(nav)) => (nav, self.row.rts_ns, sifs_us(answer) + airtime::ppdu_us(answer, CTS_BYTES)?),
            (None, None) => return None,
        };
        if let (Some(from), Some(answered)) = (from_ns, self.row.ack_ns) {
            let protected_until = from.saturating_add(i64::from(nav_us) * 1000);
            if protected_until.abs_diff(answered) > NAV_TOLERANCE_NS.unsigned_abs() {
                return None;
            }
        }
        let data_us = f64::from(nav_us) - clearing_us - 2.0 * sifs_us(answer) - answer_us;
        (data_us > 0.0).then_some(data_us)
    }
}
