//! Records a run, bin by bin.

use crate::cross_layer::CrossLayer;
use crate::index::{FlowId, IndexVec, LinkId, NodeId};
use crate::packet::Packet;
use crate::plan::{LinkKind, Plan};
use crate::units::Nanos;
use crate::world::RecordSpec;

use super::events::{EventLog, EventRow, Step};
use super::flow_tally::{FlowState, FlowTally};
use super::flows::{FlowBins, FlowTotals};
use super::link_tally::LinkTally;
use super::links::{LinkBins, LinkTotals};
use super::{Cause, Conservation};

/// The receiver of a node's broadcasts, in the results.
const EVERYBODY: &str = "*";

/// The recorder of a run.
#[derive(Debug)]
pub(crate) struct Recorder {
    spec: RecordSpec,
    bin_start: Nanos,
    flows: IndexVec<FlowId, FlowTally>,
    links: IndexVec<LinkId, LinkTally>,
    tables: Tables,
    /// Steps of packets, whether they are kept or not.
    pub(crate) steps: u64,
    /// Packet conservation counters.
    pub(crate) counts: Conservation,
}

/// What is filled bin by bin.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub(crate) flow_bins: FlowBins,
    pub(crate) link_bins: LinkBins,
    pub(crate) events: EventLog,
}

impl Recorder {
    /// A recorder at the start of a run.
    pub(crate) fn new(plan: &Plan) -> Self {
        // Behind the links, in the order of `Plan::broadcasts_of`.
        let broadcasts = plan.routing.iter().flat_map(|_| plan.nodes.iter().map(|_| LinkTally::default()));
        Self {
            spec: plan.record,
            bin_start: 0,
            flows: (plan.flows.iter().filter(|flow| !flow.spec.background))
                .map(|flow| FlowTally::new(flow, plan.duration))
                .collect(),
            links: plan.links.iter().map(|_| LinkTally::default()).chain(broadcasts).collect(),
            tables: Tables::default(),
            steps: 0,
            counts: Conservation::default(),
        }
    }

    /// A packet's step, for the log.
    pub(crate) fn step(&mut self, now: Nanos, step: Step, packet: &Packet, link: Option<LinkId>, node: NodeId) {
        self.steps += 1;
        if self.spec.events && self.tables.events.len() < RecordSpec::MAX_EVENTS {
            self.tables.events.push(EventRow {
                t_ns: now,
                step,
                packet_uid: packet.uid,
                flow: packet.flow.0,
                segment: packet.segment,
                ack: !packet.kind.is_forward(),
                link: link.map(|link| link.0),
                node: node.0,
            });
        }
    }

    /// A source or destination sent a packet.
    pub(crate) fn sent(&mut self, packet: &Packet) {
        self.counts.sent += 1;
        if let Some(flow) = self.flows.get_mut(packet.flow) {
            flow.sent(packet);
        }
    }

    /// A packet reached the end of its path.
    pub(crate) fn delivered(&mut self, now: Nanos, packet: &Packet) {
        self.counts.delivered += 1;
        if let Some(flow) = self.flows.get_mut(packet.flow) {
            flow.delivered(packet, now.saturating_sub(packet.sent_at));
        }
    }

    /// Payload handed to a flow's application up to now, bytes.
    pub(crate) fn handed(&mut self, now: Nanos, flow: FlowId, delivered_bytes: u64) {
        if let Some(flow) = self.flows.get_mut(flow) {
            flow.handed(now, delivered_bytes);
        }
    }

    /// A packet was lost.
    pub(crate) fn dropped(&mut self, packet: &Packet, link: Option<LinkId>, cause: Cause) {
        self.counts.dropped(cause);
        if let Some(flow) = self.flows.get_mut(packet.flow) {
            flow.lost(cause);
        }
        if let Some(link) = link {
            self.link(link, |link| link.dropped(cause));
        }
    }

    /// A message of the routing protocol did not fit into its queue.
    pub(crate) fn message_dropped(&mut self, link: LinkId) {
        self.link(link, |link| link.dropped(Cause::Queue));
    }

    /// A link's queue has changed.
    pub(crate) fn queue(&mut self, now: Nanos, link: LinkId, packets: u32, bytes: u64) {
        self.link(link, |link| link.queue(now, packets, bytes));
    }

    /// A link takes a packet into service, or is done with it.
    pub(crate) fn service(&mut self, now: Nanos, link: LinkId, busy: bool) {
        self.link(link, |link| link.service(now, busy));
    }

    /// Whether the controller of a link now takes it for congested.
    pub(crate) fn congested(&mut self, now: Nanos, link: LinkId, congested: bool) {
        self.link(link, |link| link.congested(now, congested));
    }

    /// A packet reached the other end of a link.
    pub(crate) fn carried(&mut self, link: LinkId, bytes: u32) {
        self.link(link, |link| link.carried(bytes));
    }

    /// Attempts of so many packets ended; `failed_by_channel`: `None` if they did not fail, else whether the channel was
    /// the cause.
    pub(crate) fn attempts(&mut self, link: LinkId, packets: u32, failed_by_channel: Option<bool>) {
        self.link(link, |link| link.attempts(packets.into(), failed_by_channel));
    }

    /// Closes the bin that ends now.
    pub(crate) fn close_bin(&mut self, now: Nanos, flows: &[FlowState], cross_layers: &[CrossLayer]) {
        let start = self.bin_start;
        if now == start {
            return;
        }
        for (index, (tally, state)) in self.flows.iter_mut().zip(flows).enumerate() {
            self.tables.flow_bins.push(tally.close(start, now - start, index as u32, state));
        }
        for (index, (tally, cross_layer)) in self.links.iter_mut().zip(cross_layers).enumerate() {
            self.tables.link_bins.push(tally.close(start, now, index as u32, cross_layer));
        }
        self.bin_start = now;
    }

    /// The totals, and the tables filled on the way.
    pub(crate) fn finish(self, plan: &Plan, states: &[FlowState]) -> (FlowTotals, LinkTotals, Tables) {
        let mut flows = FlowTotals::default();
        for ((tally, flow), state) in self.flows.iter().zip(&plan.flows).zip(states) {
            flows.push(tally.total(flow, state));
        }
        let name = |node: NodeId| plan.nodes.get(node).map(|node| node.name.clone()).unwrap_or_default();
        let mut links = LinkTotals::default();
        for (tally, link) in self.links.iter().zip(&plan.links) {
            let wired = matches!(link.kind, LinkKind::Wire(_));
            links.push(tally.total(name(link.from), name(link.to), wired, plan.duration));
        }
        let broadcasts = self.links.iter().skip(plan.links.len());
        for (tally, node) in broadcasts.zip(&plan.nodes) {
            links.push(tally.total(node.name.clone(), EVERYBODY.to_owned(), false, plan.duration));
        }
        (flows, links, self.tables)
    }

    fn link(&mut self, link: LinkId, note: impl FnOnce(&mut LinkTally)) {
        if let Some(tally) = self.links.get_mut(link) {
            note(tally);
        }
    }
}
