//! Queues: first in, first out, or flows in turn.

use std::collections::VecDeque;

use crate::index::FlowId;
use crate::units::Nanos;

use super::PacketId;

/// A packet that waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    /// The packet.
    pub(crate) packet: PacketId,
    /// The flow it belongs to.
    pub(crate) flow: FlowId,
    /// Its size.
    pub(crate) bytes: u32,
    /// When it came.
    pub(crate) since: Nanos,
}

/// A queue; whether something fits is asked before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fifo {
    waiting: VecDeque<Waiting>,
    bytes: u64,
    /// The flow served last, where flows take turns.
    turns: Option<FlowId>,
}

impl Fifo {
    /// A queue from which flows are served in turn, a packet each, in the order of their index.
    pub(crate) fn per_flow() -> Self {
        Self { turns: Some(FlowId(u32::MAX)), ..Self::default() }
    }

    /// Adds a packet at the end.
    pub(crate) fn push(&mut self, waiting: Waiting) {
        self.bytes += u64::from(waiting.bytes);
        self.waiting.push_back(waiting);
    }

    /// The packet that is served next.
    pub(crate) fn head(&self) -> Option<&Waiting> {
        self.waiting.get(self.next())
    }

    /// Takes the packet that is served next.
    pub(crate) fn pop(&mut self) -> Option<Waiting> {
        let waiting = self.waiting.remove(self.next())?;
        self.bytes -= u64::from(waiting.bytes);
        if let Some(last) = &mut self.turns {
            *last = waiting.flow;
        }
        Some(waiting)
    }

    /// Takes the packet that came first, if that was before `instant`.
    pub(crate) fn pop_before(&mut self, instant: Nanos) -> Option<Waiting> {
        if self.waiting.front()?.since >= instant {
            return None;
        }
        let first = self.waiting.pop_front()?;
        self.bytes -= u64::from(first.bytes);
        Some(first)
    }

    /// Takes the packet that came last.
    pub(crate) fn pop_last(&mut self) -> Option<Waiting> {
        let waiting = self.waiting.pop_back()?;
        self.bytes -= u64::from(waiting.bytes);
        Some(waiting)
    }

    /// When the packet that came last did.
    pub(crate) fn last_since(&self) -> Option<Nanos> {
        self.waiting.back().map(|waiting| waiting.since)
    }

    /// The place of the packet that is served next: of the flow after the last one, the first that came.
    fn next(&self) -> usize {
        let Some(last) = self.turns else { return 0 };
        let turn = |waiting: &Waiting| waiting.flow.0.wrapping_sub(last.0).wrapping_sub(1);
        self.waiting.iter().enumerate().min_by_key(|(_, waiting)| turn(waiting)).map_or(0, |(place, _)| place)
    }

    /// Packets in it.
    pub(crate) fn packets(&self) -> u32 {
        self.waiting.len() as u32
    }

    /// Bytes in it.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served(mut fifo: Fifo) -> Vec<u32> {
        for (number, flow) in [4, 4, 4, 4, 1, 7].into_iter().enumerate() {
            fifo.push(Waiting { packet: PacketId(number as u32), flow: FlowId(flow), bytes: 100, since: 0 });
        }
        let served = std::iter::from_fn(|| {
            let head = fifo.head().map(|head| head.packet);
            let popped = fifo.pop()?;
            assert_eq!(head, Some(popped.packet));
            Some(popped.packet.0)
        });
        let served = served.collect();
        assert_eq!((fifo.packets(), fifo.bytes()), (0, 0));
        served
    }

    #[test]
    fn packets_leave_as_they_came_or_flow_by_flow() {
        assert_eq!(served(Fifo::default()), [0, 1, 2, 3, 4, 5]);
        assert_eq!(served(Fifo::per_flow()), [4, 0, 5, 1, 2, 3]);
    }
}
