//! The event loop: each event in turn acts on flows, routers, queues and the medium.
//!
//! Only [`Simulation::run`] advances time. All events go through one queue, whose order for simultaneous events is
//! fixed, so that a seed gives the same run on every machine.

mod changes;
mod conservation;
mod controlled;
mod discipline;
mod ends;
mod forwarding;
mod octets;
mod outcome;
mod probing;
mod routers;
mod routing;
mod setup;
mod uncontrolled;

pub(crate) use setup::{link_airtimes, mac_setup, who_decodes_whom};

use crate::controller::Controller;
use crate::cross_layer::CrossLayer;
use crate::event::{Event, EventQueue};
use crate::index::{FlowId, IndexVec, LinkId, NodeId};
use crate::medium::{MacIndication, Medium};
use crate::network::{Link, Node, Packets};
use crate::plan::Plan;
use crate::record::{Outcome, Recorder};
use crate::transport::{DataReceiver, Sender};
use crate::units::Nanos;
use crate::world::{World, WorldError};

use routing::Routing;

/// Most events that may happen at one instant: more means that time stands still.
const MAX_SIMULTANEOUS: u64 = 10_000_000;

/// Events between two checks for an interrupt: well below a millisecond.
const EVENTS_BETWEEN_CHECKS: u64 = 512;

/// A run, ready to start.
///
/// ```
/// use winf_engine::simulation::Simulation;
/// use winf_engine::world::{FlowSpec, LinkSpec, NodeSpec, Source, World};
///
/// let nodes = vec![NodeSpec::new("a"), NodeSpec::new("b")];
/// let mut world = World::new("pair", nodes, vec![LinkSpec::wireless("a", "b", 11_000_000)]);
/// let source = Source::Cbr { rate_bps: 1_000_000 };
/// world.flows.push(FlowSpec::new("voice", ["a", "b"]).with_source(source).unacknowledged());
/// world.duration_ns = 1_000_000_000;
///
/// let outcome = Simulation::new(&world, &[], 1)?.run();
/// assert!(outcome.conservation.holds());
/// assert_eq!(outcome.flows.received_packets[0], outcome.flows.sent_packets[0]);
/// # Ok::<(), winf_engine::world::WorldError>(())
/// ```
pub struct Simulation {
    plan: Plan,
    seed: u64,
    now: Nanos,
    events: EventQueue,
    medium: Medium,
    packets: Packets,
    nodes: IndexVec<NodeId, Node>,
    links: IndexVec<LinkId, Link>,
    flows: IndexVec<FlowId, Flow>,
    record: Recorder,
    /// The routing protocol, where nodes run one.
    routing: Option<Routing>,
    /// Packets in arrival events.
    arriving: usize,
    fault: Option<String>,
}

/// The state of a flow.
struct Flow {
    /// Which of its routes it takes.
    route: usize,
    /// The link by which its last packet reached the destination, where nodes run a routing protocol.
    came_by: Option<LinkId>,
    controller: Option<String>,
    sender: Sender,
    receiver: DataReceiver,
    /// When the next call of the sender's timers is scheduled for.
    sender_wakes_at: Option<Nanos>,
    /// When the next call of the receiver's timer is scheduled for.
    receiver_wakes_at: Option<Nanos>,
    completed_at: Option<Nanos>,
}

impl Simulation {
    /// Prepares a run. `controllers` are those that flows name by index; a flow that names none is controlled by the
    /// first, or by nothing if its destination sends no acknowledgements.
    ///
    /// # Errors
    ///
    /// The first thing in the world that cannot be run.
    pub fn new(world: &World, controllers: &[Box<dyn Controller>], seed: u64) -> Result<Self, WorldError> {
        setup::simulation(Plan::new(world)?, controllers, seed)
    }

    /// Runs to the end; returns the results.
    #[must_use]
    pub fn run(self) -> Outcome {
        self.run_while(|| true)
    }

    /// Runs to the end, or until `go_on`, which is called every few hundred events, returns false; [`Outcome::fault`] then
    /// says that the run was stopped.
    #[must_use]
    pub fn run_while(mut self, mut go_on: impl FnMut() -> bool) -> Outcome {
        let (mut instant, mut simultaneous, mut total) = (0, 0, 0_u64);
        // The first event of the last instant closes the last bin; what else would happen then does not.
        while self.now < self.plan.duration && self.fault.is_none() {
            let Some((at, event)) = self.events.pop() else { break };
            debug_assert!(at >= self.now, "time runs backwards");
            self.now = at;
            self.act(event);
            total += 1;
            if at != instant {
                (instant, simultaneous) = (at, 0);
            }
            simultaneous += 1;
            if simultaneous > MAX_SIMULTANEOUS {
                self.fault = Some(format!("more than {MAX_SIMULTANEOUS} events at {at} ns: time stood still"));
            }
            if total.is_multiple_of(EVENTS_BETWEEN_CHECKS) && !go_on() {
                self.fault = Some(format!("stopped at {at} ns"));
            }
        }
        self.into_outcome(total)
    }

    #[inline(always)]
    fn act(&mut self, event: Event) {
        let now = self.now;
        match event {
            Event::Change(index) => self.change(index as usize),
            Event::Background(node) => self.background(node),
            Event::FrameEnd(transmission) => self.medium.frame_ends(now, &mut self.events, transmission),
            Event::WireFree(link) => self.wire_is_free(link),
            Event::Repaired(node) => self.route_is_repaired(node),
            Event::NavEnd(node) => self.medium.nav_ends(now, &mut self.events, node),
            Event::NavReset(node, set_at) => self.medium.nav_resets(now, &mut self.events, node, set_at),
            Event::Arrival(node, packet) => self.arrive(node, packet),
            Event::Router(node) => self.router_timer(node),
            Event::Routing(node) => self.routing_timer(node),
            Event::Probe(link) => self.probe(link),
            Event::Source(flow) => self.source_timer(flow),
            Event::Destination(flow) => self.destination_timer(flow),
            Event::ResponseTimeout(node, attempt) => {
                self.medium.response_timeout(now, &mut self.events, node, attempt);
            }
            Event::Response(node) => self.medium.respond(now, &mut self.events, node),
            Event::Access(node) => {
                if let Some(link) = self.medium.assembles(now, node) {
                    self.aggregate(node, link);
                }
                self.medium.access(now, &mut self.events, node);
            }
            Event::Bin => self.bin_is_full(),
        }
        while let Some(indication) = self.medium.next_indication() {
            self.act_on(indication);
        }
    }

    fn act_on(&mut self, indication: MacIndication) {
        match indication {
            MacIndication::FrameStarts(link, transmission) => self.attach_report(link, transmission),
            MacIndication::DataStarts(link, stamps) => self.data_starts(link, stamps),
            MacIndication::Delivered { link, number } => self.delivered_over_the_air(link, number),
            MacIndication::AttemptFailed { link, packets, by_channel } => {
                self.record.attempts(link, packets, Some(by_channel));
                self.link_mut(link).meter.on_attempt(true);
                self.log_attempt(link);
            }
            MacIndication::Acknowledged { link, served, arrived, failed, by_channel } => {
                self.record.attempts(link, arrived, None);
                self.record.attempts(link, failed, Some(by_channel));
                self.measure(link, served);
            }
            MacIndication::GivenUp { link, number, by_channel } => self.give_up(link, number, by_channel),
            MacIndication::Broadcast(node, from) => self.hear_message(node, from),
            MacIndication::Done { link, .. } if self.links.get(link).is_none() => self.message_is_sent(link),
            MacIndication::Done { link, served, lost, by_channel } => {
                self.radio_is_free(link, served, lost, by_channel);
            }
            MacIndication::Overheard(node, from, report) => self.overhear(node, from, &report),
        }
    }

    /// The cross-layer measurements of a link.
    fn cross_layer(&mut self, link: LinkId) -> CrossLayer {
        cross_layer(self.now, link, &mut self.links[link], &mut self.medium)
    }

    fn link_mut(&mut self, link: LinkId) -> &mut Link {
        &mut self.links[link]
    }

    fn node(&mut self, node: NodeId) -> &mut Node {
        &mut self.nodes[node]
    }
}

/// The cross-layer measurements of a link.
fn cross_layer(now: Nanos, id: LinkId, link: &mut Link, medium: &mut Medium) -> CrossLayer {
    match &mut link.wire {
        Some(wire) => link.meter.read(now, wire.busy.share(now)),
        None => {
            let seen = link.meter.read(now, medium.busy_share(now, link.from));
            CrossLayer { printed: medium.printed(link.from, id), ..seen }
        }
    }
}

#[cfg(test)]
mod tests;
