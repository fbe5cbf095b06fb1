//! TCP Vegas: Brakmo and Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet", 1995.
//!
//! Once per round trip the window is compared with what the least round-trip time ever seen would need; the
//! difference is what the flow keeps in queues. Losses are handled as by NewReno: the transport's
//! detection replaces the paper's fine-grained timeouts (sec. 3.1).

use serde::{Deserialize, Serialize};

use super::settings::{self, Settings};
use super::window::{flight_at, Window};
use crate::controller::{Ack, Congestion, Controller, Endpoint, FlowSetup, FlowView, Mode};
use crate::units::Nanos;

/// Constants of Vegas. ns-2 has `alpha`, `beta`, `gamma` 1, 3, 1; Linux and ns-3 have 2, 4, 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VegasConfig {
    /// Fewer segments than this in queues: the window grows by one (sec. 3.2).
    pub alpha: f64,
    /// More segments than this in queues: the window shrinks by one (sec. 3.2).
    pub beta: f64,
    /// More segments than this in queues end slow start (sec. 3.3).
    pub gamma: f64,
    /// Whether slow start doubles every other round trip only (sec. 3.3); Linux and ns-3 double every one.
    pub double_every_other: bool,
    /// The window does not shrink below, segments (ns-2 and Linux).
    pub least_window_segments: f64,
    /// Share of the flight that is left after a loss (RFC 5681, eq. 4).
    pub decrease: f64,
}

impl Default for VegasConfig {
    fn default() -> Self {
        Self { alpha: 1.0, beta: 3.0, gamma: 1.0, double_every_other: true, least_window_segments: 2.0, decrease: 0.5 }
    }
}

impl Settings for VegasConfig {
    fn check(&self) -> Result<(), String> {
        settings::not_negative(&[("alpha", self.alpha), ("beta", self.beta), ("gamma", self.gamma)])?;
        settings::positive(&[("least_window_segments", self.least_window_segments), ("decrease", self.decrease)])?;
        match self.alpha <= self.beta {
            true => Ok(()),
            false => Err(format!("alpha must not exceed beta, but {} > {}", self.alpha, self.beta)),
        }
    }
}

/// TCP Vegas.
#[derive(Clone, Copy, Debug)]
pub struct Vegas {
    config: VegasConfig,
}

impl Vegas {
    /// `settings`: a JSON object with fields of [`VegasConfig`].
    ///
    /// # Errors
    ///
    /// A field that does not exist, or a constant outside its range.
    pub fn new(settings: &serde_json::Value) -> Result<Self, String> {
        Ok(Self { config: settings::read(settings)? })
    }
}

impl Controller for Vegas {
    fn name(&self) -> &str {
        "vegas"
    }

    fn mode(&self) -> Mode {
        Mode::Corrected
    }

    fn endpoint(&self, flow: &FlowSetup) -> Box<dyn Endpoint> {
        Box::new(Source { config: self.config, window: Window::new(flow), round: Round::default(), doubles: true })
    }
}

/// One round trip of measurement.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    /// It ends with the acknowledgement of this segment or a later one; `None` before the first acknowledgement.
    last_segment: Option<u64>,
    /// Least round-trip time in it, seconds.
    rtt_s: Option<f64>,
}

#[derive(Clone, Debug)]
struct Source {
    config: VegasConfig,
    window: Window,
    round: Round,
    /// Whether slow start grows in this round.
    doubles: bool,
}

impl Source {
    fn end_of_round(&mut self, base_s: f64, rtt_s: f64) {
        let config = self.config;
        let window = self.window.segments();
        let queued = window * (1.0 - base_s / rtt_s);
        let least = config.least_window_segments;
        if self.window.in_slow_start() {
            if queued > config.gamma {
                self.window.settle((window * base_s / rtt_s + 1.0).min(window).max(least));
            }
            self.doubles = !self.doubles || !config.double_every_other;
        } else if queued < config.alpha {
            self.window.settle(window + 1.0);
        } else if queued > config.beta {
            self.window.settle((window - 1.0).max(least));
        }
    }
}

impl Endpoint for Source {
    fn on_ack(&mut self, _now: Nanos, flow: &FlowView, ack: &Ack) {
        if let Some(rtt_s) = ack.rtt_s {
            self.round.rtt_s = Some(self.round.rtt_s.map_or(rtt_s, |least| least.min(rtt_s)));
        }
        if !ack.advanced || ack.in_recovery {
            return;
        }
        if self.round.last_segment.is_none_or(|last| ack.segment >= last) {
            let rtt_s = self.round.rtt_s.filter(|&rtt_s| rtt_s > 0.0);
            if let (Some(_), Some(base_s), Some(rtt_s)) = (self.round.last_segment, flow.least_rtt_s, rtt_s) {
                self.end_of_round(base_s, rtt_s);
            }
            self.round = Round { last_segment: Some(flow.next_segment), rtt_s: None };
        }
        if self.window.in_slow_start() && self.doubles {
            self.window.grow(flow, ack);
        }
    }

    fn on_congestion(&mut self, _now: Nanos, flow: &FlowView, event: Congestion) {
        let flight = flight_at(event).unwrap_or(0) as f64;
        self.window.respond(event, (flight * self.config.decrease).floor());
        self.round = Round { last_segment: Some(flow.next_segment), rtt_s: None };
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

    /// Window after one round with `rtt_s` over a least of 0.1 s, segments.
    fn after(config: VegasConfig, threshold: f64, rtt_s: f64) -> f64 {
        let mut window = Window::new(&setup(20));
        window.threshold = threshold * 1000.0;
        let round = Round { last_segment: Some(0), rtt_s: None };
        let mut source = Source { config, window, round, doubles: false };
        let flow = FlowView { least_rtt_s: Some(0.1), ..view(19_000) };
        source.on_ack(0, &flow, &acknowledged(1000, Some(rtt_s)));
        source.window.segments()
    }

    #[test]
    fn v_tcp4_the_queued_share_steers_the_window() {
        let linux = VegasConfig { alpha: 2.0, beta: 4.0, ..VegasConfig::default() };
        assert_eq!([0.105, 0.12, 0.15].map(|rtt_s| after(linux, 10.0, rtt_s)), [21.0, 20.0, 19.0]);
        assert!((after(linux, 64.0, 0.12) - 17.666_667).abs() < 1e-6);
        assert_eq!(after(VegasConfig::default(), 10.0, 0.12), 19.0);
    }

    #[test]
    fn slow_start_grows_in_every_other_round() {
        let controller = Vegas::new(&serde_json::Value::Null).unwrap();
        let mut source = controller.endpoint(&setup(2));
        let (mut acked, mut sent, mut windows) = (0, 2, vec![]);
        for _ in 0..4 {
            let end_of_round = sent;
            while acked < end_of_round {
                let outstanding = (sent - acked - 1) * 1000;
                let flow = FlowView { least_rtt_s: Some(0.1), next_segment: sent, ..view(outstanding) };
                source.on_ack(0, &flow, &Ack { segment: acked, ..acknowledged(1000, Some(0.1)) });
                acked += 1;
                sent = acked + source.window_bytes() as u64 / 1000;
            }
            windows.push(source.window_bytes() as u64 / 1000);
        }
        assert_eq!(windows, [4, 4, 8, 8]);
    }

    #[test]
    fn contradicting_thresholds_are_refused() {
        let error = Vegas::new(&serde_json::json!({"alpha": 5})).unwrap_err();
        assert!(error.contains("alpha"), "{error}");
    }
}
