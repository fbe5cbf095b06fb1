//! TCP NewReno (RFC 5681, RFC 6582), with ECN (RFC 3168) where the flow's packets may be marked.
//!
//! Whether losses are found by selective acknowledgements or by duplicates alone is the flow's choice
//! ([`crate::world::TransportSpec::sack`]); the transport does either.

use serde::{Deserialize, Serialize};

use super::end_to_end::EndToEnd;
use super::settings::{self, Settings};
use super::window::{flight_at, Window};
use crate::controller::{Ack, Congestion, Endpoint, FlowSetup, FlowView};
use crate::units::Nanos;

/// Constants of NewReno.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewRenoConfig {
    /// Share of the flight that is left after a loss or a mark (RFC 5681, eq. 4).
    pub decrease: f64,
    /// Whether congestion marks count as losses do (RFC 3168, sec. 6.1.2).
    pub ecn: bool,
}

impl Default for NewRenoConfig {
    fn default() -> Self {
        Self { decrease: 0.5, ecn: true }
    }
}

impl Settings for NewRenoConfig {
    fn check(&self) -> Result<(), String> {
        settings::share(&[("decrease", self.decrease)])
    }
}

/// TCP NewReno; `settings`: a JSON object with fields of [`NewRenoConfig`].
///
/// # Errors
///
/// A field that does not exist, or a constant outside its range.
pub fn new_reno(settings: &serde_json::Value) -> Result<EndToEnd<NewRenoConfig>, String> {
    EndToEnd::new("new_reno", &NewRenoConfig::default(), settings, |config, flow| Box::new(Source::new(config, flow)))
}

/// NewReno's half at the source.
#[derive(Clone, Debug)]
pub struct Source {
    config: NewRenoConfig,
    window: Window,
}

impl Source {
    /// Of one flow.
    #[must_use]
    pub fn new(config: NewRenoConfig, flow: &FlowSetup) -> Self {
        Self { config, window: Window::new(flow) }
    }
}

impl Endpoint for Source {
    fn on_ack(&mut self, _now: Nanos, flow: &FlowView, ack: &Ack) {
        self.window.grow(flow, ack);
    }

    fn on_congestion(&mut self, _now: Nanos, _flow: &FlowView, event: Congestion) {
        if matches!(event, Congestion::Echo { .. }) && !self.config.ecn {
            return;
        }
        let flight = flight_at(event).unwrap_or(0) as f64;
        self.window.respond(event, (flight * self.config.decrease).floor());
    }

    fn window_bytes(&self) -> f64 {
        self.window.bytes()
    }

    fn slow_start_threshold_bytes(&self) -> Option<f64> {
        self.window.threshold_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::test_flow::{acknowledged, setup, view};

    fn source(initial_window_segments: u32) -> Source {
        Source::new(NewRenoConfig::default(), &setup(initial_window_segments))
    }

    fn tell(source: &mut Source, event: Congestion) -> (f64, Option<f64>) {
        source.on_congestion(0, &view(0), event);
        (source.window_bytes(), source.slow_start_threshold_bytes())
    }

    #[test]
    fn v_tcp1_slow_start_then_one_segment_per_window() {
        let mut source = source(2);
        source.window.threshold = 8000.0;
        let windows = [(); 10].map(|()| {
            let flight = source.window_bytes() as u64 - 1000;
            source.on_ack(0, &view(flight), &acknowledged(1000, None));
            source.window_bytes()
        });
        assert_eq!(windows, [3000., 4000., 5000., 6000., 7000., 8000., 8125., 8248., 8369., 8488.]);
    }

    #[test]
    fn v_tcp2_losses_halve_the_flight() {
        let mut source = source(20);
        let entered = tell(&mut source, Congestion::FastRetransmit { flight_bytes: 20_000 });
        assert_eq!(entered, (10_000.0, Some(10_000.0)), "the transport adds three segments");
        assert_eq!(tell(&mut source, Congestion::DuplicateAck).0, 10_000.0);
        assert_eq!(tell(&mut source, Congestion::PartialAck { acked_bytes: 4_000 }).0, 10_000.0);
        assert_eq!(tell(&mut source, Congestion::FullAck { flight_bytes: 6_000 }).0, 7_000.0);
        assert_eq!(tell(&mut source, Congestion::Timeout { flight_bytes: 12_000 }), (1_000.0, Some(6_000.0)));
        assert_eq!(tell(&mut source, Congestion::Timeout { flight_bytes: 1_000 }), (1_000.0, Some(2_000.0)));
    }

    #[test]
    fn marks_count_as_losses_unless_turned_off() {
        let echo = Congestion::Echo { flight_bytes: 8_000 };
        assert_eq!(tell(&mut source(10), echo).0, 4_000.0);
        let mut deaf = Source::new(NewRenoConfig { ecn: false, ..NewRenoConfig::default() }, &setup(10));
        assert_eq!(tell(&mut deaf, echo), (10_000.0, None));
    }

    #[test]
    fn a_window_that_is_not_used_does_not_grow() {
        let mut source = source(10);
        source.on_ack(0, &view(0), &acknowledged(1000, None));
        assert_eq!(source.window_bytes(), 10_000.0);
        source.on_ack(0, &view(9_000), &Ack { in_recovery: true, ..acknowledged(1000, None) });
        assert_eq!(source.window_bytes(), 10_000.0);
    }
}
