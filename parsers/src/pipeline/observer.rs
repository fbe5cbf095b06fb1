//! Identifies the capturing station and the frames that it sent itself.

use std::collections::HashMap;

use crate::frame::{Addr, Direction, Frame};

/// Minimum share of the sent frames with one transmitter address for that address to be the observer's.
const SAME_TRANSMITTER: f64 = 0.9;

/// The capturing station, inferred from the first frames.
#[derive(Clone, Copy, Debug, Default)]
pub struct Observer {
    /// Its MAC address; `None` for a sniffer that never sends.
    pub address: Option<Addr>,
    /// Received frames have a signal strength in this capture, so a frame without one was sent by the station
    /// itself.
    silent_is_sent: bool,
}

impl Observer {
    /// Infers the observer from the first frames of a source. If the user gave an address, it is used without a
    /// check.
    ///
    /// Drivers and ns-3 record a signal strength for every received frame, and none for frames that the radio
    /// sends itself. A sniffer that never sends has no frames without a signal strength, and thus no observer.
    pub fn find(frames: &[Frame], given: Option<Addr>) -> Observer {
        let silent_is_sent = frames.iter().any(|frame| frame.signal_dbm.is_some());
        let found = Observer { address: given, silent_is_sent };
        if given.is_some() {
            return found;
        }
        let mut transmitters: HashMap<Addr, u32> = HashMap::new();
        for frame in frames.iter().filter(|frame| found.direction(frame) == Some(Direction::Tx)) {
            if let Some(ta) = frame.ta.filter(|_| frame.is_readable()) {
                *transmitters.entry(ta).or_default() += 1;
            }
        }
        let total: u32 = transmitters.values().sum();
        let (sender, count) = match transmitters.into_iter().max_by_key(|&(ta, count)| (count, ta)) {
            Some(most) => most,
            None => return found,
        };
        let address = (f64::from(count) >= SAME_TRANSMITTER * f64::from(total)).then_some(sender);
        Observer { address, ..found }
    }

    /// Fills `observer`, and fills `direction` if the record does not give it.
    pub fn apply(&self, frame: &mut Frame) {
        if frame.observer.is_none() {
            frame.observer = self.address;
        }
        if frame.direction.is_none() {
            frame.direction = self.direction(frame);
        }
    }

    fn direction(&self, frame: &Frame) -> Option<Direction> {
        if frame.direction.is_some() {
            return frame.direction;
        }
        if self.address.is_some() && frame.ta == self.address {
            return Some(Direction::Tx);
        }
        (self.silent_is_sent && frame.signal_dbm.is_none()).then_some(Direction::Tx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(ta: u32, signal: Option<i8>) -> Frame {
        Frame { ta: Some(Addr::node(ta)), signal_dbm: signal, ..Frame::new(1, 0) }
    }

    #[test]
    fn frames_without_a_signal_were_sent_by_the_observer() {
        let frames = [frame(1, None), frame(2, Some(-40)), frame(1, None)];
        let observer = Observer::find(&frames, None);
        assert_eq!(observer.address, Some(Addr::node(1)));
        let mut acknowledgment = Frame::new(4, 0);
        observer.apply(&mut acknowledgment);
        assert_eq!(acknowledgment.direction, Some(Direction::Tx));
        assert_eq!(acknowledgment.observer, Some(Addr::node(1)));
    }

    #[test]
    fn a_source_without_signals_has_no_observer() {
        assert_eq!(Observer::find(&[frame(1, None), frame(2, None)], None).address, None);
    }

    #[test]
    fn several_transmitters_give_no_observer() {
        let frames = [frame(1, None), frame(2, None), frame(3, Some(-40))];
        assert_eq!(Observer::find(&frames, None).address, None);
    }

    #[test]
    fn a_given_observer_is_believed() {
        let observer = Observer::find(&[frame(1, Some(-40))], Some(Addr::node(7)));
        assert_eq!(observer.address, Some(Addr::node(7)));
    }
}
