//! The constants of the standard, from a separate crate that the replay engine also uses.

pub use winf_ieee80211::*;
