//! What capture files have in common: a sequence of records, each a frame of one interface.

use super::interface::Interface;
use super::pcapng::{self, Pcapng};
use super::record::Step;
use super::savefile::{self, Pcap};

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
            return Some((Container::Pcap(pcap), savefile::FILE_HEADER_BYTES));
        }
        pcapng::looks_like(head).then(|| (Container::Pcapng(Pcapng::default()), 0))
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
