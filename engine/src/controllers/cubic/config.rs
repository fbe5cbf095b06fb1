//! The constants of CUBIC.

use serde::{Deserialize, Serialize};

use super::HyStart;
use crate::controllers::settings::{self, Settings};

/// How the window follows the cubic function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Growth {
    /// Within a smoothed round-trip time it reaches what the function then is, and it is not below that of a Reno flow
    /// (RFC 9438, sec. 4.2 and 4.3).
    Rfc9438,
    /// The target is the function one least round-trip time ahead, and before the first loss the window grows by at least
    /// a twentieth per round trip.
    Linux,
    /// As in Linux, but without the window of a Reno flow; the least round-trip time is one of smoothed values (ns-3 3.37).
    Ns3,
}

/// What a loss leaves a share of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reduced {
    /// What is in flight (RFC 9438, sec. 4.6).
    Flight,
    /// The window, also where the flow does not fill it (Linux, ns-3).
    Window,
}

/// Constants of CUBIC.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CubicConfig {
    /// C, how steep the function is, segments per cubic second (RFC 9438, sec. 5.1).
    pub c: f64,
    /// Share that is left after a loss or a mark, beta (RFC 9438, sec. 4.6).
    pub beta: f64,
    /// The same for a loss or a mark in slow start (RFC 5681, eq. 4). Linux and ns-3: 0.7.
    pub beta_slow_start: f64,
    /// What that is a share of.
    pub reduces: Reduced,
    /// How the window follows the function.
    pub growth: Growth,
    /// What ends slow start besides losses.
    pub hystart: HyStart,
    /// Whether a flow that loses below its last maximum leaves room for others (RFC 9438, sec. 4.7).
    pub fast_convergence: bool,
    /// Whether congestion marks count as losses do (RFC 3168, sec. 6.1.2).
    pub ecn: bool,
}

impl Default for CubicConfig {
    fn default() -> Self {
        Self {
            c: 0.4,
            beta: 0.7,
            beta_slow_start: 0.5,
            reduces: Reduced::Flight,
            growth: Growth::Rfc9438,
            hystart: HyStart::None,
            fast_convergence: true,
            ecn: true,
        }
    }
}

impl Settings for CubicConfig {
    fn check(&self) -> Result<(), String> {
        settings::positive(&[("c", self.c)])?;
        settings::share(&[("beta", self.beta), ("beta_slow_start", self.beta_slow_start)])
    }
}
