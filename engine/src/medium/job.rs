//! What the MAC is given.

use crate::index::LinkId;
use crate::units::Nanos;

/// A packet handed to the MAC.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    /// Its link.
    pub(crate) link: LinkId,
    /// Its number on the link, in the order of service.
    pub(crate) number: u64,
    /// Its size; of several packets sent together, of all.
    pub(crate) bytes: u32,
    /// When it entered the queue.
    pub(crate) enqueued: Nanos,
    /// When the MAC got it.
    pub(crate) head_of_line: Nanos,
}
