//! The channel that a radio listens to, which changes if it hops.

use crate::frame::{Direction, Frame};

/// What the frames so far tell.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tuned {
    mhz: Option<u16>,
    hops: bool,
}

impl Tuned {
    /// True if the frame is the first one that was heard after the radio came from another channel.
    pub(crate) fn hears(&mut self, frame: &Frame) -> bool {
        // Headers of what the recorder sent itself may hold any channel.
        let Some(mhz) = frame.channel_mhz.filter(|_| frame.direction != Some(Direction::Tx)) else { return false };
        let hopped = self.mhz.replace(mhz).is_some_and(|before| before != mhz);
        self.hops |= hopped;
        hopped
    }

    /// The channel of a frame, also where it holds none and the radio is known to hop.
    pub(super) fn channel_of(&self, frame: &Frame) -> Option<u16> {
        match frame.channel_mhz {
            None => self.mhz.filter(|_| self.hops),
            own if frame.direction == Some(Direction::Tx) => self.mhz.or(own),
            own => own,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(channel_mhz: Option<u16>) -> Frame {
        Frame { channel_mhz, ..Frame::new(1, 0) }
    }

    #[test]
    fn frames_without_a_channel_are_of_the_one_that_a_hopping_radio_listens_to() {
        let mut tuned = Tuned::default();
        assert!(!tuned.hears(&heard(Some(2412))));
        assert_eq!(tuned.channel_of(&heard(None)), None);
        assert!(tuned.hears(&heard(Some(2437))) && !tuned.hears(&heard(None)) && !tuned.hears(&heard(Some(2437))));
        assert_eq!(tuned.channel_of(&heard(None)), Some(2437));
    }

    #[test]
    fn what_the_recorder_sends_does_not_tell_where_it_listens() {
        let mut tuned = Tuned::default();
        let sent = Frame { direction: Some(Direction::Tx), ..heard(Some(5765)) };
        assert!(!tuned.hears(&heard(Some(5745))) && !tuned.hears(&sent));
        assert_eq!(tuned.channel_of(&sent), Some(5745));
    }
}
