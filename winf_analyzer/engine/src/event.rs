//! The queue of events, and the order of those that happen at the same instant.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::packet::{FlowId, LinkId, NodeId};
use crate::units::Nanos;

/// Something that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The change of this index takes place.
    Change(u32),
    /// Others begin or cease to occupy the medium at a node.
    Background(NodeId),
    /// The transmission in this place of the air ends.
    FrameEnd(u32),
    /// The last bit of a packet has left for the wire.
    WireFree(LinkId),
    /// A network allocation vector runs out.
    NavEnd(NodeId),
    /// No data followed the RTS that set the network allocation vector.
    NavReset(NodeId, Nanos),
    /// A packet reaches a node.
    Arrival(NodeId, u32),
    /// A router's timer.
    Router(NodeId),
    /// A source's timers, its pacing, its start.
    Source(FlowId),
    /// A destination's timer.
    Destination(FlowId),
    /// The response to a frame did not come.
    ResponseTimeout(NodeId, u32),
    /// A short interframe space after a frame that asks for a response.
    Response(NodeId),
    /// A backoff has run out.
    Access(NodeId, u32),
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
    number: u64,
    event: Event,
}

impl Entry {
    /// What the order goes by, but for the number, which only tells apart events of one rank, node and flow.
    fn when(&self) -> u128 {
        (u128::from(self.at) << 64) | u128::from(self.rank)
    }

    fn key(&self) -> (u128, u64) {
        (self.when(), self.number)
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// Most events in the near part of the queue, of which half are moved when it overflows.
const MOST_NEAR: usize = 32;

/// Events to come, in two parts: the next few, sorted, and the others, in a heap.
///
/// Most events are a frame or an interframe space away, and new ones find their place among a handful. What is far,
/// such as a timer or a change of the world, waits in the heap without being moved about by them.
#[derive(Debug, Default)]
pub(crate) struct EventQueue {
    /// The next one last. None of them comes after one of `far`.
    near: Vec<Entry>,
    far: BinaryHeap<Reverse<Entry>>,
    number: u64,
}

impl EventQueue {
    /// Adds an event of a node.
    pub(crate) fn push(&mut self, at: Nanos, rank: Rank, node: u32, event: Event) {
        self.push_of_flow(at, rank, node, FlowId(0), event);
    }

    /// Adds an event of a flow at a node. Of events at the same instant the lower rank comes first, then the lower
    /// node, then the lower flow, then the one added first.
    pub(crate) fn push_of_flow(&mut self, at: Nanos, rank: Rank, node: u32, flow: FlowId, event: Event) {
        self.number += 1;
        let rank = ((rank as u64) << 56) | (u64::from(node) << 28) | u64::from(flow.0);
        let entry = Entry { at, rank, number: self.number, event };
        if self.far.peek().is_some_and(|Reverse(first)| first.when() <= entry.when()) {
            self.far.push(Reverse(entry));
        } else {
            self.push_near(entry);
        }
    }

    /// Takes the next event.
    pub(crate) fn pop(&mut self) -> Option<(Nanos, Event)> {
        if self.near.is_empty() {
            self.near.extend((0..MOST_NEAR / 2).map_while(|_| self.far.pop()).map(|Reverse(entry)| entry));
            self.near.reverse();
        }
        self.near.pop().map(|entry| (entry.at, entry.event))
    }

    /// Adds an event that precedes everything far, behind those that come at the same time and were added before.
    fn push_near(&mut self, entry: Entry) {
        if self.near.len() == MOST_NEAR {
            self.far.extend(self.near.drain(..MOST_NEAR / 2).map(Reverse));
            if self.far.peek().is_some_and(|Reverse(first)| first.when() <= entry.when()) {
                self.far.push(Reverse(entry));
                return;
            }
        }
        let (when, mut place) = (entry.when(), self.near.len());
        self.near.push(entry);
        while place > 0 && self.near[place - 1].when() <= when {
            self.near[place] = self.near[place - 1];
            place -= 1;
        }
        self.near[place] = entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simultaneous_events_come_in_the_order_of_their_ranks() {
        let mut queue = EventQueue::default();
        queue.push(5, Rank::Transmission, 0, Event::Access(NodeId(0), 0));
        queue.push(5, Rank::Departure, 3, Event::WireFree(LinkId(1)));
        queue.push(5, Rank::Departure, 2, Event::WireFree(LinkId(9)));
        queue.push_of_flow(5, Rank::Source, 1, FlowId(8), Event::Source(FlowId(8)));
        queue.push_of_flow(5, Rank::Source, 1, FlowId(4), Event::Source(FlowId(4)));
        queue.push(4, Rank::Transmission, 7, Event::Access(NodeId(7), 0));
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|(_, event)| event).collect();
        let expected = [
            Event::Access(NodeId(7), 0),
            Event::WireFree(LinkId(9)),
            Event::WireFree(LinkId(1)),
            Event::Source(FlowId(4)),
            Event::Source(FlowId(8)),
            Event::Access(NodeId(0), 0),
        ];
        assert_eq!(order, expected);
    }
}
