//! The pcap file header (draft-ietf-opsawg-pcap) and its record headers.

use crate::octets::array_at;

/// Octets of the file header.
pub(super) const FILE_HEADER_BYTES: usize = 24;
/// Octets of a record header.
pub(super) const RECORD_HEADER_BYTES: usize = 16;
/// The largest record that libpcap writes or reads for these link types.
pub(super) const MAX_RECORD_BYTES: u32 = 256 << 10;

const MICROSECONDS: u32 = 0xa1b2_c3d4;
const NANOSECONDS: u32 = 0xa1b2_3c4d;

/// True for a whole pcap file header.
pub(super) fn looks_like(head: &[u8]) -> bool {
    has_magic(head) && head.len() >= FILE_HEADER_BYTES
}

/// True where a pcap file begins, whole or not.
pub(super) fn has_magic(head: &[u8]) -> bool {
    array_at(head, 0).is_some_and(|magic| FileHeader::from_magic(magic).is_some())
}

/// How to read the numbers of a file, and what it says about its frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileHeader {
    pub big_endian: bool,
    /// Nanoseconds that one unit of a time stamp's fraction is worth: 1 or 1000.
    pub fraction_ns: u32,
    pub version: (u16, u16),
    pub snap_length: u32,
    pub link_type: u32,
    /// Whether frames end with their FCS, where the header says so.
    pub trailing_fcs: Option<bool>,
}

/// A record header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RecordHeader {
    /// Nanoseconds since the epoch.
    pub ts_ns: i64,
    /// Octets that follow.
    pub captured_bytes: u32,
    /// Octets the frame had.
    pub original_bytes: u32,
}

impl FileHeader {
    /// `None` where `head` is shorter than a header or does not begin like one.
    pub fn parse(head: &[u8]) -> Option<FileHeader> {
        let mut header = FileHeader::from_magic(array_at(head, 0)?)?;
        let u16_at = |at| array_at(head, at).map(|octets| header.u16(octets));
        let u32_at = |at| array_at(head, at).map(|octets| header.u32(octets));
        let (version, snap_length, network) = ((u16_at(4)?, u16_at(6)?), u32_at(16)?, u32_at(20)?);
        // The upper bits may hold the length of the FCS in units of 16 bits, valid where bit 26 is set.
        let fcs_length = (network & 1 << 26 != 0).then_some(network >> 28);
        (header.version, header.snap_length) = (version, snap_length);
        (header.link_type, header.trailing_fcs) = (network & 0xffff, fcs_length.map(|length| length == 2));
        Some(header)
    }

    /// Reads a record header's 16 octets.
    pub fn record(&self, octets: &[u8; RECORD_HEADER_BYTES]) -> RecordHeader {
        let field = |number: usize| array_at(octets, 4 * number).map_or(0, |octets| self.u32(octets));
        let fraction = i64::from(field(1)) * i64::from(self.fraction_ns);
        RecordHeader {
            ts_ns: i64::from(field(0)) * 1_000_000_000 + fraction,
            captured_bytes: field(2),
            original_bytes: field(3),
        }
    }

    fn from_magic(magic: [u8; 4]) -> Option<FileHeader> {
        let (big_endian, fraction_ns) = match (u32::from_be_bytes(magic), u32::from_le_bytes(magic)) {
            (MICROSECONDS, _) => (true, 1000),
            (NANOSECONDS, _) => (true, 1),
            (_, MICROSECONDS) => (false, 1000),
            (_, NANOSECONDS) => (false, 1),
            _ => return None,
        };
        Some(FileHeader { big_endian, fraction_ns, version: (0, 0), snap_length: 0, link_type: 0, trailing_fcs: None })
    }

    fn u16(&self, octets: [u8; 2]) -> u16 {
        if self.big_endian {
            u16::from_be_bytes(octets)
        } else {
            u16::from_le_bytes(octets)
        }
    }

    fn u32(&self, octets: [u8; 4]) -> u32 {
        if self.big_endian {
            u32::from_be_bytes(octets)
        } else {
            u32::from_le_bytes(octets)
        }
    }
}

/// Name of a link type that is not read here (<https://www.tcpdump.org/linktypes.html>).
pub(super) const fn link_type_name(link_type: u32) -> &'static str {
    match link_type {
        0 | 108 => "BSD loopback",
        1 => "Ethernet",
        9 => "PPP",
        101 | 228 | 229 => "raw IP",
        113 | 276 => "Linux cooked capture",
        119 => "802.11 with Prism header",
        163 => "802.11 with AVS header",
        187 | 201 | 251 | 256 => "Bluetooth",
        189 | 220 | 249 => "USB",
        192 => "PPI",
        195 | 215 | 230 => "802.15.4",
        _ => "unknown",
    }
}
