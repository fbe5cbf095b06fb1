//! Frames on the air.

use std::sync::Arc;

use crate::controller::Bulletin;
use crate::packet::{LinkId, NodeId};
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
    /// Acknowledgement of the MAC.
    Ack,
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
    /// What its node tells those who decode it.
    pub(crate) bulletin: Option<Arc<Bulletin>>,
}

/// Frames under way, in places that are used again.
#[derive(Debug, Default)]
pub(crate) struct Air {
    places: Vec<Option<Transmission>>,
    free: Vec<u32>,
}

impl Air {
    /// A transmission begins.
    pub(crate) fn insert(&mut self, transmission: Transmission) -> u32 {
        match self.free.pop() {
            Some(place) => {
                self.places[place as usize] = Some(transmission);
                place
            }
            None => {
                self.places.push(Some(transmission));
                (self.places.len() - 1) as u32
            }
        }
    }

    /// A transmission ends.
    pub(crate) fn remove(&mut self, place: u32) -> Option<Transmission> {
        let transmission = self.places.get_mut(place as usize)?.take()?;
        self.free.push(place);
        Some(transmission)
    }

    /// Hearing changes: what is under way began under what held until now.
    pub(crate) fn began_under(&mut self, audibility: &Arc<Audibility>) {
        for transmission in self.places.iter_mut().flatten() {
            transmission.audibility.get_or_insert_with(|| Arc::clone(audibility));
        }
    }

    /// Puts a bulletin on a transmission that has just begun.
    pub(crate) fn attach(&mut self, place: u32, bulletin: Arc<Bulletin>) {
        if let Some(Some(transmission)) = self.places.get_mut(place as usize) {
            transmission.bulletin = Some(bulletin);
        }
    }
}
