//! The part of a controller at the destination of a flow.

use crate::cross_layer::CrossLayer;
use crate::packet::Packet;
use crate::units::Nanos;

use super::Datagrams;

/// The destination's part.
pub trait Receiver: Send {
    /// Data arrived, in order or not, for the first time or again; `ack` is the acknowledgement about to leave.
    fn on_data(&mut self, now: Nanos, link: &CrossLayer, packet: &Packet, ack: &mut Packet);
    /// The same as [`super::Endpoint::datagrams`]; queried once.
    fn datagrams(&self) -> Option<Datagrams> {
        None
    }
}

/// Echoes every header.
#[derive(Clone, Copy, Debug, Default)]
pub struct Echo;

impl Receiver for Echo {
    fn on_data(&mut self, _now: Nanos, _link: &CrossLayer, packet: &Packet, ack: &mut Packet) {
        ack.header = packet.header;
    }
}
