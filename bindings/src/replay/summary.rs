//! The summary of a run: one row per flow.

use std::sync::Arc;

use winf_engine::record::Outcome;
use winf_engine::units::{Nanos, SECOND};
use winf_engine::world::{FlowSpec, World};

use super::tables::{Counted, RunKey, SummaryRow};

/// The rows of `replay_summary` of a simulated run.
pub fn summary(run: &Arc<RunKey>, world: &World, origin_ns: Option<i64>, outcome: &Outcome) -> Vec<SummaryRow> {
    let mut series = vec![Series::default(); outcome.flows.len()];
    for bin in outcome.flow_bins.rows() {
        let width = outcome.bin.min(outcome.duration.saturating_sub(bin.t_ns));
        if let Some(series) = series.get_mut(bin.flow as usize) {
            series.throughput.push((bin.t_ns, width, bin.throughput_bps));
            series.windows.extend(bin.window_bytes);
            series.paces.extend(bin.pacing_bps);
        }
    }
    let rows = outcome.flows.rows().zip(&world.flows).zip(series);
    rows.map(|((total, spec), series)| {
        let (queue_packets, utilisation) = aggregate_path(&spec.path, outcome);
        SummaryRow {
            run: Arc::clone(run),
            flow: total.name.clone(),
            path: spec.path.clone(),
            origin_ns,
            duration: outcome.duration,
            span: (total.start_ns, total.end_ns),
            throughput_bps: total.throughput_bps,
            counted: Some(Counted {
                window_bytes: mean(&series.windows),
                pacing_bps: mean(&series.paces),
                queue_packets,
                utilisation,
                normalised_deviation: normalised_deviation(&series.throughput, total.start_ns, total.end_ns),
                total,
            }),
        }
    })
    .collect()
}

/// The rows of a computed allocation: rates of the flows, bit/s, and nothing else.
pub fn computed(run: &Arc<RunKey>, world: &World, origin_ns: Option<i64>, rates: &[f64]) -> Vec<SummaryRow> {
    let row = |(spec, &throughput_bps): (&FlowSpec, &f64)| SummaryRow {
        run: Arc::clone(run),
        flow: spec.name.clone(),
        path: spec.path.clone(),
        origin_ns,
        duration: world.duration_ns,
        span: (spec.start_ns, spec.stop_ns.unwrap_or(world.duration_ns).min(world.duration_ns).max(spec.start_ns)),
        throughput_bps,
        counted: None,
    };
    world.flows.iter().zip(rates).map(row).collect()
}

/// A flow's bins.
#[derive(Clone, Default)]
struct Series {
    /// Start, width, bit/s.
    throughput: Vec<(Nanos, Nanos, f64)>,
    windows: Vec<f64>,
    paces: Vec<f64>,
}

/// Mean packets in the queues of a path together, and the utilisation of its busiest link.
fn aggregate_path(path: &[String], outcome: &Outcome) -> (f64, f64) {
    let links = outcome.links.rows().filter(|link| path.windows(2).any(|hop| hop[0] == link.from && hop[1] == link.to));
    links.fold((0.0, 0.0), |(queue, busiest), link| (queue + link.queue_packets_mean, link.utilisation.max(busiest)))
}

/// Standard deviation over mean of the throughput in the whole seconds of the run that lie between two instants.
fn normalised_deviation(bins: &[(Nanos, Nanos, f64)], start: Nanos, end: Nanos) -> Option<f64> {
    let (first, last) = (start.div_ceil(SECOND), end / SECOND);
    let mut bits = vec![0.0; usize::try_from(last.checked_sub(first)?).ok()?];
    for &(at, width, rate) in bins {
        let second = (at / SECOND).checked_sub(first).and_then(|second| usize::try_from(second).ok());
        if let Some(sum) = second.and_then(|second| bits.get_mut(second)) {
            *sum += rate * width as f64;
        }
    }
    let average = mean(&bits).filter(|&average| average > 0.0 && bits.len() > 1)?;
    let variance = bits.iter().map(|value| (value - average).powi(2)).sum::<f64>() / bits.len() as f64;
    Some(variance.sqrt() / average)
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TENTH: Nanos = SECOND / 10;

    #[test]
    fn a_throughput_that_alternates_between_1_and_3_deviates_by_half_its_mean() {
        let rate = |bin: u64| if bin % 20 < 10 { 1e6 } else { 3e6 };
        let bins: Vec<_> = (0..40).map(|bin| (bin * TENTH, TENTH, rate(bin))).collect();
        let found = normalised_deviation(&bins, 0, 4 * SECOND).unwrap();
        assert!((found - 0.5).abs() < 1e-12, "{found}");
    }

    #[test]
    fn seconds_that_are_not_whole_do_not_count() {
        let bins: Vec<_> = (0..40).map(|bin| (bin * TENTH, TENTH, if bin < 10 { 9e9 } else { 1e6 })).collect();
        assert_eq!(normalised_deviation(&bins, TENTH, 4 * SECOND - 1), Some(0.0));
        assert_eq!(normalised_deviation(&bins, TENTH, 2 * SECOND), None);
        assert_eq!(normalised_deviation(&[], 2 * SECOND, SECOND), None);
    }
}
