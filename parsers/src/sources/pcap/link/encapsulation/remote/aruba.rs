//! Aruba ERM, encapsulated remote mirroring: forms 0 to 6, which the sender's configuration chooses (big-endian).
//!
//! Nothing in a datagram names its form, so that its header tells it: lengths that fit (0 pcap, 3 pcap with radio), a
//! magic number (5 Peekremote), a radiotap header (6), else Peekremote's first form (1). Form 4, PPI, begins as radiotap
//! does and is told by its link type. Source: Wireshark's names `aruba_erm.*`.

use super::super::radio::{channel, Radio};
use super::{peekremote, Remote};
use crate::base::octets::{array_at, u16_at, u32_at};
use crate::frame::ParseError;

/// Seconds, microseconds, octets captured, octets of the frame.
const PCAP_BYTES: usize = 16;
/// Rate in 500 kb/s, channel, signal in percent.
const RADIO_BYTES: usize = 4;
const RADIOTAP: u32 = 127;
const PPI: u32 = 192;
/// LINKTYPE_IEEE802_11, which a PPI header names as that of its frame.
const IEEE_80211: u32 = 105;
/// Of a radiotap or PPI header.
const MIN_BYTES: usize = 8;

/// Reads the header at the start of `datagram`.
pub(super) fn decode(datagram: &[u8]) -> Result<Remote, ParseError> {
    let captured = array_at(datagram, 8).map(u32::from_be_bytes).and_then(|bytes| usize::try_from(bytes).ok());
    let behind = datagram.len().checked_sub(PCAP_BYTES);
    match (captured, behind) {
        (Some(captured), Some(behind)) if captured > 0 && captured == behind => pcap(datagram, false),
        (Some(captured), Some(behind)) if captured > 0 && captured + RADIO_BYTES == behind => pcap(datagram, true),
        _ if has_header(datagram) && u32_at(datagram, 4) == Some(IEEE_80211) => Ok(Remote::Header(PPI, 0)),
        _ if has_header(datagram) => Ok(Remote::Header(RADIOTAP, 0)),
        _ => peekremote::decode(datagram),
    }
}

fn pcap(datagram: &[u8], with_radio: bool) -> Result<Remote, ParseError> {
    if !with_radio {
        return Ok(Remote::Frame(Radio { header_bytes: PCAP_BYTES, ..Radio::default() }));
    }
    let [high, low, number, _percent] = array_at(datagram, PCAP_BYTES).ok_or(ParseError::CaptureHeader)?;
    let rate = u8::try_from(u16::from_be_bytes([high, low])).ok();
    Ok(Remote::Frame(Radio {
        header_bytes: PCAP_BYTES + RADIO_BYTES,
        rate_500k: rate.filter(|&rate| rate != 0),
        channel: channel(number.into()),
        ..Radio::default()
    }))
}

/// Version 0, a pad octet of 0, and a length within the datagram, as radiotap and PPI headers have it.
fn has_header(datagram: &[u8]) -> bool {
    let bytes = u16_at(datagram, 2).map_or(0, usize::from);
    datagram.starts_with(&[0, 0]) && (MIN_BYTES..=datagram.len()).contains(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: &[u8] = &[0xd4, 0, 0, 0, 2, 0, 0, 0, 0, 1, 9, 9, 9, 9];

    fn pcap_header(bytes: usize) -> Vec<u8> {
        [1000, 7, bytes, bytes].into_iter().flat_map(|field| (field as u32).to_be_bytes()).collect()
    }

    #[test]
    fn the_form_follows_from_the_header() {
        let plain = [&pcap_header(FRAME.len()), FRAME].concat();
        assert_eq!(decode(&plain), Ok(Remote::Frame(Radio { header_bytes: 16, ..Radio::default() })));
        let radio = [&pcap_header(FRAME.len()), [0, 108, 36, 40].as_slice(), FRAME].concat();
        let expected = Radio { header_bytes: 20, rate_500k: Some(108), channel: channel(36), ..Radio::default() };
        assert_eq!(decode(&radio), Ok(Remote::Frame(expected)));
        let radiotap = [&[0, 0, 10, 0, 4, 0, 0, 0, 12, 0], FRAME].concat();
        assert_eq!(decode(&radiotap), Ok(Remote::Header(127, 0)));
        let ppi = [&[0, 0, 8, 0, 105, 0, 0, 0], FRAME].concat();
        assert_eq!(decode(&ppi), Ok(Remote::Header(192, 0)));
        let legacy = [&[0xc4, 0xa1, 0, 14, 0, 14], [0; 10].as_slice(), &[22, 6, 70, 10], FRAME].concat();
        assert!(matches!(decode(&legacy), Ok(Remote::Frame(Radio { header_bytes: 20, signal_dbm: Some(-60), .. }))));
    }

    #[test]
    fn cut_headers() {
        assert!((0..16).all(|cut| decode(&pcap_header(FRAME.len())[..cut]).is_err()));
    }
}
