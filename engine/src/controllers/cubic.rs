//! TCP CUBIC (RFC 9438): the window is a cubic function of the time since the last loss, whatever the round-trip time.
//!
//! Symbols are those of the RFC: windows in segments, times in seconds. Slow start ends at the threshold or with a loss,
//! not by HyStart++ (sec. 4.10); such a loss halves the window, which is up to twice what the path holds. Spurious losses
//! (sec. 4.9) are not undone, as the transport does not detect them.

use serde::{Deserialize, Serialize};

use super::end_to_end::EndToEnd;
use super::settings::{self, Settings};
use super::window::{flight_at, Window};
use crate::controller::{Ack, Congestion, Endpoint, FlowSetup, FlowView};
use crate::units::{Nanos, SECOND};

/// Most that the window grows by in a round trip, as a factor (RFC 9438, sec. 4.2).
const MAX_GROWTH: f64 = 1.5;

/// Constants of CUBIC.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CubicConfig {
    /// C, how steep the function is, segments per cubic second (RFC 9438, sec. 5.1).
    pub c: f64,
    /// Share of the flight that is left after a loss or a mark, beta (RFC 9438, sec. 4.6).
    pub beta: f64,
    /// The same for a loss or a mark in slow start (RFC 5681, eq. 4).
    pub beta_slow_start: f64,
    /// Whether a flow that loses below its last maximum leaves room for others (RFC 9438, sec. 4.7).
    pub fast_convergence: bool,
    /// Whether congestion marks count as losses do (RFC 3168, sec. 6.1.2).
    pub ecn: bool,
}

impl Default for CubicConfig {
    fn default() -> Self {
        Self { c: 0.4, beta: 0.7, beta_slow_start: 0.5, fast_convergence: true, ecn: true }
    }
}

impl Settings for CubicConfig {
    fn check(&self) -> Result<(), String> {
        settings::positive(&[("c", self.c)])?;
        settings::share(&[("beta", self.beta), ("beta_slow_start", self.beta_slow_start)])
    }
}

/// TCP CUBIC; `settings`: a JSON object with fields of [`CubicConfig`].
///
/// # Errors
///
/// A field that does not exist, or a constant outside its range.
pub fn cubic(settings: &serde_json::Value) -> Result<EndToEnd<CubicConfig>, String> {
    EndToEnd::new("cubic", &CubicConfig::default(), settings, |config, flow| Box::new(Source::new(config, flow)))
}

/// CUBIC's half at the source.
#[derive(Clone, Debug)]
struct Source {
    config: CubicConfig,
    window: Window,
    /// Window before the last reduction, `cwnd_prior`; `None` before the first and after a timeout.
    prior: Option<f64>,
    /// Plateau of the function, `W_max`; less than `prior` after fast convergence.
    maximum: Option<f64>,
    /// `None` outside congestion avoidance.
    stage: Option<Stage>,
}

/// A stage of congestion avoidance (RFC 9438, sec. 4.2 and 4.3).
#[derive(Clone, Copy, Debug)]
struct Stage {
    /// `t`: time in which the window grew.
    elapsed_s: f64,
    last_ack: Nanos,
    /// `W_max`.
    maximum: f64,
    /// `K`: when the function reaches `W_max`.
    until_maximum_s: f64,
    /// `W_est`: the window of a Reno flow.
    reno: f64,
    /// Window from which on `W_est` grows as that of Reno itself does, `cwnd_prior`.
    prior: f64,
}

impl Stage {
    fn begin(now: Nanos, config: &CubicConfig, window: f64, maximum: Option<f64>, prior: Option<f64>) -> Stage {
        let maximum = maximum.unwrap_or(window).max(window);
        let until_maximum_s = libm::cbrt((maximum - window) / config.c);
        let prior = prior.unwrap_or(window);
        Stage { elapsed_s: 0.0, last_ack: now, maximum, until_maximum_s, reno: window, prior }
    }

    /// `W_cubic(t)` (RFC 9438, fig. 1).
    fn cubic(&self, c: f64, t: f64) -> f64 {
        let since = t - self.until_maximum_s;
        c * since * since * since + self.maximum
    }

    /// The window after `acked` more segments, from `window`.
    fn grow(&mut self, config: &CubicConfig, window: f64, acked: f64, rtt_s: f64) -> f64 {
        let beta = config.beta;
        let alpha = if self.reno < self.prior { 3.0 * (1.0 - beta) / (1.0 + beta) } else { 1.0 };
        self.reno += alpha * acked / window;
        if self.cubic(config.c, self.elapsed_s) < self.reno {
            return self.reno.max(window);
        }
        let target = self.cubic(config.c, self.elapsed_s + rtt_s).clamp(window, MAX_GROWTH * window);
        window + (target - window) / window * acked
    }
}

impl Source {
    fn new(config: CubicConfig, flow: &FlowSetup) -> Self {
        Self { config, window: Window::new(flow), prior: None, maximum: None, stage: None }
    }

    fn avoid_congestion(&mut self, now: Nanos, flow: &FlowView, ack: &Ack) {
        let window = self.window.segments();
        let (config, maximum, prior) = (self.config, self.maximum, self.prior);
        let stage = self.stage.get_or_insert_with(|| Stage::begin(now, &config, window, maximum, prior));
        let passed = now.saturating_sub(stage.last_ack);
        stage.last_ack = now;
        let segment = f64::from(flow.mss_bytes.max(1));
        let used = (flow.flight_bytes + ack.newly_acked_bytes) as f64 / segment;
        if window >= used + 1.0 {
            return; // a window that the flow does not fill does not grow, and t stands still (sec. 4.2 and 5.8)
        }
        stage.elapsed_s += passed as f64 / SECOND as f64;
        let rtt_s = flow.smoothed_rtt_s.unwrap_or(0.0);
        self.window.settle(stage.grow(&config, window, ack.newly_acked_bytes as f64 / segment, rtt_s));
    }

    /// What is remembered of the window before it is reduced (RFC 9438, sec. 4.6 to 4.8).
    fn remember(&mut self, event: Congestion) {
        let window = self.window.segments();
        self.stage = None;
        if matches!(event, Congestion::Timeout { .. }) {
            (self.prior, self.maximum) = (None, None);
            return;
        }
        let below_last = self.maximum.is_some_and(|maximum| window < maximum);
        let share = if below_last && self.config.fast_convergence { (1.0 + self.config.beta) / 2.0 } else { 1.0 };
        (self.prior, self.maximum) = (Some(window), Some(window * share));
    }
}

impl Endpoint for Source {
    fn on_ack(&mut self, now: Nanos, flow: &FlowView, ack: &Ack) {
        if self.window.in_slow_start() {
            self.window.grow(flow, ack);
        } else if ack.advanced && !ack.in_recovery {
            self.avoid_congestion(now, flow, ack);
        }
    }

    fn on_congestion(&mut self, _now: Nanos, _flow: &FlowView, event: Congestion) {
        if matches!(event, Congestion::Echo { .. }) && !self.config.ecn {
            return;
        }
        let beta = if self.window.in_slow_start() { self.config.beta_slow_start } else { self.config.beta };
        let flight = flight_at(event);
        if flight.is_some() {
            self.remember(event);
        }
        self.window.respond(event, (flight.unwrap_or(0) as f64 * beta).floor());
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

    /// A flow whose segments of 1000 bytes are acknowledged one by one, evenly over each round trip.
    struct Flow {
        source: Source,
        rtt_s: f64,
        now_s: f64,
    }

    impl Flow {
        fn new(config: CubicConfig, window: u32, rtt_s: f64) -> Flow {
            let mut source = Source::new(config, &setup(window));
            source.window.settle(f64::from(window)); // slow start is over
            Flow { source, rtt_s, now_s: 0.0 }
        }

        fn window(&self) -> f64 {
            self.source.window.segments()
        }

        fn lose(&mut self) {
            let flight_bytes = self.source.window_bytes() as u64;
            self.source.on_congestion(0, &view(0), Congestion::FastRetransmit { flight_bytes });
        }

        fn acknowledge(&mut self) {
            self.now_s += self.rtt_s / self.window();
            let flow = FlowView { smoothed_rtt_s: Some(self.rtt_s), ..view(self.source.window_bytes() as u64) };
            self.source.on_ack((self.now_s * 1e9) as Nanos, &flow, &acknowledged(1000, None));
        }

        fn run(&mut self, seconds: f64) {
            let end_s = self.now_s + seconds;
            while self.now_s < end_s {
                self.acknowledge();
            }
        }
    }

    #[test]
    fn the_window_is_concave_up_to_the_last_maximum_and_convex_beyond() {
        let mut flow = Flow::new(CubicConfig::default(), 1000, 0.1);
        flow.lose();
        assert_eq!(flow.window(), 700.0);
        let k = (300.0_f64 / 0.4).cbrt();
        assert!((k - 9.085_603).abs() < 1e-6);
        for share in [0.25, 0.5, 1.0, 1.5, 2.0] {
            flow.run(share * k - flow.now_s);
            let expected = 0.4 * ((share - 1.0) * k).powi(3) + 1000.0;
            assert!((flow.window() - expected).abs() < 5.0, "{share} K: {} for {expected}", flow.window());
        }
    }

    /// RFC 9438, sec. 5: with C = 0.4 and a loss every 1/p segments the average window is 1.054 (RTT / p)^(3/4).
    #[test]
    fn the_average_window_is_that_of_the_response_function() {
        let config = CubicConfig { fast_convergence: false, ..CubicConfig::default() };
        let mut flow = Flow::new(config, 200, 0.1);
        let mut average = 0.0;
        for _ in 0..30 {
            flow.lose();
            let began_s = flow.now_s;
            (0..10_000).for_each(|_| flow.acknowledge());
            average = 10_000.0 * flow.rtt_s / (flow.now_s - began_s);
        }
        assert!((average / (1.054 * (0.1_f64 / 1e-4).powf(0.75)) - 1.0).abs() < 0.02, "{average}");
    }

    #[test]
    fn with_short_round_trips_it_grows_as_reno_does() {
        let mut flow = Flow::new(CubicConfig::default(), 20, 0.01);
        flow.lose();
        flow.run(0.1);
        assert!((flow.window() - (14.0 + 10.0 * 3.0 * 0.3 / 1.7)).abs() < 0.6, "{}", flow.window());
        flow.run(0.2);
        assert!((flow.window() - (20.0 + (0.3 - 0.01 * 6.0 * 1.7 / 0.9) / 0.01)).abs() < 1.0, "{}", flow.window());
    }

    #[test]
    fn a_loss_in_slow_start_halves_the_window() {
        let mut source = Source::new(CubicConfig::default(), &setup(100));
        source.on_congestion(0, &view(0), Congestion::FastRetransmit { flight_bytes: 100_000 });
        assert_eq!((source.window_bytes(), source.maximum), (50_000.0, Some(100.0)));
    }

    #[test]
    fn a_loss_below_the_last_maximum_lowers_the_next() {
        let mut flow = Flow::new(CubicConfig::default(), 100, 0.1);
        flow.lose();
        assert_eq!((flow.source.prior, flow.source.maximum), (Some(100.0), Some(100.0)));
        flow.lose();
        assert_eq!((flow.source.prior, flow.source.maximum), (Some(70.0), Some(70.0 * 0.85)));
    }

    #[test]
    fn after_a_timeout_the_function_begins_at_its_plateau() {
        let mut flow = Flow::new(CubicConfig::default(), 100, 0.1);
        flow.source.on_congestion(0, &view(0), Congestion::Timeout { flight_bytes: 100_000 });
        assert_eq!((flow.source.window_bytes(), flow.source.slow_start_threshold_bytes()), (1000.0, Some(70_000.0)));
        while flow.source.stage.is_none() {
            flow.acknowledge();
        }
        let stage = flow.source.stage.unwrap();
        assert_eq!((stage.maximum, stage.until_maximum_s, stage.reno.floor()), (70.0, 0.0, 70.0));
    }

    #[test]
    fn a_window_that_is_not_used_does_not_grow_and_time_stands_still() {
        let mut flow = Flow::new(CubicConfig::default(), 100, 0.1);
        flow.lose();
        flow.acknowledge();
        let before = flow.window();
        flow.source.on_ack(100 * SECOND, &view(1000), &acknowledged(1000, None));
        assert_eq!((flow.window(), flow.source.stage.unwrap().elapsed_s), (before, 0.0));
    }

    #[test]
    fn settings_are_checked() {
        let error = cubic(&serde_json::json!({"beta": 1.5})).unwrap_err();
        assert_eq!(error, "beta must be a number between 0 and 1, not 1.5");
    }
}
