//! What a node knows of the links around it where a packet tells of one congested link and of the largest round-trip
//! times alone (S003 sec. III-A).
//!
//! It suffices for `L(i -> j)`, because all links of a node in `N[i] U N[j]` are in it: `i` needs to know only that one of
//! them is congested, and which round-trip time is the largest. Neighbours of `i` say so of themselves, and `j` of its
//! neighbours.

use std::collections::BTreeMap;

use super::Reach;
use crate::controller::{NodeSetup, SentOn, Signal, Summary};
use crate::index::{FlowId, NodeId};
use crate::units::Nanos;

/// Round-trip times of a flow, as its packets say.
#[derive(Clone, Copy, Debug)]
pub struct FlowRtt {
    /// Smoothed, seconds; 0: none yet.
    pub average_s: f64,
    /// The last, seconds.
    pub last_s: f64,
    /// When its last packet passed.
    pub seen: Nanos,
}

/// Means over the flows of a link that were seen less than `hold` ago, seconds: its `rtt_avg` and `rtt_inst`; 0: none
/// known.
#[must_use]
pub fn mean_rtts(flows: &BTreeMap<FlowId, FlowRtt>, now: Nanos, hold: Nanos) -> (f64, f64) {
    let (mut average_s, mut last_s, mut count) = (0.0, 0.0, 0.0);
    let seen = |rtt: &&FlowRtt| rtt.average_s > 0.0 && now.saturating_sub(rtt.seen) <= hold;
    for rtt in flows.values().filter(seen) {
        average_s += rtt.average_s;
        last_s += rtt.last_s;
        count += 1.0;
    }
    (average_s / f64::max(count, 1.0), last_s / f64::max(count, 1.0))
}

/// What the neighbours of a node said last, and its links from them.
#[derive(Clone, Debug)]
pub struct Heard {
    node: NodeId,
    hold: Nanos,
    /// In the order of the node's neighbours.
    neighbours: Vec<Neighbour>,
}

#[derive(Clone, Debug)]
struct Neighbour {
    node: NodeId,
    said: Option<(Nanos, Summary)>,
    /// Of the link from it: when it last said whether that is congested, and whether it is.
    incoming: Option<(Nanos, bool)>,
    /// The flows of that link.
    flows: BTreeMap<FlowId, FlowRtt>,
}

impl Heard {
    /// Nothing at first; what a neighbour said expires after `hold`.
    #[must_use]
    pub fn new(node: &NodeSetup, hold: Nanos) -> Self {
        let quiet = |&node: &NodeId| Neighbour { node, said: None, incoming: None, flows: BTreeMap::new() };
        Self { node: node.node, hold, neighbours: node.neighbours.iter().map(quiet).collect() }
    }

    /// A neighbour's packet was heard.
    pub fn hear(&mut self, now: Nanos, from: NodeId, summary: &Summary) {
        let (hold, own) = (self.hold, self.node);
        let Some(neighbour) = self.neighbours.iter_mut().find(|neighbour| neighbour.node == from) else { return };
        neighbour.said = Some((now, *summary));
        let SentOn { to, congested, flow } = summary.link;
        if to != own {
            return;
        }
        neighbour.incoming = Some((now, congested));
        neighbour.flows.retain(|_, rtt| now.saturating_sub(rtt.seen) <= hold);
        if let Some((flow, average_s, last_s)) = flow {
            neighbour.flows.insert(flow, FlowRtt { average_s, last_s, seen: now });
        }
    }

    /// What the links in `L(i -> to)` of others give, for the own link `i -> to`, unless [`Reach`] says otherwise.
    #[must_use]
    pub fn sharing(&self, now: Nanos, to: NodeId, reach: Reach) -> Signal {
        let mut shared = self.incoming(now);
        for (neighbour, summary) in self.lasting(now) {
            shared = shared.joined(self.of_others(summary.node));
            let asked = match reach {
                Reach::OneHop => false,
                Reach::Neighbourhood => neighbour == to,
                Reach::TwoHops => true,
            };
            if asked {
                shared = shared.joined(self.of_others(summary.neighbours));
            }
        }
        shared
    }

    /// What the node says, with what its links give: of one congested link, if any, the first.
    #[must_use]
    pub fn summary(&self, now: Nanos, link: SentOn, own: Signal) -> Summary {
        let neighbours = self.lasting(now).fold(Signal::default(), |all, (_, summary)| all.joined(summary.node));
        Summary { link, node: own.joined(self.incoming(now)), neighbours }
    }

    /// What the links into the node give.
    fn incoming(&self, now: Nanos) -> Signal {
        self.neighbours.iter().fold(Signal::default(), |all, neighbour| {
            let congested = neighbour.incoming.is_some_and(|(when, congested)| congested && self.lasts(now, when));
            let (rtt_average_s, rtt_last_s) = mean_rtts(&neighbour.flows, now, self.hold);
            let congested = congested.then_some((neighbour.node, self.node));
            all.joined(Signal { congested, rtt_average_s, rtt_last_s })
        })
    }

    /// A node knows its outgoing links by their queues: what others repeat of them is older.
    fn of_others(&self, signal: Signal) -> Signal {
        Signal { congested: signal.congested.filter(|&(from, _)| from != self.node), ..signal }
    }

    fn lasting(&self, now: Nanos) -> impl Iterator<Item = (NodeId, &Summary)> {
        self.neighbours.iter().filter_map(move |neighbour| {
            let (when, summary) = neighbour.said.as_ref()?;
            self.lasts(now, *when).then_some((neighbour.node, summary))
        })
    }

    fn lasts(&self, now: Nanos, since: Nanos) -> bool {
        now.saturating_sub(since) <= self.hold
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;

    use super::*;
    use crate::controllers::wcp::neighbourhood::tests::{setup, stack_hearing};
    use crate::index::IndexVec;

    const HOLD: Nanos = 10;

    /// A link with a flow of its own, whose number it has: ends, whether it is congested, round-trip times.
    type Link = ((u32, u32), bool, (f64, f64));

    fn signal(&((from, to), congested, (rtt_average_s, rtt_last_s)): &Link) -> Signal {
        let congested = congested.then_some((NodeId(from), NodeId(to)));
        Signal { congested, rtt_average_s, rtt_last_s }
    }

    fn all(signals: impl Iterator<Item = Signal>) -> Signal {
        signals.fold(Signal::default(), Signal::joined)
    }

    fn own(links: &[Link], node: NodeId) -> Signal {
        all(links.iter().filter(|((from, _), ..)| *from == node.0).map(signal))
    }

    /// Every node sends a packet on each of its links, three times.
    fn told(links: &[Link], hearing: &IndexVec<NodeId, Vec<NodeId>>) -> IndexVec<NodeId, Heard> {
        let new = |node| Heard::new(&NodeSetup { node, neighbours: hearing[node].clone(), ..setup(0) }, HOLD);
        let mut nodes: IndexVec<NodeId, Heard> = hearing.ids().map(new).collect();
        for _ in 0..3 {
            for (flow, &((from, to), congested, (average_s, last_s))) in links.iter().enumerate() {
                let (from, flow) = (NodeId(from), FlowId(flow as u32));
                let link = SentOn { to: NodeId(to), congested, flow: Some((flow, average_s, last_s)) };
                let summary = nodes[from].summary(0, link, own(links, from));
                hearing[from].iter().for_each(|&by| nodes[by].hear(0, from, &summary));
            }
        }
        nodes
    }

    /// What the node at the beginning of a link finds for the packets on it.
    fn found(nodes: &IndexVec<NodeId, Heard>, links: &[Link], link: usize, reach: Reach) -> Signal {
        let ((from, to), ..) = links[link];
        own(links, NodeId(from)).joined(nodes[NodeId(from)].sharing(0, NodeId(to), reach))
    }

    proptest! {
        /// S003 sec. III-A: one link and the largest round-trip times tell what all links of `L(i -> j)` would, whichever
        /// of them are congested.
        #[test]
        fn one_link_a_packet_tells_what_every_link_would(
            pairs in btree_set((0_u32..7, 0_u32..7), 1..12),
            states in vec((prop::bool::weighted(0.2), (0.01_f64..1.0, 0.01_f64..1.0)), 24),
        ) {
            let mut hearing: IndexVec<NodeId, Vec<NodeId>> = vec![Vec::new(); 7].into();
            let edges: BTreeSet<_> = pairs.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect();
            for &(a, b) in &edges {
                hearing[NodeId(a)].push(NodeId(b));
                hearing[NodeId(b)].push(NodeId(a));
            }
            let ends = edges.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
            let links: Vec<Link> = ends.zip(states).map(|(ends, (congested, rtts))| (ends, congested, rtts)).collect();
            let nodes = told(&links, &hearing);
            for (link, &((from, to), ..)) in links.iter().enumerate() {
                let hears = |end: u32, node: u32| end == node || hearing[NodeId(end)].contains(&NodeId(node));
                let near = |node: u32| hears(from, node) || hears(to, node);
                let sharing = || links.iter().filter(|((a, b), ..)| near(*a) || near(*b));
                let found = found(&nodes, &links, link, Reach::Neighbourhood);
                let congested = sharing().any(|&(_, congested, _)| congested);
                prop_assert_eq!(found.congested.is_some(), congested, "{:?}", (from, to));
                prop_assert_eq!(found.rtt_average_s, sharing().map(|(.., rtts)| rtts.0).fold(0.0, f64::max));
                prop_assert_eq!(found.rtt_last_s, sharing().map(|(.., rtts)| rtts.1).fold(0.0, f64::max));
            }
        }
    }

    const IDLE: Signal = Signal { congested: None, rtt_average_s: 0.0, rtt_last_s: 0.0 };

    fn says(node: Option<(u32, u32)>, neighbours: Option<(u32, u32)>) -> Summary {
        let of = |link: Option<(u32, u32)>| Signal { congested: link.map(|(a, b)| (NodeId(a), NodeId(b))), ..IDLE };
        let link = SentOn { to: NodeId(8), congested: false, flow: None };
        Summary { link, node: of(node), neighbours: of(neighbours) }
    }

    /// Node 1 of Stack, which hears 0, 2 and 4. Its own queue says what is true of 1 -> 2.
    #[test]
    fn an_echo_of_an_own_link_is_not_taken() {
        for (link, taken) in [((1, 2), false), ((2, 1), true), ((5, 2), true)] {
            for summary in [says(Some(link), None), says(None, Some(link))] {
                let mut node = Heard::new(&setup(1), HOLD);
                node.hear(0, NodeId(2), &summary);
                assert_eq!(node.sharing(0, NodeId(2), Reach::Neighbourhood).congested.is_some(), taken, "{link:?}");
            }
        }
    }

    /// What neighbours say of theirs goes one step, and no further.
    #[test]
    fn a_node_repeats_what_neighbours_say_of_themselves_alone() {
        let mut node = Heard::new(&setup(1), HOLD);
        node.hear(0, NodeId(2), &says(None, Some((5, 8))));
        let link = SentOn { to: NodeId(2), congested: false, flow: None };
        assert_eq!(node.summary(0, link, IDLE).neighbours, IDLE);
        node.hear(0, NodeId(2), &says(Some((2, 5)), Some((5, 8))));
        let said = node.summary(0, link, IDLE);
        assert_eq!((said.node, said.neighbours.congested), (IDLE, Some((NodeId(2), NodeId(5)))));
    }

    /// S003 sec. III-A: the state of a link goes with the packets on it, to the node at its end.
    #[test]
    fn a_node_knows_its_incoming_links_from_their_packets() {
        let mut node = Heard::new(&setup(1), HOLD);
        let on = |to: u32, flow: u32, average_s: f64| Summary {
            link: SentOn { to: NodeId(to), congested: true, flow: Some((FlowId(flow), average_s, 2.0 * average_s)) },
            ..says(None, None)
        };
        let sent = SentOn { to: NodeId(2), congested: false, flow: None };
        node.hear(0, NodeId(0), &on(3, 0, 0.5));
        assert_eq!(node.summary(0, sent, IDLE).node, IDLE, "0 -> 3 does not end here");
        node.hear(0, NodeId(0), &on(1, 1, 0.1));
        node.hear(0, NodeId(0), &on(1, 2, 0.3));
        let said = node.summary(0, sent, IDLE).node;
        assert_eq!(said.congested, Some((NodeId(0), NodeId(1))));
        assert!(
            (said.rtt_average_s - 0.2).abs() < 1e-12 && (said.rtt_last_s - 0.4).abs() < 1e-12,
            "means of both flows"
        );
    }

    #[test]
    fn the_last_packet_counts_until_it_expires() {
        let hearing = stack_hearing();
        let links = [((0, 1), true, (0.1, 0.1))];
        let mut node = told(&links, &hearing)[NodeId(1)].clone();
        let congested = |node: &Heard, now| node.sharing(now, NodeId(2), Reach::OneHop).congested.is_some();
        assert_eq!([HOLD, HOLD + 1].map(|now| congested(&node, now)), [true, false]);
        assert_eq!(node.sharing(HOLD + 1, NodeId(2), Reach::OneHop), IDLE);
        node.hear(
            1,
            NodeId(0),
            &Summary { link: SentOn { to: NodeId(1), ..says(None, None).link }, ..says(None, None) },
        );
        assert!(!congested(&node, 1), "0 -> 1 is no longer congested");
    }
}
