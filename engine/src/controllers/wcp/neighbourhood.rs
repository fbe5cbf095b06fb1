//! What a node knows of the links around it, and which of them share the medium with its own.

use crate::controller::{LinkReport, LinkSetup, NeighbourReport, NodeSetup};
use crate::index::NodeId;
use crate::units::Nanos;

/// The links a node was told of, each with what was last said about it and by whom.
#[derive(Clone, Debug)]
pub struct Neighbourhood {
    node: NodeId,
    neighbours: Vec<NodeId>,
    hold: Nanos,
    /// In the order of their links.
    told: Vec<Told>,
}

#[derive(Clone, Debug)]
struct Told {
    report: LinkReport,
    /// Whether an end of it is in `N[i]`.
    near: bool,
    /// When each of the neighbours last told of it, as an end of it or as the neighbour of one.
    tellers: Vec<Option<Nanos>>,
}

impl Neighbourhood {
    /// Knows nothing yet, and forgets what has not been repeated for `hold`.
    #[must_use]
    pub fn new(node: &NodeSetup, hold: Nanos) -> Self {
        Self { node: node.node, neighbours: node.neighbours.clone(), hold, told: Vec::new() }
    }

    /// A neighbour's report was heard.
    pub fn hear(&mut self, now: Nanos, from: NodeId, report: &NeighbourReport) {
        let Some(teller) = self.neighbours.iter().position(|&node| node == from) else { return };
        for said in &report.links {
            if said.from == self.node || !self.lasts(now, said.told_at) {
                continue;
            }
            let place = match self.told.binary_search_by_key(&said.link, |told| told.report.link) {
                Ok(place) => place,
                Err(place) => {
                    let near = self.is_near(said.from) || self.is_near(said.to);
                    let tellers = vec![None; self.neighbours.len()];
                    self.told.insert(place, Told { report: *said, near, tellers });
                    place
                }
            };
            let told = &mut self.told[place];
            if said.told_at >= told.report.told_at {
                told.report = *said;
            }
            told.tellers[teller] = Some(now);
        }
    }

    /// The links of `L(i -> j)` that others told of, for the own link `i -> j`: those with an end in `N[i] U N[j]`.
    pub fn sharing<'a>(&'a self, now: Nanos, own: &LinkSetup) -> impl Iterator<Item = &'a LinkReport> + use<'a> {
        let receiver = self.neighbours.iter().position(|&node| node == own.to);
        self.fresh(now)
            .filter(move |told| {
                let by_receiver = receiver.and_then(|receiver| told.tellers[receiver]);
                told.near || by_receiver.is_some_and(|when| self.lasts(now, when))
            })
            .map(|told| &told.report)
    }

    /// What this node tells in turn: its own links, in and out, and those of its neighbours.
    #[must_use]
    pub fn neighbour_report(&self, now: Nanos, own: impl Iterator<Item = LinkReport>) -> NeighbourReport {
        let hearsay = self.fresh(now).filter(|told| told.near).map(|told| told.report);
        let mut links = Vec::with_capacity(own.size_hint().0 + self.told.len());
        links.extend(own.chain(hearsay));
        NeighbourReport { links }
    }

    fn fresh(&self, now: Nanos) -> impl Iterator<Item = &Told> {
        self.told.iter().filter(move |told| self.lasts(now, told.report.told_at))
    }

    fn lasts(&self, now: Nanos, since: Nanos) -> bool {
        now.saturating_sub(since) <= self.hold
    }

    /// Whether `node` is in `N[i]`.
    fn is_near(&self, node: NodeId) -> bool {
        node == self.node || self.neighbours.contains(&node)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::index::{IndexVec, LinkId};

    /// Stack of S003: rows 1-2-3, 4-5-6, 7-8-9, and each node hears those above and below it. Numbered from 0 here.
    pub(crate) fn stack_hearing() -> IndexVec<NodeId, Vec<NodeId>> {
        let edges = [(0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (7, 8), (0, 3), (1, 4), (2, 5), (3, 6), (4, 7), (5, 8)];
        let mut hearing = IndexVec::from(vec![Vec::new(); 9]);
        for (a, b) in edges {
            hearing[NodeId(a)].push(NodeId(b));
            hearing[NodeId(b)].push(NodeId(a));
        }
        hearing
    }

    const LINKS: [(u32, u32); 6] = [(0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (7, 8)];

    fn setup(node: u32) -> NodeSetup {
        let hearing = stack_hearing();
        NodeSetup {
            node: NodeId(node),
            links: IndexVec::default(),
            neighbours: hearing[NodeId(node)].clone(),
            hearing: Arc::new(hearing),
            mac: None,
            seed: 1,
        }
    }

    fn said(link: usize) -> LinkReport {
        LinkReport {
            link: LinkId(link as u32),
            from: NodeId(LINKS[link].0),
            to: NodeId(LINKS[link].1),
            congested: false,
            rtt_average_s: 0.05,
            rtt_last_s: 0.05,
            carried_packets_per_s: 0.0,
            packet_bytes: 0.0,
            flows: 1,
            granted_packets_per_s: f64::INFINITY,
            loss: 0.0,
            told_at: 0,
        }
    }

    /// Lets every node of the stack tell its neighbours three times, and asks for `L` of each link.
    fn neighbourhoods() -> Vec<Vec<usize>> {
        let mut nodes: IndexVec<NodeId, _> = (0..9).map(|node| Neighbourhood::new(&setup(node), 1)).collect();
        for _ in 0..3 {
            for from in 0..9u32 {
                let own = (0..6).filter(|&link| LINKS[link].0 == from).map(said);
                let report = nodes[NodeId(from)].neighbour_report(0, own);
                for to in stack_hearing()[NodeId(from)].clone() {
                    nodes[to].hear(0, NodeId(from), &report);
                }
            }
        }
        (0..6)
            .map(|link| {
                let (from, to) = LINKS[link];
                let own = LinkSetup {
                    link: LinkId(link as u32),
                    to: NodeId(to),
                    rate_bps: 11_000_000,
                    wired: false,
                    queue_packets: Some(64),
                    service_time: 0,
                    loss: 0.0,
                };
                let mut found: Vec<_> = nodes[NodeId(from)].sharing(0, &own).map(|told| told.link.0 as usize).collect();
                found.push(link);
                found.extend((0..6).filter(|&other| LINKS[other].0 == from));
                found.sort_unstable();
                found.dedup();
                found
            })
            .collect()
    }

    #[test]
    fn v_n3_neighbourhoods_of_the_stack() {
        let found = neighbourhoods();
        assert_eq!(found[0], [0, 1, 2, 3], "the bottom row is out of reach of 1 -> 2");
        assert_eq!(found[2], [0, 1, 2, 3, 4, 5], "all links share the medium with 4 -> 5");
        assert_eq!(found[4], [2, 3, 4, 5]);
    }

    #[test]
    fn forgets_what_is_not_repeated() {
        let mut node = Neighbourhood::new(&setup(1), 10);
        node.hear(0, NodeId(0), &NeighbourReport { links: vec![said(0)] });
        assert_eq!(node.fresh(10).count(), 1);
        assert_eq!(node.fresh(11).count(), 0);
    }
}
