//! Declared hearing: which nodes decode, sense and disturb which others.

use serde::{Deserialize, Serialize};

/// Relations between nodes of the wireless medium. What is decoded is sensed; what is sensed disturbs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hearing {
    /// Every node decodes every other.
    #[default]
    Everyone,
    /// As listed.
    Graph(Graph),
    /// By distance between the nodes' positions.
    Range(Range),
}

/// Relations as pairs of names, transmitter first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Graph {
    /// Who decodes whose frames.
    pub decodes: Vec<(String, String)>,
    /// Who senses whose frames without decoding them.
    pub senses: Vec<(String, String)>,
    /// Whose frames are neither decoded nor sensed, but corrupt others.
    pub corrupts: Vec<(String, String)>,
    /// Whether every pair holds the other way too.
    pub symmetric: bool,
    /// Received powers, where a stronger frame survives a weaker one; pairs that are missing never survive.
    pub powers: Vec<ReceivedPower>,
    /// How much stronger a frame must be than each that overlaps it, dB; `None`: overlapping always corrupts.
    pub capture_db: Option<f64>,
}

/// Power of one node's frames at another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceivedPower {
    /// The transmitter.
    pub from: String,
    /// The receiver.
    pub to: String,
    /// Received power, dBm.
    pub dbm: f64,
}

/// Relations by distance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// Frames are decoded up to here, metres.
    pub decode_m: f64,
    /// Frames are sensed up to here, metres; by default where they are decoded.
    #[serde(default)]
    pub sense_m: Option<f64>,
    /// Frames corrupt others up to here, metres; by default where they are sensed.
    #[serde(default)]
    pub corrupt_m: Option<f64>,
    /// As in [`Graph::capture_db`]; powers fall with the fourth power of distance (two-ray ground reflection).
    #[serde(default)]
    pub capture_db: Option<f64>,
    /// Interval at which hearing follows the positions of moving nodes, nanoseconds.
    #[serde(default = "default_update_ns")]
    pub update_ns: u64,
}

impl Range {
    /// One range for decoding, sensing and disturbing.
    #[must_use]
    pub fn new(decode_m: f64) -> Self {
        Self { decode_m, sense_m: None, corrupt_m: None, capture_db: None, update_ns: default_update_ns() }
    }
}

fn default_update_ns() -> u64 {
    100_000_000
}
