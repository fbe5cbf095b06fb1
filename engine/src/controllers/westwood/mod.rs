//! TCP Westwood and Westwood+: after a loss the window is what the bandwidth estimate times the least round-trip time
//! says, not half of the flight.
//!
//! Mascolo, Casetti, Gerla, Sanadidi, Wang, "TCP Westwood: Bandwidth Estimation for Enhanced Transport over Wireless
//! Links", MobiCom 2001; Grieco and Mascolo, "Performance Evaluation and Comparison of Westwood+, New Reno, and Vegas
//! TCP Congestion Control", CCR 2004.

use serde::{Deserialize, Serialize};

use super::end_to_end::EndToEnd;
use super::settings::{self, Settings};
use super::window::Window;
use crate::controller::{Ack, Congestion, Endpoint, FlowSetup, FlowView};
use crate::units::Nanos;
use bandwidth::Bandwidth;
pub use bandwidth::Filter;

mod bandwidth;

/// Constants of Westwood.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WestwoodConfig {
    /// How samples of the bandwidth are taken and smoothed.
    pub filter: Filter,
    /// Time constant of the original filter, seconds.
    pub tau_s: f64,
    /// Least threshold, segments.
    pub least_threshold_segments: f64,
}

impl Default for WestwoodConfig {
    fn default() -> Self {
        Self { filter: Filter::WestwoodPlus, tau_s: 0.5, least_threshold_segments: 2.0 }
    }
}

impl Settings for WestwoodConfig {
    fn check(&self) -> Result<(), String> {
        settings::positive(&[("tau_s", self.tau_s), ("least_threshold_segments", self.least_threshold_segments)])
    }
}

/// TCP Westwood+, or with another filter TCP Westwood; `settings`: a JSON object with fields of [`WestwoodConfig`].
///
/// # Errors
///
/// A field that does not exist, or a constant outside its range.
pub fn westwood(settings: &serde_json::Value) -> Result<EndToEnd<WestwoodConfig>, String> {
    EndToEnd::new("westwood", &WestwoodConfig::default(), settings, |config, flow| Box::new(Source::new(config, flow)))
}

#[derive(Clone, Debug)]
struct Source {
    config: WestwoodConfig,
    window: Window,
    bandwidth: Bandwidth,
    credited: Credited,
}

impl Source {
    fn new(config: WestwoodConfig, flow: &FlowSetup) -> Self {
        let bandwidth = Bandwidth::new(config.filter, config.tau_s);
        Self { config, window: Window::new(flow), bandwidth, credited: Credited::default() }
    }

    /// Bandwidth times least round-trip time, whole segments, bytes.
    fn threshold_bytes(&self, flow: &FlowView) -> f64 {
        let segment = f64::from(flow.mss_bytes);
        let in_path = self.bandwidth.bits_per_s() * flow.least_rtt_s.unwrap_or(0.0) / 8.0;
        (in_path / segment).floor().max(self.config.least_threshold_segments) * segment
    }
}

impl Endpoint for Source {
    fn on_ack(&mut self, now: Nanos, flow: &FlowView, ack: &Ack) {
        let arrived = self.credited.arrived_bytes(u64::from(flow.mss_bytes), ack);
        self.bandwidth.on_ack(now, arrived, flow.last_rtt_s);
        self.window.grow(flow, ack);
    }

    fn on_congestion(&mut self, _now: Nanos, flow: &FlowView, event: Congestion) {
        let threshold = self.threshold_bytes(flow);
        match event {
            // The threshold may lie above the window, which then stays.
            Congestion::FastRetransmit { .. } | Congestion::Echo { .. } => self.window.cap(threshold),
            _ => self.window.respond(event, threshold),
        }
    }

    fn window_bytes(&self) -> f64 {
        self.window.bytes()
    }

    fn slow_start_threshold_bytes(&self) -> Option<f64> {
        self.window.threshold_bytes()
    }
}

/// Bytes that duplicates have been counted for, one segment each, before the cumulative number tells of them
/// (MobiCom 2001, sec. 2.1).
#[derive(Clone, Copy, Debug, Default)]
struct Credited {
    bytes: u64,
}

impl Credited {
    /// Bytes that an acknowledgement says have reached the destination.
    fn arrived_bytes(&mut self, segment: u64, ack: &Ack) -> u64 {
        match (ack.newly_acked_bytes, ack.advanced) {
            (0, false) => {
                self.bytes += segment;
                segment
            }
            (newly, true) if newly > segment => {
                let credited = self.bytes.min(newly - segment);
                self.bytes -= credited;
                newly - credited
            }
            (newly, _) => newly,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::test_flow::{acknowledged, setup, view};

    fn flow() -> FlowView {
        FlowView { least_rtt_s: Some(0.08), last_rtt_s: Some(0.08), ..view(30_000) }
    }

    #[test]
    fn v_tcp5_the_threshold_is_bandwidth_times_least_round_trip_time() {
        let config = WestwoodConfig::default();
        let mut bandwidth = Bandwidth::new(Filter::WestwoodPlus, 0.5);
        bandwidth.set(2e6);
        let mut source = Source { config, window: Window::new(&setup(30)), bandwidth, credited: Credited::default() };
        assert_eq!(source.threshold_bytes(&flow()), 20_000.0);
        source.on_congestion(0, &flow(), Congestion::FastRetransmit { flight_bytes: 30_000 });
        assert_eq!((source.window_bytes(), source.slow_start_threshold_bytes()), (20_000.0, Some(20_000.0)));
        source.bandwidth.set(4e6);
        source.on_congestion(0, &flow(), Congestion::FastRetransmit { flight_bytes: 20_000 });
        assert_eq!((source.window_bytes(), source.slow_start_threshold_bytes()), (20_000.0, Some(40_000.0)));
        source.on_congestion(0, &flow(), Congestion::Timeout { flight_bytes: 20_000 });
        assert_eq!((source.window_bytes(), source.slow_start_threshold_bytes()), (1_000.0, Some(40_000.0)));
    }

    #[test]
    fn duplicates_are_counted_once() {
        let mut credited = Credited::default();
        let duplicate = Ack { advanced: false, ..acknowledged(0, None) };
        let arrived = [duplicate, duplicate, acknowledged(4_000, None), acknowledged(1_000, None)]
            .map(|ack| credited.arrived_bytes(1_000, &ack));
        assert_eq!(arrived, [1_000, 1_000, 2_000, 1_000]);
    }
}
