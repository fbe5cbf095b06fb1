//! pcap and pcapng files: containers, options, interfaces, every encapsulation.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use winf_parsers::sources::pcap::CaptureReader;
use winf_parsers::sources::Reader;

fuzz_target!(|file: &[u8]| {
    let Ok(mut reader) = CaptureReader::new(file, Path::new("fuzz")) else { return };
    let mut frames = Vec::new();
    while reader.read(&mut frames).unwrap_or(false) {}
    // A record header is at least 12 octets.
    assert!(frames.len() <= file.len() / 12);
    let _ = (reader.warnings(), reader.facts());
});
