//! Data frames with the options field of C3TCP, which have the type and subtype of QoS Data.

use winf_ieee80211::{HopOptions, HOP_OPTIONS_FRAME_CONTROL};

use super::frame_control::FrameControl;
use crate::frame::hop_options::FoundOptions;

/// What follows the MAC header of an unprotected data frame (IEEE 802.2, LSAP AA and control 03).
const LLC_SNAP: [u8; 3] = [0xAA, 0xAA, 0x03];

/// The options field behind a MAC header of `header` octets, where there is one.
///
/// Nothing tells it from QoS Control but its content: the stated length, whole options of known types, at least one, and
/// the LLC header at the place where the length puts it. Of protected frames, whose LLC header is not readable, none is taken for one.
pub(super) fn recognise(content: &[u8], control: FrameControl, header: usize) -> Option<FoundOptions> {
    if *content.first()? != HOP_OPTIONS_FRAME_CONTROL || control.flags().protected {
        return None;
    }
    let (options, octets) = HopOptions::decode(header, content.get(header..)?).ok()?;
    let body = content.get(header + octets..)?;
    let known = [options.bandwidth_kbps, options.forward_delay_us, options.backward_delay_us];
    let listed = known.iter().flatten().count();
    (listed > 0 && HopOptions::octets(listed) == octets && body.starts_with(&LLC_SNAP))
        .then_some(FoundOptions { octets, options })
}
