//! Records, the units of every capture file.

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
    /// Number of its interface in [`Container::interfaces`](super::container::Container::interfaces); without one it is not described.
    pub interface: Option<u16>,
}

/// A record as it stands in the capture.
#[derive(Clone, Copy)]
pub(super) struct Record<'a> {
    pub octets: &'a [u8],
    /// Its length before it was cut.
    pub original_bytes: u32,
}

impl Record<'_> {
    /// Length with what the capture left out. Some writers leave `original_bytes` zero, and beyond the
    /// largest record it is damage.
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
