//! Records of capture files.

use crate::base::time::accepted;
use crate::frame::Direction;

/// The maximum record size of libpcap for these link types.
pub(super) const MAX_RECORD_BYTES: u32 = 256 << 10;

/// Result of one step through a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A record of `bytes` octets in total.
    Record { header: RecordHeader, bytes: usize },
    /// Octets without a frame; may exceed the octets available.
    Skip { bytes: u64 },
    /// The record does not end within the available octets.
    Incomplete,
    /// No later record can be found, with the reason.
    Impossible(String),
}

/// The time stamp of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stamp {
    /// Nanoseconds since the epoch.
    Ns(i64),
    /// The record has none, or nothing tells its unit.
    Missing,
    /// No time that a recording may have.
    Impossible,
}

impl Stamp {
    /// A number of nanoseconds since the epoch.
    pub fn of(ns: i128) -> Stamp {
        accepted(ns).map_or(Stamp::Impossible, Stamp::Ns)
    }

    pub fn ns(self) -> Option<i64> {
        match self {
            Stamp::Ns(ns) => Some(ns),
            Stamp::Missing | Stamp::Impossible => None,
        }
    }
}

/// What the container says of a frame beside its octets: `epb_flags` of pcapng (draft-ietf-opsawg-pcapng, section 4.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::sources) struct Marks {
    pub direction: Option<Direction>,
    /// The radio found a wrong FCS.
    pub has_bad_fcs: bool,
}

impl Marks {
    /// By the word of `epb_flags`: direction in bits 0 and 1, the CRC error in bit 24.
    pub fn of_flags(flags: u32) -> Marks {
        let direction = match flags & 3 {
            1 => Some(Direction::Rx),
            2 => Some(Direction::Tx),
            _ => None,
        };
        Marks { direction, has_bad_fcs: flags & 1 << 24 != 0 }
    }
}

/// Metadata of a frame from the container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RecordHeader {
    /// When it was recorded.
    pub stamp: Stamp,
    /// Offset of the frame's first octet in the record.
    pub at: usize,
    /// Captured octets of the frame, at most [`MAX_RECORD_BYTES`].
    pub captured_bytes: u32,
    /// Original length of the frame, octets.
    pub original_bytes: u32,
    /// Number of its interface in [`Container::interfaces`](super::container::Container::interfaces); `None` if the
    /// interface is not described.
    pub interface: Option<u16>,
    pub marks: Marks,
}

/// A record as stored in the capture.
#[derive(Clone, Copy)]
pub(super) struct Record<'a> {
    pub octets: &'a [u8],
    /// Its original length before truncation.
    pub original_bytes: u32,
    pub marks: Marks,
}

impl Record<'_> {
    /// Original length of the frame. Some writers leave `original_bytes` zero. A length above the maximum record size
    /// is damage.
    pub fn full_bytes(&self) -> u32 {
        let captured_bytes = u32::try_from(self.octets.len()).unwrap_or(u32::MAX);
        if (captured_bytes..=MAX_RECORD_BYTES).contains(&self.original_bytes) {
            self.original_bytes
        } else {
            captured_bytes
        }
    }

    pub fn is_whole(&self) -> bool {
        u32::try_from(self.octets.len()) == Ok(self.full_bytes())
    }
}
