//! TZSP, the TaZmen Sniffer Protocol: a header, tagged fields, the frame (big-endian).
//!
//! Source: the protocol's description by Network Chemistry, whose tags Wireshark names `tzsp.*`.

use super::super::radio::{channel, dbm, Radio, BAD_FCS};
use super::Remote;
use crate::base::octets::array_at;
use crate::frame::ParseError;

const VERSION: u8 = 1;
/// Types of datagrams: a frame received, a frame to be sent.
const RECEIVED: u8 = 0;
const TO_BE_SENT: u8 = 1;

const IEEE_80211: u16 = 18;
const PRISM: u16 = 119;
const AVS: u16 = 127;

const PADDING: u8 = 0;
const END: u8 = 1;
const SIGNAL: u8 = 10;
const NOISE: u8 = 11;
const RATE: u8 = 12;
const TIME: u8 = 13;
const FCS_ERROR: u8 = 17;
const CHANNEL: u8 = 18;

/// Reads the header at the start of `datagram`.
pub(super) fn decode(datagram: &[u8]) -> Result<Remote, ParseError> {
    let &[VERSION, kind @ (RECEIVED | TO_BE_SENT), high, low] =
        datagram.first_chunk().ok_or(ParseError::CaptureHeader)?
    else {
        return Err(ParseError::LinkType);
    };
    let mut radio = Radio { is_sent: kind == TO_BE_SENT, ..Radio::default() };
    let mut at = 4;
    loop {
        let tag = *datagram.get(at).ok_or(ParseError::CaptureHeader)?;
        at += 1;
        match tag {
            PADDING => continue,
            END => break,
            _ => {}
        }
        let bytes = usize::from(*datagram.get(at).ok_or(ParseError::CaptureHeader)?);
        let value = datagram.get(at + 1..at + 1 + bytes).ok_or(ParseError::CaptureHeader)?;
        take(tag, value, &mut radio);
        at += 1 + bytes;
    }
    match u16::from_be_bytes([high, low]) {
        IEEE_80211 => Ok(Remote::Frame(Radio { header_bytes: at, ..radio })),
        PRISM => Ok(Remote::Header(119, at)),
        AVS => Ok(Remote::Header(163, at)),
        _ => Err(ParseError::LinkType),
    }
}

/// Values of another length than the protocol's are left out. Makers disagree about tag 11, noise in dBm or the ratio of
/// signal to noise in dB: it counts where it is negative.
fn take(tag: u8, value: &[u8], radio: &mut Radio) {
    match tag {
        SIGNAL => radio.signal_dbm = signed(value).and_then(dbm),
        NOISE => radio.noise_dbm = signed(value).and_then(dbm),
        RATE => radio.rate_500k = array_at(value, 0).map(|[rate]| rate).filter(|&rate| rate != 0),
        TIME => radio.tsft_us = <[u8; 4]>::try_from(value).ok().map(|us| u32::from_be_bytes(us).into()),
        FCS_ERROR if value.first().is_some_and(|&error| error != 0) => radio.flags |= BAD_FCS,
        CHANNEL => radio.channel = value.last().and_then(|&number| channel(number.into())),
        _ => {}
    }
}

/// A power in one octet or two.
fn signed(value: &[u8]) -> Option<i32> {
    match *value {
        [power] => Some(i32::from(i8::from_be_bytes([power]))),
        [high, low] => Some(i32::from(i16::from_be_bytes([high, low]))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &[u8] = &[
        1, 0, 0, 18, 10, 1, 0xc4, 0, 11, 2, 0xff, 0xa1, 12, 1, 22, 13, 4, 0, 1, 2, 3, 60, 1, 9, 17, 1, 1, 18, 1, 6, 1,
        8,
    ];

    #[test]
    fn every_tag_reaches_its_field() {
        let expected = Radio {
            header_bytes: FIELDS.len() - 1,
            tsft_us: Some(0x0001_0203),
            flags: BAD_FCS,
            rate_500k: Some(22),
            channel: channel(6),
            signal_dbm: Some(-60),
            noise_dbm: Some(-95),
            ..Radio::default()
        };
        assert_eq!(decode(FIELDS), Ok(Remote::Frame(expected)));
    }

    #[test]
    fn other_contents() {
        let with = |kind, encapsulation, ratio| decode(&[1, kind, 0, encapsulation, 11, 1, ratio, 1]);
        assert_eq!(with(0, 119, 20), Ok(Remote::Header(119, 8)));
        assert_eq!(with(0, 127, 20), Ok(Remote::Header(163, 8)));
        assert!(matches!(with(1, 18, 20), Ok(Remote::Frame(Radio { is_sent: true, noise_dbm: None, .. }))));
        assert_eq!(with(0, 1, 20), Err(ParseError::LinkType));
        assert_eq!(with(4, 18, 20), Err(ParseError::LinkType));
        assert_eq!(decode(&[2, 0, 0, 18, 1]), Err(ParseError::LinkType));
    }

    #[test]
    fn cut_headers() {
        assert!((0..FIELDS.len() - 1).all(|cut| decode(&FIELDS[..cut]) == Err(ParseError::CaptureHeader)));
    }
}
