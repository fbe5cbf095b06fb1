//! How fast the recorder's clock runs.
//!
//! Access points write their clocks into beacons, and an answer begins as long after a frame as that lasts, and SIFS.
//! Beside either, a recorder shows that counts in another unit or at another speed, however coarse its stamps are.

use std::collections::HashMap;

use crate::frame::{Addr, Direction, Frame, FrameKind};
use crate::ieee80211::constants::PhyTiming;

/// Microseconds between beacons that are compared: so far apart that coarse stamps do not matter.
const BEACONS_US: std::ops::RangeInclusive<u64> = 1_000_000..=2_000_000;
/// A timer this near to the recording's own time is that of a simulator.
const OWN_TIME_US: f64 = 1_000_000.0;
/// Shorter frames say little beside the inexactness of stamps.
const SHORTEST_US: f64 = 60.0;
/// What comes later answers another frame.
const LATEST_US: f64 = 5_000.0;
/// Maximum number of distances of a kind that are kept, and of senders. It bounds memory.
const DISTANCES: usize = 1 << 12;
const SENDERS: usize = 1 << 12;
/// Standard deviations of single distances, by which these have to be off together: stamps of a host are late by chance,
/// but in order, which alone makes short distances longer.
const SURELY: f64 = 2.0;
/// Distance of the quartiles of normal noise, in standard deviations.
const QUARTILES_APART: f64 = 1.349;
/// What the spread of distances may exceed the least by, in a reading of the stamps that is not to be ruled out.
const SPREAD: f64 = 0.05;
/// Spread of distances that coarse stamps have: it rules no reading out.
const COARSE: f64 = 0.5;

/// A distance of stamps, and that on the air, microseconds.
type Distance = (f64, f64);
type Distances = Vec<Distance>;

/// Collects time on the time line beside time on the air.
#[derive(Clone, Debug, Default)]
pub(super) struct Speed {
    anchors: HashMap<Addr, (u64, i64)>,
    beacons: Distances,
    /// Of frames and answers of which the recorder sent neither, the frame, and the answer, because recorders stamp what
    /// they send in another way: if stamps mark the start of both frames, the end of both, the start and the end, and the
    /// end and the start.
    answers: [[Distances; 4]; 3],
}

impl Speed {
    /// Counts a frame if it is a beacon.
    pub(super) fn observe_beacon(&mut self, frame: &Frame) {
        if frame.kind != FrameKind::Beacon || !frame.is_readable() {
            return;
        }
        let timestamp_us = frame.management.as_ref().and_then(|management| management.timestamp_us);
        let (Some(ta), Some(timestamp_us), Some(start_ns)) = (frame.ta, timestamp_us, frame.start_ns) else { return };
        if (start_ns as f64 / 1e3 - timestamp_us as f64).abs() < OWN_TIME_US {
            return;
        }
        if self.anchors.len() >= SENDERS && !self.anchors.contains_key(&ta) {
            return;
        }
        let (anchor_us, anchor_ns) = *self.anchors.entry(ta).or_insert((timestamp_us, start_ns));
        let elapsed_us = timestamp_us.wrapping_sub(anchor_us);
        if BEACONS_US.contains(&elapsed_us) {
            keep(&mut self.beacons, start_ns.saturating_sub(anchor_ns) as f64 / 1e3, elapsed_us as f64);
        } else if elapsed_us > *BEACONS_US.end() {
            self.anchors.insert(ta, (timestamp_us, start_ns));
        }
    }

    /// Counts a frame and the one that comes one SIFS after it.
    pub(super) fn observe_answer(&mut self, first: &Frame, second: &Frame) {
        if !first.is_readable() || !second.is_readable() || first.ppdu_no.is_some() {
            return;
        }
        let (Some(phy), Some(starts_ns)) = (first.phy, first.start_ns.zip(second.start_ns)) else { return };
        let Some((airtime_us, answer_us)) = first.airtime_us.zip(second.airtime_us) else { return };
        let apart_us = starts_ns.1.saturating_sub(starts_ns.0) as f64 / 1e3;
        if airtime_us < SHORTEST_US || apart_us.abs() > LATEST_US {
            return;
        }
        let [neither, frame, answer] = &mut self.answers;
        let readings = match (first.direction, second.direction) {
            (Some(Direction::Tx), _) => frame,
            (_, Some(Direction::Tx)) => answer,
            _ => neither,
        };
        if readings[0].len() >= DISTANCES {
            return;
        }
        let sifs_us = PhyTiming::of(phy, first.channel_mhz).sifs_us;
        for (distances, beyond_us) in readings.iter_mut().zip([airtime_us, answer_us, airtime_us + answer_us, 0.0]) {
            keep(distances, apart_us, beyond_us + sifs_us);
        }
    }

    /// The slower of the recorder's clock and those of the stations as a share of the faster, if at least `cases` tell it,
    /// and how many did: beacons, else answers.
    pub(super) fn agreement(&self, cases: u64) -> Option<(f64, u64)> {
        let told = |distances: &Distances, agreement: fn(&[Distance]) -> Option<f64>| {
            let count = distances.len() as u64;
            let share = agreement(distances).filter(|_| count >= cases)?;
            Some((share, count))
        };
        let of_reading = |distances: &Distances| told(distances, agreement);
        let best = |readings: &[Distances; 4]| likely(readings).filter_map(of_reading).max_by(by_share);
        told(&self.beacons, usual_agreement).or_else(|| self.answers.iter().filter_map(best).min_by(by_share))
    }
}

fn by_share(one: &(f64, u64), other: &(f64, u64)) -> std::cmp::Ordering {
    one.0.total_cmp(&other.0)
}

/// The readings that are not to be ruled out. Frames differ in length: what does not fit the stamps spreads.
fn likely(readings: &[Distances; 4]) -> impl Iterator<Item = &Distances> {
    let spreads = readings.each_ref().map(|distances| spread(distances));
    let least = spreads.iter().copied().fold(f64::INFINITY, f64::min);
    let most = if least > COARSE { f64::INFINITY } else { least + SPREAD };
    readings.iter().zip(spreads).filter(move |(_, spread)| *spread <= most).map(|(distances, _)| distances)
}

fn keep(distances: &mut Distances, stamped_us: f64, on_air_us: f64) {
    if distances.len() < DISTANCES {
        distances.push((stamped_us, on_air_us));
    }
}

/// Half of the distances are, over those on the air, within this share of the median.
fn spread(distances: &[Distance]) -> f64 {
    let [low, median, high] = quartiles(distances);
    if median > 0.0 {
        (high - low) / median
    } else {
        f64::INFINITY
    }
}

/// How far all distances together agree, at best. The sum of coarse stamps is right where no single distance is.
fn agreement(distances: &[Distance]) -> Option<f64> {
    let (stamped, on_air) = distances.iter().fold((0.0, 0.0), |sums, one| (sums.0 + one.0, sums.1 + one.1));
    if on_air <= 0.0 {
        return None;
    }
    let ratio = stamped / on_air;
    let count = distances.len() as f64;
    let square = distances.iter().map(|one| (one.0 - ratio * one.1).powi(2)).sum::<f64>() / count;
    Some(at_best(ratio, SURELY * square.sqrt() * count / on_air))
}

/// How far long distances agree, at best: by their median and quartiles, which a step of a clock does not move.
fn usual_agreement(distances: &[Distance]) -> Option<f64> {
    if distances.is_empty() {
        return None;
    }
    let [low, median, high] = quartiles(distances);
    Some(at_best(median, SURELY * (high - low) / QUARTILES_APART))
}

/// The slower as a share of the faster, of a `ratio` that may be off by `error`.
fn at_best(ratio: f64, error: f64) -> f64 {
    let ratio = 1f64.max(ratio - error).min(ratio + error);
    if ratio > 0.0 {
        ratio.min(1.0 / ratio)
    } else {
        0.0
    }
}

/// Of the distances over those on the air.
fn quartiles(distances: &[Distance]) -> [f64; 3] {
    let mut ratios: Vec<f64> = distances.iter().map(|(stamped, on_air)| stamped / on_air).collect();
    ratios.sort_unstable_by(f64::total_cmp);
    [1, 2, 3].map(|quarters| ratios.get(ratios.len() * quarters / 4).copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Phy;

    /// 40 exchanges of a recorder whose clock is `faster`, with stamps that are up to `coarse_us` late.
    fn measured(faster: f64, coarse_us: i64) -> Option<f64> {
        let mut speed = Speed::default();
        for number in 0..400i64 {
            let frame = |at_us: i64, airtime_us: i64, jitter: i64| Frame {
                phy: Some(Phy::Erp),
                channel_mhz: Some(2437),
                start_ns: Some((at_us as f64 * faster) as i64 * 1000 + jitter % coarse_us.max(1) * 1000),
                airtime_us: Some(airtime_us as f64),
                ..Frame::new(1, 0)
            };
            let (at_us, long_us) = (number * 10_000, 200 + number % 7 * 100);
            let data = frame(at_us, long_us, number * 7919);
            speed.observe_answer(&data, &frame(at_us + long_us + 10, 30, number * 104_729));
        }
        speed.agreement(20).map(|(share, _)| share)
    }

    #[test]
    fn answers_show_the_speed_of_the_clock() {
        assert!(measured(1.0, 0).unwrap() > 0.99);
        assert!((measured(2.0, 0).unwrap() - 0.5).abs() < 0.01);
        assert!((measured(0.5, 0).unwrap() - 0.5).abs() < 0.02);
        assert!(measured(1.0, 900).unwrap() > 0.95, "coarse stamps are not wrong ones");
    }

    #[test]
    fn what_is_unsure_agrees() {
        assert_eq!(agreement(&[(20.0, 100.0), (300.0, 100.0), (50.0, 100.0)]), Some(1.0));
        assert_eq!(agreement(&[(200.0, 100.0); 30]), Some(0.5));
        assert_eq!(agreement(&[]), None);
    }

    #[test]
    fn answers_in_batches_of_one_stamp_are_not_a_clock_that_stands_still() {
        let batched = |number: usize| (if number.is_multiple_of(6) { 1800.0 } else { 0.0 }, 300.0);
        assert_eq!(agreement(&(0..60).map(batched).collect::<Distances>()), Some(1.0));
    }

    #[test]
    fn a_step_between_two_beacons_neither_excuses_a_wrong_speed_nor_is_one() {
        let stepped = |ratio: f64| -> Distances {
            let distance = |number: usize| (1e6 * ratio + if number == 5 { 5e6 } else { 0.0 }, 1e6);
            (0..30).map(distance).collect()
        };
        assert_eq!(usual_agreement(&stepped(1.0)), Some(1.0));
        assert_eq!(usual_agreement(&stepped(0.8)), Some(0.8));
    }
}
