//! One transmission and its copies.

use crate::frame::Frame;
use crate::ieee80211::constants::PPDU_MAX_NS;

/// A transmission, and the recordings that contain it.
#[derive(Clone, Debug)]
pub(super) struct Transmission {
    /// The copy that is output for the transmission: undamaged if possible, with the strongest signal.
    pub frame: Box<Frame>,
    /// Hash of that copy's content, here because every search for copies compares it.
    content: Option<u64>,
    /// Time that determines the position in the merged order.
    pub at_ns: i64,
    /// Per source: number, signal and time of the frame there.
    pub copies: Vec<Copy>,
    /// Number of its PPDU in the merge; `None` until it is placed, and of a frame that was sent alone.
    pub ppdu: Option<u64>,
    /// Its place in its PPDU is known.
    pub is_placed: bool,
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
    /// First and last instant of its PPDU on the common clock, as far as the source heard its subframes.
    pub ppdu_ns: (i64, i64),
    /// The source's stamps of such frames mark the begin of the PPDU, not its end.
    pub marks_begin: bool,
    /// Number of that PPDU within the source; `None` for a frame recorded alone.
    pub ppdu: Option<u64>,
}

impl Transmission {
    pub(super) fn new(frame: Box<Frame>, copy: Copy) -> Transmission {
        let content = frame.content;
        Transmission { frame, content, at_ns: copy.at_ns, copies: vec![copy], ppdu: None, is_placed: false }
    }

    /// True if `frame`, received by another source at `copy.at_ns`, is this transmission. The content must be
    /// the same, or the length and rate if one of the two is damaged. The times must agree within
    /// `tolerance_ns`.
    ///
    /// Where a subframe is in its PPDU is known only to a source that heard all of them. A repeated one may be on the air
    /// again with identical octets within the time of a PPDU, but in another PPDU; and what sources heard of one PPDU
    /// overlaps, because they know its begin or its end.
    pub(super) fn is_heard_as(&self, frame: &Frame, copy: &Copy, tolerance_ns: u64) -> bool {
        if self.content.zip(frame.content).is_some_and(|(this, other)| this != other) {
            return false;
        }
        let is_aggregated = is_subframe(frame) || self.is_subframe();
        let is_stamped_apart = self.copies.iter().any(|other| other.is_sent != copy.is_sent);
        let is_one_ppdu = self.apart_ns(copy) <= tolerance_ns;
        let is_loose = is_aggregated && (is_stamped_apart || is_one_ppdu || !frame.is_retry());
        let (is_same, tolerance_ns) = match (self.content, frame.content) {
            (Some(_), Some(_)) if is_loose => (true, tolerance_ns.max(PPDU_MAX_NS)),
            (Some(_), Some(_)) => (true, tolerance_ns),
            _ => (is_alike(&self.frame, frame), tolerance_ns),
        };
        is_same
            && self.at_ns.abs_diff(copy.at_ns) <= tolerance_ns
            && self.copies.iter().all(|other| other.source != copy.source)
    }

    /// Time between the PPDUs of this transmission and of a copy; zero where they overlap.
    pub(super) fn apart_ns(&self, copy: &Copy) -> u64 {
        let between = |other: &Copy| {
            let later = copy.ppdu_ns.0.saturating_sub(other.ppdu_ns.1);
            let earlier = other.ppdu_ns.0.saturating_sub(copy.ppdu_ns.1);
            u64::try_from(later.max(earlier)).unwrap_or_default()
        };
        self.copies.iter().map(between).min().unwrap_or_default()
    }

    /// The PPDUs that recordings say it was in: their sources and numbers.
    pub(super) fn ppdus(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.copies.iter().filter_map(|copy| Some((copy.source, copy.ppdu?)))
    }

    /// True for a subframe of an A-MPDU.
    pub(super) fn is_subframe(&self) -> bool {
        is_subframe(&self.frame) || self.copies.iter().any(|copy| copy.ppdu.is_some())
    }

    /// When its PPDU was on the air, as far as it was heard.
    pub(super) fn span_ns(&self) -> (i64, i64) {
        let begins = self.copies.iter().map(|copy| copy.ppdu_ns.0);
        let ends = self.copies.iter().map(|copy| copy.ppdu_ns.1);
        (begins.min().unwrap_or(self.at_ns), ends.max().unwrap_or(self.at_ns))
    }

    /// Adds a copy. Its frame replaces the output frame if it is the better one.
    pub(super) fn add(&mut self, frame: Box<Frame>, copy: Copy) {
        if quality(&frame) > quality(&self.frame) {
            self.content = frame.content;
            self.frame = frame;
        }
        self.copies.push(copy);
    }
}

/// True for subframes of an A-MPDU, by its reference number or by what else the recording shows.
fn is_subframe(frame: &Frame) -> bool {
    frame.ampdu_number().is_some() || frame.ppdu_no.is_some()
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
    use crate::frame::FrameFlags;

    fn copy(source: usize, at_ns: i64) -> Copy {
        Copy {
            source,
            frame_no: 1,
            is_sent: false,
            is_readable: true,
            signal_dbm: None,
            at_ns,
            ppdu: None,
            marks_begin: true,
            ppdu_ns: (at_ns, at_ns),
        }
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
    fn a_repeated_subframe_is_told_by_its_ppdu() {
        let subframe = Frame {
            ampdu_ref: Some(3),
            flags: Some(FrameFlags { retry: true, ..FrameFlags::default() }),
            ..*frame(Some(7), -60)
        };
        let copy = |source, at_ns, ppdu_ns| Copy { ppdu_ns, ..copy(source, at_ns) };
        let heard = Transmission::new(Box::new(subframe.clone()), copy(0, 300_000, (0, 1_000_000)));
        let later = copy(1, 700_000, (700_000, 1_000_000));
        assert!(heard.is_heard_as(&subframe, &later, 500), "of those before it none was heard");
        let again = copy(1, 1_150_000, (1_150_000, 1_400_000));
        assert!(!heard.is_heard_as(&subframe, &again, 500), "the next PPDU");
        assert_eq!((heard.apart_ns(&later), heard.apart_ns(&again)), (0, 150_000));
        let single = Frame { ampdu_ref: None, ..subframe.clone() };
        assert!(!Transmission::new(Box::new(single.clone()), heard.copies[0]).is_heard_as(&single, &later, 500));
        let by_stamps = Frame { ppdu_no: Some(1), ..single };
        assert!(Transmission::new(Box::new(by_stamps.clone()), heard.copies[0]).is_heard_as(&by_stamps, &later, 500));
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
