//! Management frames (IEEE 802.11-2020, 9.3.3): addresses, sequence number, network name.

use super::frame_control::FrameControl;
use super::{address, sequence};
use crate::frame::{Frame, FrameKind, ParseError, Ssid};
use crate::octets::u8_at;

const HEADER_BYTES: usize = 24;
const HT_CONTROL_BYTES: usize = 4;
const SSID_ELEMENT: u8 = 0;

/// Fills the addresses, the sequence number and the SSID.
pub(super) fn decode(content: &[u8], control: FrameControl, frame: &mut Frame) -> Result<(), ParseError> {
    frame.ra = Some(address(content, 4)?);
    frame.da = frame.ra;
    frame.ta = Some(address(content, 10)?);
    frame.sa = frame.ta;
    frame.bssid = Some(address(content, 16)?);
    sequence(content, frame)?;
    let header = HEADER_BYTES + if control.order() { HT_CONTROL_BYTES } else { 0 };
    if let (Some(fixed), false) = (fixed_fields_bytes(frame.kind), control.protected()) {
        frame.ssid = content.get(header + fixed..).and_then(ssid);
    }
    Ok(())
}

/// Octets between header and elements in the frames that carry an SSID element.
const fn fixed_fields_bytes(kind: FrameKind) -> Option<usize> {
    match kind {
        FrameKind::ProbeReq => Some(0),
        FrameKind::AssocReq => Some(4),
        FrameKind::ReassocReq => Some(10),
        FrameKind::Beacon | FrameKind::ProbeResp => Some(12),
        _ => None,
    }
}

/// The first SSID element (9.4.2.2). It is not always the first element, against the standard.
fn ssid(mut elements: &[u8]) -> Option<Ssid> {
    loop {
        let (id, length) = (u8_at(elements, 0)?, usize::from(u8_at(elements, 1)?));
        if id == SSID_ELEMENT {
            return Ssid::new(elements.get(2..2 + length)?);
        }
        elements = elements.get(2 + length..)?;
    }
}
