//! Which capabilities were announced by whom, how often and when.

use std::collections::HashMap;

use crate::base::{Warning, WarningCode};
use crate::frame::capabilities::Capabilities;
use crate::frame::{Addr, Frame, FrameKind};

/// Distinct announcements kept of a recording: a flood of made-up networks must not fill the memory.
const ANNOUNCEMENTS: usize = 4096;

/// One row of the `capabilities` table: a set of capabilities that a station announced unchanged.
#[derive(Clone, Debug, PartialEq)]
pub struct Announcement {
    /// MAC address of the capturing station.
    pub observer: Option<Addr>,
    /// Who announced it.
    pub station: Addr,
    /// The network it is about.
    pub bssid: Addr,
    /// In which kind of frame.
    pub kind: FrameKind,
    /// Number of the first frame with it.
    pub frame_no: u64,
    /// Time stamp of the first frame with it.
    pub first_ns: i64,
    /// Time stamp of the last frame with it.
    pub last_ns: i64,
    /// Frames with it.
    pub frames: u64,
    /// What was announced.
    pub capabilities: Capabilities,
}

/// What tells announcements apart.
type Key = (Option<Addr>, Addr, Addr, FrameKind, Capabilities);

/// The announcements of one recording.
#[derive(Clone, Debug, Default)]
pub struct Announcements {
    places: HashMap<Key, usize>,
    rows: Vec<Announcement>,
    first_left_out: Option<u64>,
    left_out: u64,
}

impl Announcements {
    /// Counts a frame, if it announces anything.
    pub fn observe(&mut self, frame: &Frame) {
        let (Some(capabilities), Some(station), Some(bssid)) = (&frame.capabilities, frame.ta, frame.bssid) else {
            return;
        };
        if !frame.is_readable() {
            return;
        }
        let key = (frame.observer, station, bssid, frame.kind, **capabilities);
        if let Some(row) = self.places.get(&key).and_then(|&place| self.rows.get_mut(place)) {
            row.frames += 1;
            row.first_ns = row.first_ns.min(frame.ts_ns);
            row.last_ns = row.last_ns.max(frame.ts_ns);
        } else if self.rows.len() < ANNOUNCEMENTS {
            self.places.insert(key, self.rows.len());
            self.rows.push(Announcement {
                observer: frame.observer,
                station,
                bssid,
                kind: frame.kind,
                frame_no: frame.frame_no,
                first_ns: frame.ts_ns,
                last_ns: frame.ts_ns,
                frames: 1,
                capabilities: **capabilities,
            });
        } else {
            self.first_left_out.get_or_insert(frame.frame_no);
            self.left_out += 1;
        }
    }

    /// The announcements in the order of their first frames.
    pub fn rows(&self) -> &[Announcement] {
        &self.rows
    }

    /// Says how much was left out.
    pub fn warnings(&self) -> Vec<Warning> {
        let warning = |frame_no| Warning {
            frame_no: Some(frame_no),
            offset: None,
            code: WarningCode::AnnouncementsLimit,
            message: format!(
                "{} frames announce capabilities beyond the first {ANNOUNCEMENTS} different ones; those are left out.",
                self.left_out
            ),
        };
        self.first_left_out.map(warning).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::capabilities::CapabilityInformation;

    fn beacon(station: u32, ts_ns: i64, information: u16) -> Frame {
        let capabilities = Capabilities {
            information: CapabilityInformation(information),
            erp: None,
            edca: None,
            ht: None,
            ht_protection: None,
            vht: None,
            he: None,
            eht: false,
        };
        Frame {
            kind: FrameKind::Beacon,
            ta: Some(Addr::node(station)),
            bssid: Some(Addr::node(station)),
            capabilities: Some(Box::new(capabilities)),
            ..Frame::new(1, ts_ns)
        }
    }

    #[test]
    fn a_change_begins_a_new_row() {
        let mut announcements = Announcements::default();
        [(1, 10, 0), (1, 20, 0), (2, 30, 0), (1, 40, 0x0400), (1, 50, 0)]
            .into_iter()
            .for_each(|(station, ts_ns, information)| announcements.observe(&beacon(station, ts_ns, information)));
        let rows: Vec<_> = announcements.rows().iter().map(|row| (row.frames, row.first_ns, row.last_ns)).collect();
        assert_eq!(rows, [(3, 10, 50), (1, 30, 30), (1, 40, 40)]);
        assert_eq!(announcements.warnings(), []);
    }

    #[test]
    fn a_flood_is_counted_and_left_out() {
        let mut announcements = Announcements::default();
        (0..ANNOUNCEMENTS as u32 + 7).for_each(|station| announcements.observe(&beacon(station, 1, 0)));
        assert_eq!(announcements.rows().len(), ANNOUNCEMENTS);
        assert!(announcements.warnings()[0].message.starts_with("7 frames"));
    }
}
