//! What a controller knows before the run.

use std::sync::Arc;

use crate::index::{IndexVec, LinkId, LocalLink, NodeId};
use crate::units::Nanos;

/// A flow before it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSetup {
    /// Largest segment, payload bytes.
    pub mss_bytes: u32,
    /// Transport and IP headers of one segment, bytes.
    pub header_bytes: u32,
    /// Hops of its path.
    pub hops: usize,
    /// Initial window, segments.
    pub initial_window_segments: u32,
}

/// What a router knows of its node before the run.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeSetup {
    /// The node.
    pub node: NodeId,
    /// Its outgoing links.
    pub links: IndexVec<LocalLink, LinkSetup>,
    /// Nodes whose frames it can decode, itself not among them.
    pub neighbours: Vec<NodeId>,
    /// Who decodes whom, for all nodes: `hearing[a]` are the nodes whose frames `a` can decode. S003 presumes that a
    /// node knows the topology around it.
    pub hearing: Arc<IndexVec<NodeId, Vec<NodeId>>>,
    /// Its MAC; `None` where it has only wires.
    pub mac: Option<MacSetup>,
    /// Seed of the run.
    pub seed: u64,
}

/// Constants of the 802.11 MAC that models calculate with; spans in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MacSetup {
    /// Slot time.
    pub slot_s: f64,
    /// SIFS.
    pub sifs_s: f64,
    /// DIFS.
    pub difs_s: f64,
    /// PLCP preamble and header.
    pub plcp_s: f64,
    /// Least contention window, slots: backoffs are drawn from `0..=cw_min`.
    pub cw_min: u32,
    /// Doublings of the contention window until it stops growing.
    pub backoff_stages: u32,
    /// Attempts after the first.
    pub retries: u32,
    /// Payloads of at least so many bytes are sent with RTS/CTS.
    pub rts_threshold_bytes: u32,
}

/// Airtimes of a wireless link's frames that models calculate with, seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkAirtimes {
    /// An RTS.
    pub rts_s: f64,
    /// A CTS.
    pub cts_s: f64,
    /// An ACK.
    pub ack_s: f64,
    /// The part of a data frame's airtime that does not depend on its payload: PLCP, MAC header and FCS.
    pub data_overhead_s: f64,
    /// Rate of data frames, bit/s.
    pub data_rate_bps: f64,
}

/// What a router knows of a link before the run.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSetup {
    /// The link.
    pub link: LinkId,
    /// Its other end.
    pub to: NodeId,
    /// Rate of the wire, or PHY rate, bit/s.
    pub rate_bps: u64,
    /// Whether it is a wire.
    pub wired: bool,
    /// Limit of its queue in packets, where there is one.
    pub queue_packets: Option<u32>,
    /// Time from head of line to the end of the acknowledgement of a full-sized data packet that is alone on the
    /// medium, backoff at its mean; on a wire its serialization.
    pub service_time: Nanos,
    /// Probability that the channel loses a data frame, per attempt, as it is at the start of the run; of a wire, a
    /// packet.
    pub loss: f64,
    /// Airtimes of its frames at the start of the run; `None` of a wire.
    pub airtimes: Option<LinkAirtimes>,
}
