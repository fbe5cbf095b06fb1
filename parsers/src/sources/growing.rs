//! A recording that is still being written.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use super::compression;
use super::digest::{Tap, Tapped};
use super::digesting_reader::DigestingReader;
use super::formats::recognized;
use super::opening::{not_a_recording, open_file, read_head, unpack};
use super::reader::Reader;
use crate::base::{Error, Result};

/// Number of octets that suffices to detect any format.
const TELLING_BYTES: usize = 64;

/// Opens the recording at `path`, which may grow until `is_complete` is set. Returns `None` while the file is too short
/// to detect its format.
///
/// At the present end of the file, the reader returns true without a frame. Files compressed with gzip, zstd or xz are
/// read as far as their writer has flushed them. What is read is hashed ([`Reader::digest`]).
///
/// # Errors
/// Those of [`super::open`], and [`Error::NotARecording`] for lz4: its decoder cannot resume inside a block.
pub fn open_growing(path: &Path, is_complete: Arc<AtomicBool>) -> Result<Option<Box<dyn Reader>>> {
    let file = open_file(path)?;
    let may_grow = !is_complete.load(Ordering::Acquire);
    let (tap, rest) = (Tap::default(), file.try_clone().ok());
    let mut source = Box::new(Tapped::new(Growing { file, is_complete }, tap.clone()));
    let head = read_head(&mut source, path)?;
    if let Some(codec) = compression::codec(&head).filter(|codec| may_grow && !codec.resumes) {
        let found = format!("{}-compressed data, which cannot be followed while they grow", codec.name);
        return Err(Error::NotARecording { path: path.to_owned(), found });
    }
    let content = unpack(head, source, path)?;
    match recognized(&content.head) {
        Some(format) => {
            let inner = content.read(format, path)?;
            Ok(Some(Box::new(DigestingReader::new(inner, tap, rest))))
        }
        None if may_grow && content.head.len() < TELLING_BYTES => Ok(None),
        None => Err(not_a_recording(path, &content.head)),
    }
}

/// A file that may still grow beyond its present end.
struct Growing {
    file: File,
    is_complete: Arc<AtomicBool>,
}

impl Read for Growing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Load the flag before reading: data written before the flag is set must be read.
        let is_complete = self.is_complete.load(Ordering::Acquire);
        match self.file.read(buffer)? {
            0 if !is_complete && !buffer.is_empty() => Err(io::ErrorKind::WouldBlock.into()),
            octets => Ok(octets),
        }
    }
}
