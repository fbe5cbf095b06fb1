//! The bandwidth estimate of Westwood: samples of acknowledged bits over time, and filters over them.

use serde::{Deserialize, Serialize};

use crate::units::{nanos, seconds, Nanos, MILLISECOND};

/// How samples are taken and smoothed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Filter {
    /// One sample per round trip, `bw = 0.9 bw + 0.1 b` (Westwood+).
    #[default]
    WestwoodPlus,
    /// One sample per acknowledgement through a Tustin filter with time constant tau (MobiCom 2001, eq. 3).
    Tustin,
    /// As Westwood+, over the mean of the last two samples (ns-3, `TcpWestwoodPlus`).
    Ns3,
    /// Two filters of 7/8 in a row over samples of a round trip but at least 50 ms (Linux, `tcp_westwood.c`).
    Linux,
}

/// Least span of a sample in Linux (`TCP_WESTWOOD_RTT_MIN`).
const LINUX_MIN_SPAN: Nanos = 50 * MILLISECOND;

/// The estimate of one flow.
#[derive(Clone, Copy, Debug)]
pub struct Bandwidth {
    filter: Filter,
    tau_s: f64,
    /// Start of the current sample.
    since: Option<Nanos>,
    bytes: u64,
    last_sample: f64,
    /// Of Linux: after the first filter.
    between: f64,
    estimate: f64,
}

impl Bandwidth {
    /// Nothing measured yet; `tau_s` is the time constant of [`Filter::Tustin`].
    #[must_use]
    pub fn new(filter: Filter, tau_s: f64) -> Self {
        Self { filter, tau_s, since: None, bytes: 0, last_sample: 0.0, between: 0.0, estimate: 0.0 }
    }

    /// Bytes arrived, by an acknowledgement; `rtt_s` is the last round-trip time, seconds.
    pub fn on_ack(&mut self, now: Nanos, arrived_bytes: u64, rtt_s: Option<f64>) {
        let Some(since) = self.since else {
            // The first acknowledgement opens the first sample: the time of its bytes is unknown.
            self.since = Some(now);
            return;
        };
        self.bytes += arrived_bytes;
        let span = now.saturating_sub(since);
        let wanted = match self.filter {
            Filter::Tustin => 1,
            Filter::WestwoodPlus | Filter::Ns3 => nanos(rtt_s.unwrap_or(0.0)).max(1),
            Filter::Linux => nanos(rtt_s.unwrap_or(0.0)).max(LINUX_MIN_SPAN),
        };
        if span >= wanted {
            self.sample(8.0 * self.bytes as f64 / seconds(span), seconds(span));
            self.since = Some(now);
            self.bytes = 0;
        }
    }

    /// The estimate.
    #[must_use]
    pub fn bits_per_s(&self) -> f64 {
        self.estimate
    }

    fn sample(&mut self, sample: f64, span_s: f64) {
        match self.filter {
            Filter::WestwoodPlus => self.estimate = 0.9 * self.estimate + 0.1 * sample,
            Filter::Ns3 => self.estimate = 0.9 * self.estimate + 0.1 * (sample + self.last_sample) / 2.0,
            Filter::Linux => {
                self.between = (7.0 * self.between + sample) / 8.0;
                self.estimate = (7.0 * self.estimate + self.between) / 8.0;
            }
            Filter::Tustin => {
                // After a silence of 2 tau nothing is left of the past; beyond it the weight would turn negative.
                let ratio = (2.0 * self.tau_s / span_s).max(1.0);
                self.estimate = ((ratio - 1.0) * self.estimate + sample + self.last_sample) / (ratio + 1.0);
            }
        }
        self.last_sample = sample;
    }

    #[cfg(test)]
    pub(super) fn set(&mut self, bits_per_s: f64) {
        self.estimate = bits_per_s;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimates(filter: Filter, samples: [(f64, f64); 3]) -> [f64; 3] {
        let mut bandwidth = Bandwidth::new(filter, 0.5);
        samples.map(|(sample, span_s)| {
            bandwidth.sample(sample, span_s);
            bandwidth.bits_per_s()
        })
    }

    fn assert_close(found: [f64; 3], expected: [f64; 3]) {
        for (a, b) in found.iter().zip(expected) {
            assert!((a / b - 1.0).abs() < 1e-6, "{a} is not {b}");
        }
    }

    #[test]
    fn v_tcp5_filters() {
        let per_round_trip = [(1e6, 0.1), (1e6, 0.1), (2e6, 0.1)];
        assert_close(estimates(Filter::WestwoodPlus, per_round_trip), [100e3, 190e3, 371e3]);
        assert_close(estimates(Filter::Ns3, per_round_trip), [50e3, 145e3, 280.5e3]);
        assert_close(estimates(Filter::Linux, per_round_trip), [15_625.0, 42_968.75, 94_482.421_875]);
        let per_ack = [(800e3, 0.01), (800e3, 0.01), (400e3, 0.02)];
        assert_close(estimates(Filter::Tustin, per_ack), [7_920.792, 23_605.529, 46_209.234]);
    }

    #[test]
    fn samples_span_a_round_trip() {
        let mut bandwidth = Bandwidth::new(Filter::WestwoodPlus, 0.5);
        for at in 0..=10 {
            bandwidth.on_ack(at * 10 * MILLISECOND, 1000, Some(0.1));
        }
        assert!((bandwidth.bits_per_s() - 0.1 * 800e3).abs() < 1e-6, "{}", bandwidth.bits_per_s());
    }

    #[test]
    fn a_long_silence_leaves_nothing_negative() {
        let [first, second, third] = estimates(Filter::Tustin, [(1e6, 0.01), (0.0, 5.0), (0.0, 5.0)]);
        assert!(first > 0.0 && second >= 0.0 && third >= 0.0);
    }
}
