//! How long an exchange of a link takes, and its parts.

use crate::controller::MacSetup;

/// Durations of a link's exchange, seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    /// Successful exchange with its DIFS.
    pub(super) success: f64,
    /// Failed attempt with its timeout and DIFS.
    pub(super) failure: f64,
    /// The first frame: RTS, or data.
    pub(super) first: f64,
    /// What the receiver's side lets others hear: CTS to ACK, or the ACK; with DIFS.
    pub(super) tail: f64,
}

impl Times {
    /// Of packets of so many bytes.
    pub(super) fn new(mac: &MacSetup, packet_bytes: f64) -> Self {
        let data = mac.data_overhead_s + 8.0 * packet_bytes / mac.data_rate_bps;
        if packet_bytes >= f64::from(mac.rts_threshold_bytes) {
            let tail = mac.cts_s + mac.sifs_s + data + mac.sifs_s + mac.ack_s + mac.difs_s;
            Self {
                success: mac.rts_s + mac.sifs_s + tail,
                failure: mac.rts_s + mac.sifs_s + mac.cts_s + mac.slot_s + mac.difs_s,
                first: mac.rts_s,
                tail,
            }
        } else {
            let success = data + mac.sifs_s + mac.ack_s + mac.difs_s;
            Self { success, failure: success + mac.slot_s, first: data, tail: mac.ack_s + mac.difs_s }
        }
    }
}
