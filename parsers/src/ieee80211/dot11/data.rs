//! Headers of data frames (IEEE 802.11-2020, 9.3.2.1): addresses by DS bits, QoS Control.

use super::body::{self, Body};
use super::fields::{address, sequence};
use super::frame_control::FrameControl;
use super::hop_options;
use crate::base::numbers;
use crate::base::octets::u16_at;
use crate::frame::{Frame, FrameKind, ParseError};
use crate::ieee80211::constants::{DATA_HEADER_BYTES, HT_CONTROL_BYTES};

const HEADER_BYTES: usize = DATA_HEADER_BYTES as usize;
const ADDRESS_BYTES: usize = 6;
const QOS_CONTROL_BYTES: usize = 2;
const QOS_SUBTYPE: u8 = 8;
/// Ack Policy Indicator (table 9-14).
const ACK_POLICY: u16 = 0x0060;
const NO_ACK: u16 = 0x0020;
const A_MSDU_PRESENT: u16 = 0x0080;
const MESH_CONTROL_PRESENT: u16 = 0x0100;

/// Fills the addresses, sequence number, TID, `no_ack`, `payload_bytes` and the network header.
/// `bytes` is the number of octets on the air, without the FCS.
pub(super) fn decode(
    content: &[u8],
    bytes: u32,
    control: FrameControl,
    data_pad: bool,
    frame: &mut Frame,
) -> Result<(), ParseError> {
    let mut header = HEADER_BYTES;
    if control.is_to_ds() && control.is_from_ds() {
        header += ADDRESS_BYTES;
    }
    let mut qos_control = 0;
    frame.hop_options = hop_options::recognise(content, control, header).map(Box::new);
    if let Some(found) = &frame.hop_options {
        header += found.octets;
    } else if control.subtype() & QOS_SUBTYPE != 0 {
        if let Some(field) = u16_at(content, header) {
            frame.tid = Some((field & 0x0f) as u8);
            frame.no_ack = field & ACK_POLICY == NO_ACK;
            qos_control = field;
        }
        header += QOS_CONTROL_BYTES + if control.order() { HT_CONTROL_BYTES as usize } else { 0 };
    }
    let a_msdu = qos_control & A_MSDU_PRESENT != 0;
    addresses(content, control, a_msdu, frame)?;
    sequence(content, frame)?;
    if content.len() < header {
        return Err(ParseError::HeaderCut);
    }
    let with_pad = if data_pad { header.next_multiple_of(4) } else { header };
    let body_bytes = bytes.saturating_sub(numbers::octets(with_pad));
    let pad_bytes = bytes.saturating_sub(numbers::octets(header)).saturating_sub(body_bytes);
    frame.length_bytes = frame.length_bytes.map(|length| length.saturating_sub(pad_bytes));
    if matches!(frame.kind, FrameKind::Data | FrameKind::QosData) {
        let body = Body {
            octets: content.get(with_pad..).unwrap_or_default(),
            bytes: body_bytes,
            a_msdu,
            // Mesh frames only; in frames of an AP's clients this bit has another meaning (table 9-11).
            mesh_control: control.is_from_ds() && qos_control & MESH_CONTROL_PRESENT != 0,
        };
        body::decode(&body, control, frame);
    }
    Ok(())
}

/// RA, TA, DA, SA and BSSID by the DS bits (table 9-30). In an A-MSDU, the address that is neither end of the hop is
/// the BSSID; its MSDUs contain their own SA and DA.
fn addresses(content: &[u8], control: FrameControl, a_msdu: bool, frame: &mut Frame) -> Result<(), ParseError> {
    let first = address(content, 4)?;
    frame.ra = Some(first);
    let second = address(content, 10)?;
    frame.ta = Some(second);
    let third = address(content, 16)?;
    match (control.is_to_ds(), control.is_from_ds()) {
        (false, false) => {
            (frame.da, frame.sa, frame.bssid) = (Some(first), Some(second), Some(third));
        }
        (false, true) => {
            (frame.da, frame.bssid) = (Some(first), Some(second));
            frame.sa = (!a_msdu).then_some(third);
        }
        (true, false) => {
            (frame.bssid, frame.sa) = (Some(first), Some(second));
            frame.da = (!a_msdu).then_some(third);
        }
        (true, true) if a_msdu => frame.bssid = Some(third),
        (true, true) => {
            frame.da = Some(third);
            frame.sa = Some(address(content, HEADER_BYTES)?);
        }
    }
    Ok(())
}
