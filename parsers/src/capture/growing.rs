//! A recording that is still being written.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use super::{compression, not_a_recording, recognized, Input, SNIFFED_BYTES};
use crate::error::{Error, Result};
use crate::reader::Reader;

/// Octets by which every format can be told.
const TELLING_BYTES: usize = 64;

/// Opens the recording at `path`, which may still grow until `is_complete` is set; `None` while there
/// is too little of it to tell what it is.
///
/// The reader returns true without a frame where it has reached the present end.
///
/// # Errors
/// Those of [`super::open`]. A compressed recording is refused: its octets come too late to follow.
pub fn open_growing(path: &Path, is_complete: Arc<AtomicBool>) -> Result<Option<Box<dyn Reader>>> {
    if is_complete.load(Ordering::Acquire) {
        return super::open(path).map(Some);
    }
    let fail = |attempted| move |source| Error::Io { path: path.to_owned(), attempted, source };
    let mut file = File::open(path).map_err(fail("opening"))?;
    let mut head = Vec::new();
    file.by_ref().take(SNIFFED_BYTES).read_to_end(&mut head).map_err(fail("reading"))?;
    if let Some(codec) = compression::codec(&head) {
        let found = format!("{}-compressed data, which cannot be followed while they grow", codec.name);
        return Err(Error::NotARecording { path: path.to_owned(), found });
    }
    match recognized(&head) {
        Some(format) => {
            let source = Box::new(Cursor::new(head).chain(Growing { file, is_complete }));
            (format.open)(Input { path: path.to_owned(), source }).map(Some)
        }
        None if head.len() < TELLING_BYTES => Ok(None),
        None => Err(not_a_recording(path, &head)),
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
