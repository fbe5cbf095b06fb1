//! Definitions of IEEE 802.11: MAC frames, radiotap headers, airtimes, constants of the PHYs.

pub mod airtime;
pub mod constants;
pub mod dot11;
pub mod radiotap;
