//! Recordings, opened by what they contain and never by their name.

mod found;
mod link;
mod pcap;
mod pcap_format;
mod tally;

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::reader::Reader;

pub use pcap::PcapReader;

/// A reader of whichever format was found.
pub type AnyReader = Box<dyn Reader + Send>;

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
    /// Recognises the format by its first octets.
    pub sniff: fn(&[u8]) -> bool,
    /// Starts reading.
    pub open: fn(Input) -> Result<AnyReader>,
}

/// Every format, in the order they are tried.
pub static FORMATS: &[Format] = &[Format {
    name: "pcap",
    description: "pcap capture of 802.11 frames, with radiotap headers (link type 127) or bare (105)",
    sniff: pcap_format::looks_like,
    open: |input| Ok(Box::new(PcapReader::new(input.source, &input.path)?)),
}];

/// How much of a recording is read to tell its format.
const SNIFFED_BYTES: u64 = 64 << 10;

/// Opens the recording at `path`; `-` is the standard input.
///
/// # Errors
/// [`Error::Io`], and [`Error::NotARecording`], [`Error::LinkType`] or [`Error::Empty`] for content
/// that cannot be read as 802.11 frames.
pub fn open(path: &Path) -> Result<AnyReader> {
    let fail = |attempted| move |source| Error::Io { path: path.to_owned(), attempted, source };
    let mut source: Box<dyn Read + Send> = match path.as_os_str() == "-" {
        true => Box::new(io::stdin()),
        false => Box::new(File::open(path).map_err(fail("opening"))?),
    };
    let mut head = Vec::new();
    source.by_ref().take(SNIFFED_BYTES).read_to_end(&mut head).map_err(fail("reading"))?;
    let Some(format) = FORMATS.iter().find(|format| (format.sniff)(&head)) else {
        return Err(Error::NotARecording { path: path.to_owned(), found: found::describe(&head) });
    };
    (format.open)(Input { path: path.to_owned(), source: Box::new(Cursor::new(head).chain(source)) })
}

#[cfg(test)]
mod tests;
