//! Linux cooked captures (link types 113 and 276): what `tcpdump -i any` writes, monitor interfaces included.

use super::encapsulation::{CookedVersion, Encapsulation};
use crate::base::octets::array_at;
use crate::frame::ParseError;

/// What stands behind the header at the start of `record`, and where.
///
/// # Errors
/// [`ParseError::LinkType`] for frames of devices other than 802.11 ones.
pub(super) fn decode(record: &[u8], version: CookedVersion) -> Result<(Encapsulation, usize), ParseError> {
    let (device_at, length) = match version {
        CookedVersion::One => (2, 16),
        CookedVersion::Two => (8, 20),
    };
    let device = array_at(record, device_at).filter(|_| record.len() >= length).ok_or(ParseError::CaptureHeader)?;
    // ARPHRD_ of linux/if_arp.h.
    let encapsulation = match u16::from_be_bytes(device) {
        801 => Encapsulation::Bare,
        802 => Encapsulation::Prism,
        803 => Encapsulation::Radiotap,
        _ => return Err(ParseError::LinkType),
    };
    Ok((encapsulation, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_tells_what_follows() {
        let one = |device: u16| [&[0, 3], device.to_be_bytes().as_slice(), &[0; 12]].concat();
        let two = |device: u16| [&[0; 8], device.to_be_bytes().as_slice(), &[0; 10]].concat();
        assert_eq!(decode(&one(803), CookedVersion::One), Ok((Encapsulation::Radiotap, 16)));
        assert_eq!(decode(&two(802), CookedVersion::Two), Ok((Encapsulation::Prism, 20)));
        assert_eq!(decode(&one(1), CookedVersion::One), Err(ParseError::LinkType));
        assert!((0..16).all(|cut| decode(&one(801)[..cut], CookedVersion::One) == Err(ParseError::CaptureHeader)));
        assert!((0..20).all(|cut| decode(&two(801)[..cut], CookedVersion::Two) == Err(ParseError::CaptureHeader)));
    }
}
