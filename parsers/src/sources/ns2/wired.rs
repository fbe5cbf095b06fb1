//! A line of a wired link (ns-2.35, `trace/trace.cc`), found in wired-cum-wireless simulations:
//!
//! ```text
//! r 1.002064 0 1 tcp 1040 ------- 0 0.0.0.0 1.0.1.0 6 12
//! operation time from to type size flags flow source.port destination.port seq uid
//! ```
//!
//! `+`: the packet enters the queue of the link; `-`: it is dequeued and sent; `r`: received; `d`: dropped.

use super::cursor::Cursor;
use super::event;
use crate::frame::network::{Host, Network, Protocol};
use crate::frame::{Addr, Direction, Frame, FrameKind, Layer};

/// Fills the row; `None` where the line is malformed.
///
/// The observer is the end of the link at which the event occurred. Events on the link itself have the layer `phy`.
pub(super) fn fill(frame: &mut Frame, mut line: Cursor<'_>) -> Option<()> {
    let operation = line.word()?;
    frame.ts_ns = line.seconds()?;
    let from = Addr::node(u32::try_from(line.decimal()?).ok()?);
    let to = Addr::node(u32::try_from(line.decimal()?).ok()?);
    let (layer, direction, observer) = match operation {
        b"+" => (Layer::Queue, Direction::Enqueue, from),
        b"-" => (Layer::Phy, Direction::Tx, from),
        b"r" => (Layer::Phy, Direction::Rx, to),
        b"d" | b"e" => (Layer::Queue, Direction::Drop, from), // e: dropped by an error model
        _ => return None,
    };
    (frame.layer, frame.direction, frame.observer) = (layer, Some(direction), Some(observer));
    (frame.ta, frame.ra) = (Some(from), Some(to));
    frame.kind = FrameKind::Packet;
    let packet_type = line.word()?;
    frame.payload_bytes = Some(u32::try_from(line.decimal()?).ok()?);
    line.word()?; // flags
    line.signed()?; // flow identifier of IPv6
    let (src, src_port) = end(line.word()?)?;
    let (dst, dst_port) = end(line.word()?)?;
    let seq = u32::try_from(line.signed()?).ok();
    frame.packet_uid = u64::try_from(line.signed()?).ok();
    let transport_seq = seq.filter(|_| matches!(packet_type, b"cbr" | b"tcp" | b"ack"));
    let tcp = event::tcp(packet_type, transport_seq, None, None);
    frame.network =
        Some(Network { src, dst, proto: Protocol::new(packet_type), src_port, dst_port, transport_seq, tcp });
    Some(())
}

/// `address.port`. A hierarchical address is packed into one number, as printed in lines of wireless nodes: the
/// simulator's default is 11 bits for each lower level.
fn end(text: &[u8]) -> Option<(Host, Option<u16>)> {
    const LEVEL_BITS: u32 = 11;
    let dot = text.iter().rposition(|&b| b == b'.')?;
    let mut address = 0i64;
    for level in text.get(..dot)?.split(|&b| b == b'.') {
        let number = Cursor(level).signed()?;
        address = if number < 0 { number } else { address.checked_shl(LEVEL_BITS)?.checked_add(number)? };
    }
    let port = Cursor(text.get(dot + 1..)?).signed()?;
    Some((event::host(address)?, u16::try_from(port).ok()))
}

#[cfg(test)]
mod tests {
    use super::super::line;
    use super::*;

    fn row(text: &str) -> Frame {
        let frame = line::parse(text.as_bytes(), 1);
        assert_eq!(frame.parse_error, None, "{text}");
        frame
    }

    #[test]
    fn a_packet_enters_a_queue_leaves_it_and_arrives() {
        for (operation, layer, direction, observer) in [
            ("+", Layer::Queue, Direction::Enqueue, 2),
            ("-", Layer::Phy, Direction::Tx, 2),
            ("r", Layer::Phy, Direction::Rx, 1),
            ("d", Layer::Queue, Direction::Drop, 2),
        ] {
            let event = row(&format!("{operation} 1.007445 2 1 cbr 60 ------- 7 3.1 0.2 5 4"));
            assert_eq!(
                (event.layer, event.direction, event.observer),
                (layer, Some(direction), Some(Addr::node(observer)))
            );
            assert_eq!((event.ts_ns, event.payload_bytes, event.packet_uid), (1_007_445_000, Some(60), Some(4)));
            let network = event.network.unwrap();
            assert_eq!((network.src, network.src_port, network.transport_seq), (Host::Node(3), Some(1), Some(5)));
            assert_eq!(network.flow_of(), "cbr node-0:2 node-3:1");
        }
    }

    #[test]
    fn times_are_printed_as_numbers_with_and_without_exponent() {
        let times = ["0.0013", "3e-06", "6.9e-05", "0.59999999999999998"];
        let rows = times.map(|time| row(&format!("- {time} 0 1 cbr 700 ------- 0 0.1 2.1 0 1")).ts_ns);
        assert_eq!(rows, [1_300_000, 3_000, 69_000, 600_000_000]);
    }

    #[test]
    fn hierarchical_addresses_are_those_of_wireless_lines() {
        let wire = row("r 1.002064 0 1 tcp 1040 ------- 0 0.0.0.0 1.0.1.0 6 12").network.unwrap();
        let air = row("r 1.004128000 _2_ RTR  --- 12 tcp 1040 [0 0 0 0] ------- [0:0 4194305:0 30 0] [6 0] 0 0");
        assert_eq!(wire.flow_of(), air.network.unwrap().flow_of());
    }

    #[test]
    fn lines_that_lack_a_field_are_malformed() {
        for text in [
            "+ 1 0 1 tcp",
            "+ 1 0 1 tcp 40 ------- 0 0.0 1.0 0",
            "r 1 0 1 tcp x ------- 0 0.0 1.0 0 3",
            "+ 1 0 1 tcp 40 ------- 0 0 1 0 3",
        ] {
            assert!(line::parse(text.as_bytes(), 1).parse_error.is_some(), "{text}");
        }
    }
}
