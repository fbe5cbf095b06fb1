//! Data frames (IEEE 802.11-2020, 9.3.2): addresses by DS bits, QoS, and how much of it is MSDU.

use super::frame_control::FrameControl;
use super::{address, network, sequence};
use crate::frame::{Frame, FrameKind, ParseError};
use crate::octets::{array_at, u16_at};

const HEADER_BYTES: usize = 24;
const ADDRESS_BYTES: usize = 6;
const QOS_CONTROL_BYTES: usize = 2;
const HT_CONTROL_BYTES: usize = 4;
const QOS_SUBTYPE: u8 = 8;
const A_MSDU_PRESENT: u16 = 0x0080;
const A_MSDU_SUBFRAME_HEADER: usize = 14;

/// Fills the addresses, sequence number, TID, `payload_bytes` and the network header.
/// On the air the frame had `bytes` octets (and its FCS).
pub(super) fn decode(
    content: &[u8],
    bytes: u32,
    control: FrameControl,
    data_pad: bool,
    frame: &mut Frame,
) -> Result<(), ParseError> {
    let mut header = HEADER_BYTES;
    let four_addresses = control.is_to_ds() && control.is_from_ds();
    if four_addresses {
        header += ADDRESS_BYTES;
    }
    let mut a_msdu = false;
    if control.subtype() & QOS_SUBTYPE != 0 {
        let qos_control = u16_at(content, header);
        frame.tid = qos_control.map(|field| (field & 0x0f) as u8);
        a_msdu = qos_control.is_some_and(|field| field & A_MSDU_PRESENT != 0);
        header += QOS_CONTROL_BYTES + if control.order() { HT_CONTROL_BYTES } else { 0 };
    }
    addresses(content, control, a_msdu, frame)?;
    sequence(content, frame)?;
    let padded = if data_pad { header.next_multiple_of(4) } else { header };
    if content.len() < header {
        return Err(ParseError::HeaderCut);
    }
    let pad_bytes = (padded - header) as u32;
    if let Some(length) = &mut frame.length_bytes {
        *length = length.saturating_sub(pad_bytes);
    }
    if !matches!(frame.kind, FrameKind::Data | FrameKind::QosData) {
        return Ok(());
    }
    let body = content.get(padded..).unwrap_or_default();
    let body_bytes = bytes.saturating_sub(padded as u32);
    let overhead = if control.protected() { security_bytes(body, control) } else { Some(0) };
    frame.payload_bytes = overhead.and_then(|overhead| body_bytes.checked_sub(overhead));
    let starts_msdu = frame.frag == Some(0) && !control.protected();
    if starts_msdu {
        let msdu = if a_msdu { first_msdu(body, frame) } else { Some(body) };
        frame.network = msdu.and_then(network::decode);
    }
    Ok(())
}

/// The first MSDU of an A-MSDU. Each has its own DA, SA and length in front (9.3.2.2.2); `frame` takes
/// those of the first.
fn first_msdu<'b>(body: &'b [u8], frame: &mut Frame) -> Option<&'b [u8]> {
    frame.da = address(body, 0).ok();
    frame.sa = address(body, ADDRESS_BYTES).ok();
    body.get(A_MSDU_SUBFRAME_HEADER..)
}

/// RA, TA, DA, SA and BSSID by the DS bits (table 9-30). The address that is neither end of the hop is
/// the BSSID in an A-MSDU, whose MSDUs name their own SA and DA.
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

/// Octets that encryption adds to the body: IV, MIC and ICV (IEEE 802.11-2020, 12.3 and 12.5).
///
/// The frame does not name its cipher. Without Ext IV it is WEP. TKIP repeats a function of its first
/// octet in the second, and CCMP sends zero as the third. GCMP looks like CCMP, which is assumed.
/// `None` where the IV was not captured.
fn security_bytes(body: &[u8], control: FrameControl) -> Option<u32> {
    const EXT_IV: u8 = 0x20;
    let [first, second, third, key_id] = array_at::<4>(body, 0)?;
    if key_id & EXT_IV == 0 {
        return Some(4 + 4); // WEP: IV, ICV
    }
    if third == 0 || second != (first | 0x20) & 0x7f {
        return Some(8 + 8); // CCMP: IV, MIC
    }
    // TKIP: IV, ICV, and the MIC over the whole MSDU in its last fragment.
    Some(if control.more_fragments() { 8 + 4 } else { 8 + 8 + 4 })
}
