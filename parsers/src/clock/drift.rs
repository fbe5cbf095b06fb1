//! Drift of the radio's clock relative to the host's clock.

use super::line::Line;
use super::misfit::{misfit, Misfit};
use crate::ieee80211::constants::TSF_ACCURACY_PPM;

/// Maximum number of bins, for a recording of any length.
const BINS: usize = 128;
/// Width of a bin at the start of a recording. It doubles whenever all bins are used.
const FIRST_WIDTH_NS: i64 = 1 << 24;
/// Minimum time span for a drift estimate.
const MIN_LENGTH_NS: f64 = 1e9;
/// Minimum number of bins for a drift estimate.
const MIN_BINS: usize = 8;
/// Steps of the host's clock that are told from drift.
const MAX_STEPS: u32 = 6;
/// Stamps spread this much more about a line across steps than between them.
const STEP_SPREAD: f64 = 2.0;
/// Resolution of TSFT: one microsecond.
const QUANTUM_NS: f64 = 1_000.0;

/// Drift of a radio's clock relative to the host's, over the longest stretch without a jump.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// Parts per million by which the radio's clock is faster than the host's.
    pub ppm: f64,
    /// Standard error of `ppm`.
    pub error_ppm: f64,
    /// Standard deviation of the host's stamps about the fitted line, microseconds.
    pub spread_us: f64,
    /// Length of the measured stretch, seconds.
    pub span_s: f64,
}

/// Collects the delay of the host's stamps relative to the radio's clock, in bounded memory.
///
/// Software stamps a frame after its end, never before it. The delay has a lower bound, so each time bin keeps
/// only its least delayed stamp. When all bins are used, adjacent bins are merged.
#[derive(Clone, Debug)]
pub(super) struct DriftMeter {
    origin_ns: Option<i64>,
    width_ns: i64,
    /// Radio time and delay of the earliest stamp of each bin, nanoseconds.
    bins: Vec<Option<(f64, f64)>>,
    best: Option<Drift>,
}

impl Default for DriftMeter {
    fn default() -> Self {
        DriftMeter { origin_ns: None, width_ns: FIRST_WIDTH_NS, bins: Vec::new(), best: None }
    }
}

impl DriftMeter {
    /// Adds a frame that the radio stamped at `radio_ns` and the host `late_ns` later, both on one scale.
    pub(super) fn observe(&mut self, radio_ns: i64, late_ns: i64) {
        let origin_ns = *self.origin_ns.get_or_insert(radio_ns);
        let since_ns = radio_ns.saturating_sub(origin_ns).max(0);
        while since_ns / self.width_ns >= BINS as i64 {
            self.widen();
        }
        let index = usize::try_from(since_ns / self.width_ns).unwrap_or_default(); // below BINS
        if self.bins.len() <= index {
            self.bins.resize(index + 1, None);
        }
        let point = (since_ns as f64, late_ns as f64);
        if let Some(bin) = self.bins.get_mut(index) {
            *bin = Some(bin.map_or(point, |kept| earlier(kept, point)));
        }
    }

    /// Starts a new stretch, because the scale of later frames differs from that of earlier ones.
    pub(super) fn restart(&mut self) {
        let best = self.drift();
        *self = DriftMeter { best, ..DriftMeter::default() };
    }

    /// The drift over the longest stretch so far; `None` if that stretch was too short.
    pub(super) fn drift(&self) -> Option<Drift> {
        // What is less exact than the clocks of stations are says nothing.
        longer(self.best, self.fit()).filter(|drift| drift.error_ppm <= TSF_ACCURACY_PPM)
    }

    fn fit(&self) -> Option<Drift> {
        let points: Vec<(f64, f64)> = self.bins.iter().flatten().copied().collect();
        let (whole, stretch) = (drift_of(&points)?, between_steps(&points, MAX_STEPS)?);
        // Noise has steps, too; without those of a clock that was set the stamps are much closer to a line.
        Some(if stretch.spread_us * STEP_SPREAD <= whole.spread_us { stretch } else { whole })
    }

    fn widen(&mut self) {
        self.width_ns = self.width_ns.saturating_mul(2);
        let join = |pair: &[Option<(f64, f64)>]| pair.iter().flatten().copied().reduce(earlier);
        self.bins = self.bins.chunks(2).map(join).collect();
    }
}

/// The drift over the longest stretch in which the host's clock was not set. A step below what counts as a jump of the
/// time line would otherwise be taken for drift.
fn between_steps(points: &[(f64, f64)], steps: u32) -> Option<Drift> {
    let line = Line::fit(points, QUANTUM_NS)?;
    match misfit(points, &line) {
        Some(Misfit::Jump(at)) if steps > 0 => {
            let (before, after) = points.split_at(at);
            longer(between_steps(before, steps - 1), between_steps(after, steps - 1))
        }
        _ => drift_of(points),
    }
}

/// The drift that a line through all points shows; `None` for too few of them, or too short a time.
fn drift_of(points: &[(f64, f64)]) -> Option<Drift> {
    let span_ns = points.last()?.0 - points.first()?.0;
    if points.len() < MIN_BINS || span_ns < MIN_LENGTH_NS {
        return None;
    }
    let line = Line::fit(points, QUANTUM_NS)?;
    // If the delay grows, the host's clock runs faster than the radio's.
    let host_rate = 1.0 + line.slope;
    Some(Drift {
        ppm: (1.0 / host_rate - 1.0) * 1e6,
        error_ppm: line.slope_error / host_rate.powi(2) * 1e6,
        spread_us: line.spread / 1e3,
        span_s: span_ns / 1e9,
    })
}

/// The drift over the longer stretch, the first of equal ones.
fn longer(one: Option<Drift>, other: Option<Drift>) -> Option<Drift> {
    let span = |drift: &Option<Drift>| drift.map_or(0.0, |drift| drift.span_s);
    if span(&other) > span(&one) {
        other
    } else {
        one
    }
}

fn earlier(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    if b.1 < a.1 {
        b
    } else {
        a
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stamps every 2 ms, delayed by up to 900 us, from a radio whose clock is `ppm` faster than the host's.
    fn measured(ppm: f64, seconds: u32) -> Drift {
        measured_with_steps(ppm, seconds, &[])
    }

    /// The same, while the host's clock is set: at a second, by so many nanoseconds.
    fn measured_with_steps(ppm: f64, seconds: u32, steps: &[(i64, i64)]) -> Drift {
        let mut meter = DriftMeter::default();
        for n in 0..i64::from(seconds) * 500 {
            let host_ns = n * 2_000_000;
            let radio_ns = (host_ns as f64 * (1.0 + ppm / 1e6)) as i64 / 1000 * 1000;
            let set_ns: i64 =
                steps.iter().filter(|(second, _)| host_ns >= second * 1_000_000_000).map(|step| step.1).sum();
            meter.observe(radio_ns, set_ns + host_ns + n * 7919 % 900 * 1000 - radio_ns);
        }
        meter.drift().unwrap()
    }

    #[test]
    fn a_step_of_the_hosts_clock_is_no_drift() {
        let steps: [&[(i64, i64)]; 6] = [
            &[(30, 20_000_000)],
            &[(30, -20_000_000)],
            &[(20, 1_000_000)],
            &[(45, 900_000_000)],
            &[(5, 20_000_000)],
            &[(12, 3_000_000), (24, -7_000_000), (50, 250_000_000)],
        ];
        for steps in steps {
            for ppm in [-73.0, 0.0, 12.5] {
                let drift = measured_with_steps(ppm, 60, steps);
                assert!((drift.ppm - ppm).abs() < 1.0 + 4.0 * drift.error_ppm, "{ppm} {steps:?}: {drift:?}");
                assert!(drift.error_ppm < 0.5 && drift.span_s > 20.0, "{steps:?}: {drift:?}");
            }
        }
    }

    #[test]
    fn drift_is_found_under_one_sided_lateness() {
        for ppm in [-73.0, 0.0, 12.5, 100.0] {
            let drift = measured(ppm, 60);
            assert!((drift.ppm - ppm).abs() < 0.1 + 4.0 * drift.error_ppm, "{ppm}: {drift:?}");
            assert!(drift.error_ppm < 0.1, "{drift:?}");
        }
        assert!(measured(12.5, 3600).error_ppm < measured(12.5, 6).error_ppm / 100.0);
    }

    #[test]
    fn a_drift_that_may_be_any_is_unknown() {
        let mut meter = DriftMeter::default();
        for n in 0..150 {
            meter.observe(n * 10_000_000, n * n * 7919 % 40_000_000);
        }
        assert_eq!(meter.drift(), None);
    }

    #[test]
    fn memory_is_bounded_for_any_stamps() {
        let mut meter = DriftMeter::default();
        for radio_ns in [0, i64::MAX, i64::MIN, 5, i64::MAX / 2] {
            meter.observe(radio_ns, i64::MAX);
            assert!(meter.bins.len() <= BINS);
        }
        assert_eq!(meter.drift(), None);
    }

    #[test]
    fn a_restart_keeps_the_longest_stretch() {
        let mut meter = DriftMeter::default();
        for n in 0..10_000 {
            meter.observe(n * 1_000_000, n * 20);
        }
        let before = meter.drift().unwrap();
        meter.restart();
        assert_eq!(meter.drift(), Some(before));
        assert!((before.ppm + 20.0).abs() < 0.01, "{before:?}");
    }
}
