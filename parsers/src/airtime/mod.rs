//! How long a frame was on the air: TXTIME of each PHY, and what had to be assumed for it.
//!
//! One file per modulation family, each with the standard's equation; clause numbers are those of
//! IEEE Std 802.11-2020. Times are microseconds. The result is the time the medium carried the
//! PPDU, from the first preamble bit to the end of the last symbol, with the 6 us signal extension
//! that OFDM transmissions at 2.4 GHz reserve after it.

mod dsss;
mod ht;
mod ldpc;
mod ofdm;
mod timing;
mod vht;

pub use timing::{sifs_us, timing, Timing};

use crate::frame::{Assumptions, Frame, Phy};

/// Octets of the delimiter before each MPDU of an A-MPDU (clause 9.7.1).
const DELIMITER_BYTES: u32 = 4;

/// Sets `airtime_us` and adds to `assumptions` what had to be assumed for it.
///
/// A subframe of an A-MPDU gets the airtime of a PPDU with that subframe alone, marked
/// [`Assumptions::AMPDU_ALONE`]; for the whole A-MPDU, add up the lengths and call [`ppdu_us`].
/// Without a PHY, a length or a rate the standard knows, the airtime stays unknown.
pub fn fill(frame: &mut Frame) {
    let (Some(phy), Some(length)) = (frame.phy, frame.length_bytes) else {
        frame.airtime_us = None;
        return;
    };
    let aggregated = phy == Phy::Vht || (phy == Phy::Ht && frame.ampdu_ref.is_some());
    let psdu_bytes = if aggregated { length.saturating_add(DELIMITER_BYTES) } else { length };
    frame.airtime_us = ppdu_us(frame, psdu_bytes);
    let assumed = match frame.airtime_us {
        Some(_) => assumptions(frame, phy),
        None if is_computed(frame, phy) => Assumptions::NONE,
        None => Assumptions::PHY_NOT_COMPUTED,
    };
    frame.assumptions.insert(assumed);
}

/// The airtime of a PPDU of this frame's modulation with `psdu_bytes` octets of PSDU: an MPDU with
/// its FCS, or a whole A-MPDU with delimiters and padding.
///
/// `None` where the PHY or its rate is unknown, not in the standard, or not computed here (HE, EHT,
/// HT with unequal modulation, VHT with more than four streams).
pub fn ppdu_us(frame: &Frame, psdu_bytes: u32) -> Option<f64> {
    let txtime = match frame.phy? {
        Phy::Dsss | Phy::HrDsss => dsss::txtime_us(frame, psdu_bytes)?,
        Phy::Ofdm | Phy::Erp => ofdm::txtime_us(frame, psdu_bytes)?,
        Phy::Ht => ht::txtime_us(frame, psdu_bytes)?,
        Phy::Vht => vht::txtime_us(frame, psdu_bytes)?,
        Phy::He | Phy::Eht => return None,
    };
    Some(txtime + timing::signal_extension_us(frame.phy?, frame.channel_mhz))
}

/// From the first preamble bit to the first bit of the MPDU: what lies between a stamp of the start
/// of the frame and one of the start of the MPDU. `None` as for [`ppdu_us`], whatever the rate.
pub fn preamble_us(frame: &Frame) -> Option<f64> {
    match frame.phy? {
        Phy::Dsss | Phy::HrDsss => Some(dsss::plcp_us(frame.preamble)),
        Phy::Ofdm | Phy::Erp => Some(ofdm::preamble_us(frame.bandwidth_mhz)),
        Phy::Ht => ht::preamble_us(frame),
        Phy::Vht => vht::preamble_us(frame),
        Phy::He | Phy::Eht => None,
    }
}

/// True where the equations are here, so that a missing airtime is a missing or impossible rate.
fn is_computed(frame: &Frame, phy: Phy) -> bool {
    match phy {
        Phy::Dsss | Phy::HrDsss | Phy::Ofdm | Phy::Erp => true,
        Phy::Ht => frame.mcs.is_none_or(|mcs| mcs <= ht::LAST_EQUAL_MODULATION),
        Phy::Vht => frame.nss.is_none_or(|nss| nss <= vht::MAX_STREAMS),
        Phy::He | Phy::Eht => false,
    }
}

/// What the equations took for granted because the record does not say.
fn assumptions(frame: &Frame, phy: Phy) -> Assumptions {
    let mut set = Assumptions::NONE;
    let mut assume = |missing: bool, what: Assumptions| {
        if missing {
            set.insert(what);
        }
    };
    match phy {
        Phy::Dsss | Phy::HrDsss => assume(frame.preamble.is_none(), Assumptions::LONG_PREAMBLE),
        Phy::Ofdm => assume(frame.channel_mhz.is_none(), Assumptions::BAND_5_GHZ),
        Phy::Ht | Phy::Vht => {
            assume(frame.guard_ns.is_none(), Assumptions::LONG_GUARD);
            assume(frame.bandwidth_mhz.is_none(), Assumptions::BANDWIDTH_20);
            assume(frame.ldpc.is_none(), Assumptions::BCC);
            assume(frame.stbc.is_none(), Assumptions::NO_STBC);
            assume(frame.ampdu_ref.is_some(), Assumptions::AMPDU_ALONE);
            assume(phy == Phy::Ht && frame.preamble.is_none(), Assumptions::HT_MIXED);
            assume(phy == Phy::Ht && frame.channel_mhz.is_none(), Assumptions::BAND_5_GHZ);
        }
        Phy::Erp | Phy::He | Phy::Eht => {}
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(phy: Phy, length: u32) -> Frame {
        Frame { phy: Some(phy), length_bytes: Some(length), ..Frame::new(1, 0) }
    }

    #[test]
    fn assumptions_name_what_the_record_does_not_say() {
        let mut bare = Frame { mcs: Some(7), ampdu_ref: Some(3), ..frame(Phy::Ht, 1500) };
        fill(&mut bare);
        let names = "ht_mixed,long_guard_interval,bandwidth_20_mhz,bcc,no_stbc,band_5_ghz,ampdu_subframe_alone";
        assert_eq!(bare.assumptions.text(), names);

        let mut dsss = Frame { rate_mbps: Some(1.0), ..frame(Phy::Dsss, 14) };
        fill(&mut dsss);
        assert_eq!((dsss.airtime_us, dsss.assumptions), (Some(304.0), Assumptions::LONG_PREAMBLE));

        let mut erp = Frame { rate_mbps: Some(24.0), channel_mhz: Some(2437), ..frame(Phy::Erp, 14) };
        fill(&mut erp);
        assert_eq!((erp.airtime_us, erp.assumptions), (Some(34.0), Assumptions::NONE));
    }

    #[test]
    fn a_phy_without_equations_says_so_and_a_missing_rate_does_not() {
        for mut he in [frame(Phy::He, 100), Frame { mcs: Some(40), ..frame(Phy::Ht, 100) }] {
            fill(&mut he);
            assert_eq!((he.airtime_us, he.assumptions), (None, Assumptions::PHY_NOT_COMPUTED));
        }
        for mut incomplete in [frame(Phy::Dsss, 100), frame(Phy::Ht, 100), Frame::new(1, 0)] {
            fill(&mut incomplete);
            assert_eq!((incomplete.airtime_us, incomplete.assumptions), (None, Assumptions::NONE));
        }
    }

    #[test]
    fn an_ampdu_carries_one_preamble() {
        let subframe = Frame { mcs: Some(0), ampdu_ref: Some(1), ..frame(Phy::Ht, 96) };
        // 36 us of preamble, then 100 octets: (800 + 22) / 26 -> 32 symbols; 200: 63 symbols.
        assert_eq!(ppdu_us(&subframe, 100), Some(36.0 + 128.0));
        assert_eq!(ppdu_us(&subframe, 200), Some(36.0 + 252.0));
        let mut alone = subframe;
        fill(&mut alone);
        assert_eq!(alone.airtime_us, Some(36.0 + 128.0));
    }

    #[test]
    fn no_field_value_panics_or_gives_a_nonsensical_time() {
        for &phy in Phy::ALL {
            for mcs in 0..=u8::MAX {
                for (nss, stbc, width, guard) in
                    [(0, 0, 0, 0), (255, 255, 65535, 65535), (1, 1, 20, 400), (4, 3, 160, 800)]
                {
                    let mut odd = Frame {
                        mcs: Some(mcs),
                        nss: Some(nss),
                        stbc: Some(stbc),
                        bandwidth_mhz: Some(width),
                        guard_ns: Some(guard),
                        ldpc: Some(mcs % 2 == 0),
                        rate_mbps: Some([f32::NAN, -1.0, 0.0, f32::INFINITY][usize::from(mcs) % 4]),
                        ..frame(phy, u32::MAX)
                    };
                    fill(&mut odd);
                    assert!(odd.airtime_us.is_none_or(|us| us.is_finite() && us > 0.0), "{odd:?}");
                    assert!(preamble_us(&odd).is_none_or(|us| us > 0.0));
                }
            }
        }
    }
}
