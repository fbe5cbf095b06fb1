//! Linux cooked captures (link types 113 and 276), written by `tcpdump -i any`, monitor interfaces included.

use crate::base::octets::array_at;
use crate::frame::ParseError;

/// The version of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CookedVersion {
    /// LINKTYPE_LINUX_SLL.
    One,
    /// LINKTYPE_LINUX_SLL2.
    Two,
}

/// Parses the header at the start of `record`; returns the inner link type and its offset.
///
/// # Errors
/// [`ParseError::LinkType`] for frames of devices other than 802.11 ones.
pub(super) fn decode(record: &[u8], version: CookedVersion) -> Result<(u32, usize), ParseError> {
    let (device_at, length) = match version {
        CookedVersion::One => (2, 16),
        CookedVersion::Two => (8, 20),
    };
    let device = array_at(record, device_at).filter(|_| record.len() >= length).ok_or(ParseError::CaptureHeader)?;
    // ARPHRD_ of linux/if_arp.h.
    let link_type = match u16::from_be_bytes(device) {
        801 => 105,
        802 => 119,
        803 => 127,
        // Of another device; what it sends may have 802.11 frames in it.
        1 if is_ip(record, version) => 101,
        _ => return Err(ParseError::LinkType),
    };
    Ok((link_type, length))
}

/// Whether the protocol field names IPv4 or IPv6.
fn is_ip(record: &[u8], version: CookedVersion) -> bool {
    let protocol_at = match version {
        CookedVersion::One => 14,
        CookedVersion::Two => 0,
    };
    array_at(record, protocol_at).is_some_and(|protocol| [0x0800, 0x86dd].contains(&u16::from_be_bytes(protocol)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_tells_what_follows() {
        let one = |device: u16| [&[0, 3], device.to_be_bytes().as_slice(), &[0; 12]].concat();
        let two = |device: u16| [&[0; 8], device.to_be_bytes().as_slice(), &[0; 10]].concat();
        assert_eq!(decode(&one(803), CookedVersion::One), Ok((127, 16)));
        assert_eq!(decode(&two(802), CookedVersion::Two), Ok((119, 20)));
        assert_eq!(decode(&one(1), CookedVersion::One), Err(ParseError::LinkType));
        let ip = [&one(1)[..14], &[8, 0], [0x45; 20].as_slice()].concat();
        assert_eq!(decode(&ip, CookedVersion::One), Ok((101, 16)));
        assert!((0..16).all(|cut| decode(&one(801)[..cut], CookedVersion::One) == Err(ParseError::CaptureHeader)));
        assert!((0..20).all(|cut| decode(&two(801)[..cut], CookedVersion::Two) == Err(ParseError::CaptureHeader)));
    }
}
