//! Whether congestion headers take room.

use serde::{Deserialize, Serialize};

/// What the fields of congestion controllers cost on the way: headers of XCP, RCP and WCP, options of C3TCP, and what
/// rt-Winf's receivers tell with their ACKs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CongestionHeaders {
    /// Their octets, like any others.
    #[default]
    Counted,
    /// Nothing, as in ns-2, whose headers have no length.
    Free,
}
