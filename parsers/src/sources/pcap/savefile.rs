//! pcap: a file header (draft-ietf-opsawg-pcap) and records, each with a header of its own.

use super::byte_order::ByteOrder;
use super::interface::Interface;
use super::record::{Marks, RecordHeader, Stamp, Step, MAX_RECORD_BYTES};
use super::timestamp::Resolution;
use crate::base::octets::array_at;

/// Octets of the file header.
pub(super) const FILE_HEADER_BYTES: usize = 24;
/// Octets of a record header.
const RECORD_HEADER_BYTES: usize = 16;
/// Octets of a record header in Kuznetzov's variant, which adds interface index, protocol and packet type.
const LONG_RECORD_HEADER_BYTES: usize = 24;

const MICROSECONDS: u32 = 0xa1b2_c3d4;
const NANOSECONDS: u32 = 0xa1b2_3c4d;
const LONG_RECORD_HEADERS: u32 = 0xa1b2_cd34;

/// True for a complete pcap file header.
pub(in crate::sources) fn looks_like(head: &[u8]) -> bool {
    has_magic(head) && head.len() >= FILE_HEADER_BYTES
}

/// True for the start of a pcap file, complete or not.
fn has_magic(head: &[u8]) -> bool {
    array_at(head, 0).is_some_and(|magic| magic_of(magic).is_some())
}

/// The octets that a file header has, if `head`, a whole file, is a part of one.
pub(in crate::sources) fn cut_header(head: &[u8]) -> Option<usize> {
    (has_magic(head) && head.len() < FILE_HEADER_BYTES).then_some(FILE_HEADER_BYTES)
}

/// The record format of a file.
#[derive(Clone, Debug)]
pub(super) struct Pcap {
    order: ByteOrder,
    magic: u32,
    version: (u16, u16),
    pub interface: Interface,
}

impl Pcap {
    /// `None` if `head` is shorter than a file header or is not one.
    pub fn parse(head: &[u8]) -> Option<Pcap> {
        let (order, magic) = magic_of(array_at(head, 0)?)?;
        let u16_at = |at| array_at(head, at).map(|octets| order.u16(octets));
        let u32_at = |at| array_at(head, at).map(|octets| order.u32(octets));
        let (version, snap_length, network) = ((u16_at(4)?, u16_at(6)?), u32_at(16)?, u32_at(20)?);
        // The upper bits may hold the length of the FCS in units of 16 bits, valid where bit 26 is set.
        let fcs_length = (network & 1 << 26 != 0).then_some(network >> 28);
        let trailing_fcs = fcs_length.map(|length| length == 2);
        let mut interface = Interface::new(network & 0xffff, snap_length, trailing_fcs);
        if magic == NANOSECONDS {
            interface.resolution = Resolution::Decimal(9);
        }
        Some(Pcap { order, magic, version, interface })
    }

    /// Parses the record at the start of `unread`.
    pub fn step(&self, unread: &[u8]) -> Step {
        let at = match self.magic {
            LONG_RECORD_HEADERS => LONG_RECORD_HEADER_BYTES,
            _ => RECORD_HEADER_BYTES,
        };
        let Some(header) = unread.get(..at) else { return Step::Incomplete };
        let field = |number: usize| array_at(header, 4 * number).map_or(0, |octets| self.order.u32(octets));
        let (captured_bytes, original_bytes) = (field(2), field(3));
        if captured_bytes > MAX_RECORD_BYTES {
            return Step::Impossible(format!("record of {captured_bytes} octets, more than any capture holds"));
        }
        let bytes = at + captured_bytes as usize;
        if unread.len() < bytes {
            return Step::Incomplete;
        }
        let fraction_ns = i128::from(field(1)) * if self.magic == NANOSECONDS { 1 } else { 1000 };
        let stamp = Stamp::of(i128::from(field(0)) * 1_000_000_000 + fraction_ns);
        let (interface, marks) = (Some(0), Marks::default());
        Step::Record { header: RecordHeader { stamp, at, captured_bytes, original_bytes, interface, marks }, bytes }
    }

    /// Human-readable description.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let variant = if self.magic == LONG_RECORD_HEADERS { " with long record headers" } else { "" };
        vec![
            ("container", format!("pcap {}.{}{variant}", self.version.0, self.version.1)),
            ("byte order", self.order.name().to_owned()),
        ]
    }
}

fn magic_of(octets: [u8; 4]) -> Option<(ByteOrder, u32)> {
    let orders = [ByteOrder { big_endian: false }, ByteOrder { big_endian: true }];
    let mut read = orders.into_iter().map(|order| (order, order.u32(octets)));
    read.find(|(_, magic)| [MICROSECONDS, NANOSECONDS, LONG_RECORD_HEADERS].contains(magic))
}
