//! A node: its links and its routers.

use crate::controller::{LinkView, Router};
use crate::index::{IndexVec, LinkId, LocalLink};
use crate::units::Nanos;
use crate::world::QueueSpec;

use super::FqCodel;

/// The state of a node.
pub(crate) struct Node {
    /// Its outgoing links.
    pub(crate) links: IndexVec<LocalLink, LinkId>,
    /// Those of them that share its radio.
    pub(crate) radio_links: Vec<LinkId>,
    /// The limit that the queues of the latter share.
    pub(crate) interface_limit: Option<QueueSpec>,
    /// What waits above it, if anything may.
    pub(crate) discipline: Option<FqCodel>,
    /// The links whose packets are dropped when they have waited for so long.
    pub(crate) lifetimes: Vec<(LinkId, Nanos)>,
    /// The router of each controller that has one.
    pub(crate) routers: Vec<Box<dyn Router>>,
    /// When the next call of a timer is scheduled for.
    pub(crate) timer_at: Option<Nanos>,
    /// The links as routers see them.
    pub(crate) views: IndexVec<LocalLink, LinkView>,
}
