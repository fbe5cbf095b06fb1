//! Management frames (IEEE 802.11-2020, 9.3.3): addresses, sequence number, SSID, timestamp, capabilities.

use super::capabilities;
use super::elements::elements;
use super::fields::{address, sequence};
use super::frame_control::FrameControl;
use crate::base::octets::{u16_at, u64_at};
use crate::frame::{Frame, FrameKind, ParseError, Ssid};

const HEADER_BYTES: usize = 24;
const HT_CONTROL_BYTES: usize = 4;
const SSID_ELEMENT: u8 = 0;

/// Fills the addresses, the sequence number, the SSID, the timestamp and the capabilities.
pub(super) fn decode(content: &[u8], control: FrameControl, frame: &mut Frame) -> Result<(), ParseError> {
    frame.ra = Some(address(content, 4)?);
    frame.da = frame.ra;
    frame.ta = Some(address(content, 10)?);
    frame.sa = frame.ta;
    frame.bssid = Some(address(content, 16)?);
    sequence(content, frame)?;
    let header = HEADER_BYTES + if control.order() { HT_CONTROL_BYTES } else { 0 };
    if let (Some(fixed), false) = (fixed_fields_bytes(frame.kind), control.protected()) {
        let body = content.get(header..).unwrap_or_default();
        let elements = body.get(fixed..);
        if matches!(frame.kind, FrameKind::Beacon | FrameKind::ProbeResp) {
            frame.beacon_tsf_us = u64_at(body, 0);
        }
        frame.ssid = elements.and_then(ssid);
        let information = capability_information_at(frame.kind).and_then(|at| u16_at(body, at));
        frame.capabilities = information
            .zip(elements)
            .map(|(information, elements)| Box::new(capabilities::decode(information, elements)));
    }
    Ok(())
}

/// Octets between header and elements, in frames with an SSID element and in their responses.
const fn fixed_fields_bytes(kind: FrameKind) -> Option<usize> {
    match kind {
        FrameKind::ProbeReq => Some(0),
        FrameKind::AssocReq => Some(4),
        FrameKind::AssocResp | FrameKind::ReassocResp => Some(6),
        FrameKind::ReassocReq => Some(10),
        FrameKind::Beacon | FrameKind::ProbeResp => Some(12),
        _ => None,
    }
}

/// Offset of the Capability Information field in them.
const fn capability_information_at(kind: FrameKind) -> Option<usize> {
    match kind {
        FrameKind::AssocReq | FrameKind::AssocResp | FrameKind::ReassocReq | FrameKind::ReassocResp => Some(0),
        FrameKind::Beacon | FrameKind::ProbeResp => Some(10),
        _ => None,
    }
}

/// The first SSID element (9.4.2.2). In some frames it is not the first element, contrary to the standard.
fn ssid(octets: &[u8]) -> Option<Ssid> {
    elements(octets).find(|element| element.id == SSID_ELEMENT).and_then(|element| Ssid::new(element.body))
}
