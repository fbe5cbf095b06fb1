//! Network and transport headers, if a capture or a trace contains them.

use std::fmt;
use std::net::IpAddr;

/// A network endpoint: an IP address or a simulator node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    /// IPv4 or IPv6.
    Ip(IpAddr),
    /// A simulator's node number.
    Node(u32),
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Host::Ip(address) => address.fmt(f),
            Host::Node(number) => write!(f, "node-{number}"),
        }
    }
}

/// A protocol name of at most eight lower-case ASCII letters: `udp`, `tcp`, `icmp`, `cbr`, `aodv`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Protocol([u8; 8]);

impl Protocol {
    /// Lower-cases and keeps the first eight octets; anything but letters, digits, `_` and `-` becomes `?`.
    pub fn new(name: &[u8]) -> Protocol {
        let mut octets = [0; 8];
        for (slot, byte) in octets.iter_mut().zip(name) {
            let byte = byte.to_ascii_lowercase();
            let plain = byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
            *slot = if plain { byte } else { b'?' };
        }
        Protocol(octets)
    }

    /// The transport protocol with this IP protocol number, or `ip-` and the number.
    pub fn of_ip(number: u8) -> Protocol {
        match number {
            1 => Protocol::new(b"icmp"),
            2 => Protocol::new(b"igmp"),
            6 => Protocol::new(b"tcp"),
            17 => Protocol::new(b"udp"),
            58 => Protocol::new(b"icmpv6"),
            _ => {
                let [a, b, c] = [number / 100, number / 10 % 10, number % 10].map(|digit| b'0' + digit);
                Protocol::new(&[b'i', b'p', b'-', a, b, c])
            }
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        let text = self.0.split(|&octet| octet == 0).next().unwrap_or_default();
        std::str::from_utf8(text).unwrap_or_default()
    }
}

impl fmt::Debug for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Fields of the network and transport headers of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Network {
    /// Source.
    pub src: Host,
    /// Destination.
    pub dst: Host,
    /// Transport protocol, or the simulator's packet type.
    pub proto: Protocol,
    /// Source port.
    pub src_port: Option<u16>,
    /// Destination port.
    pub dst_port: Option<u16>,
    /// TCP sequence number, or the simulator's packet sequence number.
    pub transport_seq: Option<u32>,
    /// The other fields of a TCP header.
    pub tcp: Option<Tcp>,
}

/// Fields of a TCP header (RFC 9293, 3.1) besides ports and sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tcp {
    /// Acknowledgment number: the next number expected. ns-2 counts packets, not octets.
    pub ack: Option<u32>,
    /// Window field, unscaled.
    pub window: Option<u16>,
    /// CWR ECE URG ACK PSH RST SYN FIN, from the highest to the lowest bit.
    pub flags: Option<u8>,
    /// Payload octets after the header.
    pub payload_bytes: Option<u16>,
    /// The Timestamps option (RFC 7323, sec. 3): the sender's clock, and what it echoes of the other end's.
    pub time_stamps: Option<(u32, u32)>,
}

impl Tcp {
    /// The ACK bit of [`Tcp::flags`].
    pub const ACK: u8 = 0x10;
}

impl Network {
    /// A copy without per-packet fields, equal for all packets of one direction.
    pub fn conversation(self) -> Network {
        Network { transport_seq: None, tcp: None, ..self }
    }

    /// Flow name, the same text for both directions: the lower endpoint first.
    ///
    /// ns-2 uses a separate packet type for packets from a TCP sink; they belong to the same flow.
    pub fn flow_of(self) -> String {
        let (a, b) = ((self.src, self.src_port), (self.dst, self.dst_port));
        let (low, high) = if a <= b { (a, b) } else { (b, a) };
        let end = |(host, port): (Host, Option<u16>)| match (host, port) {
            (Host::Ip(IpAddr::V6(ip)), Some(port)) => format!("[{ip}]:{port}"),
            (host, Some(port)) => format!("{host}:{port}"),
            (host, None) => host.to_string(),
        };
        let proto = match self.proto.as_str() {
            "ack" => "tcp",
            other => other,
        };
        format!("{proto} {} {}", end(low), end(high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_is_the_same_in_both_directions() {
        let forward = Network {
            src: Host::Ip([10, 0, 0, 2].into()),
            dst: Host::Ip([10, 0, 0, 1].into()),
            proto: Protocol::new(b"udp"),
            src_port: Some(9),
            dst_port: Some(49153),
            transport_seq: None,
            tcp: None,
        };
        let back = Network {
            src: forward.dst,
            dst: forward.src,
            src_port: forward.dst_port,
            dst_port: forward.src_port,
            ..forward
        };
        assert_eq!(forward.flow_of(), "udp 10.0.0.1:49153 10.0.0.2:9");
        assert_eq!(forward.flow_of(), back.flow_of());
    }

    #[test]
    fn what_a_sink_of_ns2_returns_belongs_to_the_flow() {
        let data = Network {
            src: Host::Node(0),
            dst: Host::Node(3),
            proto: Protocol::new(b"tcp"),
            src_port: Some(0),
            dst_port: Some(1),
            transport_seq: Some(4),
            tcp: None,
        };
        let back = Network {
            src: data.dst,
            dst: data.src,
            proto: Protocol::new(b"ack"),
            src_port: Some(1),
            dst_port: Some(0),
            ..data
        };
        assert_eq!(back.flow_of(), data.flow_of());
        assert_eq!(Network { transport_seq: Some(9), ..data }.conversation(), data.conversation());
    }

    #[test]
    fn protocol_names_are_tame() {
        assert_eq!(Protocol::new(b"TCP").as_str(), "tcp");
        assert_eq!(Protocol::new(b"<script>alert").as_str(), "?script?");
    }
}
