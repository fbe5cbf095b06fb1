//! Sources and destinations.

use crate::cross_layer::CrossLayer;
use crate::event::{Event, Rank};
use crate::index::{FlowId, LinkId, NodeId};
use crate::network::PacketId;
use crate::packet::{Packet, PacketKind};
use crate::record::Step;

use super::Simulation;

/// Most packets that a source may send at one instant.
const MAX_AT_ONCE: usize = 1 << 16;

impl Simulation {
    /// A packet reached a node: the end of its path, or an intermediate hop.
    pub(super) fn arrive(&mut self, node: NodeId, id: PacketId) {
        self.arriving -= 1;
        let Some(packet) = self.packets.get(id) else { return };
        let plan = &self.plan.flows[packet.flow];
        match packet.kind {
            kind if kind.is_forward() && node == plan.destination => self.take_data(node, id),
            kind if !kind.is_forward() && node == plan.source => self.take_ack(node, id),
            _ => self.forward(node, id),
        }
    }

    /// Data reached its destination.
    fn take_data(&mut self, node: NodeId, id: PacketId) {
        let Some(packet) = self.consume(node, id) else { return };
        let seen = self.cross_layer_of_arrival(&packet, node);
        let flow = &mut self.flows[packet.flow];
        let ack = flow.receiver.on_data(self.now, &seen, &packet);
        self.record.handed(self.now, packet.flow, flow.receiver.delivered_bytes());
        if let Some(whole) = whole_flow(&self.plan.flows[packet.flow].spec.source) {
            if flow.completed_at.is_none() && flow.receiver.delivered_bytes() >= whole {
                flow.completed_at = Some(self.now);
            }
        }
        if let Some(ack) = ack {
            self.inject(node, ack);
        }
        self.arm_destination(packet.flow);
    }

    /// An acknowledgement reached the source.
    fn take_ack(&mut self, node: NodeId, id: PacketId) {
        let Some(packet) = self.consume(node, id) else { return };
        let first_hop = self.first_hop(packet.flow);
        self.flows[packet.flow].sender.on_ack(self.now, &packet, &first_hop);
        self.send_ready(packet.flow);
    }

    /// The packet is at the end of its path.
    fn consume(&mut self, node: NodeId, id: PacketId) -> Option<Packet> {
        let packet = self.packets.remove(id)?;
        self.record.delivered(self.now, &packet);
        self.record.step(self.now, Step::Delivered, &packet, None, node);
        Some(packet)
    }

    /// A source's start, timers, or pace.
    pub(super) fn source_timer(&mut self, flow: FlowId) {
        let state = &mut self.flows[flow];
        if state.sender_wakes_at != Some(self.now) {
            return;
        }
        state.sender_wakes_at = None;
        let first_hop = self.first_hop(flow);
        self.flows[flow].sender.on_timer(self.now, &first_hop);
        self.send_ready(flow);
    }

    /// A destination's timer for an acknowledgement that it holds back.
    pub(super) fn destination_timer(&mut self, flow: FlowId) {
        let node = self.plan.flows[flow].destination;
        let state = &mut self.flows[flow];
        if state.receiver_wakes_at != Some(self.now) {
            return;
        }
        state.receiver_wakes_at = None;
        if let Some(ack) = state.receiver.on_timer(self.now) {
            self.inject(node, ack);
        }
        self.arm_destination(flow);
    }

    /// Sends the packets that a source may send now.
    fn send_ready(&mut self, flow: FlowId) {
        let source = self.plan.flows[flow].source;
        for _ in 0..MAX_AT_ONCE {
            let first_hop = self.first_hop(flow);
            let Some(packet) = self.flows[flow].sender.poll(self.now, &first_hop) else {
                self.arm_source(flow);
                return;
            };
            self.inject(source, packet);
        }
        let name = &self.plan.flows[flow].spec.name;
        self.fault = Some(format!("flow {name:?} sends more than {MAX_AT_ONCE} packets at {} ns", self.now));
    }

    /// Puts a new packet into the network.
    fn inject(&mut self, node: NodeId, packet: Packet) {
        self.record.sent(&packet);
        self.record.step(self.now, Step::Sent, &packet, None, node);
        let id = self.packets.insert(packet);
        self.forward(node, id);
    }

    fn arm_source(&mut self, flow: FlowId) {
        let source = self.plan.flows[flow].source;
        let state = &mut self.flows[flow];
        let Some(at) = state.sender.next_wakeup() else { return };
        let at = at.max(self.now);
        if state.sender_wakes_at.is_none_or(|scheduled| at < scheduled) {
            state.sender_wakes_at = Some(at);
            self.events.push_of_flow(at, Rank::Source, source.0, flow, Event::Source(flow));
        }
    }

    fn arm_destination(&mut self, flow: FlowId) {
        let destination = self.plan.flows[flow].destination;
        let state = &mut self.flows[flow];
        let Some(at) = state.receiver.next_wakeup() else { return };
        let at = at.max(self.now);
        if state.receiver_wakes_at.is_none_or(|scheduled| at < scheduled) {
            state.receiver_wakes_at = Some(at);
            self.events.push_of_flow(at, Rank::Source, destination.0, flow, Event::Destination(flow));
        }
    }

    /// What a source's node measured on the link that its packets take.
    fn first_hop(&mut self, flow: FlowId) -> CrossLayer {
        let plan = &self.plan.flows[flow];
        let link = match self.routed_to(flow, PacketKind::Data, plan.source) {
            Some(target) => self.routed_link(plan.source, target),
            None => plan.routes[self.flows[flow].route].forward.first().copied(),
        };
        link.map_or_else(CrossLayer::default, |link| self.cross_layer(link))
    }

    /// What a destination's node knows of the link that data came by: the capacity of the exchanges it took part in,
    /// and how much of the medium is free where it is itself.
    fn cross_layer_of_arrival(&mut self, packet: &Packet, node: NodeId) -> CrossLayer {
        let flow = &self.flows[packet.flow];
        let declared = || self.plan.flows[packet.flow].routes[flow.route].forward.last().copied();
        let came_by: Option<LinkId> = if self.routing.is_some() { flow.came_by } else { declared() };
        let Some(last) = came_by else { return CrossLayer::default() };
        if self.links[last].wire.is_some() {
            return self.cross_layer(last);
        }
        let share = self.medium.busy_share(self.now, node);
        self.links[last].meter.read(self.now, share)
    }
}

/// Payload bytes of a flow that has an end.
fn whole_flow(source: &crate::world::Source) -> Option<u64> {
    match source {
        crate::world::Source::Bytes(bytes) => Some(*bytes),
        _ => None,
    }
}
