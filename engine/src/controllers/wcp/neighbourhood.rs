//! What a node knows of the links around it, and which of them share the medium with its own.

use super::Reach;
use crate::controller::{LinkReport, LinkSetup, NeighbourReport, NodeSetup};
use crate::index::{LinkId, NodeId};
use crate::units::Nanos;

/// The links around a node, each with its last report and the neighbours that sent it.
#[derive(Clone, Debug)]
pub struct Neighbourhood {
    node: NodeId,
    neighbours: Vec<NodeId>,
    hold: Nanos,
    reach: Reach,
    /// In the order of their links.
    known: Vec<KnownLink>,
    /// Which reports `known` holds. Most of what is heard repeats what is known, and is compared with nothing else.
    held: Vec<Held>,
}

/// The report that is held of a link.
#[derive(Clone, Copy, Debug)]
struct Held {
    link: LinkId,
    /// Whether an end of the link is in `N[i]`.
    near: bool,
    /// [`LinkReport::number`].
    number: u64,
    /// When its node last reported the same.
    reported_at: Nanos,
}

#[derive(Clone, Debug)]
struct KnownLink {
    /// As it was first reported; see [`Held::reported_at`].
    report: LinkReport,
    /// See [`Held::near`].
    near: bool,
    /// When each of the neighbours last reported it, as an end of it or as the neighbour of one; empty where it is near
    /// anyway.
    reporters: Vec<Option<Nanos>>,
}

impl Neighbourhood {
    /// Empty at first; reports expire after `hold`.
    #[must_use]
    pub fn new(node: &NodeSetup, hold: Nanos, reach: Reach) -> Self {
        Self { node: node.node, neighbours: node.neighbours.clone(), hold, reach, known: Vec::new(), held: Vec::new() }
    }

    /// A neighbour's report was heard.
    pub fn hear(&mut self, now: Nanos, from: NodeId, report: &NeighbourReport) {
        let Some(reporter) = self.neighbours.iter().position(|&node| node == from) else { return };
        let mut next = 0;
        for report in &report.links {
            let expected = self.held.get(next).is_some_and(|held| held.link == report.link);
            let place = if expected { Ok(next) } else { self.place(report.link, next + 1) };
            next = place.map_or_else(|place| place, |place| place + 1);
            if let Some(held) = place.ok().and_then(|place| self.held.get_mut(place)) {
                if held.near && held.number == report.number {
                    held.reported_at = held.reported_at.max(report.reported_at);
                    continue;
                }
            }
            if report.from == self.node || !self.lasts(now, report.reported_at) {
                continue;
            }
            let index = place.unwrap_or_else(|index| {
                let near = self.is_near(report.from) || self.is_near(report.to);
                let reporters = if near { Vec::new() } else { vec![None; self.neighbours.len()] };
                self.known.insert(index, KnownLink { report: *report, near, reporters });
                let held = Held { link: report.link, near, number: report.number, reported_at: report.reported_at };
                self.held.insert(index, held);
                index
            });
            let known = &mut self.known[index];
            let held = &mut self.held[index];
            if report.reported_at >= held.reported_at {
                known.report = *report;
                (held.number, held.reported_at) = (report.number, report.reported_at);
            }
            if let Some(when) = known.reporters.get_mut(reporter) {
                *when = Some(now);
            }
        }
    }

    /// The place of a link among the known ones, or where it belongs; `guess` is looked at first, as reports come in the
    /// order of links.
    fn place(&self, link: LinkId, guess: usize) -> Result<usize, usize> {
        match self.held.get(guess) {
            Some(held) if held.link == link => Ok(guess),
            _ => self.held.binary_search_by_key(&link, |held| held.link),
        }
    }

    /// The links of `L(i -> j)` that others reported, for the own link `i -> j`: those with an end in `N[i] U N[j]`,
    /// unless [`Reach`] says otherwise.
    pub fn sharing<'a>(&'a self, now: Nanos, own: &LinkSetup) -> impl Iterator<Item = &'a LinkReport> + use<'a> {
        let receiver = self.neighbours.iter().position(|&node| node == own.to);
        self.fresh(now)
            .filter(move |(known, _)| {
                let by_receiver = receiver.and_then(|receiver| known.reporters.get(receiver).copied().flatten());
                match self.reach {
                    Reach::OneHop => known.near,
                    Reach::Neighbourhood => known.near || by_receiver.is_some_and(|when| self.lasts(now, when)),
                    Reach::TwoHops => true,
                }
            })
            .map(|(known, _)| &known.report)
    }

    /// The report of this node: its own links, in and out, and those of its neighbours.
    #[must_use]
    pub fn neighbour_report(&self, now: Nanos, own: impl Iterator<Item = LinkReport>) -> NeighbourReport {
        let of_neighbours = self.fresh(now).filter(|(known, _)| known.near);
        let of_neighbours =
            of_neighbours.map(|(known, held)| LinkReport { reported_at: held.reported_at, ..known.report });
        let mut links = Vec::with_capacity(own.size_hint().0 + self.known.len());
        links.extend(own.chain(of_neighbours));
        NeighbourReport { links, summary: None }
    }

    fn fresh(&self, now: Nanos) -> impl Iterator<Item = (&KnownLink, &Held)> {
        self.known.iter().zip(&self.held).filter(move |(_, held)| self.lasts(now, held.reported_at))
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
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use proptest::collection::btree_set;
    use proptest::prelude::*;

    use super::*;
    use crate::index::IndexVec;

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

    pub(crate) fn setup(node: u32) -> NodeSetup {
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

    fn report(link: usize) -> LinkReport {
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
            airtimes: None,
            reported_at: 0,
            number: 0,
        }
    }

    /// Every node reports to its neighbours three times; then `L` of each link.
    fn neighbourhoods_of(
        links: &[(u32, u32)],
        hearing: &IndexVec<NodeId, Vec<NodeId>>,
        reach: Reach,
    ) -> Vec<Vec<usize>> {
        let setup = |node: NodeId| NodeSetup { node, neighbours: hearing[node].clone(), ..setup(0) };
        let mut nodes: IndexVec<NodeId, _> =
            hearing.ids().map(|node| Neighbourhood::new(&setup(node), 1, reach)).collect();
        let said = |link: usize| LinkReport {
            link: LinkId(link as u32),
            from: NodeId(links[link].0),
            to: NodeId(links[link].1),
            ..report(0)
        };
        for _ in 0..3 {
            for from in hearing.ids() {
                let own = (0..links.len()).filter(|&link| links[link].0 == from.0).map(said);
                let report = nodes[from].neighbour_report(0, own);
                for &to in &hearing[from] {
                    nodes[to].hear(0, from, &report);
                }
            }
        }
        (0..links.len())
            .map(|link| {
                let (from, to) = links[link];
                let own = LinkSetup {
                    link: LinkId(link as u32),
                    to: NodeId(to),
                    rate_bps: 11_000_000,
                    wired: false,
                    queue_packets: Some(64),
                    service_time: 0,
                    loss: 0.0,
                    airtimes: None,
                };
                let mut found: Vec<_> =
                    nodes[NodeId(from)].sharing(0, &own).map(|known| known.link.0 as usize).collect();
                found.push(link);
                found.extend((0..links.len()).filter(|&other| links[other].0 == from));
                found.sort_unstable();
                found.dedup();
                found
            })
            .collect()
    }

    fn neighbourhoods(reach: Reach) -> Vec<Vec<usize>> {
        neighbourhoods_of(&LINKS, &stack_hearing(), reach)
    }

    /// S003 fig. 3, whose edges the text of sec. II gives as far as it speaks of them: 1-2, 2-5, 5-6, 6-7, 7-8 and 7-9.
    #[test]
    fn the_example_of_the_paper() {
        let mut hearing: IndexVec<NodeId, Vec<NodeId>> = vec![Vec::new(); 10].into();
        for (a, b) in [(1, 2), (2, 5), (5, 6), (6, 7), (7, 8), (7, 9)] {
            hearing[NodeId(a)].push(NodeId(b));
            hearing[NodeId(b)].push(NodeId(a));
        }
        const EXAMPLE: [(u32, u32); 5] = [(5, 6), (5, 2), (7, 9), (1, 2), (8, 7)];
        let found = neighbourhoods_of(&EXAMPLE, &hearing, Reach::Neighbourhood);
        assert_eq!(found[0], [0, 1, 2, 3, 4], "5 -> 6 with 5 -> 2, 7 -> 9, 1 -> 2 and 8 -> 7");
        assert_eq!(found[1], [0, 1, 3], "5 -> 2 not with 7 -> 9");
    }

    #[test]
    fn v_n3_neighbourhoods_of_the_stack() {
        let found = neighbourhoods(Reach::Neighbourhood);
        assert_eq!(found[0], [0, 1, 2, 3], "the bottom row is out of reach of 1 -> 2");
        assert_eq!(found[2], [0, 1, 2, 3, 4, 5], "all links share the medium with 4 -> 5");
        assert_eq!(found[4], [2, 3, 4, 5]);
    }

    proptest! {
        /// S003 sec. III-A: L is symmetric where hearing is, and it is what its definition says: all links with an end in
        /// `N[i] U N[j]`.
        #[test]
        fn a_link_shares_the_medium_with_those_that_share_it_with_it(pairs in btree_set((0_u32..7, 0_u32..7), 1..12)) {
            let mut hearing: IndexVec<NodeId, Vec<NodeId>> = vec![Vec::new(); 7].into();
            let edges: BTreeSet<_> = pairs.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect();
            for &(a, b) in &edges {
                hearing[NodeId(a)].push(NodeId(b));
                hearing[NodeId(b)].push(NodeId(a));
            }
            let links: Vec<_> = edges.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
            let found = neighbourhoods_of(&links, &hearing, Reach::Neighbourhood);
            for (link, sharing) in found.iter().enumerate() {
                for &other in sharing {
                    prop_assert!(found[other].contains(&link), "{:?} with {:?}", links[link], links[other]);
                }
                let near = |node: u32| {
                    let of = |end: u32| end == node || hearing[NodeId(end)].contains(&NodeId(node));
                    of(links[link].0) || of(links[link].1)
                };
                let defined: Vec<_> = (0..links.len()).filter(|&other| near(links[other].0) || near(links[other].1)).collect();
                prop_assert_eq!(sharing, &defined, "{:?}", links[link]);
            }
        }
    }

    /// S003 sec. II: signals to one-hop neighbours miss links that share the medium with the receiver alone.
    #[test]
    fn signals_over_one_hop_miss_links_and_two_hops_reach_the_next_row() {
        let one = neighbourhoods(Reach::OneHop);
        assert_eq!(one[0], [0, 1, 2], "2 hears 5, which 1 does not");
        assert_eq!(one[2], [0, 2, 3, 4]);
        assert_eq!(neighbourhoods(Reach::TwoHops)[0], [0, 1, 2, 3, 4], "4 tells of 7");
    }

    #[test]
    fn a_report_that_repeats_keeps_its_link() {
        let mut node = Neighbourhood::new(&setup(1), 10, Reach::default());
        for reported_at in [0, 8, 5] {
            let report = LinkReport { reported_at, number: 1, ..report(0) };
            node.hear(8, NodeId(0), &NeighbourReport { links: vec![report], summary: None });
        }
        assert_eq!([18, 19].map(|now| node.fresh(now).count()), [1, 0]);
        assert_eq!(node.neighbour_report(8, std::iter::empty()).links[0].reported_at, 8);
    }

    #[test]
    fn reports_expire() {
        let mut node = Neighbourhood::new(&setup(1), 10, Reach::default());
        node.hear(0, NodeId(0), &NeighbourReport { links: vec![report(0)], summary: None });
        assert_eq!(node.fresh(10).count(), 1);
        assert_eq!(node.fresh(11).count(), 0);
    }
}
