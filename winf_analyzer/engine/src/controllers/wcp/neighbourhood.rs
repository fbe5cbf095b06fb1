//! What a node knows of the links around it, and which of them share the medium with its own.

use std::collections::BTreeMap;

use crate::controller::{Bulletin, LinkBulletin, LinkSetup, NodeSetup};
use crate::packet::{LinkId, NodeId};
use crate::units::Nanos;

/// The links a node was told of, each with what was last said about it and by whom.
#[derive(Clone, Debug)]
pub struct Neighbourhood {
    node: NodeId,
    neighbours: Vec<NodeId>,
    hold: Nanos,
    told: BTreeMap<LinkId, Told>,
}

#[derive(Clone, Debug)]
struct Told {
    bulletin: LinkBulletin,
    /// Positions in `neighbours` of those who told of it, as an end of it or as the neighbour of one; and when last.
    tellers: Vec<(usize, Nanos)>,
}

impl Neighbourhood {
    /// Knows nothing yet, and forgets what has not been repeated for `hold`.
    #[must_use]
    pub fn new(node: &NodeSetup, hold: Nanos) -> Self {
        Self { node: node.node, neighbours: node.neighbours.clone(), hold, told: BTreeMap::new() }
    }

    /// A neighbour's bulletin was heard.
    pub fn hear(&mut self, now: Nanos, from: NodeId, bulletin: &Bulletin) {
        let Some(teller) = self.neighbours.iter().position(|&node| node == from) else { return };
        for &said in &bulletin.links {
            if said.from == self.node || now.saturating_sub(said.told_at) > self.hold {
                continue;
            }
            let told =
                self.told.entry(said.link).or_insert_with(|| Told { bulletin: said, tellers: Vec::with_capacity(2) });
            if said.told_at >= told.bulletin.told_at {
                told.bulletin = said;
            }
            match told.tellers.iter_mut().find(|(who, _)| *who == teller) {
                Some((_, when)) => *when = now,
                None => told.tellers.push((teller, now)),
            }
        }
    }

    /// The links of `L(i -> j)` that others told of, for the own link `i -> j`: those with an end in `N[i] U N[j]`.
    pub fn sharing<'a>(&'a self, now: Nanos, own: &LinkSetup) -> impl Iterator<Item = &'a LinkBulletin> + use<'a> {
        let receiver = self.neighbours.iter().position(|&node| node == own.to);
        self.fresh(now)
            .filter(move |told| {
                let said_by_receiver = |&(who, when): &(usize, Nanos)| Some(who) == receiver && self.lasts(now, when);
                self.is_near(told.bulletin.from)
                    || self.is_near(told.bulletin.to)
                    || told.tellers.iter().any(said_by_receiver)
            })
            .map(|told| &told.bulletin)
    }

    /// What this node tells in turn: its own links, in and out, as such; the links of its neighbours as hearsay.
    #[must_use]
    pub fn bulletin(&self, now: Nanos, own: impl Iterator<Item = LinkBulletin>) -> Bulletin {
        let mut links: Vec<_> = own.collect();
        for told in self.fresh(now) {
            let incoming = told.bulletin.to == self.node;
            if incoming || self.is_near(told.bulletin.from) || self.is_near(told.bulletin.to) {
                links.push(LinkBulletin { own: incoming, ..told.bulletin });
            }
        }
        Bulletin { links }
    }

    fn fresh(&self, now: Nanos) -> impl Iterator<Item = &Told> {
        self.told.values().filter(move |told| self.lasts(now, told.bulletin.told_at))
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

    /// Stack of S003: rows 1-2-3, 4-5-6, 7-8-9, and each node hears those above and below it. Numbered from 0 here.
    pub(crate) fn stack_hearing() -> Vec<Vec<NodeId>> {
        let edges = [(0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (7, 8), (0, 3), (1, 4), (2, 5), (3, 6), (4, 7), (5, 8)];
        let mut hearing = vec![Vec::new(); 9];
        for (a, b) in edges {
            hearing[a].push(NodeId(b as u32));
            hearing[b].push(NodeId(a as u32));
        }
        hearing
    }

    const LINKS: [(u32, u32); 6] = [(0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (7, 8)];

    fn setup(node: u32) -> NodeSetup {
        let hearing = stack_hearing();
        NodeSetup {
            node: NodeId(node),
            links: Vec::new(),
            neighbours: hearing[node as usize].clone(),
            hearing: Arc::new(hearing),
            mac: None,
        }
    }

    fn said(link: usize) -> LinkBulletin {
        LinkBulletin {
            link: LinkId(link as u32),
            from: NodeId(LINKS[link].0),
            to: NodeId(LINKS[link].1),
            own: true,
            congested: false,
            rtt_average_s: 0.05,
            rtt_last_s: 0.05,
            carried_packets_per_s: 0.0,
            packet_bytes: 0.0,
            flows: 1,
            granted_packets_per_s: f64::INFINITY,
            told_at: 0,
        }
    }

    /// Lets every node of the stack tell its neighbours three times, and asks for `L` of each link.
    fn neighbourhoods() -> Vec<Vec<usize>> {
        let mut nodes: Vec<_> = (0..9).map(|node| Neighbourhood::new(&setup(node), 1)).collect();
        for _ in 0..3 {
            for from in 0..9u32 {
                let own = (0..6).filter(|&link| LINKS[link].0 == from).map(said);
                let bulletin = nodes[from as usize].bulletin(0, own);
                for to in stack_hearing()[from as usize].clone() {
                    nodes[to.0 as usize].hear(0, NodeId(from), &bulletin);
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
                };
                let mut found: Vec<_> =
                    nodes[from as usize].sharing(0, &own).map(|told| told.link.0 as usize).collect();
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
        node.hear(0, NodeId(0), &Bulletin { links: vec![said(0)] });
        assert_eq!(node.fresh(10).count(), 1);
        assert_eq!(node.fresh(11).count(), 0);
    }
}
