//! Closing bins, and the results at the end.

use crate::cross_layer::CrossLayer;
use crate::event::{Event, Rank};
use crate::index::{FlowId, IndexVec};
use crate::record::{FlowState, Outcome};

use super::{Flow, Simulation};

impl Simulation {
    /// The bin is full: closes it and schedules the end of the next.
    pub(super) fn bin_is_full(&mut self) {
        self.close_bin();
        let next = (self.now + self.plan.record.bin_ns).min(self.plan.duration);
        if next > self.now {
            self.events.push(next, Rank::Record, 0, Event::Bin);
        }
    }

    /// What the run leaves behind.
    pub(super) fn into_outcome(mut self, loop_events: u64) -> Outcome {
        // A run that was stopped leaves a bin open.
        self.close_bin();
        let conservation = self.conservation();
        let packet_events = self.record.steps;
        let (flows, links, tables) = self.record.finish(&self.plan, &flow_states(&self.flows));
        Outcome {
            seed: self.seed,
            duration: self.plan.duration,
            bin: self.plan.record.bin_ns,
            flows,
            links,
            flow_bins: tables.flow_bins,
            link_bins: tables.link_bins,
            events: tables.events,
            conservation,
            packet_events,
            loop_events,
            fault: self.fault,
        }
    }

    fn close_bin(&mut self) {
        debug_assert!(self.conservation().holds());
        let mut links: Vec<_> = self.links.ids().map(|link| self.cross_layer(link)).collect();
        // Nothing is measured of broadcasts.
        let broadcasts = self.routing.as_ref().map_or(0, |_| self.nodes.len());
        links.resize(links.len() + broadcasts, CrossLayer::default());
        self.record.close_bin(self.now, &flow_states(&self.flows), &links);
        // What a controller knows of a link expires while nothing passes.
        let ids: Vec<_> = self.links.ids().collect();
        ids.into_iter().for_each(|link| self.note_congestion(link));
    }
}

fn flow_states(flows: &IndexVec<FlowId, Flow>) -> Vec<FlowState> {
    let state = |flow: &Flow| FlowState {
        controller: flow.controller.clone(),
        sender: flow.sender.stats(),
        delivered_bytes: flow.receiver.delivered_bytes(),
        completed_at: flow.completed_at,
    };
    flows.iter().map(state).collect()
}
