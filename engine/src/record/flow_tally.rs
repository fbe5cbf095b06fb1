//! Counts of one flow: those of the bin, and those of the run up to it.

use crate::packet::{Packet, PacketKind};
use crate::plan::FlowPlan;
use crate::transport::SenderStats;
use crate::units::{nanos, seconds, Nanos};

use super::flows::{FlowBin, FlowTotal};
use super::histogram::Histogram;
use super::whole_seconds::WholeSeconds;
use super::Cause;

/// The state of the two ends of a flow.
#[derive(Clone, Debug)]
pub(crate) struct FlowState {
    /// Name of its controller.
    pub(crate) controller: Option<String>,
    /// The source.
    pub(crate) sender: SenderStats,
    /// Payload bytes handed to the application.
    pub(crate) delivered_bytes: u64,
    /// When the last byte of a finite flow arrived.
    pub(crate) completed_at: Option<Nanos>,
}

/// Counts of a flow.
#[derive(Debug)]
pub(super) struct FlowTally {
    bin: Counts,
    run: Counts,
    bin_delay: Mean,
    bin_rtt: Mean,
    delay: Histogram,
    rtt: Histogram,
    seconds: WholeSeconds,
    /// Payload bytes handed to the application so far.
    delivered_bytes: u64,
    /// When the flow stops, unless it is complete before, and payload bytes handed to the application until then: what
    /// waited in queues comes later.
    stop: Nanos,
    delivered_by_stop: u64,
    /// Payload bytes, retransmissions and timeouts at the start of the bin.
    before: (u64, u64, u64),
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    sent_packets: u64,
    sent_bytes: u64,
    received_packets: u64,
    received_bytes: u64,
    sent_acks: u64,
    received_acks: u64,
    lost: [u64; Cause::COUNT],
}

impl FlowTally {
    /// Nothing yet of a flow of a run of `duration`.
    pub(super) fn new(plan: &FlowPlan, duration: Nanos) -> Self {
        let stop = plan.spec.stop_ns.unwrap_or(duration).min(duration);
        Self {
            bin: Counts::default(),
            run: Counts::default(),
            bin_delay: Mean::default(),
            bin_rtt: Mean::default(),
            delay: Histogram::default(),
            rtt: Histogram::default(),
            seconds: WholeSeconds::new(plan.spec.start_ns, stop),
            delivered_bytes: 0,
            stop,
            delivered_by_stop: 0,
            before: (0, 0, 0),
        }
    }

    /// The source sent data, or the destination an acknowledgement.
    pub(super) fn sent(&mut self, packet: &Packet) {
        match packet.kind {
            PacketKind::Data => {
                self.bin.sent_packets += 1;
                self.bin.sent_bytes += u64::from(packet.size_bytes);
            }
            PacketKind::Ack => self.bin.sent_acks += 1,
            PacketKind::Probe | PacketKind::Answer => {}
        }
    }

    /// A packet reached the end of its path `span` after it, or the data it answers, was sent.
    pub(super) fn delivered(&mut self, packet: &Packet, span: Nanos) {
        self.bin.received_acks += u64::from(packet.kind == PacketKind::Ack);
        match packet.kind {
            PacketKind::Data => {
                self.bin.received_packets += 1;
                self.bin.received_bytes += u64::from(packet.size_bytes);
                self.bin_delay.add(span);
                self.delay.add(span);
            }
            // Karn's rule, as for the source's own estimate.
            PacketKind::Ack | PacketKind::Answer if !packet.retransmitted => {
                self.bin_rtt.add(span);
                self.rtt.add(span);
            }
            PacketKind::Ack | PacketKind::Answer | PacketKind::Probe => {}
        }
    }

    /// Payload handed to the application up to now, bytes.
    pub(super) fn handed(&mut self, now: Nanos, delivered_bytes: u64) {
        let before = std::mem::replace(&mut self.delivered_bytes, delivered_bytes);
        if delivered_bytes > before {
            self.seconds.add(now, delivered_bytes - before);
        }
        if now <= self.stop {
            self.delivered_by_stop = delivered_bytes;
        }
    }

    /// A packet was lost.
    pub(super) fn lost(&mut self, cause: Cause) {
        self.bin.lost[cause as usize] += 1;
    }

    /// The bin that began at `start` is over.
    pub(super) fn close(&mut self, start: Nanos, width: Nanos, flow: u32, state: &FlowState) -> FlowBin {
        let bin = std::mem::take(&mut self.bin);
        self.run.add(&bin);
        let now = (state.delivered_bytes, state.sender.retransmissions, state.sender.timeouts);
        let before = std::mem::replace(&mut self.before, now);
        let finite = |value: f64| value.is_finite().then_some(value);
        FlowBin {
            t_ns: start,
            flow,
            sent_packets: bin.sent_packets,
            sent_bytes: bin.sent_bytes,
            received_packets: bin.received_packets,
            received_bytes: bin.received_bytes,
            throughput_bps: now.0.saturating_sub(before.0) as f64 * 8.0 / seconds(width),
            delay_ns: self.bin_delay.take(),
            rtt_ns: self.bin_rtt.take(),
            window_bytes: finite(state.sender.window_bytes),
            pacing_bps: state.sender.pacing_bytes_per_s.and_then(|pace| finite(pace * 8.0)),
            slow_start_threshold_bytes: state.sender.slow_start_threshold_bytes.and_then(finite),
            path_bandwidth_bps: state.sender.path.and_then(|path| finite(path.bandwidth_bps)),
            path_delay_ns: state.sender.path.filter(|path| path.delay_s.is_finite()).map(|path| nanos(path.delay_s)),
            sent_acks: bin.sent_acks,
            received_acks: bin.received_acks,
            flight_bytes: state.sender.flight_bytes,
            lost_queue: bin.lost[Cause::Queue as usize],
            lost_retry: bin.lost[Cause::Retry as usize],
            lost_channel: bin.lost[Cause::Channel as usize],
            lost_route: bin.lost[Cause::Route as usize],
            retransmissions: now.1.saturating_sub(before.1),
            timeouts: now.2.saturating_sub(before.2),
        }
    }

    /// The run is over.
    pub(super) fn total(&self, plan: &FlowPlan, state: &FlowState) -> FlowTotal {
        let spec = &plan.spec;
        let end_ns = state.completed_at.unwrap_or(self.stop).max(spec.start_ns);
        let span = seconds(end_ns - spec.start_ns);
        let bytes = if state.completed_at.is_some() { state.delivered_bytes } else { self.delivered_by_stop };
        let bits = bytes as f64 * 8.0;
        let run = &self.run;
        FlowTotal {
            name: spec.name.clone(),
            controller: state.controller.clone(),
            start_ns: spec.start_ns,
            end_ns,
            sent_packets: run.sent_packets,
            sent_bytes: run.sent_bytes,
            received_packets: run.received_packets,
            received_bytes: run.received_bytes,
            delivered_bytes: state.delivered_bytes,
            throughput_bps: if span > 0.0 { bits / span } else { 0.0 },
            normalised_deviation: self.seconds.normalised_deviation(end_ns),
            delay_mean_ns: self.delay.mean(),
            delay_p50_ns: self.delay.quantile(0.5),
            delay_p95_ns: self.delay.quantile(0.95),
            rtt_mean_ns: self.rtt.mean(),
            rtt_p50_ns: self.rtt.quantile(0.5),
            rtt_p95_ns: self.rtt.quantile(0.95),
            completion_ns: state.completed_at.map(|at| at.saturating_sub(spec.start_ns)),
            lost_queue: run.lost[Cause::Queue as usize],
            lost_retry: run.lost[Cause::Retry as usize],
            lost_channel: run.lost[Cause::Channel as usize],
            lost_route: run.lost[Cause::Route as usize],
            retransmissions: state.sender.retransmissions,
            timeouts: state.sender.timeouts,
        }
    }
}

impl Counts {
    fn add(&mut self, bin: &Counts) {
        self.sent_packets += bin.sent_packets;
        self.sent_bytes += bin.sent_bytes;
        self.received_packets += bin.received_packets;
        self.received_bytes += bin.received_bytes;
        self.lost.iter_mut().zip(bin.lost).for_each(|(total, new)| *total += new);
    }
}

/// A mean over a bin.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    count: u64,
    sum: u128,
}

impl Mean {
    fn add(&mut self, span: Nanos) {
        self.count += 1;
        self.sum += u128::from(span);
    }

    fn take(&mut self) -> Option<Nanos> {
        let Mean { count, sum } = std::mem::take(self);
        (count > 0).then(|| (sum / u128::from(count)) as Nanos)
    }
}
