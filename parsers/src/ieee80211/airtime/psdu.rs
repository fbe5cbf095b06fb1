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
    /// The first MPDU has a delimiter.
    is_delimited: bool,
    airtime_us: Option<f64>,
}

impl Psdu {
    /// A PPDU whose first MPDU is `frame`.
    pub(crate) fn new(frame: &Frame) -> Psdu {
        let octets = frame.length_bytes.unwrap_or(0);
        let alone = Psdu { octets, is_delimited: false, airtime_us: frame.airtime_us };
        if is_aggregated(frame) {
            alone.delimited()
        } else {
            alone
        }
    }

    /// The same as part of an A-MPDU, marked by the capture or not: its first MPDU has a delimiter, too.
    pub(crate) fn delimited(self) -> Psdu {
        let delimiter = if self.is_delimited { 0 } else { MPDU_DELIMITER_BYTES };
        Psdu { octets: self.octets.saturating_add(delimiter), is_delimited: true, ..self }
    }

    /// Adds another MPDU of the same PPDU. Every subframe but the last is padded to four octets.
    pub(crate) fn add(&mut self, frame: &Frame) {
        *self = self.delimited();
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
    fn every_subframe_has_a_delimiter_marked_or_not() {
        let mpdu = Frame { phy: Some(Phy::Ht), length_bytes: Some(1500), ..Frame::new(1, 0) };
        let mut psdu = Psdu::new(&mpdu);
        assert_eq!(psdu.octets, 1500, "alone");
        psdu.add(&mpdu);
        assert_eq!(psdu.octets, 2 * 1504);
        psdu.add(&mpdu);
        assert_eq!(psdu.octets, 3 * 1504);
    }

    #[test]
    fn absurd_lengths_saturate() {
        let frame = Frame { length_bytes: Some(u32::MAX), ..Frame::new(1, 0) };
        let mut psdu = Psdu::new(&frame);
        psdu.add(&frame);
        assert_eq!(psdu.octets, u32::MAX);
    }
}
