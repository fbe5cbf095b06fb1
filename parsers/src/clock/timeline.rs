//! Combines the host's clock and the radio's clock into one time scale.

use super::drift::{Drift, DriftMeter};
use crate::base::time::accepted;
use crate::frame::{Direction, Frame};

/// If the two clocks differ by more than this between two frames, one of them has jumped.
const JUMP_NS: i64 = 1_000_000_000;
/// Wrap period of TSFT in drivers that report only its low 32 bits, microseconds.
const WRAP_US: i64 = 1 << 32;
/// A-MPDU subframes share a TSFT, and their host stamps are within this. If the radio's clock does not advance
/// for longer, it is not used.
const STILL_NS: i64 = 20_000_000;
/// Maximum advance of the radio's clock between two frames for a mismatch to be a jump of the host's clock. A
/// radio that was reset rarely has a clock within this range.
const CONTINUES_NS: i64 = 10_000_000_000;
/// Some radios lose a carry of their clock's low half: single frames are stamped this much early, microseconds.
const SLIP_US: i64 = 1 << 15;
/// Most that the host's clock may differ from a stamp to which the carry was added, microseconds.
const SLIP_TOLERANCE_US: i64 = 3_000;
/// Number of frames over which the delay of the host's stamps is averaged.
const SMOOTHING: i64 = 16;

/// Statistics of the clocks of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimeScale {
    /// Drift of the radio's clock relative to the host's; `None` if there is only one clock or too little data.
    pub drift: Option<Drift>,
    /// Frames timed by the radio's clock.
    pub by_radio: u64,
    /// Frames timed by the host's clock, because the radio's time is missing or implausible.
    pub by_host: u64,
    /// Wraps of a 32-bit radio clock.
    pub wraps: u64,
    /// Jumps of the radio's clock.
    pub jumps: u64,
    /// Jumps of the host's clock relative to the radio's. Without a radio's clock, only jumps back in time are
    /// counted.
    pub host_jumps: u64,
    /// The first frame after a jump of the radio's clock.
    pub first_jump: Option<u64>,
    /// The first frame after a jump of the host's clock.
    pub first_host_jump: Option<u64>,
}

/// Converts stamps of the radio's clock (TSFT, microseconds of the MAC) to the scale of the host's clock.
///
/// TSFT marks a known instant of the frame. The host's stamp is taken in software, with a variable delay. The
/// scale starts at the host's stamp of the first frame that has both. It then advances with the radio's clock,
/// across wraps (32 and 64 bits) and across jumps of the host's clock. If the radio's clock jumps (it was
/// reset), the scale is anchored to the host's clock again.
#[derive(Clone, Debug, Default)]
pub(super) struct Timeline {
    last: Option<Reading>,
    /// The latest frame whose two stamps were equal, as long as the source has had no others.
    copied: Option<Reading>,
    /// Host stamp of the latest frame, as long as the source has had no radio stamp.
    host_alone_ns: Option<i64>,
    /// The scale minus the host's clock, smoothed.
    ahead_ns: i64,
    /// So far only frames sent by the recording station have set the scale.
    is_provisional: bool,
    facts: TimeScale,
    meter: DriftMeter,
}

/// Both clocks at one frame.
#[derive(Clone, Copy, Debug)]
struct Reading {
    host_ns: i64,
    radio_us: u64,
    scale_ns: i64,
}

/// Change between two readings.
enum Step {
    /// Normal advance by the radio's clock. `wraps` counts wraps of a 32-bit clock.
    Elapsed { radio_ns: i64, wraps: i64 },
    /// The radio's clock advanced normally; the host's clock was set.
    HostJumped { radio_ns: i64 },
    /// The radio's clock does not continue from its previous value.
    RadioJumped,
    /// The radio's clock did not advance, and the host's advanced little.
    Same,
    /// The radio's clock did not advance, although the host's did.
    Still,
}

impl Timeline {
    /// The stamp of the frame on one scale for the whole source. At the beginning that scale equals `ts_ns`.
    ///
    /// Frames sent by the recording station never move a scale that received frames have set, because some
    /// drivers stamp sent frames with a different clock. If the stamp of such a frame does not fit, the host's
    /// stamp is used.
    pub(super) fn stamp_ns(&mut self, frame: &Frame) -> i64 {
        let host_ns = frame.ts_ns;
        let is_sent = frame.direction == Some(Direction::Tx);
        let radio_us = radio_us(frame).or_else(|| self.continuing_copy_us(frame));
        let Some(radio_us) = radio_us else {
            self.watch_host(frame);
            self.copied = copied_us(frame).map(|radio_us| Reading { host_ns, radio_us, scale_ns: host_ns });
            return self.by_host(host_ns);
        };
        let copied = self.copied.take().filter(|copied| continues(copied, host_ns, radio_us));
        let Some(last) = self.last.or(copied) else {
            self.is_provisional = is_sent;
            return self.anchor(host_ns, radio_us);
        };
        let radio_us = without_slip(&last, host_ns, radio_us);
        match step(&last, host_ns, radio_us) {
            Step::Elapsed { radio_ns, wraps } => {
                self.is_provisional &= is_sent;
                self.facts.wraps = self.facts.wraps.saturating_add_signed(wraps);
                self.follow(Reading { host_ns, radio_us, scale_ns: last.scale_ns.saturating_add(radio_ns) })
            }
            Step::Same => {
                self.facts.by_radio += 1;
                last.scale_ns
            }
            Step::Still => self.by_host(host_ns),
            _ if is_sent => self.by_host(host_ns),
            _ if self.is_provisional => {
                self.is_provisional = false;
                self.meter.restart();
                self.anchor(host_ns, radio_us)
            }
            Step::HostJumped { radio_ns } => {
                self.facts.host_jumps += 1;
                self.facts.first_host_jump.get_or_insert(frame.frame_no);
                self.meter.restart();
                let scale_ns = last.scale_ns.saturating_add(radio_ns);
                self.ahead_ns = scale_ns.saturating_sub(host_ns);
                self.follow(Reading { host_ns, radio_us, scale_ns })
            }
            Step::RadioJumped => {
                self.facts.jumps += 1;
                self.facts.first_jump.get_or_insert(frame.frame_no);
                self.meter.restart();
                self.anchor(host_ns, radio_us)
            }
        }
    }

    /// Clock statistics so far.
    pub(super) fn facts(&self) -> TimeScale {
        TimeScale { drift: self.meter.drift(), ..self.facts }
    }

    /// Times a frame by the host's clock and continues the radio's clock from there.
    fn anchor(&mut self, host_ns: i64, radio_us: u64) -> i64 {
        let scale_ns = self.on_scale(host_ns);
        self.follow(Reading { host_ns, radio_us, scale_ns })
    }

    /// The host's stamp on the scale. A clock that was set by decades, and back again, begins a new scale.
    fn on_scale(&mut self, host_ns: i64) -> i64 {
        let scale_ns = accepted(i128::from(host_ns) + i128::from(self.ahead_ns));
        scale_ns.unwrap_or_else(|| {
            self.ahead_ns = 0;
            host_ns
        })
    }

    fn follow(&mut self, reading: Reading) -> i64 {
        let ahead_ns = reading.scale_ns.saturating_sub(reading.host_ns);
        self.ahead_ns = self.ahead_ns.saturating_add(ahead_ns.saturating_sub(self.ahead_ns) / SMOOTHING);
        self.meter.observe(reading.scale_ns, 0i64.saturating_sub(ahead_ns));
        self.facts.by_radio += 1;
        self.last = Some(reading);
        reading.scale_ns
    }

    /// A stamp equal to the host's by chance, because the radio's clock shows the host's time: the radio's clock
    /// arrives at it.
    fn continuing_copy_us(&self, frame: &Frame) -> Option<u64> {
        let last = self.last.as_ref()?;
        copied_us(frame).filter(|&radio_us| continues(last, frame.ts_ns, radio_us))
    }

    /// Without a radio's clock, a jump of the host's clock is detected only if it goes back in time.
    fn watch_host(&mut self, frame: &Frame) {
        if self.last.is_some() {
            return;
        }
        if self.host_alone_ns.is_some_and(|before| frame.ts_ns < before.saturating_sub(JUMP_NS)) {
            self.facts.host_jumps += 1;
            self.facts.first_host_jump.get_or_insert(frame.frame_no);
        }
        self.host_alone_ns = Some(frame.ts_ns);
    }

    fn by_host(&mut self, host_ns: i64) -> i64 {
        self.facts.by_host += 1;
        self.on_scale(host_ns)
    }
}

/// The stamp with a lost carry added: the radio's clock went back by most of it while the host's did not, and with it
/// both agree.
fn without_slip(last: &Reading, host_ns: i64, radio_us: u64) -> u64 {
    let elapsed_us = radio_us.wrapping_sub(last.radio_us) as i64;
    let host_elapsed_us = host_ns.saturating_sub(last.host_ns) / 1000;
    let went_back = (-SLIP_US..-SLIP_US / 2).contains(&elapsed_us);
    let differs_us = elapsed_us.saturating_add(SLIP_US).saturating_sub(host_elapsed_us);
    match went_back && differs_us.abs() <= SLIP_TOLERANCE_US {
        true => radio_us.wrapping_add(SLIP_US.unsigned_abs()),
        false => radio_us,
    }
}

/// True if the radio's clock advanced normally.
fn continues(last: &Reading, host_ns: i64, radio_us: u64) -> bool {
    matches!(step(last, host_ns, radio_us), Step::Elapsed { wraps: 0, .. } | Step::Same)
}

fn step(last: &Reading, host_ns: i64, radio_us: u64) -> Step {
    let host_elapsed_ns = host_ns.saturating_sub(last.host_ns);
    let elapsed_us = radio_us.wrapping_sub(last.radio_us) as i64; // wraps at 64 bits; may be negative
    let agree = |elapsed_us: i64| {
        elapsed_us.saturating_mul(1000).saturating_sub(host_elapsed_ns).unsigned_abs() <= JUMP_NS.unsigned_abs()
    };
    if elapsed_us == 0 {
        return if host_elapsed_ns > STILL_NS { Step::Still } else { Step::Same };
    }
    if agree(elapsed_us) {
        return Step::Elapsed { radio_ns: elapsed_us.saturating_mul(1000), wraps: 0 };
    }
    let missing_us = (host_elapsed_ns / 1000).saturating_sub(elapsed_us);
    let wraps = missing_us.saturating_add(WRAP_US / 2).div_euclid(WRAP_US);
    let unwrapped_us = elapsed_us.saturating_add(wraps.saturating_mul(WRAP_US));
    let is_32_bit = last.radio_us.max(radio_us) < WRAP_US as u64;
    if is_32_bit && agree(unwrapped_us) {
        return Step::Elapsed { radio_ns: unwrapped_us.saturating_mul(1000), wraps };
    }
    let radio_ns = elapsed_us.saturating_mul(1000);
    if (0..=CONTINUES_NS).contains(&radio_ns) {
        return Step::HostJumped { radio_ns };
    }
    Step::RadioJumped
}

/// TSFT, if it adds information to the host's stamp. Zero means that the driver has no clock. Simulators write
/// one clock into both fields, and the host's field has the finer resolution.
pub(super) fn radio_us(frame: &Frame) -> Option<u64> {
    frame.tsft_us.filter(|&us| us != 0 && copied_us(frame).is_none())
}

/// TSFT, if it is the host's stamp.
fn copied_us(frame: &Frame) -> Option<u64> {
    frame.tsft_us.filter(|&us| us != 0 && i64::try_from(us) == Ok(frame.ts_ns.div_euclid(1000)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::time::LATEST_NS;

    fn frame(frame_no: u64, ts_us: i64, tsft_us: u64) -> Frame {
        Frame { tsft_us: Some(tsft_us), ..Frame::new(frame_no, ts_us * 1000) }
    }

    fn stamps_us(frames: &[(i64, u64)]) -> (Vec<i64>, TimeScale) {
        let mut timeline = Timeline::default();
        let numbered = frames.iter().zip(1..).map(|(&(ts_us, tsft_us), number)| frame(number, ts_us, tsft_us));
        let stamps = numbered.map(|frame| timeline.stamp_ns(&frame) / 1000).collect();
        (stamps, timeline.facts())
    }

    #[test]
    fn the_radio_clock_is_followed_from_its_first_frame() {
        let (stamps, facts) = stamps_us(&[(1_000_000, 70), (1_000_900, 170)]);
        assert_eq!(stamps, [1_000_000, 1_000_100], "the host was late");
        assert_eq!((facts.jumps, facts.host_jumps, facts.by_radio), (0, 0, 2));
    }

    #[test]
    fn a_radio_that_was_reset_is_anchored_anew() {
        let (stamps, facts) = stamps_us(&[(1_000_000, 9_000_000), (1_000_500, 40), (1_000_700, 140)]);
        assert_eq!(stamps, [1_000_000, 1_000_500, 1_000_600]);
        assert_eq!((facts.jumps, facts.first_jump, facts.host_jumps), (1, Some(2), 0));
    }

    #[test]
    fn a_clock_of_32_bits_wraps_without_a_seam() {
        let end = 1u64 << 32;
        let (stamps, facts) =
            stamps_us(&[(0, end - 100), (300, 50), (340, end - 10), (700, 400), (9_000_000, 9_000_200)]);
        assert_eq!(stamps, [0, 150, 90, 500, 9_000_300]);
        assert_eq!((facts.wraps, facts.jumps), (1, 0));
        let hours = 3 * 4_294_967_296 + 5_000;
        let (stamps, facts) = stamps_us(&[(0, 1_000), (hours, 6_300)]);
        assert_eq!((stamps[1], facts.wraps), (hours + 300, 3), "a silence of three wraps");
    }

    #[test]
    fn a_stamp_that_lost_a_carry_moves_nothing() {
        let (stamps, facts) = stamps_us(&[(0, 90_000), (300, 90_300 - 32_768), (900, 90_900)]);
        assert_eq!((stamps, facts.jumps), (vec![0, 300, 900], 0));
        let (stamps, _) = stamps_us(&[(0, 90_000), (20, 89_990)]);
        assert_eq!(stamps, [0, -10], "out of order");
    }

    #[test]
    fn a_clock_of_64_bits_wraps_without_a_seam() {
        let (stamps, facts) = stamps_us(&[(1_000, u64::MAX - 9), (1_150, 90)]);
        assert_eq!(stamps, [1_000, 1_100]);
        assert_eq!((facts.wraps, facts.jumps), (0, 0));
    }

    #[test]
    fn a_host_clock_that_is_set_moves_nothing() {
        let hour = 3_600_000_000;
        for set in [hour, -hour] {
            let mut timeline = Timeline::default();
            assert_eq!(timeline.stamp_ns(&frame(1, 5_000_000, 70)), 5_000_000_000);
            assert_eq!(timeline.stamp_ns(&frame(2, 5_000_400 + set, 470)), 5_000_400_000);
            assert_eq!(timeline.stamp_ns(&frame(3, 5_000_500 + set, 570)), 5_000_500_000);
            let without = Frame::new(4, (5_000_700 + set) * 1000);
            assert_eq!(timeline.stamp_ns(&without), 5_000_700_000, "frames without TSFT stay on the scale");
            let facts = timeline.facts();
            assert_eq!((facts.host_jumps, facts.first_host_jump, facts.jumps), (1, Some(2), 0));
        }
    }

    #[test]
    fn a_host_clock_that_is_set_by_decades_and_back_begins_a_new_scale() {
        let mut timeline = Timeline::default();
        let (early, late) = (-(1 << 60), LATEST_NS - 1_000_000_000);
        for (ts_ns, tsft_us) in [(late, Some(70)), (early, Some(500)), (late, None), (early, None), (late, Some(70))] {
            let stamp_ns = timeline.stamp_ns(&Frame { tsft_us, ..Frame::new(1, ts_ns) });
            assert!(accepted(stamp_ns.into()).is_some(), "{ts_ns} {tsft_us:?}");
        }
    }

    #[test]
    fn a_host_clock_alone_that_goes_back_is_reported() {
        let mut timeline = Timeline::default();
        for (number, ts_us) in [5_000_000, 5_000_400, 1_000_000, 1_000_300].into_iter().enumerate() {
            assert_eq!(timeline.stamp_ns(&Frame::new(number as u64 + 1, ts_us * 1000)), ts_us * 1000);
        }
        assert_eq!((timeline.facts().host_jumps, timeline.facts().first_host_jump), (1, Some(3)));
    }

    #[test]
    fn zero_and_a_clock_that_stands_still_are_no_clock() {
        let (stamps, facts) = stamps_us(&[(100, 0), (300, 0), (9_000_000, 0)]);
        assert_eq!((stamps, facts.by_host), (vec![100, 300, 9_000_000], 3));
        let (stamps, facts) = stamps_us(&[(100, 7), (400_000, 7), (900_000, 7)]);
        assert_eq!((stamps, facts.by_host, facts.jumps), (vec![100, 400_000, 900_000], 2, 0));
    }

    #[test]
    fn slow_drift_is_no_jump() {
        let day_s = 86_400;
        let (stamps, facts) =
            stamps_us(&(0..day_s).map(|s| (s * 1_000_000, (s * 1_000_050 + 77) as u64)).collect::<Vec<_>>());
        assert_eq!(stamps.last(), Some(&((day_s - 1) * 1_000_050)));
        assert_eq!((facts.jumps, facts.host_jumps), (0, 0));
        let drift = facts.drift.unwrap();
        assert!((drift.ppm - 50.0).abs() < 0.01, "{drift:?}");
    }

    #[test]
    fn a_sent_frame_with_another_clock_moves_nothing() {
        let mut timeline = Timeline::default();
        timeline.stamp_ns(&frame(1, 1_000_000, 9_000_000));
        let sent = Frame { direction: Some(Direction::Tx), ..frame(2, 1_000_200, 5) };
        assert_eq!(timeline.stamp_ns(&sent), 1_000_200_000);
        assert_eq!(timeline.stamp_ns(&frame(3, 1_000_450, 9_000_400)), 1_000_400_000);
        assert_eq!(timeline.facts().jumps, 0);
    }

    #[test]
    fn a_clock_written_twice_keeps_its_finer_resolution() {
        let simulated = Frame { tsft_us: Some(1_234), ..Frame::new(1, 1_234_567) };
        assert_eq!(Timeline::default().stamp_ns(&simulated), 1_234_567);
    }

    #[test]
    fn a_radio_that_shows_the_hosts_time_may_agree_by_chance() {
        // The host is 0, 300, 0 and 40 us late.
        let (stamps, facts) = stamps_us(&[(1_000, 1_000), (1_700, 1_400), (2_000, 2_000), (3_040, 3_000)]);
        assert_eq!(stamps, [1_000, 1_400, 2_000, 3_000]);
        assert_eq!((facts.jumps, facts.host_jumps), (0, 0));
        let (stamps, facts) = stamps_us(&[(5_000_000, 5_000_000), (5_000_400, 70), (5_000_900, 5_000_900)]);
        assert_eq!(stamps, [5_000_000, 5_000_400, 5_000_900], "two clocks");
        assert_eq!((facts.jumps, facts.by_host), (0, 2));
    }

    #[test]
    fn extreme_clocks_do_not_overflow() {
        let mut timeline = Timeline::default();
        for ts_ns in [i64::MIN, 0, i64::MAX] {
            for tsft_us in [0, 1, 1 << 31, 1 << 40, u64::MAX, i64::MAX as u64 / 1000] {
                timeline.stamp_ns(&Frame { tsft_us: Some(tsft_us), ..Frame::new(1, ts_ns) });
            }
        }
        timeline.facts();
    }
}
