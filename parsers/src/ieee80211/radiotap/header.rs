//! Radiotap fields that have no column in `frames`.

use crate::ieee80211::constants::Band;

/// Channel flags: a channel at 2.4 GHz.
pub(super) const CHANNEL_2_GHZ: u16 = 0x0080;
/// Channel flags: a channel at 5 or 6 GHz.
pub(super) const CHANNEL_5_GHZ: u16 = 0x0100;

/// The channel flag of the band that contains a centre frequency, MHz.
pub(crate) fn band_flag(centre_mhz: u16) -> u16 {
    match Band::of(centre_mhz) {
        Some(Band::Ghz2_4) => CHANNEL_2_GHZ,
        _ => CHANNEL_5_GHZ,
    }
}

/// Radiotap fields that have no column of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Offset of the MAC frame, octets.
    pub length: usize,
    /// The flags field.
    pub flags: Option<Flags>,
    /// The PPDU carried no PSDU: there is no MAC frame to read.
    pub no_psdu: bool,
    /// Why decoding stopped before the last field.
    pub fault: Option<Fault>,
}

/// Why decoding stopped before the last field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A bit (counted over chained present words) that has no row in [`FIELDS`](super::FIELDS).
    UnknownBit(u32),
    /// Present words or fields that exceed the length in the header.
    Overrun,
}

/// The radiotap flags field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags(pub(super) u8);

impl Flags {
    /// Short PLCP preamble.
    pub const fn short_preamble(self) -> bool {
        self.0 & 0x02 != 0
    }

    /// The record ends with the FCS.
    pub const fn fcs_at_end(self) -> bool {
        self.0 & 0x10 != 0
    }

    /// Padding to 32 bits between MAC header and body.
    pub const fn data_pad(self) -> bool {
        self.0 & 0x20 != 0
    }

    /// The receiver reported a bad FCS.
    pub const fn bad_fcs(self) -> bool {
        self.0 & 0x40 != 0
    }

    /// Short guard interval (HT).
    pub const fn short_guard(self) -> bool {
        self.0 & 0x80 != 0
    }
}
