//! First in, first out.

use std::collections::VecDeque;

use crate::units::Nanos;

use super::PacketId;

/// A packet that waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    /// The packet.
    pub(crate) packet: PacketId,
    /// Its size.
    pub(crate) bytes: u32,
    /// When it came.
    pub(crate) since: Nanos,
}

/// A queue; whether something fits is asked before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fifo {
    waiting: VecDeque<Waiting>,
    bytes: u64,
}

impl Fifo {
    /// Adds a packet at the end.
    pub(crate) fn push(&mut self, waiting: Waiting) {
        self.bytes += u64::from(waiting.bytes);
        self.waiting.push_back(waiting);
    }

    /// The packet at the head.
    pub(crate) fn head(&self) -> Option<&Waiting> {
        self.waiting.front()
    }

    /// Takes the packet at the head.
    pub(crate) fn pop(&mut self) -> Option<Waiting> {
        let waiting = self.waiting.pop_front()?;
        self.bytes -= u64::from(waiting.bytes);
        Some(waiting)
    }

    /// Packets in it.
    pub(crate) fn packets(&self) -> u32 {
        self.waiting.len() as u32
    }

    /// Bytes in it.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}
