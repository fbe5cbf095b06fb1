//! The routing agent of a node.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::index::NodeId;
use crate::random::Stream;
use crate::units::Nanos;
use crate::world::Dsdv;

use super::route::Route;
use super::{Entry, Message, BROKEN};

/// Least and largest share of the period from one full update to the next.
const PERIOD_SHARES: (f64, f64) = (0.75, 1.0);
/// A route is told of after so many settling times.
const SETTLING_TIMES: Nanos = 2;
/// A triggered update becomes a full one if more routes than this are due, and more than one of so many.
const MANY: usize = 3;

/// What a node knows, and what it is about to say.
#[derive(Debug)]
pub(crate) struct Agent {
    node: NodeId,
    spec: Arc<Dsdv>,
    random: Stream,
    sequence: u64,
    routes: BTreeMap<NodeId, Route>,
    /// When the next full update is due.
    full_at: Nanos,
    /// Before this instant it sends no triggered update.
    quiet_until: Nanos,
    /// Updates that wait for a random time before they go to the radio.
    leaving: Vec<(Nanos, Arc<Message>)>,
}

impl Agent {
    /// The agent of a node at the start of a run.
    pub(crate) fn new(node: NodeId, spec: Arc<Dsdv>, mut random: Stream) -> Self {
        let full_at = within(&mut random, spec.startup_ns);
        let routes = BTreeMap::from([(node, Route::own(node, 0, 0))]);
        Self { node, spec, random, sequence: 0, routes, full_at, quiet_until: 0, leaving: Vec::new() }
    }

    /// The neighbour that leads to a destination; `None`: there is no route.
    pub(crate) fn next_hop(&self, destination: NodeId) -> Option<NodeId> {
        self.routes.get(&destination).filter(|route| route.is_usable()).map(|route| route.next)
    }

    /// A packet has come for a destination; one that nobody has told of counts among the routes from now on.
    pub(crate) fn expect(&mut self, destination: NodeId, now: Nanos) {
        let settling = self.spec.settling_ns;
        self.routes.entry(destination).or_insert_with(|| Route::unknown(destination, settling, now));
    }

    /// When to call [`Agent::on_timer`] next.
    pub(crate) fn next_timer(&self) -> Nanos {
        let of_routes = self.routes.values().flat_map(|route| [route.trigger_at, route.silent_at]).flatten();
        of_routes.chain(self.leaving.iter().map(|(at, _)| *at)).fold(self.full_at, Nanos::min)
    }

    /// Does what is due; returns the messages that go to the radio now.
    pub(crate) fn on_timer(&mut self, now: Nanos) -> Vec<Arc<Message>> {
        let is_due = |at: Option<Nanos>| at.is_some_and(|at| at <= now);
        let silent: Vec<_> =
            self.routes.iter().filter(|(_, route)| is_due(route.silent_at)).map(|(&id, _)| id).collect();
        silent.into_iter().for_each(|neighbour| self.is_gone(neighbour, now));
        if self.full_at <= now {
            self.tell(now, true);
        }
        while let Some(destination) = self.routes.iter().find(|(_, route)| is_due(route.trigger_at)).map(|(&id, _)| id)
        {
            self.trigger(now, destination);
        }
        let (due, later) = std::mem::take(&mut self.leaving).into_iter().partition(|&(at, _)| at <= now);
        self.leaving = later;
        let due: Vec<(Nanos, Arc<Message>)> = due;
        due.into_iter().map(|(_, message)| message).collect()
    }

    /// A neighbour's update arrived.
    pub(crate) fn on_message(&mut self, now: Nanos, from: NodeId, message: &Message) {
        for entry in &message.entries {
            let hops = if entry.hops == BROKEN { BROKEN } else { entry.hops + 1 };
            if entry.destination != self.node {
                self.take(now, from, Entry { hops, ..*entry });
            } else if hops == BROKEN {
                // Somebody takes this node for lost: a newer number brings it back.
                self.full_at = now;
            }
        }
        let (settling, periods) = (self.spec.settling_ns, Nanos::from(self.spec.silent_periods));
        let neighbour = self.routes.entry(from).or_insert_with(|| Route::silent_neighbour(from, settling, now));
        neighbour.silent_at = Some(now.saturating_add(periods.saturating_mul(self.spec.period_ns)));
    }

    /// Takes over what a neighbour said of a destination, or not; hops are those from here.
    fn take(&mut self, now: Nanos, from: NodeId, Entry { destination, hops, sequence }: Entry) {
        let Some(&old) = self.routes.get(&destination) else {
            let settling = self.spec.settling_ns;
            let mut new = Route { hops, sequence, next: from, ..Route::unknown(destination, settling, now) };
            new.advertise_at = if new.is_usable() { now + SETTLING_TIMES * settling } else { now };
            new.hops_are_new = new.is_usable();
            new.trigger_at = new.is_usable().then_some(new.advertise_at);
            self.routes.insert(destination, new);
            return;
        };
        let is_newer = sequence > old.sequence;
        if is_newer || (sequence == old.sequence && hops < old.hops) {
            let (settling, numbered_at) =
                if is_newer { (self.settled(&old), now) } else { (old.settling, old.numbered_at) };
            let mut new = Route { hops, sequence, next: from, changed_at: now, numbered_at, settling, ..old };
            new.advertise_at = if new.is_usable() && old.is_usable() { now + SETTLING_TIMES * settling } else { now };
            new.number_is_new |= is_newer;
            new.hops_are_new = hops != old.told_hops;
            if !is_newer && new.hops_are_new {
                new.trigger_at = Some(new.advertise_at);
            }
            self.routes.insert(destination, new);
        } else if sequence < old.sequence && hops == BROKEN && old.is_usable() {
            // The neighbour does not know that there is a route.
            let told = Route { advertise_at: now, hops_are_new: true, trigger_at: Some(now), ..old };
            self.routes.insert(destination, told);
        }
    }

    /// The settling time of a route whose number ends: from when that was first heard to the last change under it.
    fn settled(&self, route: &Route) -> Nanos {
        let weight = self.spec.settling_weight;
        let measured = route.changed_at.saturating_sub(route.numbered_at);
        (weight * route.settling as f64 + (1.0 - weight) * measured as f64) as Nanos
    }

    /// A neighbour has been silent for too long: every route over it is broken.
    fn is_gone(&mut self, neighbour: NodeId, now: Nanos) {
        let over_it = |route: &&mut Route| route.next == neighbour && route.is_usable();
        self.routes.values_mut().filter(over_it).for_each(|route| route.breaks(now));
        if let Some(route) = self.routes.get_mut(&neighbour) {
            route.silent_at = None;
        }
    }

    /// The trigger of a route is due: an update, or a later trigger if the last update is too recent.
    fn trigger(&mut self, now: Nanos, destination: NodeId) {
        let possible = self.quiet_until;
        if now >= possible {
            self.tell(now, false);
        }
        for (&id, route) in &mut self.routes {
            if id == destination {
                route.trigger_at = (now < possible).then_some(possible);
            } else if now < possible && route.trigger_at.is_some_and(|at| at < possible) {
                route.trigger_at = None;
            }
        }
    }

    /// Makes an update, which leaves after a random time; without anything to say there is none.
    fn tell(&mut self, now: Nanos, full: bool) {
        let due = self.routes.values().filter(|route| route.is_due(now)).count();
        let is_full = full || (due > MANY && MANY * due > self.routes.len());
        if is_full {
            self.sequence += 2;
            self.routes.insert(self.node, Route::own(self.node, self.sequence, now));
            let (least, most) = PERIOD_SHARES;
            let share = least + (most - least) * self.random.unit();
            self.full_at = now + ((self.spec.period_ns as f64 * share) as Nanos).max(1);
        }
        let mut entries = Vec::new();
        for (&destination, route) in &mut self.routes {
            if if is_full { route.advertise_at <= now } else { route.is_due(now) } {
                entries.push(Entry { destination, hops: route.hops, sequence: route.sequence });
                route.is_told(is_full);
            }
        }
        if !entries.is_empty() {
            let at = now + within(&mut self.random, self.spec.jitter_ns);
            self.leaving.push((at, Arc::new(Message { entries })));
            self.quiet_until = now + self.spec.triggered_ns;
        }
    }
}

/// A random time up to `longest`.
fn within(random: &mut Stream, longest: Nanos) -> Nanos {
    (longest as f64 * random.unit()) as Nanos
}
