//! What the trace formats of ns-2 share: the names of layers, operations, frames and addresses.

use std::net::{IpAddr, Ipv4Addr};

use crate::frame::network::{Host, Tcp};
use crate::frame::{Addr, Direction, DropReason, Frame, FrameKind, Layer};

/// The MAC's broadcast address.
const MAC_BROADCAST: u32 = u32::MAX;
/// The network layer's broadcast address, without and with hierarchical addresses.
const BROADCAST: [i64; 2] = [-1, 0x7fff_ffff];
/// TCP and IP header as ns-2 counts them into a packet's size (`tcpip_base_hdr_size_`), octets.
const TCP_IP_HEADER: u32 = 40;

/// The layer with this name in a trace.
pub(super) fn layer(name: &[u8]) -> Option<Layer> {
    match name {
        b"MAC" => Some(Layer::Mac),
        b"AGT" => Some(Layer::Agent),
        b"RTR" | b"TRP" => Some(Layer::Router),
        b"IFQ" => Some(Layer::Queue),
        b"PHY" => Some(Layer::Phy),
        _ => None,
    }
}

/// What a wireless event's letter says. `f`: passed on by a router that is not the packet's source.
pub(super) fn direction(operation: &[u8], layer: Layer) -> Option<Direction> {
    match operation {
        b"s" if layer == Layer::Queue => Some(Direction::Enqueue),
        b"s" | b"f" => Some(Direction::Tx),
        b"r" => Some(Direction::Rx),
        b"D" | b"d" => Some(Direction::Drop),
        _ => None,
    }
}

/// The reason for a drop; dashes stand for none.
pub(super) fn drop_reason(text: &[u8]) -> Option<DropReason> {
    if text == b"---" {
        return None;
    }
    DropReason::new(text)
}

/// Kind and subtype of a MAC row; true for a frame the MAC made itself.
#[inline]
pub(super) fn fill_mac_kind(frame: &mut Frame, packet_type: &[u8]) -> bool {
    let (kind, subtype) = match packet_type {
        b"RTS" => (FrameKind::Rts, 0x1b),
        b"CTS" => (FrameKind::Cts, 0x1c),
        b"ACK" => (FrameKind::Ack, 0x1d),
        b"ACRQ" => (FrameKind::AssocReq, 0x00),
        b"ACRP" => (FrameKind::AssocResp, 0x01),
        b"PRRQ" => (FrameKind::ProbeReq, 0x04),
        b"PRRP" => (FrameKind::ProbeResp, 0x05),
        b"BCN" => (FrameKind::Beacon, 0x08),
        b"AUTH" => (FrameKind::Auth, 0x0b),
        _ => (FrameKind::Data, 0x20),
    };
    frame.kind = kind;
    frame.subtype = Some(subtype);
    kind != FrameKind::Data
}

/// A MAC address is the number of the interface (see [`super::stations`]).
pub(super) fn station(address: u32) -> Addr {
    match address {
        MAC_BROADCAST => Addr::BROADCAST,
        number => Addr::node(number),
    }
}

/// A node, or with hierarchical addresses the number that the simulator packs one into.
pub(super) fn host(number: i64) -> Option<Host> {
    if BROADCAST.contains(&number) {
        return Some(Host::Ip(IpAddr::V4(Ipv4Addr::BROADCAST)));
    }
    u32::try_from(number).ok().map(Host::Node)
}

/// What a TCP packet's two numbers say; `agent_bytes` is its size where it is an agent's.
///
/// A one-way sink's `ack` carries the number of the last packet that arrived in order where data carries
/// its own, and no acknowledgment number. Full TCP (`Agent/TCP/FullTcp`) has one, which counts octets.
pub(super) fn tcp(packet_type: &[u8], seq: Option<u32>, ack: Option<u32>, agent_bytes: Option<u32>) -> Option<Tcp> {
    let full = ack.filter(|&ack| ack > 0);
    let payload = agent_bytes.and_then(|bytes| u16::try_from(bytes.saturating_sub(TCP_IP_HEADER)).ok());
    let (ack, payload_bytes) = match packet_type {
        b"ack" => (full.or(seq.and_then(|last| last.checked_add(1))), Some(0)),
        b"tcp" => (full, payload),
        _ => return None,
    };
    Some(Tcp { ack, window: None, flags: ack.map(|_| Tcp::ACK), payload_bytes })
}
