//! Routing protocols that nodes run, as they are declared.

use serde::{Deserialize, Serialize};

use crate::units::{Nanos, MILLISECOND, SECOND};

/// A routing protocol whose messages nodes send on the air.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Routing {
    /// Destination-sequenced distance vectors.
    Dsdv(Dsdv),
}

/// DSDV (Perkins and Bhagwat, SIGCOMM 1994); the defaults are the constants of ns-2.35.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dsdv {
    /// Between full updates of a node, of which each takes 75 to 100 % (`perup_`).
    pub period_ns: Nanos,
    /// What routes are taken to need to settle before anything was measured (`wst0_`); a route is told of after twice its
    /// settling time.
    pub settling_ns: Nanos,
    /// How much of the settling time an update leaves as it was (`alpha_`).
    pub settling_weight: f64,
    /// Least time from an update of a node to its next triggered one.
    pub triggered_ns: Nanos,
    /// Periods without a message after which a neighbour is gone (`min_update_periods_`).
    pub silent_periods: u32,
    /// Nodes send their first update within this time.
    pub startup_ns: Nanos,
    /// Updates wait up to this long, so that those of several nodes do not collide.
    pub jitter_ns: Nanos,
    /// Size of an entry, bytes.
    pub entry_bytes: u32,
    /// Headers of a message, bytes.
    pub header_bytes: u32,
    /// Rate of its broadcasts, bit/s; `None`: that of control frames.
    pub rate_bps: Option<u64>,
    /// Whether messages go before the data that waits at the radio.
    pub messages_first: bool,
    /// Packets that a node keeps for a destination without a route.
    pub held_packets: u32,
    /// Links after which a packet is dropped.
    pub most_links: u16,
    /// When nodes are out of service: they neither send nor take messages and forward nothing.
    pub outages: Vec<Outage>,
}

/// A time in which a node is out of service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outage {
    /// The node.
    pub node: String,
    /// Its start.
    pub from_ns: Nanos,
    /// Its end.
    pub until_ns: Nanos,
}

impl Default for Dsdv {
    fn default() -> Self {
        Self {
            period_ns: 15 * SECOND,
            settling_ns: 6 * SECOND,
            settling_weight: 0.875,
            triggered_ns: SECOND,
            silent_periods: 3,
            startup_ns: 2 * SECOND,
            jitter_ns: 10 * MILLISECOND,
            entry_bytes: 12,
            header_bytes: 20,
            rate_bps: None,
            messages_first: true,
            held_packets: 5,
            most_links: 32,
            outages: Vec::new(),
        }
    }
}
