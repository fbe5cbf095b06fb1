//! What a pcap file can look like and still say the same.

use std::io::{self, Read};
use std::path::Path;

use winf_parsers::frame::{Assumptions, FrameKind};
use winf_parsers::sources::pcap::CaptureReader;
use winf_parsers::sources::Reader;

use crate::pcap_file::{exchange, read, with_radiotap, Variant, USUAL};

#[test]
fn the_same_frames_in_every_byte_order_and_resolution() {
    let frames = with_radiotap(exchange());
    let (expected, warnings) = read(&USUAL.file(127, &frames));
    assert_eq!(warnings, []);
    let kinds: Vec<_> = expected.iter().map(|frame| frame.kind).collect();
    assert_eq!(kinds, [FrameKind::Rts, FrameKind::Cts, FrameKind::Data, FrameKind::Ack]);
    let stamps: Vec<_> = expected.iter().map(|frame| frame.ts_ns).collect();
    assert_eq!(stamps, [1_500_000_000, 1_500_100_000, 1_500_200_000, 1_500_300_000]);
    assert_eq!(expected[2].length_bytes, Some(528));
    for big_endian in [false, true] {
        for nanoseconds in [false, true] {
            let variant = Variant { big_endian, nanoseconds };
            assert_eq!(read(&variant.file(127, &frames)).0, expected);
        }
    }
}

#[test]
fn nanoseconds_are_kept() {
    let variant = Variant { nanoseconds: true, ..USUAL };
    let mut file = variant.file(127, &with_radiotap(exchange()));
    file[28..32].copy_from_slice(&999_999_999u32.to_le_bytes());
    assert_eq!(read(&file).0[0].ts_ns, 1_999_999_999);
}

#[test]
fn the_file_header_can_say_that_frames_end_with_their_fcs() {
    let frames = exchange();
    let length = |network: u32| {
        let (frames, _) = read(&USUAL.file(network, &frames));
        (frames[2].length_bytes, frames[2].assumptions.contains(Assumptions::FCS_PRESENT))
    };
    assert_eq!(length(105 | 1 << 26 | 2 << 28), (Some(524), false));
    assert_eq!(length(105 | 1 << 26), (Some(528), false));
}

#[test]
fn where_nothing_says_whether_there_is_an_fcs_the_frames_show_it() {
    let bare = exchange();
    let (frames, _) = read(&USUAL.file(105, &bare));
    assert_eq!((frames[2].length_bytes, frames[2].fcs_ok), (Some(528), None));
    assert!(frames[2].assumptions.contains(Assumptions::FCS_PRESENT));

    let with_fcs: Vec<_> =
        bare.iter().map(|frame| [frame.as_slice(), &crc32fast::hash(frame).to_le_bytes()].concat()).collect();
    let (frames, _) = read(&USUAL.file(105, &with_fcs));
    assert_eq!((frames[2].length_bytes, frames[2].fcs_ok), (Some(528), Some(true)));
    assert!(!frames[2].assumptions.contains(Assumptions::FCS_PRESENT));
}

#[test]
fn lengths_are_those_on_the_air_and_not_those_captured() {
    let frame = &exchange()[2];
    let mut file = USUAL.file_header(105);
    file.extend(USUAL.record(0, frame.len() as u32, &frame[..60]));
    file.extend(USUAL.record(0, 0, frame)); // some writers leave the original length out
    file.extend(USUAL.record(0, u32::MAX, frame)); // damage
    let (frames, _) = read(&file);
    assert!(frames.iter().all(|frame| frame.length_bytes == Some(528)));
    assert!(frames[0].assumptions.contains(Assumptions::CONTAINER_LENGTH));
    assert!(!frames[1].assumptions.contains(Assumptions::CONTAINER_LENGTH));
}

#[test]
fn captures_larger_than_the_buffer_are_read_in_order() {
    let frames = with_radiotap(exchange());
    let many: Vec<_> = frames.iter().cycle().take(50_000).cloned().collect();
    let file = USUAL.file(127, &many);
    assert!(file.len() > 8 << 20);
    let mut reader = CaptureReader::new(Trickle { octets: &file, interrupt: false }, Path::new("test.pcap")).unwrap();
    let (mut batch, mut next) = (Vec::new(), 1);
    while reader.read(&mut batch).unwrap() {
        assert!(batch.len() <= 100_000);
        for frame in batch.drain(..) {
            assert_eq!(frame.frame_no, next);
            assert_eq!(
                frame.kind,
                [FrameKind::Rts, FrameKind::Cts, FrameKind::Data, FrameKind::Ack][(next as usize - 1) % 4]
            );
            next += 1;
        }
    }
    assert_eq!(next, 50_001);
}

/// A source that hands out odd amounts and is interrupted now and then, as pipes do.
struct Trickle<'a> {
    octets: &'a [u8],
    interrupt: bool,
}

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.interrupt = !self.interrupt;
        if self.interrupt {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let amount = buffer.len().min(65_521);
        self.octets.read(&mut buffer[..amount])
    }
}
