//! The max-min fair allocation of a wireless network, with full knowledge and no protocol.
//!
//! As S003 sec. IV-A computes its optimum: the achievable region of [`Region`] over the whole network at utilisation
//! 1, and progressive filling along its boundary. All rates grow together until a transmitter is saturated; flows that
//! cannot grow further are fixed; the others continue.

use crate::controller::{LinkAirtimes, MacSetup};
use crate::controllers::wcp_cap::achievable::{Load, Region};
use crate::index::{IndexVec, NodeId};

/// A flow of the allocation: its path, and what one packet and its acknowledgement put on the medium.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// Nodes, source first.
    pub path: Vec<NodeId>,
    /// Data packet at the MAC, bytes.
    pub packet_bytes: u32,
    /// Transport acknowledgement at the MAC, bytes; 0: none. It goes back over the same nodes.
    pub ack_bytes: u32,
    /// Rate that the flow does not exceed, packets/s; infinite for a greedy one.
    pub most_packets_per_s: f64,
}

/// A flow may still grow if this much more of its rate busies no transmitter by more than `SLACK`. Without slack any
/// flow would be held by any bottleneck: through collisions far away everything depends a little on everything.
const GROWTH: f64 = 0.1;
const SLACK: f64 = 0.01;
const HALVINGS: usize = 30;
/// Utilisation of a transmitter above which its queues count as fully used (S003 sec. IV-A).
const FULLY_USED: f64 = 0.95;

/// Rates of the routes, packets/s, for which no rate can grow without taking from a flow that has no more.
///
/// `hearing[a]`: whose frames `a` decodes; `link(from, to)`: probability that the channel corrupts an attempt, and
/// airtimes. Rates of routes without a hop are 0.
#[must_use]
pub fn max_min(
    mac: MacSetup,
    hearing: &IndexVec<NodeId, Vec<NodeId>>,
    link: impl Fn(NodeId, NodeId) -> (f64, LinkAirtimes),
    routes: &[Route],
) -> Vec<f64> {
    let (loads, carried_by) = loads(link, routes);
    let region = Region::new(mac, hearing, loads);
    let per_load = |rates: &[f64]| -> Vec<f64> { carried_by.iter().map(|&flow| rates[flow]).collect() };
    let busiest = |rates: &[f64]| region.solve(&per_load(rates), 1e-9).busiest();

    let mut rates = vec![0.0; routes.len()];
    let mut growing: Vec<_> = (0..routes.len()).filter(|&flow| routes[flow].path.len() > 1).collect();
    let mut limit = 1.0;
    while !growing.is_empty() {
        let step: Vec<_> = (0..routes.len()).map(|flow| f64::from(u8::from(growing.contains(&flow)))).collect();
        let room = growing.iter().map(|&flow| routes[flow].most_packets_per_s - rates[flow]);
        // No medium carries more packets than it has slots.
        let most = room.fold(1.0 / mac.slot_s, f64::min);
        let mut low = 0.0;
        let mut high = most;
        for _ in 0..HALVINGS {
            let middle = (low + high) / 2.0;
            let tried: Vec<_> = rates.iter().zip(&step).map(|(rate, step)| rate + middle * step).collect();
            if busiest(&tried) <= limit {
                low = middle;
            } else {
                high = middle;
            }
        }
        rates.iter_mut().zip(&step).for_each(|(rate, step)| *rate += low * step);
        let before = growing.len();
        growing.retain(|&flow| {
            let mut more = rates.clone();
            more[flow] *= 1.0 + GROWTH;
            more[flow] < routes[flow].most_packets_per_s && busiest(&more) <= limit + SLACK
        });
        limit += SLACK;
        if growing.len() == before {
            break;
        }
    }
    rates
}

/// How much of a link the routes use at their rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Use {
    /// Transmitter.
    pub from: NodeId,
    /// Receiver.
    pub to: NodeId,
    /// Share of the time in which a packet of the link is in service.
    pub utilization: f64,
    /// Whether its transmitter is fully used, so that the queue of the link is.
    pub congested: bool,
}

/// The links that the routes use at `rates`, packets/s, in the order in which the routes first take them.
#[must_use]
pub fn uses(
    mac: MacSetup,
    hearing: &IndexVec<NodeId, Vec<NodeId>>,
    link: impl Fn(NodeId, NodeId) -> (f64, LinkAirtimes),
    routes: &[Route],
    rates: &[f64],
) -> Vec<Use> {
    let (loads, carried_by) = loads(link, routes);
    let carried: Vec<_> = carried_by.iter().map(|&flow| rates[flow]).collect();
    let ends: Vec<_> = loads.iter().map(|load| (load.from, load.to)).collect();
    let solution = Region::new(mac, hearing, loads).solve(&carried, 1e-9);
    let mut uses: Vec<Use> = Vec::new();
    for (load, &(from, to)) in ends.iter().enumerate() {
        let utilization = carried[load] * solution.service_s[load];
        match uses.iter_mut().find(|known| (known.from, known.to) == (from, to)) {
            Some(known) => known.utilization += utilization,
            None => uses.push(Use { from, to, utilization, congested: solution.utilization[load] > FULLY_USED }),
        }
    }
    uses
}

/// What every hop of the routes sends, data and acknowledgements, and of which route it is.
fn loads(link: impl Fn(NodeId, NodeId) -> (f64, LinkAirtimes), routes: &[Route]) -> (Vec<Load>, Vec<usize>) {
    let mut loads = Vec::new();
    let mut carried_by = Vec::new();
    for (index, route) in routes.iter().enumerate() {
        for hop in route.path.windows(2) {
            for (from, to, bytes) in [(hop[0], hop[1], route.packet_bytes), (hop[1], hop[0], route.ack_bytes)] {
                if bytes > 0 {
                    let (loss, airtimes) = link(from, to);
                    loads.push(Load { from, to, packet_bytes: f64::from(bytes), loss, airtimes });
                    carried_by.push(index);
                }
            }
        }
    }
    (loads, carried_by)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::wcp::neighbourhood::tests::stack_hearing;
    use crate::controllers::wcp_cap::achievable::tests::{airtimes, mac};

    fn route(path: &[u32]) -> Route {
        let path = path.iter().map(|&node| NodeId(node)).collect();
        Route { path, packet_bytes: 512, ack_bytes: 0, most_packets_per_s: f64::INFINITY }
    }

    fn clean(_: NodeId, _: NodeId) -> (f64, LinkAirtimes) {
        (0.0, airtimes(11e6))
    }

    #[test]
    fn an_isolated_link_gets_what_it_can_carry() {
        let rates = max_min(mac(0), &[vec![NodeId(1)], vec![NodeId(0)]].into(), clean, &[route(&[0, 1])]);
        assert!((rates[0] - 516.87).abs() < 0.1, "{rates:?}");
    }

    #[test]
    fn the_flows_of_the_stack_get_equal_shares_but_for_the_slack_of_the_outer_ones() {
        let routes = [route(&[0, 1, 2]), route(&[3, 4, 5]), route(&[6, 7, 8])];
        let rates = max_min(mac(0), &stack_hearing(), clean, &routes);
        assert!((rates[1] * 4.096 - 484.26).abs() < 2.0, "{rates:?}");
        assert!(rates[0] >= rates[1] - 1e-9 && (rates[0] - rates[2]).abs() < 1e-6 * rates[0]);
    }

    /// S003 fig. 1: the queue of 4 -> 5 alone is fully used, and all other links belong to its neighbourhood. Acknowledgements
    /// busy its receiver as much.
    #[test]
    fn the_link_of_the_stack_that_is_fully_used() {
        let congested = |ack_bytes| {
            let routes =
                [route(&[0, 1, 2]), route(&[3, 4, 5]), route(&[6, 7, 8])].map(|one| Route { ack_bytes, ..one });
            let rates = max_min(mac(0), &stack_hearing(), clean, &routes);
            let used = uses(mac(0), &stack_hearing(), clean, &routes, &rates);
            assert_eq!(used.len(), if ack_bytes > 0 { 12 } else { 6 });
            used.into_iter().filter(|link| link.congested).map(|link| (link.from.0, link.to.0)).collect::<Vec<_>>()
        };
        assert_eq!(congested(0), [(3, 4)]);
        assert_eq!(congested(60), [(4, 3), (4, 5)]);
    }

    /// Two flows over one link, of which one has a fifth of the other's rate.
    #[test]
    fn flows_of_a_link_use_it_together() {
        let hearing = [vec![NodeId(1)], vec![NodeId(0)]].into();
        let slow = Route { most_packets_per_s: 100.0, ..route(&[0, 1]) };
        let routes = [slow, route(&[0, 1])];
        let used = uses(mac(0), &hearing, clean, &routes, &[100.0, 400.0]);
        assert_eq!(used.len(), 1);
        assert!((used[0].utilization - 500.0 / 516.87).abs() < 1e-4 && used[0].congested, "{used:?}");
        assert!(!uses(mac(0), &hearing, clean, &routes, &[100.0, 390.0])[0].congested, "used by 0.948");
    }

    /// S003 lemma 1: no flow can have a fifth more, not even if flows that have more are cut to what it had. Two links share
    /// one medium, three another.
    #[test]
    fn no_rate_can_grow_at_the_cost_of_larger_ones_alone() {
        let hears = |a: u32| (0..10).filter(|&b| a != b && (a < 4) == (b < 4)).map(NodeId).collect();
        let hearing: IndexVec<NodeId, Vec<NodeId>> = (0..10).map(hears).collect();
        let ends = [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]];
        let rates = max_min(mac(0), &hearing, clean, &ends.map(|ends| route(&ends)));
        assert!(rates[0] > 1.3 * rates[2], "{rates:?}");
        let load = |[from, to]: [u32; 2]| Load {
            from: NodeId(from),
            to: NodeId(to),
            packet_bytes: 512.0,
            loss: 0.0,
            airtimes: airtimes(11e6),
        };
        let region = Region::new(mac(0), &hearing, ends.map(load).to_vec());
        let busiest = |rates: &[f64]| region.solve(rates, 1e-9).busiest();
        assert!(busiest(&rates) <= 1.0 + 4.0 * SLACK, "the rates themselves are achievable");
        for (flow, &rate) in rates.iter().enumerate() {
            let mut more: Vec<_> = rates.iter().map(|&other| other.min(rate)).collect();
            more[flow] = 1.2 * rate;
            assert!(busiest(&more) > 1.0 + 4.0 * SLACK, "flow {flow} of {rates:?}");
        }
    }

    #[test]
    fn a_slow_flow_leaves_its_share_to_the_others() {
        let others = [[1, 2], [0, 2], [0, 1]];
        let hearing = others.iter().map(|others| others.map(NodeId).to_vec()).collect();
        let slow = Route { most_packets_per_s: 50.0, ..route(&[0, 1]) };
        let rates = max_min(mac(0), &hearing, clean, &[slow, route(&[2, 1])]);
        assert!((rates[0] - 50.0).abs() < 1.0, "{rates:?}");
        assert!(rates[1] > 300.0, "{rates:?}");
    }

    #[test]
    fn a_lossy_link_carries_less() {
        let hearing = [vec![NodeId(1)], vec![NodeId(0)]].into();
        let lossy = max_min(mac(0), &hearing, |_, _| (0.5, airtimes(11e6)), &[route(&[0, 1])]);
        assert!(lossy[0] < 300.0);
    }
}
