//! Capabilities that stations announced, with counts and times.

use ahash::AHashMap;

use crate::base::{Warning, WarningCode};
use crate::frame::capabilities::Capabilities;
use crate::frame::{Addr, Frame, FrameKind};

/// Maximum number of distinct announcements per recording. It bounds memory if a recording contains a flood of
/// forged networks.
const ANNOUNCEMENTS: usize = 4096;

/// One row of the `capabilities` table: a set of capabilities that a station announced without changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Announcement {
    /// MAC address of the capturing station.
    pub observer: Option<Addr>,
    /// The announcing station.
    pub station: Addr,
    /// BSSID of the network that the announcement describes.
    pub bssid: Addr,
    /// Kind of frame that carried the announcement.
    pub kind: FrameKind,
    /// Number of the first frame with this announcement.
    pub frame_no: u64,
    /// Time stamp of the first frame with this announcement.
    pub first_ns: i64,
    /// Time stamp of the last frame with this announcement.
    pub last_ns: i64,
    /// Number of frames with this announcement.
    pub frames: u64,
    /// The announced capabilities.
    pub capabilities: Capabilities,
}

/// Key by which announcements are grouped.
type Key = (Option<Addr>, Addr, Addr, FrameKind, Capabilities);

/// The announcements of one recording.
#[derive(Clone, Debug, Default)]
pub struct Announcements {
    places: AHashMap<Key, usize>,
    rows: Vec<Announcement>,
    first_left_out: Option<u64>,
    left_out: u64,
}

impl Announcements {
    /// Counts a frame if it announces capabilities.
    pub fn observe(&mut self, frame: &Frame) {
        let capabilities = frame.management.as_ref().and_then(|body| body.capabilities);
        let (Some(capabilities), Some(station), Some(bssid)) = (capabilities, frame.ta, frame.bssid) else { return };
        if !frame.is_readable() {
            return;
        }
        let key = (frame.observer, station, bssid, frame.kind, capabilities);
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
                capabilities,
            });
        } else {
            self.first_left_out.get_or_insert(frame.frame_no);
            self.left_out += 1;
        }
    }

    /// The announcements in order of their first frames.
    pub fn rows(&self) -> &[Announcement] {
        &self.rows
    }

    /// Warns if announcements were left out.
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
    use crate::frame::management::Management;

    fn beacon(station: u32, ts_ns: i64, information: u16) -> Frame {
        let capabilities = Capabilities::new(CapabilityInformation(information));
        Frame {
            kind: FrameKind::Beacon,
            ta: Some(Addr::node(station)),
            bssid: Some(Addr::node(station)),
            management: Management { capabilities: Some(capabilities), ..Management::default() }.boxed(),
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
