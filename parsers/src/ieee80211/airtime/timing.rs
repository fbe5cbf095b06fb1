//! Interframe spaces, slots and contention windows of each PHY.

use crate::frame::Phy;

/// aSignalExtension (tables 18-5 and 19-25): silence that ends an OFDM transmission at 2.4 GHz.
const SIGNAL_EXTENSION_US: f64 = 6.0;

/// What distributed coordination needs to know of a PHY.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// aSlotTime, microseconds.
    pub slot_us: f64,
    /// aSIFSTime, microseconds.
    pub sifs_us: f64,
    /// aCWmin, slots.
    pub cw_min: u32,
    /// aCWmax, slots.
    pub cw_max: u32,
    /// Airtime of an ACK at the lowest mandatory rate: the part of EIFS that depends on the PHY.
    pub lowest_ack_us: f64,
}

/// Table 15-6 and table 16-4: DSSS and HR/DSSS, where the lowest rate is 1 Mb/s with long preamble.
const DSSS: Timing = Timing { slot_us: 20.0, sifs_us: 10.0, cw_min: 31, cw_max: 1023, lowest_ack_us: 304.0 };

/// Table 17-21: OFDM with 20 MHz channel spacing, where the lowest rate is 6 Mb/s.
const OFDM_5_GHZ: Timing = Timing { slot_us: 9.0, sifs_us: 16.0, cw_min: 15, cw_max: 1023, lowest_ack_us: 44.0 };

/// Table 18-5, with the short slot that a BSS of ERP stations uses.
const OFDM_2_4_GHZ: Timing = Timing { sifs_us: 10.0, lowest_ack_us: 50.0, ..OFDM_5_GHZ };

impl Timing {
    /// DIFS = SIFS + 2 slots (clause 10.3.7).
    pub const fn difs_us(&self) -> f64 {
        self.sifs_us + 2.0 * self.slot_us
    }

    /// EIFS = SIFS + the lowest rate's ACK + DIFS (clause 10.3.7).
    pub const fn eifs_us(&self) -> f64 {
        self.sifs_us + self.lowest_ack_us + self.difs_us()
    }
}

/// The timing of a PHY at a channel centre frequency; without one, OFDM is taken to be at 5 GHz.
pub fn timing(phy: Phy, channel_mhz: Option<u16>) -> Timing {
    match phy {
        Phy::Dsss | Phy::HrDsss => DSSS,
        Phy::Erp => OFDM_2_4_GHZ,
        Phy::Ofdm | Phy::Ht | Phy::Vht | Phy::He | Phy::Eht if is_2_4_ghz(channel_mhz) => OFDM_2_4_GHZ,
        Phy::Ofdm | Phy::Ht | Phy::Vht | Phy::He | Phy::Eht => OFDM_5_GHZ,
    }
}

/// SIFS: 10 us at 2.4 GHz, 16 us at 5 and 6 GHz.
pub fn sifs_us(phy: Phy, channel_mhz: Option<u16>) -> f64 {
    timing(phy, channel_mhz).sifs_us
}

/// What follows the last symbol of an OFDM transmission at 2.4 GHz.
pub(super) fn signal_extension_us(phy: Phy, channel_mhz: Option<u16>) -> f64 {
    match phy {
        Phy::Erp => SIGNAL_EXTENSION_US,
        Phy::Ofdm | Phy::Ht | Phy::He | Phy::Eht if is_2_4_ghz(channel_mhz) => SIGNAL_EXTENSION_US,
        _ => 0.0,
    }
}

fn is_2_4_ghz(channel_mhz: Option<u16>) -> bool {
    channel_mhz.is_some_and(|mhz| (2400..2500).contains(&mhz))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interframe_spaces_are_the_standards() {
        let dsss = timing(Phy::HrDsss, None);
        assert_eq!((dsss.sifs_us, dsss.difs_us(), dsss.eifs_us()), (10.0, 50.0, 364.0));
        let ofdm = timing(Phy::Ofdm, Some(5180));
        assert_eq!((ofdm.sifs_us, ofdm.difs_us(), ofdm.eifs_us()), (16.0, 34.0, 94.0));
        let erp = timing(Phy::Ht, Some(2412));
        assert_eq!((erp.sifs_us, erp.difs_us()), (10.0, 28.0));
        assert_eq!(sifs_us(Phy::Ht, None), 16.0);
        assert_eq!(sifs_us(Phy::He, Some(5955)), 16.0);
    }
}
