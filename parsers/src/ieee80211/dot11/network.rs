//! Network and transport headers after LLC/SNAP (IEEE 802.2; RFC 1042).

use etherparse::{ether_type, ip_number, EtherType, LaxIpSlice, TcpOptionElement, TcpSlice, UdpSlice};

use crate::base::octets::array_at;
use crate::frame::network::{Host, Network, Protocol, Tcp};

const SNAP_BYTES: usize = 8;

/// The IP and TCP or UDP header of an MSDU, if captured.
pub(super) fn decode(msdu: &[u8]) -> Option<Network> {
    let [0xaa, 0xaa, 0x03, _, _, _, high, low] = array_at::<SNAP_BYTES>(msdu, 0)? else {
        return None;
    };
    let kind = EtherType(u16::from_be_bytes([high, low]));
    if !matches!(kind, ether_type::IPV4 | ether_type::IPV6) {
        return None;
    }
    let (ip, cut) = LaxIpSlice::from_slice(msdu.get(SNAP_BYTES..)?).ok()?;
    let payload = ip.payload();
    let mut network = Network {
        src: Host::Ip(ip.source_addr()),
        dst: Host::Ip(ip.destination_addr()),
        proto: Protocol::of_ip(payload.ip_number.0),
        src_port: None,
        dst_port: None,
        transport_seq: None,
        tcp: None,
    };
    if payload.fragmented || cut.is_some() {
        return Some(network);
    }
    if let (ip_number::TCP, Ok(tcp)) = (payload.ip_number, TcpSlice::from_slice(payload.payload)) {
        (network.src_port, network.dst_port) = (Some(tcp.source_port()), Some(tcp.destination_port()));
        network.transport_seq = Some(tcp.sequence_number());
        network.tcp = Some(tcp_header(&tcp, &ip));
    }
    if let (ip_number::UDP, Ok(udp)) = (payload.ip_number, UdpSlice::from_slice_lax(payload.payload)) {
        (network.src_port, network.dst_port) = (Some(udp.source_port()), Some(udp.destination_port()));
    }
    Some(network)
}

/// A capture may be truncated, so the payload length is taken from the IP header.
fn tcp_header(tcp: &TcpSlice<'_>, ip: &LaxIpSlice<'_>) -> Tcp {
    let ip_payload_bytes = match ip {
        LaxIpSlice::Ipv4(ip) => ip.header().payload_len().ok(),
        LaxIpSlice::Ipv6(ip) if ip.extensions().is_empty() => Some(ip.header().payload_length()),
        _ => None,
    };
    let header_bytes = u16::from(tcp.data_offset()) * 4;
    let bits = [tcp.fin(), tcp.syn(), tcp.rst(), tcp.psh(), tcp.ack(), tcp.urg(), tcp.ece(), tcp.cwr()];
    Tcp {
        ack: tcp.ack().then(|| tcp.acknowledgment_number()),
        window: Some(tcp.window_size()),
        flags: Some(bits.iter().rev().fold(0, |flags, &bit| flags << 1 | u8::from(bit))),
        payload_bytes: ip_payload_bytes.and_then(|bytes| bytes.checked_sub(header_bytes)),
        time_stamps: tcp.options_iterator().map_while(Result::ok).find_map(|option| match option {
            TcpOptionElement::Timestamp(value, echo) => Some((value, echo)),
            _ => None,
        }),
    }
}

#[cfg(test)]
mod tests {
    use etherparse::PacketBuilder;

    use super::*;

    fn segment(options: &[TcpOptionElement]) -> Vec<u8> {
        let mut msdu = vec![0xaa, 0xaa, 0x03, 0, 0, 0, 0x08, 0x00];
        let packet = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).tcp(49153, 5001, 1073, 1000).ack(9);
        packet.options(options).unwrap().write(&mut msdu, &[0; 100]).unwrap();
        msdu
    }

    #[test]
    fn time_stamps_of_tcp_stand_behind_other_options() {
        let stamp = TcpOptionElement::Timestamp(614, 606);
        for options in [&[stamp.clone()][..], &[TcpOptionElement::Noop, TcpOptionElement::Noop, stamp]] {
            let tcp = decode(&segment(options)).unwrap().tcp.unwrap();
            assert_eq!((tcp.time_stamps, tcp.payload_bytes), (Some((614, 606)), Some(100)));
        }
        let without = decode(&segment(&[TcpOptionElement::WindowScale(7)])).unwrap().tcp.unwrap();
        assert_eq!((without.time_stamps, without.ack), (None, Some(9)));
    }

    #[test]
    fn an_option_of_no_length_ends_the_search() {
        let mut msdu =
            segment(&[TcpOptionElement::Noop, TcpOptionElement::Noop, TcpOptionElement::Timestamp(614, 606)]);
        let kind = msdu.windows(2).position(|pair| pair == [8, 10]).unwrap();
        msdu[kind + 1] = 0;
        assert_eq!(decode(&msdu).unwrap().tcp.unwrap().time_stamps, None);
    }
}
