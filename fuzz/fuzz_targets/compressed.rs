//! Compressed recordings.
#![no_main]

use libfuzzer_sys::fuzz_target;
use winf_fuzz::Scratch;
use winf_parsers::sources;

fuzz_target!(|file: &[u8]| {
    let scratch = Scratch::new(file);
    let _ = sources::first_ns(scratch.path());
    let Ok(mut reader) = sources::open(scratch.path()) else { return };
    let mut frames = Vec::new();
    while reader.read(&mut frames).unwrap_or(false) {
        frames.clear();
    }
    let _ = (reader.warnings(), reader.facts());
});
