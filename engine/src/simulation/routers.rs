//! Routers: what they see, and when they are asked.

use std::sync::Arc;

use crate::controller::{AirStamps, Bulletin, LinkView, NodeView, Router};
use crate::event::{Event, Rank};
use crate::packet::{LinkId, NodeId, Packet};

use super::Simulation;

impl Simulation {
    /// A packet asks for a place in a link's queue.
    pub(super) fn on_arrival(&mut self, link: LinkId, place: u32) {
        let now = self.now;
        self.ask_about(link, place, |router, view, index, packet| router.on_arrival(now, view, index, packet));
    }

    /// A packet is about to be handed to the MAC or the wire.
    pub(super) fn on_departure(&mut self, link: LinkId, place: u32) {
        let now = self.now;
        self.ask_about(link, place, |router, view, index, packet| router.on_departure(now, view, index, packet));
    }

    /// An attempt starts: routers write on a copy, which reaches the receiver if this attempt does.
    pub(super) fn on_air(&mut self, link: LinkId, place: u32, stamps: AirStamps) {
        let (node, index) = (self.links[link.0 as usize].from, self.links[link.0 as usize].place);
        if self.nodes[node.0 as usize].routers.is_empty() {
            return;
        }
        let Some(&original) = self.packets.get(place) else { return };
        let mut copy = original;
        self.refresh_views(node);
        let Self { nodes, .. } = self;
        let state = &mut nodes[node.0 as usize];
        let view = NodeView { links: &state.views };
        state.routers.iter_mut().for_each(|router| router.on_air(&view, index, stamps, &mut copy));
        self.link_mut(link).on_air = Some(copy);
        self.arm_router(node);
    }

    /// A router's time has come.
    pub(super) fn router_timer(&mut self, node: NodeId) {
        let now = self.now;
        if self.node(node).timer_at != Some(now) {
            return;
        }
        self.node(node).timer_at = None;
        self.refresh_views(node);
        let state = self.node(node);
        let view = NodeView { links: &state.views };
        for router in state.routers.iter_mut().filter(|router| router.next_timer().is_some_and(|at| at <= now)) {
            router.on_timer(now, &view);
        }
        self.arm_router(node);
    }

    /// A node begins a frame: puts on it what its routers tell everyone.
    pub(super) fn put_bulletin(&mut self, node: NodeId, place: u32) {
        let bulletin = self.node(node).routers.iter().find_map(|router| router.bulletin());
        if let Some(bulletin) = bulletin {
            self.medium.attach(place, Arc::new(bulletin));
        }
    }

    /// A node decoded a frame that carried a bulletin.
    pub(super) fn overhear(&mut self, node: NodeId, from: NodeId, bulletin: &Bulletin) {
        let now = self.now;
        for router in &mut self.node(node).routers {
            router.on_overheard(now, from, bulletin);
        }
        self.arm_router(node);
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
    fn ask_about(
        &mut self,
        link: LinkId,
        place: u32,
        mut ask: impl FnMut(&mut dyn Router, &NodeView, usize, &mut Packet),
    ) {
        let (node, index) = (self.links[link.0 as usize].from, self.links[link.0 as usize].place);
        if self.nodes[node.0 as usize].routers.is_empty() {
            return;
        }
        self.refresh_views(node);
        let Self { nodes, packets, .. } = self;
        let state = &mut nodes[node.0 as usize];
        let Some(packet) = packets.get_mut(place) else { return };
        let view = NodeView { links: &state.views };
        state.routers.iter_mut().for_each(|router| ask(router.as_mut(), &view, index, packet));
        self.arm_router(node);
    }

    /// Brings what routers see of a node's links up to date.
    fn refresh_views(&mut self, node: NodeId) {
        for index in 0..self.nodes[node.0 as usize].links.len() {
            let link = self.nodes[node.0 as usize].links[index];
            let cross_layer = self.cross_layer(link);
            let fifo = &self.links[link.0 as usize].fifo;
            let view = LinkView { queue_bytes: fifo.bytes(), queue_packets: fifo.packets(), cross_layer };
            self.nodes[node.0 as usize].views[index] = view;
        }
    }
}
