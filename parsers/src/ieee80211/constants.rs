//! The constants of the standard. They are a crate of their own, which the replay engine uses as well.

pub use winf_ieee80211::*;
