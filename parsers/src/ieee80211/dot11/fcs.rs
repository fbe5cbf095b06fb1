//! The frame check sequence (IEEE 802.11-2020, 9.2.4.8).

use super::mpdu::Mpdu;
use crate::ieee80211::constants::FCS_BYTES;

/// The FCS status from the receiver, else computed over a complete frame with FCS; `None` if unknown.
///
/// Simulators and injecting drivers leave the field zero; this is an unfilled field, not a damaged frame.
pub(super) fn verdict(mpdu: &Mpdu<'_>) -> Option<bool> {
    if mpdu.bad_fcs {
        return Some(false);
    }
    let whole = u32::try_from(mpdu.octets.len()).is_ok_and(|captured| captured >= mpdu.recorded_bytes);
    if !mpdu.trailing_fcs || !whole {
        return None;
    }
    let (content, fcs) = mpdu.octets.split_last_chunk()?;
    let sent = u32::from_le_bytes(*fcs);
    (sent != 0).then(|| crc32fast::hash(content) == sent)
}

/// Infers whether recorded frames end with an FCS, if the recording does not declare it, from a sample of complete
/// frames.
///
/// An FCS is present if the last four octets of any frame are the CRC of the others, or if ACK and CTS frames are
/// exactly four octets longer than their fields.
pub fn has_trailing_fcs<'a>(frames: impl IntoIterator<Item = &'a [u8]>) -> bool {
    const MIN_BYTES: usize = 10;
    const ACK_OR_CTS: [u8; 2] = [0xd4, 0xc4];
    let (mut with_fcs, mut without_fcs) = (0, 0);
    for octets in frames {
        if octets.first().is_some_and(|first| ACK_OR_CTS.contains(first)) {
            with_fcs += u32::from(octets.len() == MIN_BYTES + FCS_BYTES as usize);
            without_fcs += u32::from(octets.len() == MIN_BYTES);
        }
        let Some((content, fcs)) = octets.split_last_chunk() else { continue };
        if content.len() >= MIN_BYTES && crc32fast::hash(content) == u32::from_le_bytes(*fcs) {
            return true;
        }
    }
    with_fcs > without_fcs
}
