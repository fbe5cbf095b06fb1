//! The constants of BBR.

use serde::{Deserialize, Serialize};

use super::{AckAggregation, SentUntil};
use crate::controllers::settings::{self, Settings};

/// What the least round-trip time is the least of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeastOf {
    /// Samples (sec. 4.1.2.3).
    Samples,
    /// Smoothed values, the first of which is that of the SYN (ns-3 until 3.42).
    Smoothed,
}

/// Constants of BBR.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BbrConfig {
    /// Gain of pacing and window in Startup, 2 / ln 2 (sec. 4.3.2.1).
    pub high_gain: f64,
    /// Gain of the window in ProbeBW (sec. 4.2.3.1).
    pub window_gain: f64,
    /// Round trips over which the largest delivery rate is taken (sec. 4.1.1.3).
    pub rate_rounds: u64,
    /// Time over which the least round-trip time is taken, seconds (sec. 4.1.2.3).
    pub rtt_window_s: f64,
    /// Time in ProbeRTT, seconds (sec. 4.3.5).
    pub probe_rtt_s: f64,
    /// What the least round-trip time is taken of.
    pub least_rtt_of: LeastOf,
    /// Until when a sample of the delivery rate was sent.
    pub sent_until: SentUntil,
    /// Room for acknowledgements that come in bursts.
    pub ack_aggregation: AckAggregation,
    /// Segments that the window is larger by while it probes for more bandwidth; Linux and ns-3: 2.
    pub probe_segments: f64,
    /// Segments of a send quantum; 0: by the rate (sec. 4.2.2). ns-3: 1.
    pub quantum_segments: f64,
}

impl Default for BbrConfig {
    fn default() -> Self {
        Self {
            high_gain: 2.885,
            window_gain: 2.0,
            rate_rounds: 10,
            rtt_window_s: 10.0,
            probe_rtt_s: 0.2,
            least_rtt_of: LeastOf::Samples,
            sent_until: SentUntil::Acknowledged,
            ack_aggregation: AckAggregation::None,
            probe_segments: 0.0,
            quantum_segments: 0.0,
        }
    }
}

impl Settings for BbrConfig {
    fn check(&self) -> Result<(), String> {
        settings::positive(&[
            ("high_gain", self.high_gain),
            ("window_gain", self.window_gain),
            ("rate_rounds", self.rate_rounds as f64),
            ("rtt_window_s", self.rtt_window_s),
        ])?;
        settings::not_negative(&[
            ("probe_rtt_s", self.probe_rtt_s),
            ("probe_segments", self.probe_segments),
            ("quantum_segments", self.quantum_segments),
        ])
    }
}
