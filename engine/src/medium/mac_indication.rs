//! What the medium tells the network.

use std::sync::Arc;

use crate::controller::{AirStamps, NeighbourReport};
use crate::index::{LinkId, NodeId};
use crate::units::Nanos;

use super::frame::TransmissionId;

/// Something that the network has to act on.
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
        /// The channel spoiled it, not another frame.
        by_channel: bool,
    },
    /// The MAC is done with a packet and takes the next one.
    Done {
        /// Whose packet.
        link: LinkId,
        /// DIFS, backoffs and T_X, and bytes of the packet, if it was acknowledged; `None` if it was given up.
        cycle: Option<(Nanos, u32)>,
        /// It never reached its receiver.
        lost: bool,
        /// The channel spoiled the last attempt, not another frame.
        by_channel: bool,
    },
    /// A node decoded a frame that carried a report.
    Overheard(NodeId, NodeId, Arc<NeighbourReport>),
}
