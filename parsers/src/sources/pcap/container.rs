//! The interface common to capture file formats: a sequence of records, each with a frame of one interface.

use super::interface::Interface;
use super::pcapng::{self, Pcapng};
use super::record::Step;
use super::savefile::{self, Pcap};

/// The framing of a capture file, and its state so far.
#[derive(Debug)]
pub(super) enum Container {
    Pcap(Pcap),
    Pcapng(Pcapng),
}

impl Container {
    /// Detects the format from the first octets of a file; the number is the length of the file header.
    pub fn recognize(head: &[u8]) -> Option<(Container, usize)> {
        if let Some(pcap) = Pcap::parse(head) {
            return Some((Container::Pcap(pcap), savefile::FILE_HEADER_BYTES));
        }
        pcapng::looks_like(head).then(|| (Container::Pcapng(Pcapng::default()), 0))
    }

    /// Parses the record at the start of `unread`.
    pub fn step(&mut self, unread: &[u8]) -> Step {
        match self {
            Container::Pcap(pcap) => pcap.step(unread),
            Container::Pcapng(pcapng) => pcapng.step(unread),
        }
    }

    /// The interfaces seen so far. Their numbers do not change.
    pub fn interfaces(&self) -> &[Interface] {
        match self {
            Container::Pcap(pcap) => std::slice::from_ref(&pcap.interface),
            Container::Pcapng(pcapng) => &pcapng.interfaces,
        }
    }

    /// As above, mutable, to record properties inferred from frames.
    pub fn interfaces_mut(&mut self) -> &mut [Interface] {
        match self {
            Container::Pcap(pcap) => std::slice::from_mut(&mut pcap.interface),
            Container::Pcapng(pcapng) => &mut pcapng.interfaces,
        }
    }

    /// Human-readable description.
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
