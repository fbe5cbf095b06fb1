//! The router: an epoch per outgoing link, and the rate it grants to every flow.

use std::collections::BTreeMap;

use super::achievable::{Load, Region};
use super::{control_bytes, UtilizationSearch, WcpCapConfig};
use crate::controller::{LinkReport, LinkSetup, MacSetup, NeighbourReport, NodeSetup, NodeView, Router, Sight};
use crate::controllers::wcp::{slowed_octets, WcpRouter};
use crate::index::{FlowId, IndexVec, LocalLink, NodeId};
use crate::packet::{Header, Packet};
use crate::units::{nanos, seconds, Nanos, MILLISECOND, SECOND};

/// Longest epoch: a round-trip time of a header is not trusted beyond it.
const LONGEST_EPOCH: Nanos = 5 * SECOND;
/// How long an epoch waits for more packets.
const MAX_PATIENCE: Nanos = SECOND;
/// Of the utilisation at which the model's search is content. The thirty packets of an epoch give rates much less precisely.
const PRECISION: f64 = 5e-3;
const SHORTEST_EPOCH: Nanos = 10 * MILLISECOND;

/// WCPCap at one node: WCP's queues and shared round-trip times, and rates from the model.
#[derive(Clone, Debug)]
pub struct WcpCapRouter {
    config: WcpCapConfig,
    setup: NodeSetup,
    shared: WcpRouter,
    epochs: IndexVec<LocalLink, Epoch>,
}

/// Counts of the current epoch of a link, and results of the last.
#[derive(Clone, Debug)]
struct Epoch {
    started: Nanos,
    ends: Option<Nanos>,
    packets: u64,
    bytes: u64,
    flows: BTreeMap<FlowId, u64>,
    carried_packets_per_s: f64,
    packet_bytes: f64,
    flow_count: u32,
    /// Of the flow that sent most.
    fastest_packets_per_s: f64,
    granted_packets_per_s: Option<f64>,
    utilization: UtilizationSearch,
    /// Whether it has ended, and no packet has told of it yet.
    untold: bool,
}

impl WcpCapRouter {
    /// A node that has seen nothing yet.
    #[must_use]
    pub fn new(config: WcpCapConfig, node: &NodeSetup) -> Self {
        let epoch = Epoch {
            started: 0,
            ends: None,
            packets: 0,
            bytes: 0,
            flows: BTreeMap::new(),
            carried_packets_per_s: 0.0,
            packet_bytes: 0.0,
            flow_count: 0,
            fastest_packets_per_s: 0.0,
            granted_packets_per_s: None,
            utilization: UtilizationSearch::new(config.least_utilization, config.greatest_utilization),
            untold: false,
        };
        Self {
            shared: WcpRouter::new(config.wcp(), node),
            epochs: vec![epoch; node.links.len()].into(),
            setup: node.clone(),
            config,
        }
    }

    /// The own links whose epochs have ended.
    fn due(&self, now: Nanos) -> impl Iterator<Item = LocalLink> + use<'_> {
        self.epochs
            .enumerate()
            .filter(move |(_, epoch)| epoch.ends.is_some_and(|ends| ends <= now))
            .map(|(link, _)| link)
    }

    /// Closes the epoch of an own link and opens the next.
    fn close(&mut self, now: Nanos, view: &NodeView, link: LocalLink) {
        let shared_rtt_s = self.shared.shared(link).rtt_average_s;
        let rtt_s = if shared_rtt_s > 0.0 { shared_rtt_s } else { self.config.first_epoch_s / self.config.epoch_rtts };
        let length = nanos(self.config.epoch_rtts * rtt_s).clamp(SHORTEST_EPOCH, LONGEST_EPOCH);
        let average_queue = self.shared.average_queue(link);
        let Some(epoch) = self.epochs.get_mut(link) else { return };
        let lasted = now.saturating_sub(epoch.started);
        let patience = if epoch.packets > 0 { MAX_PATIENCE } else { nanos(self.config.hold_s) };
        if epoch.packets < self.config.least_epoch_packets && lasted < patience {
            epoch.ends = Some(now + length);
            return;
        }
        // The queue drains from epoch to epoch. One that waited for packets lasts longer than `k` round trips: with their
        // time the rate would fall by several times what drains the queue.
        let drain_s = rtt_s.max(seconds(lasted) / self.config.epoch_rtts);
        let first = epoch.is_idle();
        epoch.untold = true;
        epoch.count(now);
        epoch.ends = (!epoch.is_idle()).then_some(now + length);
        if first || epoch.is_idle() {
            // A first epoch only measures: what the neighbours carry is not known before theirs end.
            epoch.granted_packets_per_s = None;
            return;
        }
        epoch.utilization.on_epoch(average_queue);
        let (fastest, utilization) = (epoch.fastest_packets_per_s, epoch.utilization.value());
        let (Some(mac), Some(own)) = (self.setup.mac, self.setup.links.get(link)) else { return };
        let growth = self.growth(mac, own, utilization);
        let rate = self.epochs[link].granted_packets_per_s.unwrap_or_else(|| self.least_granted(own).unwrap_or(0.0));
        let queue = view.links.get(link).map_or(0.0, |view| f64::from(view.queue_packets));
        let next = next_rate(rate, growth, queue, drain_s, self.config.increase_share, self.config.drain_share);
        // A rate that flows do not use, being held back elsewhere, would grow without end; one that is too low would
        // end the feedback that could raise it.
        let next = next.min(fastest + growth).max(self.config.least_packets_per_s);
        self.epochs[link].granted_packets_per_s = Some(next);
    }

    /// The largest delta by which the rate of every flow of the neighbourhood could grow, packets/s; negative where
    /// the rates are not achievable.
    fn growth(&self, mac: MacSetup, own: &LinkSetup, utilization: f64) -> f64 {
        let mut loads = Vec::new();
        let mut carried = Vec::new();
        let mut flows = Vec::new();
        // Wires take no airtime.
        let mut add = |load: Option<Load>, packets_per_s: f64, count: u32| {
            if let Some(load) = load.filter(|load| packets_per_s > 0.0 && count > 0 && load.packet_bytes > 0.0) {
                loads.push(load);
                carried.push(packets_per_s);
                flows.push(f64::from(count));
            }
        };
        for (epoch, setup) in self.epochs.iter().zip(&self.setup.links) {
            let (from, to, packet_bytes, loss) = (self.setup.node, setup.to, epoch.packet_bytes, setup.loss);
            let load = setup.airtimes.map(|airtimes| Load { from, to, packet_bytes, loss, airtimes });
            add(load, epoch.carried_packets_per_s, epoch.flow_count);
        }
        for report in self.shared.neighbourhood(own) {
            let LinkReport { from, to, packet_bytes, loss, .. } = *report;
            let load = report.airtimes.map(|airtimes| Load { from, to, packet_bytes, loss, airtimes });
            add(load, report.carried_packets_per_s, report.flows);
        }
        Region::new(mac, &self.setup.hearing, loads).greatest(&carried, &flows, utilization, PRECISION)
    }

    /// `R_min` of an own link: the least rate granted in its neighbourhood, by links that carry something.
    fn least_granted(&self, own: &LinkSetup) -> Option<f64> {
        let own_links = self.epochs.iter().filter_map(Epoch::grants);
        let report = self.shared.neighbourhood(own).map(|report| report.granted_packets_per_s);
        own_links.chain(report).filter(|rate| rate.is_finite()).reduce(f64::min)
    }
}

impl Epoch {
    /// Turns the counts into rates and resets them.
    fn count(&mut self, now: Nanos) {
        let lasted_s = seconds(now.saturating_sub(self.started)).max(1e-9);
        let per_s = |packets: u64| packets as f64 / lasted_s;
        self.carried_packets_per_s = per_s(self.packets);
        self.packet_bytes = if self.packets > 0 { self.bytes as f64 / self.packets as f64 } else { 0.0 };
        self.flow_count = self.flows.len() as u32;
        self.fastest_packets_per_s = per_s(self.flows.values().copied().max().unwrap_or(0));
        self.started = now;
        (self.packets, self.bytes) = (0, 0);
        self.flows.clear();
    }

    /// Whether the last epoch carried nothing.
    fn is_idle(&self) -> bool {
        self.flow_count == 0
    }

    /// The rate per flow that it reports; idle links report none.
    fn grants(&self) -> Option<f64> {
        self.granted_packets_per_s.filter(|_| !self.is_idle())
    }
}

/// Fig. 4 of S003: the next rate of a link from its rate, the growth delta and the queue; all in one unit of data
/// (packets or bits), `rtt_s` in seconds.
#[must_use]
pub fn next_rate(rate: f64, growth: f64, queue: f64, rtt_s: f64, increase_share: f64, drain_share: f64) -> f64 {
    let step = if growth > 0.0 { increase_share * growth } else { growth };
    rate + step - drain_share * queue / rtt_s
}

impl Router for WcpCapRouter {
    fn utilization(&self, link: LocalLink) -> Option<f64> {
        self.epochs.get(link).map(|epoch| epoch.utilization.value())
    }

    /// S003 sec. III-B: four bytes for each link of the neighbourhood, once an epoch.
    fn control_octets(&mut self, link: LocalLink) -> u32 {
        let (Some(own), Some(epoch)) = (self.setup.links.get(link), self.epochs.get_mut(link)) else { return 0 };
        if !self.config.counts_control || !std::mem::take(&mut epoch.untold) {
            return 0;
        }
        let links = self.setup.links.len() + self.shared.neighbourhood(own).count();
        slowed_octets(control_bytes(links) as u32, own.rate_bps, self.config.control_rate_bps)
    }

    fn reads_reports_of(&self) -> &[NodeId] {
        if self.config.central_store {
            &self.setup.neighbours
        } else {
            &[]
        }
    }

    fn look(&self, now: Nanos, link: Option<LocalLink>, see: &mut dyn FnMut(LocalLink)) -> Sight {
        match link {
            Some(link) => see(link),
            None => self.due(now).for_each(see),
        }
        Sight::Named
    }

    fn on_arrival(&mut self, now: Nanos, view: &NodeView, link: LocalLink, packet: &mut Packet) {
        self.shared.on_arrival(now, view, link, packet);
    }

    fn on_departure(&mut self, now: Nanos, view: &NodeView, link: LocalLink, packet: &mut Packet) {
        self.shared.on_departure(now, view, link, packet);
        if let Some(epoch) = self.epochs.get_mut(link) {
            epoch.packets += 1;
            epoch.bytes += u64::from(packet.size_bytes);
            *epoch.flows.entry(packet.flow).or_default() += 1;
            if epoch.ends.is_none() {
                epoch.started = now;
                epoch.ends = Some(now + nanos(self.config.first_epoch_s));
            }
        }
        let least = self.setup.links.get(link).and_then(|own| self.least_granted(own));
        if let (Header::Wcp(header), Some(least)) = (&mut packet.header, least) {
            header.rate_packets_per_s = header.rate_packets_per_s.min(least);
        }
    }

    fn next_timer(&self) -> Option<Nanos> {
        self.epochs.iter().filter_map(|epoch| epoch.ends).min()
    }

    fn on_timer(&mut self, now: Nanos, view: &NodeView) {
        for link in self.due(now).collect::<Vec<_>>() {
            self.close(now, view, link);
        }
    }

    fn neighbour_report(&self, _link: LocalLink) -> Option<NeighbourReport> {
        Some(self.shared.report_links(|link, report: &mut LinkReport| {
            let Some(epoch) = self.epochs.get(link) else { return };
            report.carried_packets_per_s = epoch.carried_packets_per_s;
            report.packet_bytes = epoch.packet_bytes;
            report.flows = epoch.flow_count;
            report.granted_packets_per_s = epoch.grants().unwrap_or(f64::INFINITY);
        }))
    }

    fn on_overheard(&mut self, now: Nanos, from: NodeId, report: &NeighbourReport) {
        self.shared.on_overheard(now, from, report);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v_q1_the_rate_grows_by_a_part_and_falls_in_full() {
        let bits = 4096.0;
        assert!((next_rate(250e3, 40e3, 2.0 * bits, 0.1, 0.3, 0.1) - 253_808.0).abs() < 1e-6);
        assert!((next_rate(250e3, -30e3, 5.0 * bits, 0.1, 0.3, 0.1) - 199_520.0).abs() < 1e-6);
    }

    /// S003 sec. III-B: four bytes for each link of L, once an epoch: of two links of a node that knows of no other 8 bytes,
    /// or 88 at the rate of 11 Mbit/s where they are sent at 1.
    #[test]
    fn a_link_tells_of_its_neighbourhood_once_an_epoch() {
        use crate::controllers::test_flow::{node, wireless};
        use crate::index::IndexVec;
        let octets = |config: WcpCapConfig| {
            let mut router = WcpCapRouter::new(config, &node([wireless(0, 1), wireless(1, 2)]));
            let mut told = vec![router.control_octets(LocalLink(0))];
            let views: IndexVec<LocalLink, _> = vec![Default::default(); 2].into();
            router.epochs[LocalLink(0)].packets = 30;
            router.close(SECOND, &NodeView { links: &views }, LocalLink(0));
            told.extend([0, 0, 1].map(|link| router.control_octets(LocalLink(link))));
            told
        };
        let counted = WcpCapConfig { counts_control: true, ..WcpCapConfig::default() };
        assert_eq!(octets(WcpCapConfig::default()), [0; 4]);
        assert_eq!(octets(counted.clone()), [0, 8, 0, 0]);
        assert_eq!(octets(WcpCapConfig { control_rate_bps: Some(1_000_000), ..counted }), [0, 88, 0, 0]);
    }

    #[test]
    fn a_node_reads_its_neighbours_in_the_store_if_there_is_one() {
        use crate::controllers::test_flow::node;
        let setup = NodeSetup { neighbours: vec![NodeId(1), NodeId(4)], ..node([]) };
        let read = |central_store| {
            let router = WcpCapRouter::new(WcpCapConfig { central_store, ..WcpCapConfig::default() }, &setup);
            router.reads_reports_of().to_vec()
        };
        assert_eq!(read(true), setup.neighbours);
        assert_eq!(read(false), []);
    }

    #[test]
    fn ninety_per_cent_after_seven_epochs() {
        let (mut rate, mut epochs) = (0.0, 0);
        while rate < 0.9 {
            rate = next_rate(rate, 1.0 - rate, 0.0, 0.1, 0.3, 0.1);
            epochs += 1;
        }
        assert_eq!(epochs, 7);
    }
}
