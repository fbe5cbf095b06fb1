//! Which nodes of a trace hear one another, from when they transmit and what they receive.
//!
//! A trace of ns-2 has every transmission, but a reception only at the node that was addressed. Whether another node
//! heard the frame follows from what that node does: a node that senses a transmission does not begin one of its own
//! while it lasts. Beginnings are compared with the number expected of a node that does not listen. Received frames
//! prove that their transmitter is heard, broadcasts that were not received are evidence that it is not. Pairs without
//! evidence are taken to hear each other, since they share a channel.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::exchanges::span::is_on_air;
use crate::frame::network::Host;
use crate::frame::{Addr, Direction, Frame, FrameKind};

/// Nodes between which hearing is inferred. Each transmission is looked at once for each of them.
pub(super) const MAX_NODES: usize = 64;

/// A node learns of a transmission after the propagation delay. Two that begin closer together contended for the same
/// slot. The delay is 1.8 us at 550 m, the default range of carrier sense in ns-2.
const SAME_SLOT_NS: i64 = 5_000;

/// Share of the expected overlaps from which on a node is taken not to listen.
const MIN_SHARE: f64 = 0.15;

/// Share up to which a node listens for sure: a simulated one that does never begins meanwhile, unless nodes move.
const LISTENS_SHARE: f64 = 0.02;

/// Expected overlaps from which on so few show that a node listens, although it received no broadcast. Where 5 are
/// expected there is none in 0.7 %.
const MIN_EXPECTED: f64 = 5.0;

/// The same of two nodes that forward packets of one flow: these avoid themselves. In a chain whose first and third node
/// do not sense each other there were two overlaps in place of 24.
const MIN_EXPECTED_IN_FLOW: f64 = 40.0;

/// Transmissions on the air at a time that are compared.
const MAX_ON_AIR: usize = 128;

/// Number of beginnings after which older ones count half, so that nodes may move.
const HALF_LIFE: u32 = 1 << 16;

/// A transmission that other nodes defer to if they hear it.
#[derive(Clone, Copy, Debug)]
struct OnAir {
    node: usize,
    start_ns: i64,
    end_ns: i64,
    /// It follows a CTS, whose Duration field protects it, also from nodes that do not sense it.
    is_protected: bool,
}

/// What a node did.
#[derive(Clone, Copy, Debug, Default)]
struct Activity {
    /// Transmissions that it began after contention.
    beginnings: f64,
    /// Airtime of these.
    airtime_ns: f64,
    /// Airtime of the data behind a CTS.
    protected_ns: f64,
    /// Group addressed frames that it transmitted.
    broadcasts: f64,
    /// Flows whose packets it transmitted, a bit each, and the ends of the last.
    flows: u64,
    last_flow: Option<(Host, Host)>,
    /// Its last transmission was an RTS, so that data follows without carrier sense.
    after_rts: bool,
}

/// What one node shows of another.
#[derive(Clone, Copy, Debug, Default)]
struct Evidence {
    /// Beginnings during a transmission of the other, but for data behind a CTS.
    overlaps: f64,
    /// Beginnings during data of the other behind a CTS.
    protected_overlaps: f64,
    /// Frames received from the other.
    received: f64,
}

/// The evidence of a trace so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Hearing {
    numbers: HashMap<Addr, usize>,
    nodes: Vec<Addr>,
    activities: Vec<Activity>,
    /// Row: the node that hears or not; column: the transmitter.
    pairs: Vec<[Evidence; MAX_NODES]>,
    on_air: Vec<OnAir>,
    first_ns: Option<i64>,
    last_ns: i64,
    beginnings: u32,
    /// The trace has receptions of frames that were addressed to others.
    receptions_of_others: bool,
    too_many: bool,
}

impl Hearing {
    /// True if other nodes' receptions have to be inferred, and can be.
    pub(super) fn is_inferred(&self) -> bool {
        !self.receptions_of_others && !self.too_many
    }

    /// True if the trace has more nodes than hearing is inferred between.
    pub(super) fn has_too_many_nodes(&self) -> bool {
        self.too_many && !self.receptions_of_others
    }

    /// Adds an event of the trace, in recorded order.
    pub(super) fn observe(&mut self, frame: &Frame) {
        let Some(observer) = frame.observer.filter(|_| is_on_air(frame) && frame.is_readable()) else { return };
        let is_group = frame.ra.is_some_and(Addr::is_group);
        match frame.direction {
            Some(Direction::Tx) => self.transmitted(observer, frame),
            Some(Direction::Rx) => {
                self.receptions_of_others |= !is_group && frame.ra.is_some_and(|ra| ra != observer);
                let pair = self.number(observer).zip(frame.ta.and_then(|ta| self.number(ta)));
                if let Some(evidence) = pair.and_then(|(node, from)| self.pairs.get_mut(node)?.get_mut(from)) {
                    evidence.received += 1.0;
                }
            }
            _ => {}
        }
    }

    /// The nodes that hear what `from` transmits, without itself.
    pub(super) fn listeners(&self, from: Addr) -> impl Iterator<Item = Addr> + '_ {
        let from = self.numbers.get(&from).copied();
        let each = self.nodes.iter().enumerate();
        each.filter(move |&(node, _)| from.is_some_and(|from| from != node && self.hears(node, from)))
            .map(|(_, &address)| address)
    }

    fn transmitted(&mut self, observer: Addr, frame: &Frame) {
        let (Some(node), Some(start_ns), Some(end_ns)) = (self.number(observer), frame.start_ns, frame.end_ns) else {
            return;
        };
        let is_response = matches!(frame.kind, FrameKind::Cts | FrameKind::Ack | FrameKind::BlockAck);
        let Some(activity) = self.activities.get_mut(node) else { return };
        activity.note_flow(frame);
        let is_protected = !is_response && activity.after_rts && frame.kind != FrameKind::Rts;
        let contends = !(is_response || is_protected);
        let air_ns = end_ns.saturating_sub(start_ns).max(0) as f64;
        activity.after_rts = frame.kind == FrameKind::Rts;
        self.first_ns.get_or_insert(start_ns);
        self.last_ns = self.last_ns.max(end_ns);
        self.on_air.retain(|earlier| earlier.end_ns > start_ns);
        if contends {
            activity.beginnings += 1.0;
            activity.airtime_ns += air_ns;
            activity.broadcasts += f64::from(u8::from(frame.ra.is_some_and(Addr::is_group)));
            self.beginnings += 1;
            let during =
                |earlier: &&OnAir| earlier.node != node && earlier.start_ns.saturating_add(SAME_SLOT_NS) < start_ns;
            for earlier in self.on_air.iter().filter(during) {
                if let Some(evidence) = self.pairs.get_mut(node).and_then(|row| row.get_mut(earlier.node)) {
                    match earlier.is_protected {
                        true => evidence.protected_overlaps += 1.0,
                        false => evidence.overlaps += 1.0,
                    }
                }
            }
        } else if is_protected {
            activity.protected_ns += air_ns;
        }
        if self.on_air.len() < MAX_ON_AIR {
            self.on_air.push(OnAir { node, start_ns, end_ns, is_protected });
        }
        if self.beginnings >= HALF_LIFE {
            self.halve();
        }
    }

    fn hears(&self, node: usize, from: usize) -> bool {
        let (Some(there), Some(back)) = (self.evidence(node, from), self.evidence(from, node)) else { return true };
        let overlaps = there.overlaps + back.overlaps;
        let received = there.received + back.received;
        let in_airtime =
            |airtime: fn(&Activity) -> f64| self.expected(node, from, airtime) + self.expected(from, node, airtime);
        let expected = in_airtime(|from| from.airtime_ns);
        let broadcasts = self.broadcasts(node) + self.broadcasts(from);
        match overlaps <= MIN_SHARE * expected {
            true => {
                let expected = expected + in_airtime(|from| from.protected_ns);
                let overlaps = overlaps + there.protected_overlaps + back.protected_overlaps;
                let listens = expected >= self.min_expected(node, from) && overlaps <= LISTENS_SHARE * expected;
                received > 0.0 || listens || broadcasts < 1.0
            }
            false => received > overlaps,
        }
    }

    fn min_expected(&self, node: usize, from: usize) -> f64 {
        let flows = |node: usize| self.activities.get(node).map_or(0, |activity| activity.flows);
        match flows(node) & flows(from) {
            0 => MIN_EXPECTED,
            _ => MIN_EXPECTED_IN_FLOW,
        }
    }

    fn broadcasts(&self, node: usize) -> f64 {
        self.activities.get(node).map_or(0.0, |activity| activity.broadcasts)
    }

    fn evidence(&self, node: usize, from: usize) -> Option<&Evidence> {
        self.pairs.get(node)?.get(from)
    }

    /// Overlaps with this `airtime` of `from` that there would be if `node` did not listen to it.
    fn expected(&self, node: usize, from: usize, airtime: fn(&Activity) -> f64) -> f64 {
        let span_ns = self.first_ns.map_or(0, |first| self.last_ns.saturating_sub(first)).max(1) as f64;
        let (node, from) = (self.activities.get(node), self.activities.get(from));
        node.zip(from).map_or(0.0, |(node, from)| node.beginnings * (airtime(from) / span_ns).min(1.0))
    }

    /// Number of a node, of a new one if there is room.
    fn number(&mut self, address: Addr) -> Option<usize> {
        if let Some(&number) = self.numbers.get(&address) {
            return Some(number);
        }
        if address.is_group() || self.nodes.len() >= MAX_NODES {
            self.too_many |= !address.is_group();
            return None;
        }
        let number = self.nodes.len();
        self.numbers.insert(address, number);
        self.nodes.push(address);
        self.activities.push(Activity::default());
        self.pairs.push([Evidence::default(); MAX_NODES]);
        Some(number)
    }

    fn halve(&mut self) {
        self.beginnings /= 2;
        for activity in &mut self.activities {
            activity.beginnings /= 2.0;
            activity.airtime_ns /= 2.0;
            activity.protected_ns /= 2.0;
            activity.broadcasts /= 2.0;
        }
        for evidence in self.pairs.iter_mut().flatten() {
            evidence.overlaps /= 2.0;
            evidence.protected_overlaps /= 2.0;
            evidence.received /= 2.0;
        }
        let span_ns = self.first_ns.map_or(0, |first| self.last_ns.saturating_sub(first));
        self.first_ns = Some(self.last_ns.saturating_sub(span_ns / 2));
    }
}

impl Activity {
    /// Notes the flow that a data frame to one station is of, whatever its direction.
    fn note_flow(&mut self, frame: &Frame) {
        let Some(network) = frame.network.as_ref().filter(|_| !frame.ra.is_some_and(Addr::is_group)) else { return };
        let ends = (network.src.min(network.dst), network.src.max(network.dst));
        if self.last_flow != Some(ends) {
            let mut hasher = DefaultHasher::new();
            ends.hash(&mut hasher);
            self.flows |= 1 << (hasher.finish() % 64);
            self.last_flow = Some(ends);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::network::{Network, Protocol};

    /// Data that a node sends, times in microseconds.
    fn sent(from: u32, to: u32, start_us: i64, end_us: i64) -> Frame {
        Frame {
            observer: Some(Addr::node(from)),
            direction: Some(Direction::Tx),
            kind: FrameKind::Data,
            ta: Some(Addr::node(from)),
            ra: Some(Addr::node(to)),
            start_ns: Some(start_us * 1000),
            end_ns: Some(end_us * 1000),
            ..Frame::new(1, start_us * 1000)
        }
    }

    fn listeners(frames: &[Frame], from: u32) -> Vec<Addr> {
        let mut hearing = Hearing::default();
        frames.iter().for_each(|frame| hearing.observe(frame));
        hearing.listeners(Addr::node(from)).collect()
    }

    #[test]
    fn who_never_begins_during_a_frame_hears_it() {
        // Node 1 begins between the frames of node 0, node 2 at times that do not depend on them.
        let mut frames = Vec::new();
        for round in 0..50 {
            let start = round * 3000;
            frames.push(sent(0, 9, start, start + 1500));
            frames.push(sent(2, 8, start + (round * 61) % 1400 + 20, start + 1450));
            frames.push(sent(1, 7, start + 1600, start + 2900));
        }
        assert_eq!(listeners(&frames, 0), [Addr::node(1)]);
        assert_eq!(listeners(&frames, 1), [Addr::node(0), Addr::node(2)]);
    }

    /// A broadcast of node 0 that only node 3 received; then an RTS and data behind a CTS of node 0 every 5 ms, and a
    /// frame of node 1 every 50 ms, which begins so long after the data.
    fn beside_protected_data(rounds: i64, after_us: i64) -> Vec<Frame> {
        let broadcast = Frame { ra: Some(Addr::BROADCAST), ..sent(0, 9, 0, 1_000) };
        let received = Frame { observer: Some(Addr::node(3)), direction: Some(Direction::Rx), ..broadcast.clone() };
        let mut frames = vec![broadcast, received];
        for round in 1..=rounds {
            let start = round * 5_000;
            frames.push(Frame { kind: FrameKind::Rts, ..sent(0, 9, start, start + 350) });
            frames.push(sent(0, 9, start + 1_000, start + 4_000));
            if round % 10 == 0 {
                frames.push(sent(1, 8, start + 1_000 + after_us, start + 1_900 + after_us));
            }
        }
        frames.push(sent(3, 8, rounds * 5_000 + 20_000, rounds * 5_000 + 20_100));
        frames
    }

    #[test]
    fn who_waits_for_data_that_it_cannot_decode_senses_it() {
        let sensed = listeners(&beside_protected_data(200, 3_100), 0);
        assert_eq!(sensed, [Addr::node(3), Addr::node(1)], "12 overlaps expected, none seen");
        let far = listeners(&beside_protected_data(200, 1_500), 0);
        assert_eq!(far, [Addr::node(3)], "20 overlaps");
        let few = listeners(&beside_protected_data(50, 3_100), 0);
        assert_eq!(few, [Addr::node(3)], "3 expected: too few to tell");
    }

    #[test]
    fn packets_of_one_flow_avoid_themselves() {
        let of_flow = |rounds, to: u32| {
            let mut frames = beside_protected_data(rounds, 3_100);
            for frame in frames.iter_mut().filter(|frame| frame.kind != FrameKind::Rts) {
                let ends = if frame.ta == Some(Addr::node(1)) { (4, to) } else { (9, 4) };
                let (src, dst) = (Host::Node(ends.0), Host::Node(ends.1));
                let (src_port, dst_port, transport_seq, tcp) = (None, None, None, None);
                frame.network =
                    Some(Network { src, dst, proto: Protocol::new(b"cbr"), src_port, dst_port, transport_seq, tcp });
            }
            listeners(&frames, 0)
        };
        assert_eq!(of_flow(200, 8), [Addr::node(3), Addr::node(1)]);
        assert_eq!(of_flow(200, 9), [Addr::node(3)], "12 expected between two that forward for one another");
        assert_eq!(of_flow(800, 9), [Addr::node(3), Addr::node(1)], "49 expected");
    }

    #[test]
    fn who_shares_a_slot_still_hears() {
        let frames: Vec<Frame> = (0..50)
            .flat_map(|n| [sent(0, 9, n * 3000, n * 3000 + 1500), sent(1, 8, n * 3000 + 2, n * 3000 + 1500)])
            .collect();
        assert_eq!(listeners(&frames, 0), [Addr::node(1)]);
    }

    #[test]
    fn broadcasts_that_nobody_received_tell_of_nodes_that_are_rarely_on_the_air() {
        let broadcast = Frame { ra: Some(Addr::BROADCAST), ..sent(0, 1, 0, 100) };
        let received = Frame { observer: Some(Addr::node(1)), direction: Some(Direction::Rx), ..broadcast.clone() };
        let frames = [broadcast, received, sent(1, 9, 500, 600), sent(2, 9, 1000, 1100)];
        assert_eq!(listeners(&frames, 0), [Addr::node(1)]);
    }

    #[test]
    fn receptions_of_others_make_inference_needless() {
        let mut hearing = Hearing::default();
        hearing.observe(&sent(0, 1, 0, 100));
        assert!(hearing.is_inferred());
        hearing.observe(&Frame { observer: Some(Addr::node(2)), direction: Some(Direction::Rx), ..sent(0, 1, 0, 100) });
        assert!(!hearing.is_inferred());
    }

    #[test]
    fn too_many_nodes_are_told() {
        let mut hearing = Hearing::default();
        for node in 0..=MAX_NODES as u32 {
            hearing.observe(&sent(node, 1000, 0, 100));
        }
        assert!(hearing.has_too_many_nodes() && !hearing.is_inferred());
    }
}
