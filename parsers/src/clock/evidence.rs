//! Collects evidence about the stamps from neighbouring frames.

use super::by_group::ByGroup;
use super::convention::{is_to_be_timed, Group};
use super::corrected::CorrectedTimeline;
use super::decide::{self, Answered, Evidence};
use super::membership::is_joined;
use super::model::ClockModel;
use super::offsets::Samples;
use super::precision::Precision;
use super::sample::{distance_us, is_answer, Sample, Stamped};
use super::solicited::follows_after_sifs;
use super::speed::Speed;
use super::timeline;
use crate::frame::Frame;
use crate::ieee80211::airtime::Psdu;
use crate::ieee80211::constants::PhyTiming;

/// A pair is considered if its spacing is at most this far outside the range that whole frames allow. It covers a
/// preamble of 192 us too many or too few.
const PLAUSIBLE_US: f64 = 250.0;
/// Maximum number of samples for each two groups. It bounds memory and time.
const MAX_ANSWERS: u16 = 512;
const MAX_NEIGHBOURS: u16 = 256;

/// Finds out from the first frames of a source which instant its stamps mark.
///
/// Memory does not grow with the number of frames. About ten thousand frames are sufficient.
#[derive(Clone, Debug)]
pub struct ClockAnalysis {
    timeline: CorrectedTimeline,
    evidence: Evidence,
    /// Number of answers and neighbours for each two groups.
    counted: Vec<[u16; 2]>,
    previous: Option<Ppdu>,
    latest: Option<Ppdu>,
}

impl Default for ClockAnalysis {
    fn default() -> Self {
        let evidence = Evidence {
            samples: Samples::default(),
            precision: Precision::default(),
            seen: ByGroup::of(0),
            answered: ByGroup::of(Answered::default()),
            radio_stamps: 0,
        };
        let counted = vec![[0; 2]; Group::COUNT * Group::COUNT];
        ClockAnalysis { timeline: CorrectedTimeline::default(), evidence, counted, previous: None, latest: None }
    }
}

/// One PPDU, with the stamps of its first and last MPDU.
#[derive(Clone, Debug)]
struct Ppdu {
    group: Group,
    frame: Frame,
    last: Frame,
    psdu: Psdu,
    first_ns: i64,
    last_ns: i64,
}

impl ClockAnalysis {
    /// Of a source whose clocks run at such a speed.
    pub(super) fn at(speed: Option<Speed>) -> ClockAnalysis {
        ClockAnalysis { timeline: CorrectedTimeline::at(speed), ..ClockAnalysis::default() }
    }

    /// Adds the next frame of the source, in recorded order.
    pub fn observe(&mut self, frame: &Frame) {
        let Some(group) = Group::of(frame).filter(|_| is_to_be_timed(frame)) else { return };
        let stamp_ns = self.timeline.stamp_ns(frame);
        self.evidence.seen[group] += 1;
        self.evidence.radio_stamps += u64::from(timeline::radio_us(frame).is_some());
        if let Some(latest) = &mut self.latest {
            if is_joined(&latest.frame, &latest.last, frame) {
                latest.join(frame, stamp_ns);
                return;
            }
        }
        self.settle();
        // A damaged frame separates its neighbours, and its own addresses are unreliable.
        self.previous = self.latest.take();
        if frame.is_readable() {
            self.latest = Some(Ppdu::new(group, frame, stamp_ns));
        } else {
            self.previous = None;
        }
    }

    /// The clock model that the frames so far support.
    pub fn decide(mut self) -> ClockModel {
        self.settle();
        decide::decide(&self.evidence, self.timeline.speed())
    }

    /// How fast the clocks run by the answers so far, if that is not as they should.
    pub(super) fn speed_by_answers(&self) -> Option<Speed> {
        Speed::by_answers(&self.evidence.samples.answers)
    }

    /// Counts the latest pair, once its second PPDU is complete.
    fn settle(&mut self) {
        let (Some(first), Some(second)) = (&self.previous, &self.latest) else { return };
        if first.group.is_sent() && is_answer(&second.frame) && follows_after_sifs(&first.frame, &second.frame) {
            self.evidence.answered[first.group].count(second.first_ns < first.last_ns);
        }
        let (Some(one), Some(other)) = (first.stamped(), second.stamped()) else { return };
        // What the host stamped, as the frames that a Linux station sent, is late by as much as it likes.
        let are_by_one_clock = timeline::radio_us(&first.last).is_some() == timeline::radio_us(&second.frame).is_some();
        if first.frame.channel_mhz != second.frame.channel_mhz || !are_by_one_clock {
            return;
        }
        let Some(phy) = first.frame.phy else { return };
        let sifs_us = PhyTiming::of(phy, first.frame.channel_mhz).sifs_us;
        let follows = follows_after_sifs(&first.frame, &second.frame);
        if !follows && first.group.is_sent() != second.group.is_sent() {
            return;
        }
        if follows {
            let apart_us = distance_us(one.first_ns, other.first_ns) - sifs_us;
            self.evidence.precision.add(apart_us, one.airtime_us, other.airtime_us);
        }
        let longest_us = one.airtime_us + sifs_us + other.airtime_us;
        let measured_us = distance_us(one.first_ns, other.last_ns);
        if !(-PLAUSIBLE_US..=longest_us + PLAUSIBLE_US).contains(&measured_us) {
            return;
        }
        let counted = self.counted.get_mut(first.group.index() * Group::COUNT + second.group.index());
        let Some([answers, neighbours]) = counted else { return };
        let samples = &mut self.evidence.samples;
        let (count, limit, kept) = match follows {
            true => (answers, MAX_ANSWERS, &mut samples.answers),
            false => (neighbours, MAX_NEIGHBOURS, &mut samples.neighbours),
        };
        if *count < limit {
            *count += 1;
            kept.push(Sample::new(&one, &other, if follows { sifs_us } else { 0.0 }));
        }
    }
}

impl Ppdu {
    fn new(group: Group, frame: &Frame, stamp_ns: i64) -> Ppdu {
        let psdu = Psdu::new(frame);
        Ppdu { group, frame: frame.clone(), last: frame.clone(), psdu, first_ns: stamp_ns, last_ns: stamp_ns }
    }

    fn join(&mut self, frame: &Frame, stamp_ns: i64) {
        self.psdu.add(frame);
        self.last = frame.clone();
        self.last_ns = stamp_ns;
    }

    /// `None` if the airtime is unknown. If only the last subframe has a signal, its stamp is the only valid one.
    fn stamped(&self) -> Option<Stamped<'_>> {
        let is_completed = self.frame.signal_dbm.is_none() && self.last.signal_dbm.is_some();
        if is_completed && self.frame.tsft_us != self.last.tsft_us {
            let airtime_us = self.last.airtime_us?;
            let (first_ns, last_ns) = (self.last_ns, self.last_ns);
            return Some(Stamped { group: self.group, frame: &self.last, airtime_us, first_ns, last_ns });
        }
        let airtime_us = self.psdu.airtime_us()?;
        let (first_ns, last_ns) = (self.first_ns, self.last_ns);
        Some(Stamped { group: self.group, frame: &self.frame, airtime_us, first_ns, last_ns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Direction, FrameKind, Phy};

    #[test]
    fn a_sent_frame_recorded_too_early_is_no_overlap() {
        let neighbours = |directions: [Direction; 2]| {
            let mut analysis = ClockAnalysis::default();
            for (direction, tsft_us) in directions.into_iter().zip([1_052, 1_000]) {
                let (kind, phy, airtime_us) = (FrameKind::Data, Some(Phy::Ofdm), Some(128.0));
                let direction = Some(direction);
                let tsft_us = Some(tsft_us);
                analysis.observe(&Frame { kind, phy, airtime_us, direction, tsft_us, ..Frame::new(1, 0) });
            }
            analysis.settle();
            analysis.evidence.samples.neighbours.len()
        };
        assert_eq!(neighbours([Direction::Tx, Direction::Rx]), 0);
        assert_eq!(neighbours([Direction::Rx, Direction::Rx]), 1);
    }
}
