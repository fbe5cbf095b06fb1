//! One line of the classic wireless trace (ns-2.35, `trace/cmu-trace.cc`):
//!
//! ```text
//! s 1.024792381 _0_ MAC  --- 0 cbr 1078 [13a 1 0 800] ------- [0:0 3:0 30 1] [0] 0 0
//! operation time node layer reason uid type size [duration to from ethertype] ------- [network] ...
//! ```
//!
//! With an energy model, `[energy ...]` stands before the dashes. Frames that the MAC makes itself (RTS,
//! CTS, ACK, management) have no network part and uid 0.

use std::net::{IpAddr, Ipv4Addr};

use super::cursor::Cursor;
use crate::addr::Addr;
use crate::flow::{Host, Network, Protocol};
use crate::frame::{Direction, DropReason, Frame, FrameKind, Layer, ParseError};

/// The MAC bracket's broadcast address.
const BROADCAST: u32 = u32::MAX;

/// What a line is, told from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    /// An event of a wireless node, to be parsed.
    Event,
    /// Node movement, energy, routing debug output, events of wired links, comments, nothing.
    Other,
    /// Nothing a simulator writes.
    Unknown,
}

/// Looks at the beginning of a line.
pub(super) fn kind_of(line: &[u8]) -> LineKind {
    if let [b's' | b'r' | b'D' | b'f', b' ', b'0'..=b'9', rest @ ..] = line {
        let node = rest.iter().position(|&b| b == b' ').and_then(|space| rest.get(space + 1));
        return match node {
            Some(b'_') => LineKind::Event,
            Some(b'0'..=b'9') => LineKind::Other, // from node to node over a wire
            _ => LineKind::Unknown,
        };
    }
    let mut cursor = Cursor(line);
    match cursor.word() {
        None | Some([b'#' | b'\r', ..]) => LineKind::Other,
        Some(b"N") if cursor.looks_at(b"-t ") => LineKind::Other,
        Some(word) if !matches!(word, b"s" | b"r" | b"D" | b"f") && cursor.seconds().is_some() => LineKind::Other,
        Some(_) => LineKind::Unknown,
    }
}

/// The row of an event line; with `parse_error` and nothing else believable where it is malformed.
///
/// `length_bytes` of a MAC row is still the size the line prints: what that counts depends on the
/// simulation (see [`super::settings`]).
#[inline]
pub(super) fn parse(line: &[u8], frame_no: u64) -> Frame {
    let mut frame = Frame::new(frame_no, 0);
    if fill(&mut frame, Cursor(line)).is_none() {
        frame = Frame { parse_error: Some(ParseError::TraceLine), ..Frame::new(frame_no, frame.ts_ns) };
    }
    frame
}

/// True when no field the row is made of can have been cut off at the end of this line.
pub(super) fn is_whole(frame: &Frame) -> bool {
    let without_network = frame.layer == Layer::Mac && !matches!(frame.kind, FrameKind::Data);
    frame.parse_error.is_none() && (without_network || frame.network.is_some())
}

fn fill(frame: &mut Frame, mut line: Cursor<'_>) -> Option<()> {
    let operation = line.word()?;
    frame.ts_ns = line.seconds()?;
    line.expect(b'_')?;
    frame.observer = Some(Addr::node(u32::try_from(line.decimal()?).ok()?));
    line.expect(b'_')?;
    frame.layer = layer(line.word()?)?;
    frame.direction = Some(match operation {
        b"s" if frame.layer == Layer::Queue => Direction::Enqueue,
        b"s" | b"f" => Direction::Tx, // f: passed on by a router that is not the packet's source
        b"r" => Direction::Rx,
        b"D" => Direction::Drop,
        _ => return None,
    });
    let reason = line.word()?;
    if reason != b"---" {
        frame.drop_reason = DropReason::new(reason);
    }
    let uid = line.signed()?;
    let packet_type = line.word()?;
    let size = u32::try_from(line.decimal()?).ok()?;

    let made_by_mac = frame.layer == Layer::Mac && fill_mac_kind(frame, packet_type);
    if frame.layer == Layer::Mac {
        frame.length_bytes = Some(size);
    } else {
        frame.kind = FrameKind::Packet;
        frame.payload_bytes = Some(size);
    }
    match frame.layer {
        Layer::Mac => fill_mac_bracket(frame, &mut line)?,
        Layer::Phy => {}
        Layer::Agent | Layer::Router | Layer::Queue => line.skip_bracket()?, // left over from the last hop
    }
    if made_by_mac {
        return Some(());
    }
    frame.packet_uid = u64::try_from(uid).ok();
    if line.looks_at(b"[energy") {
        line.skip_bracket()?;
    }
    if line.looks_at(b"-------") {
        line.word()?;
        frame.network = network(packet_type, line);
    }
    Some(())
}

fn layer(name: &[u8]) -> Option<Layer> {
    match name {
        b"MAC" => Some(Layer::Mac),
        b"AGT" => Some(Layer::Agent),
        b"RTR" | b"TRP" => Some(Layer::Router),
        b"IFQ" => Some(Layer::Queue),
        b"PHY" => Some(Layer::Phy),
        _ => None,
    }
}

/// Kind and subtype of a MAC row; true for a frame the MAC made itself.
fn fill_mac_kind(frame: &mut Frame, packet_type: &[u8]) -> bool {
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

/// `[duration to from ethertype]`, hexadecimal. CTS and ACK have no transmitter address: the zero there is
/// unset memory.
fn fill_mac_bracket(frame: &mut Frame, line: &mut Cursor<'_>) -> Option<()> {
    line.expect(b'[')?;
    frame.nav_us = u16::try_from(line.hex()?).ok();
    frame.ra = Some(station(line.hex()?));
    let transmitter = line.hex()?;
    if !matches!(frame.kind, FrameKind::Cts | FrameKind::Ack) {
        frame.ta = Some(station(transmitter));
    }
    line.hex()?; // Ethernet type
    line.expect(b']')
}

/// A MAC address is the number of the interface (see [`super::stations`]).
fn station(address: u32) -> Addr {
    match address {
        BROADCAST => Addr::BROADCAST,
        number => Addr::node(number),
    }
}

/// What follows the dashes: `[src:port dst:port ttl next]` and the packet type's own fields, or for ARP
/// `[REQUEST mac/node mac/node]`.
fn network(packet_type: &[u8], mut rest: Cursor<'_>) -> Option<Network> {
    rest.expect(b'[')?;
    let is_ip = packet_type != b"ARP";
    if !is_ip {
        rest.word()?; // REQUEST or REPLY
    }
    let separator = if is_ip { b':' } else { b'/' };
    let mut end = || {
        let first = rest.signed()?;
        rest.expect(separator)?;
        let second = rest.signed()?;
        if is_ip {
            Some((host(first)?, u16::try_from(second).ok()))
        } else {
            Some((host(second)?, None))
        }
    };
    let ((src, src_port), (dst, dst_port)) = (end()?, end()?);
    if is_ip {
        rest.signed()?; // time to live
        rest.signed()?; // next hop
    }
    rest.expect(b']')?;
    let transport_seq = match packet_type {
        b"cbr" | b"tcp" | b"ack" => sequence_number(rest),
        _ => None,
    };
    Some(Network { src, dst, proto: Protocol::new(packet_type), src_port, dst_port, transport_seq })
}

/// The first number of a `[seq]` or `[seq ack]` that is not cut off within it.
fn sequence_number(mut rest: Cursor<'_>) -> Option<u32> {
    rest.expect(b'[')?;
    let number = u32::try_from(rest.signed()?).ok()?;
    rest.0.first().filter(|&&after| after == b' ' || after == b']').map(|_| number)
}

/// A node; -1 is the broadcast address.
fn host(number: i64) -> Option<Host> {
    match number {
        -1 => Some(Host::Ip(IpAddr::V4(Ipv4Addr::BROADCAST))),
        _ => u32::try_from(number).ok().map(Host::Node),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(line: &str) -> Frame {
        assert_eq!(kind_of(line.as_bytes()), LineKind::Event, "{line}");
        let frame = parse(line.as_bytes(), 7);
        assert_eq!(frame.parse_error, None, "{line}");
        frame
    }

    #[test]
    fn an_rts_is_read() {
        let rts = row("s 1.013198267 _2_ MAC  --- 0 RTS 44 [36b 3 2 0] ");
        let expected = Frame {
            observer: Some(Addr::node(2)),
            direction: Some(Direction::Tx),
            kind: FrameKind::Rts,
            subtype: Some(0x1b),
            ra: Some(Addr::node(3)),
            ta: Some(Addr::node(2)),
            nav_us: Some(875),
            length_bytes: Some(44),
            ..Frame::new(7, 1_013_198_267)
        };
        assert_eq!(rts, expected);
    }

    #[test]
    fn a_cts_has_no_transmitter() {
        let cts = row("r 1.013865600 _2_ MAC  --- 0 CTS 38 [231 2 0 0] ");
        assert_eq!((cts.kind, cts.ra, cts.ta), (FrameKind::Cts, Some(Addr::node(2)), None));
        assert_eq!((cts.direction, cts.nav_us, cts.packet_uid), (Some(Direction::Rx), Some(561), None));
    }

    #[test]
    fn data_carries_its_packet() {
        let data = row("s 1.024792381 _0_ MAC  --- 50 cbr 1078 [13a 1 0 800] ------- [0:0 3:0 30 1] [17] 0 0");
        assert_eq!((data.kind, data.packet_uid, data.nav_us), (FrameKind::Data, Some(50), Some(314)));
        let network = Network {
            src: Host::Node(0),
            dst: Host::Node(3),
            proto: Protocol::new(b"cbr"),
            src_port: Some(0),
            dst_port: Some(0),
            transport_seq: Some(17),
        };
        assert_eq!(data.network, Some(network));
    }

    #[test]
    fn broadcast_is_the_group_address_on_both_layers() {
        let line = "r 1.001383666 _1_ MAC  --- 0 AODV 48 [0 ffffffff 0 800] ------- [0:255 -1:255 30 0] [0x2 1 1 [3 0] [0 4]] (REQUEST)";
        let request = row(line);
        let network = request.network.unwrap();
        assert_eq!((request.ra, request.ta), (Some(Addr::BROADCAST), Some(Addr::node(0))));
        assert_eq!((network.dst.to_string(), network.transport_seq), ("255.255.255.255".into(), None));
        assert_eq!((network.src_port, network.proto.as_str()), (Some(255), "aodv"));
    }

    #[test]
    fn arp_names_both_nodes() {
        let arp = row("s 1.012194600 _3_ MAC  --- 0 ARP 86 [0 ffffffff 3 806] ------- [REQUEST 3/3 0/2]");
        let network = arp.network.unwrap();
        assert_eq!((network.src, network.dst, network.src_port), (Host::Node(3), Host::Node(2), None));
    }

    #[test]
    fn rows_above_the_mac_are_packets() {
        for (line, layer, direction) in [
            (
                "s 1.000000000 _0_ AGT  --- 3 cbr 1000 [0 0 0 0] ------- [0:0 3:0 32 0] [0] 0 0",
                Layer::Agent,
                Direction::Tx,
            ),
            (
                "f 1.025776593 _1_ RTR  --- 3 cbr 1000 [13a 1 0 800] ------- [0:0 3:0 29 2] [0] 1 0",
                Layer::Router,
                Direction::Tx,
            ),
            (
                "D 1.284025000 _0_ IFQ  --- 3 cbr 1000 [0 1 0 800] ------- [0:0 3:0 30 1] [71] 0 0",
                Layer::Queue,
                Direction::Drop,
            ),
        ] {
            let packet = row(line);
            assert_eq!((packet.kind, packet.layer, packet.direction), (FrameKind::Packet, layer, Some(direction)));
            assert_eq!((packet.payload_bytes, packet.length_bytes, packet.ra), (Some(1000), None, None));
            assert_eq!((packet.packet_uid, packet.drop_reason), (Some(3), None));
        }
    }

    #[test]
    fn drops_keep_their_reason() {
        let drop = row("D 1.366120431 _3_ MAC  RET 50 cbr 532 [13a 2 3 800] ------- [3:1 0:1 30 2] [0] 0 0");
        assert_eq!(drop.drop_reason.unwrap().as_str(), "RET");
        assert_eq!(drop.direction, Some(Direction::Drop));
    }

    #[test]
    fn the_energy_bracket_is_passed_over() {
        let energy = "[energy 99.899413 ei 0.100 es 0.000 et 0.000 er 0.000]";
        let data =
            row(&format!("r 1.002851881 _1_ MAC  --- 9 tcp 80 [3d 1 0 800] {energy} ------- [0:0 1:3 30 1] [4 2] 1 0"));
        let network = data.network.unwrap();
        assert_eq!((network.dst_port, network.transport_seq), (Some(3), Some(4)));
        row(&format!("r 1.001926664 _0_ MAC  --- 0 CTS 38 [70 0 0 0] {energy} "));
    }

    #[test]
    fn other_lines_are_told_apart() {
        for line in [
            "",
            "M 0.50000 0 (10.00, 10.00, 0.00), (11.00, 12.00), 1.00",
            "N -t 1.005485 -n 1 -e 99.899236",
            "SFs 1.0 _0_ 0 [0 -> 2] 1(1) to 1 [0 |1 2 ]",
            "+ 0.1 0 1 tcp 40 ------- 0 0.0 1.0 0 0",
            "r 0.1 0 1 tcp 40 ------- 0 0.0 1.0 0 0",
            "# a comment",
        ] {
            assert_eq!(kind_of(line.as_bytes()), LineKind::Other, "{line}");
        }
        for line in ["hello world", "s", "s -t 1.0 -Hs 0", "\u{0}\u{1}", "s x"] {
            assert_eq!(kind_of(line.as_bytes()), LineKind::Unknown, "{line}");
        }
    }

    #[test]
    fn a_cut_line_is_malformed_or_a_row_that_knows_it_is_not_whole() {
        for line in [
            "s 1.024792381 _0_ MAC  --- 50 cbr 1078 [13a 1 0 800] ------- [0:0 3:0 30 1] [17] 0 0",
            "s 1.013198267 _2_ MAC  --- 0 RTS 44 [36b 3 2 0] ",
            "s 1.000000000 _0_ AGT  --- 3 cbr 1000 [0 0 0 0] ------- [0:0 3:0 32 0] [0] 0 0",
        ] {
            let whole = row(line);
            for cut in 0..line.len() {
                let frame = parse(&line.as_bytes()[..cut], 7);
                let mut same = frame == whole;
                if let (Some(a), Some(b)) = (frame.network, whole.network) {
                    same |= Network { transport_seq: b.transport_seq, ..a } == b;
                }
                assert!(same || !is_whole(&frame), "cut at {cut}: {frame:?}");
            }
        }
    }
}
