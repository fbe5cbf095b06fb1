//! pcapng: sections of blocks (draft-ietf-opsawg-pcapng).

mod options;

use super::byte_order::ByteOrder;
use super::interface::Interface;
use super::record::{Marks, RecordHeader, Stamp, Step, MAX_RECORD_BYTES};
use super::timestamp::Resolution;
use crate::base::octets::array_at;
use options::{Options, FCS_LENGTH, FLAGS, NAME, TIME_OFFSET, TIME_RESOLUTION, USER_APPLICATION};

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;

const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;
/// Offset of the frame's octets in a block that tells its interface and time.
const PACKET_AT: usize = 28;
/// Octets of type, length and trailing length.
const MIN_BLOCK_BYTES: usize = 12;
/// Maximum size of a block with a frame or a description; no writer exceeds it.
const MAX_READ_BLOCK_BYTES: usize = 1 << 20;
/// Maximum size of a block that is skipped rather than treated as damage; the same as in Wireshark.
const MAX_BLOCK_BYTES: usize = 16 << 20;
/// Maximum number of interfaces; frames of further ones are not read.
const INTERFACES: usize = 64;

/// True for the start of a pcapng file.
pub(in crate::sources) fn looks_like(head: &[u8]) -> bool {
    array_at(head, 0) == Some(SECTION_HEADER.to_le_bytes()) && section_order(head).is_some()
}

/// True if `head`, a whole file, is a part of a section header.
pub(in crate::sources) fn is_cut_header(head: &[u8]) -> bool {
    array_at(head, 0) == Some(SECTION_HEADER.to_le_bytes()) && Pcapng::default().step(head) == Step::Incomplete
}

/// Parser state for the blocks of a file.
#[derive(Debug, Default)]
pub(super) struct Pcapng {
    order: ByteOrder,
    version: (u16, u16),
    sections: u64,
    application: String,
    /// All interfaces of the file. If a section describes an interface again, it is the same radio.
    pub interfaces: Vec<Interface>,
    /// The number of each interface within its section.
    places: Vec<usize>,
    /// Maps interface numbers of the current section to indices of `interfaces`.
    section: Vec<Option<u16>>,
}

impl Pcapng {
    /// Parses the block at the start of `unread`.
    pub fn step(&mut self, unread: &[u8]) -> Step {
        let Some(start) = array_at::<MIN_BLOCK_BYTES>(unread, 0) else { return Step::Incomplete };
        let is_section = array_at(&start, 0) == Some(SECTION_HEADER.to_le_bytes());
        if is_section {
            match section_order(unread) {
                Some(order) => self.order = order,
                None => return Step::Impossible("section without a byte order".to_owned()),
            }
        }
        let [kind, length] = [0, 4].map(|at| array_at(&start, at).map_or(0, |octets| self.order.u32(octets)));
        let bytes = length as usize;
        let is_read = matches!(kind, SECTION_HEADER | INTERFACE_DESCRIPTION | PACKET | SIMPLE_PACKET | ENHANCED_PACKET);
        let largest = if is_read { MAX_READ_BLOCK_BYTES } else { MAX_BLOCK_BYTES };
        if !(MIN_BLOCK_BYTES..=largest).contains(&bytes) || !bytes.is_multiple_of(4) {
            return Step::Impossible(format!("block of {length} octets, more or fewer than any has"));
        }
        let Some(block) = unread.get(..bytes) else {
            return if is_read { Step::Incomplete } else { Step::Skip { bytes: u64::from(length) } };
        };
        let (content, trailer) = block.split_at(bytes - 4);
        if array_at(trailer, 0).map(|octets| self.order.u32(octets)) != Some(length) {
            return Step::Impossible("block whose two lengths differ".to_owned());
        }
        let skip = Step::Skip { bytes: u64::from(length) };
        match kind {
            SECTION_HEADER => self.enter_section(content).map_or_else(cut_block, |()| skip),
            INTERFACE_DESCRIPTION => self.describe_interface(content).map_or_else(cut_block, |()| skip),
            PACKET | SIMPLE_PACKET | ENHANCED_PACKET => match self.frame(kind, content) {
                Some(header) if header.captured_bytes > MAX_RECORD_BYTES => {
                    let message = format!("record of {} octets, more than any capture holds", header.captured_bytes);
                    Step::Impossible(message)
                }
                Some(header) if header.at + header.captured_bytes as usize > content.len() => {
                    Step::Impossible("record longer than its block".to_owned())
                }
                Some(header) => Step::Record { header, bytes },
                None => cut_block(),
            },
            _ => skip,
        }
    }

    fn enter_section(&mut self, content: &[u8]) -> Option<()> {
        self.version = (self.u16_at(content, 12)?, self.u16_at(content, 14)?);
        self.sections += 1;
        self.section.clear();
        for (code, value) in Options::new(content.get(24..)?, self.order) {
            if code == USER_APPLICATION && self.application.is_empty() {
                self.application = text(value);
            }
        }
        Some(())
    }

    fn describe_interface(&mut self, content: &[u8]) -> Option<()> {
        let (link_type, snap_length) = (self.u16_at(content, 8)?, self.u32_at(content, 12)?);
        let (mut resolution, mut offset_s, mut name, mut trailing_fcs) = (None, 0, String::new(), None);
        for (code, value) in Options::new(content.get(16..)?, self.order) {
            match (code, value) {
                (NAME, _) => name = text(value),
                (TIME_RESOLUTION, &[unit]) if unit & 0x80 != 0 => resolution = Some(Resolution::Binary(unit & 0x7f)),
                (TIME_RESOLUTION, &[unit]) => resolution = Some(Resolution::Decimal(unit)),
                (TIME_OFFSET, _) => {
                    offset_s = array_at(value, 0).map_or(0, |octets| self.order.u64(octets) as i64);
                }
                // The draft specifies bits; some writers count octets.
                (FCS_LENGTH, &[0]) => trailing_fcs = Some(false),
                (FCS_LENGTH, &[4 | 32]) => trailing_fcs = Some(true),
                _ => {}
            }
        }
        let mut described = Interface::new(u32::from(link_type), snap_length, trailing_fcs);
        described.resolution = resolution.unwrap_or(described.resolution);
        (described.offset_s, described.name) = (offset_s, name);
        self.add_interface(described);
        Some(())
    }

    fn add_interface(&mut self, described: Interface) {
        let place = self.section.len();
        if place >= INTERFACES {
            return;
        }
        let described_before =
            |(interface, at): (&Interface, &usize)| *at == place && interface.describes_same(&described);
        let known = self.interfaces.iter().zip(&self.places).position(described_before);
        let number = known.or_else(|| {
            let number = self.interfaces.len();
            (number < INTERFACES).then(|| {
                self.interfaces.push(described);
                self.places.push(place);
                number
            })
        });
        self.section.push(number.and_then(|number| u16::try_from(number).ok()));
    }

    /// Metadata of the frame in the block; `None` if the fixed part of the block is truncated.
    fn frame(&self, kind: u32, content: &[u8]) -> Option<RecordHeader> {
        if kind == SIMPLE_PACKET {
            return self.simple_frame(content);
        }
        let number = match kind {
            PACKET => u32::from(self.u16_at(content, 8)?),
            _ => self.u32_at(content, 8)?,
        };
        let ticks = u64::from(self.u32_at(content, 12)?) << 32 | u64::from(self.u32_at(content, 16)?);
        let interface = self.section.get(number as usize).copied().flatten();
        let described = interface.and_then(|number| self.interfaces.get(usize::from(number)));
        let captured_bytes = self.u32_at(content, 20)?;
        Some(RecordHeader {
            stamp: described.map_or(Stamp::Missing, |interface| interface.stamp(ticks)),
            at: PACKET_AT,
            captured_bytes,
            original_bytes: self.u32_at(content, 24)?,
            interface,
            marks: self.marks(content, captured_bytes),
        })
    }

    /// What the options behind the octets of a frame say of it.
    fn marks(&self, content: &[u8], captured_bytes: u32) -> Marks {
        let behind =
            (captured_bytes as usize).checked_next_multiple_of(4).and_then(|bytes| bytes.checked_add(PACKET_AT));
        let options = behind.and_then(|at| content.get(at..)).unwrap_or_default();
        let flags = Options::new(options, self.order).find(|(code, value)| *code == FLAGS && value.len() == 4);
        let word = flags.and_then(|(_, value)| array_at(value, 0)).map(|octets| self.order.u32(octets));
        word.map(Marks::of_flags).unwrap_or_default()
    }

    /// A frame of the section's first interface, truncated at its snap length. It has no timestamp.
    fn simple_frame(&self, content: &[u8]) -> Option<RecordHeader> {
        let original_bytes = self.u32_at(content, 8)?;
        let interface = self.section.first().copied().flatten();
        let described = interface.and_then(|number| self.interfaces.get(usize::from(number)));
        let snap_length = described.map_or(0, |interface| interface.snap_length);
        let limit = if snap_length == 0 { u32::MAX } else { snap_length };
        let room = u32::try_from(content.len().saturating_sub(12)).unwrap_or(u32::MAX);
        let captured_bytes = original_bytes.min(limit).min(room);
        Some(RecordHeader {
            stamp: Stamp::Missing,
            at: 12,
            captured_bytes,
            original_bytes,
            interface,
            marks: Marks::default(),
        })
    }

    fn u16_at(&self, octets: &[u8], at: usize) -> Option<u16> {
        array_at(octets, at).map(|octets| self.order.u16(octets))
    }

    fn u32_at(&self, octets: &[u8], at: usize) -> Option<u32> {
        array_at(octets, at).map(|octets| self.order.u32(octets))
    }

    /// Human-readable description.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = vec![
            ("container", format!("pcapng {}.{}", self.version.0, self.version.1)),
            ("byte order", self.order.name().to_owned()),
        ];
        if self.sections > 1 {
            facts.push(("sections", self.sections.to_string()));
        }
        if !self.application.is_empty() {
            facts.push(("written by", self.application.clone()));
        }
        facts
    }
}

fn section_order(section: &[u8]) -> Option<ByteOrder> {
    let magic = array_at(section, 8)?;
    let orders = [ByteOrder { big_endian: false }, ByteOrder { big_endian: true }];
    orders.into_iter().find(|order| order.u32(magic) == BYTE_ORDER_MAGIC)
}

fn cut_block() -> Step {
    Step::Impossible("block too short for what it holds".to_owned())
}

/// An option value as short text for messages.
fn text(value: &[u8]) -> String {
    String::from_utf8_lossy(value.get(..value.len().min(128)).unwrap_or_default()).trim_end_matches('\0').to_owned()
}
