//! A queue discipline above the queue of an interface, as it is declared.

use serde::{Deserialize, Serialize};

use crate::units::{Nanos, MILLISECOND};

/// FQ-CoDel (RFC 8290): what the queue of an interface has no room for waits by flow, and of flows that wait too long a
/// packet is dropped from time to time (CoDel, RFC 8289). It drops and does not mark.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FqCodelSpec {
    /// Limit of all flows together, packets; what exceeds it is dropped from the longest one.
    pub packets: u32,
    /// Wait that is accepted.
    pub target_ns: Nanos,
    /// Time for which all packets of a flow have to wait longer before one is dropped.
    pub interval_ns: Nanos,
    /// Bytes that a flow may send in its turn.
    pub quantum_bytes: u32,
}

impl Default for FqCodelSpec {
    /// Those of RFC 8290, sec. 5.2.
    fn default() -> Self {
        Self { packets: 10_240, target_ns: 5 * MILLISECOND, interval_ns: 100 * MILLISECOND, quantum_bytes: 1514 }
    }
}
