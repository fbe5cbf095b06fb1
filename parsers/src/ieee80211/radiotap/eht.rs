//! The U-SIG and EHT items (IEEE 802.11be-2024, clause 36).

use super::decoding::Decoding;
use super::he::{guard_ns, ltf_size, ltf_symbols};
use super::modulation::rate_mbps;
use crate::base::octets::u32_at;
use crate::frame::ppdu::{PpduFormat, Ru};
use crate::frame::{Frame, Phy};

/// Bits of U-SIG's first word.
const KNOWN_PHY_VERSION: u32 = 0x0000_0001;
const KNOWN_BANDWIDTH: u32 = 0x0000_0002;
const KNOWN_UL_DL: u32 = 0x0000_0004;
const UPLINK: u32 = 0x0004_0000;
/// Bits of its value and mask.
const PPDU_TYPE: u32 = 0x0000_00c0;
const PUNCTURED: u32 = 0x0000_3e00;
const EHT_SIG_SYMBOLS: u32 = 0x003e_0000;

/// Bits of EHT's first word.
const KNOWN_GUARD: u32 = 0x0000_0004;
const KNOWN_LTF_SYMBOLS: u32 = 0x0000_0010;
const KNOWN_LDPC_EXTRA: u32 = 0x0000_0020;
const KNOWN_PE_DISAMBIGUITY: u32 = 0x0000_0080;
const KNOWN_USERS: u32 = 0x0008_0000;
const KNOWN_RU: u32 = 0x0040_0000;
/// Bits of a user's word.
const KNOWN_MCS: u32 = 0x0000_0002;
const KNOWN_CODING: u32 = 0x0000_0004;
const KNOWN_NSS: u32 = 0x0000_0010;
const DATA_OF_THIS_USER: u32 = 0x0000_0080;

/// Offset of the user words: after `known` and nine data words.
const USERS_AT: usize = 4 * 10;

/// Bandwidth, PPDU format and puncturing, which are PHY-version independent.
pub(super) fn u_sig(decoding: &mut Decoding<'_>, item: &[u8]) -> Option<()> {
    let word = |number: usize| u32_at(item, 4 * number).unwrap_or(0);
    let (common, value, mask) = (u32_at(item, 0)?, word(1), word(2));
    let frame = &mut *decoding.frame;
    let version = common >> 12 & 0x07;
    if common & KNOWN_PHY_VERSION != 0 && version != 0 {
        return None; // a later PHY
    }
    frame.phy = Some(Phy::Eht);
    if common & KNOWN_BANDWIDTH != 0 {
        frame.bandwidth_mhz = bandwidth_mhz(common >> 15 & 0x07);
    }
    let knows = |field: u32| mask & field == field;
    let is_uplink = common & KNOWN_UL_DL != 0 && common & UPLINK != 0;
    if knows(PPDU_TYPE) {
        // Type 0 is OFDMA downlink and trigger-based uplink (table 36-31).
        let kind = (value & PPDU_TYPE) >> 6;
        let is_tb = kind == 0 && is_uplink;
        frame.ppdu.format = Some(if is_tb { PpduFormat::EhtTb } else { PpduFormat::EhtMu });
        frame.ppdu.multi_user |= kind != 1;
    }
    if frame.ppdu.format == Some(PpduFormat::EhtMu) {
        if knows(PUNCTURED) {
            frame.ppdu.punctured = Some(is_punctured(value));
        }
        if knows(EHT_SIG_SYMBOLS) {
            frame.ppdu.sig_symbols = Some(((value & EHT_SIG_SYMBOLS) >> 17) as u8 + 1);
        }
    }
    rate(frame);
    Some(())
}

/// Guard interval, LTFs and resource unit of the PPDU, and MCS, streams and FEC of the user whose data was
/// recorded.
pub(super) fn eht(decoding: &mut Decoding<'_>, item: &[u8]) -> Option<()> {
    let word = |number: usize| u32_at(item, 4 * number).unwrap_or(0);
    let (known, data0, data1, data7) = (u32_at(item, 0)?, word(1), word(2), word(8));
    let says = |what: u32| known & what != 0;
    let frame = &mut *decoding.frame;
    frame.phy = Some(Phy::Eht);
    if says(KNOWN_GUARD) {
        frame.guard_ns = guard_ns((data0 >> 7 & 0x03) as u16);
    }
    let details = &mut frame.ppdu;
    details.ltf_size = ltf_size((data0 >> 9 & 0x03) as u16);
    details.ltf_symbols = if says(KNOWN_LTF_SYMBOLS) { ltf_symbols((data0 >> 11 & 0x07) as u16) } else { None };
    details.ldpc_extra = says(KNOWN_LDPC_EXTRA).then_some(data0 & 0x4000 != 0);
    details.pe_disambiguity = says(KNOWN_PE_DISAMBIGUITY).then_some(data0 & 0x0002_0000 != 0);
    if says(KNOWN_RU) {
        details.ru = ru(data1 & 0x1f);
    }
    details.multi_user |= says(KNOWN_USERS) && data7 >> 17 & 0x07 > 0;
    if let Some(user) = recorded_user(item) {
        frame.mcs = (user & KNOWN_MCS != 0).then_some((user >> 20 & 0x0f) as u8);
        // Coded as in EHT-SIG: number of symbols minus one.
        frame.nss = (user & KNOWN_NSS != 0).then_some((user >> 24 & 0x0f) as u8 + 1);
        frame.ldpc = (user & KNOWN_CODING != 0).then_some(user & 0x0008_0000 != 0);
    }
    rate(frame);
    Some(())
}

/// The word of the user whose data was recorded. If there is only one user, its word is used even if unmarked.
fn recorded_user(item: &[u8]) -> Option<u32> {
    let words = item.get(USERS_AT..)?.chunks_exact(4).filter_map(|word| u32_at(word, 0));
    let lone = words.clone().next().filter(|_| item.len() < USERS_AT + 8);
    words.clone().find(|user| user & DATA_OF_THIS_USER != 0).or(lone)
}

/// Sets the rate if MCS, streams, guard interval and RU or bandwidth are known.
fn rate(frame: &mut Frame) {
    let ru = frame.ppdu.ru.or_else(|| Ru::whole(frame.bandwidth_mhz?));
    if let (Some(mcs), Some(nss), Some(guard), Some(ru)) = (frame.mcs, frame.nss, frame.guard_ns, ru) {
        let subcarriers = if mcs == 14 { ru.duplicated_data_subcarriers() } else { Some(ru.data_subcarriers()) };
        frame.rate_mbps = subcarriers.and_then(|subcarriers| rate_mbps(mcs, nss, subcarriers, 12.8, guard));
    }
}

/// U-SIG's BW (table 36-28): 320 MHz has two codes.
const fn bandwidth_mhz(code: u32) -> Option<u16> {
    match code {
        0 => Some(20),
        1 => Some(40),
        2 => Some(80),
        3 => Some(160),
        4 | 5 => Some(320),
        _ => None,
    }
}

/// Punctured Channel Information (36.3.12.7.2). For OFDMA: a 1 for each 20 MHz in use within 80 MHz; else the number of
/// a pattern.
const fn is_punctured(value: u32) -> bool {
    let information = (value & PUNCTURED) >> 9;
    let is_ofdma = value & PPDU_TYPE == 0;
    if is_ofdma {
        information & 0x0f != 0x0f
    } else {
        information != 0
    }
}

/// RU/MRU Size.
const fn ru(code: u32) -> Option<Ru> {
    match code {
        0 => Some(Ru::T26),
        1 => Some(Ru::T52),
        2 => Some(Ru::T106),
        3 => Some(Ru::T242),
        4 => Some(Ru::T484),
        5 => Some(Ru::T996),
        6 => Some(Ru::T2x996),
        7 => Some(Ru::T4x996),
        8 => Some(Ru::T52Plus26),
        9 => Some(Ru::T106Plus26),
        10 => Some(Ru::T484Plus242),
        11 => Some(Ru::T996Plus484),
        12 => Some(Ru::T996Plus484Plus242),
        13 => Some(Ru::T2x996Plus484),
        14 => Some(Ru::T3x996),
        15 => Some(Ru::T3x996Plus484),
        _ => None,
    }
}
