//! What a node reports to its neighbours with its data frames.

use super::LinkAirtimes;
use crate::index::{FlowId, LinkId, NodeId};
use crate::units::Nanos;

/// The state that WCP's nodes attach to every data frame (S003 sec. III-A and III-B).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NeighbourReport {
    /// Links the sender knows of: its own and, one step further, its neighbours'.
    pub links: Vec<LinkReport>,
    /// What a packet has room for (S003 sec. III-A), in place of the former.
    pub summary: Option<Summary>,
}

/// One congested link and the largest round-trip times of a node, and of its neighbours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The link that the frame is sent on.
    pub link: SentOn,
    /// Of the links in and out of the node.
    pub node: Signal,
    /// Of the links in and out of its neighbours, as those said.
    pub neighbours: Signal,
}

/// A link as the frame tells that is sent on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SentOn {
    /// Its receiver.
    pub to: NodeId,
    /// Whether its queue is congested.
    pub congested: bool,
    /// From the header of the packet: its flow, and that one's smoothed and last round-trip times, seconds.
    pub flow: Option<(FlowId, f64, f64)>,
}

/// What several links have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Signal {
    /// The ends of one that is congested.
    pub congested: Option<(NodeId, NodeId)>,
    /// The largest mean smoothed round-trip time of a link's flows, seconds; 0: none known.
    pub rtt_average_s: f64,
    /// The largest mean last round-trip time of a link's flows, seconds.
    pub rtt_last_s: f64,
}

impl Signal {
    /// With another: the larger times, and the link that was named first.
    #[must_use]
    pub fn joined(self, other: Self) -> Self {
        Self {
            congested: self.congested.or(other.congested),
            rtt_average_s: self.rtt_average_s.max(other.rtt_average_s),
            rtt_last_s: self.rtt_last_s.max(other.rtt_last_s),
        }
    }
}

/// The state of one link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkReport {
    /// The link.
    pub link: LinkId,
    /// Its ends.
    pub from: NodeId,
    /// Its ends.
    pub to: NodeId,
    /// Whether its queue is congested.
    pub congested: bool,
    /// Mean smoothed round-trip time of its flows, seconds.
    pub rtt_average_s: f64,
    /// Mean last round-trip time of its flows, seconds.
    pub rtt_last_s: f64,
    /// WCPCap: packets carried in the last epoch, packets/s.
    pub carried_packets_per_s: f64,
    /// WCPCap: mean size of those packets, bytes.
    pub packet_bytes: f64,
    /// WCPCap: flows seen in the last epoch.
    pub flows: u32,
    /// WCPCap: rate granted to each flow, packets/s; infinite where there is none.
    pub granted_packets_per_s: f64,
    /// WCPCap: probability that the channel loses a data frame of the link, per attempt.
    pub loss: f64,
    /// WCPCap: airtimes of its frames; `None` of a wire.
    pub airtimes: Option<LinkAirtimes>,
    /// When its own node reported it.
    pub reported_at: Nanos,
    /// Counts the changes of the above that its own node reported: two reports of a link with one number differ in
    /// `reported_at` at most.
    pub number: u64,
}

impl LinkReport {
    /// Whether it says the same as an earlier report.
    #[must_use]
    pub fn repeats(&self, earlier: &Self) -> bool {
        *self == Self { reported_at: self.reported_at, number: self.number, ..*earlier }
    }
}
