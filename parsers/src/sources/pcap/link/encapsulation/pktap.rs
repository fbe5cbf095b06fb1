//! PKTAP headers (link type 258), written by `tcpdump -i pktap` on macOS: frames of all interfaces in one file.
//!
//! Layout: `struct pktap_header` in bsd/net/pktap.h of Apple's XNU; multi-octet fields are little-endian. The link type
//! field is a DLT_, which for 802.11 equals the LINKTYPE_ number.

use crate::base::octets::u32_at;
use crate::frame::ParseError;

/// Octets of the first version of the header; later ones are longer.
const MIN_BYTES: usize = 108;
/// Record type: a packet follows the header.
const PACKET: u32 = 1;

/// Parses the header at the start of `record`; returns the inner link type and its offset.
///
/// # Errors
/// [`ParseError::LinkType`] for records without a frame and for frames of interfaces other than 802.11 ones.
pub(super) fn decode(record: &[u8]) -> Result<(u32, usize), ParseError> {
    let field = |at| u32_at(record, at).ok_or(ParseError::CaptureHeader);
    let (length, record_type, link_type) = (field(0)?, field(4)?, field(8)?);
    let length = usize::try_from(length).ok().filter(|length| (MIN_BYTES..=record.len()).contains(length));
    let length = length.ok_or(ParseError::CaptureHeader)?;
    match (record_type, link_type) {
        (PACKET, 105 | 127) => Ok((link_type, length)),
        _ => Err(ParseError::LinkType),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(length: u32, record_type: u32, link_type: u32) -> Vec<u8> {
        let mut octets: Vec<u8> = [length, record_type, link_type].into_iter().flat_map(u32::to_le_bytes).collect();
        octets.extend(b"en0");
        octets.resize(length.max(108) as usize, 0);
        octets
    }

    #[test]
    fn the_header_tells_its_length_and_what_follows() {
        assert_eq!(decode(&header(108, 1, 127)), Ok((127, 108)));
        assert_eq!(decode(&header(156, 1, 105)), Ok((105, 156)));
    }

    #[test]
    fn other_records_and_damage() {
        assert_eq!(decode(&header(108, 1, 1)), Err(ParseError::LinkType));
        assert_eq!(decode(&header(108, 1, 258)), Err(ParseError::LinkType));
        assert_eq!(decode(&header(108, 0, 127)), Err(ParseError::LinkType));
        assert_eq!(decode(&header(107, 1, 127)), Err(ParseError::CaptureHeader));
        assert_eq!(decode(&header(u32::MAX >> 20, 1, 127)[..200]), Err(ParseError::CaptureHeader));
        let whole = header(156, 1, 127);
        assert!((0..whole.len()).all(|cut| decode(&whole[..cut]) == Err(ParseError::CaptureHeader)));
    }
}
