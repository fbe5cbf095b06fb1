//! Where packets wait: queues, links, nodes.

use crate::index::{id, Slab};
use crate::packet::Packet;

mod fq_codel;
mod link;
mod node;
mod queue;

id! {
    /// Index of a packet in [`Packets`].
    pub(crate) struct PacketId
}

/// Every packet that was sent and has neither arrived nor been dropped.
pub(crate) type Packets = Slab<PacketId, Packet>;

pub(crate) use fq_codel::{FqCodel, Held};
pub(crate) use link::{InService, Link};
pub(crate) use node::Node;
pub(crate) use queue::Waiting;
