//! The HE field (IEEE 802.11ax-2021, clause 27).

use super::modulation::{he_subcarriers, rate_mbps};
use super::Decoding;
use crate::frame::Phy;
use crate::octets::u16_at;

const KNOWN_MCS: u16 = 0x0020;
const KNOWN_CODING: u16 = 0x0080;
const KNOWN_STBC: u16 = 0x0200;
const KNOWN_BANDWIDTH: u16 = 0x4000;
/// In the second word, as opposed to the others.
const KNOWN_GUARD: u16 = 0x0002;

/// MCS, streams, bandwidth, guard interval, FEC and STBC of the user.
pub(super) fn he(decoding: &mut Decoding<'_>, field: &[u8]) -> Option<()> {
    let data = |number: usize| u16_at(field, 2 * (number - 1));
    let (known, known2, data3, data5, data6) = (data(1)?, data(2)?, data(3)?, data(5)?, data(6)?);
    let says = |what: u16| known & what != 0;
    let frame = &mut *decoding.frame;
    frame.phy = Some(Phy::He);
    frame.mcs = says(KNOWN_MCS).then_some((data3 >> 8 & 0x0f) as u8);
    frame.ldpc = says(KNOWN_CODING).then_some(data3 & 0x2000 != 0);
    frame.stbc = says(KNOWN_STBC).then_some((data3 >> 15) as u8);
    frame.bandwidth_mhz = if says(KNOWN_BANDWIDTH) { bandwidth_mhz(data5 & 0x0f) } else { None };
    frame.guard_ns = if known2 & KNOWN_GUARD != 0 { guard_ns(data5 >> 4 & 0x03) } else { None };
    let space_time_streams = (data6 & 0x0f) as u8;
    // Space-time block coding sends every spatial stream as two.
    let nss = if frame.stbc == Some(1) { space_time_streams / 2 } else { space_time_streams };
    frame.nss = (nss > 0).then_some(nss);
    if let (Some(mcs), Some(mhz), Some(guard)) = (frame.mcs, frame.bandwidth_mhz, frame.guard_ns) {
        let dual_carrier = says(0x0040) && data3 & 0x1000 != 0;
        let rate = rate_mbps(mcs, frame.nss?, he_subcarriers(mhz)?, 12.8, guard);
        frame.rate_mbps = rate.map(|mbps| if dual_carrier { mbps / 2.0 } else { mbps });
    }
    Some(())
}

/// Bandwidth of the PPDU; null for a resource unit, whose PPDU may be wider.
const fn bandwidth_mhz(code: u16) -> Option<u16> {
    match code {
        0 => Some(20),
        1 => Some(40),
        2 => Some(80),
        3 => Some(160),
        _ => None,
    }
}

const fn guard_ns(code: u16) -> Option<u16> {
    match code {
        0 => Some(800),
        1 => Some(1600),
        2 => Some(3200),
        _ => None,
    }
}
