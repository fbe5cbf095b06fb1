//! The project's samples, taken apart at the ends of their records.

use std::path::{Path, PathBuf};

/// Octets of a pcap file header, and of a record header.
const FILE_HEADER: usize = 24;
const RECORD_HEADER: usize = 16;

/// In the short tests one record of so many is damaged: prime, so that no rhythm of the frames matches it.
pub const SOME: usize = 47;

/// A recording whose records are known.
pub struct Sample {
    /// For messages.
    pub name: String,
    pub octets: Vec<u8>,
    pub kind: Kind,
    /// Octets in front of the first record: a file header, section and interface blocks, the first line of a trace.
    /// By them the format is told.
    pub head: usize,
    /// Where each record ends; a line of a trace ends behind its newline.
    pub ends: Vec<usize>,
}

/// What the records of a recording are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Pcap,
    Pcapng,
    /// Lines of a trace.
    Text,
    /// Any of them, compressed.
    Packed,
}

impl Kind {
    /// In how many nodes' views an exchange may be: of a trace in those of all nodes that hear it, of which at most 64
    /// are told apart.
    pub fn views(self) -> usize {
        match self {
            Kind::Pcap | Kind::Pcapng => 1,
            Kind::Text | Kind::Packed => 64,
        }
    }

    /// The most rows that so many octets can be: one per record header, simple packet block, or character with its
    /// newline, and one for what is damaged. Packed, they may be as many as are unpacked before it is given up.
    pub fn most_rows(self, bytes: usize) -> usize {
        1 + match self {
            Kind::Pcap | Kind::Pcapng => bytes / RECORD_HEADER,
            Kind::Text => bytes / 2,
            Kind::Packed => (64 << 20) / 2,
        }
    }
}

impl Sample {
    fn new(name: String, octets: Vec<u8>) -> Sample {
        let (kind, head, ends) = match octets.get(..4) {
            Some([0xd4 | 0x4d, 0xc3 | 0x3c, 0xb2, 0xa1]) => (Kind::Pcap, FILE_HEADER, pcap_ends(&octets)),
            Some([0x0a, 0x0d, 0x0d, 0x0a]) => {
                let ends = block_ends(&octets);
                (Kind::Pcapng, ends[1], ends[2..].to_vec())
            }
            _ => {
                let ends = line_ends(&octets);
                (Kind::Text, ends[0], ends[1..].to_vec())
            }
        };
        assert!(ends.last() == Some(&octets.len()) && ends.is_sorted(), "{name} is not whole");
        Sample { name, octets, kind, head, ends }
    }

    /// How many records there are.
    pub fn records(&self) -> usize {
        self.ends.len()
    }

    /// Where record `number` starts.
    pub fn start(&self, number: usize) -> usize {
        number.checked_sub(1).map_or(self.head, |before| self.ends[before])
    }

    /// What is in front of the first record, then the records from `first` up to `until`, and the place of the first.
    pub fn window(&self, first: usize, until: usize) -> (Vec<u8>, usize) {
        let records = &self.octets[self.start(first)..self.ends[until - 1]];
        ([&self.octets[..self.head], records].concat(), self.head)
    }

    /// Everything up to `cut`, or what is in front of the first record and the records from `bytes` before it on.
    pub fn up_to(&self, cut: usize, bytes: usize) -> Vec<u8> {
        let first = self.ends.partition_point(|&end| end + bytes < cut);
        [&self.octets[..self.head], &self.octets[self.start(first)..cut]].concat()
    }

    /// The same recording as far as its first `bytes`, in whole records.
    pub fn beginning(&self, bytes: usize) -> Sample {
        let records = self.ends.partition_point(|&end| end <= bytes).max(1);
        let octets = self.octets[..self.ends[records - 1]].to_vec();
        Sample { name: self.name.clone(), octets, ends: self.ends[..records].to_vec(), ..*self }
    }

    /// A pcap recording in the other container.
    pub fn as_pcapng(&self) -> Sample {
        let block = |kind: u32, content: &[u8]| {
            let padding = vec![0; content.len().next_multiple_of(4) - content.len()];
            let length = (12 + content.len() + padding.len()) as u32;
            [&kind.to_le_bytes(), &length.to_le_bytes(), content, &padding, &length.to_le_bytes()].concat()
        };
        let section = [&0x1a2b_3c4du32.to_le_bytes()[..], &[1, 0, 0, 0], &[0xff; 8]].concat();
        // Microseconds, then the end of the options.
        let options = [9, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0, 0];
        let interface = [&self.octets[20..22], &[0; 6], &options].concat();
        let mut file = [block(0x0a0d_0d0a, &section), block(1, &interface)].concat();
        for number in 0..self.records() {
            let record = &self.octets[self.start(number)..self.ends[number]];
            let field = |at: usize| u32::from_le_bytes(record[at..at + 4].try_into().unwrap());
            let us = u64::from(field(0)) * 1_000_000 + u64::from(field(4));
            let fields = [0, (us >> 32) as u32, us as u32, field(8), field(12)];
            let header: Vec<u8> = fields.iter().flat_map(|field| field.to_le_bytes()).collect();
            file.extend(block(6, &[&header, &record[RECORD_HEADER..]].concat()));
        }
        Sample::new(format!("{} as pcapng", self.name), file)
    }
}

/// Every recording in `sample_captures`, and the smallest capture also as pcapng.
pub fn all_samples() -> Vec<Sample> {
    let mut all = samples();
    let captures = all.iter().filter(|sample| sample.kind == Kind::Pcap);
    let smallest = captures.min_by_key(|sample| sample.octets.len()).expect("a capture");
    all.push(smallest.as_pcapng());
    all
}

/// Every recording in `sample_captures`.
pub fn samples() -> Vec<Sample> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sample_captures");
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    let folders = entries(&folder).into_iter().flat_map(|sample| [sample.join("recording"), sample.join("captures")]);
    let mut paths: Vec<PathBuf> = folders.flat_map(|folder| entries(&folder)).collect();
    paths.sort();
    assert!(paths.len() >= 31, "samples are not there");
    let name = |path: &Path| path.strip_prefix(&folder).unwrap().display().to_string();
    paths.iter().map(|path| Sample::new(name(path), std::fs::read(path).unwrap())).collect()
}

fn pcap_ends(octets: &[u8]) -> Vec<usize> {
    let (mut ends, mut at) = (Vec::new(), FILE_HEADER);
    while let Some(length) = octets.get(at + 8..at + 12) {
        at += RECORD_HEADER + u32::from_le_bytes(length.try_into().unwrap()) as usize;
        ends.push(at);
    }
    ends
}

fn block_ends(octets: &[u8]) -> Vec<usize> {
    let (mut ends, mut at) = (Vec::new(), 0);
    while let Some(length) = octets.get(at + 4..at + 8) {
        at += u32::from_le_bytes(length.try_into().unwrap()) as usize;
        ends.push(at);
    }
    ends
}

fn line_ends(octets: &[u8]) -> Vec<usize> {
    (1..).zip(octets).filter(|(_, &octet)| octet == b'\n').map(|(end, _)| end).collect()
}
