//! 802.11 frames that an access point or sniffer sends over a network: TZSP, Peekremote and Aruba ERM, in UDP in IP.
//!
//! The capture is one of Ethernet, IP or a cooked device. What protocol a datagram has is told by its destination port,
//! as registered or as its makers use it, and by the form of its header.

mod aruba;
mod network;
mod peekremote;
mod tzsp;

use super::radio::Radio;
use crate::frame::ParseError;
pub(super) use network::Network;

/// TZSP (IANA: no registration; used by MikroTik and others).
const TZSP: u16 = 0x9090;
/// Peekremote, of Cisco and Omnipeek.
const PEEKREMOTE: u16 = 5000;
/// Aruba ERM, and Peekremote of Cisco's controllers.
const ARUBA_ERM: u16 = 5555;

/// What follows a header of a capturing protocol.
#[derive(Debug, PartialEq)]
pub(super) enum Remote {
    /// An 802.11 frame, after the header described.
    Frame(Radio),
    /// A header of this link type at this offset.
    Header(u32, usize),
}

impl Remote {
    /// The same, with a header that begins `octets` later.
    fn behind(self, octets: usize) -> Remote {
        match self {
            Remote::Frame(radio) => Remote::Frame(Radio { header_bytes: octets + radio.header_bytes, ..radio }),
            Remote::Header(link_type, at) => Remote::Header(link_type, octets + at),
        }
    }
}

/// Octets of the record up to the end of its datagram: what follows is padding.
pub(super) fn end(record: &[u8], network: Network) -> Option<usize> {
    network::datagram(record, network).map(|datagram| datagram.end)
}

/// Reads the headers at the start of `record`.
///
/// # Errors
/// [`ParseError::LinkType`] for what is no 802.11 frame of such a protocol, [`ParseError::CaptureHeader`] for a damaged
/// header.
pub(super) fn decode(record: &[u8], network: Network) -> Result<Remote, ParseError> {
    let datagram = network::datagram(record, network).ok_or(ParseError::LinkType)?;
    let payload = record.get(datagram.start..datagram.end).unwrap_or_default();
    let inner = match datagram.port {
        TZSP => tzsp::decode(payload),
        PEEKREMOTE => peekremote::decode(payload),
        ARUBA_ERM => aruba::decode(payload),
        _ => Err(ParseError::LinkType),
    }?;
    Ok(inner.behind(datagram.start))
}
