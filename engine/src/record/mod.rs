//! The results of a run as columns: a row per flow, per link, per bin, per step of a packet.

mod columns;
mod conservation;
mod events;
mod flow_tally;
mod flows;
mod histogram;
mod link_tally;
mod links;
mod recorder;
mod whole_seconds;

pub use conservation::Conservation;
pub use events::{EventLog, EventRow, Step};
pub use flows::{FlowBin, FlowBins, FlowTotal, FlowTotals};
pub use links::{LinkBin, LinkBins, LinkTotal, LinkTotals};

pub(crate) use flow_tally::FlowState;
pub(crate) use recorder::Recorder;

use serde::Serialize;

use crate::units::Nanos;

/// Why a packet was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Its queue was full.
    Queue,
    /// The MAC dropped it after its last attempt collided.
    Retry,
    /// The channel: a wire lost it, or the MAC dropped it after an attempt that the channel corrupted.
    Channel,
    /// The node it was at is not on its flow's path any more, or routing takes the link for broken.
    Route,
}

impl Cause {
    /// How many causes there are.
    pub(crate) const COUNT: usize = 4;
}

/// The results of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// The seed it ran with.
    pub seed: u64,
    /// How long it was.
    pub duration: Nanos,
    /// Width of the bins.
    pub bin: Nanos,
    /// One row per flow.
    pub flows: FlowTotals,
    /// One row per link.
    pub links: LinkTotals,
    /// One row per flow and bin.
    pub flow_bins: FlowBins,
    /// One row per link and bin.
    pub link_bins: LinkBins,
    /// One row per step of a packet, if they were asked for.
    pub events: EventLog,
    /// Packet conservation.
    pub conservation: Conservation,
    /// Steps of packets: sent, enqueued, dequeued, attempted, forwarded, delivered, dropped.
    pub packet_events: u64,
    /// Events of the loop.
    pub loop_events: u64,
    /// Why the run ended early; `None`: it did not.
    pub fault: Option<String>,
}
