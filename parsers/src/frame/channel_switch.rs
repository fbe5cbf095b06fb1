//! The channel that a BSS announces to go to.

use super::operating_channel::{mhz_below_6ghz, mhz_of_6ghz, FIRST_6GHZ_MHZ};

/// Where a BSS goes, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelSwitch {
    /// Centre of the primary 20 MHz channel that it goes to, MHz.
    pub to_mhz: u16,
    /// Channel Switch Count: target beacon transmission times until it goes; 0: at any time after the frame.
    pub beacons: u8,
}

/// What a Channel Switch Announcement says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnnouncedSwitch {
    /// New Operating Class, of extended ones.
    pub operating_class: Option<u8>,
    /// New Channel Number.
    pub number: u8,
    /// Channel Switch Count.
    pub count: u8,
}

impl AnnouncedSwitch {
    /// The switch, of a BSS on the channel `at_mhz`; `None` if the channel number is none.
    ///
    /// Operating classes of table E-4 tell the band. Those of tables E-1 to E-3 have other meanings in each country, as which
    /// an access point sends them where it announces that country: there, and without a class, the band is the one in
    /// which the BSS is.
    pub fn of_bss(self, at_mhz: Option<u16>) -> Option<ChannelSwitch> {
        let in_6ghz = match self.operating_class {
            Some(131..=137) => true,
            Some(81..=130) => false,
            _ => at_mhz.is_some_and(|mhz| mhz >= FIRST_6GHZ_MHZ),
        };
        let to_mhz = if in_6ghz { mhz_of_6ghz(self.number) } else { mhz_below_6ghz(self.number) }?;
        Some(ChannelSwitch { to_mhz, beacons: self.count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to_mhz(operating_class: Option<u8>, number: u8, at_mhz: Option<u16>) -> Option<u16> {
        AnnouncedSwitch { operating_class, number, count: 3 }.of_bss(at_mhz).map(|switch| switch.to_mhz)
    }

    #[test]
    fn the_band_is_that_of_the_class_else_the_one_where_the_bss_is() {
        assert_eq!(to_mhz(None, 100, Some(5260)), Some(5500));
        assert_eq!(to_mhz(None, 11, Some(2412)), Some(2462));
        assert_eq!(to_mhz(None, 37, Some(5975)), Some(6135));
        assert_eq!(to_mhz(Some(131), 37, Some(5260)), Some(6135));
        assert_eq!(to_mhz(Some(115), 36, Some(5975)), Some(5180));
        assert_eq!(to_mhz(Some(1), 36, Some(5260)), Some(5180), "of the United States");
        assert_eq!(to_mhz(Some(1), 37, Some(5975)), Some(6135));
        assert_eq!(to_mhz(None, 36, None), Some(5180));
    }

    #[test]
    fn numbers_that_are_no_channels_tell_nothing() {
        assert_eq!(
            (to_mhz(None, 0, Some(5260)), to_mhz(Some(131), 0, None), to_mhz(None, 255, None)),
            (None, None, None)
        );
    }
}
