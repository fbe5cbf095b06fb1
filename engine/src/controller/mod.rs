//! The interface of congestion controllers.
//!
//! A controller is up to three small state machines: an [`Endpoint`] at the source, a [`Receiver`] at the
//! destination, and for explicit feedback a [`Router`] at every node. They have no clock, queue or file: time and
//! measurements are arguments, and the result is a window or a rate. Loss detection, retransmission and the round-trip
//! time estimate belong to the transport, which notifies the endpoint.
//!
//! [`Controller`] makes the three for a run; its configuration holds the constants of the paper.

mod endpoint;
mod neighbour_report;
mod octets;
mod receiver;
mod router;
mod setup;

pub use endpoint::{Ack, Congestion, Datagrams, Endpoint, FlowView, PathEstimate};
pub use neighbour_report::{LinkReport, NeighbourReport, SentOn, Signal, Summary};
pub use octets::Octets;
pub use receiver::{Echo, Receiver};
pub use router::{AirStamps, LinkView, NodeView, OnAir, Router, Sight};
pub use setup::{FlowSetup, LinkAirtimes, LinkSetup, MacSetup, NodeSetup};

/// `Paper`: as published, in the smallest reading that can be computed. `Corrected`: dimensionally consistent, true to
/// the primary source and to the prose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// As published.
    Paper,
    /// XCP-Winf as published, but its sources ask for everything, as ns-2's XCP does.
    PaperGreedy,
    /// Known errors removed.
    Corrected,
}

impl Mode {
    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Mode::Paper => "paper",
            Mode::PaperGreedy => "paper_greedy",
            Mode::Corrected => "corrected",
        }
    }
}

/// Makes the parts of a controller for the flows and nodes of one run.
pub trait Controller: Send + Sync {
    /// Name in the registry.
    fn name(&self) -> &str;
    /// Which reading of the paper it follows.
    fn mode(&self) -> Mode;
    /// Whether it reads rt-Winf's values as S000 prints them; only then are they measured.
    fn reads_printed(&self) -> bool {
        false
    }
    /// Whether what its routers tell reaches nodes that sense a frame and cannot decode it, as control messages at a lower
    /// rate do (S003 sec. IV-C).
    fn tells_interferers(&self) -> bool {
        false
    }
    /// The part at a flow's source.
    fn endpoint(&self, flow: &FlowSetup) -> Box<dyn Endpoint>;
    /// The part at a flow's destination; by default headers are echoed.
    fn receiver(&self, _flow: &FlowSetup) -> Box<dyn Receiver> {
        Box::new(Echo)
    }
    /// What its fields add to packets and frames; by default nothing.
    fn octets(&self) -> Octets {
        Octets::default()
    }
    /// The part at a node; `None`: nodes only forward.
    fn router(&self, _node: &NodeSetup) -> Option<Box<dyn Router>> {
        None
    }
}
