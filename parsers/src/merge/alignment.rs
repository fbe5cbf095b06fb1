//! Maps the clock of each recording to that of the first recording.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use crate::merge::clock_map::ClockMap;
use crate::merge::pieces::{self, Fit};
use crate::merge::sketch::Sketch;

/// Minimum number of shared frames for an alignment.
const MIN_SHARED: usize = 8;

/// Alignment of the clock of one recording with the reference clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Alignment {
    /// The clock map.
    pub map: ClockMap,
    /// Number of unique frames shared with the recordings aligned before it.
    pub shared: usize,
    /// Number of those frames that agree with the map.
    pub inliers: usize,
    /// Standard deviation of the shared frames about the map, microseconds.
    pub spread_us: f64,
    /// Parts per million by which the source's clock is faster than the reference clock, at the start of the
    /// source.
    pub drift_ppm: f64,
    /// Standard error of `drift_ppm`.
    pub drift_error_ppm: f64,
}

/// Aligns all recordings with the first. `None` for a recording that shares too few frames with any aligned
/// one.
///
/// The other recordings are aligned in descending order of frames shared with those already aligned. Two
/// recordings therefore need no shared frames if a third one overlaps with both.
pub fn align(sketches: &[Sketch]) -> Vec<Option<Alignment>> {
    let mut alignments: Vec<Option<Alignment>> = vec![None; sketches.len()];
    let Some((first, reference)) = alignments.first_mut().zip(sketches.first()) else { return alignments };
    *first = Some(Alignment {
        map: ClockMap::identity(),
        shared: 0,
        inliers: 0,
        spread_us: 0.0,
        drift_ppm: 0.0,
        drift_error_ppm: 0.0,
    });
    let mut common = Common::new(sketches);
    common.learn(reference.unique());
    while let Some(next) = common.closest() {
        common.open.get_mut(next).into_iter().for_each(|open| *open = false);
        let Some((slot, sketch)) = alignments.get_mut(next).zip(sketches.get(next)) else { continue };
        let pairs = shared(sketch, &common.known);
        let count = pairs.len();
        let Some(fit) = pieces::fit(pairs) else { continue };
        common.learn(sketch.unique().map(|(content, start_ns)| (content, fit.map.apply(start_ns))));
        *slot = Some(alignment(fit, count));
    }
    alignments
}

/// What the aligned recordings have in common with each of the others. It is kept up to date frame by frame: counting
/// anew for each recording would take the square of their number.
struct Common {
    /// Start of the frames of the aligned recordings on the reference clock, by content.
    known: FxHashMap<u64, i64>,
    /// The recordings that hold a content once.
    holders: FxHashMap<u64, Vec<usize>>,
    /// Frames shared with the aligned recordings, by recording.
    counts: Vec<usize>,
    /// Whether a recording is still to be aligned.
    open: Vec<bool>,
}

impl Common {
    fn new(sketches: &[Sketch]) -> Self {
        let mut holders: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        for (index, sketch) in sketches.iter().enumerate() {
            for (content, _) in sketch.unique() {
                holders.entry(content).or_default().push(index);
            }
        }
        let open = (0..sketches.len()).map(|index| index > 0).collect();
        Self { known: FxHashMap::default(), holders, counts: vec![0; sketches.len()], open }
    }

    /// Adds frames of an aligned recording.
    fn learn(&mut self, frames: impl Iterator<Item = (u64, i64)>) {
        for (content, start_ns) in frames {
            if let Entry::Vacant(unknown) = self.known.entry(content) {
                unknown.insert(start_ns);
                for &holder in self.holders.get(&content).into_iter().flatten() {
                    self.counts.get_mut(holder).into_iter().for_each(|count| *count += 1);
                }
            }
        }
    }

    /// The open recording with the most frames shared with the aligned ones, the first of several; none if too few.
    fn closest(&self) -> Option<usize> {
        let counted = self.counts.iter().zip(&self.open).enumerate();
        let enough = counted.filter(|&(_, (&count, &is_open))| is_open && count >= MIN_SHARED);
        enough.max_by_key(|&(index, (&count, _))| (count, std::cmp::Reverse(index))).map(|(index, _)| index)
    }
}

fn shared(sketch: &Sketch, known: &FxHashMap<u64, i64>) -> Vec<(i64, i64)> {
    sketch.unique().filter_map(|(content, own)| Some((own, *known.get(&content)?))).collect()
}

fn alignment(fit: Fit, shared: usize) -> Alignment {
    let slope = fit.map.pieces().first().map_or(0.0, |piece| piece.slope);
    // Reference time advances by 1 + slope for each unit of source time.
    Alignment {
        shared,
        inliers: fit.inliers,
        spread_us: fit.spread_ns / 1e3,
        drift_ppm: (1.0 / (1.0 + slope) - 1.0) * 1e6,
        drift_error_ppm: fit.slope_error * 1e6,
        map: fit.map,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Frame;

    /// Frames `range`, one per millisecond, stamped by a clock that is `ppm` fast and `ahead_ns` ahead.
    fn sketch(range: std::ops::Range<i64>, ahead_ns: i64, ppm: i64) -> Sketch {
        let mut sketch = Sketch::of_one_among(3);
        for n in range {
            let start_ns = n * 1_000_000 + n * ppm + ahead_ns;
            let content = Some((n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            sketch.observe(&Frame { content, seq: Some(0), start_ns: Some(start_ns), ..Frame::new(1, start_ns) });
        }
        sketch
    }

    #[test]
    fn a_recording_in_between_joins_two_that_share_nothing() {
        let recordings = [sketch(0..2000, 0, 0), sketch(3000..5000, 9_000_000, -12), sketch(1000..4000, -5_000, 30)];
        let alignments = align(&recordings);
        let found: Vec<(f64, usize)> = alignments.iter().flatten().map(|a| (a.drift_ppm.round(), a.shared)).collect();
        assert_eq!(found, [(0.0, 0), (-12.0, 1000), (30.0, 1000)]);
        let last = alignments[1].as_ref().unwrap();
        let own_ns = 4_500 * 1_000_000 - 4_500 * 12 + 9_000_000;
        assert!(last.map.apply(own_ns).abs_diff(4_500 * 1_000_000) < 20, "{last:?}");
    }

    #[test]
    fn what_shares_nothing_is_not_aligned() {
        let alignments = align(&[sketch(0..100, 0, 0), sketch(200..300, 0, 0), Sketch::of_one_among(3)]);
        assert!(alignments[0].is_some() && alignments[1].is_none() && alignments[2].is_none());
        assert_eq!(align(&[]), []);
    }
}
