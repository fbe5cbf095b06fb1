//! The supported formats, detected by magic number.

use std::io::Read;
use std::path::PathBuf;

use super::ns2::{self, Ns2Reader};
use super::ns3::{self, Ns3Reader};
use super::pcap::{looks_like_pcap, looks_like_pcapng, CaptureReader};
use super::reader::Reader;
use crate::base::Result;

/// A recording whose first octets have been inspected.
pub struct Input {
    /// Its path, for messages.
    pub path: PathBuf,
    /// All of its octets, from the first.
    pub source: Box<dyn Read + Send>,
}

/// One format that can be read.
pub struct Format {
    /// Short name, as `winf list formats` shows it.
    pub name: &'static str,
    /// One-line description.
    pub description: &'static str,
    /// Module that implements it.
    pub module: &'static str,
    /// Recognises the format by its first octets.
    pub sniff: fn(&[u8]) -> bool,
    /// Starts reading.
    pub open: fn(Input) -> Result<Box<dyn Reader>>,
}

/// Every format, in the order of detection.
pub static FORMATS: &[Format] = &[
    Format {
        name: "pcap",
        description:
            "pcap capture of 802.11 frames: bare (link type 105), radiotap (127), Prism (119), AVS (163), PPI (192), \
             Linux cooked (113, 276), PKTAP (258); TZSP, Peekremote and Aruba ERM over Ethernet (1), IP (101, 228, 229) \
             and in cooked captures; also compressed with gzip, zstd, lz4 or xz",
        module: "parsers/src/sources/pcap/savefile.rs",
        sniff: looks_like_pcap,
        open: |input| Ok(Box::new(CaptureReader::new(input.source, &input.path)?)),
    },
    Format {
        name: "pcapng",
        description: "pcapng capture of the same, any number of sections and interfaces; also compressed",
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

/// Detects the format of a recording from `head`, its first octets.
pub(super) fn recognized(head: &[u8]) -> Option<&'static Format> {
    FORMATS.iter().find(|format| (format.sniff)(head))
}
