//! Probes: frames without a packet, sent so that the exchange is measured.

use std::collections::BTreeSet;

use crate::event::{Event, Rank};
use crate::index::LinkId;
use crate::medium::Job;
use crate::plan::{LinkKind, Plan};

use super::Simulation;

/// The wireless links of the flows that are probed; those that aggregate are not, as their exchanges are not alike.
pub(super) fn probed_links(plan: &Plan) -> Vec<LinkId> {
    let routes = plan.flows.iter().flat_map(|flow| &flow.routes);
    let links: BTreeSet<_> = routes.flat_map(|route| route.forward.iter().copied()).collect();
    let single = |link: &LinkId| match &plan.links[*link].kind {
        LinkKind::Radio(radio) => radio.max_ampdu_bytes == 0,
        LinkKind::Wire(_) => false,
    };
    plan.probing.iter().flat_map(|_| links.iter().copied().filter(single)).collect()
}

impl Simulation {
    /// The time has come to see whether a link is to be probed.
    pub(super) fn probe(&mut self, link: LinkId) {
        let (now, from) = (self.now, self.links[link].from);
        let Some(probing) = self.plan.probing else { return };
        let serves_until = self.links[link].meter.measured_at().map(|at| at + probing.interval_ns);
        let known_until = serves_until.filter(|&until| until > now);
        if known_until.is_none() && self.medium.is_free(from) && self.medium.reaches(from, self.links[link].to) {
            let state = self.link_mut(link);
            let job = Job { link, number: state.served, bytes: probing.bytes, enqueued: now, head_of_line: now };
            state.served += 1;
            state.is_probed = true;
            self.record.service(now, link, true);
            self.medium.offer(now, &mut self.events, from, job);
        }
        let next = known_until.unwrap_or(now + probing.interval_ns);
        self.events.push(next, Rank::Router, from.0, Event::Probe(link));
    }
}
