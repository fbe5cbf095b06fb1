//! A line of the tagged wireless trace (`$ns use-newtrace`; ns-2.35, `trace/cmu-trace.cc`):
//!
//! ```text
//! s -t 1.020728389 -Hs 0 -Hd 1 -Ni 0 -Nx 10.00 -Ny 50.00 -Nz 0.00 -Ne -1.000000 -Nl MAC -Nw --- -Ma 13a -Md 1 -Ms 0
//!   -Mt 800 -Is 0.0 -Id 3.0 -It cbr -Il 578 -If 0 -Ii 0 -Iv 30 -Pn cbr -Pi 0 -Pf 0 -Po 0
//! ```
//!
//! `-H` hop, `-N` node (`-Ni` number, `-Nl` layer, `-Nw` drop reason), `-M` MAC, `-I` IP, `-P` packet. Frames generated
//! by the MAC have neither type nor size in this format; [`super::responses`] infers their type.

use super::cursor::Cursor;
use super::event;
use crate::frame::network::{Host, Network, Protocol};
use crate::frame::{Addr, Frame, FrameKind, Layer};

/// Octets of an ARP packet, which this format does not print.
const ARP_BYTES: u32 = 28;

/// The parsed fields of a line.
#[derive(Default)]
struct Fields<'a> {
    layer: &'a [u8],
    reason: &'a [u8],
    packet_type: &'a [u8],
    arp: bool,
    size: Option<u32>,
    uid: Option<i64>,
    duration: Option<u32>,
    receiver: Option<u32>,
    transmitter: Option<u32>,
    src: Option<(Host, Option<u16>)>,
    dst: Option<(Host, Option<u16>)>,
    seq: Option<u32>,
    ack: Option<u32>,
}

/// Fills the row; `None` where the line is malformed.
pub(super) fn fill(frame: &mut Frame, mut line: Cursor<'_>) -> Option<()> {
    let operation = line.word()?;
    line.word()?; // -t
    frame.ts_ns = line.seconds()?;
    let mut fields = Fields { reason: b"---", ..Fields::default() };
    while let Some(tag) = line.word() {
        if tag == b"\r" {
            break;
        }
        let value = line.word()?;
        fields.take(tag, value, &mut frame.observer)?;
    }
    frame.observer?;
    frame.layer = event::layer(fields.layer)?;
    frame.direction = Some(event::direction(operation, frame.layer)?);
    frame.drop_reason = event::drop_reason(fields.reason);
    frame.packet_uid = fields.uid.and_then(|uid| event::packet_uid(uid, fields.packet_type));
    if frame.layer == Layer::Mac {
        fields.fill_mac(frame)?;
    } else {
        frame.kind = FrameKind::Packet;
        frame.payload_bytes = fields.size;
    }
    frame.network = fields.network(frame.layer);
    Some(())
}

impl<'a> Fields<'a> {
    /// Stores one field. The meaning of `-Ps` depends on the packet type, which precedes it.
    fn take(&mut self, tag: &[u8], value: &'a [u8], observer: &mut Option<Addr>) -> Option<()> {
        let number = || Cursor(value).signed();
        match tag {
            b"-Ni" => *observer = Some(Addr::node(u32::try_from(number()?).ok()?)),
            b"-Nl" => self.layer = value,
            b"-Nw" => self.reason = value,
            b"-Ma" => self.duration = Some(Cursor(value).hex()?),
            b"-Md" => self.receiver = Some(Cursor(value).hex()?),
            b"-Ms" => self.transmitter = Some(Cursor(value).hex()?),
            b"-Is" => self.src = Some(end(value)?),
            b"-Id" => self.dst = Some(end(value)?),
            b"-It" => self.packet_type = value,
            b"-Il" => self.size = Some(u32::try_from(number()?).ok()?),
            b"-Ii" => self.uid = Some(number()?),
            b"-P" => self.arp = value == b"arp",
            b"-Pi" if self.packet_type == b"cbr" => self.seq = u32::try_from(number()?).ok(),
            b"-Ps" if self.is_tcp() => self.seq = u32::try_from(number()?).ok(),
            b"-Pa" if self.is_tcp() => self.ack = u32::try_from(number()?).ok(),
            b"-Ps" if self.arp => self.src = Some((event::host(number()?)?, None)),
            b"-Pd" if self.arp => self.dst = Some((event::host(number()?)?, None)),
            [b'-' | b'[', _, ..] => {}
            _ => return None,
        }
        Some(())
    }

    fn is_tcp(&self) -> bool {
        matches!(self.packet_type, b"tcp" | b"ack")
    }

    /// The MAC header. A frame without a packet is an RTS if it has a transmitter address. A missing address is printed
    /// as zero, which is also the address of the first station.
    fn fill_mac(&self, frame: &mut Frame) -> Option<()> {
        let (duration, receiver, transmitter) = (self.duration?, self.receiver?, self.transmitter?);
        frame.nav_us = u16::try_from(duration).ok();
        frame.ra = Some(event::station(receiver));
        let made_by_mac = self.packet_type.is_empty() && !self.arp;
        let name: &[u8] = match (made_by_mac, duration, transmitter) {
            (false, ..) => self.packet_type,
            (true, 0, 0) => b"ACK",
            (true, _, 0) => b"CTS",
            (true, ..) => b"RTS",
        };
        event::fill_mac_kind(frame, name);
        if !matches!(frame.kind, FrameKind::Cts | FrameKind::Ack) {
            frame.ta = Some(event::station(transmitter));
        }
        frame.length_bytes = self.size;
        frame.payload_bytes = self.arp.then_some(ARP_BYTES);
        Some(())
    }

    fn network(&self, layer: Layer) -> Option<Network> {
        let ((src, src_port), (dst, dst_port)) = (self.src?, self.dst?);
        let name = if self.arp { b"arp" } else { self.packet_type };
        let agent_bytes = self.size.filter(|_| layer == Layer::Agent);
        let tcp = event::tcp(self.packet_type, self.seq, self.ack, agent_bytes);
        Some(Network { src, dst, proto: Protocol::new(name), src_port, dst_port, transport_seq: self.seq, tcp })
    }
}

/// `node.port`.
fn end(text: &[u8]) -> Option<(Host, Option<u16>)> {
    let mut cursor = Cursor(text);
    let host = event::host(cursor.signed()?)?;
    cursor.expect(b'.')?;
    Some((host, u16::try_from(cursor.signed()?).ok()))
}

#[cfg(test)]
mod tests {
    use super::super::line;
    use super::*;
    use crate::frame::Direction;

    const NODE: &str = "-Nx 10.00 -Ny 50.00 -Nz 0.00 -Ne -1.000000";

    fn row(text: &str) -> Frame {
        line::parse(text.as_bytes(), 7)
    }

    #[test]
    fn data_carries_its_packet() {
        let data = row(&format!(
            "s -t 1.020728389 -Hs 0 -Hd 1 -Ni 0 {NODE} -Nl MAC -Nw --- -Ma 13a -Md 1 -Ms 0 -Mt 800 \
             -Is 0.0 -Id 3.0 -It cbr -Il 578 -If 0 -Ii 42 -Iv 30 -Pn cbr -Pi 17 -Pf 0 -Po 0 "
        ));
        let classic = row("s 1.020728389 _0_ MAC  --- 42 cbr 578 [13a 1 0 800] ------- [0:0 3:0 30 1] [17] 0 0");
        assert_eq!(data, classic);
    }

    #[test]
    fn tcp_and_its_acknowledgments_have_their_numbers() {
        for (kind, size, tagged_rest, rest) in
            [("tcp", 1040, "-Ps 9 -Pa 0", "[9 0]"), ("ack", 40, "-Ps 9 -Pa 0", "[9 0]")]
        {
            let tagged = row(&format!(
                "r -t 1.5 -Hs 3 -Hd 3 -Ni 3 {NODE} -Nl AGT -Nw --- -Ma 13a -Md 3 -Ms 2 -Mt 800 \
                 -Is 0.0 -Id 3.1 -It {kind} -Il {size} -If 0 -Ii 12 -Iv 28 -Pn tcp {tagged_rest} -Pf 3 -Po 0 "
            ));
            let classic =
                format!("r 1.5 _3_ AGT  --- 12 {kind} {size} [13a 3 2 800] ------- [0:0 3:1 28 3] {rest} 3 0");
            assert_eq!(tagged, row(&classic));
            let tcp = tagged.network.unwrap().tcp.unwrap();
            let expected = if kind == "tcp" { (None, Some(1000)) } else { (Some(10), Some(0)) };
            assert_eq!((tcp.ack, tcp.payload_bytes), expected);
        }
    }

    #[test]
    fn arp_names_both_nodes() {
        let arp = row(&format!(
            "s -t 1.012194601 -Hs 3 -Hd -2 -Ni 3 {NODE} -Nl MAC -Nw --- -Ma 0 -Md ffffffff -Ms 3 -Mt 806 \
             -P arp -Po REQUEST -Pms 3 -Ps 3 -Pmd 0 -Pd 2 "
        ));
        let network = arp.network.unwrap();
        assert_eq!((network.src, network.dst, network.proto.as_str()), (Host::Node(3), Host::Node(2), "arp"));
        assert_eq!((arp.ra, arp.ta, arp.kind), (Some(Addr::BROADCAST), Some(Addr::node(3)), FrameKind::Data));
    }

    #[test]
    fn routing_headers_do_not_pass_for_transport() {
        for packet in [
            "-It AODV -Il 106 -If 0 -Ii 0 -Iv 30 -P aodv -Pt 0x2 -Ph 1 -Pb 1 -Pd 3 -Pds 0 -Ps 9 -Pss 4 -Pc REQUEST ",
            "-It DSR -Il 90 -If 0 -Ii 1 -Iv 32 -P dsr -Ph 1 -Pq 1 -Ps 1 -Pp 0 -Pn 1 -Pl 0 -Pe 0->0 -Pw 0 -Pm 0 ",
            "-It message -Il 90 -If 0 -Ii 0 -Iv 32 ",
            "-It OLSR -Il 48 -If 0 -Ii 0 -Iv 32 -P olsr -Pn 1 -Ps 4 [-Pt HELLO -Po 0 -Ph 0 -Pms 0] ",
        ] {
            let text = format!("s -t 1.0 -Hs 0 -Hd -2 -Ni 0 {NODE} -Nl MAC -Nw --- -Ma 0 -Md ffffffff -Ms 0 -Mt 800 -Is 0.255 -Id -1.255 {packet}");
            let frame = row(&text);
            assert_eq!((frame.parse_error, frame.kind), (None, FrameKind::Data), "{packet}");
            let network = frame.network.unwrap();
            assert_eq!((network.transport_seq, network.dst.to_string()), (None, "255.255.255.255".into()));
        }
    }

    #[test]
    fn drops_have_a_reason_and_a_layer() {
        let queue = row(&format!(
            "d -t 2.0 -Hs 0 -Hd 1 -Ni 0 {NODE} -Nl IFQ -Nw END -Ma 0 -Md 1 -Ms 0 -Mt 800 \
             -Is 0.0 -Id 3.0 -It cbr -Il 520 -If 0 -Ii 740 -Iv 30 -Pn cbr -Pi 740 -Pf 0 -Po 0 "
        ));
        assert_eq!((queue.layer, queue.direction), (Layer::Queue, Some(Direction::Drop)));
        assert_eq!((queue.drop_reason.unwrap().as_str(), queue.payload_bytes, queue.ra), ("END", Some(520), None));
    }

    #[test]
    fn malformed_lines_are_rows_with_an_error() {
        for text in [
            "s -t ",
            "s -t 1.0",
            "s -t 1.0 -Ni 0",
            "s -t 1.0 -Ni 0 -Nl MAC",
            "s -t 1.0 -Ni x -Nl AGT ",
            "s -t 1.0 -Ni 0 -Nl AGT stray 1 ",
        ] {
            assert!(row(text).parse_error.is_some(), "{text}");
        }
    }
}
