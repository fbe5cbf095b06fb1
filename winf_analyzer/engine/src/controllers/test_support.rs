//! Packets for tests of controllers.

use crate::packet::{FlowId, Header, Packet, PacketKind};

/// A data packet of 1000 bytes and 40 bytes of headers.
pub fn data_packet(header: Header) -> Packet {
    Packet {
        uid: 0,
        flow: FlowId(0),
        kind: PacketKind::Data,
        segment: 0,
        size_bytes: 1040,
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

/// Its acknowledgement.
pub fn ack_packet(header: Header) -> Packet {
    Packet { kind: PacketKind::Ack, size_bytes: 40, ..data_packet(header) }
}
