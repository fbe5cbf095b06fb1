//! XCP at both ends: a window that follows the feedback, and a receiver that sums it up.

use serde::{Deserialize, Serialize};

use super::super::settings::not_negative;
use crate::controller::{Ack, Congestion, Endpoint, FlowSetup, FlowView, Receiver};
use crate::cross_layer::CrossLayer;
use crate::packet::{Header, Packet, XcpHeader};
use crate::units::Nanos;

/// Constants of a source.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HostConfig {
    /// Throughput the application wants, bytes/s; none: all there is.
    pub desired_bytes_per_s: Option<f64>,
    /// Whether losses halve the window and timeouts bring it down to one segment, as TCP does (S004 sec. 5.3 tries
    /// both).
    pub react_to_losses: bool,
    /// Whether the feedback of duplicate acknowledgements counts; ns-2's sources leave it out.
    pub feedback_of_duplicates: bool,
}

impl Default for HostConfig {
    fn default() -> Self {
        Self { desired_bytes_per_s: None, react_to_losses: true, feedback_of_duplicates: true }
    }
}

impl HostConfig {
    /// Whether the constants make sense.
    ///
    /// # Errors
    ///
    /// Names the first that does not.
    pub fn check(&self) -> Result<(), String> {
        not_negative(&[("desired_bytes_per_s", self.desired_bytes_per_s.unwrap_or(0.0))])
    }
}

/// What a source knows when it fills in a header.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sending<'a> {
    /// Now.
    pub now: Nanos,
    /// Whole segments that the window holds, bytes.
    pub window_bytes: f64,
    /// Smoothed round-trip time, s; positive.
    pub rtt_s: f64,
    /// Largest segment, bytes.
    pub mss_bytes: f64,
    /// What rt-Winf measured on the first hop.
    pub first_hop: &'a CrossLayer,
}

impl Sending<'_> {
    /// Throughput of the flow, bytes/s.
    #[must_use]
    pub fn throughput_bytes_per_s(&self) -> f64 {
        self.window_bytes / self.rtt_s
    }

    /// Change per packet, bytes/s, that brings the flow to `desired` within one window (Katabi sec. 3.3).
    #[must_use]
    pub fn change_to(&self, desired: f64) -> f64 {
        (desired - self.throughput_bytes_per_s()) / (self.window_bytes / self.mss_bytes)
    }
}

/// The demand of a source.
pub trait Demand: Send {
    /// Change of throughput to ask for in this packet, bytes/s.
    fn delta_bytes_per_s(&mut self, sending: &Sending) -> f64;
}

/// A throughput named by the application; `None`: all there is, as ns-2's sources.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Desired {
    /// Bytes/s.
    pub bytes_per_s: Option<f64>,
}

/// A request that no router grants in full, bytes/s (ns-2 `MAX_THROUGHPUT`).
pub const ALL_THERE_IS: f64 = 1e24;

impl Demand for Desired {
    fn delta_bytes_per_s(&mut self, sending: &Sending) -> f64 {
        self.bytes_per_s.map_or(ALL_THERE_IS, |desired| sending.change_to(desired))
    }
}

/// An XCP source.
pub struct Host {
    config: HostConfig,
    demand: Box<dyn Demand>,
    mss_bytes: f64,
    window_bytes: f64,
}

impl Host {
    /// A source with a demand.
    #[must_use]
    pub fn new(config: HostConfig, flow: &FlowSetup, demand: Box<dyn Demand>) -> Self {
        let mss_bytes = f64::from(flow.mss_bytes.max(1));
        let window_bytes = f64::from(flow.initial_window_segments.max(1)) * mss_bytes;
        Self { config, demand, mss_bytes, window_bytes }
    }

    fn set_window(&mut self, bytes: f64) {
        self.window_bytes = bytes.max(self.mss_bytes);
    }
}

impl Endpoint for Host {
    fn on_send(&mut self, now: Nanos, flow: &FlowView, packet: &mut Packet) {
        let mut header = XcpHeader::default();
        if let Some(rtt_s) = flow.smoothed_rtt_s.filter(|&rtt_s| rtt_s > 0.0) {
            let mss_bytes = self.mss_bytes;
            // Part of a segment is not sent: the throughput is that of whole ones, as in ns-2.
            let window_bytes = (self.window_bytes / mss_bytes).floor().max(1.0) * mss_bytes;
            let sending = Sending { now, window_bytes, rtt_s, mss_bytes, first_hop: &flow.first_hop };
            header.rtt_s = rtt_s;
            header.inter_packet_s = mss_bytes / sending.throughput_bytes_per_s();
            header.delta_bytes_per_s = self.demand.delta_bytes_per_s(&sending);
        }
        packet.header = Header::Xcp(header);
    }

    fn on_ack(&mut self, _now: Nanos, flow: &FlowView, ack: &Ack) {
        let Header::Xcp(header) = ack.header else { return };
        if !(ack.advanced || self.config.feedback_of_duplicates) {
            return;
        }
        let change = header.reverse_feedback_bytes_per_s * flow.smoothed_rtt_s.unwrap_or(0.0);
        // A window the source does not fill says nothing about the path and must not grow (RFC 7661).
        let in_use = 2.0 * ((flow.flight_bytes + ack.newly_acked_bytes) as f64 + self.mss_bytes) >= self.window_bytes;
        if change.is_finite() && (change < 0.0 || in_use) {
            self.set_window(self.window_bytes + change);
        }
    }

    fn on_congestion(&mut self, _now: Nanos, _flow: &FlowView, event: Congestion) {
        if !self.config.react_to_losses {
            return;
        }
        match event {
            Congestion::FastRetransmit { .. } | Congestion::Echo { .. } => self.set_window(self.window_bytes / 2.0),
            Congestion::Timeout { .. } => self.set_window(self.mss_bytes),
            Congestion::DuplicateAck | Congestion::PartialAck { .. } | Congestion::FullAck { .. } => {}
        }
    }

    fn window_bytes(&self) -> f64 {
        self.window_bytes
    }
}

/// An XCP receiver: feedback is summed up and leaves with the next acknowledgement.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    pending_bytes_per_s: f64,
    unit_bytes_per_s: Option<f64>,
}

impl Sum {
    /// A receiver whose feedback is a whole number of units, and of 16 bits; exact without a unit.
    #[must_use]
    pub fn in_units_of(unit_bytes_per_s: Option<f64>) -> Self {
        Self { pending_bytes_per_s: 0.0, unit_bytes_per_s }
    }

    /// What leaves with an acknowledgement, bytes/s; what does not fit stays for the next.
    fn take(&mut self) -> f64 {
        let pending = std::mem::take(&mut self.pending_bytes_per_s);
        let Some(unit) = self.unit_bytes_per_s else { return pending };
        // The conversion saturates.
        let returned = f64::from((pending / unit).round() as i16) * unit;
        self.pending_bytes_per_s = pending - returned;
        returned
    }
}

impl Receiver for Sum {
    fn on_data(&mut self, _now: Nanos, _link: &CrossLayer, packet: &Packet, ack: &mut Packet) {
        let Header::Xcp(header) = packet.header else { return };
        self.pending_bytes_per_s += header.delta_bytes_per_s;
        ack.header = Header::Xcp(XcpHeader { reverse_feedback_bytes_per_s: self.take(), ..XcpHeader::default() });
    }

    fn on_joined(&mut self, waiting: &Packet, ack: &mut Packet) {
        if let (Header::Xcp(waiting), Header::Xcp(header)) = (waiting.header, &mut ack.header) {
            self.pending_bytes_per_s += waiting.reverse_feedback_bytes_per_s + header.reverse_feedback_bytes_per_s;
            header.reverse_feedback_bytes_per_s = self.take();
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::super::test_flow;
    use super::*;

    pub(crate) fn view(rtt_s: f64) -> FlowView {
        FlowView { smoothed_rtt_s: Some(rtt_s), ..test_flow::view(50_000) }
    }

    pub(crate) fn ack(header: Header) -> Ack {
        Ack { header, ..test_flow::acknowledged(1000, Some(0.1)) }
    }

    fn host(segments: u32, config: HostConfig) -> Host {
        let flow = test_flow::setup(segments);
        Host::new(config, &flow, Box::new(Desired { bytes_per_s: config.desired_bytes_per_s }))
    }

    fn granted(bytes_per_s: f64) -> Ack {
        ack(Header::Xcp(XcpHeader { reverse_feedback_bytes_per_s: bytes_per_s, ..XcpHeader::default() }))
    }

    #[test]
    fn feedback_of_duplicates_counts_unless_left_out() {
        let header = Header::Xcp(XcpHeader { reverse_feedback_bytes_per_s: 10_000.0, ..XcpHeader::default() });
        let duplicate = Ack { advanced: false, newly_acked_bytes: 0, ..ack(header) };
        let window = |config| {
            let mut host = host(50, config);
            host.on_ack(0, &view(0.1), &duplicate);
            host.window_bytes()
        };
        assert_eq!(window(HostConfig::default()), 51_000.0);
        assert_eq!(window(HostConfig { feedback_of_duplicates: false, ..HostConfig::default() }), 50_000.0);
    }

    #[test]
    fn v_x1_feedback_opens_the_window() {
        let mut host = host(50, HostConfig::default());
        host.on_ack(0, &view(0.1), &granted(2387.0));
        assert!((host.window_bytes() - 50_238.7).abs() < 1e-6);
    }

    #[test]
    fn v_x6_a_desired_throughput_is_asked_for_over_one_window() {
        let store = CrossLayer::default();
        let sending = Sending { now: 0, window_bytes: 20_000.0, rtt_s: 0.1, mss_bytes: 1000.0, first_hop: &store };
        assert!((sending.throughput_bytes_per_s() - 2e5).abs() < 1e-6);
        let delta = Desired { bytes_per_s: Some(1.375e6) }.delta_bytes_per_s(&sending);
        assert!((delta - 58_750.0).abs() < 1e-6);
    }

    /// S004 sec. 4: 16 bits. What is too small or too large for them is not lost.
    #[test]
    fn feedback_of_16_bits_is_returned_in_parts() {
        let returned = |sum: &mut Sum, delta: f64| {
            sum.pending_bytes_per_s += delta;
            sum.take()
        };
        let mut sum = Sum::in_units_of(Some(10.0));
        assert_eq!([4.0, 4.0, 4.0].map(|delta| returned(&mut sum, delta)), [0.0, 10.0, 0.0]);
        let mut large = Sum::in_units_of(Some(10.0));
        assert_eq!(returned(&mut large, 4e5), 327_670.0);
        assert_eq!(returned(&mut large, 0.0), 72_330.0);
        assert_eq!(returned(&mut Sum::default(), 4.0), 4.0);
    }

    #[test]
    fn the_window_never_falls_below_a_segment() {
        let mut host = host(2, HostConfig::default());
        host.on_ack(0, &view(0.1), &granted(-1e9));
        assert_eq!(host.window_bytes(), 1000.0);
        host.on_ack(0, &view(0.1), &granted(f64::NAN));
        assert_eq!(host.window_bytes(), 1000.0);
    }

    #[test]
    fn losses_count_only_where_they_should() {
        let loss = Congestion::FastRetransmit { flight_bytes: 50_000 };
        let mut reacting = host(50, HostConfig::default());
        reacting.on_congestion(0, &view(0.1), loss);
        assert_eq!(reacting.window_bytes(), 25_000.0);
        reacting.on_congestion(0, &view(0.1), Congestion::Timeout { flight_bytes: 25_000 });
        assert_eq!(reacting.window_bytes(), 1000.0);
        let mut steady = host(50, HostConfig { react_to_losses: false, ..HostConfig::default() });
        steady.on_congestion(0, &view(0.1), loss);
        assert_eq!(steady.window_bytes(), 50_000.0);
    }

    #[test]
    fn a_window_that_is_not_filled_does_not_grow() {
        let mut host = host(500, HostConfig::default());
        host.on_ack(0, &view(0.1), &granted(1e6));
        assert_eq!(host.window_bytes(), 500_000.0);
    }
}
