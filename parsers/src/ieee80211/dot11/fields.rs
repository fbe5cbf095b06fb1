//! Fields that frames of several types have.

use crate::base::octets::{array_at, u16_at};
use crate::frame::{Addr, Frame, ParseError};

/// The Duration field, unless its top bit makes it an AID or a fixed value (table 9-9).
pub(super) fn nav_us(duration: u16) -> Option<u16> {
    (duration & 0x8000 == 0).then_some(duration)
}

pub(super) fn address(content: &[u8], at: usize) -> Result<Addr, ParseError> {
    array_at(content, at).map(Addr::mac).ok_or(ParseError::HeaderCut)
}

/// Sequence Control: number and fragment.
pub(super) fn sequence(content: &[u8], frame: &mut Frame) -> Result<(), ParseError> {
    let field = u16_at(content, 22).ok_or(ParseError::HeaderCut)?;
    frame.seq = Some(u32::from(field >> 4));
    frame.frag = Some((field & 0x0f) as u8);
    Ok(())
}
