//! Probes of nodes that would know what their links carry.

use serde::{Deserialize, Serialize};

use crate::units::{Nanos, SECOND};

/// rt-Winf's probes (S000 sec. 3.2): a node sends a frame to the next node of a flow before there is anything to transmit,
/// and again while nothing else is sent there, until data gives values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Probing {
    /// Size of a probe as the MAC gets it, bytes.
    pub bytes: u32,
    /// How long what was measured on a link serves before it is probed again. S000 names no time.
    pub interval_ns: Nanos,
}

impl Default for Probing {
    fn default() -> Self {
        Self { bytes: 1000, interval_ns: SECOND }
    }
}
