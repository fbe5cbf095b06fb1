//! The instants that a time stamp can mark, and the groups of frames that share one such convention.

use crate::base::named::named;
use crate::frame::{Direction, Frame, Layer, ParseError, Phy, Preamble};
use crate::ieee80211::airtime;

named! {
    /// The instant of a frame that its time stamp marks.
    Convention {
        /// First bit of the preamble.
        Start = "start",
        /// First bit of the MPDU, one preamble after the start. This is radiotap's definition of TSFT.
        Mpdu = "mpdu",
        /// End of the PHY header that signals rate and length (L-SIG, HT-SIG, VHT-SIG-A). Some radios take the
        /// time here. It equals `Mpdu` in PHYs without training fields after that header.
        Header = "header",
        /// End of the frame, signal extension included.
        End = "end",
        /// End of the last symbol, before the signal extension.
        EndOfSymbols = "end_of_symbols",
    }
}

impl Convention {
    /// Position of the stamp in the frame, in microseconds from its start. `None` if that requires an airtime
    /// or a preamble that is unknown.
    pub(super) fn offset_us(self, frame: &Frame, airtime_us: Option<f64>) -> Option<f64> {
        match self {
            Convention::Start => Some(0.0),
            Convention::Mpdu => airtime::preamble_us(frame),
            Convention::Header => header_us(frame),
            Convention::End => airtime_us,
            Convention::EndOfSymbols => airtime_us.map(|us| us - airtime::signal_extension_us(frame)),
        }
    }

    /// True if the stamp precedes the content, so the start is known even without an airtime.
    pub(super) fn is_early(self) -> bool {
        matches!(self, Convention::Start | Convention::Mpdu | Convention::Header)
    }
}

/// From the first preamble bit to the end of the PHY header, microseconds (figures 19-1, 21-4, 27-8).
fn header_us(frame: &Frame) -> Option<f64> {
    match (frame.phy?, frame.preamble) {
        (Phy::Ht, Some(Preamble::Greenfield)) => Some(24.0),
        (Phy::Ht | Phy::Vht, _) => Some(28.0),
        (Phy::He | Phy::Eht, _) => Some(32.0),
        (Phy::Dsss | Phy::HrDsss | Phy::Ofdm | Phy::Erp, _) => airtime::preamble_us(frame),
    }
}

/// Result of the clock analysis for one group of frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroupConvention {
    /// See [`Direction`]; `None` if the capture does not record it.
    pub direction: Option<Direction>,
    /// See [`Phy`]; `None` for frames without rate information.
    pub phy: Option<Phy>,
    /// The instant that the stamps of this group mark.
    pub convention: Convention,
    /// Stamp less that instant, microseconds: what the driver adds that no definition explains.
    pub shift_us: f64,
    /// The same for ACK, BlockAck and CTS frames, in addition.
    pub late_answers_us: f64,
    /// Number of SIFS-spaced pairs that include a frame of this group.
    pub pairs: u32,
    /// Share of those pairs whose spacing conventions and offsets explain, 0 to 1; 0 without pairs.
    pub explained_share: f64,
    /// Neither the pairs nor another group of the same direction determined the convention, so it defaults to
    /// radiotap's definition.
    pub ambiguous: bool,
    /// Answers to its frames are stamped before these: its stamps mark no instant of them, and they have no start and no
    /// end.
    pub contradicted: bool,
}

/// A direction and a PHY, as an index below [`Group::COUNT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group(usize);

impl Group {
    const PHYS: usize = Phy::ALL.len() + 1;
    pub(super) const COUNT: usize = 3 * Self::PHYS;

    /// The group of a frame; `None` for simulator events that are not transmissions.
    pub(super) fn of(frame: &Frame) -> Option<Group> {
        let direction = match frame.direction {
            None => 0,
            Some(Direction::Rx) => 1,
            Some(Direction::Tx) => 2,
            Some(Direction::Drop | Direction::Enqueue) => return None,
        };
        let phy = frame.phy.map_or(0, |phy| phy as usize + 1);
        Some(Group(direction * Self::PHYS + phy))
    }

    /// Every group.
    pub(super) fn all() -> impl Iterator<Item = Group> {
        (0..Self::COUNT).map(Group)
    }

    pub(super) fn index(self) -> usize {
        self.0
    }

    pub(super) fn direction(self) -> Option<Direction> {
        [None, Some(Direction::Rx), Some(Direction::Tx)].get(self.0 / Self::PHYS).copied().flatten()
    }

    pub(super) fn is_sent(self) -> bool {
        self.direction() == Some(Direction::Tx)
    }

    pub(super) fn phy(self) -> Option<Phy> {
        let phy = self.0 % Self::PHYS;
        phy.checked_sub(1).and_then(|index| Phy::ALL.get(index)).copied()
    }
}

/// True for transmissions of 802.11 whose start and end the format itself does not give.
pub(super) fn is_to_be_timed(frame: &Frame) -> bool {
    let is_foreign = frame.parse_error == Some(ParseError::LinkType);
    frame.layer == Layer::Mac && !is_foreign && frame.start_ns.is_none() && frame.end_ns.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_gives_back_its_direction_and_phy() {
        for direction in [None, Some(Direction::Rx), Some(Direction::Tx)] {
            for phy in Phy::ALL.iter().map(|&phy| Some(phy)).chain([None]) {
                let group = Group::of(&Frame { direction, phy, ..Frame::new(1, 0) }).unwrap();
                assert_eq!((group.direction(), group.phy()), (direction, phy));
                assert!(group.index() < Group::COUNT);
            }
        }
        assert_eq!(Group::of(&Frame { direction: Some(Direction::Drop), ..Frame::new(1, 0) }), None);
    }
}
