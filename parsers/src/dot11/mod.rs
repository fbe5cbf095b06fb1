//! MAC frames (IEEE 802.11-2020, clause 9): from Frame Control to the network header.
//!
//! Addresses follow the standard's roles, as tshark shows them: RA and TA are the ends of the hop,
//! SA and DA those of the MSDU.

mod body;
mod capabilities;
mod content;
mod control;
mod data;
mod elements;
mod fcs;
pub(crate) mod frame_control;
mod management;
mod network;

use crate::addr::Addr;
use crate::frame::{Frame, FrameKind, ParseError};
use crate::octets::{array_at, u16_at};
use frame_control::{FrameControl, FrameType};

pub use fcs::has_trailing_fcs;

/// A MAC frame as the recording holds it.
#[derive(Clone, Copy, Debug)]
pub struct Mpdu<'a> {
    /// Its octets from Frame Control on, perhaps fewer than there were on the air.
    pub octets: &'a [u8],
    /// How many octets the recording would hold had it not cut the frame.
    pub recorded_bytes: u32,
    /// The recorded octets end with the FCS.
    pub trailing_fcs: bool,
    /// The receiver found the FCS wrong.
    pub bad_fcs: bool,
    /// The header is padded to a multiple of four octets (not on the air).
    pub data_pad: bool,
}

/// Octets of the frame check sequence.
const FCS_BYTES: u32 = 4;

/// Fills the MAC columns of `frame`, `length_bytes` and `payload_bytes` included.
///
/// Of a frame with a bad FCS only its length is believed. A frame whose header is cut keeps the
/// fields in front of the cut, and `parse_error` says so.
pub fn decode(mpdu: &Mpdu<'_>, frame: &mut Frame) {
    let content_bytes = match mpdu.trailing_fcs {
        true => mpdu.recorded_bytes.saturating_sub(FCS_BYTES),
        false => mpdu.recorded_bytes,
    };
    frame.length_bytes = Some(content_bytes.saturating_add(FCS_BYTES));
    frame.fcs_ok = fcs::verdict(mpdu);
    if frame.fcs_ok == Some(false) {
        frame.parse_error = Some(ParseError::BadFcs);
        return;
    }
    let content_end = usize::try_from(content_bytes).unwrap_or(usize::MAX).min(mpdu.octets.len());
    let content = mpdu.octets.get(..content_end).unwrap_or_default();
    match decode_content(content, content_bytes, mpdu.data_pad, frame) {
        Ok(()) => frame.content = Some(content::hash(content, content_bytes)),
        Err(error) => frame.parse_error = Some(error),
    }
}

/// `content` is the frame without its FCS as far as it was captured; on the air it had `bytes`.
fn decode_content(content: &[u8], bytes: u32, data_pad: bool, frame: &mut Frame) -> Result<(), ParseError> {
    let control = FrameControl(u16_at(content, 0).ok_or(ParseError::HeaderCut)?);
    if control.version() != 0 {
        return Err(ParseError::ProtocolVersion);
    }
    frame.kind = control.kind();
    frame.subtype = Some(control.type_subtype());
    frame.flags = Some(control.flags());
    let duration = u16_at(content, 2).ok_or(ParseError::HeaderCut)?;
    if frame.kind != FrameKind::PsPoll {
        frame.nav_us = nav_us(duration);
    }
    match control.frame_type() {
        FrameType::Management => management::decode(content, control, frame),
        FrameType::Control => control::decode(content, control, frame),
        FrameType::Data => data::decode(content, bytes, control, data_pad, frame),
        // DMG Beacon and S1G Beacon: only the former has the usual Duration and BSSID.
        FrameType::Extension if control.subtype() == 0 => {
            frame.bssid = Some(address(content, 4)?);
            Ok(())
        }
        FrameType::Extension => {
            frame.nav_us = None;
            Ok(())
        }
    }
}

/// The Duration field, unless its top bit makes it an AID or a fixed value (table 9-9).
fn nav_us(duration: u16) -> Option<u16> {
    (duration & 0x8000 == 0).then_some(duration)
}

fn address(content: &[u8], at: usize) -> Result<Addr, ParseError> {
    array_at(content, at).map(Addr::mac).ok_or(ParseError::HeaderCut)
}

/// Sequence Control: number and fragment.
fn sequence(content: &[u8], frame: &mut Frame) -> Result<(), ParseError> {
    let field = u16_at(content, 22).ok_or(ParseError::HeaderCut)?;
    frame.seq = Some(u32::from(field >> 4));
    frame.frag = Some((field & 0x0f) as u8);
    Ok(())
}

#[cfg(test)]
mod tests;
