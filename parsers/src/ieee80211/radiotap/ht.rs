//! The MCS field: HT (IEEE 802.11-2020, clause 19).

use super::decoding::Decoding;
use super::modulation::{rate_mbps, vht_subcarriers};
use crate::base::octets::u8_at;
use crate::frame::{Phy, Preamble};
use crate::ieee80211::airtime::unequal_rate_mbps;

const KNOWN_BANDWIDTH: u8 = 0x01;
const KNOWN_INDEX: u8 = 0x02;
const KNOWN_GUARD: u8 = 0x04;
const KNOWN_FORMAT: u8 = 0x08;
const KNOWN_FEC: u8 = 0x10;
const KNOWN_STBC: u8 = 0x20;
const KNOWN_EXTENSION_STREAMS: u8 = 0x40;

/// The 60 GHz PHY (DMG) has different MCS indices, which some drivers write into this field.
const LOWEST_DMG_MHZ: u16 = 57_000;

/// Bandwidth, guard interval, format, FEC, STBC and MCS index, if marked as known. Drivers add the field without known
/// bits to transmitted frames of any PHY.
pub(super) fn mcs(decoding: &mut Decoding<'_>, field: &[u8]) -> Option<()> {
    let (known, flags, index) = (u8_at(field, 0)?, u8_at(field, 1)?, u8_at(field, 2)?);
    let is_dmg = decoding.channel.is_some_and(|(mhz, _)| mhz >= LOWEST_DMG_MHZ);
    if known == 0 || is_dmg {
        return None;
    }
    let says = |what: u8| known & what != 0;
    let frame = &mut *decoding.frame;
    frame.phy = Some(Phy::Ht);
    // 2 and 3 are 20 MHz in the lower or upper half of a 40 MHz channel.
    frame.bandwidth_mhz = says(KNOWN_BANDWIDTH).then_some(if flags & 0x03 == 1 { 40 } else { 20 });
    frame.guard_ns = says(KNOWN_GUARD).then_some(if flags & 0x04 != 0 { 400 } else { 800 });
    let format = if flags & 0x08 != 0 { Preamble::Greenfield } else { Preamble::Mixed };
    frame.preamble = says(KNOWN_FORMAT).then_some(format);
    frame.ldpc = says(KNOWN_FEC).then_some(flags & 0x10 != 0);
    frame.stbc = says(KNOWN_STBC).then_some(flags >> 5 & 0x03);
    if !says(KNOWN_INDEX) {
        return Some(());
    }
    frame.mcs = Some(index);
    frame.nss = spatial_streams(index);
    if says(KNOWN_EXTENSION_STREAMS) {
        // The two-bit count is split: its upper bit is the last bit of `known`.
        let extension_streams = known >> 6 & 0x02 | flags >> 7;
        let space_time_streams = frame.nss.unwrap_or(0) + frame.stbc.unwrap_or(0);
        frame.ppdu.ltf_symbols = training_fields(space_time_streams, extension_streams);
    }
    frame.rate_mbps = match (index, frame.nss, frame.bandwidth_mhz, frame.guard_ns) {
        // BPSK 1/2, the same on both 20 MHz halves (table 19-37).
        (32, ..) => Some(if frame.guard_ns == Some(400) { 6.7 } else { 6.0 }),
        (0..=31, Some(nss), Some(mhz), Some(guard)) => rate_mbps(index % 8, nss, vht_subcarriers(mhz)?, 3.2, guard),
        (33..=76, _, Some(mhz), Some(guard)) => unequal_rate_mbps(index, mhz, guard),
        _ => None,
    };
    Some(())
}

/// Number of HT-LTFs with extension spatial streams (tables 19-13 and 19-14); `None` without them.
const fn training_fields(space_time_streams: u8, extension_streams: u8) -> Option<u8> {
    let data = match space_time_streams {
        1 | 2 => space_time_streams,
        3 | 4 => 4,
        _ => return None,
    };
    match extension_streams {
        1 | 2 => Some(data + extension_streams),
        3 => Some(data + 4),
        _ => None,
    }
}

/// Streams of an HT MCS (tables 19-27 to 19-41; 33 to 76 modulate each stream differently).
const fn spatial_streams(mcs: u8) -> Option<u8> {
    match mcs {
        0..=31 => Some(mcs / 8 + 1),
        32 => Some(1),
        33..=38 => Some(2),
        39..=52 => Some(3),
        53..=76 => Some(4),
        _ => None,
    }
}
