//! The part of a controller at the destination of a flow.

use crate::cross_layer::CrossLayer;
use crate::packet::{Header, Packet};
use crate::units::Nanos;

use super::Datagrams;

/// The destination's part.
pub trait Receiver: Send {
    /// Data arrived, in order or not, for the first time or again; `ack` is the acknowledgement about to leave.
    fn on_data(&mut self, now: Nanos, link: &CrossLayer, packet: &Packet, ack: &mut Packet);
    /// After [`Receiver::on_data`] where acknowledgements are delayed: `waiting`, the acknowledgement of the segment
    /// before, will not be sent, because `ack` answers both. What must not be lost with it goes into `ack`.
    fn on_joined(&mut self, _waiting: &Packet, _ack: &mut Packet) {}
    /// The same as [`super::Endpoint::datagrams`]; queried once.
    fn datagrams(&self) -> Option<Datagrams> {
        None
    }
}

/// Echoes every header. WCP's mark is that of either of two segments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Echo;

impl Receiver for Echo {
    fn on_data(&mut self, _now: Nanos, _link: &CrossLayer, packet: &Packet, ack: &mut Packet) {
        ack.header = packet.header;
    }

    fn on_joined(&mut self, waiting: &Packet, ack: &mut Packet) {
        if let (Header::Wcp(waiting), Header::Wcp(header)) = (waiting.header, &mut ack.header) {
            header.congested |= waiting.congested;
        }
    }
}
