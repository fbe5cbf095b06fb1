//! Routing by a protocol: its messages at the radio, and the links that packets take by its tables.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::event::{Event, Rank};
use crate::index::{FlowId, IndexVec, LinkId, NodeId};
use crate::medium::Job;
use crate::network::PacketId;
use crate::packet::PacketKind;
use crate::plan::{LinkKind, Plan};
use crate::random::{Purpose, Stream};
use crate::record::Cause;
use crate::routing::{Agent, Message};
use crate::units::Nanos;
use crate::world::Dsdv;

use super::Simulation;

/// The routing protocol of a run.
pub(super) struct Routing {
    dsdv: Arc<Dsdv>,
    nodes: IndexVec<NodeId, RoutingNode>,
}

/// The routing of one node.
struct RoutingNode {
    agent: Agent,
    /// When the next call of the agent's timers is scheduled for.
    wakes_at: Option<Nanos>,
    /// Messages that wait for the radio, with their sizes and when they came.
    queue: VecDeque<(Nanos, u32, Arc<Message>)>,
    /// The one that the MAC has, and its size.
    in_service: Option<(u32, Arc<Message>)>,
    /// How many were in service.
    served: u64,
    /// Packets for which there is no route, by destination.
    held: BTreeMap<NodeId, VecDeque<PacketId>>,
}

impl Routing {
    /// The routing of a world at the start of a run; `None` where routes are declared.
    pub(super) fn new(plan: &Plan, seed: u64) -> Option<Self> {
        let dsdv = &plan.routing.as_ref()?.dsdv;
        let node = |id: NodeId| RoutingNode {
            agent: Agent::new(id, Arc::clone(dsdv), Stream::new(seed, Purpose::Routing, id.0)),
            wakes_at: None,
            queue: VecDeque::new(),
            in_service: None,
            served: 0,
            held: BTreeMap::new(),
        };
        Some(Self { dsdv: Arc::clone(dsdv), nodes: plan.nodes.ids().map(node).collect() })
    }

    /// Packets that wait for a route.
    pub(super) fn held_packets(&self) -> u64 {
        self.nodes.iter().flat_map(|node| node.held.values()).map(|held| held.len() as u64).sum()
    }
}

impl RoutingNode {
    fn waiting(&self) -> (u32, u64) {
        (self.queue.len() as u32, self.queue.iter().map(|(_, bytes, _)| u64::from(*bytes)).sum())
    }
}

impl Simulation {
    /// The node to which the routing protocol carries a packet: the last that it reaches by radio. `None`: the packet
    /// is there, or goes on by wire, or routes are declared.
    pub(super) fn routed_to(&self, flow: FlowId, kind: PacketKind, node: NodeId) -> Option<NodeId> {
        self.routing.as_ref()?;
        let route = &self.plan.flows[flow].routes[0];
        let way = if kind.is_forward() { &route.forward } else { &route.backward };
        let links = &self.plan.links;
        let is_radio = |link: &&LinkId| matches!(links[**link].kind, LinkKind::Radio(_));
        let goes_by_wire = way.iter().any(|link| links[*link].from == node && !is_radio(&link));
        let target = way.iter().rev().find(is_radio).map(|link| links[*link].to);
        target.filter(|&target| target != node && !goes_by_wire)
    }

    /// The link to the neighbour that leads to a node.
    pub(super) fn routed_link(&self, node: NodeId, target: NodeId) -> Option<LinkId> {
        let next = self.routing.as_ref()?.nodes[node].agent.next_hop(target)?;
        self.radio_link(node, next)
    }

    fn radio_link(&self, from: NodeId, to: NodeId) -> Option<LinkId> {
        self.nodes[from].radio_links.iter().copied().find(|&link| self.links[link].to == to)
    }

    /// Sends a packet to the neighbour that leads to `target`; without one it waits for a route.
    pub(super) fn forward_routed(&mut self, node: NodeId, id: PacketId, target: NodeId) {
        let (Some(&packet), Some(routing)) = (self.packets.get(id), &self.routing) else { return };
        let flow = &self.plan.flows[packet.flow];
        let origin = if packet.kind.is_forward() { flow.source } else { flow.destination };
        let goes_round = packet.hop >= routing.dsdv.most_links || (packet.hop > 0 && node == origin);
        if goes_round || self.is_out(node) {
            self.drop_packet(id, None, Cause::Route, node);
        } else if let Some(link) = self.routed_link(node, target) {
            self.enqueue(link, id);
        } else {
            self.hold(node, id, target);
        }
    }

    /// Keeps a packet until there is a route; the oldest makes room.
    fn hold(&mut self, node: NodeId, id: PacketId, target: NodeId) {
        let Some(routing) = &mut self.routing else { return };
        let state = &mut routing.nodes[node];
        state.agent.expect(target, self.now);
        let held = state.held.entry(target).or_default();
        held.push_back(id);
        if held.len() > routing.dsdv.held_packets as usize {
            if let Some(oldest) = held.pop_front() {
                self.drop_packet(oldest, None, Cause::Route, node);
            }
        }
    }

    /// Sends what was kept for destinations to which there is a route now.
    fn release_held(&mut self, node: NodeId) {
        let Some(routing) = &mut self.routing else { return };
        let RoutingNode { agent, held, .. } = &mut routing.nodes[node];
        let targets: Vec<_> = held.keys().copied().filter(|&target| agent.next_hop(target).is_some()).collect();
        for target in targets {
            let Some(routing) = &mut self.routing else { return };
            for id in routing.nodes[node].held.remove(&target).unwrap_or_default() {
                self.forward(node, id);
            }
        }
    }

    /// A timer of a node's agent fires.
    pub(super) fn routing_timer(&mut self, node: NodeId) {
        let (now, is_out) = (self.now, self.is_out(node));
        let Some(routing) = &mut self.routing else { return };
        let state = &mut routing.nodes[node];
        if state.wakes_at != Some(now) {
            return;
        }
        state.wakes_at = None;
        for message in state.agent.on_timer(now) {
            if !is_out {
                self.queue_message(node, message);
            }
        }
        self.arm_routing(node);
    }

    /// A node decoded the message that another has in service.
    pub(super) fn hear_message(&mut self, node: NodeId, from: NodeId) {
        // Who has no link to a node takes no word from it.
        let (Some(link), Some(_)) = (self.radio_link(from, node), self.radio_link(node, from)) else { return };
        if self.is_out(node) || self.medium.loses_broadcast(link) {
            return;
        }
        let now = self.now;
        let Some(routing) = &mut self.routing else { return };
        let Some((_, message)) = routing.nodes[from].in_service.clone() else { return };
        routing.nodes[node].agent.on_message(now, from, &message);
        let has_support = self.nodes[from].routers.iter().any(|router| router.announces_support());
        self.nodes[node].routers.iter_mut().for_each(|router| router.on_routing_message(from, has_support));
        self.release_held(node);
        self.arm_routing(node);
    }

    /// Schedules the next call of an agent's timers.
    pub(super) fn arm_routing(&mut self, node: NodeId) {
        let now = self.now;
        let Some(routing) = &mut self.routing else { return };
        let state = &mut routing.nodes[node];
        let at = state.agent.next_timer().max(now);
        if !self.nodes[node].radio_links.is_empty() && state.wakes_at.is_none_or(|scheduled| at < scheduled) {
            state.wakes_at = Some(at);
            self.events.push(at, Rank::Router, node.0, Event::Routing(node));
        }
    }

    /// A message comes to the radio: before those that wait if messages go first, else behind them. The queue is the
    /// interface's where that has one; data that came last makes room for a message that goes first.
    fn queue_message(&mut self, node: NodeId, message: Arc<Message>) {
        let now = self.now;
        let shared = self.nodes[node].interface_limit;
        let limit = shared.unwrap_or_default();
        let data = shared.map_or((0, 0), |_| self.data_waiting(node));
        let Some(routing) = &mut self.routing else { return };
        let (dsdv, state) = (&routing.dsdv, &mut routing.nodes[node]);
        let bytes = dsdv.header_bytes + dsdv.entry_bytes.saturating_mul(message.entries.len() as u32);
        let messages = state.waiting();
        let fits = limit.admits(messages.0 + data.0, messages.1 + data.1, bytes);
        if fits || dsdv.messages_first {
            if dsdv.messages_first {
                state.queue.push_front((now, bytes, message));
            } else {
                state.queue.push_back((now, bytes, message));
            }
        }
        let data_makes_room = dsdv.messages_first && data.0 > 0;
        if !fits && (!data_makes_room || !self.drop_last_data(node)) {
            self.drop_last_message(node);
        }
        self.messages_changed(node);
        if self.medium.is_free(node) {
            self.serve_radio(node);
        }
    }

    /// Packets and bytes of data that wait for a radio.
    fn data_waiting(&self, node: NodeId) -> (u32, u64) {
        let queues = self.nodes[node].radio_links.iter().map(|&link| &self.links[link].fifo);
        queues.fold((0, 0), |sum, fifo| (sum.0 + fifo.packets(), sum.1 + fifo.bytes()))
    }

    /// Drops the packet that came last of those that wait for a radio; whether there was one.
    fn drop_last_data(&mut self, node: NodeId) -> bool {
        let last = |&link: &LinkId| Some((self.links[link].fifo.last_since()?, link));
        let Some((_, link)) = self.nodes[node].radio_links.iter().filter_map(last).max() else { return false };
        let Some(waiting) = self.link_mut(link).fifo.pop_last() else { return false };
        self.drop_packet(waiting.packet, Some(link), Cause::Queue, node);
        self.queue_changed(link);
        true
    }

    /// A message finds no room: of several the one that is behind.
    fn drop_last_message(&mut self, node: NodeId) {
        let link = self.plan.broadcasts_of(node);
        let Some(routing) = &mut self.routing else { return };
        if routing.dsdv.messages_first {
            routing.nodes[node].queue.pop_back();
        }
        self.record.message_dropped(link);
    }

    /// Packets and bytes of the messages that wait for a radio.
    pub(super) fn messages_waiting(&self, node: NodeId) -> (u32, u64) {
        self.routing.as_ref().map_or((0, 0), |routing| routing.nodes[node].waiting())
    }

    /// Whether a message is what a radio sends next; `data_since`: when the packet came that else would be.
    pub(super) fn message_goes_first(&self, node: NodeId, data_since: Option<Nanos>) -> bool {
        let Some(routing) = &self.routing else { return false };
        let first = routing.nodes[node].queue.front();
        first.is_some_and(|(since, ..)| routing.dsdv.messages_first || data_since.is_none_or(|data| *since <= data))
    }

    /// Gives the MAC the first message that waits.
    pub(super) fn send_message(&mut self, node: NodeId) {
        let (now, link) = (self.now, self.plan.broadcasts_of(node));
        let Some(routing) = &mut self.routing else { return };
        let state = &mut routing.nodes[node];
        let Some((enqueued, bytes, message)) = state.queue.pop_front() else { return };
        let job = Job { link, number: state.served, bytes, enqueued, head_of_line: now };
        state.served += 1;
        state.in_service = Some((bytes, message));
        self.messages_changed(node);
        self.record.service(now, link, true);
        self.medium.offer(now, &mut self.events, node, job);
    }

    /// The MAC has sent the message of a node.
    pub(super) fn message_is_sent(&mut self, link: LinkId) {
        let node = NodeId(link.0.saturating_sub(self.links.len() as u32));
        self.record.service(self.now, link, false);
        self.record.attempts(link, 1, None);
        let Some(routing) = &mut self.routing else { return };
        if let Some((bytes, _)) = routing.nodes[node].in_service.take() {
            self.record.carried(link, bytes);
        }
        self.serve_radio(node);
    }

    fn messages_changed(&mut self, node: NodeId) {
        let (packets, bytes) = self.messages_waiting(node);
        self.record.queue(self.now, self.plan.broadcasts_of(node), packets, bytes);
    }

    fn is_out(&self, node: NodeId) -> bool {
        self.plan.routing.as_ref().is_some_and(|routing| routing.is_out(node, self.now))
    }
}
