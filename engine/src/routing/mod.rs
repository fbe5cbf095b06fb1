//! DSDV as nodes run it: who is how far away, and which messages say so.
//!
//! C. Perkins, P. Bhagwat, "Highly Dynamic Destination-Sequenced Distance-Vector Routing (DSDV) for Mobile Computers",
//! SIGCOMM 1994, by the rules that ns-2.35 adds. Every node numbers its own entry with even numbers that grow with each
//! full update. A newer number wins, of equal numbers the shorter route. What is new is told after twice the time that
//! routes to its destination took to settle, a broken or repaired route at once. An agent is a state machine: messages
//! and time in, messages and next hops out. What happens to messages on the way is the business of the simulation.

mod agent;
mod route;
#[cfg(test)]
mod tests;

pub(crate) use agent::Agent;

use crate::index::NodeId;

/// Hops of a route that is broken.
const BROKEN: u32 = u32::MAX;

/// An update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// What it says.
    pub(crate) entries: Vec<Entry>,
}

/// What an update says of one destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The destination.
    pub(crate) destination: NodeId,
    /// Hops from the node that sends it; [`BROKEN`]: there is no route.
    pub(crate) hops: u32,
    /// Even from the destination, odd from the node where the route broke.
    pub(crate) sequence: u64,
}
