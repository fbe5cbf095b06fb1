//! Reads octets as a whole recording.

use std::io::Cursor;
use std::path::Path;

use winf_parsers::base::WarningCode;
use winf_parsers::frame::Frame;
use winf_parsers::pipeline::{Prefix, Recording, Settings};
use winf_parsers::sources;

use crate::samples::Kind;

/// What came of a recording.
pub struct Rows {
    pub frames: usize,
    /// Warnings of the container.
    pub codes: Vec<WarningCode>,
}

/// Frames, exchanges and summary of `content`; `None` where it is refused, which is as good as rows.
pub fn read_through(content: Vec<u8>, kind: Kind) -> Option<Rows> {
    let bytes = content.len();
    let path = Path::new("damaged");
    let reader = sources::open_source(Box::new(Cursor::new(content)), path).ok()?;
    let mut prefix = Prefix::new(reader);
    while prefix.wants_more() {
        prefix.read().ok()?;
    }
    let mut recording = Recording::begin(prefix, path, Settings::default()).ok()?;
    let (mut frames, mut exchanges) = (Vec::new(), Vec::new());
    let (mut frame_rows, mut exchange_rows, mut steps, mut more) = (0, 0, 0, true);
    while more {
        more = recording.read(&mut frames, &mut exchanges).ok()?;
        frame_rows += frames.len();
        exchange_rows += exchanges.len();
        steps += 1;
        assert!(steps <= frame_rows + 3, "no end after {steps} steps");
        assert!(exchange_rows <= frame_rows * kind.views(), "{exchange_rows} exchanges of {frame_rows} frames");
    }
    assert!(frame_rows <= kind.most_rows(bytes), "{frame_rows} rows of {bytes} octets");
    let summary = recording.summary();
    Some(Rows { frames: frame_rows, codes: summary.warnings.iter().map(|warning| warning.code).collect() })
}

/// Rows of the reader alone, as far as they come, and its warnings.
pub fn decode(content: &[u8]) -> Option<(Vec<Frame>, Vec<WarningCode>)> {
    let mut reader = sources::open_source(Box::new(Cursor::new(content.to_vec())), Path::new("damaged")).ok()?;
    let mut frames = Vec::new();
    while reader.read(&mut frames).unwrap_or(false) {}
    Some((frames, reader.warnings().iter().map(|warning| warning.code).collect()))
}
