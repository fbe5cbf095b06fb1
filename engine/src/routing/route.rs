//! An entry of a routing table.

use crate::index::NodeId;
use crate::units::Nanos;

use super::BROKEN;

/// When a route is told of that is not to be.
const NEVER: Nanos = Nanos::MAX;

/// What a node knows of a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Route {
    /// Hops; [`BROKEN`]: none.
    pub(super) hops: u32,
    /// The destination's number.
    pub(super) sequence: u64,
    /// The neighbour that told of it.
    pub(super) next: NodeId,
    /// When it last changed.
    pub(super) changed_at: Nanos,
    /// When its number was first heard.
    pub(super) numbered_at: Nanos,
    /// How long routes to the destination take to settle, smoothed.
    pub(super) settling: Nanos,
    /// From when on it may be told of.
    pub(super) advertise_at: Nanos,
    /// Its number has not been told.
    pub(super) number_is_new: bool,
    /// Its hops have not been told in a full update.
    pub(super) hops_are_new: bool,
    /// The hops that were told last.
    pub(super) told_hops: u32,
    /// When it makes the node send an update.
    pub(super) trigger_at: Option<Nanos>,
    /// Of a neighbour: when it will have been silent for too long.
    pub(super) silent_at: Option<Nanos>,
}

impl Route {
    /// To the node itself.
    pub(super) fn own(node: NodeId, sequence: u64, now: Nanos) -> Self {
        let told = Self { advertise_at: 0, number_is_new: true, settling: 0, ..Self::unknown(node, 0, now) };
        Self { hops: 0, sequence, ..told }
    }

    /// To a neighbour whose message did not name it.
    pub(super) fn silent_neighbour(node: NodeId, settling: Nanos, now: Nanos) -> Self {
        Self { hops: 1, ..Self::unknown(node, settling, now) }
    }

    /// To a destination that nobody has told of.
    pub(super) fn unknown(node: NodeId, settling: Nanos, now: Nanos) -> Self {
        Self {
            hops: BROKEN,
            sequence: 0,
            next: node,
            changed_at: now,
            numbered_at: now,
            settling,
            advertise_at: NEVER,
            number_is_new: false,
            hops_are_new: false,
            told_hops: 0,
            trigger_at: None,
            silent_at: None,
        }
    }

    /// Whether packets can take it.
    pub(super) fn is_usable(&self) -> bool {
        self.hops != BROKEN
    }

    /// Whether a triggered update tells of it.
    pub(super) fn is_due(&self, now: Nanos) -> bool {
        (self.number_is_new || self.hops_are_new) && self.advertise_at <= now
    }

    /// The neighbour that it leads to is gone.
    pub(super) fn breaks(&mut self, now: Nanos) {
        self.hops = BROKEN;
        self.sequence += 1;
        self.advertise_at = now;
        (self.number_is_new, self.hops_are_new) = (true, true);
        self.trigger_at = Some(now);
    }

    /// It has just been told.
    pub(super) fn is_told(&mut self, in_full_update: bool) {
        self.told_hops = self.hops;
        self.number_is_new = false;
        self.hops_are_new &= !in_full_update;
    }
}
