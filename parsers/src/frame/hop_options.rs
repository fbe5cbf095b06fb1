//! Options of C3TCP in the MAC header of a data frame.

use winf_ieee80211::HopOptions;

/// An options field as it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundOptions {
    /// Its octets.
    pub octets: usize,
    /// What it says.
    pub options: HopOptions,
}
