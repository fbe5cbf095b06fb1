//! Forwarding: queues, wires, and the hand-over to the medium.

use crate::controller::AirStamps;
use crate::event::{Event, Rank};
use crate::index::{FlowId, LinkId, NodeId};
use crate::medium::{Job, Served};
use crate::network::{Held, InService, Link, PacketId, Waiting};
use crate::packet::PacketKind;
use crate::record::{Cause, Step};
use crate::units::{serialization, Nanos};

use super::Simulation;

impl Simulation {
    /// Sends a packet on its way from a node.
    pub(super) fn forward(&mut self, node: NodeId, id: PacketId) {
        let Some(packet) = self.packets.get(id) else { return };
        let (flow, kind) = (packet.flow, packet.kind);
        if let Some(target) = self.routed_to(flow, kind, node) {
            self.forward_routed(node, id, target);
            return;
        }
        let route = &self.plan.flows[flow].routes[self.flows[flow].route];
        match route.next(&self.plan.links, kind, node) {
            Some(link) => self.enqueue(link, id),
            None => self.drop_packet(id, None, Cause::Route, node),
        }
    }

    /// A packet arrives at a link's queue.
    pub(super) fn enqueue(&mut self, link: LinkId, id: PacketId) {
        self.on_arrival(link, id);
        let Some(packet) = self.packets.get(id) else { return };
        let (kind, flow, begins_here) = (packet.kind, packet.flow, packet.hop == 0);
        let bytes = packet.size_bytes + self.option_bytes(link, flow, kind) + self.control_octets(link);
        let node = self.links[link].from;
        if self.now < self.links[link].broken_until && !self.waits_for_route(link, begins_here) {
            self.drop_packet(id, None, Cause::Route, node);
            return;
        }
        self.expire(node);
        let marks = self.link_mut(link).marks();
        let is_held = self.links[link].wire.is_none() && self.nodes[node].discipline.is_some();
        if !is_held && !self.has_room(link, bytes) {
            self.drop_packet(id, Some(link), Cause::Queue, node);
            return;
        }
        let ecn = kind == PacketKind::Data && self.plan.flows[flow].spec.transport.ecn;
        if let (true, Some(packet)) = (ecn && marks, self.packets.get_mut(id)) {
            packet.congestion_experienced = true;
        }
        let waiting = Waiting { packet: id, flow, bytes, since: self.now };
        self.log(Step::Enqueued, id, link);
        if is_held {
            self.hold_above(node, Held { waiting, link, is_forward: kind.is_forward() });
        } else {
            self.link_mut(link).fifo.push(waiting);
            self.queue_changed(link);
        }
        self.serve(link);
    }

    /// Drops what has waited at a node for longer than its queue allows.
    fn expire(&mut self, node: NodeId) {
        for place in 0..self.nodes[node].lifetimes.len() {
            let Some(&(link, lifetime)) = self.nodes[node].lifetimes.get(place) else { return };
            let born = self.now.saturating_sub(lifetime);
            let before = self.links[link].fifo.packets();
            while let Some(waiting) = self.link_mut(link).fifo.pop_before(born) {
                self.drop_packet(waiting.packet, Some(link), Cause::Queue, node);
            }
            if self.links[link].fifo.packets() < before {
                self.queue_changed(link);
            }
        }
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
    pub(super) fn has_room(&self, link: LinkId, bytes: u32) -> bool {
        let link = &self.links[link];
        let (packets, held_bytes) = held(link);
        link.limit.admits(packets, held_bytes, bytes)
            && (link.wire.is_some() || self.interface_has_room(link.from, bytes))
    }

    /// Whether a packet fits into the queue that a node's wireless links share, if they do.
    pub(super) fn interface_has_room(&self, node: NodeId, bytes: u32) -> bool {
        let Some(limit) = self.nodes[node].interface_limit else { return true };
        let queues = self.nodes[node].radio_links.iter().map(|&link| held(&self.links[link]));
        let messages = self.messages_waiting(node);
        let all = queues.fold(messages, |sum, held| (sum.0 + held.0, sum.1 + held.1));
        limit.admits(all.0, all.1, bytes)
    }

    /// Starts service on a link whose wire or radio is free.
    fn serve(&mut self, link: LinkId) {
        let from = self.links[link].from;
        if self.links[link].wire.is_some() {
            if self.links[link].in_service.is_empty() {
                self.expire(from);
                self.depart(link);
            }
        } else if self.medium.is_free(from) {
            self.serve_radio(from);
        }
    }

    /// Gives a radio the packet that has waited longest in any of its queues.
    pub(super) fn serve_radio(&mut self, node: NodeId) {
        self.expire(node);
        self.fill(node);
        let whole = |link: &&LinkId| self.links[**link].broken_until <= self.now;
        let links = self.nodes[node].radio_links.iter().filter(whole);
        let heads = links.filter_map(|&link| Some((self.links[link].fifo.head()?.since, link)));
        let first = heads.min();
        if self.message_goes_first(node, first.map(|(since, _)| since)) {
            self.send_message(node);
        } else if let Some((_, link)) = first {
            self.depart(link);
        }
    }

    /// Takes the packet at the head of a queue into service.
    fn depart(&mut self, link: LinkId) {
        let Some((head, number)) = self.take_into_service(link) else { return };
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
                let job = Job { link, number, bytes: head.bytes, enqueued: head.since, head_of_line: now };
                self.medium.offer(now, &mut self.events, from, job);
            }
        }
    }

    /// Moves the packet at the head of a queue into service; returns it and its number on the link.
    fn take_into_service(&mut self, link: LinkId) -> Option<(Waiting, u64)> {
        let head = *self.links[link].fifo.head()?;
        self.on_departure(link, head.packet);
        let now = self.now;
        let state = self.link_mut(link);
        state.fifo.pop();
        let number = state.served;
        state.served += 1;
        state.in_service.push_back(InService {
            packet: head.packet,
            number,
            bytes: head.bytes,
            enqueued: head.since,
            head_of_line: now,
            on_air: None,
            arrived: false,
        });
        self.queue_changed(link);
        if self.links[link].wire.is_none() {
            self.fill(self.links[link].from);
        }
        Some((head, number))
    }

    /// Takes into service what the A-MPDU that a node is about to send has room for.
    pub(super) fn aggregate(&mut self, node: NodeId, link: LinkId) {
        self.expire(node);
        while let Some(&next) = self.links[link].fifo.head() {
            if !self.medium.admits(node, link, self.links[link].served, next.bytes) {
                return;
            }
            let Some((head, number)) = self.take_into_service(link) else { return };
            self.log(Step::Dequeued, head.packet, link);
            let job = Job { link, number, bytes: head.bytes, enqueued: head.since, head_of_line: self.now };
            self.medium.add(node, &job);
        }
    }

    /// The last bit of a packet has left for the wire.
    pub(super) fn wire_is_free(&mut self, link: LinkId) {
        let now = self.now;
        let Some(InService { packet: id, .. }) = self.link_mut(link).in_service.pop_front() else { return };
        self.record.service(now, link, false);
        let Some(wire) = &mut self.links[link].wire else { return };
        wire.busy.end(now);
        let (delay, lost) = (wire.conditions.delay, wire.channel.chance(wire.conditions.loss));
        let (from, to) = (self.links[link].from, self.links[link].to);
        self.record.attempts(link, 1, lost.then_some(true));
        if lost {
            self.drop_packet(id, Some(link), Cause::Channel, from);
        } else {
            self.hand_over(link, id, to, now + delay);
        }
        self.serve(link);
    }

    /// The receiver of a wireless link got a packet in service; it hands packets on in order.
    pub(super) fn delivered_over_the_air(&mut self, link: LinkId, number: u64) {
        if let Some(served) = self.link_mut(link).in_service.iter_mut().find(|served| served.number == number) {
            served.arrived = true;
        }
        self.release(link);
    }

    /// Hands on what has arrived on a wireless link and misses none before it.
    fn release(&mut self, link: LinkId) {
        let (to, now) = (self.links[link].to, self.now);
        while self.links[link].in_service.front().is_some_and(|first| first.arrived) {
            let Some(InService { packet: id, on_air, .. }) = self.link_mut(link).in_service.pop_front() else { return };
            if let (Some(copy), Some(packet)) = (on_air, self.packets.get_mut(id)) {
                *packet = copy;
            }
            self.hand_over(link, id, to, now);
        }
    }

    /// The MAC gives up one of several packets in service; those behind it wait for it no longer.
    pub(super) fn give_up(&mut self, link: LinkId, number: u64, by_channel: bool) {
        let from = self.links[link].from;
        let served = &mut self.link_mut(link).in_service;
        let place = served.iter().position(|served| served.number == number);
        if let Some(InService { packet, .. }) = place.and_then(|place| served.remove(place)) {
            self.drop_packet(packet, Some(link), if by_channel { Cause::Channel } else { Cause::Retry }, from);
        }
        self.release(link);
        self.break_route(link);
    }

    /// An attempt succeeded; `served`: what it took, unless nothing was sent in it.
    pub(super) fn measure(&mut self, link: LinkId, served: Option<Served>) {
        let now = self.now;
        if let Some(served) = served {
            let receiver_busy = self.medium.busy_share(now, self.links[link].to);
            let meter = &mut self.link_mut(link).meter;
            meter.on_told(now, receiver_busy);
            meter.on_attempt(false);
            meter.on_exchange(now, served.bytes, served.cycle);
            meter.on_backoff(served.lost_to_backoff);
        }
    }

    /// The MAC is done with a packet.
    pub(super) fn radio_is_free(&mut self, link: LinkId, served: Option<Served>, lost: bool, by_channel: bool) {
        let (now, from) = (self.now, self.links[link].from);
        self.record.service(now, link, false);
        if served.is_some() {
            self.measure(link, served);
            self.record.attempts(link, 1, None);
        }
        let was_probe = std::mem::take(&mut self.link_mut(link).is_probed);
        if lost && !was_probe {
            if let Some(InService { packet: id, .. }) = self.link_mut(link).in_service.pop_front() {
                let cause = if by_channel { Cause::Channel } else { Cause::Retry };
                self.drop_packet(id, Some(link), cause, from);
            }
            self.break_route(link);
        }
        self.serve_radio(from);
    }

    /// Routing takes the link for broken after the MAC dropped a packet; what waits for it is lost.
    fn break_route(&mut self, link: LinkId) {
        let Some(repair) = self.plan.route_repair else { return };
        let from = self.links[link].from;
        let until = self.now.saturating_add(repair);
        self.link_mut(link).broken_until = if self.plan.route_repair_holds { Nanos::MAX } else { until };
        while let Some(waiting) = self.link_mut(link).fifo.pop() {
            self.drop_packet(waiting.packet, None, Cause::Route, from);
        }
        self.queue_changed(link);
    }

    /// Whether a packet that needs a broken link waits for its repair, which the first one begins.
    fn waits_for_route(&mut self, link: LinkId, begins_here: bool) -> bool {
        let (Some(repair), true) = (self.plan.route_repair, self.plan.route_repair_holds) else { return false };
        if self.links[link].broken_until == Nanos::MAX {
            let (until, from) = (self.now.saturating_add(repair), self.links[link].from);
            self.link_mut(link).broken_until = until;
            self.events.push(until, Rank::Departure, from.0, Event::Repaired(from));
        }
        begins_here
    }

    /// A node has found a route again: what waited for it is served.
    pub(super) fn route_is_repaired(&mut self, node: NodeId) {
        if self.medium.is_free(node) {
            self.serve_radio(node);
        }
    }

    /// The data frame of the packets in service begins.
    pub(super) fn data_starts(&mut self, link: LinkId, stamps: AirStamps) {
        let missing = |served: &&InService| !served.arrived;
        let whole: u64 = self.links[link].in_service.iter().filter(missing).map(|served| u64::from(served.bytes)).sum();
        for place in 0..self.links[link].in_service.len() {
            let Some(served) = self.links[link].in_service.get(place) else { return };
            if served.arrived {
                continue;
            }
            let (id, part) = (served.packet, u64::from(served.bytes));
            let stamps = AirStamps {
                enqueued: served.enqueued,
                head_of_line: served.head_of_line,
                // Its share of the A-MPDU.
                data_airtime: if part == whole {
                    stamps.data_airtime
                } else {
                    stamps.data_airtime * part / whole.max(1)
                },
                ..stamps
            };
            self.log(Step::Attempt, id, link);
            self.on_air(link, id, stamps);
        }
    }

    /// A packet gets to the other end of a link at `at`.
    fn hand_over(&mut self, link: LinkId, id: PacketId, to: NodeId, at: Nanos) {
        let Some(packet) = self.packets.get_mut(id) else { return };
        packet.hop = packet.hop.saturating_add(1);
        let (bytes, flow) = (packet.size_bytes, packet.flow);
        let source = self.plan.flows[flow].source;
        let ends_here = !packet.kind.is_forward() && source == to;
        let rank = if ends_here { Rank::Acknowledgement } else { Rank::Arrival };
        if to == self.plan.flows[flow].destination {
            self.flows[flow].came_by = Some(link);
        }
        self.record.carried(link, bytes);
        self.log(Step::Forwarded, id, link);
        self.arriving += 1;
        self.events.push_of_flow(at, rank, to.0, flow, Event::Arrival(to, id));
    }

    /// A packet is lost.
    pub(super) fn drop_packet(&mut self, id: PacketId, link: Option<LinkId>, cause: Cause, node: NodeId) {
        let Some(packet) = self.packets.remove(id) else { return };
        self.record.dropped(&packet, link, cause);
        self.record.step(self.now, Step::Dropped(cause), &packet, link, node);
    }

    pub(super) fn queue_changed(&mut self, link: LinkId) {
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
        for place in 0..self.links[link].in_service.len() {
            if let Some(&InService { packet, arrived: false, .. }) = self.links[link].in_service.get(place) {
                self.log(Step::AttemptFailed, packet, link);
            }
        }
    }
}

/// Packets and bytes that take room in a link's queue: what shares an A-MPDU with the packet in service does until it is
/// acknowledged.
fn held(link: &Link) -> (u32, u64) {
    let others = || link.in_service.iter().skip(1);
    (
        link.fifo.packets() + others().count() as u32,
        link.fifo.bytes() + others().map(|one| u64::from(one.bytes)).sum::<u64>(),
    )
}
