//! Bodies of data frames: the MSDU part, and the headers at its start.

use super::a_msdu::{msdu_bytes, Subframe};
use super::fields::address;
use super::frame_control::FrameControl;
use super::network;
use crate::base::numbers;
use crate::base::octets::{array_at, u8_at};
use crate::frame::Frame;
use crate::ieee80211::constants::A_MSDU_SUBFRAME_HEADER_BYTES;

const A_MSDU_SUBFRAME_HEADER: usize = A_MSDU_SUBFRAME_HEADER_BYTES as usize;

/// The octets between MAC header and FCS.
pub(super) struct Body<'a> {
    /// The captured octets.
    pub octets: &'a [u8],
    /// Number of octets on the air.
    pub bytes: u32,
    /// True for an A-MSDU.
    pub a_msdu: bool,
    /// True if the body starts with a Mesh Control field.
    pub mesh_control: bool,
}

/// Fills `payload_bytes`, SA and DA of the first MSDU of an A-MSDU, and the network header if it is not encrypted.
pub(super) fn decode(body: &Body<'_>, control: FrameControl, frame: &mut Frame) {
    if control.protected() {
        let overhead = security_bytes(body.octets, control);
        let bytes = overhead.and_then(|overhead| body.bytes.checked_sub(overhead));
        frame.payload_bytes =
            if body.a_msdu { bytes.map(|bytes| msdu_bytes(std::iter::empty(), bytes)) } else { bytes };
        return;
    }
    // In an A-MSDU, the Mesh Control is part of each MSDU, after the subframe header.
    let mesh_control = if body.mesh_control && !body.a_msdu { mesh_control_bytes(body.octets) } else { 0 };
    frame.payload_bytes = match body.a_msdu {
        true => Some(msdu_bytes(subframes(body), body.bytes)),
        false => body.bytes.checked_sub(numbers::octets(mesh_control)),
    };
    let starts_msdu = frame.frag == Some(0);
    if !starts_msdu {
        return;
    }
    let mut msdu = body.octets.get(mesh_control..);
    if body.a_msdu {
        (frame.da, frame.sa) = (address(body.octets, 0).ok(), address(body.octets, 6).ok());
        msdu = body.octets.get(A_MSDU_SUBFRAME_HEADER..);
    }
    frame.network = msdu.and_then(network::decode);
}

/// The subframes of an A-MSDU whose headers were captured.
fn subframes<'a>(body: &'a Body<'a>) -> impl Iterator<Item = Subframe> + 'a {
    let mut rest = body.octets;
    std::iter::from_fn(move || {
        let length = u16::from_be_bytes(array_at(rest, A_MSDU_SUBFRAME_HEADER - 2)?);
        let msdu = rest.get(A_MSDU_SUBFRAME_HEADER..).unwrap_or_default();
        let mesh_control = if body.mesh_control { numbers::octets(mesh_control_bytes(msdu)) } else { 0 };
        let octets = (A_MSDU_SUBFRAME_HEADER + usize::from(length)).next_multiple_of(4);
        rest = rest.get(octets..).unwrap_or_default();
        Some(Subframe { length: length.into(), mesh_control })
    })
}

/// Octets of the Mesh Control field (IEEE 802.11-2020, 9.2.4.7.3): flags, TTL, sequence number and up to two addresses.
/// Zero if the reserved flags show that the field is absent.
fn mesh_control_bytes(octets: &[u8]) -> usize {
    match u8_at(octets, 0) {
        Some(0) => 6,
        Some(1) => 6 + 6,
        Some(2) => 6 + 12,
        _ => 0,
    }
}

/// Octets that encryption adds to the body: IV, MIC and ICV (IEEE 802.11-2020, 12.3 and 12.5).
///
/// The frame does not contain the cipher type. Without Ext IV it is WEP. In TKIP, the second octet is a function of the
/// first. In CCMP, the third octet is zero. GCMP has the same format as CCMP, which is assumed. `None` if the IV was
/// not captured.
fn security_bytes(octets: &[u8], control: FrameControl) -> Option<u32> {
    const EXT_IV: u8 = 0x20;
    let [first, second, third, key_id] = array_at::<4>(octets, 0)?;
    if key_id & EXT_IV == 0 {
        return Some(4 + 4); // WEP: IV, ICV
    }
    if third == 0 || second != (first | 0x20) & 0x7f {
        return Some(8 + 8); // CCMP: IV, MIC
    }
    // TKIP: IV, ICV, and the MIC over the whole MSDU in its last fragment.
    Some(if control.more_fragments() { 8 + 4 } else { 8 + 8 + 4 })
}
