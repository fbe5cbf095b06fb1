//! Packets, and the congestion headers they carry.

use crate::index::FlowId;
use crate::units::Nanos;

/// What a packet is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketKind {
    /// Payload of a flow, from its source to its destination.
    Data,
    /// Transport acknowledgement, the other way.
    Ack,
    /// Headers without payload, the way of the data: the SYN that opens a connection (RFC 9293, sec. 3.5), and
    /// requests for the state of the path between two segments (RCP's REF).
    Probe,
    /// The answer to a probe.
    Answer,
}

impl PacketKind {
    /// Whether it goes from the source to the destination.
    #[must_use]
    pub fn is_forward(self) -> bool {
        matches!(self, Self::Data | Self::Probe)
    }
}

/// One packet on its way: a plain value, copied from queue to queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packet {
    /// Unique in a run; packet conservation counts these.
    pub uid: u64,
    /// The flow it belongs to.
    pub flow: FlowId,
    /// Data or acknowledgement.
    pub kind: PacketKind,
    /// Number of the segment, from 0. An acknowledgement repeats that of the data that caused it.
    pub segment: u64,
    /// Bytes handed to the MAC: transport and IP headers included.
    pub size_bytes: u32,
    /// When the source sent this copy. An acknowledgement repeats that of the data that caused it; of several segments,
    /// that of the earliest (RFC 7323, sec. 4.3).
    pub sent_at: Nanos,
    /// Whether this copy is a retransmission (Karn's rule). An acknowledgement repeats that of the same data.
    pub retransmitted: bool,
    /// Index of the hop it is on or waits for, from 0.
    pub hop: u16,
    /// Explicit congestion notification, RFC 3168: set by a queue on data, echoed on acknowledgements.
    pub congestion_experienced: bool,
    /// Of acknowledgements: everything below this segment has arrived.
    pub cumulative: u64,
    /// Of acknowledgements: up to three ranges `[from, to)` that arrived above `cumulative` (RFC 2018); empty ones are
    /// `(0, 0)`.
    pub sack: [(u64, u64); 3],
    /// Of acknowledgements: bytes the receiver lets the source have in flight.
    pub receive_window_bytes: u32,
    /// What the controller put on it.
    pub header: Header,
}

/// The congestion header of a packet; one variant per protocol family.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Header {
    /// End-to-end protocols carry none.
    #[default]
    None,
    /// XCP, XCP-b and XCP-Winf.
    Xcp(XcpHeader),
    /// RCP and RCP-Winf.
    Rcp(RcpHeader),
    /// WCP and WCPCap.
    Wcp(WcpHeader),
    /// C3TCP.
    C3tcp(C3tcpHeader),
    /// Of a controller from outside the crate; it defines the fields itself.
    Custom([f64; 8]),
}

/// Katabi, Handley, Rohrs 2002, sec. 3.1, in the form of draft-falk-xcp-spec: inter-packet time and throughput
/// change.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct XcpHeader {
    /// Round-trip time estimate of the source, seconds; 0: none yet.
    pub rtt_s: f64,
    /// Time between packets of the flow, seconds: packet size over throughput.
    pub inter_packet_s: f64,
    /// Throughput change asked for by the source and only lowered by routers, bytes/s.
    pub delta_bytes_per_s: f64,
    /// Of acknowledgements: the change granted, bytes/s.
    pub reverse_feedback_bytes_per_s: f64,
}

/// RCP (Dukkipati), sec. 7.1 of the reference; rates in bytes/s.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct RcpHeader {
    /// Lowest rate of the path so far, bytes/s; negative: no limit asked for yet.
    pub bottleneck_bytes_per_s: f64,
    /// Of acknowledgements: the bottleneck's rate, bytes/s.
    pub reverse_bottleneck_bytes_per_s: f64,
    /// Round-trip time estimate of the source, seconds; 0: none yet.
    pub rtt_s: f64,
}

/// WCP and WCPCap (S003 sec. III).
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct WcpHeader {
    /// Smoothed round-trip time of the flow, seconds.
    pub rtt_average_s: f64,
    /// Last round-trip time of the flow, seconds.
    pub rtt_last_s: f64,
    /// Largest smoothed round-trip time shared by the neighbourhoods of the path, seconds.
    pub shared_rtt_average_s: f64,
    /// Largest instantaneous round-trip time shared by the neighbourhoods of the path, seconds.
    pub shared_rtt_last_s: f64,
    /// A neighbourhood of the path is congested.
    pub congested: bool,
    /// WCPCap: the lowest rate granted on the path so far, packets/s; infinite before the first.
    pub rate_packets_per_s: f64,
}

/// C3TCP (S001): the option that data frames and TCP acknowledgements carry from hop to hop.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct C3tcpHeader {
    /// Lowest bandwidth of the hops so far, bit/s; infinite before the first.
    pub bandwidth_bps: f64,
    /// Sum of the forward delays of the hops so far, seconds.
    pub forward_delay_s: f64,
    /// Of acknowledgements: sum of the backward delays of the hops so far, seconds.
    pub backward_delay_s: f64,
    /// Whether a hop has measured anything.
    pub measured: bool,
}
