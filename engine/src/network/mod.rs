//! Packets, and where they wait: pool, queues, links, nodes.

mod link;
mod node;
mod pool;
mod queue;

pub(crate) use link::Link;
pub(crate) use node::Node;
pub(crate) use pool::Pool;
pub(crate) use queue::{Fifo, Waiting};
