//! FQ-CoDel (RFC 8290): a queue and a CoDel (RFC 8289) for each flow, served in turn.

use std::collections::VecDeque;

use crate::index::LinkId;
use crate::units::Nanos;
use crate::world::FqCodelSpec;

use super::Waiting;

/// A queue with no more than one usual packet is never too long (RFC 8289, sec. 4.4, `maxpacket`).
const LARGEST_PACKET_BYTES: u64 = 1514;
/// A new drop within so many intervals goes on where the last ones ended (RFC 8289, sec. 5.5).
const REMEMBERED_INTERVALS: u64 = 16;

/// A packet that waits above the queues of a radio.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    /// The packet.
    pub(crate) waiting: Waiting,
    /// The link that it takes.
    pub(crate) link: LinkId,
    /// Whether it goes towards the flow's destination: acknowledgements are a flow of their own.
    pub(crate) is_forward: bool,
}

/// The discipline of a node.
#[derive(Debug)]
pub(crate) struct FqCodel {
    spec: FqCodelSpec,
    flows: Vec<FlowQueue>,
    /// Places of flows in `flows` by twice their number, and one for their packets forward; [`NONE`] before the first.
    places: Vec<usize>,
    /// Flows that have begun to wait, and have not had a turn.
    new: VecDeque<usize>,
    /// The others that wait.
    old: VecDeque<usize>,
    /// A packet whose turn it is, for which there is no room yet.
    ready: Option<Held>,
    packets: u32,
}

const NONE: usize = usize::MAX;

#[derive(Debug, Default)]
struct FlowQueue {
    waiting: VecDeque<Held>,
    bytes: u64,
    /// Bytes left of its turn.
    deficit: i64,
    listed: bool,
    codel: Codel,
}

/// State of CoDel, by the names of RFC 8289, sec. 5.
#[derive(Clone, Copy, Debug, Default)]
struct Codel {
    first_above: Option<Nanos>,
    dropping: bool,
    drop_next: Nanos,
    count: u32,
    last_count: u32,
}

impl FqCodel {
    /// Nothing waits.
    pub(crate) fn new(spec: FqCodelSpec) -> Self {
        let (new, old) = (VecDeque::new(), VecDeque::new());
        Self { spec, flows: vec![], places: vec![], new, old, ready: None, packets: 0 }
    }

    /// Packets that wait.
    pub(crate) fn packets(&self) -> u32 {
        self.packets
    }

    /// Adds a packet; returns the one that is dropped for it, if there are too many.
    pub(crate) fn push(&mut self, held: Held) -> Option<Held> {
        let place = self.place(&held);
        let flow = &mut self.flows[place];
        flow.push(held);
        if !flow.listed {
            flow.listed = true;
            flow.deficit = i64::from(self.spec.quantum_bytes);
            self.new.push_back(place);
        }
        self.packets += 1;
        if self.packets <= self.spec.packets {
            return None;
        }
        let longest = self.flows.iter_mut().max_by_key(|flow| flow.bytes)?;
        let dropped = longest.pop();
        self.packets -= u32::from(dropped.is_some());
        dropped
    }

    /// Where the packet's flow waits; flows are numbered from 0 on, so that a table of their numbers is short.
    fn place(&mut self, held: &Held) -> usize {
        let number = 2 * held.waiting.flow.0 as usize + usize::from(held.is_forward);
        if number >= self.places.len() {
            self.places.resize(number + 1, NONE);
        }
        if self.places[number] == NONE {
            self.places[number] = self.flows.len();
            self.flows.push(FlowQueue::default());
        }
        self.places[number]
    }

    /// The packet whose turn it is, which stays until it is taken. What CoDel drops on the way is added to `dropped`.
    pub(crate) fn head(&mut self, now: Nanos, dropped: &mut Vec<Held>) -> Option<Held> {
        if self.ready.is_none() {
            let before = dropped.len();
            self.ready = self.turn(now, dropped);
            self.packets -= (dropped.len() - before) as u32;
        }
        self.ready
    }

    /// Takes the head.
    pub(crate) fn take(&mut self) {
        self.packets -= u32::from(self.ready.take().is_some());
    }

    /// RFC 8290, sec. 4.2.
    fn turn(&mut self, now: Nanos, dropped: &mut Vec<Held>) -> Option<Held> {
        loop {
            let is_new = !self.new.is_empty();
            let place = *self.new.front().or(self.old.front())?;
            let list = if is_new { &mut self.new } else { &mut self.old };
            let flow = &mut self.flows[place];
            if flow.deficit <= 0 {
                flow.deficit += i64::from(self.spec.quantum_bytes);
                list.pop_front();
                self.old.push_back(place);
                continue;
            }
            if let Some(held) = flow.next(now, &self.spec, dropped) {
                flow.deficit -= i64::from(held.waiting.bytes);
                return Some(held);
            }
            list.pop_front();
            if is_new {
                // Otherwise a flow could be new again and again, and others never had a turn.
                self.old.push_back(place);
            } else {
                flow.listed = false;
            }
        }
    }
}

impl FlowQueue {
    fn push(&mut self, held: Held) {
        self.bytes += u64::from(held.waiting.bytes);
        self.waiting.push_back(held);
    }

    fn pop(&mut self) -> Option<Held> {
        let held = self.waiting.pop_front()?;
        self.bytes -= u64::from(held.waiting.bytes);
        Some(held)
    }

    /// Takes a packet, and whether it may be dropped (RFC 8289, sec. 5.6, `dodequeue`).
    fn examined(&mut self, now: Nanos, spec: &FqCodelSpec) -> (Option<Held>, bool) {
        let held = self.pop();
        let is_short = |held: &Held| now.saturating_sub(held.waiting.since) < spec.target_ns;
        if held.as_ref().is_none_or(is_short) || self.bytes <= LARGEST_PACKET_BYTES {
            self.codel.first_above = None;
            return (held, false);
        }
        let since = *self.codel.first_above.get_or_insert(now.saturating_add(spec.interval_ns));
        (held, now >= since)
    }

    /// The next packet that is sent (RFC 8289, sec. 5.5, `dequeue`).
    fn next(&mut self, now: Nanos, spec: &FqCodelSpec, dropped: &mut Vec<Held>) -> Option<Held> {
        let (mut held, mut is_late) = self.examined(now, spec);
        if self.codel.dropping {
            self.codel.dropping = is_late;
            while self.codel.dropping && now >= self.codel.drop_next {
                dropped.extend(held);
                self.codel.count += 1;
                (held, is_late) = self.examined(now, spec);
                self.codel.dropping = is_late;
                if is_late {
                    self.codel.drop_next = after(self.codel.drop_next, spec.interval_ns, self.codel.count);
                }
            }
        } else if is_late {
            dropped.extend(held);
            (held, _) = self.examined(now, spec);
            let codel = &mut self.codel;
            let lately = now.saturating_sub(codel.drop_next) < REMEMBERED_INTERVALS * spec.interval_ns;
            let since = codel.count.saturating_sub(codel.last_count);
            codel.count = if since > 1 && lately { since } else { 1 };
            codel.last_count = codel.count;
            codel.dropping = true;
            codel.drop_next = after(now, spec.interval_ns, codel.count);
        }
        held
    }
}

/// When the next packet is dropped (RFC 8289, sec. 5.3, the control law).
fn after(instant: Nanos, interval: Nanos, count: u32) -> Nanos {
    instant.saturating_add((interval as f64 / f64::from(count.max(1)).sqrt()) as Nanos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::FlowId;
    use crate::network::PacketId;
    use crate::units::MILLISECOND;

    fn held(number: u32, flow: u32, since: Nanos) -> Held {
        let waiting = Waiting { packet: PacketId(number), flow: FlowId(flow), bytes: 1000, since };
        Held { waiting, link: LinkId(0), is_forward: true }
    }

    /// One packet comes and one goes a millisecond, and 50 wait.
    #[test]
    fn drops_follow_the_control_law() {
        let mut discipline = FqCodel::new(FqCodelSpec::default());
        (0..50).for_each(|number| assert!(discipline.push(held(number, 0, 0)).is_none()));
        let mut at = vec![];
        for step in 10..400 {
            let now = step * MILLISECOND;
            discipline.push(held(0, 0, now));
            let mut dropped = vec![];
            assert!(discipline.head(now, &mut dropped).is_some());
            discipline.take();
            at.extend(dropped.iter().map(|_| step));
        }
        // 100 ms after the first packet that had waited for too long; then 100, 100 / sqrt 2, 100 / sqrt 3.
        assert_eq!(at, [110, 210, 281, 339, 389]);
        assert_eq!(discipline.packets(), 50 - 5);
    }

    #[test]
    fn short_waits_drop_nothing() {
        let mut discipline = FqCodel::new(FqCodelSpec::default());
        let mut dropped = vec![];
        for step in 0..1000 {
            let now = step * MILLISECOND;
            discipline.push(held(0, 0, now));
            if step >= 4 {
                assert!(discipline.head(now, &mut dropped).is_some());
                discipline.take();
            }
        }
        assert!(dropped.is_empty());
    }

    #[test]
    fn flows_have_turns_and_a_new_one_is_first() {
        let mut discipline = FqCodel::new(FqCodelSpec { quantum_bytes: 2000, ..FqCodelSpec::default() });
        (0..6).for_each(|number| assert!(discipline.push(held(number, 4, 0)).is_none()));
        let next = |discipline: &mut FqCodel| {
            let head = discipline.head(0, &mut vec![])?;
            discipline.take();
            Some(head.waiting.packet.0)
        };
        assert_eq!([next(&mut discipline), next(&mut discipline)], [Some(0), Some(1)]);
        discipline.push(held(10, 7, 0));
        let rest: Vec<_> = std::iter::from_fn(|| next(&mut discipline)).collect();
        assert_eq!(rest, [10, 2, 3, 4, 5]);
        assert_eq!(discipline.packets(), 0);
    }

    #[test]
    fn acknowledgements_are_a_flow_of_their_own() {
        let mut discipline = FqCodel::new(FqCodelSpec { quantum_bytes: 1000, ..FqCodelSpec::default() });
        for (number, flow, is_forward) in [(0, 3, true), (1, 3, true), (2, 3, false), (3, 2, true)] {
            discipline.push(Held { is_forward, ..held(number, flow, 0) });
        }
        let order: Vec<_> = std::iter::from_fn(|| {
            let head = discipline.head(0, &mut vec![])?;
            discipline.take();
            Some(head.waiting.packet.0)
        })
        .collect();
        assert_eq!(order, [0, 2, 3, 1]);
    }

    #[test]
    fn what_is_too_much_comes_off_the_longest_flow() {
        let mut discipline = FqCodel::new(FqCodelSpec { packets: 3, ..FqCodelSpec::default() });
        for (number, flow) in [(0, 1), (1, 2), (2, 2)] {
            assert!(discipline.push(held(number, flow, 0)).is_none());
        }
        assert_eq!(discipline.push(held(3, 1, 0)).map(|one| one.waiting.packet.0), Some(1));
        assert_eq!(discipline.packets(), 3);
    }
}
