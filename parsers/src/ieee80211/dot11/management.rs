//! Management frames (IEEE 802.11-2020, 9.3.3): addresses, sequence number, and what their bodies say.

use super::capabilities;
use super::channel_switch;
use super::elements::{elements, Element};
use super::fields::{address, sequence};
use super::frame_control::FrameControl;
use super::operating_channel;
use crate::base::octets::{array_at, u16_at, u64_at};
use crate::frame::management::{BssLoad, Management};
use crate::frame::operating_channel::OperatingChannel;
use crate::frame::{Frame, FrameKind, ParseError, Ssid};
use crate::ieee80211::constants::{HT_CONTROL_BYTES, MANAGEMENT_HEADER_BYTES};

const HEADER_BYTES: usize = MANAGEMENT_HEADER_BYTES as usize;
const SSID_ELEMENT: u8 = 0;
const BSS_LOAD_ELEMENT: u8 = 11;

/// Fills the addresses, the sequence number and the body; `bytes` is the length on the air without FCS.
pub(super) fn decode(content: &[u8], bytes: u32, control: FrameControl, frame: &mut Frame) -> Result<(), ParseError> {
    frame.ra = Some(address(content, 4)?);
    frame.da = frame.ra;
    frame.ta = Some(address(content, 10)?);
    frame.sa = frame.ta;
    frame.bssid = Some(address(content, 16)?);
    sequence(content, frame)?;
    if !control.protected() {
        let header = HEADER_BYTES + if control.order() { HT_CONTROL_BYTES as usize } else { 0 };
        let octets = content.get(header..).unwrap_or_default();
        let is_whole = u32::try_from(content.len()).is_ok_and(|captured| captured == bytes);
        let channel = channel(octets, is_whole, frame);
        let at_mhz = channel.map(|channel| channel.primary_mhz).or(frame.channel_mhz);
        let switch = channel_switch::announced(octets, frame.kind, fixed_fields_bytes(frame.kind));
        let switch = switch.and_then(|switch| switch.of_bss(at_mhz));
        frame.management = Management { channel, switch, ..body(octets, frame.kind) }.boxed();
    }
    Ok(())
}

fn body(octets: &[u8], kind: FrameKind) -> Management {
    let found = Management {
        reason: reason_at(kind).and_then(|at| u16_at(octets, at)),
        status: status_at(kind).and_then(|at| u16_at(octets, at)),
        ..Management::default()
    };
    let Some(fixed) = fixed_fields_bytes(kind) else { return found };
    let elements = octets.get(fixed..);
    let information = capability_information_at(kind).and_then(|at| u16_at(octets, at));
    let announces = information.zip(elements);
    Management {
        ssid: elements.and_then(ssid),
        timestamp_us: u64_at(octets, 0).filter(|_| matches!(kind, FrameKind::Beacon | FrameKind::ProbeResp)),
        bss_load: elements.and_then(bss_load),
        capabilities: announces.map(|(information, elements)| capabilities::decode(information, elements)),
        ..found
    }
}

/// The channel that a beacon or probe response announces; `is_whole`: the body was captured to its end.
fn channel(octets: &[u8], is_whole: bool, frame: &Frame) -> Option<OperatingChannel> {
    if !matches!(frame.kind, FrameKind::Beacon | FrameKind::ProbeResp) {
        return None;
    }
    let elements = octets.get(fixed_fields_bytes(frame.kind)?..)?;
    operating_channel::announced(elements, is_whole).channel(frame.channel_mhz)
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

/// Offset of the Reason Code field (9.3.3.4 and 9.3.3.12).
const fn reason_at(kind: FrameKind) -> Option<usize> {
    match kind {
        FrameKind::Deauth | FrameKind::Disassoc => Some(0),
        _ => None,
    }
}

/// Offset of the Status Code field, after Capability Information, or after algorithm and sequence number.
const fn status_at(kind: FrameKind) -> Option<usize> {
    match kind {
        FrameKind::AssocResp | FrameKind::ReassocResp => Some(2),
        FrameKind::Auth => Some(4),
        _ => None,
    }
}

/// The first SSID element (9.4.2.2). In some frames it is not the first element, contrary to the standard.
fn ssid(octets: &[u8]) -> Option<Ssid> {
    elements(octets).find(|element| element.id == SSID_ELEMENT).and_then(|element| Ssid::new(element.body))
}

/// The first BSS Load element (9.4.2.27); one of another length (a draft of 802.11e had four octets) is unknown.
fn bss_load(octets: &[u8]) -> Option<BssLoad> {
    let Element { body, .. } = elements(octets).find(|element| element.id == BSS_LOAD_ELEMENT)?;
    let [a, b, utilization, c, d] = array_at::<5>(body, 0).filter(|known| known.len() == body.len())?;
    Some(BssLoad { stations: u16::from_le_bytes([a, b]), utilization, admission: u16::from_le_bytes([c, d]) })
}
