//! A flow with segments of 1000 bytes, for the tests of controllers.

use std::sync::Arc;

use crate::controller::{Ack, FlowSetup, FlowView, LinkSetup, NodeSetup};
use crate::cross_layer::CrossLayer;
use crate::index::{FlowId, IndexVec, LinkId, LocalLink, NodeId};
use crate::packet::{Header, Packet, PacketKind};
use crate::units::SECOND;

pub fn setup(initial_window_segments: u32) -> FlowSetup {
    FlowSetup { mss_bytes: 1000, header_bytes: 40, hops: 1, initial_window_segments }
}

pub fn view(flight_bytes: u64) -> FlowView {
    FlowView {
        mss_bytes: 1000,
        header_bytes: 40,
        flight_bytes,
        smoothed_rtt_s: None,
        last_rtt_s: None,
        least_rtt_s: None,
        retransmission_timeout: SECOND,
        next_segment: 0,
        first_hop: CrossLayer::default(),
    }
}

pub fn acknowledged(newly_acked_bytes: u64, rtt_s: Option<f64>) -> Ack {
    Ack {
        newly_acked_bytes,
        advanced: true,
        segment: 0,
        rtt_s,
        in_recovery: false,
        congestion_echo: false,
        header: Header::None,
    }
}

pub fn node(links: impl Into<IndexVec<LocalLink, LinkSetup>>) -> NodeSetup {
    NodeSetup {
        node: NodeId(0),
        links: links.into(),
        neighbours: Vec::new(),
        hearing: Arc::default(),
        mac: None,
        seed: 1,
    }
}

/// A link at 11 Mbit/s of which nothing is known.
pub fn wireless(link: u32, to: u32) -> LinkSetup {
    LinkSetup {
        link: LinkId(link),
        to: NodeId(to),
        rate_bps: 11_000_000,
        wired: false,
        queue_packets: None,
        service_time: 0,
        loss: 0.0,
        airtimes: None,
    }
}

pub fn packet(kind: PacketKind, size_bytes: u32, header: Header) -> Packet {
    Packet {
        uid: 0,
        flow: FlowId(0),
        kind,
        segment: 0,
        size_bytes,
        sent_at: 0,
        retransmitted: false,
        hop: 0,
        congestion_experienced: false,
        cumulative: 0,
        sack: [(0, 0); 3],
        receive_window_bytes: 0,
        header,
    }
}
