//! The options field of S001 (sec. 4.3, fig. 5), octet by octet and there and back.

use winf_ieee80211::{HopOptions, HopOptionsError};

const MAC_HEADER: usize = 26;
const ALL: HopOptions =
    HopOptions { bandwidth_kbps: Some(5_500), forward_delay_us: Some(1_200), backward_delay_us: Some(u32::MAX) };

#[test]
fn options_follow_the_length_of_the_header() {
    let octets = ALL.encode(MAC_HEADER).unwrap();
    #[rustfmt::skip]
    assert_eq!(octets, [
        45,
        1, 4, 0, 0, 0x15, 0x7c,
        2, 4, 0, 0, 0x04, 0xb0,
        3, 4, 0xff, 0xff, 0xff, 0xff,
    ]);
    assert_eq!(octets.len(), HopOptions::octets(3));
    assert_eq!(HopOptions::decode(MAC_HEADER, &octets), Ok((ALL, octets.len())));
}

#[test]
fn any_of_them_may_be_missing() {
    assert_eq!(HopOptions::default().encode(MAC_HEADER), Ok(vec![]));
    for options in [
        HopOptions { bandwidth_kbps: None, ..ALL },
        HopOptions { forward_delay_us: None, ..ALL },
        HopOptions { backward_delay_us: None, ..ALL },
    ] {
        let octets = options.encode(MAC_HEADER).unwrap();
        assert_eq!(octets.len(), HopOptions::octets(2));
        assert_eq!(HopOptions::decode(MAC_HEADER, &octets), Ok((options, octets.len())));
    }
}

#[test]
fn payload_after_the_header_and_unknown_options_are_skipped() {
    let octets = [36, 9, 1, 0xee, 1, 4, 0, 0, 0, 7, 1, 4, 0, 0, 0, 8];
    let known = HopOptions { bandwidth_kbps: Some(7), ..HopOptions::default() };
    assert_eq!(HopOptions::decode(MAC_HEADER, &octets), Ok((known, 10)));
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let octets = ALL.encode(MAC_HEADER).unwrap();
    for end in 0..octets.len() {
        assert_eq!(HopOptions::decode(MAC_HEADER, &octets[..end]), Err(HopOptionsError::Truncated), "{end}");
    }
    let decode = |octets: &[u8]| HopOptions::decode(MAC_HEADER, octets);
    assert_eq!(decode(&[26]), Err(HopOptionsError::HeaderLength(26)), "not even the length itself");
    assert_eq!(decode(&[3]), Err(HopOptionsError::HeaderLength(3)));
    assert_eq!(decode(&[28, 1]), Err(HopOptionsError::Truncated), "half an option");
    assert_eq!(decode(&[29, 1, 2]), Err(HopOptionsError::Truncated), "a length without data");
    assert_eq!(decode(&[31, 1, 2, 0, 0]), Err(HopOptionsError::DataLength(2)));
    assert_eq!(ALL.encode(237), Err(HopOptionsError::HeaderLength(u8::MAX)), "256 octets");
    assert_eq!(ALL.encode(236).map(|octets| octets[0]), Ok(255));
}
