//! Idle time of the medium before a frame, at one observer.

use crate::exchanges::span::FrameSpan;
use crate::frame::Frame;
use crate::ieee80211::constants::PhyTiming;

/// If the clock goes back further than this, it was set. Idle time across that point is unknown.
const CLOCK_SET_NS: i64 = 1_000_000_000;
/// Tolerance of stamps, microseconds. A backoff within it is zero, not negative.
const STAMP_TOLERANCE_US: f64 = 5.0;

/// Idle time before a frame, and its backoff part if the transmitter contended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Access {
    pub(super) idle_us: Option<f64>,
    pub(super) backoff_us: Option<f64>,
}

/// Idle time beyond DIFS, as a backoff. An idle time below DIFS indicates a burst within a TXOP, or stations
/// hidden from one another, rather than contention.
fn backoff_us(beyond_difs_us: f64) -> Option<f64> {
    (beyond_difs_us >= -STAMP_TOLERANCE_US).then_some(beyond_difs_us.max(0.0))
}

/// Tracks the end of the busy time of the medium.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Medium {
    busy_until_ns: Option<i64>,
    /// The end of the last transmission is unknown.
    is_open: bool,
    /// The last transmission was received with errors, so the next contender may have waited EIFS.
    after_damage: bool,
}

impl Medium {
    /// Idle time before a frame. Call this before [`Medium::occupy`]. `open_until_ns` is the end of the
    /// exchanges in progress.
    pub(super) fn access(&self, frame: &Frame, span: &FrameSpan, open_until_ns: Option<i64>) -> Access {
        let (Some(occupied), Some(start), false) = (self.busy_until_ns, span.start_ns, self.is_open) else {
            return Access::default();
        };
        let busy_until = open_until_ns.map_or(occupied, |open| open.max(occupied));
        let gap_ns = start.saturating_sub(busy_until);
        if gap_ns < -CLOCK_SET_NS {
            return Access::default();
        }
        let idle_us = gap_ns.max(0) as f64 / 1000.0;
        let difs_us = frame.phy.map(|phy| PhyTiming::of(phy, frame.channel_mhz).difs_us());
        let backoff_us = difs_us.filter(|_| !self.after_damage).and_then(|difs| backoff_us(idle_us - difs));
        Access { idle_us: Some(idle_us), backoff_us }
    }

    /// Extends the busy time to `end_ns` when further subframes extend an exchange.
    pub(super) fn extend(&mut self, end_ns: Option<i64>) {
        let was_set =
            matches!((self.busy_until_ns, end_ns), (Some(busy), Some(end)) if end > busy.saturating_add(CLOCK_SET_NS));
        if !was_set {
            self.busy_until_ns = self.busy_until_ns.max(end_ns);
        }
    }

    /// Records that a frame was on the air, at least until `until_ns`.
    pub(super) fn occupy(&mut self, span: &FrameSpan, until_ns: i64, is_readable: bool) {
        let was_set = self.busy_until_ns.is_some_and(|busy| until_ns < busy.saturating_sub(CLOCK_SET_NS));
        let is_latest = self.busy_until_ns.is_none_or(|busy| until_ns >= busy);
        if is_latest || was_set {
            self.busy_until_ns = Some(until_ns);
            self.is_open = span.end_ns.is_none();
            self.after_damage = !is_readable;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Phy;

    fn frame(start_us: i64, end_us: i64) -> Frame {
        Frame {
            phy: Some(Phy::HrDsss),
            start_ns: Some(start_us * 1000),
            end_ns: Some(end_us * 1000),
            ..Frame::new(1, 0)
        }
    }

    fn access(medium: &Medium, frame: &Frame) -> (Option<f64>, Option<f64>) {
        let access = medium.access(frame, &FrameSpan::of(frame), None);
        (access.idle_us, access.backoff_us)
    }

    fn busy(frame: &Frame, is_readable: bool) -> Medium {
        let mut medium = Medium::default();
        let span = FrameSpan::of(frame);
        medium.occupy(&span, span.until_ns, is_readable);
        medium
    }

    #[test]
    fn backoff_is_what_is_left_of_the_idle_time_after_difs() {
        let medium = busy(&frame(0, 1000), true);
        assert_eq!(access(&medium, &frame(1190, 1500)), (Some(190.0), Some(140.0)));
        assert_eq!(access(&medium, &frame(1047, 1500)), (Some(47.0), Some(0.0)), "stamps jitter");
        assert_eq!(access(&medium, &frame(1010, 1500)), (Some(10.0), None), "a burst");
        assert_eq!(access(&medium, &frame(900, 1500)), (Some(0.0), None), "an overlap");
    }

    #[test]
    fn what_is_not_known_stays_unknown() {
        assert_eq!(access(&Medium::default(), &frame(100, 200)), (None, None), "nothing before it");
        assert_eq!(access(&busy(&frame(0, 1000), false), &frame(1190, 1500)), (Some(190.0), None), "EIFS or DIFS");
        let endless = Frame { end_ns: None, ..frame(0, 0) };
        assert_eq!(access(&busy(&endless, true), &frame(1190, 1500)), (None, None), "no end");
        assert_eq!(access(&busy(&frame(9_000_000, 9_000_100), true), &frame(10, 20)), (None, None), "clock set back");
    }
}
