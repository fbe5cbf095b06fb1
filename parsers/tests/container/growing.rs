//! A file that grows is read to its present end, and on from there.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use winf_parsers::capture;
use winf_parsers::warning::WarningCode;

use crate::files::{pcap, radiotap_exchange, read, Scratch};

#[test]
fn every_octet_count_is_a_present_end() {
    let file = pcap(127, &radiotap_exchange());
    let trace = b"s 1.000000000 _0_ AGT  --- 0 cbr 1000 [0 0 0 0] ------- [0:0 3:0 32 0] [0] 0 0\n".repeat(3);
    for (name, content, expected) in [("pcap", &file, read(&file).0.len()), ("trace", &trace, 3)] {
        let scratch = Scratch::new(&format!("growing-{name}"), b"");
        let is_complete = Arc::new(AtomicBool::new(false));
        let mut writer = OpenOptions::new().append(true).open(&scratch.0).unwrap();
        let (mut reader, mut frames) = (None, Vec::new());
        for octets in content.chunks(7) {
            writer.write_all(octets).unwrap();
            if reader.is_none() {
                reader = capture::open_growing(&scratch.0, Arc::clone(&is_complete)).unwrap();
            }
            if let Some(reader) = &mut reader {
                assert!(reader.read(&mut frames).unwrap(), "{name}");
            }
        }
        let mut reader = reader.unwrap();
        is_complete.store(true, Ordering::Release);
        while reader.read(&mut frames).unwrap() {}
        assert_eq!((frames.len(), reader.warnings()), (expected, vec![]), "{name}");
    }
}

#[test]
fn an_unfinished_record_at_the_end_is_a_cut_one() {
    let file = pcap(127, &radiotap_exchange());
    let scratch = Scratch::new("growing-cut", &file[..file.len() - 3]);
    let is_complete = Arc::new(AtomicBool::new(false));
    let mut reader = capture::open_growing(&scratch.0, Arc::clone(&is_complete)).unwrap().unwrap();
    let mut frames = Vec::new();
    assert!(reader.read(&mut frames).unwrap() && reader.read(&mut frames).unwrap());
    is_complete.store(true, Ordering::Release);
    while reader.read(&mut frames).unwrap() {}
    assert_eq!((frames.len(), reader.warnings()[0].code), (3, WarningCode::TruncatedRecord));
}

#[test]
fn what_cannot_be_followed_is_refused() {
    let open = |name: &str, content: &[u8]| {
        let scratch = Scratch::new(name, content);
        capture::open_growing(&scratch.0, Arc::default())
            .map(|reader| reader.is_some())
            .map_err(|error| error.to_string())
    };
    assert_eq!(open("growing-empty", b""), Ok(false));
    assert!(open("growing-text", &b"no trace at all\n".repeat(8)).unwrap_err().contains("text"));
    assert!(open("growing-gzip", b"\x1f\x8b\x08").unwrap_err().contains("cannot be followed"));
}
