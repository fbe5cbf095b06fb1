//! Per-Packet Information headers (link type 192), as specified by CACE in 2007.

use super::radio::{Radio, BAD_FCS, FCS_AT_END};
use crate::base::octets::{u16_at, u32_at, u64_at, u8_at};
use crate::frame::ParseError;

/// Octets before the first field.
const FIELDS_AT: usize = 8;
/// The only supported inner link type: 802.11 without radio header.
const IEEE_802_11: u32 = 105;

const COMMON: u16 = 2;
const HT_MAC: u16 = 3;
const HT_MAC_AND_PHY: u16 = 4;

/// Reads the header at the start of `record`.
///
/// [`ParseError::LinkType`] if the inner frame is not 802.11.
/// [`ParseError::LinkType`] where the frame behind it is not 802.11.
pub(super) fn decode(record: &[u8]) -> Result<Radio, ParseError> {
    let (version, header_flags) = (u8_at(record, 0), u8_at(record, 1).ok_or(ParseError::CaptureHeader)?);
    let length = usize::from(u16_at(record, 2).ok_or(ParseError::CaptureHeader)?);
    let link_type = u32_at(record, 4).ok_or(ParseError::CaptureHeader)?;
    let header = record.get(..length).filter(|header| header.len() >= FIELDS_AT).ok_or(ParseError::CaptureHeader)?;
    if version != Some(0) {
        return Err(ParseError::CaptureHeader);
    }
    if link_type != IEEE_802_11 {
        return Err(ParseError::LinkType);
    }
    let is_aligned = header_flags & 1 != 0;
    let mut radio = Radio { header_bytes: length, ..Radio::default() };
    let mut rest = header.get(FIELDS_AT..).unwrap_or_default();
    while let Some((kind, field)) = field(rest) {
        match kind {
            COMMON => common(field, &mut radio),
            HT_MAC => ht_mac(field, &mut radio),
            HT_MAC_AND_PHY => ht_mac_and_phy(field, &mut radio),
            _ => Some(()),
        };
        let bytes = 4 + if is_aligned { field.len().next_multiple_of(4) } else { field.len() };
        rest = rest.get(bytes..).unwrap_or_default();
    }
    Ok(radio)
}

/// The first of several fields that is present, with its type.
fn field(fields: &[u8]) -> Option<(u16, &[u8])> {
    let (kind, length) = (u16_at(fields, 0)?, u16_at(fields, 2)?);
    Some((kind, fields.get(4..4 + usize::from(length))?))
}

/// 802.11-Common. A signal of -128 dBm or a channel of 0 MHz means unknown.
fn common(field: &[u8], radio: &mut Radio) -> Option<()> {
    let (tsf, flags) = (u64_at(field, 0)?, u16_at(field, 8)?);
    let (rate, mhz, channel_flags) = (u16_at(field, 10)?, u16_at(field, 12)?, u16_at(field, 14)?);
    let power = |at| u8_at(field, at).map(|octet| octet as i8).filter(|&dbm| dbm != i8::MIN && dbm != 0);
    let in_milliseconds = flags & 2 != 0;
    let us = if in_milliseconds { tsf.checked_mul(1000) } else { Some(tsf) };
    radio.tsft_us = us.filter(|&us| us != 0);
    radio.tells_fcs = true;
    radio.flags |= if flags & 1 != 0 { FCS_AT_END } else { 0 };
    radio.flags |= if flags & 4 != 0 { BAD_FCS } else { 0 };
    radio.rate_500k = u8::try_from(rate).ok().filter(|&rate| rate != 0);
    radio.channel = (mhz != 0).then_some((mhz, channel_flags));
    radio.signal_dbm = power(18);
    radio.noise_dbm = power(19);
    Some(())
}

/// 802.11n MAC Extensions: the A-MPDU that contained the frame.
fn ht_mac(field: &[u8], radio: &mut Radio) -> Option<()> {
    let (flags, ampdu_ref) = (u32_at(field, 0)?, u32_at(field, 4)?);
    let in_ampdu = flags & 0x30 != 0;
    radio.ampdu_ref = in_ampdu.then_some(ampdu_ref);
    Some(())
}

/// 802.11n MAC + PHY Extensions. Frames of other PHYs may carry it without an MCS or with one above 76.
fn ht_mac_and_phy(field: &[u8], radio: &mut Radio) -> Option<()> {
    ht_mac(field, radio)?;
    let (flags, index) = (u32_at(field, 0)?, u8_at(field, 9)?);
    let is_ht = index <= 76 && radio.rate_500k.is_none_or(is_no_legacy_rate);
    if is_ht {
        let (is_40_mhz, short_guard, greenfield) = (flags >> 1 & 1, flags >> 2 & 1, flags & 1);
        let mcs_flags = is_40_mhz | short_guard << 2 | greenfield << 3;
        // Bandwidth, index, guard interval and format are known.
        radio.mcs = Some([0x0f, u8::try_from(mcs_flags).ok()?, index]);
    }
    Some(())
}

/// For HT frames, drivers write no rate or the HT rate.
fn is_no_legacy_rate(rate_500k: u8) -> bool {
    !matches!(rate_500k, 2 | 4 | 11 | 22 | 12 | 18 | 24 | 36 | 48 | 72 | 96 | 108)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(aligned: u8, link_type: u8, fields: &[(u16, Vec<u8>)]) -> Vec<u8> {
        let mut octets = vec![0, aligned, 0, 0, link_type, 0, 0, 0];
        for (kind, field) in fields {
            octets.extend(kind.to_le_bytes());
            octets.extend((field.len() as u16).to_le_bytes());
            octets.extend(field);
            octets.resize(if aligned == 1 { octets.len().next_multiple_of(4) } else { octets.len() }, 0);
        }
        let length = octets.len() as u16;
        octets[2..4].copy_from_slice(&length.to_le_bytes());
        octets
    }

    fn common_field(flags: u16, rate: u16) -> Vec<u8> {
        let mut field = 5000u64.to_le_bytes().to_vec();
        for value in [flags, rate, 2437, 0x0480, 0] {
            field.extend(value.to_le_bytes());
        }
        field.extend([(-50i8) as u8, (-100i8) as u8]);
        field
    }

    fn ht_field(flags: u32, mcs: u8) -> Vec<u8> {
        let mut field = flags.to_le_bytes().to_vec();
        field.extend(7u32.to_le_bytes());
        field.extend([0, mcs]);
        field.resize(48, 0);
        field
    }

    #[test]
    fn the_common_field() {
        let expected = Radio {
            header_bytes: 32,
            tsft_us: Some(5000),
            flags: FCS_AT_END,
            tells_fcs: true,
            rate_500k: Some(22),
            channel: Some((2437, 0x0480)),
            signal_dbm: Some(-50),
            noise_dbm: Some(-100),
            ..Radio::default()
        };
        assert_eq!(decode(&header(0, 105, &[(2, common_field(1, 22))])), Ok(expected));
        let in_milliseconds = decode(&header(0, 105, &[(2, common_field(2 | 4, 22))])).unwrap();
        assert_eq!((in_milliseconds.tsft_us, in_milliseconds.flags), (Some(5_000_000), BAD_FCS));
    }

    #[test]
    fn ht_fields_after_unknown_and_unaligned_ones() {
        let fields = [(2, common_field(0, 0)), (9, vec![1, 2, 3]), (4, ht_field(0x10 | 2 | 4, 15))];
        let radio = decode(&header(1, 105, &fields)).unwrap();
        assert_eq!((radio.mcs, radio.ampdu_ref), (Some([0x0f, 0x05, 15]), Some(7)));
        assert_eq!(decode(&header(0, 105, &fields)).unwrap().mcs, radio.mcs);
        let legacy = decode(&header(0, 105, &[(2, common_field(0, 108)), (4, ht_field(0, 0))])).unwrap();
        assert_eq!(legacy.mcs, None);
    }

    #[test]
    fn other_frames_and_damage() {
        assert_eq!(decode(&header(0, 1, &[])), Err(ParseError::LinkType));
        let whole = header(0, 105, &[(2, common_field(1, 22))]);
        assert!((0..whole.len()).all(|cut| decode(&whole[..cut]) == Err(ParseError::CaptureHeader)));
        let mut long_field = whole.clone();
        long_field[10] = 0xff;
        assert_eq!(decode(&long_field), Ok(Radio { header_bytes: 32, ..Radio::default() }));
    }
}
