//! The source: sends at the rate its packets were granted.

use crate::controller::{Ack, Endpoint, FlowSetup, FlowView};
use crate::packet::{Header, Packet, WcpHeader};
use crate::units::Nanos;

/// The granted rate of one flow.
#[derive(Clone, Debug)]
pub struct WcpCapSource {
    segment_bytes: f64,
    rate_packets_per_s: f64,
}

impl WcpCapSource {
    /// A flow that has sent nothing yet.
    #[must_use]
    pub fn new(initial_packets_per_s: f64, flow: &FlowSetup) -> Self {
        let segment_bytes = f64::from(flow.mss_bytes + flow.header_bytes);
        Self { segment_bytes, rate_packets_per_s: initial_packets_per_s }
    }
}

impl Endpoint for WcpCapSource {
    fn on_send(&mut self, _now: Nanos, flow: &FlowView, packet: &mut Packet) {
        packet.header = Header::Wcp(WcpHeader {
            rtt_average_s: flow.smoothed_rtt_s.unwrap_or(0.0),
            rtt_last_s: flow.last_rtt_s.unwrap_or(0.0),
            rate_packets_per_s: f64::INFINITY,
            ..WcpHeader::default()
        });
    }

    fn on_ack(&mut self, _now: Nanos, _flow: &FlowView, ack: &Ack) {
        if let Header::Wcp(WcpHeader { rate_packets_per_s, .. }) = ack.header {
            if rate_packets_per_s.is_finite() && rate_packets_per_s > 0.0 {
                self.rate_packets_per_s = rate_packets_per_s;
            }
        }
    }

    fn window_bytes(&self) -> f64 {
        f64::INFINITY
    }

    fn pacing_bytes_per_s(&self) -> Option<f64> {
        Some(self.rate_packets_per_s * self.segment_bytes)
    }
}
