//! Airtime of data, derived from the Duration field of the frames that protected it.

use super::OpenExchange;
use crate::exchanges::span::sifs_us;
use crate::frame::Frame;
use crate::ieee80211::airtime;
use crate::ieee80211::constants::CTS_BYTES;

/// A Duration field is rounded up by up to a microsecond per frame it covers. Stamps are inexact as well.
const NAV_TOLERANCE_NS: i64 = 30_000;

impl OpenExchange {
    /// Airtime of data that was not received or whose airtime is unknown, from the Duration field of the frame
    /// that protected it. The Duration field of the CTS covers SIFS, data, SIFS and response. That of the RTS
    /// also covers a SIFS and the CTS (9.2.5). `None` if the covered time does not end with the response,
    /// because then it protected another frame.
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
