//! Ethernet, IP and UDP headers.

use etherparse::{LaxSlicedPacket, TransportSlice};

/// What a record of the capture begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    Ethernet,
    Ip,
}

/// A UDP payload in a record.
pub(super) struct Datagram {
    /// Destination port.
    pub port: u16,
    pub start: usize,
    /// Its end, or that of the record where the capture cut it, or the datagram came in fragments.
    pub end: usize,
}

/// The UDP payload in a record; `None` without one.
pub(super) fn datagram(record: &[u8], network: Network) -> Option<Datagram> {
    let packet = match network {
        Network::Ethernet => LaxSlicedPacket::from_ethernet(record).ok()?,
        Network::Ip => LaxSlicedPacket::from_ip(record).ok()?,
    };
    let Some(TransportSlice::Udp(udp)) = packet.transport else { return None };
    // Of a datagram that the capture cut, what is there.
    let payload = udp.payload();
    let start = (payload.as_ptr() as usize).checked_sub(record.as_ptr() as usize)?;
    Some(Datagram { port: udp.destination_port(), start, end: start + payload.len() })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    const UDP: u8 = 17;

    /// An Ethernet frame with a datagram.
    pub fn ethernet(port: u16, payload: &[u8]) -> Vec<u8> {
        [&[0; 12], [8, 0].as_slice(), &ipv4(port, payload)].concat()
    }

    fn udp(port: u16, payload: &[u8]) -> Vec<u8> {
        let bytes = u16::try_from(8 + payload.len()).unwrap();
        [&[0x12, 0x34], port.to_be_bytes().as_slice(), &bytes.to_be_bytes(), &[0, 0], payload].concat()
    }

    fn ipv4(port: u16, payload: &[u8]) -> Vec<u8> {
        let bytes = u16::try_from(28 + payload.len()).unwrap().to_be_bytes();
        [&[0x45, 0, bytes[0], bytes[1], 0, 0, 0, 0, 64, UDP], [0; 10].as_slice(), &udp(port, payload)].concat()
    }

    fn found(record: &[u8], network: Network) -> Option<(u16, &[u8])> {
        datagram(record, network).map(|found| (found.port, &record[found.start..found.end]))
    }

    #[test]
    fn the_payload_is_found_behind_tags_and_options() {
        let plain = ethernet(5000, b"abc");
        assert_eq!(found(&plain, Network::Ethernet), Some((5000, b"abc".as_slice())));
        assert_eq!(found(&plain[14..], Network::Ip), Some((5000, b"abc".as_slice())));
        let tagged = [&plain[..12], &[0x88, 0xa8, 0, 1, 0x81, 0, 0, 2], &plain[12..]].concat();
        assert_eq!(found(&tagged, Network::Ethernet), Some((5000, b"abc".as_slice())));
        let mut options = [&plain[14..34], &[0; 8], &plain[34..]].concat();
        (options[0], options[3]) = (0x47, options[3] + 8);
        assert_eq!(found(&options, Network::Ip), Some((5000, b"abc".as_slice())));
        let six = [&[0x60, 0, 0, 0, 0, 11, UDP, 64], [0; 32].as_slice(), &udp(5555, b"abc")].concat();
        assert_eq!(found(&six, Network::Ip), Some((5555, b"abc".as_slice())));
    }

    #[test]
    fn padding_is_left_out_and_a_fragment_ends_with_its_record() {
        let plain = ethernet(5000, b"abc");
        let padded = [plain.as_slice(), &[0; 20]].concat();
        assert_eq!(found(&padded, Network::Ethernet), Some((5000, b"abc".as_slice())));
        assert_eq!(found(&plain[..plain.len() - 1], Network::Ethernet), Some((5000, b"ab".as_slice())));
        let mut later = plain;
        later[14 + 7] = 1;
        assert_eq!(found(&later, Network::Ethernet), None);
    }

    #[test]
    fn other_protocols_and_cut_records_have_none() {
        let plain = ethernet(5000, b"");
        for (at, octet) in [(12, 9), (14, 0x50), (14, 0x44), (14 + 9, 6)] {
            let mut other = plain.clone();
            other[at] = octet;
            assert_eq!(found(&other, Network::Ethernet), None, "octet {at}");
        }
        assert!((0..plain.len() - 2).all(|cut| datagram(&plain[..cut], Network::Ethernet).is_none()));
    }
}
