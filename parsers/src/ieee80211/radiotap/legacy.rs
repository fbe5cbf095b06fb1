//! PHY of frames whose radiotap header has a rate and no MCS.

use super::header::{Flags, CHANNEL_2_GHZ, CHANNEL_5_GHZ};
use crate::frame::{Frame, Phy, Preamble};
use crate::ieee80211::constants::{is_10_mhz_channel, Band};

const HALF: u16 = 0x4000;
const HALF_OR_QUARTER: u16 = 0xc000;

/// Fills `rate_mbps`, `phy` and `preamble` from the rate (500 kb/s units), channel and flags.
///
/// The rate separates DSSS and HR-DSSS from OFDM; the band separates ERP-OFDM from OFDM. Frames in quarter-clocked
/// channels, and in half-clocked ones that are none of 5.9 GHz, get a rate but no PHY, because their symbols are longer.
pub(super) fn fill(frame: &mut Frame, rate_500k: u8, channel_flags: u16, flags: Option<Flags>) {
    if rate_500k == 0 {
        return;
    }
    frame.rate_mbps = Some(f32::from(rate_500k) / 2.0);
    let is_10_mhz = frame.channel_mhz.is_some_and(is_10_mhz_channel);
    match channel_flags & HALF_OR_QUARTER {
        0 => {}
        HALF if is_10_mhz => frame.bandwidth_mhz = Some(10),
        _ => return,
    }
    frame.phy = match rate_500k {
        6 | 9 | 54 if is_10_mhz => Some(Phy::Ofdm), // 3, 4.5 and 27 Mb/s, which no channel of 20 MHz has
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
