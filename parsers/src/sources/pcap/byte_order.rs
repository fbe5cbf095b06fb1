//! Integers in the byte order of a file.

/// The byte order of a capture file, that of the machine that wrote it.
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
