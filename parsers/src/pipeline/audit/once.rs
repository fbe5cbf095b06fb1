//! A radio records every instant, and every frame, once.
//!
//! Copies with the stamps of the radio are left out before. What is left comes twice with other stamps: from two radios whose
//! recordings were joined without their clocks, or from a recording that was joined with itself.

use std::collections::VecDeque;

use super::share::Share;
use crate::frame::{Addr, Direction, Frame};

/// Inexactness of two stamps.
const TOLERANCE_NS: i64 = 2_000;
/// Frames are not always recorded in their order on the air; those that are further behind were recorded later.
const BEHIND_NS: i64 = 100_000_000;
/// Frames before one among which it is searched.
const NEAR: usize = 8;

/// Counts heard frames with a sequence number.
#[derive(Clone, Debug, Default)]
pub(super) struct Once {
    /// Those that were not recorded before, and not at a time of which the recording had told before.
    pub(super) share: Share,
    told: Option<Told>,
    near: VecDeque<Sent>,
}

/// The time of which a recording has told.
#[derive(Clone, Copy, Debug)]
struct Told {
    from_ns: i64,
    until_ns: i64,
}

/// A frame, and until when its transmitter sends nothing else. tshark does not tell what frames hold.
#[derive(Clone, Copy, Debug)]
struct Sent {
    content: Option<u64>,
    ta: Addr,
    end_ns: i64,
}

impl Once {
    /// Counts a frame, in recorded order.
    pub(super) fn observe(&mut self, frame: &Frame) {
        let Some((start_ns, end_ns)) = frame.start_ns.zip(frame.end_ns) else { return };
        let ends_first = |told: Told| start_ns.saturating_add(TOLERANCE_NS) < told.until_ns;
        let may_be_again = self.told.is_some_and(ends_first);
        let goes_on = self.goes_on(start_ns, end_ns);
        if !frame.is_readable() || frame.seq.is_none() || frame.direction == Some(Direction::Tx) {
            return;
        }
        let Some(ta) = frame.ta else { return };
        let sent = Sent { content: frame.content, ta, end_ns };
        let is_same = |other: &Sent| other.content.is_some() && (other.content, other.ta) == (sent.content, ta);
        let is_sent_before = |other: &Sent| start_ns.saturating_add(TOLERANCE_NS) < other.end_ns;
        let is_again = may_be_again && self.near.iter().any(|other| is_same(other) && is_sent_before(other));
        self.share.count(goes_on && !is_again);
        if self.near.len() == NEAR {
            self.near.pop_front();
        }
        self.near.push_back(sent);
    }

    /// False for a frame at a time that lies before the latest one, and not before the first. What is from an earlier time
    /// altogether is from another recording, which was joined behind this one.
    fn goes_on(&mut self, start_ns: i64, end_ns: i64) -> bool {
        let told = self.told.get_or_insert(Told { from_ns: start_ns, until_ns: end_ns });
        let is_behind = start_ns < told.until_ns.saturating_sub(BEHIND_NS);
        if is_behind && start_ns < told.from_ns {
            *told = Told { from_ns: start_ns, until_ns: end_ns };
            return true;
        }
        told.until_ns = told.until_ns.max(end_ns);
        !is_behind
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(number: i64, at_us: i64) -> Frame {
        Frame {
            seq: Some(number as u32),
            content: Some(number as u64),
            ta: Some(Addr::node(1)),
            start_ns: Some(at_us * 1000),
            end_ns: Some(at_us * 1000 + 300_000),
            ..Frame::new(1, 0)
        }
    }

    fn once(frames: impl IntoIterator<Item = Frame>) -> (u64, u64) {
        let mut once = Once::default();
        frames.into_iter().for_each(|frame| once.observe(&frame));
        (once.share.held, once.share.cases)
    }

    #[test]
    fn what_another_radio_recorded_too_is_no_second_frame() {
        let twice =
            |apart_us: i64| (0..10).map(move |number| frame(number / 2, number / 2 * 5000 + number % 2 * apart_us));
        assert_eq!(once(twice(40)), (5, 10));
        assert_eq!(once(twice(400)), (10, 10), "retransmissions");
    }

    #[test]
    fn a_recording_behind_itself_tells_nothing_new() {
        let part = || (0..100).map(|number| frame(number, number * 10_000));
        let (held, cases) = once(part().chain(part()));
        assert_eq!(cases, 200);
        assert!(held < 115, "{held}");
        let earlier = (0..100).map(|number| frame(number, number * 10_000 - 6_000_000));
        assert_eq!(once(part().chain(earlier)), (200, 200), "a part in front that was joined behind");
    }
}
