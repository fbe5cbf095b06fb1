//! Beacons say when they were sent, by the clock of their sender.

use std::collections::HashMap;

use super::share::Share;
use crate::frame::{Addr, Frame, FrameKind};
use crate::ieee80211::airtime;
use crate::ieee80211::constants::{MANAGEMENT_HEADER_BYTES, TSF_ACCURACY_PPM};

/// Two stamps in whole microseconds, and the jitter of a transmitter and a receiver.
const TOLERANCE_US: f64 = 4.0;
/// Longer silences add to what two clocks may differ by, and a sender may have started anew.
const LONGEST_US: u64 = 2_000_000;
/// A timer this near to the recording's own time is that of a simulator, which writes timestamps before it sends.
const OWN_TIME_US: f64 = 1_000_000.0;
/// Maximum number of senders. It bounds memory.
const SENDERS: usize = 1 << 12;

/// Compares the distances of beacons on the time line with those of their timestamps.
#[derive(Clone, Debug, Default)]
pub(super) struct Beacons {
    /// Beacons that are as far from the one before them as their timestamps say.
    pub(super) share: Share,
    latest: HashMap<Addr, Sent>,
}

/// The timestamp of a beacon, and when it was sent on the time line of the recording.
#[derive(Clone, Copy, Debug)]
struct Sent {
    timestamp_us: u64,
    line_us: f64,
}

impl Beacons {
    /// Counts a frame if it is a beacon of a sender of which one was heard before.
    pub(super) fn observe(&mut self, frame: &Frame) {
        if frame.kind != FrameKind::Beacon || !frame.is_readable() {
            return;
        }
        let (Some(ta), Some(sent)) = (frame.ta, Sent::of(frame)) else { return };
        if (sent.line_us - sent.timestamp_us as f64).abs() < OWN_TIME_US {
            return;
        }
        if self.latest.len() >= SENDERS && !self.latest.contains_key(&ta) {
            return;
        }
        let Some(before) = self.latest.insert(ta, sent) else { return };
        let elapsed_us = sent.timestamp_us.wrapping_sub(before.timestamp_us);
        if (1..=LONGEST_US).contains(&elapsed_us) {
            let elapsed_us = elapsed_us as f64;
            let off_us = sent.line_us - before.line_us - elapsed_us;
            self.share.count(off_us.abs() <= TOLERANCE_US + 2e-6 * TSF_ACCURACY_PPM * elapsed_us);
        }
    }
}

impl Sent {
    /// The timestamp is that of its own first bit, behind the preamble and the MAC header (IEEE 802.11-2020, 11.1.3.1).
    fn of(frame: &Frame) -> Option<Sent> {
        let header_us = f64::from(8 * MANAGEMENT_HEADER_BYTES) / f64::from(frame.rate_mbps?);
        let line_us = frame.start_ns? as f64 / 1000.0 + airtime::preamble_us(frame)? + header_us;
        Some(Sent { timestamp_us: frame.management.as_ref()?.timestamp_us?, line_us })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::management::Management;
    use crate::frame::Phy;

    const DAY_US: i64 = 86_400_000_000;

    /// `start_us` of the second day of the recording; the timer shows another.
    fn beacon(start_us: i64, timestamp_us: u64) -> Frame {
        let start_us = DAY_US + start_us;
        Frame {
            kind: FrameKind::Beacon,
            ta: Some(Addr::node(1)),
            phy: Some(Phy::Dsss),
            rate_mbps: Some(1.0),
            start_ns: Some(start_us * 1000),
            management: Management { timestamp_us: Some(timestamp_us), ..Management::default() }.boxed(),
            ..Frame::new(1, 0)
        }
    }

    fn share(beacons: &[Frame]) -> (u64, u64) {
        let mut found = Beacons::default();
        beacons.iter().for_each(|frame| found.observe(frame));
        (found.share.held, found.share.cases)
    }

    #[test]
    fn beacons_are_as_far_apart_as_their_timestamps() {
        assert_eq!(share(&[beacon(0, 700), beacon(102_400, 103_100), beacon(204_802, 205_500)]), (2, 2));
        assert_eq!(share(&[beacon(0, 700), beacon(102_450, 103_100)]), (0, 1));
        assert_eq!(share(&[beacon(0, u64::MAX - 99), beacon(102_400, 102_300)]), (1, 1), "the timer wraps");
    }

    #[test]
    fn a_faster_beacon_comes_sooner() {
        let fast = Frame { rate_mbps: Some(2.0), ..beacon(102_400 + 96, 103_100) };
        assert_eq!(share(&[beacon(0, 700), fast]), (1, 1), "96 us less of header");
    }

    #[test]
    fn a_simulators_timer_says_nothing() {
        let at = |us: i64| beacon(us, (DAY_US + us + 300 * (us % 7)).unsigned_abs());
        assert_eq!(share(&[at(0), at(102_400), at(204_801)]), (0, 0));
    }

    #[test]
    fn a_timer_that_stands_still_or_starts_anew_says_nothing() {
        assert_eq!(share(&[beacon(0, 700), beacon(102_400, 700), beacon(204_800, 5)]), (0, 0));
    }
}
