use super::*;
use crate::frame::ppdu::{PpduDetails, PpduFormat, Ru};
use crate::frame::{Direction, FrameKind, Phy, Preamble};

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
const TLVS: u32 = 1 << 28;
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

/// Bit 28 and items of a type and content each, padded.
fn items(items: &[(u16, &[u8])]) -> Vec<u8> {
    let mut octets = Vec::new();
    for (number, content) in items {
        octets.extend(number.to_le_bytes());
        octets.extend((content.len() as u16).to_le_bytes());
        octets.extend(*content);
        octets.resize(octets.len().next_multiple_of(4), 0);
    }
    octets
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn items_follow_the_fixed_fields_and_unknown_ones_are_passed_over() {
    let vendor = [0x00, 0x11, 0x22, 1, 0, 0, 0, 0, 0xaa];
    let list = items(&[(999, &[1, 2, 3]), (30, &vendor), (32, &[0; 6]), (28, &[]), (5, &[0xc8]), (24, &[])]);
    let (frame, header) = read(&header(&[FLAGS | TLVS], &[[0x10, 0, 0, 0].as_slice(), &list].concat()));
    assert_eq!(header.fault, None);
    assert_eq!((frame.signal_dbm, frame.direction), (Some(-56), Some(Direction::Rx)));
}

#[test]
fn an_item_past_the_end_is_a_fault_and_what_precedes_it_stays() {
    let list = [items(&[(5, &[0xc8])]), vec![34, 0, 0xff, 0xff]].concat();
    let (frame, header) = read(&header(&[TLVS], &list));
    assert_eq!((header.fault, frame.signal_dbm), (Some(Fault::Overrun), Some(-56)));
}

#[test]
fn an_eht_single_user() {
    // PHY version 0, 160 MHz; PPDU type 1, no puncturing, EHT-SIG of 2 symbols.
    let u_sig = words(&[0x0000_0003 | 3 << 15, 0x40 | 1 << 17, 0x003f_fec0]);
    // GI, LTFs, PE disambiguity and RU known: 1.6 us, 2x, 2 symbols; 2x996. One user: MCS 13, 2 streams, LDPC.
    let user = 0x0000_0096 | 0x0008_0000 | 13 << 20 | 1 << 24;
    let eht = words(&[0x0040_0094, 1 << 7 | 2 << 9 | 1 << 11, 6, 0, 0, 0, 0, 0, 0, 0, user]);
    let (frame, header) = read(&header(&[TLVS], &items(&[(33, &u_sig), (34, &eht)])));
    assert_eq!(header.fault, None);
    assert_eq!((frame.phy, frame.mcs, frame.nss, frame.ldpc), (Some(Phy::Eht), Some(13), Some(2), Some(true)));
    assert_eq!((frame.bandwidth_mhz, frame.guard_ns), (Some(160), Some(1600)));
    let expected = PpduDetails {
        format: Some(PpduFormat::EhtMu),
        ru: Some(Ru::T2x996),
        ltf_size: Some(2),
        ltf_symbols: Some(2),
        sig_symbols: Some(2),
        pe_disambiguity: Some(false),
        punctured: Some(false),
        ..PpduDetails::NONE
    };
    assert_eq!(frame.ppdu, expected);
    assert!((frame.rate_mbps.unwrap() - 2722.2).abs() < 0.1); // 802.11be-2024, 36.5
}

#[test]
fn one_of_several_eht_users_in_a_punctured_band() {
    // 80 MHz downlink OFDMA, the third 20 MHz left out; the data is the second user's.
    let u_sig = words(&[0x0000_0007 | 2 << 15, 0x1b << 9, 0x0000_3ec0]);
    let users = [0x0000_0016 | 5 << 20, 0x0000_0096 | 3 << 20];
    let eht = words(&[&[0x0040_0000, 0, 10, 0, 0, 0, 0, 0, 0, 0], users.as_slice()].concat());
    let (frame, _) = read(&header(&[TLVS], &items(&[(33, &u_sig), (34, &eht)])));
    assert_eq!((frame.mcs, frame.nss, frame.ldpc, frame.guard_ns), (Some(3), Some(1), Some(false), None));
    assert_eq!((frame.ppdu.ru, frame.ppdu.punctured, frame.ppdu.multi_user), (Some(Ru::T484Plus242), Some(true), true));
}

#[test]
fn an_eht_answer_to_a_trigger() {
    let u_sig = words(&[0x0004_0007 | 1 << 15, 0, 0x0000_00c0]);
    let (frame, _) = read(&header(&[TLVS], &items(&[(33, &u_sig)])));
    assert_eq!((frame.bandwidth_mhz, frame.ppdu.format), (Some(40), Some(PpduFormat::EhtTb)));
    let later = words(&[0x0000_0003 | 1 << 12, 0, 0]);
    assert_eq!(read(&header(&[TLVS], &items(&[(33, &later)]))).0.phy, None, "PHY version 1 is no EHT");
}

#[test]
fn items_cut_anywhere_do_no_harm() {
    let list = items(&[(33, &[0xff; 12]), (34, &[0xff; 56]), (23, &[0xff; 12]), (30, &[0xff; 9])]);
    for end in 0..list.len() {
        read(&header(&[TLVS], &list[..end]));
        read(&header(&[TLVS], &items(&[(34, &list[..end]), (33, &list[..end]), (23, &list[..end])])));
    }
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
    assert_eq!([6, 9, 12, 54].map(|rate| phy(rate, 5890, 0x4140)), [Some(Phy::Ofdm); 4], "a channel of 10 MHz");
    assert_eq!([phy(6, 5890, 0x0140), phy(6, 5885, 0x0140)], [Some(Phy::Ofdm), None], "said or not");
    assert_eq!(phy(12, 5890, 0x8140), None, "quarter-clocked symbols");
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
fn an_he_resource_unit_has_a_rate_and_no_bandwidth_of_its_own() {
    let he: [u16; 6] = [0x4022, 0x0002, 0x0600, 0, 0x0005, 0x0001];
    let field: Vec<u8> = he.iter().flat_map(|word| word.to_le_bytes()).collect();
    let (frame, _) = read(&header(&[1 << 23], &field));
    assert_eq!((frame.bandwidth_mhz, frame.ppdu.ru), (None, Some(Ru::T52)));
    assert!((frame.rate_mbps.unwrap() - 15.88).abs() < 0.01);
    // HE-MU knows the bandwidth of the PPDU: 80 MHz; HE-SIG-B of 5 symbols, puncturing.
    let he_mu: [u16; 2] = [0xc000, 0x0546 | 0x0100];
    let field: Vec<u8> = he.iter().chain(&he_mu).flat_map(|word| word.to_le_bytes()).chain([0; 8]).collect();
    let (frame, _) = read(&header(&[1 << 23 | 1 << 24], &field));
    assert_eq!((frame.bandwidth_mhz, frame.ppdu.format), (Some(80), Some(PpduFormat::HeMu)));
    assert_eq!((frame.ppdu.sig_symbols, frame.ppdu.punctured), (Some(5), Some(true)));
    assert!((frame.rate_mbps.unwrap() - 15.88).abs() < 0.01, "that of the resource unit");
}

#[test]
fn an_he_answer_to_a_trigger() {
    // All of the second word but the RU's offset; LTF 4x, GI 3.2 us, 4 LTFs, PE disambiguity; STBC of 2 streams;
    // midambles every 20 symbols; 40 MHz.
    let he: [u16; 6] = [0xc2e3, 0x00ff, 0xb100, 0, 0x8000 | 0x0200 | 0x00c0 | 0x0020 | 0x0006, 0x8072];
    let field: Vec<u8> = he.iter().flat_map(|word| word.to_le_bytes()).collect();
    let (frame, _) = read(&header(&[1 << 23], &field));
    assert_eq!((frame.nss, frame.stbc, frame.guard_ns, frame.bandwidth_mhz), (Some(1), Some(1), Some(3200), Some(40)));
    let expected = PpduDetails {
        format: Some(PpduFormat::HeTb),
        ru: Some(Ru::T106),
        dcm: Some(true),
        ltf_size: Some(4),
        ltf_symbols: Some(4),
        pe_disambiguity: Some(true),
        midamble_period: Some(20),
        ..PpduDetails::NONE
    };
    assert_eq!(frame.ppdu, expected);
}

#[test]
fn vht_users_are_trained_together() {
    // The second and third user of four: 2 streams at MCS 4 with LDPC, 1 at MCS 7.
    let field = [0x44, 0x00, 0x00, 4, 0x00, 0x42, 0x71, 0, 0x02, 0, 0, 0];
    let (frame, _) = read(&header(&[1 << 21], &field));
    assert_eq!((frame.mcs, frame.nss, frame.ldpc), (Some(4), Some(2), Some(true)));
    assert_eq!((frame.ppdu.multi_user, frame.ppdu.ltf_symbols), (true, Some(4)));
}

#[test]
fn extension_streams_of_ht_are_counted_among_the_ltfs() {
    // Two extension streams: the upper bit in the first octet, the lower in the second.
    let (frame, _) = read(&header(&[MCS], &[0xff, 0x00, 7]));
    assert_eq!(frame.ppdu.ltf_symbols, Some(3));
    assert_eq!(read(&header(&[MCS], &[0x7f, 0x00, 7])).0.ppdu.ltf_symbols, None);
}

#[test]
fn l_sig_length() {
    assert_eq!(read(&header(&[1 << 27], &[0x03, 0, 0x6b, 0x04])).0.ppdu.l_sig_length, Some(70));
    assert_eq!(read(&header(&[1 << 27], &[0x01, 0, 0x6b, 0x04])).0.ppdu.l_sig_length, None);
}

#[test]
fn a_null_data_packet_is_no_damaged_frame() {
    let (frame, sounding) = read(&header(&[1 << 26], &[0]));
    assert_eq!((sounding.no_psdu, frame.kind, frame.ppdu.psdu_missing), (true, FrameKind::Ndp, false));
    let (frame, not_captured) = read(&header(&[1 << 26], &[1]));
    assert_eq!((not_captured.no_psdu, frame.kind, frame.ppdu.psdu_missing), (true, FrameKind::Unknown, true));
}

#[test]
fn a_time_stamp_of_64_bits_stands_in_for_tsft() {
    let stamp = |unit: u8, flags: u8| [7, 0, 0, 0, 0, 0, 0, 0, 0, 0, unit, flags];
    let tsft = |present: u32, fields: &[u8]| read(&header(&[present], fields)).0.tsft_us;
    assert_eq!(tsft(1 << 22, &stamp(0x21, 0)), Some(7));
    assert_eq!((tsft(1 << 22, &stamp(0x22, 0)), tsft(1 << 22, &stamp(0x21, 1))), (None, None), "ns, 32 bits");
}

#[test]
fn subframes_share_the_ampdu_reference() {
    let (frame, _) = read(&header(&[1 << 20], &[0xb3, 1, 0, 0, 0, 0, 0, 0]));
    assert_eq!(frame.ampdu_ref, Some(435));
}
