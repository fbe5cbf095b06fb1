//! Determines which assumptions an airtime computation made for fields that were not recorded.

use super::{he, ofdm};
use crate::frame::ppdu::HeReading;
use crate::frame::{Assumptions, Frame, Phy};

/// For an airtime from the L-SIG length, exact or up to 4 us too long.
pub(super) fn by_l_sig(frame: &Frame, is_exact: bool) -> Assumptions {
    let mut set = Set::default();
    set.add(!is_exact, Assumptions::L_SIG_STEPS);
    set.add_band(frame);
    set.0
}

/// For an airtime from rate and length.
pub(super) fn by_rate(frame: &Frame, phy: Phy) -> Assumptions {
    let mut set = Set::default();
    set.add_band(frame);
    match phy {
        Phy::Dsss | Phy::HrDsss => set.add(frame.preamble.is_none(), Assumptions::LONG_PREAMBLE),
        Phy::Ofdm | Phy::Erp => {}
        Phy::Ht | Phy::Vht => {
            set.add(phy == Phy::Ht && frame.preamble.is_none(), Assumptions::HT_MIXED);
            set.add(frame.guard_ns.is_none(), Assumptions::LONG_GUARD);
            set.add(frame.ldpc.is_none(), Assumptions::BCC);
            set.add(frame.ppdu.is_multi_user(), Assumptions::NO_LONGER_USER);
        }
        Phy::He | Phy::Eht => {
            set.add(frame.guard_ns.is_none(), Assumptions::GUARD_800);
            set.add(he::ldpc(frame).is_none(), Assumptions::BCC);
            let reading = frame.ppdu.reading;
            set.add(frame.ppdu.ltf_size.is_none() && reading != HeReading::Simulated, Assumptions::LTF_SIZE);
            set.add(he::has_sig_field(frame) && frame.ppdu.sig_symbols.is_none(), Assumptions::SIG_SYMBOLS);
            set.add(frame.ppdu.is_multi_user(), Assumptions::NO_LONGER_USER);
            set.add(
                true,
                match reading {
                    HeReading::Padded => Assumptions::PACKET_PADDING_16,
                    HeReading::Unpadded => Assumptions::NO_PACKET_PADDING,
                    HeReading::Simulated => Assumptions::SIMULATED_HE,
                },
            );
        }
    }
    set.add(phy == Phy::Ofdm && ofdm::is_10_mhz(frame) && frame.bandwidth_mhz.is_none(), Assumptions::BANDWIDTH_10);
    if matches!(phy, Phy::Ht | Phy::Vht | Phy::He | Phy::Eht) {
        set.add(frame.bandwidth_mhz.is_none() && frame.ppdu.ru.is_none(), Assumptions::BANDWIDTH_20);
        set.add(frame.stbc.is_none() && phy != Phy::Eht, Assumptions::NO_STBC);
        set.add(frame.ampdu_ref.is_some(), Assumptions::AMPDU_ALONE);
    }
    set.0
}

#[derive(Default)]
struct Set(Assumptions);

impl Set {
    fn add(&mut self, missing: bool, what: Assumptions) {
        if missing {
            self.0.insert(what);
        }
    }

    /// OFDM at 2.4 GHz ends with a signal extension; for ERP-OFDM the PHY itself implies the band.
    fn add_band(&mut self, frame: &Frame) {
        let depends = matches!(frame.phy, Some(Phy::Ofdm | Phy::Ht | Phy::He | Phy::Eht));
        self.add(depends && frame.channel_mhz.is_none(), Assumptions::BAND_5_GHZ);
    }
}
