//! Reads recordings in parallel and merges the copies of each transmission.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::base::numbers::whole;
use crate::base::Result;
use crate::exchanges::{Exchange, ExchangeBuilder};
use crate::frame::{Addr, Direction, Frame};
use crate::merge::alignment::Alignment;
use crate::merge::clock_map::ClockMap;
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
    /// Copies of the frames, per recording.
    pub hearings: Vec<Vec<Hearing>>,
}

impl Merged {
    /// Empty output with room for that many recordings.
    pub fn new(recordings: usize) -> Merged {
        Merged { hearings: vec![Vec::new(); recordings], ..Merged::default() }
    }

    fn clear(&mut self) {
        self.frames.clear();
        self.exchanges.clear();
        self.hearings.iter_mut().for_each(Vec::clear);
    }
}

/// Merges aligned recordings in bounded memory (a few batches per recording).
pub struct Merger {
    sources: Vec<Source>,
    /// Frames that have been read but not yet merged.
    waiting: BinaryHeap<Reverse<Waiting>>,
    arrivals: u64,
    /// Transmissions that may have further copies, in order of time.
    recent: VecDeque<Transmission>,
    builder: ExchangeBuilder,
    finished: u64,
}

struct Source {
    recording: Recording,
    /// Number of the radio whose frames are used.
    radio: u8,
    map: ClockMap,
    tolerance_ns: f64,
    newest_ns: i64,
    more: bool,
}

/// Orders frames by time, and frames of the same time by arrival.
struct Waiting {
    key: (i64, u64),
    copy: Copy,
    frame: Box<Frame>,
}

impl Merger {
    /// Takes newly opened recordings, each with the radio to use and its alignment. A recording of several radios is
    /// opened once per radio, so that frames of a rarely received radio do not wait for frames of another one.
    pub fn new(recordings: Vec<(Recording, u8, Alignment)>) -> Merger {
        let source = |(recording, radio, alignment): (Recording, u8, Alignment)| Source {
            recording,
            radio,
            map: alignment.map,
            tolerance_ns: (TOLERANCE_SIGMAS * alignment.spread_us * 1e3).clamp(MIN_TOLERANCE_NS, MAX_TOLERANCE_NS),
            newest_ns: i64::MIN,
            more: true,
        };
        Merger {
            sources: recordings.into_iter().map(source).collect(),
            waiting: BinaryHeap::new(),
            arrivals: 0,
            recent: VecDeque::new(),
            builder: ExchangeBuilder::new(None),
            finished: 0,
        }
    }

    /// Replaces the content of `merged` with the next rows; false if there are no more.
    pub fn read(&mut self, merged: &mut Merged) -> Result<bool> {
        merged.clear();
        let behind = self.sources.iter_mut().enumerate().filter(|(_, source)| source.more);
        if let Some((index, source)) = behind.min_by_key(|(_, source)| source.newest_ns) {
            let mut frames = Vec::new();
            source.more = source.recording.read_frames(&mut frames)?;
            let of_radio = |frame: &Frame| frame.radio == source.radio;
            for frame in frames.into_iter().filter(of_radio).collect::<Vec<_>>() {
                let waiting = source.take(index, frame, self.arrivals);
                self.arrivals += 1;
                self.waiting.push(Reverse(waiting));
            }
        }
        let more = self.sources.iter().any(|source| source.more);
        let newest = self.sources.iter().filter(|source| source.more).map(|source| source.newest_ns).min();
        let settled_ns = newest.map_or(i64::MAX, |newest| newest.saturating_sub(DISORDER_NS));
        while self.waiting.peek().is_some_and(|Reverse(first)| !more || first.key.0 < settled_ns) {
            let Some(Reverse(first)) = self.waiting.pop() else { break };
            self.place(first, merged);
        }
        if !more {
            self.settle(i64::MAX, merged);
            self.builder.finish(&mut merged.exchanges);
        }
        Ok(more)
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
        let nearest = self.recent.iter_mut().filter(is_copy).min_by_key(|heard| heard.at_ns.abs_diff(copy.at_ns));
        match nearest {
            Some(heard) => heard.add(frame, copy),
            None => self.recent.push_back(Transmission::new(frame, copy)),
        }
    }

    /// Outputs the transmissions that began before `until_ns`, because no more copies of them can follow.
    fn settle(&mut self, until_ns: i64, merged: &mut Merged) {
        while self.recent.front().is_some_and(|first| first.at_ns < until_ns || until_ns == i64::MAX) {
            let Some(Transmission { mut frame, at_ns, copies }) = self.recent.pop_front() else { break };
            self.finished += 1;
            for copy in &copies {
                let hearing = Hearing {
                    frame_no: self.finished,
                    source_frame_no: copy.frame_no,
                    observer: self
                        .sources
                        .get(copy.source)
                        .and_then(|source| source.recording.observer_of(source.radio)),
                    ta: frame.ta.filter(|_| frame.is_readable()),
                    is_sent: copy.is_sent,
                    is_readable: copy.is_readable,
                    signal_dbm: copy.signal_dbm,
                    apart_ns: copy.at_ns.saturating_sub(at_ns),
                };
                merged.hearings.get_mut(copy.source).into_iter().for_each(|rows| rows.push(hearing));
            }
            (frame.frame_no, frame.radio) = (self.finished, 0);
            frame.ppdu_no = None; // numbers of frames of one recording
            (frame.observer, frame.direction) = (None, None);
            self.builder.push(&frame, &mut merged.exchanges);
            merged.frames.push(*frame);
        }
    }
}

impl Source {
    /// Converts the times of a frame to the common clock.
    fn take(&mut self, index: usize, mut frame: Frame, arrival: u64) -> Waiting {
        let own_ns = frame.start_ns.or(frame.end_ns).unwrap_or(frame.ts_ns);
        let offset_ns = self.map.offset_ns(own_ns);
        let at_ns = own_ns.saturating_add(offset_ns);
        self.newest_ns = self.newest_ns.max(at_ns);
        frame.ts_ns = frame.ts_ns.saturating_add(offset_ns);
        frame.start_ns = frame.start_ns.map(|start_ns| start_ns.saturating_add(offset_ns));
        frame.end_ns = frame.end_ns.map(|end_ns| end_ns.saturating_add(offset_ns));
        let copy = Copy {
            source: index,
            frame_no: frame.frame_no,
            is_sent: frame.direction == Some(Direction::Tx),
            is_readable: frame.is_readable(),
            signal_dbm: frame.signal_dbm,
            at_ns,
        };
        Waiting { key: (at_ns, arrival), copy, frame: Box::new(frame) }
    }
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
