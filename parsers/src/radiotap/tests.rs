use super::*;
use crate::frame::Preamble;

/// A header from its present words and the octets behind them.
fn header(words: &[u32], fields: &[u8]) -> Vec<u8> {
    let length = (4 + 4 * words.len() + fields.len()) as u16;
    let mut octets = vec![0, 0];
    octets.extend(length.to_le_bytes());
    octets.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    octets.extend(fields);
    octets
}

fn read(octets: &[u8]) -> (Frame, Header) {
    let mut frame = Frame::new(1, 0);
    let header = decode(octets, &mut frame).unwrap();
    (frame, header)
}

/// Bits of a present word.
const FLAGS: u32 = 1 << 1;
const RATE: u32 = 1 << 2;
const CHANNEL: u32 = 1 << 3;
const SIGNAL: u32 = 1 << 5;
const ANTENNA: u32 = 1 << 11;
const TX_FLAGS: u32 = 1 << 15;
const MCS: u32 = 1 << 19;
const RADIOTAP_NEXT: u32 = 1 << 29 | 1 << 31;
const VENDOR_NEXT: u32 = 1 << 30 | 1 << 31;

#[test]
fn one_present_word() {
    let fields = [
        [0xa1, 0xd3, 0x77, 0x37, 0, 0, 0, 0].as_slice(), // TSFT 930599841
        &[0x12],                                         // flags: short preamble, FCS at end
        &[0x16],                                         // rate 11 Mb/s
        &[0x85, 0x09, 0xa0, 0x00],                       // channel 2437 MHz, CCK, 2 GHz
        &[0xc8],                                         // signal -56 dBm
        &[0xa0],                                         // noise -96 dBm
        &[0x01, 0x00],                                   // antenna 1, then alignment
        &[0x00, 0x00],                                   // RX flags
    ];
    let octets = header(&[0x0000_486f], &fields.concat());
    let (frame, header) = read(&octets);
    assert_eq!(header.length, octets.len());
    assert_eq!(header.fault, None);
    assert!(header.flags.is_some_and(|flags| flags.fcs_at_end() && !flags.bad_fcs()));
    assert_eq!(frame.tsft_us, Some(930_599_841));
    assert_eq!((frame.phy, frame.rate_mbps), (Some(Phy::HrDsss), Some(11.0)));
    assert_eq!(frame.preamble, Some(Preamble::Short));
    assert_eq!(frame.channel_mhz, Some(2437));
    assert_eq!((frame.signal_dbm, frame.noise_dbm), (Some(-56), Some(-96)));
    assert_eq!(frame.antenna_signals_dbm.as_slice(), &[] as &[i8]);
    assert_eq!(frame.direction, Some(Direction::Rx));
}

#[test]
fn alignment_counts_from_the_header_and_not_from_the_fields() {
    // Two present words end at 12; TSFT is aligned to 8, so it starts at 16.
    let fields = [[0xee; 4].as_slice(), &[7, 0, 0, 0, 0, 0, 0, 0], &[0xd0]];
    let (frame, _) = read(&header(&[1 | RADIOTAP_NEXT, SIGNAL], &fields.concat()));
    assert_eq!((frame.tsft_us, frame.signal_dbm), (Some(7), Some(-48)));
}

#[test]
fn per_antenna_words_become_the_list_behind_the_combined_signal() {
    let words = [SIGNAL | RADIOTAP_NEXT, SIGNAL | ANTENNA | RADIOTAP_NEXT, SIGNAL | ANTENNA];
    let (frame, header) = read(&header(&words, &[0xc8, 0xc6, 0, 0xc7, 1]));
    assert_eq!(header.fault, None);
    assert_eq!(frame.signal_dbm, Some(-56));
    assert_eq!(frame.antenna_signals_dbm.as_slice(), &[-58, -57]);
}

#[test]
fn the_first_signal_is_in_the_list_when_it_names_its_antenna() {
    let words = [SIGNAL | ANTENNA | RADIOTAP_NEXT, SIGNAL | ANTENNA];
    let (frame, _) = read(&header(&words, &[0xc8, 0, 0xc6, 1]));
    assert_eq!(frame.signal_dbm, Some(-56));
    assert_eq!(frame.antenna_signals_dbm.as_slice(), &[-56, -58]);
}

#[test]
fn an_unknown_bit_stops_the_walk_and_shifts_nothing() {
    // Without a namespace bit the second word goes on counting: its bit 0 is bit 32, which is unknown.
    let words = [FLAGS | 1 << 31, 1 | SIGNAL | RADIOTAP_NEXT, SIGNAL];
    let (frame, header) = read(&header(&words, &[0x10, 0xc8, 0xc8, 0xc8]));
    assert_eq!(header.fault, Some(Fault::UnknownBit(32)));
    assert!(header.flags.is_some_and(Flags::fcs_at_end));
    assert_eq!(frame.signal_dbm, None);
}

#[test]
fn vendor_data_is_skipped_by_its_length() {
    let words = [FLAGS | VENDOR_NEXT, 0xffff | RADIOTAP_NEXT, SIGNAL];
    let fields = [[0x10].as_slice(), &[0], &[0x00, 0x11, 0x22, 0, 3, 0], &[0xaa, 0xbb, 0xcc], &[0xc8]];
    let (frame, header) = read(&header(&words, &fields.concat()));
    assert_eq!(header.fault, None);
    assert_eq!(frame.signal_dbm, Some(-56));
}

#[test]
fn vendor_data_past_the_end_is_a_fault() {
    let words = [FLAGS | VENDOR_NEXT, RADIOTAP_NEXT, SIGNAL];
    let fields = [[0x10].as_slice(), &[0], &[0x00, 0x11, 0x22, 0, 0xff, 0xff], &[0xc8]];
    let (frame, header) = read(&header(&words, &fields.concat()));
    assert_eq!(header.fault, Some(Fault::Overrun));
    assert!(header.flags.is_some());
    assert_eq!(frame.signal_dbm, None);
}

#[test]
fn both_namespaces_at_once_are_a_fault() {
    let (_, header) = read(&header(&[FLAGS | RADIOTAP_NEXT | 1 << 30, SIGNAL], &[0x10, 0xc8]));
    assert_eq!(header.fault, Some(Fault::UnknownBit(30)));
}

#[test]
fn present_words_without_end_are_a_fault() {
    let (_, header) = read(&header(&[0xffff_ffff; 3], &[]));
    assert_eq!(header.fault, Some(Fault::Overrun));
}

#[test]
fn a_field_past_the_end_is_a_fault_and_what_precedes_it_stays() {
    let (frame, header) = read(&header(&[FLAGS | CHANNEL], &[0x10, 0, 0x85, 0x09]));
    assert_eq!(header.fault, Some(Fault::Overrun));
    assert!(header.flags.is_some());
    assert_eq!(frame.channel_mhz, None);
}

#[test]
fn type_length_values_end_the_fixed_fields() {
    let (frame, header) = read(&header(&[SIGNAL | 1 << 28], &[0xc8, 0, 0, 0, 34, 0, 0xff, 0xff]));
    assert_eq!(header.fault, None);
    assert_eq!(frame.signal_dbm, Some(-56));
}

#[test]
fn a_length_beyond_the_record_is_refused() {
    let mut frame = Frame::new(1, 0);
    let mut octets = header(&[0], &[0; 16]);
    octets[2..4].copy_from_slice(&65535u16.to_le_bytes());
    assert_eq!(decode(&octets, &mut frame), Err(ParseError::RadiotapCut));
}

#[test]
fn a_length_without_room_for_the_present_word_is_refused() {
    let mut frame = Frame::new(1, 0);
    assert_eq!(decode(&[0, 0, 7, 0, 0, 0, 0, 0], &mut frame), Err(ParseError::RadiotapCut));
    assert_eq!(decode(&[0, 0, 8], &mut frame), Err(ParseError::RadiotapCut));
    assert_eq!(decode(&[], &mut frame), Err(ParseError::RadiotapCut));
}

#[test]
fn another_version_is_refused() {
    let mut frame = Frame::new(1, 0);
    assert_eq!(decode(&[1, 0, 8, 0, 0, 0, 0, 0], &mut frame), Err(ParseError::RadiotapVersion));
}

#[test]
fn rate_and_band_make_the_phy() {
    let phy = |rate_500k: u8, mhz: u16, flags: u16| {
        let channel = [mhz.to_le_bytes(), flags.to_le_bytes()].concat();
        let (frame, _) = read(&header(&[RATE | CHANNEL], &[[rate_500k, 0].as_slice(), &channel].concat()));
        frame.phy
    };
    assert_eq!(phy(2, 2412, 0x00a0), Some(Phy::Dsss));
    assert_eq!(phy(11, 2412, 0x00a0), Some(Phy::HrDsss));
    assert_eq!(phy(108, 2412, 0x0480), Some(Phy::Erp));
    assert_eq!(phy(12, 5180, 0x0140), Some(Phy::Ofdm));
    assert_eq!(phy(12, 5180, 0), Some(Phy::Ofdm), "the frequency decides");
    assert_eq!(phy(12, 0, 0x0080), Some(Phy::Erp), "the flags decide");
    assert_eq!(phy(12, 5180, 0x4140), None, "half-clocked symbols");
    assert_eq!(phy(0, 2412, 0x00a0), None);
    assert_eq!(phy(216, 2412, 0x00a0), None);
}

#[test]
fn no_preamble_is_claimed_without_the_flags_field() {
    assert_eq!(read(&header(&[RATE], &[22])).0.preamble, None);
    assert_eq!(read(&header(&[FLAGS | RATE], &[0x02, 22])).0.preamble, Some(Preamble::Short));
    assert_eq!(read(&header(&[FLAGS | RATE], &[0x02, 2])).0.preamble, Some(Preamble::Long), "1 Mb/s is always long");
}

#[test]
fn sent_frames_are_told_by_their_tx_flags() {
    let (frame, _) = read(&header(&[FLAGS | TX_FLAGS], &[0, 0, 0, 0]));
    assert_eq!(frame.direction, Some(Direction::Tx));
    let (frame, _) = read(&header(&[FLAGS], &[0]));
    assert_eq!(frame.direction, None);
}

#[test]
fn ht_from_the_mcs_field() {
    // Everything known; 40 MHz, short GI, mixed, LDPC, one STBC stream; MCS 15.
    let (frame, _) = read(&header(&[MCS], &[0x3f, 0x35, 15]));
    assert_eq!((frame.phy, frame.mcs, frame.nss), (Some(Phy::Ht), Some(15), Some(2)));
    assert_eq!((frame.bandwidth_mhz, frame.guard_ns, frame.rate_mbps), (Some(40), Some(400), Some(300.0)));
    assert_eq!((frame.preamble, frame.ldpc, frame.stbc), (Some(Preamble::Mixed), Some(true), Some(1)));
}

#[test]
fn what_the_mcs_field_does_not_know_stays_unknown() {
    let (frame, _) = read(&header(&[MCS], &[0x02, 0xff, 7]));
    assert_eq!((frame.mcs, frame.nss), (Some(7), Some(1)));
    assert_eq!((frame.bandwidth_mhz, frame.guard_ns, frame.rate_mbps), (None, None, None));
    let (frame, _) = read(&header(&[MCS], &[0x00, 0xff, 7]));
    assert_eq!((frame.phy, frame.mcs), (None, None));
}

#[test]
fn the_short_guard_flag_stands_in_for_the_mcs_field() {
    let (frame, _) = read(&header(&[FLAGS | MCS], &[0x80, 0x03, 0x00, 7]));
    assert_eq!(frame.guard_ns, Some(400));
}

#[test]
fn the_mcs_of_60_ghz_is_not_ht() {
    let (frame, _) = read(&header(&[CHANNEL | MCS], &[0x40, 0xec, 0, 0, 0x02, 0, 1]));
    assert_eq!((frame.phy, frame.channel_mhz), (None, Some(60480)));
}

#[test]
fn vht_of_the_first_user() {
    // GI and bandwidth known, short GI, 80 MHz; MCS 9, 1 stream; LDPC.
    let field = [0x44, 0x00, 0x04, 4, 0x91, 0, 0, 0, 0x01, 0, 0, 0];
    let (frame, _) = read(&header(&[1 << 21], &field));
    assert_eq!((frame.phy, frame.mcs, frame.nss, frame.ldpc), (Some(Phy::Vht), Some(9), Some(1), Some(true)));
    assert_eq!((frame.bandwidth_mhz, frame.guard_ns, frame.stbc), (Some(80), Some(400), None));
    assert!((frame.rate_mbps.unwrap() - 433.33).abs() < 0.01);
}

#[test]
fn he_of_a_single_user() {
    // MCS, coding, STBC and bandwidth known; MCS 6, LDPC; 80 MHz, GI 0.8 us; two streams.
    let words: [u16; 6] = [0x42a0, 0x0002, 0x2600, 0, 0x0002, 0x0002];
    let field: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let (frame, _) = read(&header(&[1 << 23], &field));
    assert_eq!((frame.phy, frame.mcs, frame.nss, frame.ldpc), (Some(Phy::He), Some(6), Some(2), Some(true)));
    assert_eq!((frame.bandwidth_mhz, frame.guard_ns), (Some(80), Some(800)));
    assert!((frame.rate_mbps.unwrap() - 648.53).abs() < 0.01);
}

#[test]
fn an_he_resource_unit_has_no_bandwidth_of_its_own() {
    let words: [u16; 6] = [0x4020, 0x0002, 0x0600, 0, 0x0005, 0x0001];
    let field: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let (frame, _) = read(&header(&[1 << 23], &field));
    assert_eq!((frame.bandwidth_mhz, frame.rate_mbps), (None, None));
}

#[test]
fn subframes_share_the_ampdu_reference() {
    let (frame, _) = read(&header(&[1 << 20], &[0xb3, 1, 0, 0, 0, 0, 0, 0]));
    assert_eq!(frame.ampdu_ref, Some(435));
}
