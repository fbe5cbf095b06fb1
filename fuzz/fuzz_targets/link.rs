//! Records of every link type: the first octet chooses it, the rest is one record.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use winf_parsers::sources::pcap::CaptureReader;
use winf_parsers::sources::Reader;

const LINK_TYPES: [u32; 11] = [105, 127, 119, 163, 192, 113, 276, 258, 1, 101, 105 | 1 << 26 | 2 << 28];

fuzz_target!(|input: &[u8]| {
    let Some((&choice, record)) = input.split_first() else { return };
    let length = record.len() as u32;
    let link_type = LINK_TYPES[usize::from(choice) % LINK_TYPES.len()];
    let mut file = Vec::new();
    for field in [0xa1b2_c3d4, 4 << 16 | 2, 0, 0, 65535, link_type, 0, 0, length, length] {
        file.extend(field.to_le_bytes());
    }
    file.extend(record);
    let Ok(mut reader) = CaptureReader::new(file.as_slice(), Path::new("fuzz")) else { return };
    let mut frames = Vec::new();
    while reader.read(&mut frames).unwrap_or(false) {}
    assert_eq!(frames.len(), 1);
});
