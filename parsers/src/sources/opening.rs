//! Opens recordings by their content, compressed or not.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

use super::compression::{self, Ending, UnpackedReader};
use super::digest::{Tap, Tapped};
use super::digesting_reader::DigestingReader;
use super::formats::{recognized, Format, Input};
use super::reader::Reader;
use super::unrecognized;
use crate::base::{Error, Result};

/// Number of octets read to detect the format.
const SNIFFED_BYTES: u64 = 64 << 10;

/// Opens the recording at `path`; decompresses gzip, zstd, lz4 and xz.
///
/// # Errors
/// [`Error::Io`], and [`Error::NotARecording`], [`Error::LinkType`] or [`Error::Empty`] for content
/// that cannot be read as 802.11 frames.
pub fn open(path: &Path) -> Result<Box<dyn Reader>> {
    open_source(Box::new(open_file(path)?), path)
}

/// [`open`], and hashes the file while it is read ([`Reader::digest`]).
///
/// # Errors
/// Those of [`open`].
pub fn open_digesting(path: &Path) -> Result<Box<dyn Reader>> {
    let (file, tap) = (open_file(path)?, Tap::default());
    let rest = file.try_clone().ok();
    let reader = open_source(Box::new(Tapped::new(file, tap.clone())), path)?;
    Ok(Box::new(DigestingReader::new(reader, tap, rest)))
}

/// Opens a recording from any source of octets; `path` is for messages.
///
/// # Errors
/// Those of [`open`].
pub fn open_source(source: Box<dyn Read + Send>, path: &Path) -> Result<Box<dyn Reader>> {
    let content = look_at(source, path)?;
    match recognized(&content.head) {
        Some(format) => content.read(format, path),
        None => Err(content.ended_early(path).unwrap_or_else(|| not_a_recording(path, &content.head))),
    }
}

/// The format of the recording at `path`; `None` if the content matches none of [`FORMATS`].
///
/// # Errors
/// [`Error::Io`].
pub fn recognize(path: &Path) -> Result<Option<&'static Format>> {
    Ok(recognized(&look_at(Box::new(open_file(path)?), path)?.head))
}

/// True for a simulator trace, that is, a supported format other than a capture.
///
/// # Errors
/// [`Error::Io`].
pub fn is_trace(path: &Path) -> Result<bool> {
    Ok(recognize(path)?.is_some_and(|format| !matches!(format.name, "pcap" | "pcapng")))
}

/// Timestamp of the first frame of the recording at `path`, nanoseconds. `None` if the first octets contain no frame or
/// match none of [`FORMATS`]. Takes a millisecond, independent of the file size.
///
/// # Errors
/// [`Error::Io`].
pub fn first_ns(path: &Path) -> Result<Option<i64>> {
    let head = look_at(Box::new(open_file(path)?), path)?.head;
    let Some(format) = recognized(&head) else { return Ok(None) };
    let mut frames = Vec::new();
    let input = Input { path: path.to_owned(), source: Box::new(Cursor::new(head)) };
    if let Ok(mut reader) = (format.open)(input) {
        while frames.is_empty() && reader.read(&mut frames).unwrap_or(false) {}
    }
    Ok(frames.first().map(|frame| frame.ts_ns))
}

/// The decompressed content of a file.
pub(super) struct Content {
    /// Its first octets.
    pub head: Vec<u8>,
    rest: Box<dyn Read + Send>,
    /// Why decompression ended early; only for compressed files.
    ending: Option<Ending>,
}

impl Content {
    /// Starts reading it from the beginning.
    pub fn read(self, format: &Format, path: &Path) -> Result<Box<dyn Reader>> {
        let early = self.ended_early(path);
        let source = Box::new(Cursor::new(self.head).chain(self.rest));
        let inner = match ((format.open)(Input { path: path.to_owned(), source }), early) {
            (Err(Error::Empty { .. } | Error::NotARecording { .. }), Some(early)) => return Err(early),
            (opened, _) => opened?,
        };
        Ok(match self.ending {
            Some(ending) => Box::new(UnpackedReader { inner, ending }),
            None => inner,
        })
    }

    /// Why there is no recording in compressed data that end, damaged, within the first octets.
    pub fn ended_early(&self, path: &Path) -> Option<Error> {
        Some(Error::NotARecording { path: path.to_owned(), found: self.ending.as_ref()?.reason()? })
    }
}

pub(super) fn open_file(path: &Path) -> Result<File> {
    File::open(path).map_err(|source| Error::Io { path: path.to_owned(), attempted: "opening", source })
}

fn look_at(mut source: Box<dyn Read + Send>, path: &Path) -> Result<Content> {
    let head = read_head(&mut source, path)?;
    unpack(head, source, path)
}

/// Inspects `head` and `rest`, compressed or not.
pub(super) fn unpack(head: Vec<u8>, rest: Box<dyn Read + Send>, path: &Path) -> Result<Content> {
    let Some(codec) = compression::codec(&head) else {
        return Ok(Content { head, rest, ending: None });
    };
    let unpacked = codec.unpack(Box::new(Cursor::new(head).chain(rest)));
    let failed = |source| Error::Io { path: path.to_owned(), attempted: "unpacking", source };
    let (mut unpacking, ending) = unpacked.map_err(failed)?;
    let head = read_head(&mut unpacking, path)?;
    Ok(Content { head, rest: Box::new(unpacking), ending: Some(ending) })
}

/// The first octets that are available at present.
pub(super) fn read_head(source: &mut dyn Read, path: &Path) -> Result<Vec<u8>> {
    let mut head = Vec::new();
    match source.take(SNIFFED_BYTES).read_to_end(&mut head) {
        Err(error) if error.kind() != io::ErrorKind::WouldBlock => {
            Err(Error::Io { path: path.to_owned(), attempted: "reading", source: error })
        }
        _ => Ok(head),
    }
}

pub(super) fn not_a_recording(path: &Path, head: &[u8]) -> Error {
    Error::NotARecording { path: path.to_owned(), found: unrecognized::describe(head) }
}

#[cfg(test)]
mod tests;
