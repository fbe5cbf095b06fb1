//! Network and transport headers, of encrypted frames too where their keys are known.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use etherparse::IpNumber;

use super::fields::Field;
use super::row::Row;
use crate::dot11::network::protocol;
use crate::flow::{Host, Network};

/// The outermost IP header and what it carries.
pub(super) fn decode(row: &Row<'_>) -> Option<Network> {
    let (src, dst, carried) = ipv4(row).or_else(|| ipv6(row))?;
    // What an ICMP error quotes has ports, too.
    let (src_port, dst_port, transport_seq) = match carried {
        IpNumber::TCP => {
            (row.number(Field::TcpSource), row.number(Field::TcpDestination), row.number(Field::TcpSequence))
        }
        IpNumber::UDP => (row.number(Field::UdpSource), row.number(Field::UdpDestination), None),
        _ => (None, None, None),
    };
    Some(Network {
        src: Host::Ip(src),
        dst: Host::Ip(dst),
        proto: protocol(carried),
        src_port,
        dst_port,
        transport_seq,
    })
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

/// What follows the extension headers, by the name of its protocol.
fn behind_extensions(row: &Row<'_>) -> Option<IpNumber> {
    row.text(Field::Protocols)?.split(':').find_map(|name| match name {
        "tcp" => Some(IpNumber::TCP),
        "udp" => Some(IpNumber::UDP),
        "icmpv6" => Some(IpNumber::IPV6_ICMP),
        _ => None,
    })
}
