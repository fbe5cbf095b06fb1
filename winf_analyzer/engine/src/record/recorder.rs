//! Takes down what happens, bin by bin.

use crate::cross_layer::CrossLayer;
use crate::packet::{LinkId, NodeId, Packet, PacketKind};
use crate::plan::{LinkKind, Plan};
use crate::transport::SenderStats;
use crate::units::{seconds, Nanos};
use crate::world::RecordSpec;

use super::events::{EventLog, EventRow, Step};
use super::flows::{FlowBin, FlowBins, FlowTotal, FlowTotals};
use super::histogram::Histogram;
use super::links::{LinkBin, LinkBins, LinkTotal, LinkTotals};
use super::{Cause, Conservation};

/// What happens, as it happens.
#[derive(Debug)]
pub(crate) struct Recorder {
    spec: RecordSpec,
    bin_start: Nanos,
    flows: Vec<FlowTally>,
    links: Vec<LinkTally>,
    flow_bins: FlowBins,
    link_bins: LinkBins,
    events: EventLog,
    /// Where the packets went.
    pub(crate) counts: Conservation,
}

/// Counts of a flow: those of the bin, and those of the run up to it.
#[derive(Debug, Default)]
struct FlowTally {
    bin: FlowCounts,
    run: FlowCounts,
    bin_delay: Mean,
    bin_rtt: Mean,
    delay: Histogram,
    rtt: Histogram,
    delivered_before: u64,
    retransmissions_before: u64,
    timeouts_before: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct FlowCounts {
    sent_packets: u64,
    sent_bytes: u64,
    received_packets: u64,
    received_bytes: u64,
    lost: [u64; 4],
}

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

/// Counts of a link: those of the bin, and those of the run up to it.
#[derive(Debug, Default)]
struct LinkTally {
    bin: LinkCounts,
    run: LinkCounts,
    queue: (u32, u64),
    busy: bool,
    changed_at: Nanos,
}

#[derive(Clone, Copy, Debug, Default)]
struct LinkCounts {
    packet_time: u128,
    byte_time: u128,
    busy_time: Nanos,
    packets_max: u32,
    bytes_max: u64,
    carried_packets: u64,
    carried_bytes: u64,
    attempts: u64,
    failed_collision: u64,
    failed_channel: u64,
    dropped: [u64; 4],
}

impl LinkTally {
    /// Charges the time since the last change.
    fn advance(&mut self, now: Nanos) {
        let span = now - self.changed_at;
        self.changed_at = now;
        self.bin.packet_time += u128::from(span) * u128::from(self.queue.0);
        self.bin.byte_time += u128::from(span) * u128::from(self.queue.1);
        self.bin.busy_time += if self.busy { span } else { 0 };
    }
}

impl LinkCounts {
    fn add(&mut self, bin: &LinkCounts) {
        self.packet_time += bin.packet_time;
        self.byte_time += bin.byte_time;
        self.busy_time += bin.busy_time;
        self.packets_max = self.packets_max.max(bin.packets_max);
        self.bytes_max = self.bytes_max.max(bin.bytes_max);
        self.carried_packets += bin.carried_packets;
        self.carried_bytes += bin.carried_bytes;
        self.attempts += bin.attempts;
        self.failed_collision += bin.failed_collision;
        self.failed_channel += bin.failed_channel;
        self.dropped.iter_mut().zip(bin.dropped).for_each(|(total, new)| *total += new);
    }
}

impl FlowCounts {
    fn add(&mut self, bin: &FlowCounts) {
        self.sent_packets += bin.sent_packets;
        self.sent_bytes += bin.sent_bytes;
        self.received_packets += bin.received_packets;
        self.received_bytes += bin.received_bytes;
        self.lost.iter_mut().zip(bin.lost).for_each(|(total, new)| *total += new);
    }
}

/// What is known of a flow at the end of a bin, or of the run.
#[derive(Clone, Debug)]
pub(crate) struct FlowState {
    pub(crate) sender: SenderStats,
    pub(crate) delivered_bytes: u64,
}

impl Recorder {
    /// Nothing has happened.
    pub(crate) fn new(plan: &Plan) -> Self {
        Self {
            spec: plan.record,
            bin_start: 0,
            flows: plan.flows.iter().filter(|flow| !flow.spec.background).map(|_| FlowTally::default()).collect(),
            links: plan.links.iter().map(|_| LinkTally::default()).collect(),
            flow_bins: FlowBins::default(),
            link_bins: LinkBins::default(),
            events: EventLog::default(),
            counts: Conservation::default(),
        }
    }

    /// A packet's step, for the log.
    pub(crate) fn step(&mut self, now: Nanos, step: Step, packet: &Packet, link: Option<LinkId>, node: NodeId) {
        if self.spec.events && self.events.len() < RecordSpec::MOST_EVENTS {
            self.events.push(EventRow {
                t_ns: now,
                step,
                packet_uid: packet.uid,
                flow: packet.flow.0,
                segment: packet.segment,
                ack: packet.kind == PacketKind::Ack,
                link: link.map(|link| link.0),
                node: node.0,
            });
        }
    }

    /// A source or destination sent a packet.
    pub(crate) fn sent(&mut self, packet: &Packet) {
        self.counts.sent += 1;
        if let (Some(flow), PacketKind::Data) = (self.flows.get_mut(packet.flow.0 as usize), packet.kind) {
            flow.bin.sent_packets += 1;
            flow.bin.sent_bytes += u64::from(packet.size_bytes);
        }
    }

    /// A packet reached the end of its path.
    pub(crate) fn delivered(&mut self, now: Nanos, packet: &Packet) {
        self.counts.delivered += 1;
        let Some(flow) = self.flows.get_mut(packet.flow.0 as usize) else { return };
        let span = now.saturating_sub(packet.sent_at);
        match packet.kind {
            PacketKind::Data => {
                flow.bin.received_packets += 1;
                flow.bin.received_bytes += u64::from(packet.size_bytes);
                flow.bin_delay.add(span);
                flow.delay.add(span);
            }
            // Karn's rule, as for the source's own estimate.
            PacketKind::Ack if !packet.retransmitted => {
                flow.bin_rtt.add(span);
                flow.rtt.add(span);
            }
            PacketKind::Ack => {}
        }
    }

    /// A packet was lost.
    pub(crate) fn dropped(&mut self, packet: &Packet, link: Option<LinkId>, cause: Cause) {
        self.counts.dropped(cause);
        if let Some(flow) = self.flows.get_mut(packet.flow.0 as usize) {
            flow.bin.lost[cause as usize] += 1;
        }
        if let Some(link) = link.and_then(|link| self.links.get_mut(link.0 as usize)) {
            link.bin.dropped[cause as usize] += 1;
        }
    }

    /// A link's queue has changed.
    pub(crate) fn queue(&mut self, now: Nanos, link: LinkId, packets: u32, bytes: u64) {
        if let Some(tally) = self.links.get_mut(link.0 as usize) {
            tally.advance(now);
            tally.queue = (packets, bytes);
            tally.bin.packets_max = tally.bin.packets_max.max(packets);
            tally.bin.bytes_max = tally.bin.bytes_max.max(bytes);
        }
    }

    /// A link gets busy with a packet, or is done with it.
    pub(crate) fn service(&mut self, now: Nanos, link: LinkId, busy: bool) {
        if let Some(tally) = self.links.get_mut(link.0 as usize) {
            tally.advance(now);
            tally.busy = busy;
        }
    }

    /// A packet reached the other end of a link.
    pub(crate) fn carried(&mut self, link: LinkId, bytes: u32) {
        if let Some(tally) = self.links.get_mut(link.0 as usize) {
            tally.bin.carried_packets += 1;
            tally.bin.carried_bytes += u64::from(bytes);
        }
    }

    /// An attempt ended; `failed_by_channel` if it failed, and what made it fail.
    pub(crate) fn attempt(&mut self, link: LinkId, failed_by_channel: Option<bool>) {
        if let Some(tally) = self.links.get_mut(link.0 as usize) {
            tally.bin.attempts += 1;
            tally.bin.failed_channel += u64::from(failed_by_channel == Some(true));
            tally.bin.failed_collision += u64::from(failed_by_channel == Some(false));
        }
    }

    /// Closes the bin that ends now.
    pub(crate) fn close_bin(&mut self, now: Nanos, flows: &[FlowState], cross_layers: &[CrossLayer]) {
        let width = now - self.bin_start;
        if width == 0 {
            return;
        }
        for (index, (tally, state)) in self.flows.iter_mut().zip(flows).enumerate() {
            let row = tally.close(self.bin_start, width, index as u32, state);
            self.flow_bins.push(row);
        }
        for (index, (tally, cross_layer)) in self.links.iter_mut().zip(cross_layers).enumerate() {
            tally.advance(now);
            let row = tally.close(self.bin_start, width, index as u32, cross_layer);
            self.link_bins.push(row);
        }
        self.bin_start = now;
    }

    /// The tables.
    pub(crate) fn finish(
        self,
        plan: &Plan,
        controllers: &[Option<String>],
        completed: &[Option<Nanos>],
        flows: &[FlowState],
    ) -> (FlowTotals, LinkTotals, FlowBins, LinkBins, EventLog) {
        let mut flow_totals = FlowTotals::default();
        for (index, (tally, state)) in self.flows.iter().zip(flows).enumerate() {
            let spec = &plan.flows[index].spec;
            let completed = completed.get(index).copied().flatten();
            let stop = spec.stop_ns.unwrap_or(plan.duration).min(plan.duration);
            let end_ns = completed.unwrap_or(stop).max(spec.start_ns);
            let span = seconds(end_ns - spec.start_ns);
            let bits = state.delivered_bytes as f64 * 8.0;
            flow_totals.push(FlowTotal {
                name: spec.name.clone(),
                controller: controllers.get(index).cloned().flatten(),
                start_ns: spec.start_ns,
                end_ns,
                sent_packets: tally.run.sent_packets,
                sent_bytes: tally.run.sent_bytes,
                received_packets: tally.run.received_packets,
                received_bytes: tally.run.received_bytes,
                delivered_bytes: state.delivered_bytes,
                throughput_bps: if span > 0.0 { bits / span } else { 0.0 },
                delay_mean_ns: tally.delay.mean(),
                delay_p50_ns: tally.delay.quantile(0.5),
                delay_p95_ns: tally.delay.quantile(0.95),
                rtt_mean_ns: tally.rtt.mean(),
                rtt_p50_ns: tally.rtt.quantile(0.5),
                completion_ns: completed.map(|at| at.saturating_sub(spec.start_ns)),
                lost_queue: tally.run.lost[Cause::Queue as usize],
                lost_retry: tally.run.lost[Cause::Retry as usize],
                lost_channel: tally.run.lost[Cause::Channel as usize],
                lost_route: tally.run.lost[Cause::Route as usize],
                retransmissions: state.sender.retransmissions,
                timeouts: state.sender.timeouts,
            });
        }
        let mut link_totals = LinkTotals::default();
        for (tally, link) in self.links.iter().zip(&plan.links) {
            let name = |node: NodeId| plan.nodes[node.0 as usize].name.clone();
            let run = &tally.run;
            link_totals.push(LinkTotal {
                from: name(link.from),
                to: name(link.to),
                wired: matches!(link.kind, LinkKind::Wire(_)),
                queue_packets_mean: run.packet_time as f64 / plan.duration as f64,
                queue_packets_max: run.packets_max,
                utilisation: run.busy_time as f64 / plan.duration as f64,
                carried_packets: run.carried_packets,
                carried_bytes: run.carried_bytes,
                attempts: run.attempts,
                failed_collision: run.failed_collision,
                failed_channel: run.failed_channel,
                dropped_queue: run.dropped[Cause::Queue as usize],
                dropped_retry: run.dropped[Cause::Retry as usize],
                dropped_channel: run.dropped[Cause::Channel as usize],
            });
        }
        (flow_totals, link_totals, self.flow_bins, self.link_bins, self.events)
    }
}

impl FlowTally {
    fn close(&mut self, start: Nanos, width: Nanos, flow: u32, state: &FlowState) -> FlowBin {
        let bin = std::mem::take(&mut self.bin);
        self.run.add(&bin);
        let delivered = state.delivered_bytes.saturating_sub(self.delivered_before);
        let retransmissions = state.sender.retransmissions.saturating_sub(self.retransmissions_before);
        let timeouts = state.sender.timeouts.saturating_sub(self.timeouts_before);
        self.delivered_before = state.delivered_bytes;
        self.retransmissions_before = state.sender.retransmissions;
        self.timeouts_before = state.sender.timeouts;
        let finite = |value: f64| value.is_finite().then_some(value);
        FlowBin {
            t_ns: start,
            flow,
            sent_packets: bin.sent_packets,
            sent_bytes: bin.sent_bytes,
            received_packets: bin.received_packets,
            received_bytes: bin.received_bytes,
            throughput_bps: delivered as f64 * 8.0 / seconds(width),
            delay_ns: self.bin_delay.take(),
            rtt_ns: self.bin_rtt.take(),
            window_bytes: finite(state.sender.window_bytes),
            pacing_bps: state.sender.pacing_bytes_per_s.and_then(|pace| finite(pace * 8.0)),
            slow_start_threshold_bytes: state.sender.slow_start_threshold_bytes.and_then(finite),
            flight_bytes: state.sender.flight_bytes,
            lost_queue: bin.lost[Cause::Queue as usize],
            lost_retry: bin.lost[Cause::Retry as usize],
            lost_channel: bin.lost[Cause::Channel as usize],
            lost_route: bin.lost[Cause::Route as usize],
            retransmissions,
            timeouts,
        }
    }
}

impl LinkTally {
    fn close(&mut self, start: Nanos, width: Nanos, link: u32, cross_layer: &CrossLayer) -> LinkBin {
        let next = LinkCounts { packets_max: self.queue.0, bytes_max: self.queue.1, ..LinkCounts::default() };
        let bin = std::mem::replace(&mut self.bin, next);
        self.run.add(&bin);
        let share = |time: u128| time as f64 / width as f64;
        let bits = |bytes: Option<f64>| bytes.map(|bytes| bytes * 8.0).filter(|bits| bits.is_finite());
        LinkBin {
            t_ns: start,
            link,
            queue_packets_mean: share(bin.packet_time),
            queue_packets_max: bin.packets_max,
            queue_bytes_mean: share(bin.byte_time),
            queue_bytes_max: bin.bytes_max,
            utilisation: share(u128::from(bin.busy_time)),
            carried_packets: bin.carried_packets,
            carried_bytes: bin.carried_bytes,
            attempts: bin.attempts,
            failed_collision: bin.failed_collision,
            failed_channel: bin.failed_channel,
            dropped_queue: bin.dropped[Cause::Queue as usize],
            dropped_retry: bin.dropped[Cause::Retry as usize],
            dropped_channel: bin.dropped[Cause::Channel as usize],
            capacity_bps: bits(cross_layer.capacity_bytes_per_s),
            available_bps: bits(cross_layer.available_bytes_per_s),
            collision_probability: cross_layer.collision_probability,
        }
    }
}
