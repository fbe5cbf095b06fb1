//! The arguments of controllers written in Python: the engine's values as attributes of plain objects.

use pyo3::prelude::*;
use winf_engine::controller::{Ack, Congestion, FlowSetup, FlowView, LinkSetup, LinkView, NodeSetup};
use winf_engine::cross_layer::CrossLayer;
use winf_engine::packet::{Header, Packet};

/// Numbers of a header that Python controllers share; the controller defines them.
pub const HEADER_NUMBERS: usize = 8;

/// Declares an object with attributes, and how it is made.
macro_rules! view {
    ($(#[$doc:meta])* $view:ident($name:literal) of $from:ident: $source:ty { $($field:ident: $kind:ty = $get:expr;)* }) => {
        $(#[$doc])*
        #[pyclass(frozen, get_all, name = $name, module = "winf_analyzer._core")]
        pub struct $view { $($field: $kind,)* }

        impl From<$source> for $view {
            fn from($from: $source) -> Self {
                Self { $($field: $get,)* }
            }
        }
    };
}

view! {
    /// A flow before it starts.
    FlowSetupView("FlowSetup") of flow: &FlowSetup {
        mss_bytes: u32 = flow.mss_bytes;
        header_bytes: u32 = flow.header_bytes;
        hops: usize = flow.hops;
        initial_window_segments: u32 = flow.initial_window_segments;
    }
}

view! {
    /// What the transport knows of a flow.
    FlowViewView("FlowView") of flow: &FlowView {
        mss_bytes: u32 = flow.mss_bytes;
        header_bytes: u32 = flow.header_bytes;
        flight_bytes: u64 = flow.flight_bytes;
        smoothed_rtt_s: Option<f64> = flow.smoothed_rtt_s;
        last_rtt_s: Option<f64> = flow.last_rtt_s;
        least_rtt_s: Option<f64> = flow.least_rtt_s;
        retransmission_timeout_ns: u64 = flow.retransmission_timeout;
        next_segment: u64 = flow.next_segment;
        capacity_bytes_per_s: Option<f64> = flow.first_hop.capacity_bytes_per_s;
        available_bytes_per_s: Option<f64> = flow.first_hop.available_bytes_per_s;
        collision_probability: f64 = flow.first_hop.collision_probability;
    }
}

view! {
    /// The content of an acknowledgement.
    AckView("Ack") of ack: &Ack {
        newly_acked_bytes: u64 = ack.newly_acked_bytes;
        advanced: bool = ack.advanced;
        segment: u64 = ack.segment;
        rtt_s: Option<f64> = ack.rtt_s;
        in_recovery: bool = ack.in_recovery;
        congestion_echo: bool = ack.congestion_echo;
        header: [f64; HEADER_NUMBERS] = numbers(&ack.header);
    }
}

view! {
    /// A congestion event of the transport.
    CongestionView("Congestion") of event: Congestion {
        kind: &'static str = match event {
            Congestion::FastRetransmit { .. } => "fast_retransmit",
            Congestion::DuplicateAck => "duplicate_ack",
            Congestion::PartialAck { .. } => "partial_ack",
            Congestion::FullAck { .. } => "full_ack",
            Congestion::Timeout { .. } => "timeout",
            Congestion::Echo { .. } => "echo",
        };
        flight_bytes: Option<u64> = match event {
            Congestion::FastRetransmit { flight_bytes }
            | Congestion::FullAck { flight_bytes }
            | Congestion::Timeout { flight_bytes }
            | Congestion::Echo { flight_bytes } => Some(flight_bytes),
            Congestion::DuplicateAck | Congestion::PartialAck { .. } => None,
        };
        acked_bytes: Option<u64> = match event {
            Congestion::PartialAck { acked_bytes } => Some(acked_bytes),
            _ => None,
        };
    }
}

view! {
    /// A node's outgoing link before the run.
    LinkSetupView("LinkSetup") of link: &LinkSetup {
        link: u32 = link.link.0;
        to: u32 = link.to.0;
        rate_bps: u64 = link.rate_bps;
        wired: bool = link.wired;
        queue_packets: Option<u32> = link.queue_packets;
        service_time_ns: u64 = link.service_time;
    }
}

view! {
    /// A node before the run.
    NodeSetupView("NodeSetup") of node: &NodeSetup {
        node: u32 = node.node.0;
        links: Vec<Py<LinkSetupView>> = Python::attach(|py| {
            node.links.iter().filter_map(|link| Py::new(py, LinkSetupView::from(link)).ok()).collect()
        });
        neighbours: Vec<u32> = node.neighbours.iter().map(|neighbour| neighbour.0).collect();
    }
}

view! {
    /// An outgoing link as its router may see it.
    LinkViewView("LinkView") of link: &LinkView {
        queue_bytes: u64 = link.queue_bytes;
        queue_packets: u32 = link.queue_packets;
        capacity_bytes_per_s: Option<f64> = link.cross_layer.capacity_bytes_per_s;
        available_bytes_per_s: Option<f64> = link.cross_layer.available_bytes_per_s;
        collision_probability: f64 = link.cross_layer.collision_probability;
    }
}

view! {
    /// What rt-Winf measured on the link that a receiver acknowledges over.
    CrossLayerView("CrossLayer") of link: &CrossLayer {
        capacity_bytes_per_s: Option<f64> = link.capacity_bytes_per_s;
        available_bytes_per_s: Option<f64> = link.available_bytes_per_s;
        collision_probability: f64 = link.collision_probability;
    }
}

/// A packet; only its header can be written.
#[pyclass(name = "Packet", module = "winf_analyzer._core")]
pub struct PacketView {
    #[pyo3(get)]
    flow: u32,
    #[pyo3(get)]
    is_ack: bool,
    #[pyo3(get)]
    segment: u64,
    #[pyo3(get)]
    size_bytes: u32,
    #[pyo3(get)]
    sent_at_ns: u64,
    #[pyo3(get)]
    retransmitted: bool,
    /// Eight numbers that travel with the packet, and back with its acknowledgement.
    #[pyo3(get, set)]
    pub header: [f64; HEADER_NUMBERS],
}

impl From<&Packet> for PacketView {
    fn from(packet: &Packet) -> Self {
        Self {
            flow: packet.flow.0,
            is_ack: !packet.kind.is_forward(),
            segment: packet.segment,
            size_bytes: packet.size_bytes,
            sent_at_ns: packet.sent_at,
            retransmitted: packet.retransmitted,
            header: numbers(&packet.header),
        }
    }
}

fn numbers(header: &Header) -> [f64; HEADER_NUMBERS] {
    match header {
        Header::Custom(numbers) => *numbers,
        _ => [0.0; HEADER_NUMBERS],
    }
}
