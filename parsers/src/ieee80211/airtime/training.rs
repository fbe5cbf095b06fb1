//! The part of a preamble in which a receiver finds a frame.

use crate::frame::{Frame, Phy, Preamble};
use crate::ieee80211::constants::{LONG_SYNC_US, SHORT_SYNC_US, SHORT_TRAINING_US};

/// From the first bit of the preamble to the last by which a receiver can still find the frame; zero without a PHY.
///
/// DSSS has a SYNC field of constant bits, OFDM a short training field. A receiver needs a few microseconds of them, and
/// everything behind them.
pub(crate) fn training_us(frame: &Frame) -> f64 {
    match (frame.phy, frame.preamble) {
        (None, _) => 0.0,
        (Some(Phy::Dsss | Phy::HrDsss), Some(Preamble::Short)) => SHORT_SYNC_US,
        (Some(Phy::Dsss | Phy::HrDsss), _) => LONG_SYNC_US,
        (Some(Phy::Ofdm | Phy::Erp | Phy::Ht | Phy::Vht | Phy::He | Phy::Eht), _) => SHORT_TRAINING_US,
    }
}
