//! The part of a controller at the source of a flow.

use crate::cross_layer::CrossLayer;
use crate::packet::{Header, Packet};
use crate::units::Nanos;

/// The source's part: events in, a window or a rate out.
///
/// Order of events of one acknowledgement: [`Endpoint::on_ack`] first, then at most one [`Endpoint::on_congestion`].
/// Every hook but `on_ack` and `window_bytes` may be left out.
pub trait Endpoint: Send {
    /// A packet is about to leave: put the header on it.
    fn on_send(&mut self, _now: Nanos, _flow: &FlowView, _packet: &mut Packet) {}
    /// An acknowledgement is at the source's link layer, below the transport, and may be changed there.
    fn on_ack_below(&mut self, _packet: &mut Packet) {}
    /// An acknowledgement arrived, duplicate or not.
    fn on_ack(&mut self, now: Nanos, flow: &FlowView, ack: &Ack);
    /// The transport detected congestion, or its end.
    fn on_congestion(&mut self, _now: Nanos, _flow: &FlowView, _event: Congestion) {}
    /// When to call [`Endpoint::on_timer`] next; queried after every event.
    fn next_timer(&self) -> Option<Nanos> {
        None
    }
    /// The timer fires.
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
    /// What the hops of the path measured, where the controller has them do so: for the record.
    fn path(&self) -> Option<PathEstimate> {
        None
    }
    /// Longest time from one packet to the next while data waits for its pace: after it a probe without payload
    /// queries the path. `None`: no probes.
    fn probe_interval(&self) -> Option<Nanos> {
        None
    }
    /// A source of its own that reacts to nothing: datagrams of a size and at an interval that replace what the flow
    /// wanted to send, without acknowledgements or retransmissions; queried once. `None`: the flow's source, with them.
    fn datagrams(&self) -> Option<Datagrams> {
        None
    }
}

/// What the hops of a path measured, as the source takes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathEstimate {
    /// Least bandwidth of its hops, bit/s.
    pub bandwidth_bps: f64,
    /// Delay there and back, seconds.
    pub delay_s: f64,
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
    /// Payload bytes sent and neither acknowledged nor taken for lost.
    pub flight_bytes: u64,
    /// Smoothed round-trip time (RFC 6298), seconds; `None` before the first sample.
    pub smoothed_rtt_s: Option<f64>,
    /// Last sample, seconds.
    pub last_rtt_s: Option<f64>,
    /// Least sample, seconds; that of the SYN is left out, as its 40 octets are faster than any data.
    pub least_rtt_s: Option<f64>,
    /// Retransmission timeout, nanoseconds.
    pub retransmission_timeout: Nanos,
    /// Next new segment.
    pub next_segment: u64,
    /// What rt-Winf measured on the first hop.
    pub first_hop: CrossLayer,
}

/// The content of an acknowledgement.
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

/// A congestion event of the transport. Flights are payload bytes.
///
/// With selective acknowledgements the transport repairs by RFC 6675. Without, it inflates and deflates the window
/// during recovery by RFC 6582 on top of the window of the endpoint; [`Congestion::DuplicateAck`] and
/// [`Congestion::PartialAck`] only notify of it.
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
        /// In flight now, and at least the slow-start threshold after a proportional reduction (RFC 6937).
        flight_bytes: u64,
    },
    /// The retransmission timer fired.
    Timeout {
        /// In the network when it fired for the first time since anything was acknowledged (RFC 5681, sec. 3.1): the
        /// pipe of RFC 6675, or without selective acknowledgements less what the duplicates of a recovery let out.
        flight_bytes: u64,
    },
    /// First congestion echo of a window (RFC 3168, sec. 6.1.2).
    Echo {
        /// In flight now.
        flight_bytes: u64,
    },
}
