//! How long an exchange of a link takes, and its parts.

use crate::controller::{LinkAirtimes, MacSetup};

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
    pub(super) fn new(mac: &MacSetup, air: &LinkAirtimes, packet_bytes: f64) -> Self {
        let data = air.data_overhead_s + 8.0 * packet_bytes / air.data_rate_bps;
        if packet_bytes >= f64::from(mac.rts_threshold_bytes) {
            let tail = air.cts_s + mac.sifs_s + data + mac.sifs_s + air.ack_s + mac.difs_s;
            Self {
                success: air.rts_s + mac.sifs_s + tail,
                failure: air.rts_s + mac.sifs_s + air.cts_s + mac.slot_s + mac.difs_s,
                first: air.rts_s,
                tail,
            }
        } else {
            let success = data + mac.sifs_s + air.ack_s + mac.difs_s;
            Self { success, failure: success + mac.slot_s, first: data, tail: air.ack_s + mac.difs_s }
        }
    }
}
