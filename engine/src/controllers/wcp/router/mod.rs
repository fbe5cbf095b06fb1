//! The router: average queues, link round-trip times, and the marks and maxima it puts on passing packets.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::heard::{mean_rtts, FlowRtt, Heard};
use super::neighbourhood::Neighbourhood;
use super::{slowed_octets, Signals, WcpConfig};
use crate::controller::{
    LinkReport, LinkSetup, NeighbourReport, NodeSetup, NodeView, Router, SentOn, Sight, Signal, Summary,
};
use crate::index::{FlowId, Id, IndexVec, LocalLink, NodeId};
use crate::packet::{Header, Packet, WcpHeader};
use crate::units::{nanos, Nanos};

/// WCP at one node.
#[derive(Clone, Debug)]
pub struct WcpRouter {
    config: WcpConfig,
    hold: Nanos,
    node: NodeId,
    links: IndexVec<LocalLink, OwnLink>,
    /// Where every link is told of.
    around: Neighbourhood,
    /// Where one is.
    heard: Heard,
    now: Nanos,
    /// What was last reported of each own link.
    reported: RefCell<Vec<LinkReport>>,
}

/// An outgoing link: its queue and the round-trip times of its flows.
#[derive(Clone, Debug)]
struct OwnLink {
    setup: LinkSetup,
    queue: QueueAverage,
    /// The last arrival at the queue.
    last_arrival: Nanos,
    flows: BTreeMap<FlowId, FlowRtt>,
    /// The flow of the packet that departed last, and what its header says of round-trip times, seconds.
    departed: Option<(FlowId, f64, f64)>,
}

/// What the links of a neighbourhood have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shared {
    /// `rtt_Smax_avg`: the largest average round-trip time of a link, seconds; 0: none known.
    pub rtt_average_s: f64,
    /// `rtt_Smax_inst`: the largest last round-trip time of a link, seconds.
    pub rtt_last_s: f64,
    /// Whether a link is congested, so that packets are to be marked.
    pub congested: bool,
}

/// The exponentially weighted average queue of a link, packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueAverage(f64);

impl QueueAverage {
    /// A packet arrives while `waiting` packets are in the queue.
    pub fn sample(&mut self, waiting: f64, weight: f64) {
        self.0 = (1.0 - weight) * self.0 + weight * waiting;
    }

    /// Packets.
    #[must_use]
    pub fn packets(self) -> f64 {
        self.0
    }
}

impl WcpRouter {
    /// A node that has seen nothing yet.
    #[must_use]
    pub fn new(config: WcpConfig, node: &NodeSetup) -> Self {
        let own = |setup: &LinkSetup| OwnLink {
            setup: setup.clone(),
            queue: QueueAverage::default(),
            last_arrival: 0,
            flows: BTreeMap::new(),
            departed: None,
        };
        Self {
            around: Neighbourhood::new(node, nanos(config.hold_s), config.reach),
            heard: Heard::new(node, nanos(config.hold_s)),
            links: node.links.iter().map(own).collect(),
            node: node.node,
            now: 0,
            reported: RefCell::default(),
            hold: nanos(config.hold_s),
            config,
        }
    }

    /// Reports of the links that share the medium with an own one.
    pub fn neighbourhood<'a>(&'a self, own: &LinkSetup) -> impl Iterator<Item = &'a LinkReport> + use<'a> {
        self.around.sharing(self.now, own)
    }

    /// The average queue of an own link, packets.
    #[must_use]
    pub fn average_queue(&self, link: LocalLink) -> f64 {
        self.links.get(link).map_or(0.0, |own| own.queue.packets())
    }

    /// What the neighbourhood of an own link gives for the packets on it.
    #[must_use]
    pub fn shared(&self, link: LocalLink) -> Shared {
        let Some(own) = self.links.get(link) else { return Shared::default() };
        let (rtt_average_s, rtt_last_s) = self.rtts(own);
        let mut shared = Shared { rtt_average_s, rtt_last_s, congested: self.congests(own) };
        let (with_rtt, with_congestion) = (self.config.share_rtt, self.config.share_congestion);
        let mut take = |rtt_average_s: f64, rtt_last_s: f64, congested: bool| {
            if with_rtt {
                shared.rtt_average_s = shared.rtt_average_s.max(rtt_average_s);
                shared.rtt_last_s = shared.rtt_last_s.max(rtt_last_s);
            }
            shared.congested |= with_congestion && congested;
        };
        for other in &self.links {
            let (average_s, last_s) = self.rtts(other);
            take(average_s, last_s, self.congests(other));
        }
        match self.signals() {
            Signals::OneLink => {
                let signal = self.heard.sharing(self.now, own.setup.to, self.config.reach);
                take(signal.rtt_average_s, signal.rtt_last_s, signal.congested.is_some());
            }
            Signals::EveryLink => {
                for report in self.neighbourhood(&own.setup) {
                    take(report.rtt_average_s, report.rtt_last_s, report.congested);
                }
            }
        }
        shared
    }

    /// The report of the own links; `complete` fills in what another protocol adds.
    pub fn report_links(&self, complete: impl Fn(LocalLink, &mut LinkReport)) -> NeighbourReport {
        let mut reported = self.reported.borrow_mut();
        let own = self.links.enumerate().map(|(index, own)| {
            let (rtt_average_s, rtt_last_s) = self.rtts(own);
            let mut report = LinkReport {
                link: own.setup.link,
                from: self.node,
                to: own.setup.to,
                congested: self.congests(own),
                rtt_average_s,
                rtt_last_s,
                carried_packets_per_s: 0.0,
                packet_bytes: 0.0,
                flows: 0,
                granted_packets_per_s: f64::INFINITY,
                loss: own.setup.loss,
                airtimes: own.setup.airtimes,
                reported_at: self.now,
                number: 1,
            };
            complete(index, &mut report);
            match reported.get_mut(index.index()) {
                Some(last) => {
                    report.number = last.number + u64::from(!report.repeats(last));
                    *last = report;
                }
                None => reported.push(report),
            }
            report
        });
        self.around.neighbour_report(self.now, own)
    }

    /// What a packet on an own link says where it tells of one link.
    #[must_use]
    pub fn summary(&self, link: LocalLink) -> Option<Summary> {
        let on = self.links.get(link)?;
        let own = self.links.iter().fold(Signal::default(), |all, own| {
            let (rtt_average_s, rtt_last_s) = self.rtts(own);
            let congested = self.congests(own).then_some((self.node, own.setup.to));
            all.joined(Signal { congested, rtt_average_s, rtt_last_s })
        });
        let link = SentOn { to: on.setup.to, congested: self.congests(on), flow: on.departed };
        Some(self.heard.summary(self.now, link, own))
    }

    fn signals(&self) -> Signals {
        self.config.signals.unwrap_or_default()
    }

    fn congests(&self, own: &OwnLink) -> bool {
        self.congests_at(self.now, own)
    }

    /// The average only moves with arrivals: that of an unused link is stale.
    fn congests_at(&self, now: Nanos, own: &OwnLink) -> bool {
        let used = now.saturating_sub(own.last_arrival) <= self.hold;
        own.queue.packets() > self.config.congestion_threshold_packets && used
    }

    /// Means over the flows of a link, seconds: its `rtt_avg` and `rtt_inst`; 0: none known.
    fn rtts(&self, own: &OwnLink) -> (f64, f64) {
        mean_rtts(&own.flows, self.now, self.hold)
    }
}

impl Router for WcpRouter {
    fn is_congested(&self, now: Nanos, link: LocalLink) -> Option<bool> {
        self.links.get(link).map(|own| self.congests_at(now, own))
    }

    fn look(&self, _now: Nanos, link: Option<LocalLink>, see: &mut dyn FnMut(LocalLink)) -> Sight {
        link.into_iter().for_each(see);
        Sight::Named
    }

    /// What [`super::Wcp`] counts for every frame is at the link's rate; this is the rest of a lower one.
    fn control_octets(&mut self, link: LocalLink) -> u32 {
        let Some(own) = self.links.get(link) else { return 0 };
        let octets = self.config.option_octets();
        slowed_octets(octets, own.setup.rate_bps, self.config.control_rate_bps) - octets
    }

    fn on_arrival(&mut self, now: Nanos, view: &NodeView, link: LocalLink, packet: &mut Packet) {
        self.now = now;
        let hold = self.hold;
        let Some(own) = self.links.get_mut(link) else { return };
        let waiting = view.links.get(link).map_or(0, |link| link.queue_packets);
        own.last_arrival = now;
        own.queue.sample(f64::from(waiting), self.config.queue_weight);
        own.flows.retain(|_, rtt| now.saturating_sub(rtt.seen) <= hold);
        if let Header::Wcp(WcpHeader { rtt_average_s, rtt_last_s, .. }) = packet.header {
            own.flows.insert(packet.flow, FlowRtt { average_s: rtt_average_s, last_s: rtt_last_s, seen: now });
        }
    }

    fn on_departure(&mut self, now: Nanos, _view: &NodeView, link: LocalLink, packet: &mut Packet) {
        self.now = now;
        let shared = self.shared(link);
        if let Header::Wcp(header) = &mut packet.header {
            if let Some(own) = self.links.get_mut(link) {
                own.departed = Some((packet.flow, header.rtt_average_s, header.rtt_last_s));
            }
            header.shared_rtt_average_s = header.shared_rtt_average_s.max(shared.rtt_average_s);
            header.shared_rtt_last_s = header.shared_rtt_last_s.max(shared.rtt_last_s);
            header.congested |= shared.congested;
        }
    }

    fn neighbour_report(&self, link: LocalLink) -> Option<NeighbourReport> {
        match self.signals() {
            Signals::OneLink => Some(NeighbourReport { links: Vec::new(), summary: Some(self.summary(link)?) }),
            Signals::EveryLink => Some(self.report_links(|_, _| {})),
        }
    }

    fn on_overheard(&mut self, now: Nanos, from: NodeId, report: &NeighbourReport) {
        self.now = now;
        match &report.summary {
            Some(summary) => self.heard.hear(now, from, summary),
            None => self.around.hear(now, from, report),
        }
    }
}

#[cfg(test)]
mod tests;
