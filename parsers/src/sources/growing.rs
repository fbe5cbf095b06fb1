//! A recording that is still being written.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use super::compression;
use super::formats::recognized;
use super::opening::{not_a_recording, open_file, read_head, unpack};
use super::reader::Reader;
use crate::base::{Error, Result};

/// Octets by which every format can be told.
const TELLING_BYTES: usize = 64;

/// Opens the recording at `path`, which may still grow until `is_complete` is set; `None` while there
/// is too little of it to tell what it is.
///
/// The reader returns true without a frame where it has reached the present end. What is compressed with gzip,
/// zstd or xz is read as far as its writer has flushed it.
///
/// # Errors
/// Those of [`super::open`], and [`Error::NotARecording`] for lz4: its decoder cannot stop inside a block and go on.
pub fn open_growing(path: &Path, is_complete: Arc<AtomicBool>) -> Result<Option<Box<dyn Reader>>> {
    let file = open_file(path)?;
    let may_grow = !is_complete.load(Ordering::Acquire);
    let mut source = Box::new(Growing { file, is_complete });
    let head = read_head(&mut source, path)?;
    if let Some(codec) = compression::codec(&head).filter(|codec| may_grow && !codec.resumes) {
        let found = format!("{}-compressed data, which cannot be followed while they grow", codec.name);
        return Err(Error::NotARecording { path: path.to_owned(), found });
    }
    let content = unpack(head, source, path)?;
    match recognized(&content.head) {
        Some(format) => content.read(format, path).map(Some),
        None if may_grow && content.head.len() < TELLING_BYTES => Ok(None),
        None => Err(not_a_recording(path, &content.head)),
    }
}

/// A file whose present end is not its end.
struct Growing {
    file: File,
    is_complete: Arc<AtomicBool>,
}

impl Read for Growing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Asked first: what is written before the flag is set must be read after it.
        let is_complete = self.is_complete.load(Ordering::Acquire);
        match self.file.read(buffer)? {
            0 if !is_complete && !buffer.is_empty() => Err(io::ErrorKind::WouldBlock.into()),
            octets => Ok(octets),
        }
    }
}
