//! Damaged captures keep what is whole and say what is not.

use winf_parsers::base::{Error, WarningCode};
use winf_parsers::frame::{FrameKind, ParseError};
use winf_parsers::sources::Reader;

use crate::pcap_file::{exchange, open, read, read_all, with_radiotap, USUAL};

#[test]
fn a_capture_cut_anywhere_keeps_every_whole_record() {
    let frames = with_radiotap(exchange());
    let file = USUAL.file(127, &frames);
    let (whole, _) = read(&file);
    let mut ends = vec![24];
    for frame in &frames {
        ends.push(ends.last().unwrap() + 16 + frame.len());
    }
    for cut in 0..file.len() {
        let kept = ends.iter().filter(|&&end| end <= cut).count();
        match open(&file[..cut]) {
            Err(Error::NotARecording { .. }) => assert!(cut < 24),
            Err(Error::Empty { .. }) => assert_eq!(cut, 24),
            Err(error) => panic!("{error}"),
            Ok(mut reader) => {
                assert_eq!(read_all(&mut reader), whole[..kept - 1], "cut at {cut}");
                let codes: Vec<_> = reader.warnings().iter().map(|warning| warning.code).collect();
                let expected: &[_] = if ends.contains(&cut) { &[] } else { &[WarningCode::TruncatedRecord] };
                assert_eq!(codes, expected, "cut at {cut}");
            }
        }
    }
}

#[test]
fn the_cut_is_reported_where_it_is() {
    let file = USUAL.file(127, &with_radiotap(exchange()));
    let (_, warnings) = read(&file[..file.len() - 1]);
    let last_record = file.len() - 16 - 14 - 10;
    assert_eq!((warnings[0].frame_no, warnings[0].offset), (Some(4), Some(last_record as u64)));
}

#[test]
fn an_impossible_record_length_ends_the_capture_in_bounded_memory() {
    let mut file = USUAL.file(127, &with_radiotap(exchange()));
    let offset = file.len() as u64;
    for field in [0u32, 0, 0xffff_fff0, 0xffff_fff0] {
        file.extend(field.to_le_bytes());
    }
    file.extend([0; 1000]);
    let (frames, warnings) = read(&file);
    assert_eq!(frames.len(), 4);
    assert_eq!(warnings.len(), 1);
    assert_eq!(warnings[0].code, WarningCode::ImpossibleRecordLength);
    assert_eq!((warnings[0].frame_no, warnings[0].offset), (Some(5), Some(offset)));
}

#[test]
fn damage_is_counted_into_one_warning_per_kind() {
    let mut frames = Vec::new();
    for _ in 0..3 {
        frames.push(vec![0, 0, 0xff, 0xff, 0, 0, 0, 0]); // radiotap longer than the record
        frames.push(vec![0, 0, 8, 0, 0, 0, 0, 0, 0xb4]); // one octet of MAC header
        frames.push(vec![0, 0, 12, 0, 0, 0, 0, 0x80, 1, 0, 0, 0, 0xd4, 0, 0, 0, 2, 0, 0, 0, 0, 1]);
        // bit 32
    }
    let (rows, warnings) = read(&USUAL.file(127, &frames));
    let errors: Vec<_> = rows.iter().take(3).map(|row| row.parse_error).collect();
    assert_eq!(errors, [Some(ParseError::RadiotapCut), Some(ParseError::HeaderCut), None]);
    assert_eq!(rows[2].kind, FrameKind::Ack);
    let met: Vec<_> = warnings.iter().map(|warning| (warning.code, warning.frame_no)).collect();
    assert_eq!(
        met,
        [
            (WarningCode::RadiotapDamaged, Some(1)),
            (WarningCode::RadiotapUnknownBit, Some(3)),
            (WarningCode::HeaderUnreadable, Some(2)),
        ]
    );
    assert!(warnings.iter().all(|warning| warning.message.contains("3 frames")), "{warnings:?}");
}

#[test]
fn other_link_types_are_refused_by_name() {
    match open(&USUAL.file(189, &exchange())) {
        Err(Error::LinkType { link_type: 189, name: "USB", .. }) => {}
        other => panic!("{:?}", other.err()),
    }
    // A network may carry 802.11 frames; that none is there shows at the end.
    let file = USUAL.file(1, &exchange());
    let mut reader = open(&file).unwrap();
    let mut frames = Vec::new();
    let end = loop {
        match reader.read(&mut frames) {
            Ok(true) => {}
            other => break other,
        }
    };
    assert!(matches!(end, Err(Error::LinkType { link_type: 1, name: "Ethernet", .. })), "{end:?}");
}
