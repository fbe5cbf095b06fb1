//! Frames on the air.

use std::sync::Arc;

use crate::controller::NeighbourReport;
use crate::index::{LinkId, NodeId, Slab, TransmissionId};
use crate::plan::Audibility;
use crate::units::Nanos;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// A packet.
    Data,
    /// A message to all in range; nobody answers.
    Broadcast,
    /// MAC acknowledgement.
    Ack,
    /// Packets of a link that aggregates: an A-MPDU, or one MPDU.
    Ampdu,
    /// What arrived of an A-MPDU.
    BlockAck,
    /// Asks for that.
    BlockAckRequest,
}

/// A frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// What it is.
    pub(crate) kind: FrameKind,
    /// Its transmitter.
    pub(crate) from: NodeId,
    /// Its receiver.
    pub(crate) to: NodeId,
    /// The link whose packet it is about; for responses it points the other way.
    pub(crate) link: LinkId,
    /// Duration field: how long the exchange goes on after its end. Not rounded up to microseconds, which would set
    /// the slots of stations apart that heard the same exchange.
    pub(crate) duration: Nanos,
    /// Whether the exchange began with it: it was sent after a backoff and not in response.
    pub(crate) opens: bool,
}

/// A frame under way.
#[derive(Debug)]
pub(crate) struct Transmission {
    /// The frame.
    pub(crate) frame: Frame,
    /// Who could hear it when it began, where that has changed since.
    pub(crate) audibility: Option<Arc<Audibility>>,
    /// The report of its node to neighbours.
    pub(crate) report: Option<Arc<NeighbourReport>>,
}

/// The frames on the air.
pub(crate) type Air = Slab<TransmissionId, Transmission>;
