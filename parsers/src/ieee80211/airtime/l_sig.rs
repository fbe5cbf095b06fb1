//! TXTIME from the LENGTH field of L-SIG, which in VHT, HE and EHT encodes the duration of the PPDU.
//!
//! HT is excluded: its L-SIG may reserve the medium for longer than the PPDU (19.3.9.3.5).

use super::he;
use crate::frame::ppdu::PpduFormat;
use crate::frame::{Frame, Phy};

/// Octets that OFDM at 6 Mb/s sends in a symbol of 4 us.
const OCTETS_PER_SYMBOL: u64 = 3;
const SYMBOL_NS: u64 = 4_000;

/// TXTIME without signal extension, microseconds, and whether it is exact. It is up to 4 us too long if the header
/// lacks the fields to undo the rounding of LENGTH. `None` without a valid L-SIG length.
pub(super) fn txtime_us(frame: &Frame) -> Option<(f64, bool)> {
    let phy = frame.phy?;
    // LENGTH = 3 ceil((TXTIME - 20) / 4) - 3 - m (21-47, 27-11, 36-17): m distinguishes the HE formats.
    let m = match (phy, frame.ppdu.format) {
        (Phy::Vht | Phy::Eht, _) => 0,
        (Phy::He, Some(PpduFormat::HeMu | PpduFormat::HeErSu)) => 1,
        (Phy::He, _) => 2,
        _ => return None,
    };
    let octets = u64::from(frame.ppdu.l_sig_length?) + OCTETS_PER_SYMBOL + m;
    let after_l_sig_ns = octets.is_multiple_of(OCTETS_PER_SYMBOL).then_some(octets / OCTETS_PER_SYMBOL * SYMBOL_NS)?;
    if phy != Phy::Vht {
        return he::rounded_txtime_us(frame, after_l_sig_ns);
    }
    let txtime_us = (he::LEGACY_NS + after_l_sig_ns) as f64 / 1000.0;
    let is_possible = super::vht::preamble_us(frame).is_none_or(|preamble| preamble <= txtime_us);
    is_possible.then_some((txtime_us, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(phy: Phy, format: Option<PpduFormat>, length: u16) -> Frame {
        let mut frame = Frame { phy: Some(phy), nss: Some(1), guard_ns: Some(800), ..Frame::new(1, 0) };
        frame.ppdu.format = format;
        frame.ppdu.l_sig_length = Some(length);
        frame
    }

    #[test]
    fn vht_counts_in_whole_symbols() {
        // 40 us of preamble and 8 symbols: LENGTH = 3 (72 - 20) / 4 - 3.
        assert_eq!(txtime_us(&frame(Phy::Vht, None, 36)), Some((72.0, true)));
        assert_eq!(txtime_us(&frame(Phy::Vht, None, 37)), None, "no VHT length");
        assert_eq!(txtime_us(&frame(Phy::Vht, None, 9)), None, "36 us, less than the preamble");
        assert_eq!(txtime_us(&frame(Phy::Ht, None, 36)), None);
    }

    #[test]
    fn he_lengths_are_rounded_up_and_the_header_can_undo_it() {
        // 43.2 us up to the data, 5 symbols of 13.6 us, 8 us of packet extension: 119.2 us, rounded to 120.
        let mut he = frame(Phy::He, Some(PpduFormat::HeSu), 70);
        assert_eq!(txtime_us(&he), Some((120.0, false)));
        he.ppdu.ltf_size = Some(2);
        he.ppdu.pe_disambiguity = Some(false);
        assert_eq!(txtime_us(&he), Some((119.2, true)));
        // With 16 us of extension, 127.2 us, 13.6 us of it look like a sixth symbol.
        he.ppdu.l_sig_length = Some(76);
        he.ppdu.pe_disambiguity = Some(true);
        assert_eq!(txtime_us(&he), Some((127.2, true)));
        he.ppdu.format = Some(PpduFormat::HeMu);
        assert_eq!(txtime_us(&he), None, "a length of HE SU");
    }
}
