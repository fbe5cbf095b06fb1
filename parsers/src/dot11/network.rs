//! Network and transport headers behind LLC/SNAP (IEEE 802.2; RFC 1042).

use etherparse::{ether_type, EtherType, IpNumber, LaxNetSlice, LaxSlicedPacket, TransportSlice};

use crate::flow::{Host, Network, Protocol};
use crate::octets::array_at;

const SNAP_BYTES: usize = 8;

/// The IP and TCP or UDP header of an MSDU, as far as it was captured.
pub(super) fn decode(msdu: &[u8]) -> Option<Network> {
    let [0xaa, 0xaa, 0x03, _, _, _, high, low] = array_at::<SNAP_BYTES>(msdu, 0)? else {
        return None;
    };
    let kind = EtherType(u16::from_be_bytes([high, low]));
    if !matches!(kind, ether_type::IPV4 | ether_type::IPV6) {
        return None;
    }
    let packet = LaxSlicedPacket::from_ether_type(kind, msdu.get(SNAP_BYTES..)?);
    let net = packet.net.as_ref()?;
    let (src, dst) = match net {
        LaxNetSlice::Ipv4(ip) => (ip.header().source_addr().into(), ip.header().destination_addr().into()),
        LaxNetSlice::Ipv6(ip) => (ip.header().source_addr().into(), ip.header().destination_addr().into()),
        LaxNetSlice::Arp(_) => return None,
    };
    let (src_port, dst_port, transport_seq) = match &packet.transport {
        Some(TransportSlice::Tcp(tcp)) => {
            (Some(tcp.source_port()), Some(tcp.destination_port()), Some(tcp.sequence_number()))
        }
        Some(TransportSlice::Udp(udp)) => (Some(udp.source_port()), Some(udp.destination_port()), None),
        _ => (None, None, None),
    };
    let proto = protocol(net.ip_payload_ref()?.ip_number);
    Some(Network { src: Host::Ip(src), dst: Host::Ip(dst), proto, src_port, dst_port, transport_seq })
}

/// The protocol's name in lower case, or `ip-` and its number.
pub(crate) fn protocol(number: IpNumber) -> Protocol {
    match number {
        IpNumber::TCP => Protocol::new(b"tcp"),
        IpNumber::UDP => Protocol::new(b"udp"),
        IpNumber::ICMP => Protocol::new(b"icmp"),
        IpNumber::IPV6_ICMP => Protocol::new(b"icmpv6"),
        IpNumber::IGMP => Protocol::new(b"igmp"),
        IpNumber(number) => {
            let digits = [number / 100, number / 10 % 10, number % 10].map(|digit| b'0' + digit);
            let [a, b, c] = digits;
            Protocol::new(&[b'i', b'p', b'-', a, b, c])
        }
    }
}
