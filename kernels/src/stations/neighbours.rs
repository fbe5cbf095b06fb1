//! Who heard whom, and how much of what was sent.

use rustc_hash::FxHashMap;

use crate::names::NOBODY;

/// In place of an address: frames for all stations.
pub(super) const EVERYBODY: u32 = NOBODY - 1;

/// Frames of `neighbour` in a recording of `recorder`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Pair {
    /// The observer, else the source.
    pub(super) recorder: u32,
    pub(super) neighbour: u32,
    /// Of a simulator's node: whom the frames were for.
    pub(super) addressed: u32,
    /// The recorder's own frames.
    pub(super) own: bool,
}

impl Pair {
    /// The same with other numbers for names.
    pub(super) fn renamed(self, renamed: impl Fn(u32) -> u32) -> Pair {
        let [recorder, neighbour, addressed] = [self.recorder, self.neighbour, self.addressed].map(renamed);
        Pair { recorder, neighbour, addressed, ..self }
    }
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
/// What a station sent is known from its own recording. The clocks were not compared, so the recordings are taken to
/// cover the same time. A simulator's trace tells of receptions only where the frame was meant for the node, so there
/// only those frames count.
pub(super) fn neighbours(counts: &FxHashMap<Pair, Heard>) -> Vec<Neighbour> {
    let mut heard: FxHashMap<(u32, u32), Heard> = FxHashMap::default();
    let mut sent: FxHashMap<(u32, u32), i64> = FxHashMap::default();
    for (pair, count) in counts {
        if pair.own {
            *sent.entry((pair.neighbour, pair.addressed)).or_default() += count.frames;
        } else {
            heard.entry((pair.recorder, pair.neighbour)).or_default().merge(*count);
        }
    }
    let sent = |neighbour, addressed| sent.get(&(neighbour, addressed)).copied();
    let row = |(&(node, neighbour), heard): (&(u32, u32), &Heard)| {
        let meant = || sent(neighbour, node).unwrap_or(0) + sent(neighbour, EVERYBODY).unwrap_or(0);
        let total = sent(neighbour, NOBODY).unwrap_or_else(meant);
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
