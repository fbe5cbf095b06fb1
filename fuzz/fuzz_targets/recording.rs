//! Whole recordings, clock and exchanges included.
#![no_main]

use std::io::Cursor;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use winf_parsers::pipeline::{Prefix, Recording, Settings};
use winf_parsers::sources;

fuzz_target!(|file: &[u8]| {
    let path = Path::new("fuzz");
    let Ok(reader) = sources::open_source(Box::new(Cursor::new(file.to_vec())), path) else { return };
    let mut prefix = Prefix::new(reader);
    while prefix.wants_more() {
        if prefix.read().is_err() {
            return;
        }
    }
    let Ok(mut recording) = Recording::begin(prefix, path, Settings::default()) else { return };
    let (mut frames, mut exchanges) = (Vec::new(), Vec::new());
    let (mut frame_rows, mut exchange_rows) = (0, 0);
    while recording.read(&mut frames, &mut exchanges).unwrap_or(false) {
        frame_rows += frames.len();
        exchange_rows += exchanges.len();
        assert!(exchange_rows <= frame_rows);
    }
    let _ = recording.summary();
});
