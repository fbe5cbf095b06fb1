//! Channel switch announcements: elements of beacons and probe responses, and action frames.

use super::elements::{elements, Element};
use crate::base::octets::array_at;
use crate::frame::channel_switch::AnnouncedSwitch;
use crate::frame::FrameKind;

/// Element IDs (IEEE 802.11-2020, table 9-92).
mod id {
    pub const CHANNEL_SWITCH: u8 = 37;
    pub const EXTENDED_CHANNEL_SWITCH: u8 = 60;
}

/// Category and action of action frames (9.4.1.11, 9.6.2, 9.6.7 and 9.6.10).
mod action {
    pub const SPECTRUM_MANAGEMENT_CHANNEL_SWITCH: [u8; 2] = [0, 4];
    pub const PUBLIC_EXTENDED_CHANNEL_SWITCH: [u8; 2] = [4, 4];
    pub const PROTECTED_DUAL_EXTENDED_CHANNEL_SWITCH: [u8; 2] = [9, 4];
}

/// What a frame announces; `octets` is its body, of which beacons and probe responses have elements from `elements_at`.
pub(super) fn announced(octets: &[u8], kind: FrameKind, elements_at: Option<usize>) -> Option<AnnouncedSwitch> {
    match kind {
        FrameKind::Beacon | FrameKind::ProbeResp => in_elements(octets.get(elements_at?..)?),
        FrameKind::Action => match array_at::<2>(octets, 0)? {
            action::SPECTRUM_MANAGEMENT_CHANNEL_SWITCH => in_elements(octets.get(2..)?),
            action::PUBLIC_EXTENDED_CHANNEL_SWITCH | action::PROTECTED_DUAL_EXTENDED_CHANNEL_SWITCH => {
                extended(octets.get(2..)?)
            }
            _ => None,
        },
        _ => None,
    }
}

/// The extended announcement tells more, and goes before the other (9.4.2.18 and 9.4.2.52).
fn in_elements(octets: &[u8]) -> Option<AnnouncedSwitch> {
    let of = |id| elements(octets).find(|element| element.id == id).map(|Element { body, .. }| body);
    let plain = |body: &[u8]| {
        let [_mode, number, count] = array_at::<3>(body, 0).filter(|known| known.len() == body.len())?;
        Some(AnnouncedSwitch { operating_class: None, number, count })
    };
    let whole = |body: &&[u8]| body.len() == 4;
    of(id::EXTENDED_CHANNEL_SWITCH).filter(whole).and_then(extended).or_else(|| of(id::CHANNEL_SWITCH).and_then(plain))
}

/// Channel Switch Mode, New Operating Class, New Channel Number, Channel Switch Count.
fn extended(octets: &[u8]) -> Option<AnnouncedSwitch> {
    let [_mode, class, number, count] = array_at::<4>(octets, 0)?;
    Some(AnnouncedSwitch { operating_class: Some(class), number, count })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: [u8; 5] = [37, 3, 1, 100, 5];
    const EXTENDED: [u8; 6] = [60, 4, 1, 121, 104, 6];

    fn told(octets: &[u8], kind: FrameKind) -> Option<(Option<u8>, u8, u8)> {
        announced(octets, kind, Some(0)).map(|found| (found.operating_class, found.number, found.count))
    }

    #[test]
    fn elements_of_both_forms() {
        assert_eq!(told(&PLAIN, FrameKind::Beacon), Some((None, 100, 5)));
        assert_eq!(
            told(&[[0, 1, b'a'].as_slice(), &EXTENDED].concat(), FrameKind::ProbeResp),
            Some((Some(121), 104, 6))
        );
        assert_eq!(told(&[PLAIN.as_slice(), &EXTENDED].concat(), FrameKind::Beacon), Some((Some(121), 104, 6)));
        assert_eq!(told(&PLAIN, FrameKind::AssocReq), None);
    }

    #[test]
    fn action_frames_of_three_categories() {
        assert_eq!(told(&[[0, 4].as_slice(), &PLAIN].concat(), FrameKind::Action), Some((None, 100, 5)));
        for category in [4, 9] {
            assert_eq!(told(&[category, 4, 1, 121, 104, 6], FrameKind::Action), Some((Some(121), 104, 6)));
        }
        assert_eq!(told(&[[0, 3].as_slice(), &PLAIN].concat(), FrameKind::Action), None);
        assert_eq!(told(&[127, 4, 1, 121, 104, 6], FrameKind::Action), None);
    }

    #[test]
    fn what_is_cut_or_of_another_length_tells_nothing() {
        for until in 0..PLAIN.len() {
            assert_eq!(told(&PLAIN[..until], FrameKind::Beacon), None);
        }
        for until in 0..6 {
            assert_eq!(told(&[4, 4, 1, 121, 104, 6][..until], FrameKind::Action), None);
        }
        assert_eq!(told(&[37, 4, 1, 100, 5, 0], FrameKind::Beacon), None);
        assert_eq!(told(&[60, 3, 1, 121, 104], FrameKind::Beacon), None);
    }
}
