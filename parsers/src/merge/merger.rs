//! Reads recordings in parallel and merges the copies of each transmission.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use rustc_hash::FxHashMap;

use crate::base::numbers::whole;
use crate::base::time::nearest_accepted;
use crate::base::Result;
use crate::exchanges::{Exchange, ExchangeBuilder};
use crate::frame::{Addr, Direction, Frame};
use crate::merge::alignment::Alignment;
use crate::merge::clock_map::ClockMap;
use crate::merge::ppdus;
use crate::merge::transmission::{Copy, Transmission};
use crate::pipeline::Recording;

/// Maximum disorder of the stamps of one recording: twice the longest PPDU (19 ms at 1 Mb/s).
const DISORDER_NS: i64 = 40_000_000;
/// Copies of one transmission are searched this far back.
const LOOKBACK_NS: i64 = 6_000_000;
/// Tolerance for the time between copies of a transmission with perfect clocks: rounding, propagation,
/// interrupt latency.
const MIN_TOLERANCE_NS: f64 = 5_000.0;
/// Upper limit of the tolerance for any clocks: the same ACK may be on the air twice within a millisecond.
const MAX_TOLERANCE_NS: f64 = 400_000.0;
/// Tolerance in standard deviations of the alignment.
const TOLERANCE_SIGMAS: f64 = 5.0;

/// Transmissions among which copies are searched: more than a channel carries, and than stations sent near all recorders,
/// within [`LOOKBACK_NS`]. Of damaged or made-up stamps, with more at one instant, the oldest are output without copies
/// that would follow, so that time does not grow with their square.
const MAX_RECENT: usize = 8 << 10;
/// Frames of each recording that wait for those of others: the first batch, and more than follow in [`DISORDER_NS`].
const MAX_WAITING: usize = 128 << 10;

/// One recording's copy of a merged frame: a row of the `hearings` table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hearing {
    /// Number of the frame in the merged stream.
    pub frame_no: u64,
    /// Number of the frame in the recording.
    pub source_frame_no: u64,
    /// MAC address of the capturing station.
    pub observer: Option<Addr>,
    /// Transmitter address, from any of the copies.
    pub ta: Option<Addr>,
    /// The capturing station sent the frame itself.
    pub is_sent: bool,
    /// The frame was received whole.
    pub is_readable: bool,
    /// Antenna signal, dBm.
    pub signal_dbm: Option<i8>,
    /// Time of this copy on the common clock minus the time of the merged frame, nanoseconds.
    pub apart_ns: i64,
}

/// Output of a [`Merger`].
#[derive(Clone, Debug, Default)]
pub struct Merged {
    /// Every transmission once, in order of time. `observer` and `direction` are unset.
    pub frames: Vec<Frame>,
    /// Exchanges of the merged frames, as seen by a hypothetical radio that receives all of them.
    pub exchanges: Vec<Exchange>,
    /// Copies of the frames, by the number of the recording.
    pub hearings: BTreeMap<usize, Vec<Hearing>>,
    /// Numbers of recordings of which no more hearings follow.
    pub ended: Vec<usize>,
}

impl Merged {
    fn clear(&mut self) {
        self.frames.clear();
        self.exchanges.clear();
        self.hearings.clear();
        self.ended.clear();
    }
}

/// Opens a recording from its begin.
pub type Open<'a> = Box<dyn FnOnce() -> Result<Recording> + 'a>;

/// A recording to merge. One of several radios is listed once per radio, so that frames of a rarely received radio do
/// not wait for frames of another one.
pub struct Input<'a> {
    /// Called when the merge reaches the first frame.
    pub open: Open<'a>,
    /// Number of the radio whose frames are used.
    pub radio: u8,
    /// How its clock was aligned.
    pub alignment: Alignment,
    /// Start of its earliest frame on its own clock.
    pub first_ns: i64,
}

/// Merges aligned recordings in bounded memory: a few batches of each recording of the same time
/// ([`MAX_WAITING`], [`MAX_RECENT`]). Recordings are opened
/// when their time comes and closed at their end, so that any number of them may follow one another.
pub struct Merger<'a> {
    sources: Vec<Source<'a>>,
    /// Frames that have been read but not yet merged.
    waiting: BinaryHeap<Reverse<Waiting>>,
    arrivals: u64,
    /// Transmissions that may have further copies, in order of time.
    recent: VecDeque<Transmission>,
    builder: ExchangeBuilder,
    finished: u64,
    /// Numbers of PPDUs that are being output, and of the first frame of each.
    ppdus: VecDeque<(u64, u64)>,
}

/// PPDUs of which subframes may follow among those of others: as many as can overlap.
const OVERLAPPING: usize = 64;

enum State<'a> {
    Waiting(Open<'a>),
    Reading(Box<Recording>),
    /// With the address of the capturing station.
    Ended(Option<Addr>),
}

/// A frame of a recording, by its own clock.
struct Heard {
    frame: Box<Frame>,
    /// First and last instant of its PPDU, as far as it was heard.
    ppdu_ns: (i64, i64),
    /// Stamps of such frames mark the begin of a PPDU, not its end.
    marks_begin: bool,
}

struct Source<'a> {
    state: State<'a>,
    radio: u8,
    map: ClockMap,
    tolerance_ns: f64,
    /// Time of the newest frame, or before the first one its time.
    newest_ns: i64,
    /// Copies that have been read and are in no output yet.
    held: usize,
}

/// Orders frames by time, frames of the same time by recording, and those of one recording by arrival.
struct Waiting {
    key: (i64, usize, u64),
    copy: Copy,
    frame: Box<Frame>,
}

impl<'a> Merger<'a> {
    /// Takes the recordings; none is opened yet.
    pub fn new(recordings: Vec<Input<'a>>) -> Merger<'a> {
        Merger {
            sources: recordings.into_iter().map(Source::new).collect(),
            waiting: BinaryHeap::new(),
            arrivals: 0,
            recent: VecDeque::new(),
            builder: ExchangeBuilder::new(None),
            finished: 0,
            ppdus: VecDeque::new(),
        }
    }

    /// Replaces the content of `merged` with the next rows; false if there are no more.
    ///
    /// # Errors
    /// A recording cannot be opened or read.
    pub fn read(&mut self, merged: &mut Merged) -> Result<bool> {
        merged.clear();
        let behind = self.sources.iter_mut().enumerate().filter(|(_, source)| source.has_more());
        if let Some((index, source)) = behind.min_by_key(|(_, source)| (source.newest_ns, source.held)) {
            for heard in source.read()? {
                self.waiting.push(Reverse(source.take(index, heard, self.arrivals)));
                self.arrivals += 1;
            }
            if source.is_done() {
                merged.ended.push(index);
            }
        }
        let newest = self.sources.iter().filter(|source| source.has_more()).map(|source| source.newest_ns).min();
        let settled_ns = newest.map_or(i64::MAX, |newest| newest.saturating_sub(DISORDER_NS));
        let reading = self.sources.iter().filter(|source| matches!(source.state, State::Reading(_))).count();
        let most = if newest.is_none() { 0 } else { MAX_WAITING * reading.max(1) };
        while self.waiting.peek().is_some_and(|Reverse(first)| first.key.0 < settled_ns || self.waiting.len() > most) {
            let Some(Reverse(first)) = self.waiting.pop() else { break };
            self.place(first, merged);
        }
        if newest.is_none() {
            self.settle(i64::MAX, merged);
            self.builder.finish(&mut merged.exchanges);
        }
        Ok(newest.is_some())
    }

    /// Adds a frame to the transmission that it is a copy of, or starts a new transmission.
    fn place(&mut self, waiting: Waiting, merged: &mut Merged) {
        let Waiting { copy, frame, .. } = waiting;
        self.settle(copy.at_ns.saturating_sub(LOOKBACK_NS), merged);
        let tolerance = |source: usize| self.sources.get(source).map_or(0.0, |source| source.tolerance_ns);
        let own_ns = tolerance(copy.source);
        let is_copy = |heard: &&mut Transmission| {
            let other_ns = heard.copies.first().map_or(0.0, |first| tolerance(first.source));
            heard.is_heard_as(&frame, &copy, u64::try_from(whole(own_ns + other_ns)).unwrap_or_default())
        };
        let distance = |heard: &&mut Transmission| (heard.apart_ns(&copy), heard.at_ns.abs_diff(copy.at_ns));
        let nearest = self.recent.iter_mut().filter(is_copy).min_by_key(distance);
        match nearest {
            Some(heard) => heard.add(frame, copy),
            None => self.recent.push_back(Transmission::new(frame, copy)),
        }
    }

    /// Outputs the transmissions that began before `until_ns`, because no more copies of them can follow, and the oldest of
    /// more than [`MAX_RECENT`].
    fn settle(&mut self, until_ns: i64, merged: &mut Merged) {
        let is_old = |first: &Transmission| first.at_ns < until_ns || until_ns == i64::MAX;
        while self.recent.len() > MAX_RECENT || self.recent.front().is_some_and(is_old) {
            if self.recent.front().is_some_and(|first| !first.is_placed) {
                ppdus::complete(&mut self.recent, self.finished + 1);
                continue;
            }
            let Some(Transmission { mut frame, at_ns, copies, ppdu, .. }) = self.recent.pop_front() else { break };
            self.finished += 1;
            for copy in &copies {
                let Some(source) = self.sources.get_mut(copy.source) else { continue };
                let hearing = Hearing {
                    frame_no: self.finished,
                    source_frame_no: copy.frame_no,
                    observer: source.observer(),
                    ta: frame.ta.filter(|_| frame.is_readable()),
                    is_sent: copy.is_sent,
                    is_readable: copy.is_readable,
                    signal_dbm: copy.signal_dbm,
                    apart_ns: copy.at_ns.saturating_sub(at_ns),
                };
                merged.hearings.entry(copy.source).or_default().push(hearing);
                source.held = source.held.saturating_sub(1);
                if source.is_done() {
                    merged.ended.push(copy.source);
                }
            }
            (frame.frame_no, frame.radio) = (self.finished, 0);
            frame.ppdu_no = ppdu.map(|number| self.first_of(number));
            (frame.observer, frame.direction) = (None, None);
            self.builder.push(&frame, &mut merged.exchanges);
            merged.frames.push(*frame);
        }
    }

    /// Number of the first frame of a PPDU, of which the frame that is next in the output is one.
    fn first_of(&mut self, ppdu: u64) -> u64 {
        if let Some(&(_, first)) = self.ppdus.iter().find(|(number, _)| *number == ppdu) {
            return first;
        }
        self.ppdus.truncate(OVERLAPPING - 1);
        self.ppdus.push_front((ppdu, self.finished));
        self.finished
    }
}

impl<'a> Source<'a> {
    fn new(input: Input<'a>) -> Source<'a> {
        let Input { open, radio, alignment, first_ns } = input;
        Source {
            state: State::Waiting(open),
            radio,
            tolerance_ns: (TOLERANCE_SIGMAS * alignment.spread_us * 1e3).clamp(MIN_TOLERANCE_NS, MAX_TOLERANCE_NS),
            newest_ns: alignment.map.apply(first_ns),
            map: alignment.map,
            held: 0,
        }
    }

    fn has_more(&self) -> bool {
        !matches!(self.state, State::Ended(_))
    }

    /// Whether all that was read is in the output, and nothing follows.
    fn is_done(&self) -> bool {
        self.held == 0 && !self.has_more()
    }

    /// MAC address of the capturing station.
    fn observer(&self) -> Option<Addr> {
        match &self.state {
            State::Waiting(_) => None,
            State::Reading(recording) => recording.observer_of(self.radio),
            State::Ended(observer) => *observer,
        }
    }

    /// The next frames of the radio. The recording is opened before the first ones and closed after the last ones.
    fn read(&mut self) -> Result<Vec<Heard>> {
        let mut recording = match std::mem::replace(&mut self.state, State::Ended(None)) {
            State::Waiting(open) => Box::new(open()?),
            State::Reading(recording) => recording,
            State::Ended(_) => return Ok(Vec::new()),
        };
        let mut frames = Vec::new();
        let more = recording.read_frames(&mut frames)?;
        frames.retain(|frame| frame.radio == self.radio);
        let ppdus = ppdus_of(&frames);
        let heard = |frame: Frame| {
            let ppdu_ns = frame.ppdu_no.and_then(|number| ppdus.get(&number).copied()).unwrap_or_else(|| span(&frame));
            Heard { marks_begin: recording.marks_beginning(&frame), ppdu_ns, frame: Box::new(frame) }
        };
        let heard = frames.into_iter().map(heard).collect();
        self.state = if more { State::Reading(recording) } else { State::Ended(recording.observer_of(self.radio)) };
        Ok(heard)
    }

    /// Converts the times of a frame to the common clock.
    fn take(&mut self, index: usize, heard: Heard, arrival: u64) -> Waiting {
        let Heard { mut frame, ppdu_ns: (begin_ns, end_ns), marks_begin } = heard;
        let own_ns = frame.start_ns.or(frame.end_ns).unwrap_or(frame.ts_ns);
        let offset_ns = self.map.offset_ns(own_ns);
        // Offsets that damaged times gave may reach beyond what a time is.
        let common = |ns: i64| nearest_accepted(ns.saturating_add(offset_ns));
        let at_ns = common(own_ns);
        self.newest_ns = self.newest_ns.max(at_ns);
        self.held += 1;
        frame.ts_ns = common(frame.ts_ns);
        frame.start_ns = frame.start_ns.map(common);
        frame.end_ns = frame.end_ns.map(common);
        let copy = Copy {
            source: index,
            frame_no: frame.frame_no,
            is_sent: frame.direction == Some(Direction::Tx),
            is_readable: frame.is_readable(),
            signal_dbm: frame.signal_dbm,
            at_ns,
            marks_begin,
            ppdu: frame.ppdu_no,
            ppdu_ns: (common(begin_ns), common(end_ns)),
        };
        Waiting { key: (at_ns, index, arrival), copy, frame }
    }
}

/// First and last instant of each A-MPDU, by its number. Those of one recording are in one batch.
type Ppdus = FxHashMap<u64, (i64, i64)>;

fn ppdus_of(frames: &[Frame]) -> Ppdus {
    let mut ppdus = Ppdus::default();
    for frame in frames {
        if let Some(number) = frame.ppdu_no {
            let (begin_ns, end_ns) = span(frame);
            let ppdu = ppdus.entry(number).or_insert((begin_ns, end_ns));
            *ppdu = (ppdu.0.min(begin_ns), ppdu.1.max(end_ns));
        }
    }
    ppdus
}

fn span(frame: &Frame) -> (i64, i64) {
    let begin_ns = frame.start_ns.or(frame.end_ns).unwrap_or(frame.ts_ns);
    (begin_ns, frame.end_ns.map_or(begin_ns, |end| end.max(begin_ns)))
}

impl Ord for Waiting {
    fn cmp(&self, other: &Waiting) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Waiting) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Waiting) -> bool {
        self.key == other.key
    }
}

impl Eq for Waiting {}

#[cfg(test)]
mod tests;
