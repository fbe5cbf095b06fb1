//! MAC frames (IEEE 802.11-2020, clause 9): from Frame Control to the network header.
//!
//! Addresses follow the standard's roles, as tshark shows them: RA and TA are the ends of the hop,
//! SA and DA those of the MSDU.

pub(crate) mod a_msdu;
mod body;
mod capabilities;
mod channel_switch;
mod content;
pub(crate) mod control;
mod data;
pub(crate) mod elements;
mod fcs;
mod fields;
pub(crate) mod frame_control;
mod hop_options;
mod management;
mod mpdu;
mod network;
mod operating_channel;

use crate::base::octets::u16_at;
use crate::frame::{Frame, FrameKind, ParseError};
use crate::ieee80211::constants::FCS_BYTES;

use fields::{address, nav_us};
use frame_control::{FrameControl, FrameType};

pub use fcs::has_trailing_fcs;
pub use mpdu::Mpdu;

/// Fills the MAC columns of `frame`, `length_bytes` and `payload_bytes` included.
///
/// For a frame with a bad FCS, only the length is used. A frame with a truncated header keeps the fields before the cut
/// and gets a `parse_error`.
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

/// `content` is the captured part of the frame without its FCS; `bytes` is the length on the air.
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
        FrameType::Management => management::decode(content, bytes, control, frame),
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

#[cfg(test)]
mod tests;
