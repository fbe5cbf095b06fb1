//! Frequency bands, by the centre of a channel.

use std::ops::Range;

/// A band of the operating classes (annex E, table E-4; 802.11ax-2021, table E-4 and 27.3.23.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Band {
    /// Channels 1 to 14, centres 2412 to 2484 MHz.
    Ghz2_4,
    /// Centres 4905 to 5920 MHz: the 5 GHz channels and, of the same PHYs and timings, those of 4.9 and 5.9 GHz.
    Ghz5,
    /// Channels 1 to 233, centres 5955 to 7115 MHz, and channel 2 of operating class 136 at 5935 MHz.
    Ghz6,
}

impl Band {
    /// Every band.
    pub const ALL: &'static [Band] = &[Band::Ghz2_4, Band::Ghz5, Band::Ghz6];

    /// What people call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Band::Ghz2_4 => "2.4 GHz",
            Band::Ghz5 => "5 GHz",
            Band::Ghz6 => "6 GHz",
        }
    }

    /// Centres of its channels, MHz.
    #[must_use]
    pub const fn centres_mhz(self) -> Range<u16> {
        match self {
            Band::Ghz2_4 => 2400..2500,
            Band::Ghz5 => 4900..5925,
            Band::Ghz6 => 5925..7125,
        }
    }

    /// The band of a channel by its centre, MHz; `None` outside of all three.
    #[must_use]
    #[inline]
    pub fn of(centre_mhz: u16) -> Option<Band> {
        Band::ALL.iter().copied().find(|band| band.centres_mhz().contains(&centre_mhz))
    }
}

/// Centres of the first and the last of the channels of 10 MHz at 5.9 GHz, for vehicles: 172 to 184, even numbers
/// (operating class 17 of table E-1, class 14 of table E-2). The 20 MHz channels of WAVE (175 and 181, IEEE 1609.4), and
/// those that 802.11ax stations use up to 5.895 GHz, have other centres.
pub const TEN_MHZ_CENTRES_MHZ: [u16; 2] = [5860, 5920];
/// What constants call them.
pub const TEN_MHZ_CHANNELS: &str = "5.9 GHz, 10 MHz";

/// The centre, MHz, is that of a channel of 10 MHz.
#[must_use]
pub fn is_10_mhz_channel(centre_mhz: u16) -> bool {
    let [first, last] = TEN_MHZ_CENTRES_MHZ;
    (first..=last).contains(&centre_mhz) && (centre_mhz - first).is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_channel_is_in_its_band() {
        assert!((2412..=2472).chain([2484]).all(|mhz| Band::of(mhz) == Some(Band::Ghz2_4)));
        let of_5_ghz = (36..=177).map(|channel| 5000 + 5 * channel);
        let of_4_9_ghz = (183..=196).map(|channel| 4000 + 5 * channel);
        assert!(of_5_ghz.chain(of_4_9_ghz).all(|mhz| Band::of(mhz) == Some(Band::Ghz5)));
        assert!((1..=233).map(|channel| 5950 + 5 * channel).chain([5935]).all(|mhz| Band::of(mhz) == Some(Band::Ghz6)));
        let of_10_mhz: Vec<u16> =
            (36..=199).map(|channel| 5000 + 5 * channel).filter(|&mhz| is_10_mhz_channel(mhz)).collect();
        assert_eq!(of_10_mhz, [172, 174, 176, 178, 180, 182, 184].map(|channel| 5000 + 5 * channel));
        // 165 to 177 of the channels of 20 to 160 MHz (802.11ax-2021, table E-1).
        assert!(![5825, 5835, 5845, 5855, 5865, 5875, 5885].into_iter().any(is_10_mhz_channel));
        assert!([0, 900, 3660, 7125, 60_480].iter().all(|&mhz| Band::of(mhz).is_none()));
    }
}
