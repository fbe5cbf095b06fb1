//! The walk over present words, namespaces and fields.

use super::decoding::Decoding;
use super::header::Fault;
use super::table::{field, Field};
use super::tlv;
use crate::base::octets::{u16_at, u32_at};

/// Octets before the first present word: version, pad, length.
pub(super) const PREFIX: usize = 4;
const TLVS: u32 = 1 << 28;
const RADIOTAP_NAMESPACE: u32 = 1 << 29;
const VENDOR_NAMESPACE: u32 = 1 << 30;
const MORE_WORDS: u32 = 1 << 31;
const FIELD_BITS: u32 = TLVS - 1;

/// Namespace of the bits of a present word.
#[derive(Clone, Copy)]
enum Namespace {
    /// Radiotap namespace, from this bit number on.
    Radiotap(u32),
    /// Vendor namespace: meaning of bits and data is unknown.
    Vendor,
}

/// Callbacks of a walk, in header order.
pub(super) trait Visitor {
    /// A field, its offset in the header, and its octets.
    fn field(&mut self, field: &'static Field, at: usize, octets: &[u8]);
    /// The end of a present word's fields.
    fn end_word(&mut self);
    /// Vendor data; their length determines the offsets of the fields after them.
    fn vendor_data(&mut self) {}
    /// The type-length-value items that fill the rest of the header from `at` on.
    fn items(&mut self, at: usize, items: &[u8]) -> Result<(), Fault>;
}

impl Visitor for Decoding<'_> {
    fn field(&mut self, field: &'static Field, _: usize, octets: &[u8]) {
        (field.apply)(self, octets);
    }

    fn end_word(&mut self) {
        Decoding::end_word(self);
    }

    fn items(&mut self, _: usize, items: &[u8]) -> Result<(), Fault> {
        tlv::walk(items, self)
    }
}

/// Passes the fields of `header` (whole, from its version octet) to `visitor`.
pub(super) fn walk(header: &[u8], visitor: &mut impl Visitor) -> Result<(), Fault> {
    let words = count_words(header)?;
    let mut fields = Fields { header, offset: PREFIX + 4 * words };
    let mut namespace = Namespace::Radiotap(0);
    for number in 0..words {
        let word = u32_at(header, PREFIX + 4 * number).ok_or(Fault::Overrun)?;
        if let Namespace::Radiotap(first_bit) = namespace {
            let result = fields.show(word, first_bit, visitor);
            visitor.end_word();
            result?;
            if word & TLVS != 0 {
                let (at, items) = fields.rest();
                return visitor.items(at, items);
            }
        }
        namespace = match (word & RADIOTAP_NAMESPACE != 0, word & VENDOR_NAMESPACE != 0) {
            (true, true) => return Err(Fault::UnknownBit(30)), // contradictory
            (true, false) => Namespace::Radiotap(0),
            (false, true) => {
                visitor.vendor_data();
                fields.skip_vendor_data()?;
                Namespace::Vendor
            }
            (false, false) => match namespace {
                Namespace::Radiotap(first_bit) => Namespace::Radiotap(first_bit + 32),
                Namespace::Vendor => Namespace::Vendor,
            },
        };
    }
    Ok(())
}

fn count_words(header: &[u8]) -> Result<usize, Fault> {
    let mut words = 0;
    loop {
        let word = u32_at(header, PREFIX + 4 * words).ok_or(Fault::Overrun)?;
        words += 1;
        if word & MORE_WORDS == 0 {
            return Ok(words);
        }
    }
}

/// Octets of the present words, if at most `most`.
pub(super) fn present_bytes(header: &[u8], most: usize) -> Option<usize> {
    let words = count_words(header.get(..header.len().min(PREFIX + most))?).ok()?;
    Some(4 * words)
}

/// The part of the header after the present words.
struct Fields<'h> {
    header: &'h [u8],
    offset: usize,
}

impl<'h> Fields<'h> {
    fn show(&mut self, word: u32, first_bit: u32, visitor: &mut impl Visitor) -> Result<(), Fault> {
        let mut left = word & FIELD_BITS;
        while left != 0 {
            let bit = first_bit + left.trailing_zeros();
            left &= left - 1;
            let field = field(bit).ok_or(Fault::UnknownBit(bit))?;
            let octets = self.take(field.align, field.size)?;
            visitor.field(field, self.offset - field.size, octets);
        }
        Ok(())
    }

    /// A vendor namespace starts with OUI, sub-namespace and the length of the vendor data.
    fn skip_vendor_data(&mut self) -> Result<(), Fault> {
        let opening = self.take(2, 6)?;
        let length = u16_at(opening, 4).ok_or(Fault::Overrun)?;
        self.take(1, usize::from(length)).map(drop)
    }

    /// The rest from the next multiple of four octets on, and its offset.
    fn rest(&self) -> (usize, &'h [u8]) {
        let at = self.offset.next_multiple_of(4);
        (at, self.header.get(at..).unwrap_or_default())
    }

    fn take(&mut self, align: usize, size: usize) -> Result<&'h [u8], Fault> {
        let start = self.offset.next_multiple_of(align);
        let octets = self.header.get(start..start + size).ok_or(Fault::Overrun)?;
        self.offset = start + size;
        Ok(octets)
    }
}
