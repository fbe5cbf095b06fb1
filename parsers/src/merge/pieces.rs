//! Fits a clock map to the times of shared frames.

use crate::base::numbers::whole;
use crate::clock::line::Line;
use crate::clock::misfit::{misfit, Misfit};
use crate::merge::clock_map::{ClockMap, Piece};

/// Coarsest usual resolution of stamps: one microsecond.
const QUANTUM_NS: f64 = 1_000.0;
/// Maximum depth of halving: at most 64 pieces.
const MAX_DEPTH: u32 = 6;
/// Clocks drift by about 20 ppm relative to each other. A slope with a larger error than this is set to zero.
const MAX_SLOPE_ERROR: f64 = 20e-6;

/// A fitted map and the quality of the fit.
pub(super) struct Fit {
    pub map: ClockMap,
    /// Standard deviation of the shared frames about the map, nanoseconds.
    pub spread_ns: f64,
    /// Standard error of the first piece's slope.
    pub slope_error: f64,
    /// Number of shared frames in the fit.
    pub inliers: usize,
}

/// Fits a map to pairs of an instant on the source's clock and the same instant on the reference clock.
///
/// One line is used if it fits. Otherwise the frames are split where the offset jumps, or in the middle if the
/// offset bends, and each part is fitted separately. `None` for too few pairs.
pub(super) fn fit(mut pairs: Vec<(i64, i64)>) -> Option<Fit> {
    pairs.sort_unstable();
    let origin_ns = pairs.first()?.0;
    let mut offsets: Vec<i64> = pairs.iter().map(|(own, reference)| reference.saturating_sub(*own)).collect();
    let middle = offsets.len() / 2;
    let (_, &mut base_ns, _) = offsets.select_nth_unstable(middle);
    let point = |&(own, reference): &(i64, i64)| {
        let offset_ns = reference.saturating_sub(own);
        (own.saturating_sub(origin_ns) as f64, offset_ns.saturating_sub(base_ns) as f64)
    };
    let points: Vec<(f64, f64)> = pairs.iter().map(point).collect();
    let mut lines = Vec::new();
    part(&points, MAX_DEPTH, &mut lines);
    let slope_error = lines.first()?.1.slope_error;
    let inliers: usize = lines.iter().map(|(_, line)| line.inliers).sum();
    let spread_ns = lines.iter().map(|(_, line)| line.spread * line.inliers as f64).sum::<f64>() / inliers as f64;
    let piece = |(from, line): &(f64, Line)| Piece {
        from_ns: origin_ns.saturating_add(whole(*from)),
        at_ns: origin_ns.saturating_add(whole(line.x0.round())),
        offset_ns: base_ns.saturating_add(whole(line.at(line.x0.round()).round())),
        slope: line.slope,
    };
    Some(Fit { map: ClockMap::new(lines.iter().map(piece).collect()), spread_ns, slope_error, inliers })
}

/// Appends the lines through `points`, each with the x at which it begins.
fn part(points: &[(f64, f64)], depth: u32, lines: &mut Vec<(f64, Line)>) {
    let (Some(line), Some(first)) = (Line::fit(points, QUANTUM_NS), points.first()) else { return };
    let split = match misfit(points, &line) {
        Some(Misfit::Jump(at)) if depth > 0 => at,
        Some(Misfit::Bend) if depth > 0 => points.len() / 2,
        _ => {
            let slope = if line.slope_error > MAX_SLOPE_ERROR { 0.0 } else { line.slope };
            lines.push((first.0, Line { slope, ..line }));
            return;
        }
    };
    let (early, late) = points.split_at(split);
    part(early, depth - 1, lines);
    part(late, depth - 1, lines);
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    /// A frame every 10 ms whose reference time is `truth` of its own time, with noise of half a microsecond.
    fn pairs(count: i64, truth: impl Fn(i64) -> i64) -> Vec<(i64, i64)> {
        (0..count)
            .map(|n| n * SECOND / 100)
            .map(|own| (own, truth(own) + own / (SECOND / 100) * 7919 % 1000 - 500))
            .collect()
    }

    fn worst_ns(fit: &Fit, pairs: &[(i64, i64)], truth: impl Fn(i64) -> i64) -> u64 {
        pairs.iter().map(|&(own, _)| fit.map.apply(own).abs_diff(truth(own))).max().unwrap()
    }

    #[test]
    fn offset_and_drift_are_one_line() {
        let truth = |own: i64| own + 1_700_000_000 * SECOND + own / 100_000 * 2; // 20 ppm
        let shared = pairs(6000, truth);
        let fit = fit(shared.clone()).unwrap();
        assert_eq!(fit.map.pieces().len(), 1);
        assert!((fit.map.pieces()[0].slope * 1e6 - 20.0).abs() < 0.01);
        assert!(worst_ns(&fit, &shared, truth) < 100);
    }

    #[test]
    fn a_clock_that_was_set_gives_two_pieces() {
        let set = |own: i64| if own < 20 * SECOND { 0 } else { 250_000 };
        let truth = |own: i64| own + set(own) - own / 100_000;
        let shared = pairs(6000, truth);
        let fit = fit(shared.clone()).unwrap();
        assert_eq!(fit.map.pieces().len(), 2, "{:?}", fit.map);
        assert!(worst_ns(&fit, &shared, truth) < 300);
    }

    #[test]
    fn a_clock_that_warms_up_gives_several() {
        let warm = |own: i64| (20_000.0 * (own as f64 / 1e10).powi(2)) as i64; // 4 us to 720 us
        let truth = |own: i64| own + warm(own);
        let shared = pairs(6000, truth);
        let fit = fit(shared.clone()).unwrap();
        assert!(worst_ns(&fit, &shared, truth) < 6_000, "{} {:?}", worst_ns(&fit, &shared, truth), fit.map);
    }

    #[test]
    fn one_pair_in_five_may_be_wrong() {
        let truth = |own: i64| own - 77 * SECOND;
        let mut shared = pairs(1000, truth);
        shared.iter_mut().step_by(5).for_each(|pair| pair.1 += 3_000_000);
        let fit = fit(shared.clone()).unwrap();
        assert!(worst_ns(&fit, &shared, truth) < 300, "{:?}", fit.map);
        assert_eq!(fit.inliers, 800);
    }

    #[test]
    fn a_short_overlap_gives_an_offset_and_no_drift() {
        let truth = |own: i64| own + 5_000;
        let shared: Vec<(i64, i64)> = (0..10).map(|n| (n * 100_000, truth(n * 100_000) + n % 2 * 900)).collect();
        let fit = fit(shared).unwrap();
        assert_eq!(fit.map.pieces()[0].slope, 0.0);
        assert!(fit.map.offset_ns(60 * SECOND).abs_diff(5_000) < 1_000);
    }

    #[test]
    fn extreme_times_do_not_overflow() {
        fit(vec![(i64::MIN, i64::MAX), (0, 0), (1, i64::MIN), (2, 5), (i64::MAX, i64::MIN)]);
        assert!(fit(vec![]).is_none());
    }
}
