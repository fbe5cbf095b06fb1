//! Who heard whom, and how much of what was sent.

use rustc_hash::FxHashMap;

use crate::names::NOBODY;

/// In place of an address: frames for all stations.
pub(super) const EVERYBODY: u32 = NOBODY - 1;

/// Clocks that show less do not count from 1970, as those of simulators, and are not compared.
const CALENDAR_NS: i64 = 100_000_000_000_000_000;

/// Frames of `neighbour` in the recordings of `recorder`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Pair {
    /// The observer, else the source.
    pub(super) recorder: u32,
    /// Of the recorder's own frames their recording, else [`NOBODY`].
    pub(super) source: u32,
    pub(super) neighbour: u32,
    /// Of a simulator's node: whom the frames were for.
    pub(super) addressed: u32,
    /// The recorder's own frames.
    pub(super) own: bool,
}

impl Pair {
    /// The same with other numbers for names.
    pub(super) fn renamed(self, renamed: impl Fn(u32) -> u32) -> Pair {
        let [recorder, source, neighbour, addressed] =
            [self.recorder, self.source, self.neighbour, self.addressed].map(renamed);
        Pair { recorder, source, neighbour, addressed, ..self }
    }
}

/// First and last time of what each recorder recorded, by recording.
#[derive(Default)]
pub(super) struct Spans {
    /// By recorder and recording, the place among `spans`.
    places: FxHashMap<(u32, u32), usize>,
    spans: Vec<(u32, u32, Span)>,
    /// Frames come recording by recording.
    latest: usize,
}

type Span = (i64, i64);

/// When a station's own recording was made, and how many of its frames are in it.
type Sent = (Option<Span>, i64);

impl Spans {
    pub(super) fn add(&mut self, recorder: u32, source: u32, (from_ns, until_ns): Span) {
        let is_latest =
            |&(its_recorder, its_source, _): &(u32, u32, Span)| (its_recorder, its_source) == (recorder, source);
        if !self.spans.get(self.latest).is_some_and(is_latest) {
            self.latest = *self.places.entry((recorder, source)).or_insert(self.spans.len());
            if self.latest == self.spans.len() {
                self.spans.push((recorder, source, (from_ns, until_ns)));
            }
        }
        if let Some((_, _, span)) = self.spans.get_mut(self.latest) {
            *span = (span.0.min(from_ns), span.1.max(until_ns));
        }
    }

    pub(super) fn merge(&mut self, other: &Spans, renamed: impl Fn(u32) -> u32) {
        for &(recorder, source, span) in &other.spans {
            self.add(renamed(recorder), renamed(source), span);
        }
    }

    fn of(&self, recorder: u32, source: u32) -> Option<Span> {
        self.places.get(&(recorder, source)).and_then(|&place| self.spans.get(place)).map(|&(_, _, span)| span)
    }
}

/// True if recordings may be of one time.
fn is_meanwhile(one: Span, other: Span) -> bool {
    one.0.min(other.0) < CALENDAR_NS || one.0 <= other.1 && other.0 <= one.1
}

/// How many frames, and their signal.
#[derive(Clone, Copy, Default)]
pub(super) struct Heard {
    frames: i64,
    signal_sum: i64,
    signals: i64,
}

impl Heard {
    pub(super) fn add(&mut self, signal_dbm: Option<i32>) {
        self.merge(Heard {
            frames: 1,
            signal_sum: signal_dbm.map_or(0, i64::from),
            signals: i64::from(signal_dbm.is_some()),
        });
    }

    pub(super) fn merge(&mut self, other: Heard) {
        self.frames += other.frames;
        self.signal_sum += other.signal_sum;
        self.signals += other.signals;
    }
}

/// A row of `neighbours`.
pub(super) struct Neighbour {
    pub(super) node: u32,
    pub(super) neighbour: u32,
    pub(super) heard: i64,
    pub(super) delivery_ratio: Option<f64>,
    pub(super) signal_dbm: Option<f64>,
}

/// One row per recorder and station that it heard.
///
/// What a station sent is known from its own recordings, of which those count that overlap one of the recorder. A
/// simulator's trace tells of receptions only where the frame was meant for the node, so there only those frames count.
pub(super) fn neighbours(counts: &FxHashMap<Pair, Heard>, spans: &Spans) -> Vec<Neighbour> {
    let mut heard: FxHashMap<(u32, u32), Heard> = FxHashMap::default();
    let mut sent: FxHashMap<(u32, u32), Vec<Sent>> = FxHashMap::default();
    for (pair, count) in counts {
        if pair.own {
            let span = spans.of(pair.recorder, pair.source);
            sent.entry((pair.neighbour, pair.addressed)).or_default().push((span, count.frames));
        } else {
            heard.entry((pair.recorder, pair.neighbour)).or_default().merge(*count);
        }
    }
    let mut recorded: FxHashMap<u32, Vec<Span>> = FxHashMap::default();
    for &(recorder, _, span) in &spans.spans {
        recorded.entry(recorder).or_default().push(span);
    }
    let sent = |node, neighbour, addressed| {
        let recordings = recorded.get(&node).map_or(&[][..], Vec::as_slice);
        let is_of_one_time = |span: Span| recordings.iter().any(|&own| is_meanwhile(own, span));
        let of_one_time = |(span, frames): &Sent| span.is_none_or(is_of_one_time).then_some(*frames);
        sent.get(&(neighbour, addressed)).map(|sent| sent.iter().filter_map(of_one_time).sum::<i64>())
    };
    let row = |(&(node, neighbour), heard): (&(u32, u32), &Heard)| {
        let meant = || sent(node, neighbour, node).unwrap_or(0) + sent(node, neighbour, EVERYBODY).unwrap_or(0);
        let total = sent(node, neighbour, NOBODY).unwrap_or_else(meant);
        Neighbour {
            node,
            neighbour,
            heard: heard.frames,
            delivery_ratio: (total > 0).then(|| (heard.frames as f64 / total as f64).clamp(0.0, 1.0)),
            signal_dbm: (heard.signals > 0).then(|| heard.signal_sum as f64 / heard.signals as f64),
        }
    };
    heard.iter().map(row).collect()
}
