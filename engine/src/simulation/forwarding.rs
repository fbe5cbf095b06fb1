//! Forwarding: queues, wires, and the hand-over to the medium.

use crate::controller::AirStamps;
use crate::event::{Event, Rank};
use crate::index::{FlowId, LinkId, NodeId};
use crate::medium::{Job, Served};
use crate::network::{Fifo, PacketId, Waiting};
use crate::packet::PacketKind;
use crate::record::{Cause, Step};
use crate::units::{serialization, Nanos};

use super::Simulation;

impl Simulation {
    /// Sends a packet on its way from a node.
    pub(super) fn forward(&mut self, node: NodeId, id: PacketId) {
        let Some(packet) = self.packets.get(id) else { return };
        let flow = packet.flow;
        let route = &self.plan.flows[flow].routes[self.flows[flow].route];
        match route.next(&self.plan.links, packet.kind, node) {
            Some(link) => self.enqueue(link, id),
            None => self.drop_packet(id, None, Cause::Route, node),
        }
    }

    /// A packet arrives at a link's queue.
    fn enqueue(&mut self, link: LinkId, id: PacketId) {
        self.on_arrival(link, id);
        let Some(packet) = self.packets.get(id) else { return };
        let (kind, flow) = (packet.kind, packet.flow);
        let bytes = packet.size_bytes + self.option_bytes(link, flow, kind);
        let node = self.links[link].from;
        if self.now < self.links[link].broken_until {
            self.drop_packet(id, None, Cause::Route, node);
            return;
        }
        let marks = self.link_mut(link).marks();
        if !self.has_room(link, bytes) {
            self.drop_packet(id, Some(link), Cause::Queue, node);
            return;
        }
        let ecn = kind == PacketKind::Data && self.plan.flows[flow].spec.transport.ecn;
        if let (true, Some(packet)) = (ecn && marks, self.packets.get_mut(id)) {
            packet.congestion_experienced = true;
        }
        let now = self.now;
        self.link_mut(link).fifo.push(Waiting { packet: id, flow, bytes, since: now });
        self.queue_changed(link);
        self.log(Step::Enqueued, id, link);
        self.serve(link);
    }

    /// Octets of options in the MAC header of a packet on a link.
    fn option_bytes(&self, link: LinkId, flow: FlowId, kind: PacketKind) -> u32 {
        let (forward, backward) = self.plan.flows[flow].options;
        match (&self.links[link].wire, kind.is_forward()) {
            (Some(_), _) => 0,
            (None, true) => forward,
            (None, false) => backward,
        }
    }

    /// Whether a packet fits into a link's queue, and into its node's where that has a limit.
    fn has_room(&self, link: LinkId, bytes: u32) -> bool {
        let link = &self.links[link];
        let admits = |limit: crate::world::QueueSpec, fifo: (u32, u64)| limit.admits(fifo.0, fifo.1, bytes);
        if !admits(link.limit, (link.fifo.packets(), link.fifo.bytes())) {
            return false;
        }
        let node = &self.nodes[link.from];
        match node.interface_limit {
            Some(limit) if link.wire.is_none() => {
                let fifos = node.radio_links.iter().map(|&link| &self.links[link].fifo);
                let all = fifos.fold((0, 0), |sum, fifo: &Fifo| (sum.0 + fifo.packets(), sum.1 + fifo.bytes()));
                admits(limit, all)
            }
            _ => true,
        }
    }

    /// Starts service on a link whose wire or radio is free.
    fn serve(&mut self, link: LinkId) {
        let from = self.links[link].from;
        if self.links[link].wire.is_some() {
            if self.links[link].in_service.is_none() {
                self.depart(link);
            }
        } else if self.medium.is_free(from) {
            self.serve_radio(from);
        }
    }

    /// Gives a radio the packet that has waited longest in any of its queues.
    fn serve_radio(&mut self, node: NodeId) {
        let heads =
            self.nodes[node].radio_links.iter().filter_map(|&link| Some((self.links[link].fifo.head()?.since, link)));
        if let Some((_, link)) = heads.min() {
            self.depart(link);
        }
    }

    /// Takes the packet at the head of a queue into service.
    fn depart(&mut self, link: LinkId) {
        let Some(&head) = self.links[link].fifo.head() else { return };
        self.on_departure(link, head.packet);
        self.link_mut(link).fifo.pop();
        self.link_mut(link).in_service = Some(head.packet);
        self.queue_changed(link);
        self.record.service(self.now, link, true);
        self.log(Step::Dequeued, head.packet, link);
        let (now, from) = (self.now, self.links[link].from);
        match &mut self.links[link].wire {
            Some(wire) => {
                wire.busy.begin(now);
                let takes = serialization(head.bytes, wire.conditions.rate_bps).unwrap_or(0);
                self.events.push(now + takes, Rank::Departure, from.0, Event::WireFree(link));
            }
            None => {
                let job = Job { link, bytes: head.bytes, enqueued: head.since, head_of_line: now };
                self.medium.offer(now, &mut self.events, from, job);
            }
        }
    }

    /// The last bit of a packet has left for the wire.
    pub(super) fn wire_is_free(&mut self, link: LinkId) {
        let now = self.now;
        let Some(id) = self.link_mut(link).in_service.take() else { return };
        self.record.service(now, link, false);
        let Some(wire) = &mut self.links[link].wire else { return };
        wire.busy.end(now);
        let (delay, lost) = (wire.conditions.delay, wire.channel.chance(wire.conditions.loss));
        let (from, to) = (self.links[link].from, self.links[link].to);
        self.record.attempt(link, lost.then_some(true));
        if lost {
            self.drop_packet(id, Some(link), Cause::Channel, from);
        } else {
            self.hand_over(link, id, to, now + delay);
        }
        self.serve(link);
    }

    /// The receiver of a wireless link got the packet in service.
    pub(super) fn delivered_over_the_air(&mut self, link: LinkId) {
        let Some(id) = self.link_mut(link).in_service.take() else { return };
        if let (Some(copy), Some(packet)) = (self.link_mut(link).on_air.take(), self.packets.get_mut(id)) {
            *packet = copy;
        }
        let (to, now) = (self.links[link].to, self.now);
        self.hand_over(link, id, to, now);
    }

    /// The MAC is done with a packet.
    pub(super) fn radio_is_free(&mut self, link: LinkId, served: Option<Served>, lost: bool, by_channel: bool) {
        let (now, from, to) = (self.now, self.links[link].from, self.links[link].to);
        self.record.service(now, link, false);
        self.link_mut(link).on_air = None;
        if let Some(served) = served {
            let receiver_busy = self.medium.busy_share(now, to);
            let state = self.link_mut(link);
            state.meter.on_told(now, receiver_busy);
            state.meter.on_attempt(false);
            state.meter.on_exchange(now, served.bytes, served.cycle);
            state.meter.on_backoff(served.lost_to_backoff);
            self.record.attempt(link, None);
        }
        if lost {
            if let Some(id) = self.link_mut(link).in_service.take() {
                let cause = if by_channel { Cause::Channel } else { Cause::Retry };
                self.drop_packet(id, Some(link), cause, from);
            }
            self.break_route(link);
        }
        self.serve_radio(from);
    }

    /// Routing takes the link for broken after the MAC dropped a packet.
    fn break_route(&mut self, link: LinkId) {
        let Some(repair) = self.plan.route_repair else { return };
        let from = self.links[link].from;
        self.link_mut(link).broken_until = self.now.saturating_add(repair);
        while let Some(waiting) = self.link_mut(link).fifo.pop() {
            self.drop_packet(waiting.packet, None, Cause::Route, from);
        }
        self.queue_changed(link);
    }

    /// The data frame of the packet in service begins.
    pub(super) fn data_starts(&mut self, link: LinkId, stamps: AirStamps) {
        let Some(id) = self.links[link].in_service else { return };
        self.log(Step::Attempt, id, link);
        self.on_air(link, id, stamps);
    }

    /// A packet gets to the other end of a link at `at`.
    fn hand_over(&mut self, link: LinkId, id: PacketId, to: NodeId, at: Nanos) {
        let Some(packet) = self.packets.get_mut(id) else { return };
        packet.hop = packet.hop.saturating_add(1);
        let (bytes, flow) = (packet.size_bytes, packet.flow);
        let source = self.plan.flows[flow].source;
        let ends_here = !packet.kind.is_forward() && source == to;
        let rank = if ends_here { Rank::Acknowledgement } else { Rank::Arrival };
        self.record.carried(link, bytes);
        self.log(Step::Forwarded, id, link);
        self.arriving += 1;
        self.events.push_of_flow(at, rank, to.0, flow, Event::Arrival(to, id));
    }

    /// A packet is lost.
    fn drop_packet(&mut self, id: PacketId, link: Option<LinkId>, cause: Cause, node: NodeId) {
        let Some(packet) = self.packets.remove(id) else { return };
        self.record.dropped(&packet, link, cause);
        self.record.step(self.now, Step::Dropped(cause), &packet, link, node);
    }

    fn queue_changed(&mut self, link: LinkId) {
        let fifo = &self.links[link].fifo;
        debug_assert!(self.links[link].limit.packets.is_none_or(|limit| fifo.packets() <= limit));
        self.record.queue(self.now, link, fifo.packets(), fifo.bytes());
    }

    fn log(&mut self, step: Step, id: PacketId, link: LinkId) {
        if let Some(packet) = self.packets.get(id) {
            let from = self.links[link].from;
            self.record.step(self.now, step, packet, Some(link), from);
        }
    }

    /// Records that an attempt failed.
    pub(super) fn log_attempt(&mut self, link: LinkId) {
        if let Some(id) = self.links[link].in_service {
            self.log(Step::AttemptFailed, id, link);
        }
    }
}
