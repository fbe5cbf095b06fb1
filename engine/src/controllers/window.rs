//! The congestion window of TCP (RFC 5681), which the loss-based controllers share.

use crate::controller::{Ack, Congestion, FlowSetup, FlowView};

/// Least slow-start threshold, segments (RFC 5681, eq. 4).
const MIN_THRESHOLD_SEGMENTS: f64 = 2.0;

/// Congestion window and slow-start threshold, bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    segment: f64,
    bytes: f64,
    pub(super) threshold: f64,
}

impl Window {
    /// The initial window of a flow; no threshold yet.
    #[must_use]
    pub fn new(flow: &FlowSetup) -> Self {
        let segment = f64::from(flow.mss_bytes.max(1));
        Self { segment, bytes: segment * f64::from(flow.initial_window_segments.max(1)), threshold: f64::INFINITY }
    }

    /// The window, bytes.
    #[must_use]
    pub fn bytes(&self) -> f64 {
        self.bytes
    }

    /// The window, segments.
    #[must_use]
    pub fn segments(&self) -> f64 {
        self.bytes / self.segment
    }

    /// The slow-start threshold, bytes; `None` before the first loss.
    #[must_use]
    pub fn threshold_bytes(&self) -> Option<f64> {
        self.threshold.is_finite().then_some(self.threshold)
    }

    /// Whether this is slow start.
    #[must_use]
    pub fn in_slow_start(&self) -> bool {
        self.bytes < self.threshold
    }

    /// Sets the window, and lowers the threshold to it, so that slow start is over.
    pub fn settle(&mut self, segments: f64) {
        self.bytes = segments * self.segment;
        self.threshold = self.threshold.min(self.bytes);
    }

    /// Sets the threshold, bytes; the window goes down to it but not up.
    pub fn cap(&mut self, threshold: f64) {
        self.threshold = threshold.max(MIN_THRESHOLD_SEGMENTS * self.segment);
        self.bytes = self.bytes.min(self.threshold);
    }

    /// Slow start or congestion avoidance for an acknowledgement of new data outside recovery. A window that the
    /// flow does not fill does not grow.
    pub fn grow(&mut self, flow: &FlowView, ack: &Ack) {
        if !ack.advanced || ack.in_recovery {
            return;
        }
        let used = (flow.flight_bytes + ack.newly_acked_bytes) as f64;
        if self.in_slow_start() {
            if self.bytes < 2.0 * used + self.segment {
                self.bytes += self.segment;
            }
        } else if self.bytes < used + self.segment {
            self.bytes += (self.segment * self.segment / self.bytes).floor().max(1.0);
        }
    }

    /// [`Window::grow`] in slow start, by what is acknowledged in place of a segment per acknowledgement (RFC 3465).
    pub fn grow_by_bytes(&mut self, flow: &FlowView, ack: &Ack) {
        let used = (flow.flight_bytes + ack.newly_acked_bytes) as f64;
        if ack.advanced && !ack.in_recovery && self.bytes < 2.0 * used + self.segment {
            self.bytes += ack.newly_acked_bytes as f64;
        }
    }

    /// What RFC 5681, RFC 6582 and RFC 3168 do with the window when congestion shows, `threshold` bytes being what the
    /// controller wants to go on with.
    pub fn respond(&mut self, event: Congestion, threshold: f64) {
        let threshold = threshold.max(MIN_THRESHOLD_SEGMENTS * self.segment);
        match event {
            Congestion::FastRetransmit { .. } | Congestion::Echo { .. } => {
                self.threshold = threshold;
                self.bytes = threshold;
            }
            Congestion::Timeout { .. } => {
                self.threshold = threshold;
                self.bytes = self.segment;
            }
            Congestion::FullAck { flight_bytes } => {
                let in_flight = (flight_bytes as f64).max(self.segment);
                self.bytes = self.threshold.min(in_flight + self.segment);
            }
            Congestion::DuplicateAck | Congestion::PartialAck { .. } => {}
        }
    }
}

/// What was in flight when congestion showed, bytes; `None` for events that do not reduce the window.
#[must_use]
pub fn flight_at(event: Congestion) -> Option<u64> {
    match event {
        Congestion::FastRetransmit { flight_bytes }
        | Congestion::Timeout { flight_bytes }
        | Congestion::Echo { flight_bytes } => Some(flight_bytes),
        Congestion::DuplicateAck | Congestion::PartialAck { .. } | Congestion::FullAck { .. } => None,
    }
}
