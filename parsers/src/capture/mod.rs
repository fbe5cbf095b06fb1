//! Recordings, opened by what they contain and never by their name.

mod found;
mod link;
mod pcap;
mod pcap_format;
mod tally;

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::ns2::{self, Ns2Reader};
use crate::reader::Reader;

pub use pcap::PcapReader;

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
        description: "pcap capture of 802.11 frames, with radiotap headers (link type 127) or bare (105)",
        module: "parsers/src/capture/pcap.rs",
        sniff: pcap_format::looks_like,
        open: |input| Ok(Box::new(PcapReader::new(input.source, &input.path)?)),
    },
    Format {
        name: "ns2",
        description: "ns-2 wireless trace, classic format, with the MAC trace on",
        module: "parsers/src/ns2/reader.rs",
        sniff: ns2::looks_like,
        open: |input| Ok(Box::new(Ns2Reader::new(input.source, &input.path))),
    },
];

/// How much of a recording is read to tell its format.
const SNIFFED_BYTES: u64 = 64 << 10;

/// Opens the recording at `path`.
///
/// # Errors
/// [`Error::Io`], and [`Error::NotARecording`], [`Error::LinkType`] or [`Error::Empty`] for content
/// that cannot be read as 802.11 frames.
pub fn open(path: &Path) -> Result<Box<dyn Reader>> {
    let (head, rest) = look_at(path)?;
    let Some(format) = recognized(&head) else {
        return Err(Error::NotARecording { path: path.to_owned(), found: found::describe(&head) });
    };
    (format.open)(Input { path: path.to_owned(), source: Box::new(Cursor::new(head).chain(rest)) })
}

/// The format of the recording at `path`; `None` when its content is of none of [`FORMATS`].
///
/// # Errors
/// [`Error::Io`].
pub fn recognize(path: &Path) -> Result<Option<&'static Format>> {
    Ok(recognized(&look_at(path)?.0))
}

/// True for a simulator's trace: a known format that is no capture.
///
/// # Errors
/// [`Error::Io`].
pub fn is_trace(path: &Path) -> Result<bool> {
    Ok(recognize(path)?.is_some_and(|format| !matches!(format.name, "pcap" | "pcapng")))
}

/// The first octets of a file, and the file behind them.
fn look_at(path: &Path) -> Result<(Vec<u8>, File)> {
    let fail = |attempted| move |source| Error::Io { path: path.to_owned(), attempted, source };
    let mut file = File::open(path).map_err(fail("opening"))?;
    let mut head = Vec::new();
    file.by_ref().take(SNIFFED_BYTES).read_to_end(&mut head).map_err(fail("reading"))?;
    Ok((head, file))
}

fn recognized(head: &[u8]) -> Option<&'static Format> {
    FORMATS.iter().find(|format| (format.sniff)(head))
}

#[cfg(test)]
mod tests;
