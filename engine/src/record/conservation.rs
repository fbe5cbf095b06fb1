//! Packets are conserved.

use super::Cause;

/// Where all packets are, data and acknowledgements alike; retransmissions are packets of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Conservation {
    /// Sent by sources, and acknowledgements by destinations.
    pub sent: u64,
    /// Arrived at their end of the path.
    pub delivered: u64,
    /// Did not fit into a queue.
    pub dropped_queue: u64,
    /// Were given up by the MAC.
    pub dropped_retry: u64,
    /// Were lost by the channel.
    pub dropped_channel: u64,
    /// Had nowhere to go.
    pub dropped_route: u64,
    /// Wait in queues.
    pub queued: u64,
    /// Are with the MAC, on a wire, or about to be taken in by a node.
    pub in_flight: u64,
}

impl Conservation {
    /// Sent = delivered + dropped + queued + in flight.
    #[must_use]
    pub fn holds(&self) -> bool {
        let dropped = self.dropped_queue + self.dropped_retry + self.dropped_channel + self.dropped_route;
        self.sent == self.delivered + dropped + self.queued + self.in_flight
    }

    pub(super) fn dropped(&mut self, cause: Cause) {
        match cause {
            Cause::Queue => self.dropped_queue += 1,
            Cause::Retry => self.dropped_retry += 1,
            Cause::Channel => self.dropped_channel += 1,
            Cause::Route => self.dropped_route += 1,
        }
    }
}
