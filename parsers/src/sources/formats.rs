//! The formats that are read, told by their first octets.

use std::io::Read;
use std::path::PathBuf;

use super::ns2::{self, Ns2Reader};
use super::ns3::{self, Ns3Reader};
use super::pcap::{looks_like_pcap, looks_like_pcapng, CaptureReader};
use super::reader::Reader;
use crate::base::Result;

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
        module: "parsers/src/sources/pcap/savefile.rs",
        sniff: looks_like_pcap,
        open: |input| Ok(Box::new(CaptureReader::new(input.source, &input.path)?)),
    },
    Format {
        name: "pcapng",
        description: "pcapng capture of the same frames, any number of sections and interfaces",
        module: "parsers/src/sources/pcap/pcapng/mod.rs",
        sniff: looks_like_pcapng,
        open: |input| Ok(Box::new(CaptureReader::new(input.source, &input.path)?)),
    },
    Format {
        name: "ns2",
        description: "ns-2 trace: wireless nodes in the classic or the tagged format, wired links, or both",
        module: "parsers/src/sources/ns2/reader.rs",
        sniff: ns2::looks_like,
        open: |input| Ok(Box::new(Ns2Reader::new(input.source, &input.path))),
    },
    Format {
        name: "ns3",
        description: "ns-3 ASCII trace of Wi-Fi devices",
        module: "parsers/src/sources/ns3/reader.rs",
        sniff: ns3::looks_like,
        open: |input| Ok(Box::new(Ns3Reader::new(input.source, &input.path))),
    },
];

/// The format of a recording that begins with `head`.
pub(super) fn recognized(head: &[u8]) -> Option<&'static Format> {
    FORMATS.iter().find(|format| (format.sniff)(head))
}
