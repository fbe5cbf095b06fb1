//! Prism monitor headers (link type 119) of wlan-ng, HostAP and MadWifi.

use super::radio::{channel, dbm, Radio};
use crate::base::octets::array_at;
use crate::frame::ParseError;

/// Octets before the first item: message code, length, device name.
const ITEMS_AT: usize = 24;
/// Octets of an item: identifier, status, length and value.
const ITEM_BYTES: usize = 12;
/// The header with ten items, written by every driver.
const MAX_BYTES: usize = 4096;

const MAC_TIME: u32 = 2;
const CHANNEL: u32 = 3;
const SIGNAL: u32 = 6;
const NOISE: u32 = 7;
const RATE: u32 = 8;
const IS_SENT: u32 = 9;

/// Reads the header at the start of `record`, in the byte order of the recording machine.
pub(super) fn decode(record: &[u8]) -> Result<Radio, ParseError> {
    let length = array_at(record, 4).ok_or(ParseError::CaptureHeader)?;
    let orders: [fn([u8; 4]) -> u32; 2] = [u32::from_le_bytes, u32::from_be_bytes];
    let possible = |length: u32| (ITEMS_AT..=MAX_BYTES).contains(&(length as usize));
    let u32_of = orders.into_iter().find(|order| possible(order(length))).ok_or(ParseError::CaptureHeader)?;
    let header_bytes = u32_of(length) as usize;
    let header = record.get(..header_bytes).ok_or(ParseError::CaptureHeader)?;

    let mut radio = Radio { header_bytes, ..Radio::default() };
    for item in header.get(ITEMS_AT..).unwrap_or_default().chunks_exact(ITEM_BYTES) {
        let [id, value] = [0, 8].map(|at| array_at(item, at).map_or(0, u32_of));
        // Status, 16 bits in either byte order: 0 means that the value is present.
        if array_at(item, 4) != Some([0; 2]) {
            continue;
        }
        match item_number(id) {
            Some(MAC_TIME) => radio.tsft_us = Some(u64::from(value)).filter(|&us| us != 0),
            Some(CHANNEL) => radio.channel = channel(value),
            Some(SIGNAL) => radio.signal_dbm = dbm(value as i32),
            Some(NOISE) => radio.noise_dbm = dbm(value as i32),
            Some(RATE) => radio.rate_500k = u8::try_from(value).ok(),
            Some(IS_SENT) => radio.is_sent = value != 0,
            _ => {}
        }
    }
    Ok(radio)
}

/// wlan-ng puts the item number in the upper half of the low 16 bits, other drivers in the upper 16 bits.
const fn item_number(id: u32) -> Option<u32> {
    match id & 0xffff {
        0x0044 | 0x0041 => Some(id >> 16),
        low if id == low && low & 0x0fff == 0x0041 => Some(low >> 12),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header with the given items; identifiers as in MadWifi.
    fn header(items: &[(u32, u16, i32)], to_octets: fn(u32) -> [u8; 4]) -> Vec<u8> {
        let mut octets = to_octets(0x44).to_vec();
        octets.extend(to_octets((24 + 12 * items.len()) as u32));
        octets.extend(*b"ath0\0\0\0\0\0\0\0\0\0\0\0\0");
        for &(number, status, value) in items {
            octets.extend(to_octets(number << 16 | 0x44));
            octets.extend(status.to_le_bytes());
            octets.extend([4, 0]);
            octets.extend(to_octets(value as u32));
        }
        octets
    }

    #[test]
    fn items_are_read_in_both_byte_orders() {
        let items = [(2, 0, 1234), (3, 0, 6), (6, 0, -40), (7, 0, -95), (8, 0, 22), (9, 0, 0), (1, 0, 9), (4, 1, 5)];
        let expected = Radio {
            header_bytes: 24 + 12 * 8,
            tsft_us: Some(1234),
            channel: Some((2437, 0x80)),
            signal_dbm: Some(-40),
            noise_dbm: Some(-95),
            rate_500k: Some(22),
            ..Radio::default()
        };
        assert_eq!(decode(&header(&items, u32::to_le_bytes)), Ok(expected));
        assert_eq!(decode(&header(&items, u32::to_be_bytes)), Ok(expected));
    }

    #[test]
    fn the_numbering_of_wlan_ng_is_known() {
        assert_eq!([0x3041, 0x0003_0044, 0x0003_0041, 0x3044].map(item_number), [Some(3), Some(3), Some(3), None]);
    }

    #[test]
    fn absent_values_and_cut_headers() {
        let absent = header(&[(6, 1, -40)], u32::to_le_bytes);
        assert_eq!(decode(&absent).unwrap().signal_dbm, None);
        assert!((0..absent.len()).all(|cut| decode(&absent[..cut]) == Err(ParseError::CaptureHeader)));
    }
}
