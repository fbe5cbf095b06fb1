//! A-MPDUs: several packets of one receiver in one PPDU (IEEE 802.11-2020 sec. 9.7, 10.12, 10.25).

use serde::{Deserialize, Serialize};

use winf_ieee80211::{Phy, PhyTiming, BLOCK_ACK_WINDOW, HT_AMPDU_MAX_BYTES, MPDU_DELIMITER_BYTES, PPDU_MAX_NS};

use crate::units::{Nanos, MICROSECOND};

/// How stations aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Aggregation {
    /// Longest A-MPDU, delimiters and padding included, where the link says nothing else; 0: none.
    pub max_ampdu_bytes: u32,
    /// Longest PPDU that carries one.
    pub max_ampdu_ns: Nanos,
    /// Most MPDUs between the first that is not acknowledged and the last that is sent.
    pub block_ack_window: u32,
    /// Preamble and PHY header of PPDUs that carry data, on links that aggregate; those of answers are the MAC's
    /// `plcp_ns`.
    pub preamble_ns: Nanos,
    /// Whether an A-MPDU that is not answered is followed by a BlockAckReq, as in ns-3, and not sent again at once.
    pub block_ack_request: bool,
    /// Attempts in a row of several MPDUs, BlockAckReqs among them, that nobody answers, and attempts of an MPDU that
    /// BlockAcks do not report, after which packets are given up; `None`: those of single frames.
    pub retry_limit: Option<u32>,
    /// Probability that an MPDU that was alone in its PPDU, and not answered, is given up, in place of a limit; `None`:
    /// the limit of single frames counts.
    pub single_give_up: Option<f64>,
}

impl Default for Aggregation {
    /// HT's longest A-MPDU, and the HT-mixed preamble of one spatial stream.
    fn default() -> Self {
        Self {
            max_ampdu_bytes: HT_AMPDU_MAX_BYTES,
            max_ampdu_ns: PPDU_MAX_NS,
            block_ack_window: BLOCK_ACK_WINDOW,
            preamble_ns: PhyTiming::of(Phy::Ht, None).preamble_us as Nanos * MICROSECOND,
            block_ack_request: false,
            retry_limit: None,
            single_give_up: None,
        }
    }
}

/// Octets of an MPDU as a part of an A-MPDU: delimiter, MPDU, padding to four octets (sec. 9.7.1).
#[must_use]
pub fn subframe_bytes(mpdu_bytes: u32) -> u64 {
    u64::from(MPDU_DELIMITER_BYTES) + u64::from(mpdu_bytes).next_multiple_of(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subframes_are_padded() {
        assert_eq!([1000, 1001, 1003, 1004].map(subframe_bytes), [1004, 1008, 1008, 1008]);
    }
}
