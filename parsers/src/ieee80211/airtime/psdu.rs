//! Accumulates the PSDU length of a PPDU from its received MPDUs.

use super::txtime::{is_aggregated, ppdu_us};
use crate::frame::Frame;
use crate::ieee80211::constants::MPDU_DELIMITER_BYTES;

/// The PSDU of one PPDU: a single MPDU, or the received subframes of an A-MPDU.
///
/// Subframes that were not received are missing; the airtime is then a lower bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Psdu {
    octets: u32,
    airtime_us: Option<f64>,
}

impl Psdu {
    /// A PPDU whose first MPDU is `frame`.
    pub(crate) fn new(frame: &Frame) -> Psdu {
        let delimiter = if is_aggregated(frame) { MPDU_DELIMITER_BYTES } else { 0 };
        Psdu { octets: frame.length_bytes.unwrap_or(0).saturating_add(delimiter), airtime_us: frame.airtime_us }
    }

    /// Adds another MPDU of the same PPDU. Every subframe but the last is padded to four octets.
    pub(crate) fn add(&mut self, frame: &Frame) {
        let padded = self.octets.checked_next_multiple_of(4).unwrap_or(u32::MAX);
        let subframe = frame.length_bytes.unwrap_or(0).saturating_add(MPDU_DELIMITER_BYTES);
        self.octets = padded.saturating_add(subframe);
        self.airtime_us = ppdu_us(frame, self.octets);
    }

    /// Octets so far, delimiters and padding included.
    pub(crate) fn octets(&self) -> u32 {
        self.octets
    }

    /// Time on the air with one preamble, microseconds.
    pub(crate) fn airtime_us(&self) -> Option<f64> {
        self.airtime_us
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Phy;

    #[test]
    fn an_ampdu_is_padded_between_its_subframes_and_has_one_preamble() {
        let subframe = |length| Frame {
            phy: Some(Phy::Ht),
            mcs: Some(7),
            bandwidth_mhz: Some(20),
            guard_ns: Some(800),
            channel_mhz: Some(5180),
            rate_mbps: Some(65.0),
            length_bytes: Some(length),
            ampdu_ref: Some(1),
            ..Frame::new(1, 0)
        };
        let mut psdu = Psdu::new(&subframe(1501));
        psdu.add(&subframe(1501));
        // 1505 padded to 1508, then 1505 more; 24104 + 22 bits in symbols of 260 is 93.
        assert_eq!(psdu.octets, 3013);
        assert_eq!(psdu.airtime_us(), Some(36.0 + 93.0 * 4.0));
    }

    #[test]
    fn absurd_lengths_saturate() {
        let frame = Frame { length_bytes: Some(u32::MAX), ..Frame::new(1, 0) };
        let mut psdu = Psdu::new(&frame);
        psdu.add(&frame);
        assert_eq!(psdu.octets, u32::MAX);
    }
}
