//! Bins that are full, and what is left at the end.

use crate::event::{Event, Rank};
use crate::packet::LinkId;
use crate::record::{FlowState, Outcome};

use super::Simulation;

impl Simulation {
    /// Closes a bin and schedules the end of the next.
    pub(super) fn close_bin(&mut self) {
        let _ = self.conservation();
        let flows = self.flow_states();
        let links: Vec<_> = (0..self.links.len()).map(|link| self.cross_layer(LinkId(link as u32))).collect();
        self.record.close_bin(self.now, &flows, &links);
        let next = (self.now + self.plan.record.bin_ns).min(self.plan.duration);
        if next > self.now {
            self.events.push(next, Rank::Record, 0, Event::Bin);
        }
    }

    /// What the run leaves behind.
    pub(super) fn into_outcome(mut self, loop_events: u64) -> Outcome {
        // What happens at the last instant comes after the last bin.
        self.now = if self.fault.is_some() { self.now } else { self.plan.duration };
        let conservation = self.conservation();
        let states = self.flow_states();
        let controllers: Vec<_> = self.flows.iter().map(|flow| flow.controller.clone()).collect();
        let completed: Vec<_> = self.flows.iter().map(|flow| flow.completed_at).collect();
        let (flows, links, flow_bins, link_bins, events) =
            self.record.finish(&self.plan, &controllers, &completed, &states);
        Outcome {
            seed: self.seed,
            duration: self.plan.duration,
            bin: self.plan.record.bin_ns,
            flows,
            links,
            flow_bins,
            link_bins,
            events,
            conservation,
            loop_events,
            fault: self.fault,
        }
    }

    fn flow_states(&self) -> Vec<FlowState> {
        let state = |flow: &super::Flow| FlowState {
            sender: flow.sender.stats(),
            delivered_bytes: flow.receiver.delivered_bytes(),
        };
        self.flows.iter().map(state).collect()
    }
}
