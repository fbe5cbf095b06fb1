//! The headers above the MAC: LLC, ARP, IP, TCP, UDP, and the MSDU length.

use super::items::{after, value, Content, Item};
use crate::frame::network::{Host, Network, Protocol, Tcp};

const LLC_BYTES: u32 = 8;
const ARP_BYTES: u32 = 28;
const IPV4_BYTES: u32 = 20;
const IPV6_BYTES: u32 = 40;
const UDP_BYTES: u32 = 8;
/// DA, SA and length before each MSDU of an A-MSDU.
const SUBFRAME_HEADER_BYTES: u32 = 14;

/// The parts of an MSDU.
#[derive(Default)]
pub(super) struct Msdu {
    pub(super) network: Option<Network>,
    /// Length of LLC and IP packet, from the IP header.
    told_bytes: Option<u32>,
    /// Length of the parts in this frame, if every part has a known length.
    summed_bytes: Option<u32>,
    payload_bytes: u32,
    /// Length of the subframes of an A-MSDU so far, with their headers and the padding between them.
    subframes_bytes: Option<u32>,
    /// Number of these subframes; 0 if this is no A-MSDU.
    subframes: u32,
}

impl Msdu {
    pub(super) fn new() -> Msdu {
        Msdu { summed_bytes: Some(0), subframes_bytes: Some(0), ..Msdu::default() }
    }

    /// Octets of the MSDU in this frame, if known: all of them, those of one fragment,
    /// or those of a whole A-MSDU.
    pub(super) fn bytes(&self, is_fragment: bool) -> Option<u32> {
        if self.subframes > 0 {
            return self.subframes_bytes;
        }
        if is_fragment {
            return self.summed_bytes;
        }
        self.told_bytes.or(self.summed_bytes)
    }

    /// Adds the next part. Of an A-MSDU the headers of the first MSDU count, as in captures.
    pub(super) fn take(&mut self, item: &Item<'_>) {
        if let ("AmsduSubframeHeader", Content::Whole(text)) = (item.name, item.content) {
            self.take_subframe(text);
            return;
        }
        let is_whole = matches!(item.content, Content::Whole(_));
        let is_padding = self.subframes > 0 && self.payload_bytes > 0 && is_whole && item.name == "Payload";
        if self.subframes > 1 || is_padding {
            return;
        }
        match item.content {
            // A fragment of an MSDU, or of application data that TCP has segmented.
            Content::Fragment(octets) => {
                if item.name == "Payload" {
                    self.payload_bytes = self.payload_bytes.saturating_add(octets);
                }
                self.add(Some(octets));
            }
            Content::Whole(text) => match item.name {
                "LlcSnapHeader" => self.add(Some(LLC_BYTES)),
                "ArpHeader" => {
                    self.add(Some(ARP_BYTES));
                    self.network = arp(text);
                }
                "Ipv4Header" => self.take_ip(text, ipv4, IPV4_BYTES),
                "Ipv6Header" => self.take_ip(text, ipv6, IPV6_BYTES),
                "UdpHeader" => {
                    self.add(Some(UDP_BYTES));
                    self.set_ports(text);
                }
                "TcpHeader" => {
                    self.add(None); // the length of its options is not printed
                    self.set_ports(text);
                    self.set_tcp(text);
                }
                "Payload" => {
                    let octets = value(text, "size").and_then(|size| size.parse().ok());
                    self.payload_bytes = self.payload_bytes.saturating_add(octets.unwrap_or(0));
                    self.add(octets);
                }
                _ => self.add(None),
            },
        }
        if let Some(tcp) = self.network.as_mut().and_then(|network| network.tcp.as_mut()) {
            tcp.payload_bytes = u16::try_from(self.payload_bytes).ok();
        }
    }

    fn take_subframe(&mut self, text: &str) {
        let length = after(text, "length =").and_then(|octets| octets.parse::<u32>().ok());
        let before = self.subframes_bytes.and_then(|octets| octets.checked_next_multiple_of(4));
        let bytes = length.and_then(|octets| octets.checked_add(SUBFRAME_HEADER_BYTES));
        self.subframes_bytes = before.zip(bytes).and_then(|(before, bytes)| before.checked_add(bytes));
        self.subframes = self.subframes.saturating_add(1);
    }

    fn add(&mut self, octets: Option<u32>) {
        self.summed_bytes = self.summed_bytes.zip(octets).and_then(|(sum, octets)| sum.checked_add(octets));
    }

    fn take_ip(&mut self, text: &str, read: fn(&str) -> Option<(Network, u32)>, header: u32) {
        self.add(Some(header));
        if let Some((network, length)) = read(text) {
            self.network = Some(network);
            self.told_bytes = length.checked_add(LLC_BYTES);
        }
    }

    /// `49153 > 5000`, with any text around it.
    fn set_ports(&mut self, text: &str) {
        let Some(network) = &mut self.network else { return };
        let Some((before, behind)) = text.split_once(" > ") else { return };
        network.src_port = before.rsplit(' ').next().and_then(|port| port.parse().ok());
        network.dst_port = behind.split(' ').next().and_then(|port| port.parse().ok());
    }

    fn set_tcp(&mut self, text: &str) {
        let Some(network) = &mut self.network else { return };
        let flags = text.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(names, _)| flags(names));
        let acknowledges = flags.is_some_and(|flags| flags & Tcp::ACK != 0);
        let ack = value(text, "Ack").and_then(|number| number.parse().ok());
        network.transport_seq = value(text, "Seq").and_then(|number| number.parse().ok());
        network.tcp = Some(Tcp {
            ack: ack.filter(|_| acknowledges),
            window: value(text, "Win").and_then(|number| number.parse().ok()),
            flags,
            payload_bytes: None,
            time_stamps: time_stamps(text),
        });
    }
}

/// `ns3::TcpOptionTS(614;606)`.
fn time_stamps(text: &str) -> Option<(u32, u32)> {
    let (numbers, _) = text.split_once("TcpOptionTS(")?.1.split_once(')')?;
    let (value, echo) = numbers.split_once(';')?;
    Some((value.parse().ok()?, echo.parse().ok()?))
}

/// `SYN|ACK`.
fn flags(names: &str) -> u8 {
    const NAMES: [&str; 8] = ["FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR"];
    let bit = |name: &str| NAMES.iter().position(|known| *known == name).map_or(0, |place| 1 << place);
    names.split('|').fold(0, |flags, name| flags | bit(name))
}

fn network(src: &str, dst: &str, proto: Protocol) -> Option<Network> {
    let host = |text: &str| text.parse().ok().map(Host::Ip);
    let (src, dst) = (host(src)?, host(dst)?);
    Some(Network { src, dst, proto, src_port: None, dst_port: None, transport_seq: None, tcp: None })
}

/// `request source mac: .. source ipv4: 10.0.0.1 dest ipv4: 10.0.0.2`.
fn arp(text: &str) -> Option<Network> {
    network(after(text, "source ipv4:")?, after(text, "dest ipv4:")?, Protocol::new(b"arp"))
}

/// `... protocol 6 ... length: 56 10.0.0.1 > 10.0.0.3`: the network header and the packet's length.
fn ipv4(text: &str) -> Option<(Network, u32)> {
    let (before, dst) = text.rsplit_once(" > ")?;
    let src = before.rsplit(' ').next()?;
    let proto = Protocol::of_ip(after(text, "protocol")?.parse().ok()?);
    Some((network(src, dst, proto)?, after(text, "length:")?.parse().ok()?))
}

/// `(... Payload Length 36 Next Header 17 Hop Limit 64 )fe80::1 > ff02::1`.
fn ipv6(text: &str) -> Option<(Network, u32)> {
    let (header, ends) = text.rsplit_once(')')?;
    let (src, dst) = ends.trim().split_once(" > ")?;
    let proto = Protocol::of_ip(after(header, "Next Header")?.parse().ok()?);
    let payload: u32 = after(header, "Payload Length")?.parse().ok()?;
    Some((network(src, dst, proto)?, payload.checked_add(IPV6_BYTES)?))
}

#[cfg(test)]
mod tests {
    use super::super::items::Items;
    use super::*;

    const IP: &str = "ns3::Ipv4Header (tos 0x0 DSCP Default ECN Not-ECT ttl 64 id 0 protocol";

    fn msdu(packet: &str) -> Msdu {
        let mut msdu = Msdu::new();
        Items(packet).for_each(|item| msdu.take(&item));
        msdu
    }

    #[test]
    fn a_tcp_segment() {
        let segment = msdu(&format!(
            "ns3::LlcSnapHeader (type 0x800) {IP} 6 offset (bytes) 0 flags [none] length: 588 10.0.0.1 > 10.0.0.3) \
             ns3::TcpHeader (49153 > 5001 [FIN|ACK] Seq=1073 Ack=1 Win=32768 ns3::TcpOptionTS(614;606)) Payload Fragment [0:536] "
        ));
        let network = segment.network.unwrap();
        assert_eq!(network.flow_of(), "tcp 10.0.0.1:49153 10.0.0.3:5001");
        let tcp = Tcp {
            ack: Some(1),
            window: Some(32768),
            flags: Some(0x11),
            payload_bytes: Some(536),
            time_stamps: Some((614, 606)),
        };
        assert_eq!((network.transport_seq, network.tcp), (Some(1073), Some(tcp)));
        assert_eq!(segment.bytes(false), Some(596));
    }

    #[test]
    fn arp_udp_icmp_and_ipv6() {
        let arp = msdu(
            "ns3::LlcSnapHeader (type 0x806) ns3::ArpHeader (request source mac: 00-06-00:00:00:00:00:01 \
             source ipv4: 10.0.0.1 dest ipv4: 10.0.0.2) ",
        );
        assert_eq!((arp.network.unwrap().flow_of().as_str(), arp.bytes(false)), ("arp 10.0.0.1 10.0.0.2", Some(36)));
        let ping = msdu(&format!(
            "ns3::LlcSnapHeader (type 0x800) {IP} 1 offset (bytes) 0 flags [none] length: 84 10.0.0.1 > 10.0.0.3) \
             ns3::Icmpv4Header (type=8, code=0) ns3::Icmpv4Echo (identifier=0, sequence=0, data size=56) "
        ));
        assert_eq!((ping.network.unwrap().proto.as_str(), ping.bytes(false)), ("icmp", Some(92)));
        let six = msdu(
            "ns3::LlcSnapHeader (type 0x86dd) ns3::Ipv6Header ((Version 6 Traffic class 0x0 DSCP Default Flow Label 0x0 \
             Payload Length 18 Next Header 17 Hop Limit 64 )fe80::1 > ff02::2) ns3::UdpHeader (length: 18 9 > 10) Payload (size=10) ",
        );
        assert_eq!(
            (six.network.unwrap().flow_of().as_str(), six.bytes(false)),
            ("udp [fe80::1]:9 [ff02::2]:10", Some(66))
        );
    }

    #[test]
    fn an_amsdu_is_as_long_as_its_padded_subframes() {
        let subframe = |src: u8, payload: &str| {
            format!(
                "ns3::AmsduSubframeHeader (DA = 00:00:00:00:00:01, SA = 00:00:00:00:00:02, length = 596) \
                 ns3::LlcSnapHeader (type 0x800) {IP} 6 offset (bytes) 0 flags [none] length: 588 10.0.0.{src} > 10.0.0.9) \
                 ns3::TcpHeader (49153 > 5001 [ACK] Seq=1 Ack=1 Win=32768 ns3::TcpOptionTS(614;606)) {payload} "
            )
        };
        let (first, second) = (subframe(2, "Payload (size=536) Payload (size=2)"), subframe(3, "Payload (size=536)"));
        let amsdu = msdu(&format!("{first}{second}"));
        assert_eq!(amsdu.bytes(false), Some(612 + 14 + 596));
        let network = amsdu.network.unwrap();
        assert_eq!(network.flow_of(), "tcp 10.0.0.2:49153 10.0.0.9:5001");
        assert_eq!(network.tcp.unwrap().payload_bytes, Some(536));
    }

    #[test]
    fn a_fragment_is_as_long_as_its_parts() {
        let first = msdu(&format!(
            "ns3::LlcSnapHeader (type 0x800) {IP} 17 offset (bytes) 0 flags [none] length: 1028 10.0.0.1 > 10.0.0.2) \
             ns3::UdpHeader (length: 1008 49153 > 5000) Payload Fragment [0:364] "
        ));
        assert_eq!(first.bytes(true), Some(8 + 20 + 8 + 364));
        assert_eq!(msdu("Payload Fragment [364:764] ").bytes(true), Some(400));
    }
}
