//! Type-length-value items, which fill the rest of a header with present bit 28.

use super::decoding::Decoding;
use super::header::Fault;
use super::table::{field, item};
use crate::base::octets::u16_at;

/// Type and length.
const ITEM_HEADER_BYTES: usize = 4;
const ALIGN: usize = 4;
/// Longest field that is also a present bit.
const MAX_FIELD_BYTES: usize = 12;

/// Applies every item of `items`; items of unknown type are skipped.
///
/// The length of the last item may exclude its padding.
pub(super) fn walk(items: &[u8], decoding: &mut Decoding<'_>) -> Result<(), Fault> {
    let mut rest = items;
    while !rest.is_empty() {
        let (Some(number), Some(length)) = (u16_at(rest, 0), u16_at(rest, 2)) else { return Err(Fault::Overrun) };
        let end = ITEM_HEADER_BYTES + usize::from(length);
        let content = rest.get(ITEM_HEADER_BYTES..end).ok_or(Fault::Overrun)?;
        apply(number, content, decoding);
        rest = rest.get(end.next_multiple_of(ALIGN)..).unwrap_or_default();
    }
    Ok(())
}

/// Octets missing at the end of a field are zero.
fn apply(number: u16, content: &[u8], decoding: &mut Decoding<'_>) {
    if let Some(item) = item(number) {
        (item.apply)(decoding, content);
    } else if let Some(field) = field(number.into()) {
        let mut padded = [0; MAX_FIELD_BYTES];
        for (octet, given) in padded.iter_mut().zip(content) {
            *octet = *given;
        }
        if let Some(octets) = padded.get(..field.size) {
            (field.apply)(decoding, octets);
        }
    }
}
