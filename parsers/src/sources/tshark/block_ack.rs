//! BlockAck and BlockAckReq frames (IEEE 802.11-2020, 9.3.1.7 and 9.3.1.8).

use super::fields::Field;
use super::hexadecimal::octets;
use super::row::Row;
use crate::frame::BlockAckBitmap;
use crate::ieee80211::dot11::control::variant::{BASIC, COMPRESSED, EXTENDED_COMPRESSED, GCR, MULTI_STA};

/// The TID, where the frame has one.
pub(super) fn tid(row: &Row<'_>) -> Option<u8> {
    let control: u16 = row.number(Field::BlockAckControl)?;
    let has_one = matches!(variant(control), BASIC | EXTENDED_COMPRESSED | COMPRESSED | GCR);
    has_one.then_some((control >> 12) as u8)
}

/// The first starting sequence number and its bitmap, where the variant has them.
pub(super) fn bitmap(row: &Row<'_>) -> Option<BlockAckBitmap> {
    const ACKED_AS_A_WHOLE: u16 = 1;
    let is_numbered = match variant(row.number(Field::BlockAckControl)?) {
        EXTENDED_COMPRESSED | COMPRESSED => true,
        MULTI_STA => row.number(Field::MultiStaAckType) != Some(ACKED_AS_A_WHOLE),
        _ => false,
    };
    let start: u16 = row.number(Field::StartingSequence).filter(|_| is_numbered)?;
    Some(BlockAckBitmap::new(start, &octets(row.text(Field::BlockAckBitmap)?)?))
}

fn variant(control: u16) -> u16 {
    control >> 1 & 0x0f
}
