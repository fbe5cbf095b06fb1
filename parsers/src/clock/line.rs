//! Robust fit of a straight line to noisy points with outliers.

/// Points farther from the line than this many standard deviations are outliers.
const OUTLIER_SIGMAS: f64 = 4.0;
/// Factor from median absolute deviation to standard deviation, for normal noise.
pub(crate) const MAD_TO_SIGMA: f64 = 1.4826;
/// Standard error of a median, over that of the mean, for normal noise.
pub(crate) const MEDIAN_ERROR: f64 = 1.253;
/// Number of rounds that remove outliers and fit again.
const ROUNDS: usize = 4;
/// Minimum number of points for a fit.
const MIN_POINTS: usize = 4;

/// `y = y0 + slope * (x - x0)`, with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Line {
    /// Mean x of the points, where the uncertainty of the line is smallest.
    pub x0: f64,
    /// Value at `x0`.
    pub y0: f64,
    /// Change of y per unit of x.
    pub slope: f64,
    /// Standard error of `slope`.
    pub slope_error: f64,
    /// Robust standard deviation of the points about the line (1.4826 times their median distance).
    pub spread: f64,
    /// Number of points in the final fit.
    pub inliers: usize,
}

impl Line {
    /// Fits a line to points in order of x. `quantum` is the resolution of y; smaller distances are not
    /// significant.
    ///
    /// The first estimate is the median of the slopes between each point and the one half the points further on
    /// (Theil's incomplete method), which tolerates almost 30 % of outliers. The result is the least squares
    /// line through the points that are not outliers. `None` for fewer than four points or no extent in x.
    pub(crate) fn fit(points: &[(f64, f64)], quantum: f64) -> Option<Line> {
        if points.len() < MIN_POINTS {
            return None;
        }
        let (early, late) = points.split_at(points.len() / 2);
        let slopes = early.iter().zip(late).map(|(a, b)| (b.1 - a.1) / (b.0 - a.0)).filter(|slope| slope.is_finite());
        let slope = median(slopes.collect())?;
        let x0 = points.first()?.0;
        let y0 = median(points.iter().map(|point| point.1 - slope * (point.0 - x0)).collect())?;
        let mut line = Line { x0, y0, slope, slope_error: f64::INFINITY, spread: 0.0, inliers: 0 };
        for _ in 0..ROUNDS {
            line.spread = line.spread_of(points)?.max(quantum / MAD_TO_SIGMA / 2.0);
            let limit = OUTLIER_SIGMAS * line.spread;
            let near: Vec<(f64, f64)> = points.iter().filter(|point| line.distance(point) <= limit).copied().collect();
            line = least_squares(&near, line.spread)?;
        }
        Some(line)
    }

    /// Value of the line at `x`.
    pub(crate) fn at(&self, x: f64) -> f64 {
        self.y0 + self.slope * (x - self.x0)
    }

    fn distance(&self, point: &(f64, f64)) -> f64 {
        (point.1 - self.at(point.0)).abs()
    }

    fn spread_of(&self, points: &[(f64, f64)]) -> Option<f64> {
        median(points.iter().map(|point| self.distance(point)).collect()).map(|distance| MAD_TO_SIGMA * distance)
    }
}

/// The median; `None` if there are no values.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let (count, middle) = (values.len(), values.len() / 2);
    let (lower, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let below = lower.iter().copied().max_by(f64::total_cmp).filter(|_| count.is_multiple_of(2));
    Some(below.map_or(upper, |below| (below + upper) / 2.0))
}

fn least_squares(points: &[(f64, f64)], spread: f64) -> Option<Line> {
    if points.len() < MIN_POINTS {
        return None;
    }
    let count = points.len() as f64;
    let x0 = points.iter().map(|point| point.0).sum::<f64>() / count;
    let y0 = points.iter().map(|point| point.1).sum::<f64>() / count;
    let extent: f64 = points.iter().map(|point| (point.0 - x0).powi(2)).sum();
    if !(extent > 0.0 && extent.is_finite()) {
        return None;
    }
    let slope = points.iter().map(|point| (point.0 - x0) * (point.1 - y0)).sum::<f64>() / extent;
    Some(Line { x0, y0, slope, slope_error: spread / extent.sqrt(), spread, inliers: points.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noisy(count: usize, wrong_every: usize) -> Vec<(f64, f64)> {
        let noise = |n: usize| ((n * 7919) % 1000) as f64 / 1000.0 - 0.5;
        let wrong = |n: usize| if n.is_multiple_of(wrong_every) { 1e6 * noise(n + 1) } else { 0.0 };
        (0..count).map(|n| (n as f64, 5.0 + 0.25 * n as f64 + noise(n) + wrong(n))).collect()
    }

    #[test]
    fn one_point_in_five_may_be_wrong() {
        let line = Line::fit(&noisy(1000, 5), 0.001).unwrap();
        assert!((line.slope - 0.25).abs() < 1e-4, "{line:?}");
        assert!((line.at(0.0) - 5.0).abs() < 0.05, "{line:?}");
        assert!((790..=800).contains(&line.inliers), "{line:?}");
        assert!((line.slope - 0.25).abs() < 4.0 * line.slope_error);
    }

    #[test]
    fn exact_points_give_an_exact_line() {
        let points: Vec<(f64, f64)> = (0..10).map(|n| (f64::from(n), 3.0 - 2.0 * f64::from(n))).collect();
        let line = Line::fit(&points, 1e-9).unwrap();
        assert!((line.slope + 2.0).abs() < 1e-12 && (line.at(1.0) - 1.0).abs() < 1e-12, "{line:?}");
        assert_eq!(line.inliers, 10);
    }

    #[test]
    fn too_little_gives_none() {
        assert_eq!(Line::fit(&[(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)], 1.0), None);
        assert_eq!(Line::fit(&[(1.0, 0.0); 20], 1.0), None);
        assert_eq!(Line::fit(&[(f64::NAN, f64::NAN); 20], 1.0), None);
        assert_eq!(median(vec![]), None);
        assert_eq!((median(vec![3.0, 1.0, 2.0]), median(vec![4.0, 1.0])), (Some(2.0), Some(2.5)));
    }
}
