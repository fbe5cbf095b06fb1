//! Indications from the MAC to the network layer.

use std::sync::Arc;

use crate::controller::{AirStamps, NeighbourReport};
use crate::index::{LinkId, NodeId, TransmissionId};
use crate::units::Nanos;

/// The service of a packet that was acknowledged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Served {
    /// DIFS, the backoffs drawn for it, and T_X of the attempt that succeeded.
    pub(crate) cycle: Nanos,
    /// Its size.
    pub(crate) bytes: u32,
    /// K of S000 eq. (7): the share of its time that backoff took.
    pub(crate) lost_to_backoff: f64,
}

/// An event at the MAC that the network layer has to process.
#[derive(Clone, Debug)]
pub(crate) enum MacIndication {
    /// A node begins a data frame.
    FrameStarts(NodeId, TransmissionId),
    /// The data frame of the packet in service begins.
    DataStarts(LinkId, AirStamps),
    /// The receiver of a link got the packet in service, for the first time.
    Delivered(LinkId),
    /// An attempt failed.
    AttemptFailed {
        /// Whose packet.
        link: LinkId,
        /// The channel corrupted it, not another frame.
        by_channel: bool,
    },
    /// The MAC is done with a packet and takes the next one.
    Done {
        /// Whose packet.
        link: LinkId,
        /// What its service took, if it was acknowledged; `None` if it was dropped.
        served: Option<Served>,
        /// It never reached its receiver.
        lost: bool,
        /// The channel corrupted the last attempt, not another frame.
        by_channel: bool,
    },
    /// A node (first) decoded a frame of another (second) that carried a neighbour report.
    Overheard(NodeId, NodeId, Arc<NeighbourReport>),
}
