//! Nodes, links and queues as they are declared.

use serde::{Deserialize, Serialize};

use crate::units::Nanos;

use super::FqCodelSpec;

/// A node: a router, an end host, or both. All its wireless links share one radio.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeSpec {
    /// Name; unique in a world.
    pub name: String,
    /// Location in metres, where hearing follows from distance.
    #[serde(default)]
    pub position_m: Option<[f64; 2]>,
    /// Waypoints: its position at each instant, interpolated linearly in between.
    #[serde(default)]
    pub waypoints: Vec<Waypoint>,
    /// A limit that the queues of all its wireless links share, as one interface queue does; `None`: each its own.
    #[serde(default)]
    pub interface_queue: Option<QueueSpec>,
    /// What that queue has no room for waits above it, by flow, in place of being dropped.
    #[serde(default)]
    pub fq_codel: Option<FqCodelSpec>,
}

impl NodeSpec {
    /// A node that has a name only.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// A node at a location.
    #[must_use]
    pub fn at(name: impl Into<String>, x_m: f64, y_m: f64) -> Self {
        Self { position_m: Some([x_m, y_m]), ..Self::new(name) }
    }
}

/// A position at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waypoint {
    /// When.
    pub at_ns: Nanos,
    /// Where, metres.
    pub position_m: [f64; 2],
}

/// A link from one node to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// Name of the node that sends.
    pub from: String,
    /// Name of the node that receives.
    pub to: String,
    /// Whether there is another link like it the other way.
    #[serde(default)]
    pub duplex: bool,
    /// Wire or radio.
    pub medium: LinkMedium,
    /// Its queue.
    #[serde(default)]
    pub queue: QueueSpec,
}

impl LinkSpec {
    /// A wireless link both ways, its other values at their defaults.
    #[must_use]
    pub fn wireless(from: impl Into<String>, to: impl Into<String>, rate_bps: u64) -> Self {
        let medium = LinkMedium::Wireless(WirelessSpec { rate_bps, ..WirelessSpec::default() });
        Self { from: from.into(), to: to.into(), duplex: true, medium, queue: QueueSpec::default() }
    }

    /// A wire both ways, its other values at their defaults.
    #[must_use]
    pub fn wired(from: impl Into<String>, to: impl Into<String>, rate_bps: u64, delay_ns: Nanos) -> Self {
        let medium = LinkMedium::Wired(WiredSpec { rate_bps, delay_ns, loss: 0.0 });
        Self { from: from.into(), to: to.into(), duplex: true, medium, queue: QueueSpec::default() }
    }

    /// The same link with another queue.
    #[must_use]
    pub fn with_queue(mut self, queue: QueueSpec) -> Self {
        self.queue = queue;
        self
    }
}

/// Wire or radio.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkMedium {
    /// 802.11.
    Wireless(WirelessSpec),
    /// A point-to-point wire.
    Wired(WiredSpec),
}

/// A wireless link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WirelessSpec {
    /// PHY rate of data frames, bit/s.
    pub rate_bps: u64,
    /// Rate of RTS, CTS and ACK, bit/s; by default the MAC's.
    pub control_rate_bps: Option<u64>,
    /// Rate of ACKs, bit/s, where it differs from that of RTS and CTS: stations answer at the highest basic rate that
    /// does not exceed the data's (IEEE 802.11 sec. 10.6.6.5.2).
    pub ack_rate_bps: Option<u64>,
    /// Probability that the channel loses a data frame, per attempt.
    pub loss: f64,
    /// Probability that the channel loses a control frame.
    pub control_loss: f64,
    /// Airtimes of data frames as they were measured, in order of size; sizes in between are interpolated, others
    /// extrapolated. Empty: computed from the rate.
    pub airtimes: Vec<AirtimePoint>,
    /// Longest A-MPDU, bytes, where it differs from that of the MAC's `aggregation`; 0: none are sent here.
    pub max_ampdu_bytes: Option<u32>,
}

impl Default for WirelessSpec {
    fn default() -> Self {
        Self {
            rate_bps: 11_000_000,
            control_rate_bps: None,
            ack_rate_bps: None,
            loss: 0.0,
            control_loss: 0.0,
            airtimes: Vec::new(),
            max_ampdu_bytes: None,
        }
    }
}

/// A measured airtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AirtimePoint {
    /// Bytes of the packet that the frame carries.
    pub packet_bytes: u32,
    /// How long the data frame takes.
    pub airtime_ns: Nanos,
}

/// A wired link: serialization and propagation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WiredSpec {
    /// Rate, bit/s.
    pub rate_bps: u64,
    /// Propagation delay.
    #[serde(default)]
    pub delay_ns: Nanos,
    /// Probability that a packet is lost on the way.
    #[serde(default)]
    pub loss: f64,
}

/// A first-in, first-out queue that drops what does not fit. The packet that the MAC or the wire is busy with is not
/// in it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueSpec {
    /// Limit in packets.
    #[serde(default)]
    pub packets: Option<u32>,
    /// Limit in bytes.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// Packets that find at least so many before them are marked (RFC 3168), if their transport allows it.
    #[serde(default)]
    pub mark_from_packets: Option<u32>,
    /// Marking looks at the average queue, in which each arrival's has this weight (S003 sec. III-A, `w_q`); `None`: at
    /// the queue as it is.
    #[serde(default)]
    pub mark_average_weight: Option<f64>,
    /// Whether a classifier sorts packets by flow, and flows that wait are served in turn; otherwise first in, first out.
    #[serde(default)]
    pub per_flow: bool,
    /// Packets that have waited longer are dropped (IEEE 802.11 `dot11EDCATableMSDULifetime`; ns-3's `MaxDelay`), but
    /// none that the MAC has begun with; `None`: they wait for as long as it takes.
    #[serde(default)]
    pub lifetime_ns: Option<Nanos>,
}

impl Default for QueueSpec {
    fn default() -> Self {
        Self::packets(50)
    }
}

impl QueueSpec {
    /// A queue for so many packets.
    #[must_use]
    pub fn packets(packets: u32) -> Self {
        Self {
            packets: Some(packets),
            bytes: None,
            mark_from_packets: None,
            mark_average_weight: None,
            per_flow: false,
            lifetime_ns: None,
        }
    }

    /// Whether a packet of `bytes` fits behind what is there.
    #[must_use]
    pub fn admits(&self, queued_packets: u32, queued_bytes: u64, bytes: u32) -> bool {
        self.packets.is_none_or(|limit| queued_packets < limit)
            && self.bytes.is_none_or(|limit| queued_bytes + u64::from(bytes) <= limit)
    }
}
