//! The replay tables, declared once: every column with its type, its documentation and how a row fills it.

use std::sync::Arc;

use arrow_array::types::{Float64Type, Int64Type};
use arrow_schema::DataType;
use winf_engine::record::{FlowBin, FlowTotal, LinkBin};
use winf_engine::units::Nanos;
use winf_parsers::columns;
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
    /// The bin.
    pub bin: LinkBin,
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
    /// What else was counted; `None` of a computed allocation.
    pub counted: Option<Counted>,
}

/// What a simulated flow left behind.
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
    /// Standard deviation over mean of its throughput in whole seconds.
    pub normalised_deviation: Option<f64>,
}

/// See the module.
pub static REPLAY_FLOWS: Table<FlowRow> = Table {
    name: "replay_flows",
    doc: "one row per replay, controller, mode, seed, flow and bin",
    columns: columns!(r: FlowRow {
        replay_id: sentence(&r.run.replay_id), "name of the replay";
        controller: sentence(&r.run.controller), "name of the controller";
        mode: sentence(&r.run.mode), "paper: as published; corrected: its known errors removed";
        seed: id(r.run.seed), "seed of the run";
        flow: sentence(&r.flow), "name of the flow";
        t_ns: id(r.bin.t_ns), "start of the bin since the start of the replay, ns";
        width_ns: id(r.width), "width of the bin, ns; the last one may be narrower";
        throughput_bps: f64(Some(r.bin.throughput_bps)), "payload handed to the application, in order and once, bit/s";
        delay_ms: f64(ms(r.bin.delay_ns)), "mean time from source to destination of the data packets that arrived, ms; null: none did";
        rtt_ms: f64(ms(r.bin.rtt_ns)), "mean round-trip time of what was acknowledged and never sent twice, ms; null: nothing was";
        window_bytes: f64(r.bin.window_bytes), "window at the end of the bin, bytes; null: the source has none";
        pacing_bps: f64(r.bin.pacing_bps), "pace at the end of the bin, headers included, bit/s; null: the source does not pace";
        slow_start_threshold_bytes: f64(r.bin.slow_start_threshold_bytes), "slow-start threshold at the end of the bin, bytes; null: the controller has none";
        flight_bytes: id(r.bin.flight_bytes), "payload in flight at the end of the bin, bytes";
        sent_packets: id(r.bin.sent_packets), "data packets sent, retransmissions included";
        sent_bytes: id(r.bin.sent_bytes), "their bytes, transport and IP headers included";
        received_packets: id(r.bin.received_packets), "data packets that arrived, duplicates included";
        received_bytes: id(r.bin.received_bytes), "their bytes, transport and IP headers included";
        lost_queue: id(r.bin.lost_queue), "packets, acknowledgements included, that did not fit into a queue";
        lost_retry: id(r.bin.lost_retry), "packets that the MAC gave up after its last attempt";
        lost_channel: id(r.bin.lost_channel), "packets that the channel lost";
        lost_route: id(r.bin.lost_route), "packets that were at a node which the path no longer touches";
        retransmissions: id(r.bin.retransmissions), "data packets sent again";
        timeouts: id(r.bin.timeouts), "times the retransmission timer fired";
    }),
};

/// See the module.
pub static REPLAY_LINKS: Table<LinkRow> = Table {
    name: "replay_links",
    doc: "one row per replay, controller, mode, seed, link and bin",
    columns: columns!(r: LinkRow {
        replay_id: sentence(&r.run.replay_id), "name of the replay";
        controller: sentence(&r.run.controller), "name of the controller";
        mode: sentence(&r.run.mode), "paper: as published; corrected: its known errors removed";
        seed: id(r.run.seed), "seed of the run";
        link: sentence(&r.link), "sender > receiver";
        sender: sentence(&r.sender), "name of the node that sends";
        receiver: sentence(&r.receiver), "name of the node that receives";
        t_ns: id(r.bin.t_ns), "start of the bin since the start of the replay, ns";
        width_ns: id(r.width), "width of the bin, ns; the last one may be narrower";
        queue_packets: f64(Some(r.bin.queue_packets_mean)), "packets in the queue, mean over time; the one in service is not in it";
        queue_packets_max: id(r.bin.queue_packets_max), "most packets in the queue";
        queue_bytes: f64(Some(r.bin.queue_bytes_mean)), "bytes in the queue, mean over time";
        queue_bytes_max: id(r.bin.queue_bytes_max), "most bytes in the queue";
        utilisation: f64(Some(r.bin.utilisation)), "share of the time in which a packet was in service, 0 to 1";
        carried_packets: id(r.bin.carried_packets), "packets that reached the other end";
        carried_bytes: id(r.bin.carried_bytes), "their bytes";
        attempts: id(r.bin.attempts), "attempts that ended; on a wire, packets";
        failed_collision: id(r.bin.failed_collision), "attempts that failed because of another frame";
        failed_channel: id(r.bin.failed_channel), "attempts that failed because of the channel";
        dropped_queue: id(r.bin.dropped_queue), "packets that did not fit into the queue";
        dropped_retry: id(r.bin.dropped_retry), "packets given up after the last attempt";
        dropped_channel: id(r.bin.dropped_channel), "packets that the channel lost";
        capacity_bps: f64(r.bin.capacity_bps), "capacity that rt-Winf told the controllers at the end of the bin, bit/s; null: not measured yet";
        available_bps: f64(r.bin.available_bps), "available bandwidth that it told them, bit/s; null: not measured yet";
        collision_probability: f64(Some(r.bin.collision_probability)), "failed share of the attempts that it told them, 0 to 1";
    }),
};

/// See the module.
pub static REPLAY_SUMMARY: Table<SummaryRow> = Table {
    name: "replay_summary",
    doc: "one row per replay, controller, mode, seed and flow, over the whole run",
    columns: columns!(r: SummaryRow {
        replay_id: sentence(&r.run.replay_id), "name of the replay";
        controller: sentence(&r.run.controller), "name of the controller; max_min: the computed max-min fair allocation";
        mode: sentence(&r.run.mode), "paper: as published; corrected: its known errors removed";
        seed: id(r.run.seed), "seed of the run";
        flow: sentence(&r.flow), "name of the flow";
        sender: sentence(r.path.first().map_or("", String::as_str)), "name of its first node";
        receiver: sentence(r.path.last().map_or("", String::as_str)), "name of its last node";
        hops: id(r.path.len().saturating_sub(1)), "hops of its first path";
        origin_ns: i64(r.origin_ns), "instant of the recording at which the replay starts, ns; null: no recording";
        duration_ns: id(r.duration), "length of the run, ns";
        start_ns: id(r.span.0), "when the flow began, ns since the start of the replay";
        end_ns: id(r.span.1), "when it stopped, was complete, or the run ended, ns";
        throughput_bps: f64(Some(r.throughput_bps)), "payload handed to the application, in order and once, from start to end, bit/s";
        delivered_bytes: i64(count(r, |c| c.total.delivered_bytes)), "payload handed to the application, bytes";
        delay_ms: f64(time(r, |c| c.total.delay_mean_ns)), "mean time from source to destination, ms; null: nothing arrived";
        delay_p50_ms: f64(time(r, |c| c.total.delay_p50_ns)), "its median, within 1 %, ms";
        delay_p95_ms: f64(time(r, |c| c.total.delay_p95_ns)), "its 95th percentile, within 1 %, ms";
        rtt_ms: f64(time(r, |c| c.total.rtt_mean_ns)), "mean round-trip time, ms; null: nothing was acknowledged";
        rtt_p50_ms: f64(time(r, |c| c.total.rtt_p50_ns)), "its median, within 1 %, ms";
        completion_ms: f64(time(r, |c| c.total.completion_ns)), "from the start to the arrival of the last byte, ms; null: the flow had no end, or did not reach it";
        window_bytes: f64(counted(r, |c| c.window_bytes)), "mean window, bytes; null: the source has none";
        pacing_bps: f64(counted(r, |c| c.pacing_bps)), "mean pace, bit/s; null: the source does not pace";
        queue_packets: f64(counted(r, |c| Some(c.queue_packets))), "packets in the queues of its path together, mean over the run";
        utilisation: f64(counted(r, |c| Some(c.utilisation))), "utilisation of the busiest link of its path, 0 to 1";
        normalised_deviation: f64(counted(r, |c| c.normalised_deviation)), "standard deviation over mean of its throughput in whole seconds; null: fewer than two of them, or nothing arrived";
        sent_packets: i64(count(r, |c| c.total.sent_packets)), "data packets sent, retransmissions included";
        sent_bytes: i64(count(r, |c| c.total.sent_bytes)), "their bytes, transport and IP headers included";
        received_packets: i64(count(r, |c| c.total.received_packets)), "data packets that arrived, duplicates included";
        received_bytes: i64(count(r, |c| c.total.received_bytes)), "their bytes, transport and IP headers included";
        lost_queue: i64(count(r, |c| c.total.lost_queue)), "packets, acknowledgements included, that did not fit into a queue";
        lost_retry: i64(count(r, |c| c.total.lost_retry)), "packets that the MAC gave up after its last attempt";
        lost_channel: i64(count(r, |c| c.total.lost_channel)), "packets that the channel lost";
        lost_route: i64(count(r, |c| c.total.lost_route)), "packets that were at a node which the path no longer touches";
        retransmissions: i64(count(r, |c| c.total.retransmissions)), "data packets sent again";
        timeouts: i64(count(r, |c| c.total.timeouts)), "times the retransmission timer fired";
    }),
};

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
