//! Capture headers of every kind, read as radiotap.

use super::encapsulation::Encapsulation;
use super::{avs, cooked, ppi, prism};
use crate::frame::{Frame, ParseError};
use crate::ieee80211::radiotap;

/// Reads what stands in front of the MAC frame.
pub(super) fn read(
    encapsulation: Encapsulation,
    octets: &[u8],
    frame: &mut Frame,
) -> Result<radiotap::Header, ParseError> {
    match encapsulation {
        Encapsulation::Radiotap => radiotap::decode(octets, frame),
        Encapsulation::Bare => Ok(radiotap::Header { length: 0, flags: None, no_psdu: false, fault: None }),
        Encapsulation::Prism if !avs::looks_like(octets) => prism::decode(octets)?.apply(frame),
        Encapsulation::Prism | Encapsulation::Avs => avs::decode(octets)?.apply(frame),
        Encapsulation::Ppi => ppi::decode(octets)?.apply(frame),
        Encapsulation::Cooked(version) => {
            let (inner, at) = cooked::decode(octets, version)?;
            let header = read(inner, octets.get(at..).unwrap_or_default(), frame)?;
            Ok(radiotap::Header { length: at + header.length, ..header })
        }
    }
}
