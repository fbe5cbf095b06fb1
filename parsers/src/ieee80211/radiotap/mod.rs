//! Radiotap headers (<https://www.radiotap.org>): radio metadata of a frame.
//!
//! [`FIELDS`] is the registry, [`decode`] walks over it; the offsets are cached per layout. A header can contain
//! several present words and namespaces. An unknown field has an unknown size, so decoding stops there and keeps the
//! fields before it.

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
/// [`ParseError::RadiotapCut`] and [`ParseError::RadiotapVersion`], if the MAC frame cannot be located. Damage further
/// inside the header is a [`Fault`] of the result.
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
