//! One time scale out of two clocks: the host's and the radio's.

use crate::frame::{Direction, Frame};

/// How far the radio's clock may run from the host's before it counts as a jump.
const JUMP_NS: i64 = 1_000_000_000;

/// Puts stamps of the radio's clock (TSFT, microseconds of the MAC) on the scale of the host's.
///
/// TSFT is what marks a known instant of the frame; the host's stamp comes whenever its software
/// got round to it. The distance between the two is fixed at the first frame with both, and again
/// wherever they part by more than a second (the radio was reset).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timeline {
    host_minus_radio_ns: Option<i64>,
    /// Only frames that the recording station sent have set the distance so far.
    is_provisional: bool,
    jumps: u64,
    first_jump: Option<u64>,
}

impl Timeline {
    /// The frame's stamp on the scale of `ts_ns`.
    ///
    /// Frames that the recording station sent itself never move a scale that received ones set: some
    /// drivers give them stamps of another clock. Where theirs does not fit, the host's is taken.
    pub(super) fn stamp_ns(&mut self, frame: &Frame) -> i64 {
        let host = frame.ts_ns;
        let Some(radio) = radio_ns(frame) else { return host };
        let apart = host.saturating_sub(radio);
        let is_sent = frame.direction == Some(Direction::Tx);
        if let Some(offset) = self.host_minus_radio_ns {
            let fits = apart.abs_diff(offset) <= JUMP_NS.unsigned_abs();
            if fits || is_sent {
                self.is_provisional &= is_sent;
                return if fits { radio.saturating_add(offset) } else { host };
            }
            if !self.is_provisional {
                self.jumps += 1;
                self.first_jump.get_or_insert(frame.frame_no);
            }
        }
        self.host_minus_radio_ns = Some(apart);
        self.is_provisional = is_sent;
        host
    }

    /// How often the radio's clock jumped, and the first frame after a jump.
    pub(super) fn jumps(&self) -> Option<(u64, u64)> {
        self.first_jump.map(|frame_no| (self.jumps, frame_no))
    }
}

/// TSFT in nanoseconds, where it says more than the host's stamp: simulators write one clock into
/// both fields, and the host's then has the finer resolution.
pub(super) fn radio_ns(frame: &Frame) -> Option<i64> {
    let tsft_us = i64::try_from(frame.tsft_us?).ok()?;
    if frame.ts_ns.div_euclid(1000) == tsft_us {
        return None;
    }
    tsft_us.checked_mul(1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(frame_no: u64, ts_us: i64, tsft_us: u64) -> Frame {
        Frame { tsft_us: Some(tsft_us), ..Frame::new(frame_no, ts_us * 1000) }
    }

    #[test]
    fn the_radio_clock_is_followed_from_its_first_frame() {
        let mut timeline = Timeline::default();
        assert_eq!(timeline.stamp_ns(&frame(1, 1_000_000, 70)), 1_000_000_000);
        assert_eq!(timeline.stamp_ns(&frame(2, 1_000_900, 170)), 1_000_100_000, "the host was late");
        assert_eq!(timeline.jumps(), None);
    }

    #[test]
    fn a_jump_is_counted_and_anchors_anew() {
        let mut timeline = Timeline::default();
        timeline.stamp_ns(&frame(1, 1_000_000, 9_000_000));
        assert_eq!(timeline.stamp_ns(&frame(2, 1_000_500, 40)), 1_000_500_000);
        assert_eq!(timeline.stamp_ns(&frame(3, 1_000_700, 140)), 1_000_600_000);
        assert_eq!(timeline.jumps(), Some((1, 2)));
    }

    #[test]
    fn a_sent_frame_with_another_clock_moves_nothing() {
        let mut timeline = Timeline::default();
        timeline.stamp_ns(&frame(1, 1_000_000, 9_000_000));
        let sent = Frame { direction: Some(Direction::Tx), ..frame(2, 1_000_200, 5) };
        assert_eq!(timeline.stamp_ns(&sent), 1_000_200_000);
        assert_eq!(timeline.stamp_ns(&frame(3, 1_000_450, 9_000_400)), 1_000_400_000);
        assert_eq!(timeline.jumps(), None);
    }

    #[test]
    fn a_clock_written_twice_keeps_its_finer_resolution() {
        let simulated = Frame { tsft_us: Some(1_234), ..Frame::new(1, 1_234_567) };
        assert_eq!(Timeline::default().stamp_ns(&simulated), 1_234_567);
    }

    #[test]
    fn extreme_clocks_do_not_overflow() {
        let mut timeline = Timeline::default();
        for ts_ns in [i64::MIN, 0, i64::MAX] {
            for tsft_us in [0, 1 << 40, u64::MAX, i64::MAX as u64 / 1000] {
                timeline.stamp_ns(&Frame { tsft_us: Some(tsft_us), ..Frame::new(1, ts_ns) });
            }
        }
    }
}
