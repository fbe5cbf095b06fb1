//! The interface of congestion controllers.
//!
//! A controller is up to three small state machines: an [`Endpoint`] at the source, a [`Receiver`] at the
//! destination, and for explicit feedback a [`Router`] at every node. They know neither clocks nor queues nor files:
//! time is an argument, what they may look at is handed to them, and their answer is a window or a rate. Loss
//! detection, retransmission and the round-trip time estimate belong to the transport, which tells the endpoint.
//!
//! [`Controller`] makes the three for a run; its configuration holds the constants of the paper.

use std::sync::Arc;

use crate::cross_layer::CrossLayer;
use crate::index::{IndexVec, LinkId, LocalLink, NodeId};
use crate::packet::{Header, Packet};
use crate::units::Nanos;

/// `Paper`: as published, in the smallest reading that can be computed. `Corrected`: dimensionally consistent, true to
/// the primary source and to the prose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// As published.
    Paper,
    /// XCP-Winf as published, but its sources ask for everything, as ns-2's XCP does.
    PaperGreedy,
    /// Known errors removed.
    Corrected,
}

impl Mode {
    /// As users type it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Mode::Paper => "paper",
            Mode::PaperGreedy => "paper_greedy",
            Mode::Corrected => "corrected",
        }
    }
}

/// Makes the parts of a controller for the flows and nodes of one run.
pub trait Controller: Send + Sync {
    /// Name in the registry.
    fn name(&self) -> &str;
    /// Which reading of the paper it follows.
    fn mode(&self) -> Mode;
    /// The part at a flow's source.
    fn endpoint(&self, flow: &FlowSetup) -> Box<dyn Endpoint>;
    /// The part at a flow's destination; by default headers are echoed.
    fn receiver(&self, _flow: &FlowSetup) -> Box<dyn Receiver> {
        Box::new(Echo)
    }
    /// The part at a node; `None`: nodes only forward.
    fn router(&self, _node: &NodeSetup) -> Option<Box<dyn Router>> {
        None
    }
}

/// What a flow is before it starts.
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
    /// Airtime of an RTS.
    pub rts_s: f64,
    /// Airtime of a CTS.
    pub cts_s: f64,
    /// Airtime of an ACK.
    pub ack_s: f64,
    /// The part of a data frame's airtime that does not depend on its payload: PLCP, MAC header and FCS.
    pub data_overhead_s: f64,
    /// Rate of data frames, bit/s.
    pub data_rate_bps: f64,
    /// Least contention window, slots: backoffs are drawn from `0..=cw_min`.
    pub cw_min: u32,
    /// Doublings of the contention window until it stops growing.
    pub backoff_stages: u32,
    /// Attempts after the first.
    pub retries: u32,
    /// Payloads of at least so many bytes are sent with RTS/CTS.
    pub rts_threshold_bytes: u32,
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
}

/// The source's half: events in, a window or a rate out.
///
/// Order of events of one acknowledgement: [`Endpoint::on_ack`] first, then at most one [`Endpoint::on_congestion`].
/// Every hook but `on_ack` and `window_bytes` may be left out.
pub trait Endpoint: Send {
    /// A packet is about to leave: put the header on it.
    fn on_send(&mut self, _now: Nanos, _flow: &FlowView, _packet: &mut Packet) {}
    /// An acknowledgement arrived, duplicate or not.
    fn on_ack(&mut self, now: Nanos, flow: &FlowView, ack: &Ack);
    /// The transport concluded something about congestion.
    fn on_congestion(&mut self, _now: Nanos, _flow: &FlowView, _event: Congestion) {}
    /// When the endpoint wants [`Endpoint::on_timer`] next; asked after every event.
    fn next_timer(&self) -> Option<Nanos> {
        None
    }
    /// The time asked for has come.
    fn on_timer(&mut self, _now: Nanos, _flow: &FlowView) {}
    /// Bytes that may be in flight; infinite for a source that only paces.
    fn window_bytes(&self) -> f64;
    /// Bytes/s at which packets leave, headers included; `None`: as fast as the window lets them.
    fn pacing_bytes_per_s(&self) -> Option<f64> {
        None
    }
    /// Slow-start threshold, bytes, where the controller has one: for the record.
    fn slow_start_threshold_bytes(&self) -> Option<f64> {
        None
    }
    /// Longest time from one packet to the next while data waits for its pace: after it the path is asked by a probe
    /// without payload. `None`: data alone asks.
    fn probe_interval(&self) -> Option<Nanos> {
        None
    }
    /// A source of its own that reacts to nothing: datagrams of a size and at an interval that replace what the flow
    /// wanted to send, without acknowledgements or retransmissions; asked once. `None`: the flow's source, with them.
    fn datagrams(&self) -> Option<Datagrams> {
        None
    }
}

/// Datagrams at a fixed interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagrams {
    /// Payload of each, bytes.
    pub payload_bytes: u32,
    /// Transport and IP headers of each, bytes.
    pub header_bytes: u32,
    /// Between the starts of two, nanoseconds.
    pub interval: Nanos,
}

/// What the transport knows of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowView {
    /// Largest segment, payload bytes.
    pub mss_bytes: u32,
    /// Transport and IP headers of one segment, bytes.
    pub header_bytes: u32,
    /// Payload bytes sent and neither acknowledged nor given up.
    pub flight_bytes: u64,
    /// Smoothed round-trip time (RFC 6298), seconds; `None` before the first sample.
    pub smoothed_rtt_s: Option<f64>,
    /// Last sample, seconds.
    pub last_rtt_s: Option<f64>,
    /// Least sample, seconds.
    pub least_rtt_s: Option<f64>,
    /// Retransmission timeout, nanoseconds.
    pub retransmission_timeout: Nanos,
    /// Next new segment.
    pub next_segment: u64,
    /// What rt-Winf measured on the first hop.
    pub first_hop: CrossLayer,
}

/// What an acknowledgement said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ack {
    /// Payload bytes acknowledged for the first time, by the cumulative number or selectively.
    pub newly_acked_bytes: u64,
    /// Whether the cumulative number moved.
    pub advanced: bool,
    /// Segment the acknowledgement answers.
    pub segment: u64,
    /// Round-trip time sample, seconds; `None` where Karn's rule forbids one.
    pub rtt_s: Option<f64>,
    /// Whether the source was in fast recovery before this acknowledgement was looked at. Slow start after a timeout
    /// is not.
    pub in_recovery: bool,
    /// Whether the network was congested (RFC 3168 echo).
    pub congestion_echo: bool,
    /// What the receiver sent back.
    pub header: Header,
}

/// What the transport concluded. Flights are payload bytes.
///
/// With selective acknowledgements the transport repairs by RFC 6675. Without, it inflates and deflates the window
/// during recovery by RFC 6582 on top of what the endpoint answers; [`Congestion::DuplicateAck`] and
/// [`Congestion::PartialAck`] only tell that it did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Congestion {
    /// Third duplicate acknowledgement, or the selective equivalent: recovery begins.
    FastRetransmit {
        /// Outstanding before the first of the duplicates.
        flight_bytes: u64,
    },
    /// One more duplicate acknowledgement during recovery.
    DuplicateAck,
    /// Part of what was outstanding at the start of recovery is acknowledged (RFC 6582).
    PartialAck {
        /// How much.
        acked_bytes: u64,
    },
    /// Recovery is over.
    FullAck {
        /// In flight now.
        flight_bytes: u64,
    },
    /// The retransmission timer fired.
    Timeout {
        /// Outstanding when it fired for the first time since anything was acknowledged (RFC 5681, sec. 3.1).
        flight_bytes: u64,
    },
    /// First congestion echo of a window (RFC 3168, sec. 6.1.2).
    Echo {
        /// In flight now.
        flight_bytes: u64,
    },
}

/// The destination's half.
pub trait Receiver: Send {
    /// Data arrived, in order or not, for the first time or again; `ack` is the acknowledgement about to leave.
    fn on_data(&mut self, now: Nanos, link: &CrossLayer, packet: &Packet, ack: &mut Packet);
    /// The same answer as that of the [`Endpoint`]; asked once.
    fn datagrams(&self) -> Option<Datagrams> {
        None
    }
}

/// Sends every header back as it came.
#[derive(Clone, Copy, Debug, Default)]
pub struct Echo;

impl Receiver for Echo {
    fn on_data(&mut self, _now: Nanos, _link: &CrossLayer, packet: &Packet, ack: &mut Packet) {
        ack.header = packet.header;
    }
}

/// A node's half, for all its outgoing links. Every hook may be left out.
pub trait Router: Send {
    /// A packet asks for a place in the queue of `view.links[link]`; told even if it is then dropped. The queue is
    /// as it was before.
    fn on_arrival(&mut self, _now: Nanos, _view: &NodeView, _link: LocalLink, _packet: &mut Packet) {}
    /// A packet is about to be handed to the MAC; the queue still holds it.
    fn on_departure(&mut self, _now: Nanos, _view: &NodeView, _link: LocalLink, _packet: &mut Packet) {}
    /// An attempt to send it starts; every attempt starts from the packet as it departed.
    fn on_air(&mut self, _view: &NodeView, _link: LocalLink, _stamps: AirStamps, _packet: &mut Packet) {}
    /// When the router wants [`Router::on_timer`] next; asked after every event.
    fn next_timer(&self) -> Option<Nanos> {
        None
    }
    /// The time asked for has come.
    fn on_timer(&mut self, _now: Nanos, _view: &NodeView) {}
    /// What every data frame of this node tells those who can decode it; `None`: nothing.
    fn neighbour_report(&self) -> Option<NeighbourReport> {
        None
    }
    /// A data frame of a neighbour was heard, whoever it was for.
    fn on_overheard(&mut self, _now: Nanos, _from: NodeId, _bulletin: &NeighbourReport) {}
}

/// A node as its router may see it.
#[derive(Clone, Copy, Debug)]
pub struct NodeView<'a> {
    /// Its outgoing links.
    pub links: &'a IndexVec<LocalLink, LinkView>,
}

/// An outgoing link as its router may see it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkView {
    /// Bytes that wait: not those of the packet that the MAC or the wire is busy with, which has departed.
    pub queue_bytes: u64,
    /// Packets that wait, likewise.
    pub queue_packets: u32,
    /// Wire: its rate as configured. 802.11: as rt-Winf measured it.
    pub cross_layer: CrossLayer,
}

/// The three instants S001 measures with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AirStamps {
    /// The packet entered the queue.
    pub enqueued: Nanos,
    /// It became head of line.
    pub head_of_line: Nanos,
    /// Its data frame starts on the air, after backoff and RTS/CTS.
    pub data_start: Nanos,
    /// Airtime of the data frame.
    pub data_airtime: Nanos,
    /// From the end of the data frame to the end of its acknowledgement: SIFS + T_ACK; 0 on a wire.
    pub ack_time: Nanos,
    /// DIFS; 0 on a wire.
    pub difs: Nanos,
}

/// What WCP's nodes tell their neighbourhood with every data frame (S003 sec. III-A and III-B).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NeighbourReport {
    /// Links the sender knows of: its own and, one step further, its neighbours'.
    pub links: Vec<LinkReport>,
}

/// What is told about one link.
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
    /// When its own node said so.
    pub told_at: Nanos,
}
