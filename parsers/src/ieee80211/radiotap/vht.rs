//! The VHT field (IEEE 802.11-2020, clause 21).

use super::decoding::Decoding;
use super::modulation::{rate_mbps, vht_subcarriers};
use crate::base::octets::{array_at, u16_at, u8_at};
use crate::frame::Phy;

const KNOWN_STBC: u16 = 0x0001;
const KNOWN_GUARD: u16 = 0x0004;
const KNOWN_LDPC_EXTRA: u16 = 0x0010;
const KNOWN_BANDWIDTH: u16 = 0x0040;
/// Maximum number of users of a VHT MU PPDU.
const USERS: usize = 4;

/// Bandwidth, guard interval, STBC, and MCS, streams and FEC of the first user.
pub(super) fn vht(decoding: &mut Decoding<'_>, field: &[u8]) -> Option<()> {
    let (known, flags, bandwidth) = (u16_at(field, 0)?, u8_at(field, 2)?, u8_at(field, 3)?);
    let (users, coding) = (array_at::<USERS>(field, 4)?, u8_at(field, 8)?);
    let says = |what: u16| known & what != 0;
    let frame = &mut *decoding.frame;
    frame.phy = Some(Phy::Vht);
    frame.bandwidth_mhz = if says(KNOWN_BANDWIDTH) { bandwidth_mhz(bandwidth) } else { None };
    frame.guard_ns = says(KNOWN_GUARD).then_some(if flags & 0x04 != 0 { 400 } else { 800 });
    frame.stbc = says(KNOWN_STBC).then_some(flags & 0x01);
    frame.ppdu.ldpc_extra = says(KNOWN_LDPC_EXTRA).then_some(flags & 0x10 != 0);
    let streams_of = |user: &u8| user & 0x0f;
    let Some(first) = users.iter().position(|user| streams_of(user) > 0) else { return Some(()) };
    let user = users.get(first)?;
    let (nss, mcs) = (streams_of(user), user >> 4);
    frame.mcs = Some(mcs);
    frame.nss = Some(nss);
    frame.ldpc = Some(coding >> first & 0x01 != 0);
    let all_streams: u8 = users.iter().map(streams_of).sum();
    if all_streams > nss {
        frame.ppdu.multi_user = true;
        frame.ppdu.ltf_symbols = Some(if all_streams <= 8 { all_streams.next_multiple_of(2) } else { 8 });
    }
    if let (Some(mhz), Some(guard), 0..=9) = (frame.bandwidth_mhz, frame.guard_ns, mcs) {
        frame.rate_mbps = rate_mbps(mcs, nss, vht_subcarriers(mhz)?, 3.2, guard);
    }
    Some(())
}

/// Width of the transmission; most codes also contain its position within a wider channel.
const fn bandwidth_mhz(code: u8) -> Option<u16> {
    match code {
        0 | 2 | 3 | 7..=10 | 18..=25 => Some(20),
        1 | 5 | 6 | 14..=17 => Some(40),
        4 | 12 | 13 => Some(80),
        11 => Some(160),
        _ => None,
    }
}
