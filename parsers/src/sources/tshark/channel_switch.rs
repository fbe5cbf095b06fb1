//! Channel switch announcements, from Wireshark's dissection.

use super::fields::Field;
use super::row::Row;
use crate::frame::channel_switch::{AnnouncedSwitch, ChannelSwitch};
use crate::frame::{Frame, FrameKind};

/// The switch that a frame announces, of a BSS on the channel `at_mhz`.
pub(super) fn decode(row: &Row<'_>, frame: &Frame, at_mhz: Option<u16>) -> Option<ChannelSwitch> {
    if !matches!(frame.kind, FrameKind::Beacon | FrameKind::ProbeResp | FrameKind::Action)
        || frame.flags.is_some_and(|flags| flags.protected)
    {
        return None;
    }
    // Mode, class, number and count, as one number in little-endian order.
    let extended = row
        .number::<u32>(Field::ExtendedSwitch)
        .map(u32::to_le_bytes)
        .map(|[_mode, class, number, count]| AnnouncedSwitch { operating_class: Some(class), number, count });
    let plain = || {
        let (number, count) = (row.number(Field::SwitchNumber)?, row.number(Field::SwitchCount)?);
        Some(AnnouncedSwitch { operating_class: None, number, count })
    };
    extended.or_else(plain)?.of_bss(at_mhz)
}
