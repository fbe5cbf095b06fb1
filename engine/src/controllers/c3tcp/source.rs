//! The ends of a C3TCP flow (S001 sec. 4.4).

use serde::{Deserialize, Serialize};

use crate::controller::{Ack, Congestion, Endpoint, FlowSetup, FlowView, PathEstimate, Receiver};
use crate::controllers::new_reno::{NewRenoConfig, Source as NewReno};
use crate::cross_layer::CrossLayer;
use crate::packet::{C3tcpHeader, Header, Packet, PacketKind};
use crate::units::Nanos;

use super::window_field;

/// The option as the source writes it.
pub const UNMEASURED: C3tcpHeader =
    C3tcpHeader { bandwidth_bps: f64::INFINITY, forward_delay_s: 0.0, backward_delay_s: 0.0, measured: false };

/// NewReno under a window that follows the measurements.
#[derive(Clone, Debug)]
pub struct Source {
    tcp: NewReno,
    gain: f64,
    steering: Steering,
    window_scale: u8,
    segment_bytes: f64,
    path: Option<PathEstimate>,
}

/// How the congestion control module at the source steers TCP (S001 sec. 4.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Steering {
    /// It lowers the receive window in the acknowledgements that pass: TCP's own window still counts where it is lower.
    #[default]
    ReceiveWindow,
    /// The same in the octets of TCP's header, whose field counts units of two to the power of `window_scale`.
    WindowField,
    /// It acknowledges to the local TCP itself, so that TCP's own window never is the lower one: the product alone counts
    /// once it is measured.
    OwnAcknowledgements,
}

impl Source {
    /// Of one flow; `gain` is the weight of a new measurement.
    #[must_use]
    pub fn new(tcp: NewRenoConfig, gain: f64, steering: Steering, flow: &FlowSetup) -> Self {
        let segment_bytes = f64::from(flow.mss_bytes.max(1));
        Self { tcp: NewReno::new(tcp, flow), gain, steering, window_scale: 0, segment_bytes, path: None }
    }

    /// The same with another unit of the window field.
    #[must_use]
    pub fn with_window_scale(self, window_scale: u8) -> Self {
        Self { window_scale, ..self }
    }

    /// What the receive window is cut to, bytes: whole segments, at least one. Infinite before the first measurement.
    fn allowance_bytes(&self) -> f64 {
        self.path.map_or(f64::INFINITY, |path| {
            let product = path.bandwidth_bps * path.delay_s / 8.0;
            (product / self.segment_bytes).floor().max(1.0) * self.segment_bytes
        })
    }

    fn measure(&mut self, header: &C3tcpHeader) {
        let delay_s = header.forward_delay_s + header.backward_delay_s;
        let new = PathEstimate { bandwidth_bps: header.bandwidth_bps, delay_s };
        if !header.measured || !new.bandwidth_bps.is_finite() || !new.delay_s.is_finite() {
            return;
        }
        let old = self.path.unwrap_or(new);
        self.path = Some(PathEstimate {
            bandwidth_bps: old.bandwidth_bps + self.gain * (new.bandwidth_bps - old.bandwidth_bps),
            delay_s: old.delay_s + self.gain * (new.delay_s - old.delay_s),
        });
    }
}

impl Endpoint for Source {
    fn on_send(&mut self, _now: Nanos, _flow: &FlowView, packet: &mut Packet) {
        packet.header = Header::C3tcp(UNMEASURED);
    }

    fn on_ack_below(&mut self, packet: &mut Packet) {
        if self.steering != Steering::WindowField {
            return;
        }
        if let Header::C3tcp(header) = &packet.header {
            self.measure(header);
        }
        if packet.kind == PacketKind::Ack {
            let mut header = window_field::encode(packet, self.window_scale);
            window_field::lower(&mut header, self.window_scale, self.allowance_bytes());
            packet.receive_window_bytes = window_field::window_bytes(&header, self.window_scale);
        }
    }

    fn on_ack(&mut self, now: Nanos, flow: &FlowView, ack: &Ack) {
        match &ack.header {
            Header::C3tcp(header) if self.steering != Steering::WindowField => self.measure(header),
            _ => {}
        }
        self.tcp.on_ack(now, flow, ack);
    }

    fn on_congestion(&mut self, now: Nanos, flow: &FlowView, event: Congestion) {
        self.tcp.on_congestion(now, flow, event);
    }

    fn window_bytes(&self) -> f64 {
        match (self.steering, self.path) {
            (Steering::OwnAcknowledgements, Some(_)) => self.allowance_bytes(),
            (Steering::WindowField, _) => self.tcp.window_bytes(),
            _ => self.tcp.window_bytes().min(self.allowance_bytes()),
        }
    }

    fn path(&self) -> Option<PathEstimate> {
        self.path
    }

    fn slow_start_threshold_bytes(&self) -> Option<f64> {
        self.tcp.slow_start_threshold_bytes()
    }
}

/// Returns the measurements of the data that an acknowledgement answers; those of the reverse path start at 0.
#[derive(Clone, Copy, Debug)]
pub struct Destination;

impl Receiver for Destination {
    fn on_data(&mut self, _now: Nanos, _link: &CrossLayer, packet: &Packet, ack: &mut Packet) {
        if let Header::C3tcp(header) = packet.header {
            ack.header = Header::C3tcp(C3tcpHeader { backward_delay_s: 0.0, ..header });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::test_flow::{acknowledged, packet, setup, view};

    fn measured(bandwidth_bps: f64) -> Ack {
        let header = C3tcpHeader {
            bandwidth_bps,
            forward_delay_s: 7_574.182e-6,
            backward_delay_s: 5_316.364e-6,
            measured: true,
        };
        Ack { header: Header::C3tcp(header), ..acknowledged(1000, None) }
    }

    #[test]
    fn v_c3_3_the_window_is_the_product_in_whole_segments() {
        let mut source = Source::new(NewRenoConfig::default(), 1.0, Steering::default(), &setup(10));
        assert_eq!(source.window_bytes(), 10_000.0, "nothing measured: untouched");
        source.on_ack(0, &view(9_000), &measured(1_721_595.2));
        let path = source.path.unwrap();
        assert!((path.bandwidth_bps * path.delay_s / 8.0 - 2_774.04).abs() < 0.01);
        assert_eq!(source.window_bytes(), 2_000.0);
        source.on_ack(0, &view(1_000), &measured(1.0));
        assert_eq!(source.window_bytes(), 1_000.0, "at least one segment");
    }

    /// A header that no hop has written leaves the window as it is.
    #[test]
    fn what_was_not_measured_leaves_the_window_alone() {
        let mut source = Source::new(NewRenoConfig::default(), 1.0, Steering::default(), &setup(10));
        let Header::C3tcp(header) = measured(1e6).header else { unreachable!("as made above") };
        let silent = Ack { header: Header::C3tcp(C3tcpHeader { measured: false, ..header }), ..measured(1e6) };
        source.on_ack(0, &view(1_000), &silent);
        assert_eq!(source.allowance_bytes(), f64::INFINITY);
        source.on_ack(0, &view(1_000), &measured(1e6));
        assert!(source.allowance_bytes().is_finite());
    }

    #[test]
    fn measurements_are_smoothed_in_the_corrected_mode() {
        let mut source = Source::new(NewRenoConfig::default(), 1.0 / 8.0, Steering::default(), &setup(10));
        source.on_ack(0, &view(9_000), &measured(1e6));
        source.on_ack(0, &view(9_000), &measured(9e6));
        assert_eq!(source.path.unwrap().bandwidth_bps, 2e6);
    }

    /// S001 sec. 4.4: after a timeout TCP has a window of one segment; with acknowledgements of its own the module keeps
    /// the product's two.
    #[test]
    fn a_module_that_acknowledges_itself_has_full_control() {
        for (steering, window) in [(Steering::ReceiveWindow, 1_000.0), (Steering::OwnAcknowledgements, 2_000.0)] {
            let mut source = Source::new(NewRenoConfig::default(), 1.0, steering, &setup(1));
            assert_eq!(source.window_bytes(), 1_000.0, "nothing measured: TCP's");
            source.on_ack(0, &view(1_000), &measured(1_721_595.2));
            source.on_congestion(0, &view(1_000), Congestion::Timeout { flight_bytes: 1_000 });
            assert_eq!(source.window_bytes(), window, "{steering:?}");
        }
    }

    #[test]
    fn the_way_back_starts_at_zero() {
        let header = C3tcpHeader { backward_delay_s: 3.0, ..UNMEASURED };
        let data = packet(PacketKind::Data, 1040, Header::C3tcp(header));
        let mut ack = packet(PacketKind::Ack, 40, Header::None);
        Destination.on_data(0, &CrossLayer::default(), &data, &mut ack);
        assert_eq!(ack.header, Header::C3tcp(UNMEASURED));
    }
}
