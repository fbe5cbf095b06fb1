//! Control frames (IEEE 802.11-2020, 9.3.1).

use super::fields::address;
use super::frame_control::{FrameControl, FrameType, CONTROL_WRAPPER};
use crate::base::octets::{array_at, u16_at};
use crate::frame::{Addr, BlockAckBitmap, Frame, FrameKind, ParseError};

/// Offset of the part after the RA; a Control Wrapper inserts six octets.
const AFTER_RA: usize = 10;
const WRAPPER_BYTES: usize = 6;

/// RA, TA, BSSID and TID of a control frame; a Control Wrapper is parsed as the frame it carries.
pub(super) fn decode(content: &[u8], control: FrameControl, frame: &mut Frame) -> Result<(), ParseError> {
    if control.subtype() != CONTROL_WRAPPER {
        return decode_from_ra(content, AFTER_RA, frame);
    }
    frame.ra = Some(address(content, 4)?);
    let carried = FrameControl(u16_at(content, AFTER_RA).ok_or(ParseError::HeaderCut)?);
    if carried.frame_type() != FrameType::Control {
        return Ok(());
    }
    frame.kind = carried.kind();
    if frame.kind == FrameKind::PsPoll {
        frame.nav_us = None; // the field holds the carried frame's AID
    }
    decode_from_ra(content, AFTER_RA + WRAPPER_BYTES, frame)
}

fn decode_from_ra(content: &[u8], after_ra: usize, frame: &mut Frame) -> Result<(), ParseError> {
    match frame.kind {
        FrameKind::Cts | FrameKind::Ack => {
            frame.ra = Some(address(content, 4)?);
        }
        FrameKind::Rts | FrameKind::Trigger | FrameKind::Ndpa | FrameKind::BeamformingPoll => {
            two_addresses(content, after_ra, frame)?;
        }
        FrameKind::PsPoll => {
            two_addresses(content, after_ra, frame)?;
            frame.bssid = frame.ra;
        }
        FrameKind::CfEnd => {
            two_addresses(content, after_ra, frame)?;
            frame.bssid = frame.ta;
        }
        FrameKind::BlockAckReq | FrameKind::BlockAck => {
            two_addresses(content, after_ra, frame)?;
            let control = u16_at(content, after_ra + 6);
            frame.tid = control.and_then(block_ack_tid);
            let is_of_one = frame.ra.is_some_and(|ra| !ra.is_group());
            if frame.kind == FrameKind::BlockAck && is_of_one {
                frame.block_ack = control.and_then(|control| block_ack(control, content.get(after_ra + 8..)?));
            }
        }
        // DMG control frames start with RA and TA; reserved subtypes have no known fields.
        _ if frame.subtype.is_some_and(|subtype| (0x162..=0x16a).contains(&subtype)) => {
            two_addresses(content, after_ra, frame)?;
        }
        _ => {}
    }
    Ok(())
}

/// RA and TA. In a bandwidth signaling TA, the group bit is the signal; it is cleared so that the station has a single
/// address (9.2.4.3.8).
fn two_addresses(content: &[u8], after_ra: usize, frame: &mut Frame) -> Result<(), ParseError> {
    frame.ra = Some(address(content, 4)?);
    let [first, rest @ ..] = array_at::<6>(content, after_ra).ok_or(ParseError::HeaderCut)?;
    let [b, c, d, e, f] = rest;
    frame.ta = Some(Addr::mac([first & !0x01, b, c, d, e, f]));
    Ok(())
}

/// Supported values of the BAR Type and BA Type fields (tables 9-30 and 9-32).
pub(crate) mod variant {
    pub const BASIC: u16 = 0;
    pub const EXTENDED_COMPRESSED: u16 = 1;
    pub const COMPRESSED: u16 = 2;
    pub const GCR: u16 = 6;
    /// Acknowledges one or several stations.
    pub const MULTI_STA: u16 = 11;
}

const fn block_ack_variant(control: u16) -> u16 {
    control >> 1 & 0x0f
}

/// The TID of a BAR Control or BA Control field; a multi-TID variant has several (9.3.1.7, 9.3.1.8).
fn block_ack_tid(control: u16) -> Option<u8> {
    use variant as v;
    let one_tid = matches!(block_ack_variant(control), v::BASIC | v::EXTENDED_COMPRESSED | v::COMPRESSED | v::GCR);
    one_tid.then_some((control >> 12) as u8)
}

/// Starting sequence control and bitmap of a BlockAck with one of each. The basic variant has a bitmap of fragments,
/// which is not read.
fn block_ack(control: u16, information: &[u8]) -> Option<BlockAckBitmap> {
    match block_ack_variant(control) {
        variant::COMPRESSED | variant::EXTENDED_COMPRESSED => numbered_bitmap(information),
        variant::MULTI_STA => {
            const ACKED_AS_A_WHOLE: u16 = 0x0800;
            let aid_and_tid = u16_at(information, 0)?;
            numbered_bitmap(information.get(2..)?).filter(|_| aid_and_tid & ACKED_AS_A_WHOLE == 0)
        }
        _ => None,
    }
}

/// The fragment number next to the starting sequence number encodes the bitmap length (802.11be-2024, tables 9-41 and
/// 9-44).
fn numbered_bitmap(octets: &[u8]) -> Option<BlockAckBitmap> {
    let start = u16_at(octets, 0)?;
    let bitmap_octets = match start >> 1 & 0x07 {
        0 => 8,
        1 => 16,
        2 => 32,
        3 => 4,
        4 => 64,
        5 => 128,
        _ => return None,
    };
    Some(BlockAckBitmap::new(start >> 4, octets.get(2..2 + bitmap_octets)?))
}
