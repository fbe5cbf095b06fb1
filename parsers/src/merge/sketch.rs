//! The frames of a recording that are used to compare its clock with another one.

use rustc_hash::FxHashMap;

use crate::frame::{Frame, Layer};

/// Maximum number of frames kept of a recording of any length,
const LIMIT: usize = 1 << 17;
/// and of all recordings together,
const TOTAL_LIMIT: usize = 1 << 21;
/// but at least so many of each.
const MIN_LIMIT: usize = 1 << 10;

/// Receive times of frames that are on the air only once, in bounded memory.
///
/// When the sketch is full, it drops the upper half of the range of content hashes. Two sketches therefore keep
/// the same frames of those that both recordings contain, evenly over time.
#[derive(Clone, Debug)]
pub struct Sketch {
    heard: FxHashMap<u64, Heard>,
    limit: usize,
    highest: u64,
    first_ns: Option<i64>,
    last_ns: Option<i64>,
}

#[derive(Clone, Copy, Debug)]
struct Heard {
    start_ns: i64,
    is_repeated: bool,
}

impl Sketch {
    /// An empty sketch of one of that many recordings.
    pub fn of_one_among(recordings: usize) -> Sketch {
        let limit = (TOTAL_LIMIT / recordings.max(1)).clamp(MIN_LIMIT, LIMIT);
        Sketch { heard: FxHashMap::default(), limit, highest: u64::MAX, first_ns: None, last_ns: None }
    }

    /// Adds a frame that the source's clock model has timed.
    pub fn observe(&mut self, frame: &Frame) {
        let at_ns = frame.start_ns.unwrap_or(frame.ts_ns);
        self.first_ns = Some(self.first_ns.map_or(at_ns, |first| first.min(at_ns)));
        self.last_ns = Some(self.last_ns.map_or(at_ns, |last| last.max(at_ns)));
        let (Some(content), Some(start_ns)) = (frame.content, frame.start_ns) else { return };
        if content > self.highest || !is_unique(frame) {
            return;
        }
        let heard = self.heard.entry(content).or_insert(Heard { start_ns, is_repeated: false });
        heard.is_repeated |= heard.start_ns != start_ns;
        while self.heard.len() > self.limit {
            self.highest /= 2;
            self.heard.retain(|content, _| *content <= self.highest);
        }
    }

    /// Content hash and start of every frame that was received exactly once.
    pub(super) fn unique(&self) -> impl Iterator<Item = (u64, i64)> + '_ {
        self.heard.iter().filter(|(_, heard)| !heard.is_repeated).map(|(content, heard)| (*content, heard.start_ns))
    }

    /// Start of the earliest and of the latest frame, on the source's own clock.
    pub fn span_ns(&self) -> Option<(i64, i64)> {
        self.first_ns.zip(self.last_ns)
    }
}

/// True for frames that are on the air only once: they have a sequence number, and the Retry bit is not set.
/// Subframes of an A-MPDU are excluded, because their stamps may be those of the PPDU.
fn is_unique(frame: &Frame) -> bool {
    let is_aggregated = frame.ampdu_ref.is_some();
    frame.layer == Layer::Mac && frame.seq.is_some() && !frame.is_retry() && !is_aggregated && frame.is_readable()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(content: u64, start_ns: i64) -> Frame {
        Frame { content: Some(content), start_ns: Some(start_ns), seq: Some(1), ..Frame::new(1, start_ns) }
    }

    #[test]
    fn repeated_frames_prove_nothing() {
        let mut sketch = Sketch::of_one_among(2);
        for (content, start_ns) in [(1, 10), (2, 20), (1, 30)] {
            sketch.observe(&frame(content, start_ns));
        }
        sketch.observe(&Frame { seq: None, ..frame(3, 40) });
        assert_eq!(sketch.unique().collect::<Vec<_>>(), [(2, 20)]);
        assert_eq!(sketch.span_ns(), Some((10, 40)));
    }

    #[test]
    fn full_sketches_keep_the_same_frames() {
        let content = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let sketch = |range: std::ops::Range<u64>| {
            let mut sketch = Sketch::of_one_among(2);
            range.for_each(|n| sketch.observe(&frame(content(n), n as i64)));
            sketch
        };
        let (long, short) = (sketch(0..500_000), sketch(100_000..300_000));
        assert!(long.heard.len() <= LIMIT && short.heard.len() <= LIMIT);
        assert_eq!(Sketch::of_one_among(1_000).limit, TOTAL_LIMIT / 1_000);
        let shared = long.unique().filter(|(content, _)| short.heard.contains_key(content)).count();
        assert!(shared > 20_000, "{shared}");
    }
}
