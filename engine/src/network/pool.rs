//! Packets that exist: each has one place from its source to its destination, and moves by its number.

use crate::packet::Packet;

/// Every packet that was sent and has neither arrived nor been dropped.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    places: Vec<Option<Packet>>,
    free: Vec<u32>,
}

impl Pool {
    /// A packet comes into being.
    pub(crate) fn insert(&mut self, packet: Packet) -> u32 {
        match self.free.pop() {
            Some(place) => {
                self.places[place as usize] = Some(packet);
                place
            }
            None => {
                self.places.push(Some(packet));
                (self.places.len() - 1) as u32
            }
        }
    }

    /// The packet in a place.
    pub(crate) fn get_mut(&mut self, place: u32) -> Option<&mut Packet> {
        self.places.get_mut(place as usize)?.as_mut()
    }

    /// The packet in a place.
    pub(crate) fn get(&self, place: u32) -> Option<&Packet> {
        self.places.get(place as usize)?.as_ref()
    }

    /// A packet ceases to be.
    pub(crate) fn remove(&mut self, place: u32) -> Option<Packet> {
        let packet = self.places.get_mut(place as usize)?.take()?;
        self.free.push(place);
        Some(packet)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }
}
