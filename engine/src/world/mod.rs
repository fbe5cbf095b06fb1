//! The world of a run as it is declared: plain data, read from TOML or JSON or built in code.

mod aggregation;
mod change;
mod discipline;
mod document;
mod error;
mod flow;
mod headers;
mod hearing;
mod link;
mod location;
mod mac;
mod probing;
mod routing;

use serde::{Deserialize, Serialize};

pub use aggregation::{subframe_bytes, Aggregation};
pub use change::{Background, Change, ChangeKind, LinkChange};
pub use discipline::FqCodelSpec;
pub use error::WorldError;
pub use flow::{FlowSpec, Reroute, Source, TransportSpec, WindowReduction};
pub use headers::CongestionHeaders;
pub use hearing::{Graph, Hearing, Range, ReceivedPower};
pub use link::{AirtimePoint, LinkMedium, LinkSpec, NodeSpec, QueueSpec, Waypoint, WiredSpec, WirelessSpec};
pub use location::{Location, Step};
pub use mac::{Access, AnswerWait, ControlAirtimes, Eifs, MacParameters, Preset, ACK_BYTES, CTS_BYTES, RTS_BYTES};
pub use probing::Probing;
pub use routing::{Dsdv, Outage, Routing};

use crate::units::{Nanos, MILLISECOND, SECOND};

/// A run without its controllers and seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct World {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// How long it runs.
    #[serde(default = "default_duration_ns")]
    pub duration_ns: Nanos,
    /// MAC and PHY of the wireless nodes.
    #[serde(default, deserialize_with = "mac::deserialize")]
    pub mac: MacParameters,
    /// Nodes; their order gives them their [`crate::index::NodeId`].
    pub nodes: Vec<NodeSpec>,
    /// Links; their order gives them their [`crate::index::LinkId`], where a duplex link counts as two.
    pub links: Vec<LinkSpec>,
    /// Flows; their order gives them their [`crate::index::FlowId`].
    #[serde(default)]
    pub flows: Vec<FlowSpec>,
    /// Who hears whom.
    #[serde(default)]
    pub hearing: Hearing,
    /// Changes during the run.
    #[serde(default)]
    pub changes: Vec<Change>,
    /// Background transmissions, not simulated.
    #[serde(default)]
    pub background: Vec<Background>,
    /// How long a wireless link is broken for routing after its MAC dropped a packet, as reactive protocols (AODV) see
    /// it: what waits for it is dropped, and so is what comes while the route is repaired. `None`: routes are static.
    #[serde(default)]
    pub route_repair_ns: Option<Nanos>,
    /// Whether a route is repaired when the first packet asks for it, and packets that begin at the node wait until
    /// then, as AODV has it (RFC 3561, sec. 6.3); otherwise from the break on, and all are dropped.
    #[serde(default)]
    pub route_repair_holds: bool,
    /// The routing protocol that nodes run: packets take its routes where they have a radio to send on, and its messages
    /// contend for the medium. `None`: routes are as declared.
    #[serde(default)]
    pub routing: Option<Routing>,
    /// Probes of the links that flows take; `None`: only what is sent anyway is measured.
    #[serde(default)]
    pub probing: Option<Probing>,
    /// What the fields of congestion controllers cost on the way.
    #[serde(default)]
    pub congestion_headers: CongestionHeaders,
    /// What is written down.
    #[serde(default)]
    pub record: RecordSpec,
}

/// What is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecordSpec {
    /// Width of the bins of the results.
    pub bin_ns: Nanos,
    /// Whether every step of every packet is kept, up to [`RecordSpec::MAX_EVENTS`].
    pub events: bool,
}

impl RecordSpec {
    /// Most steps that are kept; [`crate::record::Outcome::packet_events`] counts all.
    pub const MAX_EVENTS: usize = 5_000_000;
}

impl Default for RecordSpec {
    fn default() -> Self {
        Self { bin_ns: 100 * MILLISECOND, events: false }
    }
}

impl World {
    /// A world of nodes and links that hear each other, without flows, for a minute.
    #[must_use]
    pub fn new(name: impl Into<String>, nodes: Vec<NodeSpec>, links: Vec<LinkSpec>) -> Self {
        Self {
            name: name.into(),
            duration_ns: default_duration_ns(),
            mac: MacParameters::default(),
            nodes,
            links,
            flows: Vec::new(),
            hearing: Hearing::default(),
            changes: Vec::new(),
            background: Vec::new(),
            route_repair_ns: None,
            route_repair_holds: false,
            routing: None,
            probing: None,
            congestion_headers: CongestionHeaders::default(),
            record: RecordSpec::default(),
        }
    }

    /// Reads a world from TOML.
    ///
    /// # Errors
    ///
    /// [`WorldError::Syntax`], which shows the line. Whether the world makes sense is told when it is run.
    pub fn from_toml(text: &str) -> Result<Self, WorldError> {
        toml::from_str(text).map_err(|error| WorldError::Syntax(error.to_string()))
    }

    /// Reads a world from JSON.
    ///
    /// # Errors
    ///
    /// [`WorldError::Syntax`], which names line and column.
    pub fn from_json(text: &str) -> Result<Self, WorldError> {
        serde_json::from_str(text).map_err(|error| WorldError::Syntax(error.to_string()))
    }
}

fn default_duration_ns() -> Nanos {
    60 * SECOND
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALF_A_WORLD: &str = r#"
duration_ns = 5_000_000_000
nodes = [{ name = "a" }, { name = "b" }]

[mac]
preset = "802.11g"
rts_threshold_bytes = 500

[[links]]
from = "a"
to = "b"
medium.wireless = { rate_bps = 54_000_000, loss = 0.1 }

[[flows]]
name = "f"
path = ["a", "b"]
source.cbr.rate_bps = 64_000
"#;

    #[test]
    fn toml_is_read_over_the_presets() {
        let world = World::from_toml(HALF_A_WORLD).unwrap();
        assert_eq!(world.mac, MacParameters { rts_threshold_bytes: Some(500), ..MacParameters::dot11g() });
        assert_eq!(world.flows[0].source, Source::Cbr { rate_bps: 64_000 });
        let json = serde_json::to_string(&world).unwrap();
        assert_eq!(World::from_json(&json).unwrap(), world);
    }

    #[test]
    fn errors_name_the_line() {
        let replaced = [
            ("rate_bps = 54_000_000", "rate_bsp = 54_000_000", "rate_bsp", 12),
            ("rate_bps = 54_000_000", "rate_bps = -54", "invalid value: integer `-54`", 12),
            ("rts_threshold_bytes", "rts_threshold", "unknown field `rts_threshold`", 7),
            ("rts_threshold_bytes = 500", "slot_ns = -3", "invalid value: integer `-3`", 7),
            ("802.11g", "802.11z", "unknown variant `802.11z`", 6),
            ("to = \"b\"", "", "missing field `to`", 9),
        ];
        for (right, wrong, about, line) in replaced {
            let error = World::from_toml(&HALF_A_WORLD.replace(right, wrong)).unwrap_err().to_string();
            assert!(error.contains(&format!("line {line},")), "{error}");
            assert!(error.contains(about), "{error}");
        }
    }
}
