//! AVS WLAN monitor headers (link type 163), versions 1 and 2, big-endian.

use super::radio::{channel, dbm, Radio, SHORT_PREAMBLE};
use crate::base::octets::array_at;
use crate::frame::ParseError;
use crate::ieee80211::radiotap::band_flag;

/// Upper bits of the version field; the lowest octet is the version.
const MAGIC: u32 = 0x8021_1000;
/// Octets of version 1.
const MIN_BYTES: usize = 64;
const MAX_BYTES: usize = 4096;

const SIGNAL_IN_DBM: u32 = 2;
const PREAMBLE_SHORT: u32 = 1;
const PREAMBLE_LONG: u32 = 2;

/// True for the start of an AVS header. Some drivers write AVS headers into captures with the Prism link type.
pub(super) fn looks_like(record: &[u8]) -> bool {
    array_at(record, 0).is_some_and(|version| u32::from_be_bytes(version) & 0xffff_f000 == MAGIC)
}

/// Reads the header at the start of `record`.
pub(super) fn decode(record: &[u8]) -> Result<Radio, ParseError> {
    let u32_at = |at| array_at(record, at).map(u32::from_be_bytes).ok_or(ParseError::CaptureHeader);
    let header_bytes = u32_at(4)? as usize;
    let is_possible = looks_like(record) && (MIN_BYTES..=MAX_BYTES).contains(&header_bytes);
    if !is_possible || record.len() < header_bytes {
        return Err(ParseError::CaptureHeader);
    }
    let mac_time_us = array_at(record, 8).map_or(0, u64::from_be_bytes);
    let in_dbm = u32_at(44)? == SIGNAL_IN_DBM;
    let power = |at| Ok(dbm(u32_at(at)? as i32).filter(|_| in_dbm));
    let preamble = u32_at(56)?;
    Ok(Radio {
        header_bytes,
        tsft_us: Some(mac_time_us).filter(|&us| us != 0),
        flags: if preamble == PREAMBLE_SHORT { SHORT_PREAMBLE } else { 0 },
        tells_preamble: [PREAMBLE_SHORT, PREAMBLE_LONG].contains(&preamble),
        rate_500k: rate_500k(u32_at(32)?),
        channel: frequency(u32_at(28)?),
        signal_dbm: power(48)?,
        noise_dbm: power(52)?,
        ..Radio::default()
    })
}

/// Drivers write the rate in 100 kb/s, as specified, or in bit/s.
fn rate_500k(rate: u32) -> Option<u8> {
    let in_100k = if rate < 100_000 { rate } else { rate / 100_000 };
    u8::try_from(in_100k / 5).ok().filter(|&rate| rate != 0)
}

/// Drivers write a channel number, or a frequency in MHz or kHz.
fn frequency(written: u32) -> Option<(u16, u16)> {
    let mhz = match written {
        0..=255 => return channel(written),
        256..=9_999 => written,
        _ => written / 1000,
    };
    let mhz = u16::try_from(mhz).ok()?;
    Some((mhz, band_flag(mhz)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(channel: u32, rate: u32) -> Vec<u8> {
        let mut octets = Vec::new();
        for field in [0x8021_1001, 64, 0, 4321, 0, 0, 4, channel, rate, 0, 0, 2] {
            octets.extend(u32::to_be_bytes(field));
        }
        for field in [-61i32, -96, 1, 1] {
            octets.extend(field.to_be_bytes());
        }
        octets
    }

    #[test]
    fn fields_in_every_unit_that_drivers_use() {
        let expected = Radio {
            header_bytes: 64,
            tsft_us: Some(4321),
            flags: SHORT_PREAMBLE,
            tells_preamble: true,
            rate_500k: Some(11),
            channel: Some((2462, 0x80)),
            signal_dbm: Some(-61),
            noise_dbm: Some(-96),
            ..Radio::default()
        };
        for (channel, rate) in [(11, 55), (2462, 5_500_000), (2_462_000, 55)] {
            assert_eq!(decode(&header(channel, rate)), Ok(expected));
        }
        assert_eq!(decode(&header(5180, 540)).unwrap().channel, Some((5180, 0x100)));
    }

    #[test]
    fn cut_and_foreign_headers() {
        let whole = header(1, 10);
        assert!((0..whole.len()).all(|cut| decode(&whole[..cut]) == Err(ParseError::CaptureHeader)));
        assert_eq!(decode(&[0; 64]), Err(ParseError::CaptureHeader));
    }
}
