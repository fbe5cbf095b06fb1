//! The MAC frame, from Wireshark's dissection.

use super::block_ack;
use super::fields::Field;
use super::management;
use super::radio::Capture;
use super::row::{number, Row};
use crate::frame::{Addr, Assumptions, Frame, FrameFlags, FrameKind, ParseError};
use crate::ieee80211::constants::FCS_BYTES;
use crate::ieee80211::dot11::a_msdu::{msdu_bytes, Subframe};
use crate::ieee80211::dot11::frame_control::FrameControl;
use crate::ieee80211::radiotap::Flags;
use crate::sources::pcap::Marks;

/// Ack Policy Indicator "No Ack" (IEEE 802.11-2020, table 9-14).
const NO_ACK: u8 = 1;

/// Fills the MAC columns of `frame`; for a frame with a bad FCS only its length.
pub(super) fn fill(row: &Row<'_>, capture: &Capture, frame: &mut Frame) {
    let content_bytes = lengths(row, capture, frame);
    if capture.no_psdu && content_bytes == Some(0) {
        frame.length_bytes = Some(0);
        return;
    }
    frame.fcs_ok = fcs_verdict(row, capture.flags);
    if frame.fcs_ok == Some(false) {
        frame.parse_error = Some(ParseError::BadFcs);
        return;
    }
    frame.parse_error = header(row, frame).err();
    if frame.parse_error.is_none() && matches!(frame.kind, FrameKind::Data | FrameKind::QosData) {
        let data_pad = capture.flags.is_some_and(Flags::data_pad);
        frame.payload_bytes = content_bytes.and_then(|content| payload_bytes(row, content, data_pad, frame));
    }
}

/// Sets `length_bytes`, and returns the length without FCS.
fn lengths(row: &Row<'_>, capture: &Capture, frame: &mut Frame) -> Option<u32> {
    let (recorded, captured): (u32, u32) = (row.number(Field::RecordBytes)?, row.number(Field::CapturedBytes)?);
    let mpdu = recorded.checked_sub(capture.header_bytes?)?;
    let has_fcs = row.text(Field::Fcs).is_some() || capture.flags.is_some_and(Flags::fcs_at_end);
    if !has_fcs && !capture.declares_fcs {
        frame.assumptions.insert(Assumptions::FCS_PRESENT);
    }
    if captured < recorded {
        frame.assumptions.insert(Assumptions::CONTAINER_LENGTH);
    }
    let content = if has_fcs { mpdu.saturating_sub(FCS_BYTES) } else { mpdu };
    frame.length_bytes = Some(content.saturating_add(FCS_BYTES));
    Some(content)
}

/// What a pcapng file says of the frame beside its octets. In a tunnel it is said of the packet that the frame came in.
pub(super) fn marks(row: &Row<'_>) -> Marks {
    let mut outer =
        row.text(Field::Protocols).unwrap_or_default().split(':').take_while(|protocol| *protocol != "wlan");
    let is_tunnelled = outer.any(|protocol| matches!(protocol, "eth" | "ip" | "ipv6"));
    let flags = row.number(Field::PacketFlags).filter(|_| !is_tunnelled);
    flags.map(Marks::of_flags).unwrap_or_default()
}

/// FCS status reported by the receiver, else by Wireshark; an FCS field of zero was never filled in.
fn fcs_verdict(row: &Row<'_>, flags: Option<Flags>) -> Option<bool> {
    const BAD: u8 = 0;
    const GOOD: u8 = 1;
    if flags.is_some_and(Flags::bad_fcs) || row.is_set(Field::PpiBadFcs) || marks(row).has_bad_fcs {
        return Some(false);
    }
    let is_filled = row.number::<u32>(Field::Fcs).is_some_and(|fcs| fcs != 0);
    match row.number::<u8>(Field::FcsStatus).filter(|_| is_filled)? {
        BAD => Some(false),
        GOOD => Some(true),
        _ => None,
    }
}

fn header(row: &Row<'_>, frame: &mut Frame) -> Result<(), ParseError> {
    if row.number::<u8>(Field::Version).is_some_and(|version| version != 0) {
        return Err(ParseError::ProtocolVersion);
    }
    let subtype: u16 = row.number(Field::TypeSubtype).ok_or(ParseError::HeaderCut)?;
    let control = frame_control(subtype);
    frame.subtype = Some(subtype);
    frame.kind = control.kind();
    frame.flags = Some(FrameFlags {
        retry: row.is_set(Field::Retry),
        more_frag: row.is_set(Field::MoreFragments),
        protected: row.is_set(Field::Protected),
        to_ds: row.is_set(Field::ToDs),
        from_ds: row.is_set(Field::FromDs),
    });
    if frame.kind != FrameKind::PsPoll {
        frame.nav_us = row.number(Field::Duration).filter(|&us: &u16| us < 0x8000);
    }
    addresses(row, subtype, frame);
    frame.seq = row.number(Field::Sequence);
    frame.frag = row.number(Field::Fragment);
    frame.tid = row.number(Field::Tid).or_else(|| block_ack::tid(row));
    frame.no_ack = row.number(Field::AckPolicy) == Some(NO_ACK);
    if frame.kind == FrameKind::BlockAck && frame.ra.is_some_and(|ra| !ra.is_group()) {
        frame.block_ack = block_ack::bitmap(row);
    }
    frame.management = management::decode(row, frame).boxed();
    if is_whole(frame) {
        Ok(())
    } else {
        Err(ParseError::HeaderCut)
    }
}

/// The Frame Control field of a frame. `subtype` is type << 4 | subtype, with a control frame extension in the low
/// bits.
fn frame_control(subtype: u16) -> FrameControl {
    let (short, extension) = if subtype > 0xff { (subtype >> 4, subtype & 0x0f) } else { (subtype, 0) };
    FrameControl((short >> 4 & 0x03) << 2 | (short & 0x0f) << 4 | extension << 8)
}

fn addresses(row: &Row<'_>, subtype: u16, frame: &mut Frame) {
    let address = |field| row.text(field).and_then(Addr::parse);
    frame.ra = address(Field::Ra);
    frame.ta = address(Field::Ta);
    (frame.sa, frame.da, frame.bssid) = (address(Field::Sa), address(Field::Da), address(Field::Bssid));
    let is_control = matches!(subtype, 0x10..=0x1f) || subtype > 0xff;
    if frame.kind == FrameKind::CfEnd {
        frame.ta = frame.ta.or(frame.bssid); // also shown as the BSSID
    }
    if frame.kind == FrameKind::Extension && subtype >= 0x30 {
        frame.ra = None; // a DMG Beacon has only a BSSID
    }
    if is_control {
        frame.ta = frame.ta.map(Addr::individual);
    }
}

/// True if the last mandatory field of this kind of frame is present.
fn is_whole(frame: &Frame) -> bool {
    match frame.kind {
        FrameKind::Cts | FrameKind::Ack => frame.ra.is_some(),
        FrameKind::Rts
        | FrameKind::PsPoll
        | FrameKind::BlockAck
        | FrameKind::BlockAckReq
        | FrameKind::Trigger
        | FrameKind::Ndpa
        | FrameKind::BeamformingPoll
        | FrameKind::CfEnd => frame.ta.is_some(),
        FrameKind::ControlOther | FrameKind::Extension | FrameKind::Unknown => true,
        _ => frame.seq.is_some(),
    }
}

/// MSDU octets of a data frame; header and body together have `content_bytes`.
fn payload_bytes(row: &Row<'_>, content_bytes: u32, data_pad: bool, frame: &Frame) -> Option<u32> {
    let flags = frame.flags?;
    let mut header = if flags.to_ds && flags.from_ds { 30 } else { 24 };
    if frame.kind == FrameKind::QosData {
        header += if row.is_set(Field::Order) { 6 } else { 2 };
    }
    if data_pad {
        header = u32::next_multiple_of(header, 4);
    }
    let is_a_msdu = row.is_set(Field::AMsduPresent);
    let overhead = match flags.protected {
        true => security_bytes(row, flags.more_frag)?,
        false if is_a_msdu => 0,
        false => mesh_control_bytes(row.text(Field::MeshFlags)),
    };
    let bytes = content_bytes.checked_sub(header)?.checked_sub(overhead)?;
    Some(if is_a_msdu { msdu_bytes(subframes(row), bytes) } else { bytes })
}

/// The subframes of an A-MSDU that Wireshark could read.
fn subframes<'a>(row: &'a Row<'_>) -> impl Iterator<Item = Subframe> + 'a {
    let mut mesh_flags = row.all(Field::MeshFlags);
    row.all(Field::AMsduLength).filter_map(number).map(move |length| Subframe {
        length: u32::try_from(length).unwrap_or(u32::MAX),
        mesh_control: mesh_control_bytes(mesh_flags.next()),
    })
}

/// Octets that encryption adds to the body: IV, MIC and ICV (IEEE 802.11-2020, 12.3 and 12.5).
fn security_bytes(row: &Row<'_>, more_fragments: bool) -> Option<u32> {
    if row.text(Field::CcmpIv).is_some() {
        return Some(8 + 8);
    }
    if row.text(Field::TkipIv).is_some() {
        return Some(if more_fragments { 8 + 4 } else { 8 + 8 + 4 });
    }
    row.text(Field::WepIv).map(|_| 4 + 4)
}

/// Octets of the Mesh Control field (IEEE 802.11-2020, 9.2.4.7.3) with these flags; in an A-MSDU each MSDU has one.
fn mesh_control_bytes(flags: Option<&str>) -> u32 {
    let addresses = flags.and_then(number).and_then(|flags| u32::try_from(flags & 0x03).ok());
    addresses.map_or(0, |addresses| 6 + 6 * addresses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_and_subtype_name_the_frame() {
        let kinds = [
            (0x00, FrameKind::AssocReq),
            (0x08, FrameKind::Beacon),
            (0x1b, FrameKind::Rts),
            (0x20, FrameKind::Data),
            (0x28, FrameKind::QosData),
            (0x162, FrameKind::ControlOther),
            (0x30, FrameKind::Extension),
        ];
        for (subtype, kind) in kinds {
            assert_eq!(frame_control(subtype).kind(), kind, "{subtype:#x}");
            assert_eq!(frame_control(subtype).type_subtype(), subtype);
        }
    }
}
