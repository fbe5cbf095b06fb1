//! The HE and HE-MU fields (IEEE 802.11ax-2021, clause 27).

use super::decoding::Decoding;
use super::modulation::rate_mbps;
use crate::base::octets::u16_at;
use crate::frame::ppdu::{PpduFormat, Ru};
use crate::frame::{Frame, Phy};

/// Bits of the first word.
const KNOWN_MCS: u16 = 0x0020;
const KNOWN_DCM: u16 = 0x0040;
const KNOWN_CODING: u16 = 0x0080;
const KNOWN_LDPC_EXTRA: u16 = 0x0100;
const KNOWN_STBC: u16 = 0x0200;
const KNOWN_BANDWIDTH: u16 = 0x4000;
const KNOWN_DOPPLER: u16 = 0x8000;
/// Bits of the second word.
const KNOWN_GUARD: u16 = 0x0002;
const KNOWN_LTF_SYMBOLS: u16 = 0x0004;
const KNOWN_PE_DISAMBIGUITY: u16 = 0x0020;
const KNOWN_MIDAMBLES: u16 = 0x0080;
/// In the sixth word.
const KNOWN_TB_BANDWIDTH: u16 = 0x0020;

/// Bits of HE-MU's first and second word.
const KNOWN_COMPRESSION: u16 = 0x4000;
const KNOWN_SIG_B_SYMBOLS: u16 = 0x8000;
const KNOWN_SIG_A_BANDWIDTH: u16 = 0x0004;
const COMPRESSED: u16 = 0x0008;
const KNOWN_PUNCTURING: u16 = 0x0400;

/// MCS, streams, bandwidth, guard interval, FEC and STBC of the user, and fields that determine the PPDU duration.
pub(super) fn he(decoding: &mut Decoding<'_>, field: &[u8]) -> Option<()> {
    let word = |number: usize| u16_at(field, 2 * (number - 1));
    let (known, known2, data3, data5, data6) = (word(1)?, word(2)?, word(3)?, word(5)?, word(6)?);
    let says = |what: u16| known & what != 0;
    let says2 = |what: u16| known2 & what != 0;
    let frame = &mut *decoding.frame;
    frame.phy = Some(Phy::He);
    frame.mcs = says(KNOWN_MCS).then_some((data3 >> 8 & 0x0f) as u8);
    frame.ldpc = says(KNOWN_CODING).then_some(data3 & 0x2000 != 0);
    frame.stbc = says(KNOWN_STBC).then_some((data3 >> 15) as u8);
    frame.guard_ns = if says2(KNOWN_GUARD) { guard_ns(data5 >> 4 & 0x03) } else { None };
    let code = says(KNOWN_BANDWIDTH).then_some(data5 & 0x0f);
    frame.bandwidth_mhz = code.and_then(bandwidth_mhz).or_else(|| tb_bandwidth_mhz(data6));
    let space_time_streams = (data6 & 0x0f) as u8;
    // Space-time block coding maps every spatial stream to two space-time streams.
    let nss = if frame.stbc == Some(1) { space_time_streams / 2 } else { space_time_streams };
    frame.nss = (nss > 0).then_some(nss);
    let format = [PpduFormat::HeSu, PpduFormat::HeErSu, PpduFormat::HeMu, PpduFormat::HeTb];
    let details = &mut frame.ppdu;
    details.format = format.get(usize::from(known & 0x03)).copied();
    details.ru = code.and_then(ru);
    details.dcm = says(KNOWN_DCM).then_some(data3 & 0x1000 != 0);
    details.ldpc_extra = says(KNOWN_LDPC_EXTRA).then_some(data3 & 0x4000 != 0);
    details.ltf_size = ltf_size(data5 >> 6 & 0x03);
    details.ltf_symbols = if says2(KNOWN_LTF_SYMBOLS) { ltf_symbols(data5 >> 8 & 0x07) } else { None };
    details.pe_disambiguity = says2(KNOWN_PE_DISAMBIGUITY).then_some(data5 & 0x8000 != 0);
    details.midamble_period = match (says(KNOWN_DOPPLER), data6 & 0x0010 != 0, says2(KNOWN_MIDAMBLES)) {
        (true, true, true) => Some(if data6 & 0x8000 != 0 { 20 } else { 10 }),
        (true, false, _) => Some(0),
        _ => None,
    };
    rate(frame);
    Some(())
}

/// Fields of HE-SIG-A of a multi-user PPDU that apply to all users.
pub(super) fn he_mu(decoding: &mut Decoding<'_>, field: &[u8]) -> Option<()> {
    let (flags1, flags2) = (u16_at(field, 0)?, u16_at(field, 2)?);
    let frame = &mut *decoding.frame;
    if flags2 & KNOWN_SIG_A_BANDWIDTH != 0 {
        frame.bandwidth_mhz = bandwidth_mhz(flags2 & 0x03);
        rate(frame); // of the whole bandwidth if no RU is recorded
    }
    // If HE-SIG-B has no common field, the same bits contain the number of users.
    let counts_symbols = flags1 & KNOWN_COMPRESSION != 0 && flags2 & COMPRESSED == 0;
    if flags1 & KNOWN_SIG_B_SYMBOLS != 0 && counts_symbols {
        frame.ppdu.sig_symbols = Some((flags2 >> 4 & 0x0f) as u8 + 1);
    }
    frame.ppdu.punctured = (flags2 & KNOWN_PUNCTURING != 0).then_some(flags2 & 0x0300 != 0);
    Some(())
}

/// Sets the rate if MCS, streams, guard interval and RU or bandwidth are known.
fn rate(frame: &mut Frame) {
    let subcarriers = frame.ppdu.ru.or_else(|| Ru::whole(frame.bandwidth_mhz?)).map(Ru::data_subcarriers);
    if let (Some(mcs), Some(nss), Some(guard), Some(subcarriers)) = (frame.mcs, frame.nss, frame.guard_ns, subcarriers)
    {
        let dual_carrier = frame.ppdu.dcm == Some(true);
        let rate = rate_mbps(mcs, nss, subcarriers, 12.8, guard);
        frame.rate_mbps = rate.map(|mbps| if dual_carrier { mbps / 2.0 } else { mbps });
    }
}

/// Bandwidth of the PPDU; `None` for a resource unit, whose PPDU may be wider.
const fn bandwidth_mhz(code: u16) -> Option<u16> {
    match code {
        0 => Some(20),
        1 => Some(40),
        2 => Some(80),
        3 => Some(160),
        _ => None,
    }
}

/// Bandwidth of a trigger-based PPDU, recorded in addition to the resource unit.
const fn tb_bandwidth_mhz(data6: u16) -> Option<u16> {
    if data6 & KNOWN_TB_BANDWIDTH == 0 {
        return None;
    }
    bandwidth_mhz(data6 >> 6 & 0x03)
}

/// The resource unit; `None` for a bandwidth.
const fn ru(code: u16) -> Option<Ru> {
    match code {
        4 => Some(Ru::T26),
        5 => Some(Ru::T52),
        6 => Some(Ru::T106),
        7 => Some(Ru::T242),
        8 => Some(Ru::T484),
        9 => Some(Ru::T996),
        10 => Some(Ru::T2x996),
        _ => None,
    }
}

/// Guard interval of HE and EHT, nanoseconds.
pub(super) const fn guard_ns(code: u16) -> Option<u16> {
    match code {
        0 => Some(800),
        1 => Some(1600),
        2 => Some(3200),
        _ => None,
    }
}

/// LTF size of HE and EHT, in 3.2 us.
pub(super) const fn ltf_size(code: u16) -> Option<u8> {
    match code {
        1 => Some(1),
        2 => Some(2),
        3 => Some(4),
        _ => None,
    }
}

/// Number of LTF symbols of HE and EHT, coded as in HE-SIG-A and EHT-SIG.
pub(super) const fn ltf_symbols(code: u16) -> Option<u8> {
    match code {
        0 => Some(1),
        1 => Some(2),
        2 => Some(4),
        3 => Some(6),
        4 => Some(8),
        _ => None,
    }
}
