//! What a node reports to its neighbours with its data frames.

use super::LinkAirtimes;
use crate::index::{LinkId, NodeId};
use crate::units::Nanos;

/// The state that WCP's nodes attach to every data frame (S003 sec. III-A and III-B).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NeighbourReport {
    /// Links the sender knows of: its own and, one step further, its neighbours'.
    pub links: Vec<LinkReport>,
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
