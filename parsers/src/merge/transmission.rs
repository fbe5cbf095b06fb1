//! One transmission and its copies.

use crate::frame::Frame;
use crate::ieee80211::constants::PPDU_MAX_NS;

/// A transmission, and the recordings that contain it.
#[derive(Clone, Debug)]
pub(super) struct Transmission {
    /// The copy that is output for the transmission: undamaged if possible, with the strongest signal.
    pub frame: Box<Frame>,
    /// Time that determines the position in the merged order.
    pub at_ns: i64,
    /// Per source: number, signal and time of the frame there.
    pub copies: Vec<Copy>,
}

/// One recording's copy of a transmission.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copy {
    pub source: usize,
    pub frame_no: u64,
    pub is_sent: bool,
    pub is_readable: bool,
    pub signal_dbm: Option<i8>,
    pub at_ns: i64,
}

impl Transmission {
    pub(super) fn new(frame: Box<Frame>, copy: Copy) -> Transmission {
        Transmission { frame, at_ns: copy.at_ns, copies: vec![copy] }
    }

    /// True if `frame`, received by another source at `copy.at_ns`, is this transmission. The content must be
    /// the same, or the length and rate if one of the two is damaged. The times must agree within
    /// `tolerance_ns`.
    pub(super) fn is_heard_as(&self, frame: &Frame, copy: &Copy, tolerance_ns: u64) -> bool {
        let is_aggregated = frame.ampdu_ref.is_some() || self.frame.ampdu_ref.is_some();
        // A repeated subframe may be on the air again with identical octets within the time of a PPDU.
        let is_stamped_apart = self.copies.iter().any(|other| other.is_sent != copy.is_sent);
        let is_loose = is_aggregated && (is_stamped_apart || !frame.is_retry());
        let (is_same, tolerance_ns) = match (self.frame.content, frame.content) {
            (Some(this), Some(other)) if is_loose => (this == other, tolerance_ns.max(PPDU_MAX_NS)),
            (Some(this), Some(other)) => (this == other, tolerance_ns),
            _ => (is_alike(&self.frame, frame), tolerance_ns),
        };
        is_same
            && self.at_ns.abs_diff(copy.at_ns) <= tolerance_ns
            && self.copies.iter().all(|other| other.source != copy.source)
    }

    /// Adds a copy. Its frame replaces the output frame if it is the better one.
    pub(super) fn add(&mut self, frame: Box<Frame>, copy: Copy) {
        if quality(&frame) > quality(&self.frame) {
            self.frame = frame;
        }
        self.copies.push(copy);
    }
}

/// Orders frames by quality: undamaged before damaged, known start before unknown, strong signal before weak.
fn quality(frame: &Frame) -> (bool, bool, Option<i8>) {
    (frame.content.is_some(), frame.start_ns.is_some(), frame.signal_dbm)
}

/// Compares the reliable properties of a damaged frame: length and modulation.
fn is_alike(a: &Frame, b: &Frame) -> bool {
    a.length_bytes.is_some()
        && (a.length_bytes, a.phy, a.rate_mbps, a.mcs) == (b.length_bytes, b.phy, b.rate_mbps, b.mcs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(source: usize, at_ns: i64) -> Copy {
        Copy { source, frame_no: 1, is_sent: false, is_readable: true, signal_dbm: None, at_ns }
    }

    fn frame(content: Option<u64>, signal_dbm: i8) -> Box<Frame> {
        Box::new(Frame { content, signal_dbm: Some(signal_dbm), length_bytes: Some(100), ..Frame::new(1, 0) })
    }

    #[test]
    fn content_time_and_source_must_agree() {
        let heard = Transmission::new(frame(Some(7), -60), copy(0, 1000));
        assert!(heard.is_heard_as(&frame(Some(7), -50), &copy(1, 1400), 500));
        assert!(!heard.is_heard_as(&frame(Some(8), -50), &copy(1, 1400), 500));
        assert!(!heard.is_heard_as(&frame(Some(7), -50), &copy(1, 1501), 500));
        assert!(!heard.is_heard_as(&frame(Some(7), -50), &copy(0, 1400), 500), "one radio hears it once");
        assert!(heard.is_heard_as(&frame(None, -80), &copy(1, 1400), 500), "a damaged copy");
        assert!(!heard.is_heard_as(&Frame { length_bytes: Some(99), ..*frame(None, -80) }, &copy(1, 1400), 500));
    }

    #[test]
    fn the_best_copy_stands_for_all() {
        let mut heard = Transmission::new(frame(None, -40), copy(0, 0));
        heard.add(frame(Some(7), -70), copy(1, 0));
        heard.add(frame(Some(7), -60), copy(2, 0));
        heard.add(frame(Some(7), -65), copy(3, 0));
        assert_eq!(heard.frame.signal_dbm, Some(-60));
        assert_eq!(heard.copies.len(), 4);
    }
}
