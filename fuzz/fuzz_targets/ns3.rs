//! ASCII traces of ns-3, line by line and as files.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use winf_parsers::sources::ns3::{self, Ns3Reader};
use winf_parsers::sources::Reader;

fuzz_target!(|trace: &[u8]| {
    ns3::looks_like(trace);
    let mut reader = Ns3Reader::new(trace, Path::new("fuzz"));
    let mut frames = Vec::new();
    while reader.read(&mut frames).unwrap_or(false) {}
    assert!(frames.len() <= trace.len() + 1);
    let _ = (reader.warnings(), reader.facts());
});
