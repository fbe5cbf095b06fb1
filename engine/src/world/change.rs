//! Declared changes during a run.

use serde::{Deserialize, Serialize};

use crate::units::Nanos;

use super::hearing::Hearing;
use super::link::AirtimePoint;

/// Something that changes at an instant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// When.
    pub at_ns: Nanos,
    /// What.
    pub change: ChangeKind,
}

/// What changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// A link's conditions.
    Link(LinkChange),
    /// Who hears whom.
    Hearing(Hearing),
}

/// New conditions of one link, in one direction; what is `None` stays as it was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LinkChange {
    /// The node that sends.
    pub from: String,
    /// The node that receives.
    pub to: String,
    /// Rate, bit/s.
    pub rate_bps: Option<u64>,
    /// Probability that the channel loses a data frame, or a packet on a wire.
    pub loss: Option<f64>,
    /// Probability that the channel loses a control frame.
    pub control_loss: Option<f64>,
    /// Measured airtimes; empty: computed from the rate.
    pub airtimes: Option<Vec<AirtimePoint>>,
}

/// When a node senses the medium busy for reasons that the world does not simulate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Background {
    /// The node.
    pub node: String,
    /// Intervals `[start, end)` in nanoseconds, in order of time and apart from each other.
    pub busy_ns: Vec<(Nanos, Nanos)>,
    /// Whether frames that the node receives are lost when they overlap an interval.
    #[serde(default)]
    pub corrupts: bool,
}
