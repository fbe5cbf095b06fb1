//! Changes of the world over time.

use std::sync::Arc;

use crate::event::{Event, Rank};
use crate::index::{LinkId, NodeId};
use crate::measure::LinkMeter;
use crate::plan::PlannedChange;
use crate::world::LinkChange;

use super::Simulation;

impl Simulation {
    /// A declared change takes place.
    pub(super) fn change(&mut self, index: usize) {
        let Some((_, change)) = self.plan.changes.get(index) else { return };
        match change.clone() {
            PlannedChange::Link(link, change) => self.change_link(link, &change),
            PlannedChange::Hearing(audibility) => self.medium.set_audibility(audibility),
            PlannedChange::Positions => {
                let moved = self.plan.mobility.as_ref().and_then(|mobility| mobility.audibility_at(self.now));
                match moved {
                    Some(audibility) => self.medium.set_audibility(Arc::new(audibility)),
                    None => self.fault = Some(format!("too many nodes within range at {} ns", self.now)),
                }
            }
            PlannedChange::Route(flow, route) => self.flows[flow].route = route,
        }
    }

    /// Background transmissions begin or end at a node; schedules the next edge.
    pub(super) fn background(&mut self, node: NodeId) {
        let now = self.now;
        let intervals = &self.plan.nodes[node].background;
        let next = intervals.partition_point(|&(start, _)| start <= now);
        let current = next.checked_sub(1).map(|index| intervals[index]).filter(|&(_, end)| end > now);
        let edge = current.map(|(_, end)| end).or_else(|| intervals.get(next).map(|&(start, _)| start));
        if let Some(at) = edge {
            self.events.push(at, Rank::World, node.0, Event::Background(node));
        }
        self.medium.set_background(now, &mut self.events, node, current.is_some());
    }

    fn change_link(&mut self, link: LinkId, change: &LinkChange) {
        if let Some(wire) = &mut self.links[link].wire {
            wire.conditions.rate_bps = change.rate_bps.unwrap_or(wire.conditions.rate_bps);
            wire.conditions.loss = change.loss.unwrap_or(wire.conditions.loss);
            let rate_bps = wire.conditions.rate_bps;
            self.link_mut(link).meter = LinkMeter::configured(rate_bps);
        } else if let Some(radio) = self.medium.conditions_mut(link) {
            radio.rate_bps = change.rate_bps.unwrap_or(radio.rate_bps);
            radio.loss = change.loss.unwrap_or(radio.loss);
            radio.control_loss = change.control_loss.unwrap_or(radio.control_loss);
            if let Some(airtimes) = &change.airtimes {
                radio.airtimes.clone_from(airtimes);
            }
        }
    }
}
