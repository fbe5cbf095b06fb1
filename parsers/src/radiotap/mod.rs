//! Radiotap headers (<https://www.radiotap.org>): what the radio says about a frame.
//!
//! [`FIELDS`] is the registry, [`decode`] the walk over it, which is remembered for headers of the same layout. A header can hold several present
//! words and namespaces; what a bit after an unknown one means cannot be known, so the walk stops
//! there, and what was read before it stays.

mod common;
mod eht;
mod he;
mod ht;
mod layout;
mod legacy;
mod modulation;
mod table;
mod tlv;
mod vht;
mod walk;

use crate::frame::{AntennaSignals, Direction, Frame, ParseError, Phy};
use crate::octets::{u16_at, u8_at};

pub use table::{field, item, Field, FIELDS, ITEMS};

/// Octets before the first field when there is one present word.
const SMALLEST: u16 = 8;

/// What a radiotap header says that is no column of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Octets up to the MAC frame.
    pub length: usize,
    /// The flags field.
    pub flags: Option<Flags>,
    /// The PPDU carried no PSDU: there is no MAC frame to read.
    pub no_psdu: bool,
    /// Why the fields were not read to their end.
    pub fault: Option<Fault>,
}

/// Why reading stopped before the last field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A bit (counted over chained present words) that has no row in [`FIELDS`].
    UnknownBit(u32),
    /// Present words or fields that do not fit into the header's own length.
    Overrun,
}

/// The radiotap flags field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// Short PLCP preamble.
    pub const fn short_preamble(self) -> bool {
        self.0 & 0x02 != 0
    }

    /// The record ends with the FCS.
    pub const fn fcs_at_end(self) -> bool {
        self.0 & 0x10 != 0
    }

    /// Padding to 32 bits stands between MAC header and body.
    pub const fn data_pad(self) -> bool {
        self.0 & 0x20 != 0
    }

    /// The receiver found the FCS wrong.
    pub const fn bad_fcs(self) -> bool {
        self.0 & 0x40 != 0
    }

    /// Short guard interval (HT).
    pub const fn short_guard(self) -> bool {
        self.0 & 0x80 != 0
    }
}

/// Reads the radiotap header at the start of `record` into the radio columns of `frame`.
///
/// # Errors
/// [`ParseError::RadiotapCut`] and [`ParseError::RadiotapVersion`], where the MAC frame cannot be
/// found. A header damaged further inside is a [`Fault`] of the result.
pub fn decode(record: &[u8], frame: &mut Frame) -> Result<Header, ParseError> {
    if u8_at(record, 0).ok_or(ParseError::RadiotapCut)? != 0 {
        return Err(ParseError::RadiotapVersion);
    }
    let length = u16_at(record, 2).filter(|&length| length >= SMALLEST).ok_or(ParseError::RadiotapCut)?;
    let header = record.get(..usize::from(length)).ok_or(ParseError::RadiotapCut)?;
    let mut decoding = Decoding::new(frame);
    let fault = layout::read(header, &mut decoding).err();
    decoding.finish();
    Ok(Header { length: header.len(), flags: decoding.flags, no_psdu: decoding.no_psdu, fault })
}

/// A header being read: the frame, and what several fields together decide.
struct Decoding<'f> {
    frame: &'f mut Frame,
    flags: Option<Flags>,
    rate_500k: Option<u8>,
    channel: Option<(u16, u16)>,
    received: bool,
    sent: bool,
    no_psdu: bool,
    /// Signal in the present word being read.
    word_signal: Option<i8>,
    /// An antenna number in the present word being read.
    word_antenna: bool,
    words: u32,
}

impl<'f> Decoding<'f> {
    fn new(frame: &'f mut Frame) -> Decoding<'f> {
        Decoding {
            frame,
            flags: None,
            rate_500k: None,
            channel: None,
            received: false,
            sent: false,
            no_psdu: false,
            word_signal: None,
            word_antenna: false,
            words: 0,
        }
    }

    /// Ends a present word. Per-antenna signals come one per word; the first word's signal is one of
    /// them only if it names its antenna, else it stands for all of them together.
    fn end_word(&mut self) {
        if let Some(dbm) = self.word_signal.take() {
            if self.words > 0 || self.word_antenna {
                self.frame.antenna_signals_dbm.push(dbm);
            }
        }
        self.word_antenna = false;
        self.words += 1;
    }

    fn finish(&mut self) {
        let frame = &mut *self.frame;
        let (mhz, channel_flags) = self.channel.unwrap_or_default();
        frame.channel_mhz = (mhz != 0).then_some(mhz);
        frame.direction = match (self.sent, self.received) {
            (true, _) => Some(Direction::Tx),
            (false, true) => Some(Direction::Rx),
            (false, false) => None,
        };
        if self.words < 2 {
            frame.antenna_signals_dbm = AntennaSignals::default(); // signal_dbm says it all
        }
        match (frame.phy, self.rate_500k) {
            (None, Some(rate)) => legacy::fill(frame, rate, channel_flags, self.flags),
            (Some(Phy::Ht), _) if frame.guard_ns.is_none() && self.flags.is_some_and(Flags::short_guard) => {
                frame.guard_ns = Some(400);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
