//! Whole recordings, clock and exchanges included.
#![no_main]

use libfuzzer_sys::fuzz_target;
use winf_fuzz::Scratch;
use winf_parsers::recording::{Recording, Settings};

fuzz_target!(|file: &[u8]| {
    let scratch = Scratch::new(file);
    let Ok(mut recording) = Recording::open(scratch.path(), Settings::default()) else { return };
    let (mut frames, mut exchanges) = (Vec::new(), Vec::new());
    let (mut frame_rows, mut exchange_rows) = (0, 0);
    while recording.read(&mut frames, &mut exchanges).unwrap_or(false) {
        frame_rows += frames.len();
        exchange_rows += exchanges.len();
        assert!(exchange_rows <= frame_rows);
    }
    let _ = recording.summary();
});
