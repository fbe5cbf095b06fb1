//! Recordings, opened by what they contain and never by their name.

mod compression;
mod container;
mod found;
mod growing;
mod interface;
mod link;
mod pcap;
mod pcapng;
mod pcapng_options;
mod reader;
mod tally;

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::ns2::{self, Ns2Reader};
use crate::ns3::{self, Ns3Reader};
use crate::reader::Reader;

use compression::{Ending, UnpackedReader};

pub use growing::open_growing;
pub(crate) use reader::several_interfaces;
pub use reader::CaptureReader;

/// A recording whose beginning was looked at.
pub struct Input {
    /// Where it is, for messages.
    pub path: PathBuf,
    /// All of its octets, from the first.
    pub source: Box<dyn Read + Send>,
}

/// One format that can be read.
pub struct Format {
    /// Short name, as `winf list formats` shows it.
    pub name: &'static str,
    /// What it is, in one line.
    pub description: &'static str,
    /// Where it is implemented.
    pub module: &'static str,
    /// Recognises the format by its first octets.
    pub sniff: fn(&[u8]) -> bool,
    /// Starts reading.
    pub open: fn(Input) -> Result<Box<dyn Reader>>,
}

/// Every format, in the order they are tried.
pub static FORMATS: &[Format] = &[
    Format {
        name: "pcap",
        description:
            "pcap capture of 802.11 frames: bare (link type 105), radiotap (127), Prism (119), AVS (163), PPI (192)",
        module: "parsers/src/capture/pcap.rs",
        sniff: pcap::looks_like,
        open: |input| Ok(Box::new(CaptureReader::new(input.source, &input.path)?)),
    },
    Format {
        name: "pcapng",
        description: "pcapng capture of the same frames, any number of sections and interfaces",
        module: "parsers/src/capture/pcapng.rs",
        sniff: pcapng::looks_like,
        open: |input| Ok(Box::new(CaptureReader::new(input.source, &input.path)?)),
    },
    Format {
        name: "ns2",
        description: "ns-2 trace: wireless nodes in the classic or the tagged format, wired links, or both",
        module: "parsers/src/ns2/reader.rs",
        sniff: ns2::looks_like,
        open: |input| Ok(Box::new(Ns2Reader::new(input.source, &input.path))),
    },
    Format {
        name: "ns3",
        description: "ns-3 ASCII trace of Wi-Fi devices",
        module: "parsers/src/ns3/reader.rs",
        sniff: ns3::looks_like,
        open: |input| Ok(Box::new(Ns3Reader::new(input.source, &input.path))),
    },
];

/// How much of a recording is read to tell its format.
const SNIFFED_BYTES: u64 = 64 << 10;

/// Opens the recording at `path`, unpacking it where it is compressed with gzip, zstd, lz4 or xz.
///
/// # Errors
/// [`Error::Io`], and [`Error::NotARecording`], [`Error::LinkType`] or [`Error::Empty`] for content
/// that cannot be read as 802.11 frames.
pub fn open(path: &Path) -> Result<Box<dyn Reader>> {
    open_source(Box::new(open_file(path)?), path)
}

/// The same for octets from anywhere; `path` is for messages.
///
/// # Errors
/// Those of [`open`].
pub fn open_source(source: Box<dyn Read + Send>, path: &Path) -> Result<Box<dyn Reader>> {
    let content = look_at(source, path)?;
    let format = recognized(&content.head).ok_or_else(|| not_a_recording(path, &content.head))?;
    content.read(format, path)
}

/// The format of the recording at `path`; `None` when its content is of none of [`FORMATS`].
///
/// # Errors
/// [`Error::Io`].
pub fn recognize(path: &Path) -> Result<Option<&'static Format>> {
    Ok(recognized(&look_at(Box::new(open_file(path)?), path)?.head))
}

/// True for a simulator's trace: a known format that is no capture.
///
/// # Errors
/// [`Error::Io`].
pub fn is_trace(path: &Path) -> Result<bool> {
    Ok(recognize(path)?.is_some_and(|format| !matches!(format.name, "pcap" | "pcapng")))
}

/// Time stamp of the first frame of the recording at `path`, nanoseconds; `None` where its first octets
/// hold no frame or are of none of [`FORMATS`]. Takes a millisecond, however large the recording.
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

/// What a file holds once it is unpacked.
struct Content {
    /// Its first octets.
    head: Vec<u8>,
    rest: Box<dyn Read + Send>,
    /// How unpacking ends, where it was compressed.
    ending: Option<Ending>,
}

impl Content {
    /// Starts reading it from the beginning.
    fn read(self, format: &Format, path: &Path) -> Result<Box<dyn Reader>> {
        let source = Box::new(Cursor::new(self.head).chain(self.rest));
        let inner = (format.open)(Input { path: path.to_owned(), source })?;
        Ok(match self.ending {
            Some(ending) => Box::new(UnpackedReader { inner, ending }),
            None => inner,
        })
    }
}

fn open_file(path: &Path) -> Result<File> {
    File::open(path).map_err(|source| Error::Io { path: path.to_owned(), attempted: "opening", source })
}

fn look_at(mut source: Box<dyn Read + Send>, path: &Path) -> Result<Content> {
    let head = read_head(&mut source, path)?;
    unpack(head, source, path)
}

/// Looks at what `head` and `rest` hold, compressed or not.
fn unpack(head: Vec<u8>, rest: Box<dyn Read + Send>, path: &Path) -> Result<Content> {
    let Some(codec) = compression::codec(&head) else {
        return Ok(Content { head, rest, ending: None });
    };
    let unpacked = codec.unpack(Box::new(Cursor::new(head).chain(rest)));
    let failed = |source| Error::Io { path: path.to_owned(), attempted: "unpacking", source };
    let (mut unpacking, ending) = unpacked.map_err(failed)?;
    let head = read_head(&mut unpacking, path)?;
    Ok(Content { head, rest: Box::new(unpacking), ending: Some(ending) })
}

/// The first octets, as many as are there at present.
fn read_head(source: &mut dyn Read, path: &Path) -> Result<Vec<u8>> {
    let mut head = Vec::new();
    match source.take(SNIFFED_BYTES).read_to_end(&mut head) {
        Err(error) if error.kind() != io::ErrorKind::WouldBlock => {
            Err(Error::Io { path: path.to_owned(), attempted: "reading", source: error })
        }
        _ => Ok(head),
    }
}

fn recognized(head: &[u8]) -> Option<&'static Format> {
    FORMATS.iter().find(|format| (format.sniff)(head))
}

fn not_a_recording(path: &Path, head: &[u8]) -> Error {
    Error::NotARecording { path: path.to_owned(), found: found::describe(head) }
}

#[cfg(test)]
mod tests;
