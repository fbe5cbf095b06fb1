//! A sender's state, for the record and for its endpoint.

use crate::controller::{FlowView, PathEstimate};
use crate::cross_layer::CrossLayer;
use crate::units::Nanos;

use super::Sender;

/// A sender at one instant, for the record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SenderStats {
    /// The endpoint's window, bytes; infinite where it only paces.
    pub window_bytes: f64,
    /// The endpoint's pace, bytes/s.
    pub pacing_bytes_per_s: Option<f64>,
    /// The endpoint's slow-start threshold, bytes.
    pub slow_start_threshold_bytes: Option<f64>,
    /// What the hops of the path measured.
    pub path: Option<PathEstimate>,
    /// Smoothed round-trip time, seconds.
    pub smoothed_rtt_s: Option<f64>,
    /// Last round-trip time, seconds.
    pub last_rtt_s: Option<f64>,
    /// Least round-trip time, that of the SYN left out, seconds.
    pub least_rtt_s: Option<f64>,
    /// Retransmission timeout, nanoseconds.
    pub retransmission_timeout: Nanos,
    /// Payload bytes in flight.
    pub flight_bytes: u64,
    /// Payload bytes acknowledged cumulatively; of datagrams, sent.
    pub acknowledged_bytes: u64,
    /// Packets sent, retransmissions included.
    pub packets_sent: u64,
    /// Packets sent again.
    pub retransmissions: u64,
    /// Times fast recovery began.
    pub fast_retransmits: u64,
    /// Times the retransmission timer fired.
    pub timeouts: u64,
    /// When the last byte of a finite flow was acknowledged, or of datagrams sent.
    pub completed_at: Option<Nanos>,
}

impl Sender {
    /// Whether nothing can ever make it send: there is something to send, but it waits neither for a time nor for a pace,
    /// and no acknowledgement or timer of the endpoint will change that.
    #[must_use]
    pub fn never_sends(&self) -> bool {
        let paced = self.endpoint.pacing_bytes_per_s().is_some_and(f64::is_finite);
        let driven = self.acknowledged || self.application.is_timed() || paced || self.endpoint.next_timer().is_some();
        !driven && !self.application.is_complete(0)
    }

    /// A snapshot of the sender.
    #[must_use]
    pub fn stats(&self) -> SenderStats {
        SenderStats {
            window_bytes: self.open_window_bytes(),
            pacing_bytes_per_s: self.endpoint.pacing_bytes_per_s(),
            slow_start_threshold_bytes: self.endpoint.slow_start_threshold_bytes(),
            path: self.endpoint.path(),
            smoothed_rtt_s: self.round_trip.smoothed_s(),
            last_rtt_s: self.round_trip.last_s(),
            least_rtt_s: self.round_trip.least_s(),
            retransmission_timeout: self.round_trip.timeout(),
            flight_bytes: self.flight_bytes(),
            acknowledged_bytes: self.application.bytes_below(self.scoreboard.unacknowledged()),
            packets_sent: self.counts.sent,
            retransmissions: self.counts.retransmissions,
            fast_retransmits: self.counts.fast_retransmits,
            timeouts: self.counts.timeouts,
            completed_at: self.completed_at,
        }
    }

    /// The endpoint's window; one segment, for the SYN, until the connection is open.
    fn open_window_bytes(&self) -> f64 {
        let window = self.endpoint.window_bytes();
        match self.handshake.is_done() {
            true => window,
            false => window.min(f64::from(self.application.payload_bytes())),
        }
    }

    pub(super) fn flight_bytes(&self) -> u64 {
        self.scoreboard.in_flight() * u64::from(self.application.payload_bytes())
    }

    pub(super) fn view(&self, first_hop: &CrossLayer) -> FlowView {
        FlowView {
            mss_bytes: self.application.payload_bytes(),
            header_bytes: self.header_bytes,
            flight_bytes: self.flight_bytes(),
            smoothed_rtt_s: self.round_trip.smoothed_s(),
            last_rtt_s: self.round_trip.last_s(),
            least_rtt_s: self.round_trip.least_s(),
            retransmission_timeout: self.round_trip.timeout(),
            next_segment: self.scoreboard.next(),
            first_hop: *first_hop,
        }
    }
}
