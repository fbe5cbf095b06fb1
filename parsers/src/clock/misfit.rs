//! Why a line does not fit a clock: the clock was set, or its speed changed.

use super::line::{median, Line, MAD_TO_SIGMA, MEDIAN_ERROR};

/// Radios, directions and modulations differ by this much in the instant that they stamp. A smaller bend or
/// jump of a clock has no effect.
const HARMLESS_NS: f64 = 3_000.0;
/// Minimum number of points on each side of a jump.
pub(crate) const MIN_POINTS: usize = 16;
/// Number of points on each side of an instant that are compared to detect a jump.
const BESIDE: usize = 8;
/// A median of eight values that is off by this many standard deviations is significant.
const CERTAIN_SIGMAS: f64 = 4.0;

/// How points differ from a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// They jump before the point of this index.
    Jump(usize),
    /// They bend.
    Bend,
}

/// How points in order of x, nanoseconds, differ from `line`; `None` if it fits, or if they are too few to tell.
pub(crate) fn misfit(points: &[(f64, f64)], line: &Line) -> Option<Misfit> {
    if points.len() < 2 * MIN_POINTS {
        return None;
    }
    let residuals: Vec<f64> = points.iter().map(|point| point.1 - line.at(point.0)).collect();
    let steps = residuals.iter().zip(residuals.iter().skip(1)).map(|(one, next)| (next - one).abs()).collect();
    let noise = MAD_TO_SIGMA * median(steps)? / std::f64::consts::SQRT_2;
    let doubt = HARMLESS_NS + CERTAIN_SIGMAS * MEDIAN_ERROR * noise / (BESIDE as f64).sqrt();
    let medians: Vec<f64> = residuals.windows(BESIDE).filter_map(|window| median(window.to_vec())).collect();
    if medians.iter().all(|median| median.abs() <= doubt) {
        return None;
    }
    // `medians[i]` covers the residuals from `i` on; `medians[i - BESIDE]` covers those before `i`.
    let level = |at: usize| medians.get(at).copied().unwrap_or(f64::NAN);
    let jump = |at: &usize| (level(*at) - level(at.saturating_sub(BESIDE))).abs();
    let candidates = MIN_POINTS.max(BESIDE)..=(points.len() - MIN_POINTS).min(medians.len() - 1);
    let largest = candidates.max_by(|a, b| jump(a).total_cmp(&jump(b)))?;
    Some(match jump(&largest) > 2.0 * doubt {
        true => Misfit::Jump(first_after_jump(&residuals, largest)),
        false => Misfit::Bend,
    })
}

/// Index of the first point after a jump, within `BESIDE` points of `near`. The index minimizes the number of
/// points that are closer to the level of the other side of the jump.
fn first_after_jump(residuals: &[f64], near: usize) -> usize {
    let (from, until) = (near.saturating_sub(BESIDE), (near + BESIDE).min(residuals.len()));
    let between = |from: usize, until: usize| residuals.get(from..until).unwrap_or_default();
    let before = median(between(from.saturating_sub(BESIDE), from).to_vec());
    let after = median(between(until, (until + BESIDE).min(residuals.len())).to_vec());
    let (Some(before), Some(after)) = (before, after) else { return near };
    let is_after = |residual: &f64| (residual - after).abs() < (residual - before).abs();
    let misplaced = |at: &usize| {
        let early = between(from, *at).iter().filter(|residual| is_after(residual)).count();
        early + between(*at, until).iter().filter(|residual| !is_after(residual)).count()
    };
    (from..=until).min_by_key(misplaced).unwrap_or(near)
}
