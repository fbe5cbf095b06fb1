//! A line of the classic wireless trace (ns-2.35, `trace/cmu-trace.cc`):
//!
//! ```text
//! s 1.024792381 _0_ MAC  --- 0 cbr 1078 [13a 1 0 800] ------- [0:0 3:0 30 1] [0] 0 0
//! operation time node layer reason uid type size [duration to from ethertype] ------- [network] ...
//! ```
//!
//! With an energy model, `[energy ...]` stands before the dashes. Frames that the MAC makes itself (RTS,
//! CTS, ACK, management) have no network part and uid 0.

use super::cursor::Cursor;
use super::event;
use crate::frame::network::{Network, Protocol};
use crate::frame::{Addr, Frame, FrameKind, Layer};

/// Fills the row; `None` where the line is malformed.
#[inline]
pub(super) fn fill(frame: &mut Frame, mut line: Cursor<'_>) -> Option<()> {
    let operation = line.word()?;
    frame.ts_ns = line.seconds()?;
    line.expect(b'_')?;
    frame.observer = Some(Addr::node(u32::try_from(line.decimal()?).ok()?));
    line.expect(b'_')?;
    frame.layer = event::layer(line.word()?)?;
    frame.direction = Some(event::direction(operation, frame.layer)?);
    frame.drop_reason = event::drop_reason(line.word()?);
    let uid = line.signed()?;
    let packet_type = line.word()?;
    let size = u32::try_from(line.decimal()?).ok()?;

    let made_by_mac = frame.layer == Layer::Mac && event::fill_mac_kind(frame, packet_type);
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
        let agent_bytes = (frame.layer == Layer::Agent).then_some(size);
        frame.network = network(packet_type, agent_bytes, line);
    }
    Some(())
}

/// `[duration to from ethertype]`, hexadecimal. CTS and ACK have no transmitter address: the zero there is
/// unset memory.
fn fill_mac_bracket(frame: &mut Frame, line: &mut Cursor<'_>) -> Option<()> {
    line.expect(b'[')?;
    frame.nav_us = u16::try_from(line.hex()?).ok();
    frame.ra = Some(event::station(line.hex()?));
    let transmitter = line.hex()?;
    if !matches!(frame.kind, FrameKind::Cts | FrameKind::Ack) {
        frame.ta = Some(event::station(transmitter));
    }
    line.hex()?; // Ethernet type
    line.expect(b']')
}

/// What follows the dashes: `[src:port dst:port ttl next]` and the packet type's own fields, or for ARP
/// `[REQUEST mac/node mac/node]`.
fn network(packet_type: &[u8], agent_bytes: Option<u32>, mut rest: Cursor<'_>) -> Option<Network> {
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
            Some((event::host(first)?, u16::try_from(second).ok()))
        } else {
            Some((event::host(second)?, None))
        }
    };
    let ((src, src_port), (dst, dst_port)) = (end()?, end()?);
    if is_ip {
        rest.signed()?; // time to live
        rest.signed()?; // next hop
    }
    rest.expect(b']')?;
    let (transport_seq, ack) = match packet_type {
        b"cbr" | b"tcp" | b"ack" => numbers(rest),
        _ => (None, None),
    };
    let tcp = event::tcp(packet_type, transport_seq, ack, agent_bytes);
    Some(Network { src, dst, proto: Protocol::new(packet_type), src_port, dst_port, transport_seq, tcp })
}

/// `[seq]` or `[seq ack]`; a number that is cut off within is none.
fn numbers(mut rest: Cursor<'_>) -> (Option<u32>, Option<u32>) {
    if rest.expect(b'[').is_none() {
        return (None, None);
    }
    let mut number = || {
        let number = u32::try_from(rest.signed()?).ok()?;
        rest.0.first().filter(|&&after| after == b' ' || after == b']').map(|_| number)
    };
    let seq = number();
    (seq, seq.and_then(|_| number()))
}

#[cfg(test)]
mod tests {
    use super::super::line::{is_whole, kind_of, parse, LineKind};
    use super::*;
    use crate::frame::network::Host;
    use crate::frame::Direction;

    fn row(line: &str) -> Frame {
        assert_eq!(kind_of(line.as_bytes()), LineKind::Classic, "{line}");
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
            tcp: None,
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
                assert!(same || !is_whole(&line.as_bytes()[..cut], &frame), "cut at {cut}: {frame:?}");
            }
        }
    }
}
