//! How long HE PPDUs are whose header leaves it open: the reading that most answers agree with.
//!
//! Some headers do not say how many spatial streams there were; what ns-3 writes never does. One is presumed, unless
//! answers agree with another number.
//!
//! Without an L-SIG length the packet extension is unknown, and what ns-3 sends has none, and other training fields. The
//! stamps alone may then agree with a wrong convention: the ACK of a frame that is 28 us shorter than assumed, stamped at
//! its end, seems to be stamped at its start. BlockAcks, which last longer, and frames of other lengths contradict that.
//! Where all frames are stamped at their end, answers agree with any length, and what decides is which of them has frames
//! start in the slots of contention.

use super::convention::GroupConvention;
use super::evidence::ClockAnalysis;
use super::model::ClockModel;
use super::offsets::UNKNOWN_COST;
use super::slots::Starts;
use super::speed::Speed;
use crate::frame::ppdu::HeReading;
use crate::frame::{Frame, Phy};
use crate::ieee80211::airtime;

/// By how much more pairs another reading must explain than the standard's assumption.
const MIN_GAIN: f64 = 1.02;

/// Share of the answers to HE frames from which on they confirm how many streams were sent; and how many answers.
const CONFIRMED: f64 = 0.95;
const MIN_ANSWERS: u32 = 20;

/// Mean nearness of starts to the slots of contention from which on they are on these; and how many must be counted.
const ON_SLOTS: f64 = 0.5;
const MIN_STARTS: u32 = 50;

/// Frames of which the starts are looked at.
const SAMPLE: usize = 4096;

/// Part of their nearness that another number of streams may have at most.
const ALONE: f64 = 0.7;

/// Numbers of streams that are tried besides one.
const SEVERAL: [u8; 4] = [2, 3, 4, 8];

/// What HE PPDUs are taken for whose header leaves their length open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeLengths {
    reading: HeReading,
    /// Spatial streams where the header has no number of them.
    streams: u8,
    /// Answers agree with that.
    is_confirmed: bool,
}

impl Default for HeLengths {
    fn default() -> HeLengths {
        HeLengths { reading: HeReading::default(), streams: 1, is_confirmed: false }
    }
}

impl HeLengths {
    /// Sets airtime and assumptions of such a frame, and its rate if that is known now.
    pub(crate) fn apply(self, frame: &mut Frame) {
        airtime::read_as(frame, self.reading, self.streams);
        if self.is_confirmed {
            airtime::infer_rate(frame);
        }
    }
}

/// The lengths and the clock that explain the first frames of a source best.
///
/// A clock that runs at another speed than the stations' is corrected by what measured it: by beacons unless answers
/// contradict, or only one transmitter says so and no answer confirms it; by answers if that explains more of them.
pub(crate) fn infer(first: &[Frame]) -> (HeLengths, ClockModel) {
    let (found, by_answers) = infer_at(None, first);
    let as_is = explained(&found.1);
    let at = |speed: Speed| infer_at(Some(speed), first).0;
    if let Some(speed) = Speed::by_beacons(first) {
        let corrected = at(speed);
        let explains = explained(&corrected.1);
        let is_confirmed = explains > 0.0 || speed.witness.is_several();
        return if is_confirmed && explains * MIN_GAIN >= as_is { corrected } else { found };
    }
    match by_answers.map(at).filter(|corrected| explained(&corrected.1) > as_is * MIN_GAIN) {
        Some(corrected) => corrected,
        None => found,
    }
}

/// With clocks that run at such a speed; and the speed that answers tell instead.
fn infer_at(speed: Option<Speed>, first: &[Frame]) -> ((HeLengths, ClockModel), Option<Speed>) {
    let (padded, by_answers) = analyse(speed, first.iter());
    if !first.iter().any(airtime::is_read) {
        return ((HeLengths::default(), padded), by_answers);
    }
    let one = Reading { lengths: HeLengths::default(), clock: padded };
    let others = [HeReading::Unpadded, HeReading::Simulated].map(|reading| (reading, 1));
    let mut best = one.or_better(others, speed, first);
    let all = [HeReading::Padded, HeReading::Unpadded, HeReading::Simulated];
    let several = all.into_iter().flat_map(|reading| SEVERAL.map(|streams| (reading, streams)));
    let is_open = first.iter().any(airtime::has_open_streams);
    if leaves_some(&best.clock) && is_open {
        let found = best.clone().or_better(several.clone(), speed, first);
        // What nearly all answers confirm; a number of which some are right by chance is no better than one.
        best = if is_confirmed(&found.clock) { found } else { best };
    }
    if best.has_any_length() {
        let several = several.filter(|_| is_open);
        best = best.or_on_slots(all.map(|reading| (reading, 1)).into_iter().chain(several), speed, first);
    }
    let is_confirmed = is_confirmed(&best.clock);
    ((HeLengths { is_confirmed, ..best.lengths }, best.clock), by_answers)
}

/// The clock with such lengths.
#[derive(Clone)]
struct Reading {
    lengths: HeLengths,
    clock: ClockModel,
}

impl Reading {
    /// The one of these readings and numbers of streams that explains most answers, and clearly more than this one.
    fn or_better(
        self,
        others: impl IntoIterator<Item = (HeReading, u8)>,
        speed: Option<Speed>,
        first: &[Frame],
    ) -> Reading {
        let (mut most, mut best) = (explained(&self.clock) * MIN_GAIN, self);
        for (reading, streams) in others {
            let (_, clock) = analyse_as(first, (reading, streams), speed);
            let found = explained(&clock);
            if found > most {
                (most, best) = (found, Reading { lengths: HeLengths { reading, streams, is_confirmed: false }, clock });
            }
        }
        best
    }

    /// True if answers agree with any length: what they answer is stamped at its end.
    fn has_any_length(&self) -> bool {
        let groups = self.clock.describe();
        let mut he = groups.iter().filter(|group| group.phy == Some(Phy::He)).peekable();
        he.peek().is_some() && he.all(|group| !group.convention.is_early())
    }

    /// The one of these readings and numbers of streams whose frames start in the slots of contention, if one alone does.
    fn or_on_slots(
        self,
        readings: impl Iterator<Item = (HeReading, u8)>,
        speed: Option<Speed>,
        first: &[Frame],
    ) -> Reading {
        let sample = first.get(..SAMPLE).unwrap_or(first);
        let starts = |reading| {
            let (read, clock) = analyse_as(sample, reading, speed);
            (Starts::of(read, clock), reading)
        };
        let tried: Vec<_> = readings.map(starts).filter(|(starts, _)| starts.counted >= MIN_STARTS).collect();
        let nearest = tried.iter().max_by(|(one, _), (other, _)| one.nearness.total_cmp(&other.nearness));
        let Some(&(most, (reading, streams))) = nearest else { return self };
        // Readings of as many streams differ by few slots.
        let mut otherwise = tried.iter().filter(|(_, (_, other))| *other != streams);
        if most.mean() < ON_SLOTS || otherwise.any(|(starts, _)| starts.nearness >= ALONE * most.nearness) {
            return self;
        }
        let (_, clock) = analyse_as(first, (reading, streams), speed);
        Reading { lengths: HeLengths { reading, streams, is_confirmed: false }, clock }
    }
}

/// True if so many pairs are not explained that another reading may explain clearly more.
fn leaves_some(clock: &ClockModel) -> bool {
    let pairs: f64 = clock.describe().iter().map(|group| f64::from(group.pairs)).sum();
    explained(clock) * MIN_GAIN < pairs
}

/// True if nearly all answers to HE frames come SIFS after their end, without a number that may make up for the length.
fn is_confirmed(clock: &ClockModel) -> bool {
    let groups = clock.describe();
    let answered = groups.iter().filter(|group| group.phy == Some(Phy::He) && group.pairs > 0);
    let agrees = |group: &GroupConvention| group.shift_us == 0.0 && group.explained_share >= CONFIRMED;
    let pairs: u32 = answered.clone().map(|group| group.pairs).sum();
    pairs >= MIN_ANSWERS && answered.clone().all(agrees)
}

fn analyse<'a>(speed: Option<Speed>, frames: impl Iterator<Item = &'a Frame>) -> (ClockModel, Option<Speed>) {
    let mut analysis = ClockAnalysis::at(speed);
    frames.for_each(|frame| analysis.observe(frame));
    let by_answers = analysis.speed_by_answers();
    (analysis.decide(), by_answers)
}

/// The frames with such lengths, and the clock of these.
fn analyse_as(frames: &[Frame], (reading, streams): (HeReading, u8), speed: Option<Speed>) -> (Vec<Frame>, ClockModel) {
    let read: Vec<Frame> = frames.iter().map(|frame| read_as(frame, reading, streams)).collect();
    let (clock, _) = analyse(speed, read.iter());
    (read, clock)
}

fn read_as(frame: &Frame, reading: HeReading, streams: u8) -> Frame {
    let mut frame = frame.clone();
    airtime::read_as(&mut frame, reading, streams);
    frame
}

/// SIFS-spaced pairs that conventions and offsets explain, each counted by both of its groups. A number may make up for
/// a wrong length: what a group needs one for counts less.
fn explained(clock: &ClockModel) -> f64 {
    let known = |group: &GroupConvention| group.shift_us == 0.0 && group.late_answers_us == 0.0;
    let worth = |group: &GroupConvention| if known(group) { 1.0 } else { 1.0 - 1.0 / UNKNOWN_COST as f64 };
    let groups = clock.describe();
    let decided = groups.iter().filter(|group| !group.ambiguous);
    decided.map(|group| worth(group) * f64::from(group.pairs) * group.explained_share).sum()
}

#[cfg(test)]
mod tests;
