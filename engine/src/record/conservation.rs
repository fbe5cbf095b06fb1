//! Packet conservation.

use super::Cause;

/// Where all packets are, data and acknowledgements alike; retransmissions are packets of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Conservation {
    /// Sent by sources, and acknowledgements by destinations.
    pub sent: u64,
    /// Arrived at their end of the path.
    pub delivered: u64,
    /// Dropped by a full queue.
    pub dropped_queue: u64,
    /// Dropped by the MAC after the last retry.
    pub dropped_retry: u64,
    /// Lost by the channel.
    pub dropped_channel: u64,
    /// Without a route.
    pub dropped_route: u64,
    /// In queues.
    pub queued: u64,
    /// At the MAC, on a wire, or in an arrival event.
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
