//! pcapng: sections, interfaces, stamps, every packet block, and damage.

use winf_parsers::base::{Error, WarningCode};
use winf_parsers::frame::{Direction, ParseError};
use winf_parsers::sources::Reader;

use crate::files::{exchange, open, pcap, radiotap_exchange, read, read_all};

/// Writes blocks in one byte order.
#[derive(Clone, Copy)]
pub struct Writer {
    big_endian: bool,
}

pub const LITTLE: Writer = Writer { big_endian: false };
const BIG: Writer = Writer { big_endian: true };

impl Writer {
    fn u16(self, value: u16) -> [u8; 2] {
        if self.big_endian {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    }

    fn u32(self, value: u32) -> [u8; 4] {
        if self.big_endian {
            value.to_be_bytes()
        } else {
            value.to_le_bytes()
        }
    }

    fn block(self, kind: u32, content: &[u8]) -> Vec<u8> {
        let padded = content.len().next_multiple_of(4);
        let length = self.u32(12 + padded as u32);
        let padding = &[0; 3][..padded - content.len()];
        [&self.u32(kind), length.as_slice(), content, padding, &length].concat()
    }

    pub fn section(self) -> Vec<u8> {
        let content = [&self.u32(0x1a2b_3c4d), self.u16(1).as_slice(), &self.u16(0), &[0xff; 8]].concat();
        self.block(0x0a0d_0d0a, &content)
    }

    fn option(self, code: u16, value: &[u8]) -> Vec<u8> {
        let padding = &[0; 3][..value.len().next_multiple_of(4) - value.len()];
        [&self.u16(code), self.u16(value.len() as u16).as_slice(), value, padding].concat()
    }

    pub fn interface(self, link_type: u16, options: &[(u16, Vec<u8>)]) -> Vec<u8> {
        let mut content = [self.u16(link_type), [0; 2], [0; 2], [0; 2]].concat();
        options.iter().for_each(|(code, value)| content.extend(self.option(*code, value)));
        content.extend([0; 4]);
        self.block(1, &content)
    }

    pub fn enhanced(self, interface: u32, ticks: u64, frame: &[u8]) -> Vec<u8> {
        let (high, low, length) = ((ticks >> 32) as u32, ticks as u32, frame.len() as u32);
        let fields: Vec<u8> =
            [interface, high, low, length, length].iter().flat_map(|&field| self.u32(field)).collect();
        self.block(6, &[&fields, frame].concat())
    }

    /// With `epb_flags`.
    fn flagged(self, ticks: u64, frame: &[u8], flags: u32) -> Vec<u8> {
        let length = frame.len() as u32;
        let fields = [0, (ticks >> 32) as u32, ticks as u32, length, length];
        let padding = &[0; 3][..frame.len().next_multiple_of(4) - frame.len()];
        let fields: Vec<u8> = fields.iter().flat_map(|&field| self.u32(field)).collect();
        self.block(6, &[&fields, frame, padding, &self.option(2, &self.u32(flags)), &[0; 4]].concat())
    }

    fn simple(self, frame: &[u8]) -> Vec<u8> {
        self.block(3, &[self.u32(frame.len() as u32).as_slice(), frame].concat())
    }

    fn obsolete(self, interface: u16, ticks: u64, frame: &[u8]) -> Vec<u8> {
        let mut content = [self.u16(interface), [0xff; 2]].concat();
        for field in [(ticks >> 32) as u32, ticks as u32, frame.len() as u32, frame.len() as u32] {
            content.extend(self.u32(field));
        }
        content.extend(frame);
        self.block(2, &content)
    }

    /// A section of one interface in microseconds with the usual frames, a name resolution block among them.
    fn capture(self) -> Vec<u8> {
        let mut file = [self.section(), self.interface(127, &[(2, b"wlan0mon".to_vec())])].concat();
        for (frame, number) in radiotap_exchange().iter().zip(0..) {
            file.extend(self.enhanced(0, 1_500_000 + 100 * number, frame));
            file.extend(self.block(4, &[0; 20]));
        }
        file
    }
}

#[test]
fn the_same_frames_as_in_pcap_in_both_byte_orders() {
    let (expected, _) = read(&pcap(127, &radiotap_exchange()));
    for writer in [LITTLE, BIG] {
        assert_eq!(read(&writer.capture()), (expected.clone(), vec![]));
    }
}

#[test]
fn sections_of_both_byte_orders_in_one_file_are_the_same_radio() {
    let file = [LITTLE.capture(), BIG.capture(), LITTLE.capture()].concat();
    let mut reader = open(&file).unwrap();
    let frames = read_all(&mut reader);
    assert_eq!(frames.len(), 12);
    assert!(frames.iter().zip(1..).all(|(frame, number)| frame.frame_no == number && frame.parse_error.is_none()));
    let facts = reader.facts();
    assert!(facts.contains(&("sections", "3".to_owned())), "{facts:?}");
    assert!(facts.contains(&("interface", "wlan0mon".to_owned())), "{facts:?}");
}

#[test]
fn each_interface_has_its_own_unit_offset_and_encapsulation() {
    let offset = (-1i64).to_le_bytes().to_vec();
    let [rts, ..] = <[Vec<u8>; 4]>::try_from(exchange()).unwrap();
    let [radiotap_rts, ..] = <[Vec<u8>; 4]>::try_from(radiotap_exchange()).unwrap();
    let file = [
        LITTLE.section(),
        LITTLE.interface(127, &[(9, vec![9]), (14, offset)]),
        LITTLE.interface(105, &[(9, vec![0x8a]), (13, vec![0])]),
        LITTLE.interface(1, &[]),
        LITTLE.enhanced(0, 2_000_000_007, &radiotap_rts),
        LITTLE.enhanced(1, 1536, &rts),
        LITTLE.enhanced(2, 3_000_000, &[0; 60]),
        LITTLE.enhanced(9, 3_000_000, &[0; 60]),
    ]
    .concat();
    let (frames, warnings) = read(&file);
    let stamps: Vec<_> = frames.iter().map(|frame| frame.ts_ns).collect();
    assert_eq!(stamps, [1_000_000_007, 1_500_000_000, 3_000_000_000, 3_000_000_000]);
    let errors: Vec<_> = frames.iter().map(|frame| frame.parse_error).collect();
    assert_eq!(errors, [None, None, Some(ParseError::LinkType), Some(ParseError::LinkType)]);
    assert_eq!(frames[1].length_bytes, Some(20));
    let codes: Vec<_> = warnings.iter().map(|warning| (warning.code, warning.frame_no)).collect();
    assert_eq!(codes, [(WarningCode::OtherLinkType, Some(3)), (WarningCode::SeveralInterfaces, None)]);
}

#[test]
fn simple_and_obsolete_packet_blocks() {
    let frames = radiotap_exchange();
    let file = [
        LITTLE.section(),
        LITTLE.interface(127, &[]),
        LITTLE.obsolete(0, 1_500_000, &frames[0]),
        LITTLE.simple(&frames[1]),
        LITTLE.obsolete(0, 1_500_200, &frames[2]),
    ]
    .concat();
    let (rows, warnings) = read(&file);
    let (expected, _) = read(&pcap(127, &frames));
    assert_eq!(warnings, []);
    assert_eq!((&rows[0], &rows[2]), (&expected[0], &expected[2]));
    assert_eq!((rows[1].kind, rows[1].ra), (expected[1].kind, expected[1].ra));
    assert_eq!(rows[1].ts_ns, 1_500_000_000, "a simple packet has no stamp of its own");
}

#[test]
fn a_time_stamp_that_is_no_time_costs_no_other_frame_its_time() {
    let frames = radiotap_exchange();
    let at = |first: u64, second: u64| {
        let file = [
            LITTLE.section(),
            LITTLE.interface(127, &[]),
            LITTLE.enhanced(0, first, &frames[0]),
            LITTLE.enhanced(0, second, &frames[1]),
            LITTLE.enhanced(0, 1_500_300, &frames[2]),
        ];
        let (rows, warnings) = read(&file.concat());
        (rows.iter().map(|row| row.ts_ns / 1000).collect::<Vec<_>>(), warnings)
    };
    let (stamps, warnings) = at(u64::MAX, u64::MAX - 1);
    assert_eq!(stamps, [1_500_300, 1_500_300, 1_500_300]);
    let codes: Vec<_> = warnings.iter().map(|warning| (warning.code, warning.frame_no)).collect();
    assert_eq!(codes, [(WarningCode::TimeImpossible, Some(1))]);
    assert!(warnings[0].message.contains("in 2 frames"), "{}", warnings[0].message);
    assert_eq!(at(1_500_000, u64::MAX).0, [1_500_000, 1_500_000, 1_500_300]);
}

#[test]
fn a_capture_without_interface_descriptions_is_refused() {
    let file = [LITTLE.section(), LITTLE.enhanced(0, 0, &radiotap_exchange()[0])].concat();
    let mut reader = open(&file).unwrap();
    let mut frames = Vec::new();
    while reader.read(&mut frames).is_ok_and(|more| more) {}
    assert!(matches!(reader.read(&mut Vec::new()), Err(Error::NoInterface { .. })));
}

#[test]
fn a_capture_of_nothing_but_other_link_types_is_refused() {
    let file = [LITTLE.section(), LITTLE.interface(1, &[]), LITTLE.enhanced(0, 0, &[0; 60])].concat();
    let mut reader = open(&file).unwrap();
    let mut frames = Vec::new();
    assert!(reader.read(&mut frames).unwrap());
    assert!(matches!(reader.read(&mut frames), Err(Error::LinkType { link_type: 1, .. })));
}

#[test]
fn cut_anywhere_every_whole_block_is_kept() {
    let file = LITTLE.capture();
    let (whole, _) = read(&file);
    for cut in LITTLE.section().len() + 1..file.len() {
        let (frames, warnings) = read(&file[..cut]);
        assert_eq!(frames, whole[..frames.len()], "cut at {cut}");
        assert!(warnings.iter().all(|warning| warning.code == WarningCode::TruncatedRecord), "{warnings:?}");
    }
    // Between two blocks nothing is missing.
    assert_eq!(read(&file[..file.len() - 32]), (whole, vec![]));
}

#[test]
fn a_corrupt_length_ends_the_capture() {
    let file = LITTLE.capture();
    let second = 28 + 36 + 64 + 32; // behind section, interface, packet and name resolution
    for (field, damaged) in [(4, 0u32), (4, 13), (4, u32::MAX), (20, 0xffff), (20, 100)] {
        let mut file = file.clone();
        file[second + field..second + field + 4].copy_from_slice(&damaged.to_le_bytes());
        let (frames, warnings) = read(&file);
        let codes: Vec<_> = warnings.iter().map(|warning| warning.code).collect();
        assert_eq!((frames.len(), codes), (1, vec![WarningCode::ImpossibleRecordLength]), "{damaged}");
    }
}

#[test]
fn large_unknown_blocks_are_passed_over_without_holding_them() {
    let unknown = LITTLE.block(0x0bad, &vec![0; 9 << 20]);
    let file = [LITTLE.capture(), unknown.clone(), LITTLE.capture()].concat();
    assert_eq!(read(&file).0.len(), 8);
    let cut = [LITTLE.capture(), unknown[..6 << 20].to_vec()].concat();
    let (frames, warnings) = read(&cut);
    assert_eq!((frames.len(), warnings[0].code), (4, WarningCode::TruncatedRecord));
}

#[test]
fn sections_and_interfaces_without_end_take_no_time() {
    let section: Vec<u8> = (0..64u32)
        .map(|number| LITTLE.interface(127, &[(2, number.to_string().into_bytes())]))
        .fold(LITTLE.section(), |section, interface| [section, interface].concat());
    let (frames, _) = read(&[section.repeat(500), LITTLE.enhanced(7, 0, &radiotap_exchange()[0])].concat());
    assert_eq!((frames.len(), frames[0].parse_error), (1, None));
}

#[test]
fn interfaces_without_end_are_bounded() {
    let mut file = LITTLE.section();
    for number in 0..2000u32 {
        file.extend(LITTLE.interface(127, &[(2, number.to_string().into_bytes())]));
    }
    for number in [0, 63, 64, 1999] {
        file.extend(LITTLE.enhanced(number, 0, &radiotap_exchange()[0]));
    }
    let errors: Vec<_> = read(&file).0.iter().map(|frame| frame.parse_error).collect();
    assert_eq!(errors, [None, None, Some(ParseError::LinkType), Some(ParseError::LinkType)]);
}

/// Direction in bits 0 and 1, CRC error in bit 24 (draft-ietf-opsawg-pcapng, section 4.3), of a frame without a header that
/// would tell them; of one that came in a packet over Ethernet they are those of the packet.
#[test]
fn flags_tell_direction_and_a_bad_fcs() {
    const CRC_ERROR: u32 = 1 << 24;
    let frame = exchange().remove(0);
    for writer in [LITTLE, BIG] {
        let mut file = [writer.section(), writer.interface(105, &[])].concat();
        for (flags, ticks) in [0, 1, 2, CRC_ERROR, CRC_ERROR | 2].into_iter().zip(1..) {
            file.extend(writer.flagged(ticks, &frame, flags));
        }
        let (frames, _) = read(&file);
        let told: Vec<_> = frames.iter().map(|frame| (frame.direction, frame.fcs_ok)).collect();
        let (sent, received, bad) = (Some(Direction::Tx), Some(Direction::Rx), Some(false));
        assert_eq!(told, [(None, None), (received, None), (sent, None), (None, bad), (sent, bad)]);
    }
}

#[test]
fn a_section_header_that_is_cut_is_named() {
    let section = LITTLE.section();
    for octets in 4..section.len() {
        let error = open(&section[..octets]).err().unwrap().to_string();
        assert!(error.contains("ends within its first section header"), "{octets}: {error}");
    }
}
