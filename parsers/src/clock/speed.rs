//! How fast the recorder's clock runs, measured against the clocks of the stations.
//!
//! Access points write their clocks into beacons, exact to 100 ppm (11.1.3.9). Without beacons, frames of different
//! lengths tell: the longer a frame, the later its answer. A clock that is a percent off would make idle time of
//! airtime, or airtime of idle time, so the time line is corrected.

use std::collections::BTreeMap;

use super::convention::is_to_be_timed;
use super::line::{median, Line, MAD_TO_SIGMA, MEDIAN_ERROR};
use super::sample::Sample;
use super::timeline::Timeline;
use crate::frame::{Addr, Frame, FrameKind};
use crate::ieee80211::constants::TSF_ACCURACY_PPM;

/// Beacons of a transmitter that tell a speed, and the time between the first and the last of them, microseconds.
const MIN_BEACONS: usize = 8;
const MIN_SPAN_US: f64 = 1_000_000.0;
/// Distance of beacons that are compared: this part of that time, and no more microseconds. A step of a clock is then
/// between at most a third of them, which does not move their median.
const PART_APART: f64 = 0.25;
const MAX_APART_US: f64 = 2_000_000.0;
/// Deviation from one that no clock within the standard's limits explains.
const MIN_BY_BEACONS: f64 = 10.0 * TSF_ACCURACY_PPM / 1e6;
/// A clock that is off by more counts in another unit, or is none.
const MAX_BY_BEACONS: f64 = 0.2;
/// Answers tell less exactly, and an airtime that was taken for another is at least a tenth off.
const MIN_BY_ANSWERS: f64 = 0.005;
const MAX_BY_ANSWERS: f64 = 0.05;
/// Answers to frames of one kind that tell a speed, and the largest standard error that says something.
const MIN_ANSWERS: usize = 20;
const MAX_ERROR: f64 = 0.002;
/// A deviation of fewer standard errors is chance.
const SIGMAS: f64 = 10.0;
/// Resolution of TSFT, microseconds.
const QUANTUM_US: f64 = 1.0;

/// Who told a speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Witness {
    /// The beacons of so many transmitters.
    Beacons(usize),
    /// So many answers.
    Answers(usize),
}

impl Witness {
    /// More than one transmitter.
    pub(super) fn is_several(self) -> bool {
        matches!(self, Witness::Beacons(2..))
    }
}

/// Time by the recorder's clock over time by the stations' clocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Speed {
    pub(super) ratio: f64,
    pub(super) witness: Witness,
}

/// A measured ratio.
#[derive(Clone, Copy, Debug)]
struct Measured {
    ratio: f64,
    error: f64,
    points: usize,
}

impl Measured {
    fn of(points: &mut [(f64, f64)]) -> Option<Measured> {
        points.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        let line = Line::fit(points, QUANTUM_US)?;
        Some(Measured { ratio: line.slope, error: line.slope_error, points: line.inliers })
    }

    /// By ratios that are exact to `quantum`. Those that share an end are more exact together than this says.
    fn of_ratios(ratios: Vec<f64>, quantum: f64) -> Option<Measured> {
        let points = ratios.len();
        let ratio = median(ratios.clone())?;
        let apart = median(ratios.iter().map(|one| (one - ratio).abs()).collect())?.max(quantum);
        Some(Measured { ratio, error: MEDIAN_ERROR * MAD_TO_SIGMA * apart / (points as f64).sqrt(), points })
    }

    fn agrees(&self, other: &Measured, tolerance: f64) -> bool {
        (self.ratio - other.ratio).abs() <= tolerance + SIGMAS * (self.error + other.error)
    }

    fn is_off(&self, least: f64, most: f64) -> bool {
        let off = (self.ratio - 1.0).abs();
        off >= least && off <= most && off >= SIGMAS * self.error
    }
}

impl Speed {
    /// By the beacons among the first frames of a source, if most transmitters agree that the clock is wrong.
    pub(super) fn by_beacons(first: &[Frame]) -> Option<Speed> {
        let mut timeline = Timeline::default();
        let mut stamps: BTreeMap<Addr, Vec<(u64, i64)>> = BTreeMap::new();
        for frame in first.iter().filter(|frame| is_to_be_timed(frame)) {
            let stamp_ns = timeline.stamp_ns(frame);
            if let Some((ta, timer_us)) = timer(frame) {
                stamps.entry(ta).or_default().push((timer_us, stamp_ns));
            }
        }
        let mut measured: Vec<Measured> = stamps.values().filter_map(|stamps| by_timer(stamps)).collect();
        measured.sort_by(|one, other| one.ratio.total_cmp(&other.ratio));
        let middle = measured.get(measured.len() / 2)?; // of most, if most agree
        let agreeing = measured.iter().filter(|other| middle.agrees(other, MIN_BY_BEACONS)).count();
        let is_told = middle.is_off(MIN_BY_BEACONS, MAX_BY_BEACONS) && 2 * agreeing > measured.len();
        is_told.then_some(Speed { ratio: middle.ratio, witness: Witness::Beacons(agreeing) })
    }

    /// By the distances of frames and their answers, if all that tell something agree that the clock is wrong. Where the
    /// ends of frames are stamped, the distance does not grow with the length of the frame and tells nothing.
    pub(super) fn by_answers(samples: &[Sample]) -> Option<Speed> {
        let mut by_groups: BTreeMap<(usize, usize), Vec<(f64, f64)>> = BTreeMap::new();
        for sample in samples {
            let point = (sample.first_airtime_us, sample.apart_us);
            by_groups.entry((sample.first.index(), sample.second.index())).or_default().push(point);
        }
        let measured = by_groups.values_mut().filter(|points| points.len() >= MIN_ANSWERS);
        let tells = |found: &Measured| found.error <= MAX_ERROR && (found.ratio - 1.0).abs() <= MAX_BY_ANSWERS;
        let measured: Vec<Measured> = measured.filter_map(|points| Measured::of(points)).filter(tells).collect();
        let best = measured.iter().min_by(|one, other| one.error.total_cmp(&other.error))?;
        let all_agree = measured.iter().all(|other| best.agrees(other, 0.0));
        let answers = measured.iter().map(|found| found.points).sum();
        let is_told = best.is_off(MIN_BY_ANSWERS, MAX_BY_ANSWERS) && all_agree;
        is_told.then_some(Speed { ratio: best.ratio, witness: Witness::Answers(answers) })
    }

    /// What a warning says about it.
    pub(super) fn message(&self) -> String {
        let percent = 100.0 * (self.ratio - 1.0).abs();
        let way = if self.ratio > 1.0 { "fast" } else { "slow" };
        let told = match self.witness {
            Witness::Beacons(1) => "the beacons of a station show".to_owned(),
            Witness::Beacons(count) => format!("the beacons of {count} stations show"),
            Witness::Answers(count) => format!("the time from frames to their {count} answers shows"),
        };
        format!("the recorder's clock runs {percent:.2} % too {way}, as {told}: times are corrected")
    }
}

/// The timer in a beacon, and whose it is.
fn timer(frame: &Frame) -> Option<(Addr, u64)> {
    if frame.kind != FrameKind::Beacon || !frame.is_readable() {
        return None;
    }
    Some((frame.ta?, frame.management.as_ref()?.timestamp_us?))
}

fn by_timer(stamps: &[(u64, i64)]) -> Option<Measured> {
    let (first, last) = (stamps.first()?, stamps.last()?);
    let elapsed_us = |since: &(u64, i64), stamp: &(u64, i64)| stamp.0.wrapping_sub(since.0) as i64 as f64;
    let span_us = elapsed_us(first, last);
    if stamps.len() < MIN_BEACONS || span_us < MIN_SPAN_US {
        return None;
    }
    let apart_us = (PART_APART * span_us).min(MAX_APART_US);
    let mut later = stamps.iter().peekable();
    let mut ratios = Vec::new();
    for stamp in stamps {
        while later.next_if(|next| elapsed_us(stamp, next) < apart_us).is_some() {}
        let Some(end) = later.peek() else { break };
        ratios.push(end.1.saturating_sub(stamp.1) as f64 / 1e3 / elapsed_us(stamp, end));
    }
    Measured::of_ratios(ratios, QUANTUM_US / apart_us)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::readings::infer;
    use crate::frame::management::Management;
    use crate::frame::Phy;

    /// 30 beacons of each of so many transmitters, whose timers run as much slower than the recorder's clock.
    fn beacons(ratios: &[f64]) -> Vec<Frame> {
        let mut frames = Vec::new();
        for number in 0..30u64 {
            for (ta, ratio) in (1..).zip(ratios) {
                let timer_us = 102_400 * number + 5_000_000 * u64::from(ta);
                let late_us = 2_000 * i64::from(ta) + i64::try_from(number * 7919 % 3).unwrap();
                frames.push(Frame {
                    kind: FrameKind::Beacon,
                    phy: Some(Phy::Dsss),
                    ta: Some(Addr::node(ta)),
                    airtime_us: Some(1_000.0),
                    management: Management { timestamp_us: Some(timer_us), ..Management::default() }.boxed(),
                    ..Frame::new(1, ((102_400 * number) as f64 * ratio) as i64 * 1_000 + late_us * 1_000)
                });
            }
        }
        frames
    }

    fn told(ratios: &[f64]) -> Option<(f64, Witness)> {
        let speed = Speed::by_beacons(&beacons(ratios))?;
        Some(((speed.ratio * 1e4).round() / 1e4, speed.witness))
    }

    #[test]
    fn beacons_tell_the_speed_if_most_transmitters_agree() {
        assert_eq!(told(&[1.0, 1.0001]), None);
        assert_eq!(told(&[1.005]), Some((1.005, Witness::Beacons(1))));
        assert_eq!(told(&[0.98, 0.98, 1.0]), Some((0.98, Witness::Beacons(2))));
        assert_eq!(told(&[1.02, 1.0]), None, "one of the two is wrong");
        assert_eq!(told(&[1.1, 1.1]), Some((1.1, Witness::Beacons(2))));
        assert_eq!(told(&[2.0, 2.0]), None, "another unit");
    }

    #[test]
    fn a_step_of_the_clock_is_not_its_speed() {
        let stepped = |ratio: f64, from: usize, step_us: i64| {
            let mut frames = beacons(&[ratio, ratio]);
            frames.iter_mut().skip(from).for_each(|frame| frame.ts_ns += step_us * 1_000);
            Speed::by_beacons(&frames).map(|speed| (speed.ratio * 1e3).round() / 1e3)
        };
        for (from, step_us) in [(10, 50_000), (20, 500_000), (30, 50_000), (30, -20_000), (30, 5_000), (50, 500_000)] {
            assert_eq!(stepped(1.0, from, step_us), None, "{step_us} us at frame {from}");
            assert_eq!(stepped(1.02, from, step_us), Some(1.02), "{step_us} us at frame {from}");
        }
    }

    #[test]
    fn a_transmitter_alone_is_not_believed_if_no_answer_confirms_it() {
        let apart_us = |ratios: &[f64]| {
            let mut frames = beacons(ratios);
            let (_, mut clock) = infer(&frames);
            frames.iter_mut().for_each(|frame| clock.apply(frame));
            let starts = [frames.first(), frames.last()].map(|frame| frame.unwrap().start_ns.unwrap());
            (starts[1] - starts[0]) / 1_000_000
        };
        assert_eq!(apart_us(&[1.02]), 29 * 102_400 * 102 / 100 / 1_000);
        assert_eq!(apart_us(&[1.02, 1.02]), (29 * 102_400 + 2_000) / 1_000, "two are");
    }

    #[test]
    fn what_a_warning_says() {
        let said = |ratio, witness| Speed { ratio, witness }.message();
        assert_eq!(
            said(1.02, Witness::Beacons(2)),
            "the recorder's clock runs 2.00 % too fast, as the beacons of 2 stations show: times are corrected"
        );
        assert_eq!(
            said(0.98, Witness::Answers(90)),
            "the recorder's clock runs 2.00 % too slow, as the time from frames to their 90 answers shows: times are \
             corrected"
        );
    }
}
