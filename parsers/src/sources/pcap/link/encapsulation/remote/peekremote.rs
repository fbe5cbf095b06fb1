//! Peekremote, as Omnipeek and access points of Cisco send it (big-endian).
//!
//! Neither form has a public specification; the layouts are those that Wireshark shows as `peekremote.*`. The bits of
//! the extended flags are those of Omnipeek's files (Wireshark bugs 9586 and 10637).

use super::super::radio::{channel, dbm, He, Radio, Vht, BAD_FCS, FCS_AT_END, SHORT_PREAMBLE};
use super::Remote;
use crate::base::octets::array_at;
use crate::frame::ParseError;
use crate::ieee80211::radiotap::band_flag;

const LEGACY_BYTES: usize = 20;
const MAGIC: u32 = 0x00ff_abcd;
/// The second form to its time stamp; later versions are longer.
const MIN_BYTES: usize = 55;
const MAX_BYTES: usize = 4096;

/// Flags: the receiver reported a bad FCS.
const CRC_ERROR: u8 = 0x02;
/// Status: short preamble.
const STATUS_SHORT_PREAMBLE: u8 = 0x40;

const UPPER_OR_LOWER_20_MHZ: u32 = 0x0000_0003;
const MHZ_40: u32 = 0x0000_0004;
const HALF_GI: u32 = 0x0000_0008;
const GI: u32 = 0x0000_0018;
const VHT: u32 = 0x0000_0080;
const MCS_INDEX: u32 = 0x0000_0100;
const MHZ_80: u32 = 0x0000_0200;
const HE: u32 = 0x0002_0000;
const MHZ_160: u32 = 0x0004_0000;

/// Reads the header at the start of `datagram`, of either form.
pub(super) fn decode(datagram: &[u8]) -> Result<Remote, ParseError> {
    let radio = if array_at(datagram, 0) == Some(MAGIC.to_be_bytes()) { second(datagram)? } else { legacy(datagram)? };
    Ok(Remote::Frame(Radio { flags: radio.flags | FCS_AT_END, tells_fcs: true, ..radio }))
}

/// A first octet of the magic number could be a signal of 0 dBm, which is implausible.
fn legacy(header: &[u8]) -> Result<Radio, ParseError> {
    let header: &[u8; LEGACY_BYTES] = header.first_chunk().ok_or(ParseError::CaptureHeader)?;
    let &[signal, noise, _, _, _, _, flags, status, time @ .., rate, number, _, _] = header;
    Ok(Radio {
        header_bytes: LEGACY_BYTES,
        tsft_us: Some(u64::from_be_bytes(time)).filter(|&us| us != 0),
        flags: flags_of(flags, status),
        tells_preamble: status & STATUS_SHORT_PREAMBLE != 0,
        rate_500k: Some(rate).filter(|&rate| rate != 0),
        channel: channel(number.into()),
        signal_dbm: dbm(i8::from_be_bytes([signal]).into()),
        noise_dbm: dbm(i8::from_be_bytes([noise]).into()),
        ..Radio::default()
    })
}

fn second(header: &[u8]) -> Result<Radio, ParseError> {
    let u32_at = |at| array_at(header, at).map(u32::from_be_bytes).ok_or(ParseError::CaptureHeader);
    let header_bytes = u32_at(5)? as usize;
    if !(MIN_BYTES..=MAX_BYTES).contains(&header_bytes) || header.len() < header_bytes {
        return Err(ParseError::CaptureHeader);
    }
    let rate_or_mcs = array_at(header, 13).map_or(0, u16::from_be_bytes);
    let number = array_at(header, 15).map_or(0, u16::from_be_bytes);
    let (mhz, extended) = (u32_at(17)?, u32_at(25)?);
    let octet = |at| header.get(at).copied().unwrap_or_default();
    let power = |at| dbm(i8::from_be_bytes([octet(at)]).into());
    let mut radio = Radio {
        header_bytes,
        tsft_us: array_at(header, 47).map(u64::from_be_bytes).filter(|&us| us != 0),
        flags: flags_of(octet(45), octet(46)),
        tells_preamble: octet(46) & STATUS_SHORT_PREAMBLE != 0,
        channel: u16::try_from(mhz).ok().filter(|&mhz| mhz != 0).map(|mhz| (mhz, band_flag(mhz))),
        signal_dbm: power(31),
        noise_dbm: power(32),
        ..Radio::default()
    };
    radio.channel = radio.channel.or_else(|| channel(number.into()));
    modulation(rate_or_mcs, extended, &mut radio);
    Ok(radio)
}

fn flags_of(flags: u8, status: u8) -> u8 {
    let bad_fcs = if flags & CRC_ERROR != 0 { BAD_FCS } else { 0 };
    bad_fcs | if status & STATUS_SHORT_PREAMBLE != 0 { SHORT_PREAMBLE } else { 0 }
}

/// The field holds an MCS index where the flags say so or the PHY has no other rates, else a rate in 500 kb/s.
fn modulation(rate_or_mcs: u16, extended: u32, radio: &mut Radio) {
    let Ok(value) = u8::try_from(rate_or_mcs) else { return };
    let is = |flag| extended & flag != 0;
    let nss = ((extended >> 14) & 7) as u8 + 1;
    let short_gi = (extended & GI != 0).then(|| is(HALF_GI));
    let doublings = match extended {
        _ if is(MHZ_160) => 3,
        _ if is(MHZ_80) => 2,
        _ if is(MHZ_40) => 1,
        _ => 0,
    };
    if is(HE) {
        radio.he = Some(He { mcs: value, nss, doublings });
    } else if is(VHT) {
        radio.vht = Some(Vht { mcs: value, nss, doublings, short_gi });
    } else if is(MCS_INDEX) {
        // Known: MCS, and bandwidth and guard interval where the flags tell them.
        let bandwidth_known = is(MHZ_40 | UPPER_OR_LOWER_20_MHZ);
        let known = 0x02 | u8::from(bandwidth_known) | if short_gi.is_some() { 0x04 } else { 0 };
        let guard = if short_gi == Some(true) { 0x04 } else { 0 };
        radio.mcs = Some([known, doublings.min(1) | guard, value]);
    } else {
        radio.rate_500k = Some(value).filter(|&rate| rate != 0);
    }
}
