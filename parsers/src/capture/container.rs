//! What capture files have in common: a sequence of records, each a frame of one interface.

use super::interface::Interface;
use super::pcap::Pcap;
use super::pcapng::Pcapng;

/// The largest record that libpcap writes or reads for these link types.
pub(super) const MAX_RECORD_BYTES: u32 = 256 << 10;

/// How far one step through a container leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A record that takes up `bytes` octets altogether.
    Record { header: RecordHeader, bytes: usize },
    /// Octets that hold no frame, perhaps more of them than were given.
    Skip { bytes: u64 },
    /// The record does not end within the given octets.
    Incomplete,
    /// Nothing from here on can be found, and why.
    Impossible(String),
}

/// What a container says about a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RecordHeader {
    /// Nanoseconds since the epoch.
    pub ts_ns: i64,
    /// Of the frame's first octet, from the beginning of the record.
    pub at: usize,
    /// Octets of the frame that are there, never more than [`MAX_RECORD_BYTES`].
    pub captured_bytes: u32,
    /// Octets the frame had.
    pub original_bytes: u32,
    /// Number of its interface in [`Container::interfaces`]; without one it is not described.
    pub interface: Option<u16>,
}

/// A capture file's framing, and what it has said so far.
#[derive(Debug)]
pub(super) enum Container {
    Pcap(Pcap),
    Pcapng(Pcapng),
}

impl Container {
    /// By the first octets of a file; the number is of those that are done with.
    pub fn recognize(head: &[u8]) -> Option<(Container, usize)> {
        if let Some(pcap) = Pcap::parse(head) {
            return Some((Container::Pcap(pcap), super::pcap::FILE_HEADER_BYTES));
        }
        super::pcapng::looks_like(head).then(|| (Container::Pcapng(Pcapng::default()), 0))
    }

    /// Looks at the record at the beginning of `unread`.
    pub fn step(&mut self, unread: &[u8]) -> Step {
        match self {
            Container::Pcap(pcap) => pcap.step(unread),
            Container::Pcapng(pcapng) => pcapng.step(unread),
        }
    }

    /// The interfaces met so far. Their numbers stay.
    pub fn interfaces(&self) -> &[Interface] {
        match self {
            Container::Pcap(pcap) => std::slice::from_ref(&pcap.interface),
            Container::Pcapng(pcapng) => &pcapng.interfaces,
        }
    }

    /// The same, to note what their frames show.
    pub fn interfaces_mut(&mut self) -> &mut [Interface] {
        match self {
            Container::Pcap(pcap) => std::slice::from_mut(&mut pcap.interface),
            Container::Pcapng(pcapng) => &mut pcapng.interfaces,
        }
    }

    /// For people.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = match self {
            Container::Pcap(pcap) => pcap.facts(),
            Container::Pcapng(pcapng) => pcapng.facts(),
        };
        match self.interfaces() {
            [only] => facts.extend(only.facts()),
            several => {
                let list = several.iter().zip(0..).map(|(interface, number)| format!("{number}: {interface}"));
                facts.push(("interfaces", list.collect::<Vec<_>>().join("; ")));
            }
        }
        facts
    }
}

/// Reads integers in a file's byte order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ByteOrder {
    pub big_endian: bool,
}

impl ByteOrder {
    pub fn u16(self, octets: [u8; 2]) -> u16 {
        if self.big_endian {
            u16::from_be_bytes(octets)
        } else {
            u16::from_le_bytes(octets)
        }
    }

    pub fn u32(self, octets: [u8; 4]) -> u32 {
        if self.big_endian {
            u32::from_be_bytes(octets)
        } else {
            u32::from_le_bytes(octets)
        }
    }

    pub fn u64(self, octets: [u8; 8]) -> u64 {
        if self.big_endian {
            u64::from_be_bytes(octets)
        } else {
            u64::from_le_bytes(octets)
        }
    }

    pub fn name(self) -> &'static str {
        if self.big_endian {
            "big-endian"
        } else {
            "little-endian"
        }
    }
}
