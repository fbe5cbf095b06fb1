//! Routers: their hooks, timers and view of the links.

use std::sync::Arc;

use crate::controller::{AirStamps, LinkView, NeighbourReport, NodeView, OnAir, Router, Sight};
use crate::event::{Event, Rank};
use crate::index::{LinkId, LocalLink, NodeId, TransmissionId};
use crate::network::{Node, PacketId};
use crate::packet::Packet;
use crate::world::CongestionHeaders;

use super::{cross_layer, Simulation};

impl Simulation {
    /// A packet arrives at a link's queue.
    pub(super) fn on_arrival(&mut self, link: LinkId, id: PacketId) {
        let now = self.now;
        self.with_routers(link, id, |router, view, local, packet| router.on_arrival(now, view, local, packet));
        self.note_congestion(link);
    }

    /// Records whether a router of the link's node takes it for congested.
    pub(super) fn note_congestion(&mut self, link: LinkId) {
        let (node, local) = (self.links[link].from, self.links[link].local);
        let said = self.nodes[node].routers.iter().filter_map(|router| router.is_congested(self.now, local));
        if let Some(congested) = said.reduce(|any, one| any || one) {
            self.record.congested(self.now, link, congested);
        }
    }

    /// A packet is about to be handed to the MAC or the wire.
    pub(super) fn on_departure(&mut self, link: LinkId, id: PacketId) {
        let now = self.now;
        self.read_store(self.links[link].from);
        self.with_routers(link, id, |router, view, local, packet| router.on_departure(now, view, local, packet));
    }

    /// An attempt starts: routers write on a copy, which reaches the receiver if this attempt does.
    pub(super) fn on_air(&mut self, link: LinkId, id: PacketId, stamps: AirStamps) {
        let (node, local) = (self.links[link].from, self.links[link].local);
        if self.nodes[node].routers.is_empty() {
            return;
        }
        let Some(&original) = self.packets.get(id) else { return };
        let mut copy = original;
        self.refresh_views(node, Some(local));
        let Self { nodes, .. } = self;
        let state = &mut nodes[node];
        let view = NodeView { links: &state.views };
        let mut dropped = false;
        for router in &mut state.routers {
            dropped |= router.on_air(&view, local, stamps, &mut copy) == OnAir::Dropped;
        }
        if dropped {
            self.medium.is_not_understood(node);
        }
        if let Some(served) = self.link_mut(link).in_service.iter_mut().find(|served| served.packet == id) {
            served.on_air = Some(copy);
        }
        self.arm_router(node);
    }

    /// A router's timer fires.
    pub(super) fn router_timer(&mut self, node: NodeId) {
        let now = self.now;
        if self.node(node).timer_at != Some(now) {
            return;
        }
        self.node(node).timer_at = None;
        self.read_store(node);
        self.refresh_views(node, None);
        let state = self.node(node);
        let view = NodeView { links: &state.views };
        for router in state.routers.iter_mut().filter(|router| router.next_timer().is_some_and(|at| at <= now)) {
            router.on_timer(now, &view);
        }
        self.arm_router(node);
    }

    /// A node begins a frame on a link: attaches the neighbour report of its routers.
    pub(super) fn attach_report(&mut self, link: LinkId, transmission: TransmissionId) {
        let (node, local) = (self.links[link].from, self.links[link].local);
        let report = self.node(node).routers.iter().find_map(|router| router.neighbour_report(local));
        if let Some(report) = report {
            self.medium.attach(transmission, Arc::new(report));
        }
    }

    /// A node decoded a frame that carried a neighbour report.
    pub(super) fn overhear(&mut self, node: NodeId, from: NodeId, report: &NeighbourReport) {
        let now = self.now;
        for router in &mut self.node(node).routers {
            router.on_overheard(now, from, report);
        }
        self.arm_router(node);
    }

    /// What routers have to tell with the next packet on a wireless link, if such octets count.
    pub(super) fn control_octets(&mut self, link: LinkId) -> u32 {
        let (node, local) = (self.links[link].from, self.links[link].local);
        if self.links[link].wire.is_some() || self.plan.congestion_headers == CongestionHeaders::Free {
            return 0;
        }
        self.node(node).routers.iter_mut().map(|router| router.control_octets(local)).sum()
    }

    /// Brings to a node what a central store has of the nodes around: their reports, and before those what has been
    /// reported to them.
    fn read_store(&mut self, node: NodeId) {
        for from in self.reads_reports_of(node) {
            for beyond in self.reads_reports_of(from) {
                self.hand_report(beyond, from);
            }
            self.hand_report(from, node);
        }
    }

    fn reads_reports_of(&self, node: NodeId) -> Vec<NodeId> {
        self.nodes[node].routers.iter().flat_map(|router| router.reads_reports_of()).copied().collect()
    }

    fn hand_report(&mut self, from: NodeId, node: NodeId) {
        let now = self.now;
        let report = self.nodes[from].routers.iter().find_map(|router| router.neighbour_report(LocalLink(0)));
        let Some(report) = report else { return };
        for router in &mut self.node(node).routers {
            router.on_overheard(now, from, &report);
        }
    }

    /// Schedules the next call of a node's timers.
    pub(super) fn arm_router(&mut self, node: NodeId) {
        let now = self.now;
        let state = self.node(node);
        let Some(at) = state.routers.iter().filter_map(|router| router.next_timer()).min() else { return };
        let at = at.max(now);
        if state.timer_at.is_none_or(|scheduled| at < scheduled) {
            state.timer_at = Some(at);
            self.events.push(at, Rank::Router, node.0, Event::Router(node));
        }
    }

    /// Shows a packet and its link to the routers of the link's node.
    fn with_routers(
        &mut self,
        link: LinkId,
        id: PacketId,
        mut ask: impl FnMut(&mut dyn Router, &NodeView, LocalLink, &mut Packet),
    ) {
        let (node, local) = (self.links[link].from, self.links[link].local);
        if self.nodes[node].routers.is_empty() {
            return;
        }
        self.refresh_views(node, Some(local));
        let Self { nodes, packets, .. } = self;
        let state = &mut nodes[node];
        let Some(packet) = packets.get_mut(id) else { return };
        let view = NodeView { links: &state.views };
        state.routers.iter_mut().for_each(|router| ask(router.as_mut(), &view, local, packet));
        self.arm_router(node);
    }

    /// Brings up to date what the routers of a node look at when a packet passes on `link`, or when a timer fires.
    fn refresh_views(&mut self, node: NodeId, link: Option<LocalLink>) {
        let Self { now, nodes, links, medium, .. } = self;
        let Node { links: ids, routers, views, .. } = &mut nodes[node];
        let mut see = |local: LocalLink| {
            let link = &mut links[ids[local]];
            let cross_layer = cross_layer(*now, ids[local], link, medium);
            views[local] = LinkView { queue_bytes: link.fifo.bytes(), queue_packets: link.fifo.packets(), cross_layer };
        };
        if routers.iter().any(|router| router.look(*now, link, &mut see) == Sight::All) {
            ids.ids().for_each(see);
        }
    }
}
