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
    /// A data frame begins on a link.
    FrameStarts(LinkId, TransmissionId),
    /// The data frame of the packet in service begins.
    DataStarts(LinkId, AirStamps),
    /// The receiver of a link got a packet in service, for the first time.
    Delivered {
        /// Whose packet.
        link: LinkId,
        /// Which.
        number: u64,
    },
    /// An attempt failed.
    AttemptFailed {
        /// Whose packet.
        link: LinkId,
        /// How many packets were sent in it; 0: what became of them is not known yet.
        packets: u32,
        /// The channel corrupted it, not another frame.
        by_channel: bool,
    },
    /// An answer said what arrived of the packets in service.
    Acknowledged {
        /// Whose packets.
        link: LinkId,
        /// What their service took; `None`: the answer is to a BlockAckReq.
        served: Option<Served>,
        /// Packets that arrived.
        arrived: u32,
        /// Packets that did not.
        failed: u32,
        /// The channel lost some of the latter.
        by_channel: bool,
    },
    /// The MAC gives up one of several packets in service, which never reached its receiver.
    GivenUp {
        /// Whose packet.
        link: LinkId,
        /// Which.
        number: u64,
        /// The channel corrupted the last attempt, not another frame.
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
    /// A node (first) decoded a broadcast of another (second), which is still in service there.
    Broadcast(NodeId, NodeId),
    /// A node (first) decoded a frame of another (second) that carried a neighbour report.
    Overheard(NodeId, NodeId, Arc<NeighbourReport>),
}
