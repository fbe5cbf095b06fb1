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
            let read: Vec<Frame> = first.iter().map(|frame| read_as(frame, reading, streams)).collect();
            let (clock, _) = analyse(speed, read.iter());
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
        let analysed = |frames: &[Frame], (reading, streams)| {
            let read: Vec<Frame> = frames.iter().map(|frame| read_as(frame, reading, streams)).collect();
            let (clock, _) = analyse(speed, read.iter());
            (read, clock)
        };
        let sample = first.get(..SAMPLE).unwrap_or(first);
        let starts = |reading| {
            let (read, clock) = analysed(sample, reading);
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
        let (_, clock) = analysed(first, (reading, streams));
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
mod tests {
    use super::*;
    use crate::clock::Convention;
    use crate::frame::{Addr, Direction, FrameKind};

    const SIFS_US: f64 = 16.0;

    /// A radio sends HE frames, every fifth time two together, and stamps what it sends at its start and what it
    /// receives at its end; HE frames last as the reading has it.
    fn recorded(reading: HeReading) -> Vec<Frame> {
        aggregating(reading, 1, |number| if number % 5 == 0 { 2 } else { 1 })
    }

    fn aggregating(reading: HeReading, streams: u8, mpdus: fn(u16) -> u16) -> Vec<Frame> {
        let (sender, receiver) = (Some(Addr::node(1)), Some(Addr::node(2)));
        let mut frames = Vec::new();
        for number in 0..60_u16 {
            let sent_us = 1000 * u64::from(number);
            let together = mpdus(number);
            for part in 0..together {
                let mut data = Frame {
                    kind: FrameKind::QosData,
                    phy: Some(Phy::He),
                    mcs: Some(9),
                    bandwidth_mhz: Some(80),
                    guard_ns: Some(3200),
                    channel_mhz: Some(5210),
                    length_bytes: Some(1538),
                    ampdu_ref: Some(number.into()),
                    seq: Some((20 * number + part).into()),
                    direction: Some(Direction::Tx),
                    tsft_us: Some(sent_us),
                    ta: sender,
                    ra: receiver,
                    ..Frame::new(1, 0)
                };
                airtime::fill(&mut data);
                frames.push(data);
            }
            let mut sent = read_as(frames.last().unwrap(), reading, streams);
            let octets = 1544 * u32::from(together - 1) + 1542;
            sent.airtime_us = airtime::ppdu_us(&sent, octets);
            let (kind, ta, length) = match together {
                1 => (FrameKind::Ack, None, 14),
                _ => (FrameKind::BlockAck, receiver, 32),
            };
            let mut answer = Frame {
                kind,
                ta,
                ra: sender,
                phy: Some(Phy::Ofdm),
                rate_mbps: Some(24.0),
                channel_mhz: Some(5210),
                length_bytes: Some(length),
                direction: Some(Direction::Rx),
                ..Frame::new(1, 0)
            };
            airtime::fill(&mut answer);
            let later_us = sent.airtime_us.unwrap() + SIFS_US + answer.airtime_us.unwrap();
            answer.tsft_us = Some(sent_us + later_us.round() as u64);
            frames.push(answer);
        }
        frames
    }

    #[test]
    fn the_reading_is_the_one_that_block_acks_agree_with_as_well() {
        for reading in [HeReading::Padded, HeReading::Simulated] {
            let (found, clock) = infer(&recorded(reading));
            assert_eq!(found, HeLengths { reading, streams: 1, is_confirmed: true });
            for group in clock.describe() {
                let end = group.direction == Some(Direction::Rx);
                assert_eq!(group.convention, if end { Convention::End } else { Convention::Start }, "{group:?}");
                assert!(group.explained_share >= CONFIRMED, "{group:?}");
            }
        }
    }

    /// The same radio also sends and hears frames of another PHY, whose length is known. That those are stamped at their
    /// start does not say so of the HE frames, which a free number explains as well.
    #[test]
    fn the_reading_is_not_explained_by_frames_of_another_phy() {
        let mut frames = aggregating(HeReading::Simulated, 1, |number| if number % 60 == 0 { 2 } else { 1 });
        let ack = frames[frames.len() - 1].clone();
        let mut known = |sent_us: u64, direction, ta| {
            let mut data = Frame {
                kind: FrameKind::Data,
                phy: Some(Phy::Ofdm),
                rate_mbps: Some(24.0),
                channel_mhz: Some(5210),
                length_bytes: Some(400),
                direction: Some(direction),
                ta: Some(ta),
                ra: Some(Addr::node(2)),
                ..Frame::new(1, 0)
            };
            airtime::fill(&mut data);
            let data_us = data.airtime_us.unwrap();
            let ends_us = sent_us + data_us.round() as u64;
            data.tsft_us = Some(if direction == Direction::Tx { sent_us } else { ends_us });
            let later_us = data_us + SIFS_US + ack.airtime_us.unwrap();
            let tsft_us = Some(sent_us + later_us.round() as u64);
            frames.extend([data, Frame { ra: Some(ta), tsft_us, ..ack.clone() }]);
        };
        (0..6).for_each(|number| known(300 + 10_000 * number, Direction::Tx, Addr::node(1)));
        (0..60).for_each(|number| known(700 + 1_000 * number, Direction::Rx, Addr::node(3)));
        frames.sort_by_key(|frame| frame.tsft_us);
        let (found, clock) = infer(&frames);
        assert_eq!(found.reading, HeReading::Simulated, "{:?}", clock.describe());
    }

    #[test]
    fn a_rate_is_inferred_only_where_answers_confirm_it() {
        let mut frame = recorded(HeReading::Padded).swap_remove(3);
        HeLengths::default().apply(&mut frame);
        assert_eq!(frame.ppdu.inferred_rate_kbps, None);
        HeLengths { is_confirmed: true, ..HeLengths::default() }.apply(&mut frame);
        // 6533 bits in 16 us.
        assert_eq!(frame.ppdu.inferred_rate_kbps, Some(408_312));
        // Where streams are not alike answers come at other times, as many as there are lengths.
        let mut otherwise = recorded(HeReading::Padded);
        for (number, frame) in otherwise.iter_mut().enumerate() {
            let is_answer = frame.direction == Some(Direction::Rx);
            frame.tsft_us = frame.tsft_us.map(|us| us + if is_answer { 9 * (number as u64 % 5) } else { 0 });
        }
        assert!(!infer(&otherwise).0.is_confirmed);
    }

    #[test]
    fn as_many_streams_were_sent_as_answers_agree_with() {
        for reading in [HeReading::Padded, HeReading::Simulated] {
            for streams in SEVERAL {
                let mut frames = aggregating(reading, streams, |number| 1 + number % 19);
                let found = infer(&frames).0;
                assert_eq!((found.streams, found.is_confirmed), (streams, true), "{reading:?}: {found:?}");
                found.apply(&mut frames[3]);
                let symbol_bits = 6533.0 * f64::from(streams);
                let rate_kbps = f64::from(frames[3].ppdu.inferred_rate_kbps.unwrap());
                assert!((rate_kbps - symbol_bits / 16e-3).abs() < 1e-3 * rate_kbps, "{rate_kbps} of {streams}");
            }
        }
    }

    /// A third station's radio stamps the end of all; the sender waits for AIFS and a backoff behind each answer.
    fn contended(reading: HeReading, streams: u8, mpdus: fn(u16) -> u16) -> Vec<Frame> {
        let (mut frames, mut idle_us) = (Vec::new(), 1_000.0);
        for (number, frame) in aggregating(reading, streams, mpdus).chunk_by(may_join).enumerate() {
            let is_answer = frame[0].kind != FrameKind::QosData;
            let slots = 3.0 + ((7 * number) % 16) as f64;
            let waited_us = if is_answer { SIFS_US } else { SIFS_US + 9.0 * slots };
            let last = read_as(frame.last().unwrap(), reading, streams);
            let octets = 1544 * (frame.len() as u32 - 1) + 1542;
            let airtime_us = if is_answer { last.airtime_us } else { airtime::ppdu_us(&last, octets) };
            idle_us += waited_us + airtime_us.unwrap();
            let stamped = |frame: &Frame| Frame {
                direction: Some(Direction::Rx),
                tsft_us: Some(idle_us.round() as u64),
                ..frame.clone()
            };
            frames.extend(frame.iter().map(stamped));
        }
        frames
    }

    fn may_join(one: &Frame, other: &Frame) -> bool {
        one.kind == FrameKind::QosData && one.ampdu_ref == other.ampdu_ref && other.kind == FrameKind::QosData
    }

    #[test]
    fn where_all_stamps_mark_ends_starts_in_the_slots_of_contention_tell_the_length() {
        for reading in [HeReading::Padded, HeReading::Unpadded, HeReading::Simulated] {
            for streams in [1, 2, 4] {
                let found = infer(&contended(reading, streams, |number| 1 + number % 19)).0;
                assert_eq!((found.reading, found.streams), (reading, streams), "{found:?}");
            }
        }
    }

    #[test]
    fn numbers_of_streams_that_starts_agree_with_alike_are_not_told_apart() {
        // Up to 7 MPDUs take four symbols with four streams, and two with eight.
        assert_eq!(infer(&contended(HeReading::Padded, 4, |number| 1 + number % 7)).0.streams, 1);
    }

    #[test]
    fn starts_that_are_not_in_slots_tell_nothing() {
        let mut frames = contended(HeReading::Simulated, 1, |number| 1 + number % 19);
        let mut late_us = 0;
        for (number, frame) in frames.iter_mut().enumerate() {
            late_us += if frame.kind == FrameKind::QosData && number % 2 == 0 { (5 * number as u64) % 9 } else { 0 };
            frame.tsft_us = frame.tsft_us.map(|us| us + late_us);
        }
        assert_eq!(infer(&frames).0.reading, HeReading::default());
    }

    #[test]
    fn simulators_send_fewer_symbols() {
        // ns-3.37: 44 us and two symbols of 16 us for one MPDU, four for two.
        let mut frame = recorded(HeReading::Padded).swap_remove(3);
        airtime::read_as(&mut frame, HeReading::Simulated, 1);
        assert_eq!((frame.airtime_us, airtime::ppdu_us(&frame, 3086)), (Some(76.0), Some(108.0)));
        assert!(frame.assumptions.text().contains("simulated_he"), "{}", frame.assumptions.text());
        assert!(!frame.assumptions.text().contains("packet_padding_16_us"));
    }
}
