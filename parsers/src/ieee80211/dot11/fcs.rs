//! The frame check sequence (IEEE 802.11-2020, 9.2.4.8).

use super::mpdu::Mpdu;
use crate::ieee80211::constants::FCS_BYTES;

/// The receiver's verdict, or else our own over a whole frame with its FCS; `None` when unknown.
///
/// Simulators and injecting drivers leave the field zero: not a damaged frame but an unfilled field.
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

/// Finds out whether recorded frames end with their FCS where the recording does not say so, from
/// a sample of whole frames.
///
/// They do when the last four octets of any are the CRC of the others, or when ACK and CTS frames
/// are longer than their fields by just these four.
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
