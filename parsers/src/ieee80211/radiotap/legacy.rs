//! PHY of frames whose radiotap header has a rate and no MCS.

use super::header::{Flags, CHANNEL_2_GHZ, CHANNEL_5_GHZ};
use crate::frame::{Frame, Phy, Preamble};
use crate::ieee80211::constants::Band;

const CHANNEL_HALF_OR_QUARTER: u16 = 0xc000;

/// Fills `rate_mbps`, `phy` and `preamble` from the rate (500 kb/s units), channel and flags.
///
/// The rate separates DSSS and HR-DSSS from OFDM; the band separates ERP-OFDM from OFDM. Frames in half-clocked and
/// quarter-clocked channels get a rate but no PHY, because their symbols are longer.
pub(super) fn fill(frame: &mut Frame, rate_500k: u8, channel_flags: u16, flags: Option<Flags>) {
    if rate_500k == 0 {
        return;
    }
    frame.rate_mbps = Some(f32::from(rate_500k) / 2.0);
    if channel_flags & CHANNEL_HALF_OR_QUARTER != 0 {
        return;
    }
    frame.phy = match rate_500k {
        2 | 4 => Some(Phy::Dsss),
        11 | 22 => Some(Phy::HrDsss),
        12 | 18 | 24 | 36 | 48 | 72 | 96 | 108 if is_2_ghz(frame.channel_mhz, channel_flags) => Some(Phy::Erp),
        12 | 18 | 24 | 36 | 48 | 72 | 96 | 108 => Some(Phy::Ofdm),
        _ => None, // turbo, PBCC, or an MCS index written as a rate
    };
    if let (Some(Phy::Dsss | Phy::HrDsss), Some(flags)) = (frame.phy, flags) {
        // The short preamble does not exist at 1 Mb/s (IEEE 802.11-2020, 16.2.2.3).
        let short = flags.short_preamble() && rate_500k > 2;
        frame.preamble = Some(if short { Preamble::Short } else { Preamble::Long });
    }
}

fn is_2_ghz(channel_mhz: Option<u16>, channel_flags: u16) -> bool {
    match channel_mhz {
        Some(mhz) => Band::of(mhz) == Some(Band::Ghz2_4),
        None => channel_flags & (CHANNEL_2_GHZ | CHANNEL_5_GHZ) == CHANNEL_2_GHZ,
    }
}
