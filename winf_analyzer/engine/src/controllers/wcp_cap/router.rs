//! The router: an epoch per outgoing link, and the rate it grants to every flow.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::achievable::{Load, Region};
use super::{UtilizationSearch, WcpCapConfig};
use crate::controller::{Bulletin, LinkBulletin, MacSetup, NodeSetup, NodeView, Router};
use crate::controllers::wcp::WcpRouter;
use crate::packet::{FlowId, Header, NodeId, Packet};
use crate::units::{nanos, seconds, Nanos, MILLISECOND, SECOND};

/// Longest epoch: a round-trip time of a header is not trusted beyond it.
const LONGEST_EPOCH: Nanos = 30 * SECOND;
const SHORTEST_EPOCH: Nanos = 10 * MILLISECOND;

/// WCPCap at one node: WCP's queues and shared round-trip times, and rates from the model.
#[derive(Clone, Debug)]
pub struct WcpCapRouter {
    config: WcpCapConfig,
    setup: NodeSetup,
    shared: WcpRouter,
    epochs: Vec<Epoch>,
    hearing: Arc<Vec<Vec<NodeId>>>,
}

/// What is counted during an epoch of a link, and what the last one gave.
#[derive(Clone, Debug)]
struct Epoch {
    started: Nanos,
    ends: Option<Nanos>,
    packets: u64,
    bytes: u64,
    flows: BTreeSet<FlowId>,
    carried_packets_per_s: f64,
    packet_bytes: f64,
    flow_count: u32,
    granted_packets_per_s: Option<f64>,
    utilization: UtilizationSearch,
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
            flows: BTreeSet::new(),
            carried_packets_per_s: 0.0,
            packet_bytes: 0.0,
            flow_count: 0,
            granted_packets_per_s: None,
            utilization: UtilizationSearch::new(config.least_utilization, config.greatest_utilization),
        };
        Self {
            shared: WcpRouter::new(config.wcp(), node),
            epochs: vec![epoch; node.links.len()],
            hearing: Arc::clone(&node.hearing),
            setup: node.clone(),
            config,
        }
    }

    /// Closes the epoch of an own link and opens the next.
    fn close(&mut self, now: Nanos, view: &NodeView, link: usize) {
        let (shared_rtt_s, _) = self.shared.shared_rtts(link);
        let average_queue = self.shared.average_queue(link);
        let length = if shared_rtt_s > 0.0 { self.config.epoch_rtts * shared_rtt_s } else { self.config.first_epoch_s };
        let Some(epoch) = self.epochs.get_mut(link) else { return };
        let lasted_s = seconds(now.saturating_sub(epoch.started)).max(1e-9);
        epoch.carried_packets_per_s = epoch.packets as f64 / lasted_s;
        epoch.packet_bytes = if epoch.packets > 0 { epoch.bytes as f64 / epoch.packets as f64 } else { 0.0 };
        epoch.flow_count = epoch.flows.len() as u32;
        let idle = epoch.packets == 0;
        epoch.started = now;
        epoch.ends = (!idle).then(|| now + nanos(length).clamp(SHORTEST_EPOCH, LONGEST_EPOCH));
        (epoch.packets, epoch.bytes) = (0, 0);
        epoch.flows.clear();
        if idle {
            return;
        }
        epoch.utilization.on_epoch(average_queue);
        let utilization = epoch.utilization.value();
        let queue = view.links.get(link).map_or(0.0, |view| f64::from(view.queue_packets));
        let growth = self.setup.mac.map(|mac| self.growth(mac, link, utilization));
        if let (Some(growth), Some(epoch)) = (growth, self.epochs.get_mut(link)) {
            let rate = epoch.granted_packets_per_s.unwrap_or(0.0);
            let rtt_s = if shared_rtt_s > 0.0 { shared_rtt_s } else { self.config.first_epoch_s };
            let next = next_rate(rate, growth, queue, rtt_s, self.config.increase_share, self.config.drain_share);
            // One packet per epoch keeps the feedback alive.
            epoch.granted_packets_per_s =
                Some(next.max(1.0 / seconds(nanos(length).clamp(SHORTEST_EPOCH, LONGEST_EPOCH))));
        }
    }

    /// The largest delta by which the rate of every flow of the neighbourhood could grow, packets/s; negative where
    /// the rates are not achievable.
    fn growth(&self, mac: MacSetup, link: usize, utilization: f64) -> f64 {
        let Some(own) = self.setup.links.get(link) else { return 0.0 };
        let mut loads = Vec::new();
        let mut carried = Vec::new();
        let mut flows = Vec::new();
        let mut add = |from: NodeId, to: NodeId, packet_bytes: f64, packets_per_s: f64, count: u32| {
            if packets_per_s > 0.0 && count > 0 && packet_bytes > 0.0 {
                loads.push(Load { from, to, packet_bytes, loss: 0.0 });
                carried.push(packets_per_s);
                flows.push(f64::from(count));
            }
        };
        for (epoch, setup) in self.epochs.iter().zip(&self.setup.links) {
            let (bytes, rate) = (epoch.packet_bytes, epoch.carried_packets_per_s);
            add(self.setup.node, setup.to, bytes, rate, epoch.flow_count);
        }
        for told in self.shared.neighbourhood(own) {
            add(told.from, told.to, told.packet_bytes, told.carried_packets_per_s, told.flows);
        }
        let least = carried.iter().zip(&flows).map(|(x, n)| x / n).fold(f64::INFINITY, f64::min);
        if !least.is_finite() {
            return 0.0;
        }
        // No link carries more packets than it has slots.
        let most = 1.0 / mac.slot_s;
        Region::new(mac, &self.hearing, loads).greatest(&carried, &flows, (-least, most), utilization)
    }

    /// `R_min` of an own link: the least rate granted in its neighbourhood; infinite before the first.
    fn least_granted(&self, link: usize) -> f64 {
        let Some(own) = self.setup.links.get(link) else { return f64::INFINITY };
        let own_links = self.epochs.iter().filter_map(|epoch| epoch.granted_packets_per_s);
        let told = self.shared.neighbourhood(own).map(|told| told.granted_packets_per_s);
        own_links.chain(told).fold(f64::INFINITY, f64::min)
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
    fn on_arrival(&mut self, now: Nanos, view: &NodeView, link: usize, packet: &mut Packet) {
        self.shared.on_arrival(now, view, link, packet);
    }

    fn on_departure(&mut self, now: Nanos, view: &NodeView, link: usize, packet: &mut Packet) {
        self.shared.on_departure(now, view, link, packet);
        if let Some(epoch) = self.epochs.get_mut(link) {
            epoch.packets += 1;
            epoch.bytes += u64::from(packet.size_bytes);
            epoch.flows.insert(packet.flow);
            if epoch.ends.is_none() {
                epoch.started = now;
                epoch.ends = Some(now + nanos(self.config.first_epoch_s));
            }
        }
        let least = self.least_granted(link);
        if let Header::Wcp(header) = &mut packet.header {
            header.rate_packets_per_s = header.rate_packets_per_s.min(least);
        }
    }

    fn next_timer(&self) -> Option<Nanos> {
        self.epochs.iter().filter_map(|epoch| epoch.ends).min()
    }

    fn on_timer(&mut self, now: Nanos, view: &NodeView) {
        for link in 0..self.epochs.len() {
            if self.epochs[link].ends.is_some_and(|ends| ends <= now) {
                self.close(now, view, link);
            }
        }
    }

    fn bulletin(&self) -> Option<Bulletin> {
        Some(self.shared.tell(|link, said: &mut LinkBulletin| {
            let Some(epoch) = self.epochs.get(link) else { return };
            said.carried_packets_per_s = epoch.carried_packets_per_s;
            said.packet_bytes = epoch.packet_bytes;
            said.flows = epoch.flow_count;
            said.granted_packets_per_s = epoch.granted_packets_per_s.unwrap_or(f64::INFINITY);
        }))
    }

    fn on_overheard(&mut self, now: Nanos, from: NodeId, bulletin: &Bulletin) {
        self.shared.on_overheard(now, from, bulletin);
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
