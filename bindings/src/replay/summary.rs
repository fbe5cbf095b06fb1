//! The summary of a run: one row per flow.

use std::sync::Arc;

use winf_engine::record::Outcome;
use winf_engine::world::{FlowSpec, World};

use super::tables::{Counted, RunKey, SummaryRow};

/// The rows of `replay_summary` of a simulated run.
pub fn summary(run: &Arc<RunKey>, world: &World, origin_ns: Option<i64>, outcome: &Outcome) -> Vec<SummaryRow> {
    let mut series = vec![Series::default(); outcome.flows.len()];
    for bin in outcome.flow_bins.rows() {
        if let Some(series) = series.get_mut(bin.flow as usize) {
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

/// Of a flow, at the ends of its bins.
#[derive(Clone, Default)]
struct Series {
    windows: Vec<f64>,
    paces: Vec<f64>,
}

/// Mean packets in the queues of a path together, and the utilisation of its busiest link.
fn aggregate_path(path: &[String], outcome: &Outcome) -> (f64, f64) {
    let links = outcome.links.rows().filter(|link| path.windows(2).any(|hop| hop[0] == link.from && hop[1] == link.to));
    links.fold((0.0, 0.0), |(queue, busiest), link| (queue + link.queue_packets_mean, link.utilisation.max(busiest)))
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
