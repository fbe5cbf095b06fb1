//! WCPCap as S003 idealises it (sec. III-B): control messages are instantaneous and lossless, and every node knows the
//! rates of all links.
//!
//! So a transmitter finds the exact room that all flows it shares the medium with could grow by. Every epoch it moves
//! the rate that it grants by the part rho of that room, and a flow sends at the least rate granted where it passes.

use crate::controller::{LinkAirtimes, MacSetup};
use crate::controllers::wcp_cap::achievable::{Load, Region};
use crate::controllers::wcp_cap::next_rate;
use crate::index::{IndexVec, NodeId};

const HALVINGS: usize = 30;
/// Least rate that is granted, packets/s.
const MIN: f64 = 1e-3;

/// Rates of the flows, packets/s, after each of so many epochs, all of them `start` at first.
///
/// All links have the same airtimes. `paths`: the nodes of each flow, source first; `packet_bytes` at the MAC, without
/// acknowledgements; `hearing[a]`: whose frames `a` decodes.
#[must_use]
pub fn epochs(
    (mac, airtimes): (MacSetup, LinkAirtimes),
    hearing: &IndexVec<NodeId, Vec<NodeId>>,
    paths: &[Vec<NodeId>],
    packet_bytes: f64,
    increase_share: f64,
    start: f64,
    count: usize,
) -> Vec<Vec<f64>> {
    let mut loads = Vec::new();
    let mut carried_by = Vec::new();
    for (flow, path) in paths.iter().enumerate() {
        for hop in path.windows(2) {
            loads.push(Load { from: hop[0], to: hop[1], packet_bytes, loss: 0.0, airtimes });
            carried_by.push(flow);
        }
    }
    let near = |a: NodeId, b: NodeId| a == b || hearing.get(a).is_some_and(|heard| heard.contains(&b));
    let shares = |a: &Load, b: &Load| [a.from, a.to].iter().any(|&x| [b.from, b.to].iter().any(|&y| near(x, y)));
    // Of every link the flows that pass its neighbourhood.
    let passing: Vec<Vec<usize>> = loads
        .iter()
        .map(|own| {
            let flows = loads.iter().zip(&carried_by).filter(|(other, _)| shares(own, other)).map(|(_, &flow)| flow);
            let mut flows: Vec<_> = flows.collect();
            flows.sort_unstable();
            flows.dedup();
            flows
        })
        .collect();
    let region = Region::new(mac, hearing, loads);
    let utilization = |rates: &[f64], link: usize| {
        let loads: Vec<_> = carried_by.iter().map(|&flow| rates[flow]).collect();
        region.solve(&loads, 1e-9).utilization[link]
    };
    let mut rates = vec![start; paths.len()];
    let mut granted = vec![start; passing.len()];
    let mut steps = Vec::with_capacity(count);
    for _ in 0..count {
        for (link, flows) in passing.iter().enumerate() {
            let busy = |growth: f64| {
                let mut grown = rates.clone();
                flows.iter().for_each(|&flow| grown[flow] = (grown[flow] + growth).max(MIN));
                utilization(&grown, link)
            };
            let most = flows.iter().fold(0.0, |most: f64, &flow| most.max(rates[flow]));
            let (mut low, mut high) = (-most, 1.0 / mac.slot_s);
            for _ in 0..HALVINGS {
                let middle = (low + high) / 2.0;
                if busy(middle) <= 1.0 {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            let slowest = flows.iter().fold(f64::INFINITY, |least, &flow| least.min(rates[flow]));
            granted[link] =
                next_rate(granted[link].min(slowest + low.max(0.0)), low, 0.0, 1.0, increase_share, 0.0).max(MIN);
        }
        for (flow, rate) in rates.iter_mut().enumerate() {
            let grants = passing.iter().zip(&granted).filter(|(flows, _)| flows.contains(&flow));
            *rate = grants.map(|(_, &granted)| granted).fold(f64::INFINITY, f64::min);
        }
        steps.push(rates.clone());
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::wcp::neighbourhood::tests::stack_hearing;
    use crate::controllers::wcp_cap::achievable::tests::{airtimes, mac};
    use crate::reference::max_min::{max_min, Route};

    fn nodes(path: &[u32]) -> Vec<NodeId> {
        path.iter().map(|&node| NodeId(node)).collect()
    }

    fn reference(hearing: &IndexVec<NodeId, Vec<NodeId>>, paths: &[Vec<NodeId>]) -> Vec<f64> {
        let route = |path: &Vec<NodeId>| Route {
            path: path.clone(),
            packet_bytes: 512,
            ack_bytes: 0,
            most_packets_per_s: f64::INFINITY,
        };
        max_min(mac(0), hearing, |_, _| (0.0, airtimes(11e6)), &paths.iter().map(route).collect::<Vec<_>>())
    }

    /// S003, theorem 1: the rates converge to the max-min allocation; lemma 2: within log(1 - theta) / log(1 - rho)
    /// epochs to the part theta of it.
    #[test]
    fn rates_in_stack_converge_to_the_max_min_allocation() {
        let paths = [nodes(&[0, 1, 2]), nodes(&[3, 4, 5]), nodes(&[6, 7, 8])];
        let expected = reference(&stack_hearing(), &paths);
        let (rho, theta): (f64, f64) = (0.3, 0.9);
        let within = ((1.0 - theta).ln() / (1.0 - rho).ln()).ceil() as usize;
        assert_eq!(within, 7, "as the paper has it for 90 %");
        for start in [MIN, 0.5 * expected[1], 1.5 * expected[1]] {
            let steps = epochs((mac(0), airtimes(11e6)), &stack_hearing(), &paths, 512.0, rho, start, 30);
            for (flow, &rate) in expected.iter().enumerate() {
                let last = steps[29][flow];
                assert!((last / rate - 1.0).abs() < 0.03, "flow {flow} from {start}: {last} is not {rate}");
                assert!(
                    steps[within - 1][flow] > 0.97 * theta * rate,
                    "flow {flow} from {start} after {within} epochs"
                );
            }
        }
    }
}
