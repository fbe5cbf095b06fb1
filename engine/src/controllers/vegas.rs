//! TCP Vegas: Brakmo and Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet", 1995.
//!
//! Once per round trip the window is compared with what the least round-trip time ever seen would need; the
//! difference is what the flow keeps in queues. Losses are handled as by NewReno: the transport's
//! detection replaces the paper's fine-grained timeouts (sec. 3.1).
//!
//! Two readings are in use, and registered by a name each: that of ns-2 ([`VegasConfig::default`]), and that of Linux
//! and ns-3 ([`VegasConfig::linux`]).

use serde::{Deserialize, Serialize};

use super::end_to_end::EndToEnd;
use super::settings::{self, Settings};
use super::window::{flight_at, Window};
use crate::controller::{Ack, Congestion, Endpoint, FlowSetup, FlowView};
use crate::units::Nanos;

/// Share of the window that ns-2 gives up when slow start ends.
const LESS_AFTER_SLOW_START: f64 = 1.0 / 8.0;
/// Linux and ns-3 judge a round of so many samples or fewer as Reno does.
const FEW_SAMPLES: u32 = 2;
/// ns-2's window grows while it is at most so many segments larger than the flight.
const UNUSED_SEGMENTS: f64 = 2.0;

/// What stands for the round-trip time of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoundTripOf {
    /// The mean of its samples (ns-2); the path's is [`VegasConfig::path`]. Queued segments are rounded.
    Mean,
    /// Its least sample (Linux).
    Least,
    /// The least of its smoothed values; the least of all of them is the path's (ns-3 3.37).
    Smoothed,
}

/// What stands for the round-trip time of the path, where that of a round is the mean of its samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathOf {
    /// The least of the means.
    LeastMean,
    /// The least sample, and the mean of a round in which at most one segment was sent (ns-2). Where round-trip times
    /// vary, as they do over wireless hops, it is far below the least mean, and windows are smaller.
    LeastSample,
}

/// Constants of Vegas.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VegasConfig {
    /// Fewer segments than this in queues: the window grows by one (sec. 3.2).
    pub alpha: f64,
    /// More segments than this in queues: the window shrinks by one (sec. 3.2).
    pub beta: f64,
    /// More segments than this in queues end slow start (sec. 3.3).
    pub gamma: f64,
    /// The round-trip time of a round.
    pub round_trip: RoundTripOf,
    /// The round-trip time of the path, for the mean of a round.
    pub path: PathOf,
    /// Whether slow start doubles every other round trip only (sec. 3.3); Linux and ns-3 double every one.
    pub double_every_other: bool,
    /// The window does not shrink below, segments (ns-2 and Linux).
    pub least_window_segments: f64,
    /// Share of the flight that is left after a loss (RFC 5681, eq. 4).
    pub decrease: f64,
}

impl Default for VegasConfig {
    /// Those of ns-2 2.35, but for the path's round-trip time.
    fn default() -> Self {
        Self {
            alpha: 1.0,
            beta: 3.0,
            gamma: 1.0,
            round_trip: RoundTripOf::Mean,
            path: PathOf::LeastMean,
            double_every_other: true,
            least_window_segments: 2.0,
            decrease: 0.5,
        }
    }
}

impl VegasConfig {
    /// Those of Linux and ns-3.
    #[must_use]
    pub fn linux() -> Self {
        Self { alpha: 2.0, beta: 4.0, round_trip: RoundTripOf::Least, double_every_other: false, ..Self::default() }
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

/// TCP Vegas; `defaults`: the reading registered as `name`; `settings`: a JSON object with fields of [`VegasConfig`] that
/// replace some of them.
///
/// # Errors
///
/// A field that does not exist, or a constant outside its range.
pub fn vegas(
    name: &'static str,
    defaults: VegasConfig,
    settings: &serde_json::Value,
) -> Result<EndToEnd<VegasConfig>, String> {
    EndToEnd::new(name, &defaults, settings, |config, flow| Box::new(Source::new(config, flow)))
}

/// One round trip of measurement.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    /// It ends with the acknowledgement of this segment or a later one; `None` before the first acknowledgement.
    last_segment: Option<u64>,
    /// Least round-trip time in it, seconds.
    least_s: Option<f64>,
    /// Sum of its round-trip times, seconds.
    sum_s: f64,
    /// Their number.
    samples: u32,
}

impl Round {
    fn until(last_segment: u64) -> Self {
        Self { last_segment: Some(last_segment), ..Self::default() }
    }

    fn sample(&mut self, rtt_s: f64) {
        self.least_s = Some(self.least_s.map_or(rtt_s, |least| least.min(rtt_s)));
        self.sum_s += rtt_s;
        self.samples += 1;
    }

    fn mean_s(&self) -> Option<f64> {
        (self.samples > 0).then(|| self.sum_s / f64::from(self.samples))
    }
}

#[derive(Clone, Debug)]
struct Source {
    config: VegasConfig,
    window: Window,
    round: Round,
    /// Whether slow start grows in this round.
    doubles: bool,
    /// What each acknowledgement of this round adds to the window, segments; in slow start it is a whole one.
    growth: f64,
    /// The path's round-trip time, by [`VegasConfig::path`], seconds.
    path_s: Option<f64>,
    /// Least smoothed round-trip time, seconds.
    least_smoothed_s: Option<f64>,
}

impl Source {
    fn new(config: VegasConfig, flow: &FlowSetup) -> Self {
        Self {
            config,
            window: Window::new(flow),
            round: Round::default(),
            doubles: true,
            growth: 0.0,
            path_s: None,
            least_smoothed_s: None,
        }
    }

    /// The path's round-trip time and that of the round, seconds.
    fn round_trips(&mut self, flow: &FlowView) -> Option<(f64, f64)> {
        let (base_s, rtt_s) = match self.config.round_trip {
            RoundTripOf::Least => (flow.least_rtt_s, self.round.least_s),
            RoundTripOf::Smoothed => (self.least_smoothed_s, self.round.least_s),
            RoundTripOf::Mean => {
                let mean_s = self.round.mean_s();
                let sent = self.round.last_segment.map_or(0, |last| flow.next_segment.saturating_sub(last));
                let alone = self.config.path == PathOf::LeastSample && sent <= 1;
                let before_s = self.path_s.filter(|_| !alone || mean_s.is_none());
                self.path_s = [before_s, mean_s].into_iter().flatten().reduce(f64::min);
                (self.path_s, mean_s)
            }
        };
        base_s.zip(rtt_s).filter(|&(_, rtt_s)| rtt_s > 0.0)
    }

    fn end_of_round(&mut self, base_s: f64, rtt_s: f64) {
        let window = self.window.segments();
        let queued = window * (1.0 - base_s / rtt_s);
        let queued = if self.config.round_trip == RoundTripOf::Mean { queued.round() } else { queued };
        if self.window.in_slow_start() {
            self.end_of_round_in_slow_start(queued, window * base_s / rtt_s);
        } else if queued < self.config.alpha {
            self.growth = 1.0 / window;
        } else if queued > self.config.beta {
            self.window.settle((window - 1.0).max(self.config.least_window_segments));
        }
    }

    /// `needed`: the window without what is queued, segments.
    fn end_of_round_in_slow_start(&mut self, queued: f64, needed: f64) {
        let window = self.window.segments();
        // A round that did not grow shows what the window is worth (sec. 3.3); ns-2 asks after those only.
        let asks = self.config.round_trip != RoundTripOf::Mean || !self.doubles;
        if asks && queued > self.config.gamma {
            let window = match self.config.round_trip {
                RoundTripOf::Least | RoundTripOf::Smoothed => (needed + 1.0).min(window),
                RoundTripOf::Mean => window * (1.0 - LESS_AFTER_SLOW_START),
            };
            self.window.settle(window.max(self.config.least_window_segments));
        }
        self.doubles = !self.doubles || !self.config.double_every_other;
    }

    fn grow(&mut self, flow: &FlowView, ack: &Ack) {
        if self.window.in_slow_start() {
            if self.doubles {
                self.window.grow(flow, ack);
            }
        } else if self.growth > 0.0 {
            let window = self.window.segments();
            let flight = flow.flight_bytes as f64 / f64::from(flow.mss_bytes.max(1));
            if window - flight <= UNUSED_SEGMENTS {
                self.window.settle(window + self.growth);
            }
        }
    }
}

impl Endpoint for Source {
    fn on_ack(&mut self, _now: Nanos, flow: &FlowView, ack: &Ack) {
        // A SYN is faster than any data.
        if let Some(rtt_s) = ack.rtt_s.filter(|_| ack.newly_acked_bytes > 0) {
            let smoothed_s = flow.smoothed_rtt_s.filter(|_| self.config.round_trip == RoundTripOf::Smoothed);
            self.least_smoothed_s = [self.least_smoothed_s, smoothed_s].into_iter().flatten().reduce(f64::min);
            self.round.sample(smoothed_s.unwrap_or(rtt_s));
            if self.config.path == PathOf::LeastSample {
                self.path_s = [self.path_s, Some(rtt_s)].into_iter().flatten().reduce(f64::min);
            }
        }
        if !ack.advanced || ack.in_recovery {
            return;
        }
        if self.round.last_segment.is_none_or(|last| ack.segment >= last) {
            let round_trips = self.round_trips(flow);
            if let (Some(_), Some((base_s, rtt_s))) = (self.round.last_segment, round_trips) {
                self.growth = 0.0;
                if self.config.round_trip == RoundTripOf::Mean || self.round.samples > FEW_SAMPLES {
                    self.end_of_round(base_s, rtt_s);
                } else if !self.window.in_slow_start() {
                    self.window.grow(flow, ack);
                }
            }
            self.round = Round::until(flow.next_segment);
        }
        self.grow(flow, ack);
    }

    fn on_congestion(&mut self, _now: Nanos, flow: &FlowView, event: Congestion) {
        let flight = flight_at(event).unwrap_or(0) as f64;
        self.window.respond(event, (flight * self.config.decrease).floor());
        self.round = Round::until(flow.next_segment);
        self.growth = 0.0;
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
    use crate::controller::Controller;
    use crate::controllers::test_flow::{acknowledged, setup, view};

    /// Window after one round with `rtt_s` over a least of 0.1 s and an acknowledgement of the next, segments.
    fn after(config: VegasConfig, threshold: f64, rtt_s: f64) -> f64 {
        let mut source = Source::new(config, &setup(20));
        source.window.threshold = threshold * 1000.0;
        source.round = Round::until(0);
        (0..FEW_SAMPLES).for_each(|_| source.round.sample(rtt_s));
        source.doubles = false;
        source.path_s = Some(0.1);
        let flow = FlowView { least_rtt_s: Some(0.1), next_segment: 20, ..view(19_000) };
        source.on_ack(0, &flow, &acknowledged(1000, Some(rtt_s)));
        let settled = source.window.segments();
        settled + source.growth * (20.0 - f64::from(u8::from(source.growth > 0.0)))
    }

    #[test]
    fn v_tcp4_the_queued_share_steers_the_window() {
        let linux = VegasConfig { double_every_other: true, ..VegasConfig::linux() };
        assert_eq!([0.105, 0.12, 0.15].map(|rtt_s| after(linux, 10.0, rtt_s)), [21.0, 20.0, 19.0]);
        assert!((after(linux, 64.0, 0.12) - 17.666_667).abs() < 1e-6);
    }

    #[test]
    fn ns2_rounds_what_is_queued_and_gives_up_an_eighth() {
        let ns2 = VegasConfig::default();
        // 0.95, 1.54, 3.33 and 3.57 segments.
        assert_eq!([0.105, 0.108_33, 0.12, 0.121_74].map(|rtt_s| after(ns2, 10.0, rtt_s)), [20.0, 20.0, 20.0, 19.0]);
        assert_eq!(after(ns2, 10.0, 0.102), 21.0, "0.39 segments are none");
        assert_eq!(after(ns2, 64.0, 0.12), 17.5);
    }

    #[test]
    fn slow_start_grows_in_every_other_round() {
        let controller = vegas("vegas", VegasConfig::default(), &serde_json::Value::Null).unwrap();
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

    /// One sample of a round is far below its mean: for ns-2 more is queued then.
    #[test]
    fn the_path_is_the_least_mean_or_the_least_sample_of_ns2() {
        let queued_in = |path, sent: u64| {
            let mut source = Source::new(VegasConfig { path, ..VegasConfig::default() }, &setup(20));
            source.window.threshold = 10_000.0;
            source.round = Round::until(100);
            for (segment, rtt_s) in [(98, 0.06), (99, 0.14), (100, 0.1)] {
                let flow = FlowView { next_segment: 100 + sent, ..view(19_000) };
                source.on_ack(0, &flow, &Ack { segment, ..acknowledged(1000, Some(rtt_s)) });
            }
            (source.path_s, source.window.segments())
        };
        let (mean_s, window) = queued_in(PathOf::LeastMean, 20);
        assert!((mean_s.unwrap() - 0.1).abs() < 1e-9);
        assert_eq!(window, 20.05, "nothing is queued");
        assert_eq!(queued_in(PathOf::LeastSample, 20), (Some(0.06), 19.0), "8 segments are");
        assert!((queued_in(PathOf::LeastSample, 1).0.unwrap() - 0.1).abs() < 1e-9, "a segment alone is not queued");
    }

    #[test]
    fn a_round_of_few_samples_grows_as_renos_does() {
        let mut source = Source::new(VegasConfig::linux(), &setup(20));
        source.window.threshold = 10_000.0;
        source.round = Round::until(0);
        let flow = FlowView { least_rtt_s: Some(0.1), next_segment: 20, ..view(19_000) };
        source.on_ack(0, &flow, &acknowledged(1000, Some(0.105)));
        assert_eq!(source.window.segments(), 20.05, "one segment over a window, not at once");
    }

    #[test]
    fn settings_replace_constants_of_their_reading() {
        let linux = vegas("vegas_linux", VegasConfig::linux(), &serde_json::json!({"beta": 5})).unwrap();
        assert_eq!(*linux.config(), VegasConfig { beta: 5.0, ..VegasConfig::linux() });
        let error = vegas("vegas", VegasConfig::default(), &serde_json::json!({"alpha": 5})).unwrap_err();
        assert!(error.contains("alpha"), "{error}");
    }
}
