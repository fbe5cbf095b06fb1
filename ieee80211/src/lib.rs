//! The constants of IEEE 802.11, stated once: parsers, replay engine, estimators and the Python package read them here.
//!
//! Clauses and tables are those of IEEE Std 802.11-2020, of IEEE 802.11ax-2021 where a number begins with 27, and of
//! IEEE 802.11be-2024 where it begins with 36. A unit is part of a name. [`constants`] lists everything as rows; the
//! test `standard` compares those with the values of the standard.

mod band;
mod codes;
mod constants;
mod edca;
mod hop_options;
mod mac;
mod phy;
mod timing;

pub use band::{is_10_mhz_channel, Band};
pub use codes::{Code, REASONS, STATUSES};
pub use constants::{constants, Constant};
pub use edca::{AccessCategory, DCF_AIFSN};
pub use hop_options::{HopOptions, HopOptionsError, HOP_OPTIONS_FRAME_CONTROL};
pub use mac::*;
pub use phy::Phy;
pub use timing::{
    PhyTiming, LEGACY_PPDU_MAX_NS, LONG_PLCP_US, LONG_SLOT_US, LONG_SYNC_US, OFDM_10_MHZ_SLOT_US, OFDM_PREAMBLE_US,
    OFDM_SERVICE_AND_TAIL_BITS, OFDM_SYMBOL_US, SERVICE_BITS, SHORT_PLCP_US, SHORT_SLOT_US, SHORT_SYNC_US,
    SHORT_TRAINING_US, SIGNAL_EXTENSION_US, TAIL_BITS,
};
