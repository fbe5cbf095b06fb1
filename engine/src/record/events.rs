//! Steps of packets.

use crate::units::Nanos;

use super::columns::columns;
use super::Cause;

/// What happened to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Its source, or for acknowledgements its destination, sent it.
    Sent,
    /// It entered a link's queue.
    Enqueued,
    /// It left the queue for the MAC or the wire.
    Dequeued,
    /// Its data frame began.
    Attempt,
    /// The attempt failed.
    AttemptFailed,
    /// It reached the other end of the link.
    Forwarded,
    /// It reached the end of its path.
    Delivered,
    /// It was lost.
    Dropped(Cause),
}

columns! {
    /// Steps of packets in order of time.
    EventLog;
    /// One step.
    EventRow {
        /// When.
        t_ns: Nanos,
        /// What.
        step: Step,
        /// Number of the packet.
        packet_uid: u64,
        /// Index of its flow.
        flow: u32,
        /// Number of its segment.
        segment: u64,
        /// Whether it is an acknowledgement.
        ack: bool,
        /// Index of the link, where there is one.
        link: Option<u32>,
        /// Index of the node.
        node: u32,
    }
}
