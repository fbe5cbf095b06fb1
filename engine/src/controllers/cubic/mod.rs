//! TCP CUBIC (RFC 9438): the window is a cubic function of the time since the last loss, whatever the round-trip time.
//!
//! Symbols are those of the RFC: windows in segments, times in seconds. Slow start ends at the threshold or with a loss,
//! not by HyStart++ (sec. 4.10); such a loss halves the window, which is up to twice what the path holds. Spurious losses
//! (sec. 4.9) are not undone, as the transport does not detect them. Linux and ns-3 differ from the RFC by
//! [`CubicConfig::growth`], [`CubicConfig::reduces`], [`CubicConfig::hystart`] and [`CubicConfig::beta_slow_start`].

mod config;
mod hystart;

use super::end_to_end::EndToEnd;
use super::window::{flight_at, Window};
use crate::controller::{Ack, Congestion, Endpoint, FlowSetup, FlowView};
use crate::units::{Nanos, SECOND};
pub use config::{CubicConfig, Growth, Reduced};
pub use hystart::HyStart;

use hystart::Round;

/// Most that the window grows by in a round trip, as a factor (RFC 9438, sec. 4.2).
const MAX_GROWTH: f64 = 1.5;
/// Least growth in a round trip before the first loss (Linux, ns-3).
const MIN_GROWTH: f64 = 0.05;
/// Growth in a round trip at the plateau, segments (Linux, ns-3).
const PLATEAU_GROWTH: f64 = 0.01;

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
    /// Of slow start.
    round: Round,
    /// The least smoothed round-trip time, since the last timeout.
    least_smoothed_s: Option<f64>,
}

/// A stage of congestion avoidance (RFC 9438, sec. 4.2 and 4.3).
#[derive(Clone, Copy, Debug)]
struct Stage {
    /// `t`: time in which the window grew.
    elapsed_s: f64,
    last_ack: Nanos,
    /// `W_max`.
    maximum: f64,
    /// No loss yet, or a timeout was the last.
    first: bool,
    /// `K`: when the function reaches `W_max`.
    until_maximum_s: f64,
    /// `W_est`: the window of a Reno flow.
    reno: f64,
    /// Window from which on `W_est` grows as that of Reno itself does, `cwnd_prior`.
    prior: f64,
}

impl Stage {
    fn begin(now: Nanos, config: &CubicConfig, window: f64, maximum: Option<f64>, prior: Option<f64>) -> Stage {
        let first = maximum.is_none();
        let maximum = maximum.unwrap_or(window).max(window);
        let until_maximum_s = libm::cbrt((maximum - window) / config.c);
        let prior = prior.unwrap_or(window);
        Stage { elapsed_s: 0.0, last_ack: now, maximum, first, until_maximum_s, reno: window, prior }
    }

    /// `W_cubic(t)` (RFC 9438, fig. 1).
    fn cubic(&self, c: f64, t: f64) -> f64 {
        let since = t - self.until_maximum_s;
        c * since * since * since + self.maximum
    }

    /// The window after `acked` more segments, from `window`; `ahead_s`: time in which it shall reach the function.
    fn grow(&mut self, config: &CubicConfig, window: f64, acked: f64, ahead_s: f64) -> f64 {
        let beta = config.beta;
        let alpha = if self.reno < self.prior { 3.0 * (1.0 - beta) / (1.0 + beta) } else { 1.0 };
        self.reno += alpha * acked / window;
        if config.growth != Growth::Rfc9438 {
            return window + acked * self.per_segment(config, window, ahead_s);
        }
        if self.cubic(config.c, self.elapsed_s) < self.reno {
            return self.reno.max(window);
        }
        let target = self.cubic(config.c, self.elapsed_s + ahead_s).clamp(window, MAX_GROWTH * window);
        window + (target - window) / window * acked
    }

    /// What each acknowledged segment adds to the window in Linux and ns-3.
    fn per_segment(&self, config: &CubicConfig, window: f64, ahead_s: f64) -> f64 {
        let target = self.cubic(config.c, self.elapsed_s + ahead_s);
        let least = if self.first { MIN_GROWTH } else { 0.0 };
        let reno = if config.growth == Growth::Linux { self.reno } else { 0.0 };
        let grows = (target.max(reno) - window).max(PLATEAU_GROWTH) / window;
        grows.max(least).min(MAX_GROWTH - 1.0)
    }
}

impl Source {
    fn new(config: CubicConfig, flow: &FlowSetup) -> Self {
        Self {
            config,
            window: Window::new(flow),
            prior: None,
            maximum: None,
            stage: None,
            round: Round::default(),
            least_smoothed_s: None,
        }
    }

    /// The least round-trip time, as Linux or ns-3 has it.
    fn least_s(&self, flow: &FlowView) -> Option<f64> {
        match (self.config.growth, self.config.hystart) {
            (Growth::Ns3, _) | (_, HyStart::Ns3) => self.least_smoothed_s,
            _ => flow.least_rtt_s,
        }
    }

    fn slow_start(&mut self, now: Nanos, flow: &FlowView, ack: &Ack) {
        let rtt_s = if self.config.hystart == HyStart::Ns3 { flow.smoothed_rtt_s } else { ack.rtt_s };
        if let (Some(rtt_s), Some(least_s)) = (rtt_s, self.least_s(flow)) {
            let (kind, places) = (self.config.hystart, (ack.segment, flow.next_segment));
            if self.round.is_last(kind, now, places, (rtt_s, least_s), self.window.segments()) {
                return self.window.settle(self.window.segments());
            }
        }
        if self.config.growth == Growth::Rfc9438 {
            self.window.grow(flow, ack);
        } else {
            self.window.grow_by_bytes(flow, ack);
        }
    }

    fn avoid_congestion(&mut self, now: Nanos, flow: &FlowView, ack: &Ack) {
        let window = self.window.segments();
        let (config, maximum, prior) = (self.config, self.maximum, self.prior);
        let ahead_s = if config.growth == Growth::Rfc9438 { flow.smoothed_rtt_s } else { self.least_s(flow) };
        let ahead_s = ahead_s.unwrap_or(0.0);
        let stage = self.stage.get_or_insert_with(|| Stage::begin(now, &config, window, maximum, prior));
        let passed = now.saturating_sub(stage.last_ack);
        stage.last_ack = now;
        let segment = f64::from(flow.mss_bytes.max(1));
        let used = (flow.flight_bytes + ack.newly_acked_bytes) as f64 / segment;
        if window >= used + 1.0 {
            return; // a window that the flow does not fill does not grow, and t stands still (sec. 4.2 and 5.8)
        }
        stage.elapsed_s += passed as f64 / SECOND as f64;
        self.window.settle(stage.grow(&config, window, ack.newly_acked_bytes as f64 / segment, ahead_s));
    }

    /// What is remembered of the window before it is reduced (RFC 9438, sec. 4.6 to 4.8).
    fn remember(&mut self, event: Congestion) {
        let window = self.window.segments();
        self.stage = None;
        if matches!(event, Congestion::Timeout { .. }) {
            (self.prior, self.maximum, self.least_smoothed_s) = (None, None, None);
            self.round = Round::default();
            return;
        }
        let below_last = self.maximum.is_some_and(|maximum| window < maximum);
        let share = if below_last && self.config.fast_convergence { (1.0 + self.config.beta) / 2.0 } else { 1.0 };
        (self.prior, self.maximum) = (Some(window), Some(window * share));
    }
}

impl Endpoint for Source {
    fn on_ack(&mut self, now: Nanos, flow: &FlowView, ack: &Ack) {
        self.least_smoothed_s = flow.smoothed_rtt_s.into_iter().chain(self.least_smoothed_s).reduce(f64::min);
        if self.window.in_slow_start() {
            self.slow_start(now, flow, ack);
        } else if ack.advanced && !ack.in_recovery {
            self.avoid_congestion(now, flow, ack);
        }
    }

    fn on_congestion(&mut self, _now: Nanos, _flow: &FlowView, event: Congestion) {
        if matches!(event, Congestion::Echo { .. }) && !self.config.ecn {
            return;
        }
        let beta = if self.window.in_slow_start() { self.config.beta_slow_start } else { self.config.beta };
        let Some(flight) = flight_at(event) else { return self.window.respond(event, 0.0) };
        let reduced = if self.config.reduces == Reduced::Window { self.window.bytes() } else { flight as f64 };
        self.remember(event);
        self.window.respond(event, (reduced * beta).floor());
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
    fn before_the_first_loss_linux_grows_by_a_twentieth_at_least() {
        let of = |growth| {
            let mut flow = Flow::new(CubicConfig { growth, ..CubicConfig::default() }, 100, 0.1);
            flow.run(0.1);
            flow.window()
        };
        assert!((of(Growth::Linux) - 105.0).abs() < 0.3, "{}", of(Growth::Linux));
        assert!(of(Growth::Rfc9438) < 102.0, "{}", of(Growth::Rfc9438));
    }

    #[test]
    fn in_ns3_short_round_trips_do_not_grow_as_reno_does() {
        let mut flow = Flow::new(CubicConfig { growth: Growth::Ns3, ..CubicConfig::default() }, 20, 0.01);
        flow.lose();
        flow.run(0.1);
        assert!((flow.window() - (20.0 - 0.4 * (2.466_f64 - 0.1).powi(3))).abs() < 0.1, "{}", flow.window());
    }

    #[test]
    fn linux_reduces_the_window_and_the_rfc_what_is_in_flight() {
        let left = |reduces| {
            let mut source = Source::new(CubicConfig { reduces, ..CubicConfig::default() }, &setup(100));
            source.window.settle(100.0);
            source.on_congestion(0, &view(0), Congestion::FastRetransmit { flight_bytes: 60_000 });
            source.window_bytes()
        };
        assert_eq!([left(Reduced::Flight), left(Reduced::Window)], [42_000.0, 70_000.0]);
    }

    /// A queue of 100 packets behind 10 Mbit/s and 40 ms: without HyStart slow start ends by losing many of them.
    #[test]
    fn hystart_ends_slow_start_without_a_loss() {
        use crate::world::{FlowSpec, LinkSpec, NodeSpec, QueueSpec, World};
        let lost = [HyStart::None, HyStart::Linux, HyStart::Ns3].map(|hystart| {
            let link = LinkSpec::wired("a", "b", 10_000_000, SECOND / 50).with_queue(QueueSpec::packets(100));
            let mut world = World::new("wire", vec![NodeSpec::new("a"), NodeSpec::new("b")], vec![link]);
            world.duration_ns = 2 * SECOND;
            world.flows.push(FlowSpec::new("f", ["a", "b"]));
            let mut choice = crate::request::Choice::new("cubic");
            choice.settings = serde_json::json!({ "hystart": hystart });
            let request = crate::request::Request { world, controllers: vec![choice], seed: 1 };
            request.run().unwrap().links.dropped_queue[0]
        });
        assert!(lost[0] > 20 && lost[1] == 0 && lost[2] == 0, "{lost:?}");
    }

    #[test]
    fn settings_are_checked() {
        let error = cubic(&serde_json::json!({"beta": 1.5})).unwrap_err();
        assert_eq!(error, "beta must be a number between 0 and 1, not 1.5");
    }
}
