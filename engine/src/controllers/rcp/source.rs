//! RCP at both ends: a source that paces at the rate of the path, and a receiver that echoes the rate.

use crate::controller::{Ack, Congestion, Endpoint, FlowSetup, FlowView, Receiver};
use crate::cross_layer::CrossLayer;
use crate::packet::{Header, Packet, RcpHeader};
use crate::units::{nanos, Nanos, MILLISECOND};

use super::super::capacity::{is_fresh, Capacity};

/// Longest time between two REF packets (ns-2 `SYN_DELAY`).
const LONGEST_PROBE_INTERVAL: Nanos = 500 * MILLISECOND;

/// What a source does with the rate of its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pacing {
    /// RCP: paces packets, headers included; any number may be in flight.
    Rate,
    /// RCP-Winf: at most the first hop's capacity, and a window of rate times round-trip time (S000 alg. 6).
    Winf,
    /// RCP-Winf as printed: the same, but headers do not count in the pacing interval.
    WinfPayload,
}

/// An RCP source.
#[derive(Clone, Copy, Debug)]
pub struct RcpSource {
    pacing: Pacing,
    mss_bytes: f64,
    packet_bytes: f64,
    /// Bytes/s; `None` before the first feedback.
    rate_bytes_per_s: Option<f64>,
    window_bytes: f64,
    probe_interval: Option<Nanos>,
}

impl RcpSource {
    /// A source that knows no rate yet.
    #[must_use]
    pub fn new(flow: &FlowSetup, pacing: Pacing) -> Self {
        let mss_bytes = f64::from(flow.mss_bytes.max(1));
        Self {
            pacing,
            mss_bytes,
            packet_bytes: mss_bytes + f64::from(flow.header_bytes),
            rate_bytes_per_s: None,
            window_bytes: mss_bytes,
            probe_interval: None,
        }
    }

    fn follow(&mut self, told_bytes_per_s: f64, now: Nanos, flow: &FlowView) {
        if self.pacing == Pacing::Rate {
            self.rate_bytes_per_s = Some(told_bytes_per_s);
            self.window_bytes = f64::INFINITY;
            let round_trip_s = flow.least_rtt_s.filter(|&least| self.packet_bytes / told_bytes_per_s > least);
            self.probe_interval = round_trip_s.map(|least| nanos(least).min(LONGEST_PROBE_INTERVAL));
            return;
        }
        let store = &match self.pacing {
            Pacing::WinfPayload => flow.first_hop.as_printed(),
            Pacing::Rate | Pacing::Winf => flow.first_hop,
        };
        let capacity = store.capacity_bytes_per_s.filter(|&c| c > 0.0 && is_fresh(now, store, Capacity::HOLD));
        let rate = capacity.map_or(told_bytes_per_s, |capacity| told_bytes_per_s.min(capacity));
        let segments = rate * flow.smoothed_rtt_s.unwrap_or(0.0) / self.packet_bytes;
        self.rate_bytes_per_s = Some(rate);
        self.window_bytes = segments.max(1.0) * self.mss_bytes;
    }

    /// One segment in flight before the first feedback.
    fn ask_again(&mut self) {
        self.rate_bytes_per_s = None;
        self.probe_interval = None;
        self.window_bytes = self.mss_bytes;
    }
}

impl Endpoint for RcpSource {
    fn on_send(&mut self, _now: Nanos, flow: &FlowView, packet: &mut Packet) {
        packet.header = Header::Rcp(RcpHeader {
            bottleneck_bytes_per_s: -1.0,
            reverse_bottleneck_bytes_per_s: 0.0,
            rtt_s: flow.smoothed_rtt_s.unwrap_or(0.0),
        });
    }

    fn on_ack(&mut self, now: Nanos, flow: &FlowView, ack: &Ack) {
        let Header::Rcp(header) = ack.header else { return };
        if header.reverse_bottleneck_bytes_per_s > 0.0 {
            self.follow(header.reverse_bottleneck_bytes_per_s, now, flow);
        } else {
            self.ask_again();
        }
    }

    /// Losses do not lower the rate, the routers do. After a timeout their feedback is too old to use.
    fn on_congestion(&mut self, _now: Nanos, _flow: &FlowView, event: Congestion) {
        if matches!(event, Congestion::Timeout { .. }) {
            self.ask_again();
        }
    }

    fn window_bytes(&self) -> f64 {
        self.window_bytes
    }

    fn probe_interval(&self) -> Option<Nanos> {
        self.probe_interval
    }

    fn pacing_bytes_per_s(&self) -> Option<f64> {
        let headers = if self.pacing == Pacing::WinfPayload { self.packet_bytes / self.mss_bytes } else { 1.0 };
        self.rate_bytes_per_s.map(|rate| rate * headers)
    }
}

/// Sends the rate of the path back.
#[derive(Clone, Copy, Debug, Default)]
pub struct Return;

impl Receiver for Return {
    fn on_data(&mut self, _now: Nanos, _link: &CrossLayer, packet: &Packet, ack: &mut Packet) {
        let Header::Rcp(header) = packet.header else { return };
        ack.header = Header::Rcp(RcpHeader {
            reverse_bottleneck_bytes_per_s: header.bottleneck_bytes_per_s,
            ..RcpHeader::default()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::test_flow;
    use super::super::super::xcp::host::tests::{ack, view};
    use super::*;

    fn told(rate: f64) -> Ack {
        ack(Header::Rcp(RcpHeader { reverse_bottleneck_bytes_per_s: rate, ..RcpHeader::default() }))
    }

    fn source(pacing: Pacing) -> RcpSource {
        RcpSource::new(&FlowSetup { header_bytes: 32, ..test_flow::setup(1) }, pacing)
    }

    #[test]
    fn v_r7_window_and_pacing_interval() {
        let mut winf = source(Pacing::Winf);
        winf.on_ack(0, &view(0.1), &told(3e5));
        assert!((winf.window_bytes() / 1000.0 - 29.069_767_4).abs() < 1e-6);
        assert!((winf.pacing_bytes_per_s().map_or(0.0, |rate| 1032.0 / rate) - 3.44e-3).abs() < 1e-12);
        let mut printed = source(Pacing::WinfPayload);
        printed.on_ack(0, &view(0.1), &told(3e5));
        assert!((printed.pacing_bytes_per_s().map_or(0.0, |rate| 1032.0 / rate) - 1e-3 / 0.3).abs() < 1e-12);
    }

    #[test]
    fn one_segment_asks_for_the_rate() {
        let mut rcp = source(Pacing::Rate);
        assert_eq!((rcp.window_bytes(), rcp.pacing_bytes_per_s()), (1000.0, None));
        rcp.on_ack(0, &view(0.1), &told(3e5));
        assert_eq!((rcp.window_bytes(), rcp.pacing_bytes_per_s()), (f64::INFINITY, Some(3e5)));
        rcp.on_congestion(0, &view(0.1), Congestion::Timeout { flight_bytes: 0 });
        assert_eq!((rcp.window_bytes(), rcp.pacing_bytes_per_s()), (1000.0, None));
    }

    /// ns-2 `REF_INTVAL`: once per least round trip where packets are further apart than that.
    #[test]
    fn a_slow_source_asks_once_per_round_trip() {
        let flow = FlowView { least_rtt_s: Some(0.1), ..view(0.1) };
        let mut rcp = source(Pacing::Rate);
        let mut interval_at = |rate: f64| {
            rcp.on_ack(0, &flow, &told(rate));
            rcp.probe_interval()
        };
        assert_eq!([interval_at(10_320.0), interval_at(10_319.0)], [None, Some(100 * MILLISECOND)]);
        rcp.on_ack(0, &FlowView { least_rtt_s: Some(2.0), ..flow }, &told(100.0));
        assert_eq!(rcp.probe_interval(), Some(LONGEST_PROBE_INTERVAL));
        rcp.on_congestion(0, &flow, Congestion::Timeout { flight_bytes: 0 });
        assert_eq!(rcp.probe_interval(), None);
        let mut winf = source(Pacing::Winf);
        winf.on_ack(0, &flow, &told(1000.0));
        assert_eq!(winf.probe_interval(), None, "S000 alg. 6 has no such packets");
    }

    #[test]
    fn winf_never_paces_above_the_first_hop() {
        let mut flow = view(0.1);
        flow.first_hop.capacity_bytes_per_s = Some(2e5);
        let mut winf = source(Pacing::Winf);
        winf.on_ack(0, &flow, &told(3e5));
        assert_eq!(winf.pacing_bytes_per_s(), Some(2e5));
    }
}
