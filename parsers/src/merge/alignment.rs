//! How the clock of each recording maps to that of the first.

use rustc_hash::FxHashMap;

use crate::merge::clock_map::ClockMap;
use crate::merge::pieces::{self, Fit};
use crate::merge::sketch::Sketch;

/// Recordings that share fewer frames than this cannot be brought together.
const MIN_SHARED: usize = 8;

/// How one recording's clock was brought onto the reference's.
#[derive(Clone, Debug, PartialEq)]
pub struct Alignment {
    /// The map.
    pub map: ClockMap,
    /// Unique frames it has in common with the recordings aligned before it.
    pub shared: usize,
    /// Those of them that agree with the map.
    pub inliers: usize,
    /// Standard deviation of the shared frames about the map, microseconds.
    pub spread_us: f64,
    /// Parts per million by which the source's clock is faster than the reference's, at its beginning.
    pub drift_ppm: f64,
    /// Standard error of `drift_ppm`.
    pub drift_error_ppm: f64,
}

/// Aligns recordings with the first; `None` for one that shares too few frames with any that is aligned.
///
/// The others follow in the order of how much they share with those that are aligned already, so two
/// recordings need not share a frame if a third lies between them.
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
    let mut known: FxHashMap<u64, i64> = reference.unique().collect();
    let mut open: Vec<usize> = (1..sketches.len()).collect();
    while let Some(next) = closest(sketches, &open, &known) {
        open.retain(|&index| index != next);
        let Some((slot, sketch)) = alignments.get_mut(next).zip(sketches.get(next)) else { continue };
        let pairs = shared(sketch, &known);
        let count = pairs.len();
        let Some(fit) = pieces::fit(pairs) else { continue };
        for (content, start_ns) in sketch.unique() {
            known.entry(content).or_insert_with(|| fit.map.apply(start_ns));
        }
        *slot = Some(alignment(fit, count));
    }
    alignments
}

/// The one that shares most with what is known, if that is enough.
fn closest(sketches: &[Sketch], open: &[usize], known: &FxHashMap<u64, i64>) -> Option<usize> {
    let counted = open.iter().filter_map(|&index| Some((index, shared(sketches.get(index)?, known).len())));
    let enough = counted.filter(|(_, count)| *count >= MIN_SHARED);
    enough.max_by_key(|&(index, count)| (count, std::cmp::Reverse(index))).map(|(index, _)| index)
}

fn shared(sketch: &Sketch, known: &FxHashMap<u64, i64>) -> Vec<(i64, i64)> {
    sketch.unique().filter_map(|(content, own)| Some((own, *known.get(&content)?))).collect()
}

fn alignment(fit: Fit, shared: usize) -> Alignment {
    let slope = fit.map.pieces().first().map_or(0.0, |piece| piece.slope);
    // The reference's time grows by 1 + slope while the source's grows by 1.
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

    /// Frames `range`, one every millisecond, heard by a clock that is 30 ppm fast and `ahead_ns` ahead.
    fn sketch(range: std::ops::Range<i64>, ahead_ns: i64, ppm: i64) -> Sketch {
        let mut sketch = Sketch::default();
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
        let alignments = align(&[sketch(0..100, 0, 0), sketch(200..300, 0, 0), Sketch::default()]);
        assert!(alignments[0].is_some() && alignments[1].is_none() && alignments[2].is_none());
        assert_eq!(align(&[]), []);
    }
}
