//! The queue of events, and the order of those that happen at the same instant.

use std::cell::Cell;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::index::{FlowId, LinkId, NodeId, TransmissionId};
use crate::network::PacketId;
use crate::units::Nanos;

/// Something that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The change of this index takes place.
    Change(u32),
    /// Background transmissions begin or end at a node.
    Background(NodeId),
    /// A transmission ends.
    FrameEnd(TransmissionId),
    /// The last bit of a packet has left for the wire.
    WireFree(LinkId),
    /// A node has found a route again.
    Repaired(NodeId),
    /// A NAV runs out.
    NavEnd(NodeId),
    /// No data followed the RTS that set the NAV.
    NavReset(NodeId, Nanos),
    /// A packet reaches a node.
    Arrival(NodeId, PacketId),
    /// A router's timer.
    Router(NodeId),
    /// A timer of a node's routing agent.
    Routing(NodeId),
    /// Whether to probe a link.
    Probe(LinkId),
    /// A source's timers, its pacing, its start.
    Source(FlowId),
    /// A destination's timer.
    Destination(FlowId),
    /// The response to a frame did not come.
    ResponseTimeout(NodeId, u32),
    /// SIFS after a frame that solicits a response.
    Response(NodeId),
    /// A backoff has run out.
    Access(NodeId),
    /// A bin of the results is full.
    Bin,
}

/// Ranks of events at the same instant: what the world does, departures, arrivals at routers, acknowledgements at their
/// source, router timers, source timers, and last of all new transmissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Record,
    World,
    Departure,
    Arrival,
    Acknowledgement,
    Router,
    Source,
    Transmission,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    at: Nanos,
    /// Rank, node and flow in one number, 8, 28 and 28 bits of it.
    rank: u64,
    event: Event,
}

impl Entry {
    /// What the order goes by; of those that are alike the one added first comes first.
    fn when(&self) -> u128 {
        (u128::from(self.at) << 64) | u128::from(self.rank)
    }
}

/// An event that is far off, and its place among those that are alike.
#[derive(Clone, Copy, Debug)]
struct Distant(Entry, i64);

impl Distant {
    fn key(&self) -> (u128, i64) {
        (self.0.when(), self.1)
    }
}

impl PartialEq for Distant {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Distant {}

impl PartialOrd for Distant {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Distant {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// Most events in the near part of the queue; half of them are moved when it overflows.
const MAX_NEAR: usize = 32;

/// Events to come, in two parts: the next few, sorted, and the others, in a heap.
///
/// Most events are a frame or an interframe space away and find their place among a handful. What is far off, such as
/// a timer or a change of the world, waits in the heap without being moved about by them.
#[derive(Debug)]
pub(crate) struct EventQueue {
    /// The next one last. None of them comes after one that is far.
    near: Vec<Entry>,
    far: BinaryHeap<Reverse<Distant>>,
    /// [`Entry::when`] of the first that is far.
    horizon: u128,
    /// What the last one that went straight to the heap was numbered with: up from 0.
    added: i64,
    /// What the last one that was moved there was numbered with: down from 0, as it precedes all that are there.
    moved: i64,
}

impl Default for EventQueue {
    fn default() -> Self {
        let near = Vec::with_capacity(MAX_NEAR);
        Self { near, far: BinaryHeap::new(), horizon: u128::MAX, added: 0, moved: 0 }
    }
}

impl EventQueue {
    /// Adds an event of a node.
    pub(crate) fn push(&mut self, at: Nanos, rank: Rank, node: u32, event: Event) {
        self.push_of_flow(at, rank, node, FlowId(0), event);
    }

    /// Adds an event of a flow at a node. Of events at the same instant the lower rank comes first, then the lower
    /// node, then the lower flow, then the one added first.
    pub(crate) fn push_of_flow(&mut self, at: Nanos, rank: Rank, node: u32, flow: FlowId, event: Event) {
        let rank = ((rank as u64) << 56) | (u64::from(node) << 28) | u64::from(flow.0);
        let entry = Entry { at, rank, event };
        if self.near.len() < MAX_NEAR && entry.when() < self.horizon {
            self.push_near(entry);
        } else {
            self.push_aside(entry);
        }
    }

    /// Takes the next event.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<(Nanos, Event)> {
        if self.near.is_empty() {
            self.approach();
        }
        self.near.pop().map(|entry| (entry.at, entry.event))
    }

    /// Adds an event behind those near ones that come no later.
    #[inline]
    fn push_near(&mut self, entry: Entry) {
        self.near.push(entry);
        let Some((mut gap, others)) = Cell::from_mut(&mut *self.near).as_slice_of_cells().split_last() else { return };
        for other in others.iter().rev() {
            let sooner = other.get();
            if sooner.when() > entry.when() {
                break;
            }
            gap.set(sooner);
            gap = other;
        }
        gap.set(entry);
    }

    /// Adds an event that is far off, or for which there is no room among those that are near.
    #[cold]
    fn push_aside(&mut self, entry: Entry) {
        if self.near.len() == MAX_NEAR {
            for later in self.near.drain(..MAX_NEAR / 2) {
                self.moved -= 1;
                self.far.push(Reverse(Distant(later, self.moved)));
            }
            self.look_ahead();
        }
        if entry.when() < self.horizon {
            self.push_near(entry);
        } else {
            self.added += 1;
            self.far.push(Reverse(Distant(entry, self.added)));
        }
    }

    /// Brings the first of those that are far near.
    #[cold]
    fn approach(&mut self) {
        self.near.extend((0..MAX_NEAR / 2).map_while(|_| self.far.pop()).map(|Reverse(distant)| distant.0));
        self.near.reverse();
        self.look_ahead();
    }

    fn look_ahead(&mut self) {
        self.horizon = self.far.peek().map_or(u128::MAX, |Reverse(first)| first.0.when());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};

    #[test]
    fn simultaneous_events_come_in_the_order_of_their_ranks() {
        let mut queue = EventQueue::default();
        queue.push(5, Rank::Transmission, 0, Event::Access(NodeId(0)));
        queue.push(5, Rank::Departure, 3, Event::WireFree(LinkId(1)));
        queue.push(5, Rank::Departure, 2, Event::WireFree(LinkId(9)));
        queue.push_of_flow(5, Rank::Source, 1, FlowId(8), Event::Source(FlowId(8)));
        queue.push_of_flow(5, Rank::Source, 1, FlowId(4), Event::Source(FlowId(4)));
        queue.push(4, Rank::Transmission, 7, Event::Access(NodeId(7)));
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|(_, event)| event).collect();
        let expected = [
            Event::Access(NodeId(7)),
            Event::WireFree(LinkId(9)),
            Event::WireFree(LinkId(1)),
            Event::Source(FlowId(4)),
            Event::Source(FlowId(8)),
            Event::Access(NodeId(0)),
        ];
        assert_eq!(order, expected);
    }
    /// The order is that of a stable sort, whatever is near or far when events are added.
    #[test]
    fn the_order_is_that_of_a_stable_sort() {
        let mut random = Stream::new(5, Purpose::Backoff, 0);
        let (mut queue, mut expected, mut now) = (EventQueue::default(), Vec::new(), 0);
        for number in 0..20_000 {
            let pending = expected.len() as u32;
            if random.up_to(200 + pending) < 150 {
                let spread = [3, 40, 100_000][random.up_to(2) as usize];
                let (at, node) = (now + Nanos::from(random.up_to(spread)), random.up_to(1));
                queue.push(at, Rank::Departure, node, Event::Change(number));
                let position = expected.partition_point(|&(other, by, _)| (other, by) <= (at, node));
                expected.insert(position, (at, node, Event::Change(number)));
            } else if pending > 0 {
                let (at, _, event) = expected.remove(0);
                assert_eq!(queue.pop(), Some((at, event)));
                now = at;
            }
        }
        assert!(expected.len() > 2 * MAX_NEAR, "{} events pending: the heap was not used", expected.len());
    }
}
