//! What a stamp can mark, and the groups of frames for which it marks the same.

use crate::base::named::named;
use crate::frame::{Direction, Frame, Layer, Phy, Preamble};
use crate::ieee80211::airtime;

named! {
    /// The instant of a frame that its time stamp marks.
    Convention {
        /// First bit of the preamble.
        Start = "start",
        /// First bit of the MPDU, one preamble after the start: how radiotap defines TSFT.
        Mpdu = "mpdu",
        /// End of the PHY header that tells rate and length (L-SIG, HT-SIG, VHT-SIG-A), where some
        /// radios take the time: that of the MPDU in PHYs without training fields after it.
        Header = "header",
        /// End of the frame, signal extension included.
        End = "end",
        /// End of the last symbol, before the signal extension.
        EndOfSymbols = "end_of_symbols",
    }
}

impl Convention {
    /// Where in the frame the stamp lies: microseconds from its start; `None` where that takes an
    /// airtime or a preamble that is not known.
    pub(super) fn offset_us(self, frame: &Frame, airtime_us: Option<f64>) -> Option<f64> {
        match self {
            Convention::Start => Some(0.0),
            Convention::Mpdu => airtime::preamble_us(frame),
            Convention::Header => header_us(frame),
            Convention::End => airtime_us,
            Convention::EndOfSymbols => airtime_us.map(|us| us - airtime::signal_extension_us(frame)),
        }
    }

    /// True where the stamp lies before the content, so that it tells the start of any frame.
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

/// What was found out about one group of frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroupConvention {
    /// See [`Direction`]; `None` where the capture does not tell.
    pub direction: Option<Direction>,
    /// See [`Phy`]; `None` for frames without rate information.
    pub phy: Option<Phy>,
    /// What the group's stamps mark.
    pub convention: Convention,
    /// SIFS-spaced neighbours with a frame of this group that were looked at.
    pub pairs: u32,
    /// Share of those pairs whose distance the conventions explain, 0 to 1; 0 without pairs.
    pub explained_share: f64,
    /// Neither the pairs nor another group of the same direction decided: the convention is radiotap's definition.
    pub ambiguous: bool,
}

/// A direction and a PHY, as an index below [`Group::COUNT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group(u8);

impl Group {
    const PHYS: u8 = Phy::ALL.len() as u8 + 1;
    pub(super) const COUNT: usize = 3 * Self::PHYS as usize;

    /// The group of a frame; `None` for simulator events that are not transmissions.
    pub(super) fn of(frame: &Frame) -> Option<Group> {
        let direction = match frame.direction {
            None => 0,
            Some(Direction::Rx) => 1,
            Some(Direction::Tx) => 2,
            Some(Direction::Drop | Direction::Enqueue) => return None,
        };
        let phy = frame.phy.map_or(0, |phy| phy as u8 + 1);
        Some(Group(direction * Self::PHYS + phy))
    }

    /// Every group.
    pub(super) fn all() -> impl Iterator<Item = Group> {
        (0..Self::COUNT as u8).map(Group)
    }

    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }

    pub(super) fn direction(self) -> Option<Direction> {
        [None, Some(Direction::Rx), Some(Direction::Tx)].get(usize::from(self.0 / Self::PHYS)).copied().flatten()
    }

    pub(super) fn phy(self) -> Option<Phy> {
        let phy = usize::from(self.0 % Self::PHYS);
        phy.checked_sub(1).and_then(|index| Phy::ALL.get(index)).copied()
    }
}

/// True for transmissions whose times the format itself does not give.
pub(super) fn is_to_be_timed(frame: &Frame) -> bool {
    frame.layer == Layer::Mac && frame.start_ns.is_none() && frame.end_ns.is_none()
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
