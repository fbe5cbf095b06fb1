//! The replay tables: how rows of runs fill their columns.

use std::sync::Arc;

use arrow_array::types::{Float64Type, Int64Type};
use winf_engine::record::{FlowBin, FlowTotal, LinkBin};
use winf_engine::units::Nanos;
use winf_parsers::fillers;
use winf_parsers::tables::column;
use winf_parsers::tables::{Rows, Table};

/// Which run a row is of.
#[derive(Debug)]
pub struct RunKey {
    /// Name of the replay.
    pub replay_id: String,
    /// Name of the controller.
    pub controller: String,
    /// Reading of its paper.
    pub mode: String,
    /// Seed of the run.
    pub seed: u64,
}

/// A row of [`REPLAY_FLOWS`].
#[derive(Debug)]
pub struct FlowRow {
    /// The run.
    pub run: Arc<RunKey>,
    /// Name of the flow.
    pub flow: Arc<str>,
    /// Width of the bin.
    pub width: Nanos,
    /// The bin.
    pub bin: FlowBin,
}

/// A row of [`REPLAY_LINKS`].
#[derive(Debug)]
pub struct LinkRow {
    /// The run.
    pub run: Arc<RunKey>,
    /// Name of the link.
    pub link: Arc<str>,
    /// Name of the node that sends.
    pub sender: Arc<str>,
    /// Name of the node that receives.
    pub receiver: Arc<str>,
    /// Width of the bin.
    pub width: Nanos,
    /// Start of the bin.
    pub start: Nanos,
    /// Share of the time in which a packet was in service.
    pub utilisation: f64,
    /// Share of the time in which its controller took it for congested.
    pub congested_share: Option<f64>,
    /// Counts of the bin; `None` for a computed allocation.
    pub counted: Option<LinkBin>,
}

/// A row of [`REPLAY_SUMMARY`].
#[derive(Debug)]
pub struct SummaryRow {
    /// The run.
    pub run: Arc<RunKey>,
    /// Name of the flow.
    pub flow: String,
    /// Its first path.
    pub path: Vec<String>,
    /// Instant of the recording at which the replay starts.
    pub origin_ns: Option<i64>,
    /// Length of the run.
    pub duration: Nanos,
    /// When the flow began and ended.
    pub span: (Nanos, Nanos),
    /// Payload handed to the application over that time, bit/s.
    pub throughput_bps: f64,
    /// Further totals; `None` for a computed allocation.
    pub counted: Option<Counted>,
}

/// The totals of a simulated flow.
#[derive(Debug)]
pub struct Counted {
    /// Its totals.
    pub total: FlowTotal,
    /// Mean window at the ends of the bins, bytes.
    pub window_bytes: Option<f64>,
    /// Mean pace at the ends of the bins, bit/s.
    pub pacing_bps: Option<f64>,
    /// Mean packets in the queues of its path together.
    pub queue_packets: f64,
    /// Utilisation of the busiest link of its path.
    pub utilisation: f64,
}

/// See the module.
pub static REPLAY_FLOWS: Table<FlowRow> = Table {
    name: "replay_flows",
    fillers: fillers!(r: FlowRow {
        replay_id: sentence(&r.run.replay_id);
        controller: sentence(&r.run.controller);
        mode: sentence(&r.run.mode);
        seed: id(r.run.seed);
        flow: sentence(&r.flow);
        t_ns: id(r.bin.t_ns);
        width_ns: id(r.width);
        throughput_bps: f64(Some(r.bin.throughput_bps));
        delay_ms: f64(ms(r.bin.delay_ns));
        rtt_ms: f64(ms(r.bin.rtt_ns));
        window_bytes: f64(r.bin.window_bytes);
        pacing_bps: f64(r.bin.pacing_bps);
        slow_start_threshold_bytes: f64(r.bin.slow_start_threshold_bytes);
        flight_bytes: id(r.bin.flight_bytes);
        sent_packets: id(r.bin.sent_packets);
        sent_bytes: id(r.bin.sent_bytes);
        received_packets: id(r.bin.received_packets);
        received_bytes: id(r.bin.received_bytes);
        lost_queue: id(r.bin.lost_queue);
        lost_retry: id(r.bin.lost_retry);
        lost_channel: id(r.bin.lost_channel);
        lost_route: id(r.bin.lost_route);
        retransmissions: id(r.bin.retransmissions);
        timeouts: id(r.bin.timeouts);
        path_bandwidth_bps: f64(r.bin.path_bandwidth_bps);
        path_delay_ms: f64(ms(r.bin.path_delay_ns));
        sent_acks: id(r.bin.sent_acks);
        received_acks: id(r.bin.received_acks);
    }),
};

/// See the module.
pub static REPLAY_LINKS: Table<LinkRow> = Table {
    name: "replay_links",
    fillers: fillers!(r: LinkRow {
        replay_id: sentence(&r.run.replay_id);
        controller: sentence(&r.run.controller);
        mode: sentence(&r.run.mode);
        seed: id(r.run.seed);
        link: sentence(&r.link);
        sender: sentence(&r.sender);
        receiver: sentence(&r.receiver);
        t_ns: id(r.start);
        width_ns: id(r.width);
        queue_packets: f64(of_link(r, |bin| Some(bin.queue_packets_mean)));
        queue_packets_max: i64(of_link(r, |bin| Some(i64::from(bin.queue_packets_max))));
        queue_bytes: f64(of_link(r, |bin| Some(bin.queue_bytes_mean)));
        queue_bytes_max: i64(of_link(r, |bin| i64::try_from(bin.queue_bytes_max).ok()));
        utilisation: f64(Some(r.utilisation));
        carried_packets: i64(of_link(r, |bin| i64::try_from(bin.carried_packets).ok()));
        carried_bytes: i64(of_link(r, |bin| i64::try_from(bin.carried_bytes).ok()));
        attempts: i64(of_link(r, |bin| i64::try_from(bin.attempts).ok()));
        failed_collision: i64(of_link(r, |bin| i64::try_from(bin.failed_collision).ok()));
        failed_channel: i64(of_link(r, |bin| i64::try_from(bin.failed_channel).ok()));
        dropped_queue: i64(of_link(r, |bin| i64::try_from(bin.dropped_queue).ok()));
        dropped_retry: i64(of_link(r, |bin| i64::try_from(bin.dropped_retry).ok()));
        dropped_channel: i64(of_link(r, |bin| i64::try_from(bin.dropped_channel).ok()));
        capacity_bps: f64(of_link(r, |bin| bin.capacity_bps));
        available_bps: f64(of_link(r, |bin| bin.available_bps));
        collision_probability: f64(of_link(r, |bin| Some(bin.collision_probability)));
        congested_share: f64(r.congested_share);
    }),
};

/// See the module.
pub static REPLAY_SUMMARY: Table<SummaryRow> = Table {
    name: "replay_summary",
    fillers: fillers!(r: SummaryRow {
        replay_id: sentence(&r.run.replay_id);
        controller: sentence(&r.run.controller);
        mode: sentence(&r.run.mode);
        seed: id(r.run.seed);
        flow: sentence(&r.flow);
        sender: sentence(r.path.first().map_or("", String::as_str));
        receiver: sentence(r.path.last().map_or("", String::as_str));
        hops: id(r.path.len().saturating_sub(1));
        origin_ns: i64(r.origin_ns);
        duration_ns: id(r.duration);
        start_ns: id(r.span.0);
        end_ns: id(r.span.1);
        throughput_bps: f64(Some(r.throughput_bps));
        delivered_bytes: i64(count(r, |c| c.total.delivered_bytes));
        delay_ms: f64(time(r, |c| c.total.delay_mean_ns));
        delay_p50_ms: f64(time(r, |c| c.total.delay_p50_ns));
        delay_p95_ms: f64(time(r, |c| c.total.delay_p95_ns));
        rtt_ms: f64(time(r, |c| c.total.rtt_mean_ns));
        rtt_p50_ms: f64(time(r, |c| c.total.rtt_p50_ns));
        rtt_p95_ms: f64(time(r, |c| c.total.rtt_p95_ns));
        completion_ms: f64(time(r, |c| c.total.completion_ns));
        window_bytes: f64(counted(r, |c| c.window_bytes));
        pacing_bps: f64(counted(r, |c| c.pacing_bps));
        queue_packets: f64(counted(r, |c| Some(c.queue_packets)));
        utilisation: f64(counted(r, |c| Some(c.utilisation)));
        normalised_deviation: f64(counted(r, |c| c.total.normalised_deviation));
        sent_packets: i64(count(r, |c| c.total.sent_packets));
        sent_bytes: i64(count(r, |c| c.total.sent_bytes));
        received_packets: i64(count(r, |c| c.total.received_packets));
        received_bytes: i64(count(r, |c| c.total.received_bytes));
        lost_queue: i64(count(r, |c| c.total.lost_queue));
        lost_retry: i64(count(r, |c| c.total.lost_retry));
        lost_channel: i64(count(r, |c| c.total.lost_channel));
        lost_route: i64(count(r, |c| c.total.lost_route));
        retransmissions: i64(count(r, |c| c.total.retransmissions));
        timeouts: i64(count(r, |c| c.total.timeouts));
        throughput_low_bps: f64(over_draws(r));
        throughput_high_bps: f64(over_draws(r));
        delay_low_ms: f64(over_draws(r));
        delay_high_ms: f64(over_draws(r));
        rtt_low_ms: f64(over_draws(r));
        rtt_high_ms: f64(over_draws(r));
        rtt_p50_low_ms: f64(over_draws(r));
        rtt_p50_high_ms: f64(over_draws(r));
        rtt_p95_low_ms: f64(over_draws(r));
        rtt_p95_high_ms: f64(over_draws(r));
        all_low_bps: f64(over_draws(r));
        all_high_bps: f64(over_draws(r));
        converged: bool(converged(r));
    }),
};

/// An interval, which one run cannot tell: the package fills it from many.
fn over_draws(_: &SummaryRow) -> Option<f64> {
    None
}

/// Whether a flow has settled, which the package reads from [`REPLAY_FLOWS`].
fn converged(_: &SummaryRow) -> Option<bool> {
    None
}

fn of_link<T>(row: &LinkRow, get: impl Fn(&LinkBin) -> Option<T>) -> Option<T> {
    row.counted.as_ref().and_then(get)
}

fn ms(span: Option<Nanos>) -> Option<f64> {
    span.map(|span| span as f64 / 1e6)
}

fn counted<T>(row: &SummaryRow, get: impl Fn(&Counted) -> Option<T>) -> Option<T> {
    row.counted.as_ref().and_then(get)
}

fn count(row: &SummaryRow, get: impl Fn(&Counted) -> u64) -> Option<i64> {
    counted(row, |counted| i64::try_from(get(counted)).ok())
}

fn time(row: &SummaryRow, get: impl Fn(&Counted) -> Option<Nanos>) -> Option<f64> {
    ms(counted(row, get))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_fillers_fit<R>(table: &Table<R>) {
        let stated: Vec<&str> = table.stated().columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(table.fillers.iter().map(|filler| filler.name).collect::<Vec<_>>(), stated, "{}", table.name);
        assert!(table.batch(&table.schema(), "", &[]).is_ok(), "{}: types", table.name);
    }

    #[test]
    fn fillers_are_those_of_the_stated_columns() {
        assert_fillers_fit(&REPLAY_FLOWS);
        assert_fillers_fit(&REPLAY_LINKS);
        assert_fillers_fit(&REPLAY_SUMMARY);
    }
}
