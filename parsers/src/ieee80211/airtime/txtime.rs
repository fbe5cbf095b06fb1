//! The airtime of a frame by its PHY, and its assumptions.

use super::{assumed, dsss, he, ht, l_sig, ofdm, vht};
use crate::frame::ppdu::HeReading;
use crate::frame::{Assumptions, Frame, Phy};
use crate::ieee80211::constants::{PhyTiming, MPDU_DELIMITER_BYTES};

/// Sets `airtime_us` and adds the assumptions made to `assumptions`.
///
/// A subframe of an A-MPDU gets the airtime of a PPDU with that subframe alone, marked
/// [`AMPDU_ALONE`](crate::frame::Assumptions::AMPDU_ALONE), until the others are known. For the whole A-MPDU, add up
/// the lengths and call [`ppdu_us`]. The airtime stays `None` without a PHY, a length or a standard rate.
pub fn fill(frame: &mut Frame) {
    if frame.ppdu.psdu_missing {
        frame.length_bytes = None;
    }
    let (Some(phy), false) = (frame.phy, frame.length_bytes.is_none() && frame.ppdu.l_sig_length.is_none()) else {
        frame.airtime_us = None;
        return;
    };
    frame.airtime_us = match frame.length_bytes {
        Some(0) => ndp_us(frame),
        Some(length) => {
            ppdu_us(frame, length.saturating_add(if is_aggregated(frame) { MPDU_DELIMITER_BYTES } else { 0 }))
        }
        None => l_sig::txtime_us(frame).map(|(txtime, _)| txtime + signal_extension_us(frame)),
    };
    if frame.airtime_us.is_some() {
        frame.assumptions.insert(match l_sig::txtime_us(frame) {
            Some((_, is_exact)) => assumed::by_l_sig(frame, is_exact),
            None => assumed::by_rate(frame, phy),
        });
    }
}

/// True if the airtime depends on a [`HeReading`]: HE without an L-SIG length.
pub(crate) fn is_read(frame: &Frame) -> bool {
    frame.phy == Some(Phy::He) && frame.airtime_us.is_some() && l_sig::txtime_us(frame).is_none()
}

/// True if the header of such a frame leaves the number of its streams open, and with it the rate.
pub(crate) fn has_open_streams(frame: &Frame) -> bool {
    is_read(frame) && frame.nss.is_none() && frame.rate_mbps.is_none()
}

/// Computes the airtime of [`fill`] anew with another reading, and so many streams if the header leaves them open.
pub(crate) fn read_as(frame: &mut Frame, reading: HeReading, streams: u8) {
    let streams = if has_open_streams(frame) { streams } else { frame.ppdu.presumed_streams };
    let is_so = frame.ppdu.reading == reading && frame.ppdu.presumed_streams == streams;
    if is_so || !is_read(frame) {
        return;
    }
    for one in [Assumptions::PACKET_PADDING_16, Assumptions::NO_PACKET_PADDING, Assumptions::SIMULATED_HE] {
        frame.assumptions.remove(one);
    }
    frame.assumptions.remove(Assumptions::LTF_SIZE);
    frame.ppdu.reading = reading;
    frame.ppdu.presumed_streams = streams;
    fill(frame);
}

/// Takes the rate to be that of the presumed streams, if the header leaves open how many there were.
pub(crate) fn infer_rate(frame: &mut Frame) {
    if has_open_streams(frame) {
        frame.ppdu.inferred_rate_kbps = he::rate_kbps(frame);
    }
}

/// The airtime of a PPDU of this frame's modulation with `psdu_bytes` octets of PSDU: an MPDU with its FCS, or a whole
/// A-MPDU with delimiters and padding. If L-SIG contains the duration of the PPDU, it takes precedence over the
/// received length.
///
/// `None` if the PHY or its rate is unknown or not in the standard.
pub fn ppdu_us(frame: &Frame, psdu_bytes: u32) -> Option<f64> {
    let txtime = match l_sig::txtime_us(frame) {
        Some((txtime, _)) => txtime,
        None => txtime_us(frame, psdu_bytes)?,
    };
    Some(txtime + signal_extension_us(frame))
}

/// The airtime of a null data packet: its preamble, and in HE and EHT a packet extension of 4 us (27.3.18).
fn ndp_us(frame: &Frame) -> Option<f64> {
    let extension_us = if matches!(frame.phy?, Phy::He | Phy::Eht) { 4.0 } else { 0.0 };
    Some(preamble_us(frame)? + extension_us + signal_extension_us(frame))
}

/// TXTIME from rate and length, without signal extension.
fn txtime_us(frame: &Frame, psdu_bytes: u32) -> Option<f64> {
    match frame.phy? {
        Phy::Dsss | Phy::HrDsss => dsss::txtime_us(frame, psdu_bytes),
        Phy::Ofdm | Phy::Erp => ofdm::txtime_us(frame, psdu_bytes),
        Phy::Ht => ht::txtime_us(frame, psdu_bytes),
        Phy::Vht => vht::txtime_us(frame, psdu_bytes),
        Phy::He | Phy::Eht => he::txtime_us(frame, psdu_bytes),
    }
}

/// From the first preamble bit to the end of the symbol that contains the last of `psdu_bytes` octets, from the rate.
/// `None` as for [`ppdu_us`].
pub(crate) fn sent_by_us(frame: &Frame, psdu_bytes: u32) -> Option<f64> {
    match frame.phy? {
        Phy::He | Phy::Eht => he::sent_by_us(frame, psdu_bytes),
        _ => txtime_us(frame, psdu_bytes),
    }
}

/// From the first preamble bit to the first bit of the MPDU: the offset between timestamps that mark the frame start
/// and the MPDU start. `None` as for [`ppdu_us`]; independent of the rate.
pub fn preamble_us(frame: &Frame) -> Option<f64> {
    match frame.phy? {
        Phy::Dsss | Phy::HrDsss => Some(dsss::plcp_us(frame.preamble)),
        Phy::Ofdm | Phy::Erp => Some(ofdm::preamble_us(frame)),
        Phy::Ht => ht::preamble_us(frame),
        Phy::Vht => vht::preamble_us(frame),
        Phy::He | Phy::Eht => he::preamble_us(frame),
    }
}

/// The signal extension that ends OFDM transmissions at 2.4 GHz; part of the airtime.
pub(crate) fn signal_extension_us(frame: &Frame) -> f64 {
    frame.phy.map_or(0.0, |phy| PhyTiming::of(phy, frame.channel_mhz).signal_extension_us)
}

/// True for frames with an A-MPDU delimiter: from VHT on, even a single MPDU is an A-MPDU (10.12.8).
pub(crate) fn is_aggregated(frame: &Frame) -> bool {
    frame.ampdu_number().is_some() || matches!(frame.phy, Some(Phy::Vht | Phy::He | Phy::Eht))
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
    fn what_an_l_sig_tells_needs_no_assumption() {
        let he = Frame { mcs: Some(5), nss: Some(1), ampdu_ref: Some(3), ..frame(Phy::He, 1500) };
        let mut by_rate = Frame { channel_mhz: Some(5180), ..he };
        let mut by_l_sig = by_rate.clone();
        fill(&mut by_rate);
        let names = "bandwidth_20_mhz,bcc,no_stbc,ampdu_subframe_alone,guard_800_ns,ltf_size,packet_padding_16_us";
        assert_eq!(by_rate.assumptions.text(), names);
        by_l_sig.ppdu.l_sig_length = Some(400);
        fill(&mut by_l_sig);
        assert_eq!((by_l_sig.airtime_us, by_l_sig.assumptions.text()), (Some(560.0), "l_sig_steps".to_owned()));
        assert_eq!(ppdu_us(&by_l_sig, 40_000), Some(560.0), "however much was heard");
    }

    #[test]
    fn a_missing_rate_leaves_the_airtime_unknown() {
        let impossible = Frame { mcs: Some(100), ..frame(Phy::Ht, 100) };
        for mut incomplete in [frame(Phy::Dsss, 100), frame(Phy::He, 100), impossible, Frame::new(1, 0)] {
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
