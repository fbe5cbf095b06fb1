//! Radiotap headers (<https://www.radiotap.org>): what the radio says about a frame.
//!
//! [`FIELDS`] is the registry, [`decode`] walks over it; the offsets found are cached per layout. A header can hold
//! several present words and namespaces. The size of an unknown field is unknown, so that decoding stops there and
//! keeps what was read before it.

mod common;
mod decoding;
mod eht;
mod he;
mod header;
mod ht;
mod layout;
mod legacy;
mod modulation;
mod table;
mod tlv;
mod vht;
mod walk;

use crate::base::octets::{u16_at, u8_at};
use crate::frame::{Frame, ParseError};

use decoding::Decoding;

pub(crate) use header::band_flag;
pub use header::{Fault, Flags, Header};
pub use table::{field, item, Field, FIELDS, ITEMS};

/// Octets before the first field when there is one present word.
const MIN_BYTES: u16 = 8;

/// Reads the radiotap header at the start of `record` into the radio columns of `frame`.
///
/// # Errors
/// [`ParseError::RadiotapCut`] and [`ParseError::RadiotapVersion`], where the MAC frame cannot be
/// found. A header damaged further inside is a [`Fault`] of the result.
pub fn decode(record: &[u8], frame: &mut Frame) -> Result<Header, ParseError> {
    if u8_at(record, 0).ok_or(ParseError::RadiotapCut)? != 0 {
        return Err(ParseError::RadiotapVersion);
    }
    let length = u16_at(record, 2).filter(|&length| length >= MIN_BYTES).ok_or(ParseError::RadiotapCut)?;
    let header = record.get(..usize::from(length)).ok_or(ParseError::RadiotapCut)?;
    let mut decoding = Decoding::new(frame);
    let fault = layout::read(header, &mut decoding).err();
    decoding.finish();
    Ok(Header { length: header.len(), flags: decoding.flags, no_psdu: decoding.no_psdu, fault })
}

#[cfg(test)]
mod tests;
