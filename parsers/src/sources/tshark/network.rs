//! Network and transport headers, including those of decrypted frames.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use etherparse::IpNumber;

use super::fields::Field;
use super::row::Row;
use crate::frame::network::{Host, Network, Protocol, Tcp};

/// The outermost IP header and its payload protocol.
pub(super) fn decode(row: &Row<'_>) -> Option<Network> {
    let (src, dst, carried) = ipv4(row).or_else(|| ipv6(row))?;
    let mut network = Network {
        src: Host::Ip(src),
        dst: Host::Ip(dst),
        proto: Protocol::of_ip(carried.0),
        src_port: None,
        dst_port: None,
        transport_seq: None,
        tcp: None,
    };
    // Packets quoted in ICMP errors have ports, too.
    match carried {
        IpNumber::TCP => {
            (network.src_port, network.dst_port) = (row.number(Field::TcpSource), row.number(Field::TcpDestination));
            network.transport_seq = row.number(Field::TcpSequence);
            network.tcp = Some(tcp(row));
        }
        IpNumber::UDP => {
            (network.src_port, network.dst_port) = (row.number(Field::UdpSource), row.number(Field::UdpDestination));
        }
        _ => {}
    }
    Some(network)
}

fn tcp(row: &Row<'_>) -> Tcp {
    const ACK: u16 = 0x10;
    let flags: Option<u16> = row.number(Field::TcpFlags);
    let acknowledges = flags.is_some_and(|flags| flags & ACK != 0);
    Tcp {
        ack: row.number(Field::TcpAcknowledgment).filter(|_| acknowledges),
        window: row.number(Field::TcpWindow),
        flags: flags.map(|flags| (flags & 0xff) as u8),
        payload_bytes: row.number(Field::TcpPayload),
        time_stamps: row.number(Field::TcpTimeStamp).zip(row.number(Field::TcpTimeStampEcho)),
    }
}

fn ipv4(row: &Row<'_>) -> Option<(IpAddr, IpAddr, IpNumber)> {
    let (src, dst): (Ipv4Addr, Ipv4Addr) = (row.parsed(Field::Ipv4Source)?, row.parsed(Field::Ipv4Destination)?);
    Some((src.into(), dst.into(), IpNumber(row.number(Field::Ipv4Protocol)?)))
}

fn ipv6(row: &Row<'_>) -> Option<(IpAddr, IpAddr, IpNumber)> {
    let (src, dst): (Ipv6Addr, Ipv6Addr) = (row.parsed(Field::Ipv6Source)?, row.parsed(Field::Ipv6Destination)?);
    let next = IpNumber(row.number(Field::Ipv6Next)?);
    let carried = if next.is_ipv6_ext_header_value() { behind_extensions(row).unwrap_or(next) } else { next };
    Some((src.into(), dst.into(), carried))
}

/// The protocol after the extension headers, by name.
fn behind_extensions(row: &Row<'_>) -> Option<IpNumber> {
    row.text(Field::Protocols)?.split(':').find_map(|name| match name {
        "tcp" => Some(IpNumber::TCP),
        "udp" => Some(IpNumber::UDP),
        "icmpv6" => Some(IpNumber::IPV6_ICMP),
        _ => None,
    })
}
