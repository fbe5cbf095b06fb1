//! Whatever stands in front of a frame, the frame is the same.

use winf_parsers::base::WarningCode;
use winf_parsers::frame::{Frame, ParseError, Phy};

use crate::files::{exchange, long_pcap, pcap, radiotap_exchange, read};

/// Each frame of the usual exchange behind a header.
fn behind(header: &[u8]) -> Vec<Vec<u8>> {
    exchange().into_iter().map(|frame| [header, &frame].concat()).collect()
}

/// A Prism header with signal -50 dBm, 11 Mb/s, channel 6.
fn prism() -> Vec<u8> {
    let mut header = Vec::new();
    for field in [0x44u32, 24 + 3 * 12] {
        header.extend(field.to_le_bytes());
    }
    header.extend([0; 16]);
    for (item, value) in [(3u32, 6i32), (6, -50), (8, 22)] {
        header.extend((item << 16 | 0x44).to_le_bytes());
        header.extend([0, 0, 4, 0]);
        header.extend(value.to_le_bytes());
    }
    header
}

/// An AVS header that says the same.
fn avs() -> Vec<u8> {
    let fields = [0x8021_1001u32, 64, 0, 0, 0, 0, 4, 6, 110, 0, 0, 2, -50i32 as u32, 0, 0, 1];
    fields.iter().flat_map(|field| field.to_be_bytes()).collect()
}

/// A PPI header that says the same.
fn ppi() -> Vec<u8> {
    let mut header = vec![0, 0, 32, 0, 105, 0, 0, 0, 2, 0, 20, 0];
    header.extend([0; 8]);
    for field in [0u16, 22, 2437, 0xa0, 0] {
        header.extend(field.to_le_bytes());
    }
    header.extend([-50i8 as u8, 0]);
    header
}

fn assert_understood(frames: &[Frame]) {
    let (bare, _) = read(&pcap(105, &exchange()));
    for (frame, expected) in frames.iter().zip(&bare) {
        let mac = |frame: &Frame| (frame.kind, frame.ra, frame.ta, frame.seq, frame.nav_us, frame.length_bytes);
        assert_eq!(mac(frame), mac(expected));
        assert_eq!((frame.phy, frame.rate_mbps), (Some(Phy::HrDsss), Some(11.0)));
        assert_eq!((frame.channel_mhz, frame.signal_dbm), (Some(2437), Some(-50)));
        assert!(frame.airtime_us.is_some());
    }
}

#[test]
fn prism_avs_and_ppi_say_what_radiotap_would() {
    for (link_type, header) in [(119, prism()), (119, avs()), (163, avs()), (192, ppi())] {
        let (frames, warnings) = read(&pcap(link_type, &behind(&header)));
        assert_eq!((frames.len(), warnings), (4, vec![]), "{link_type}");
        assert_understood(&frames);
    }
}

#[test]
fn cooked_captures_hold_monitor_interfaces_among_others() {
    let (expected, _) = read(&pcap(127, &radiotap_exchange()));
    let cooked = [&[0, 0, 0x03, 0x23, 0, 6], [0; 10].as_slice()].concat();
    let mut frames: Vec<_> = radiotap_exchange().iter().map(|frame| [cooked.as_slice(), frame].concat()).collect();
    assert_eq!(read(&pcap(113, &frames)), (expected, vec![]));
    frames.push([&[0, 0, 0, 1, 0, 6], [0; 30].as_slice()].concat());
    let (rows, warnings) = read(&pcap(113, &frames));
    assert_eq!(rows[4].parse_error, Some(ParseError::LinkType));
    assert_eq!(warnings[0].code, WarningCode::OtherLinkType);
}

#[test]
fn pktap_captures_hold_monitor_interfaces_among_others() {
    let behind = |link_type: u8, frame: &[u8]| {
        let header = [108, 0, 0, 0, 1, 0, 0, 0, link_type, 0, 0, 0];
        [header.as_slice(), b"en0", &[0; 93], frame].concat()
    };
    for (link_type, frames) in [(127, radiotap_exchange()), (105, exchange())] {
        let mut records: Vec<_> = frames.iter().map(|frame| behind(link_type, frame)).collect();
        let (expected, _) = read(&pcap(u32::from(link_type), &frames));
        assert_eq!(read(&pcap(258, &records)), (expected, vec![]));
        records.push(behind(1, &[0; 60]));
        let (rows, warnings) = read(&pcap(258, &records));
        assert_eq!(rows[4].parse_error, Some(ParseError::LinkType));
        assert_eq!(warnings[0].code, WarningCode::OtherLinkType);
    }
}

#[test]
fn damaged_headers_are_rows() {
    for (link_type, header) in [(119, prism()), (163, avs()), (192, ppi())] {
        let frames: Vec<_> = (0..header.len()).map(|cut| header[..cut].to_vec()).collect();
        let (rows, warnings) = read(&pcap(link_type, &frames));
        assert!(rows.iter().all(|row| row.parse_error == Some(ParseError::CaptureHeader)), "{link_type}");
        let codes: Vec<_> = warnings.iter().map(|warning| warning.code).collect();
        assert_eq!(codes, [WarningCode::CaptureHeaderDamaged]);
    }
}

#[test]
fn long_record_headers_in_both_byte_orders() {
    let (expected, _) = read(&pcap(127, &radiotap_exchange()));
    for big_endian in [false, true] {
        assert_eq!(read(&long_pcap(big_endian, &radiotap_exchange())), (expected.clone(), vec![]));
    }
}
