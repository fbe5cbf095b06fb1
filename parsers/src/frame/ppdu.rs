//! Preamble fields of a VHT, HE or EHT PPDU besides the columns common to all PHYs.

use crate::base::named::named;

named! {
    /// PPDU formats of HE (IEEE 802.11ax-2021, 27.3.4) and EHT (802.11be-2024, 36.3.4).
    PpduFormat {
        /// HE single user.
        HeSu = "he_su",
        /// HE extended range single user.
        HeErSu = "he_er_su",
        /// HE multi-user, downlink or uplink to one receiver.
        HeMu = "he_mu",
        /// HE trigger-based: one of several stations that respond to a Trigger frame simultaneously.
        HeTb = "he_tb",
        /// EHT multi-user, which also carries a single user.
        EhtMu = "eht_mu",
        /// EHT trigger-based.
        EhtTb = "eht_tb",
    }
}

named! {
    /// A resource unit, or an EHT multiple resource unit, by its number of tones (802.11ax-2021, 27.3.2.2;
    /// 802.11be-2024, 36.3.2).
    Ru {
        /// 2 MHz.
        T26 = "26",
        /// 4 MHz.
        T52 = "52",
        /// 8 MHz.
        T106 = "106",
        /// The whole of 20 MHz.
        T242 = "242",
        /// The whole of 40 MHz.
        T484 = "484",
        /// The whole of 80 MHz.
        T996 = "996",
        /// The whole of 160 MHz.
        T2x996 = "2x996",
        /// The whole of 320 MHz.
        T4x996 = "4x996",
        /// Small MRU.
        T52Plus26 = "52+26",
        /// Small MRU.
        T106Plus26 = "106+26",
        /// 80 MHz less 20 MHz.
        T484Plus242 = "484+242",
        /// 160 MHz less 40 MHz.
        T996Plus484 = "996+484",
        /// 160 MHz less 20 MHz.
        T996Plus484Plus242 = "996+484+242",
        /// 320 MHz less 120 MHz.
        T2x996Plus484 = "2x996+484",
        /// 320 MHz less 80 MHz.
        T3x996 = "3x996",
        /// 320 MHz less 40 MHz.
        T3x996Plus484 = "3x996+484",
    }
}

impl Ru {
    /// The RU that spans a bandwidth, MHz.
    pub const fn whole(bandwidth_mhz: u16) -> Option<Ru> {
        match bandwidth_mhz {
            20 => Some(Ru::T242),
            40 => Some(Ru::T484),
            80 => Some(Ru::T996),
            160 => Some(Ru::T2x996),
            320 => Some(Ru::T4x996),
            _ => None,
        }
    }

    /// N_SD, data subcarriers: the sum over its parts (802.11ax-2021, table 27-14; 802.11be-2024, 36.5).
    pub const fn data_subcarriers(self) -> u16 {
        match self {
            Ru::T26 => 24,
            Ru::T52 => 48,
            Ru::T106 => 102,
            Ru::T242 => 234,
            Ru::T484 => 468,
            Ru::T996 => 980,
            Ru::T2x996 => 2 * 980,
            Ru::T4x996 => 4 * 980,
            Ru::T52Plus26 => 48 + 24,
            Ru::T106Plus26 => 102 + 24,
            Ru::T484Plus242 => 468 + 234,
            Ru::T996Plus484 => 980 + 468,
            Ru::T996Plus484Plus242 => 980 + 468 + 234,
            Ru::T2x996Plus484 => 2 * 980 + 468,
            Ru::T3x996 => 3 * 980,
            Ru::T3x996Plus484 => 3 * 980 + 468,
        }
    }

    /// N_SD of EHT-MCS 14, which duplicates the signal in frequency and uses dual carrier modulation (802.11be-2024,
    /// 36.3.13.10). Defined only for whole bandwidths of 80 MHz and more.
    pub const fn duplicated_data_subcarriers(self) -> Option<u16> {
        match self {
            Ru::T996 => Some(234),
            Ru::T2x996 => Some(490),
            Ru::T4x996 => Some(980),
            _ => None,
        }
    }

    /// N_SD,short: the data subcarriers of a quarter symbol, the unit of pre-FEC padding (802.11ax-2021, table 27-33;
    /// 802.11be-2024, table 36-45).
    pub const fn short_data_subcarriers(self) -> u16 {
        match self {
            Ru::T26 => 6,
            Ru::T52 => 12,
            Ru::T106 => 24,
            Ru::T242 => 60,
            Ru::T484 => 120,
            Ru::T996 => 240,
            Ru::T2x996 => 492,
            Ru::T4x996 => 984,
            Ru::T52Plus26 => 18,
            Ru::T106Plus26 => 30,
            Ru::T484Plus242 => 180,
            Ru::T996Plus484 => 360,
            Ru::T996Plus484Plus242 => 420,
            Ru::T2x996Plus484 => 612,
            Ru::T3x996 => 732,
            Ru::T3x996Plus484 => 852,
        }
    }
}

/// Preamble fields that determine the duration of a PPDU; `None` if not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PpduDetails {
    /// See [`PpduFormat`].
    pub format: Option<PpduFormat>,
    /// Resource unit of the user whose data was recorded.
    pub ru: Option<Ru>,
    /// Dual carrier modulation.
    pub dcm: Option<bool>,
    /// HE-LTF or EHT-LTF size as a multiple of 3.2 us: 1, 2 or 4.
    pub ltf_size: Option<u8>,
    /// Number of LTF symbols, if more than the streams of this user require.
    pub ltf_symbols: Option<u8>,
    /// Symbols of HE-SIG-B or EHT-SIG.
    pub sig_symbols: Option<u8>,
    /// LDPC coding required an extra symbol (VHT) or symbol segment (HE, EHT).
    pub ldpc_extra: Option<bool>,
    /// PE Disambiguity: without it, the packet extension would be counted as a symbol.
    pub pe_disambiguity: Option<bool>,
    /// Symbols between midambles; 0 for none.
    pub midamble_period: Option<u8>,
    /// 20 MHz subchannels were punctured.
    pub punctured: Option<bool>,
    /// LENGTH of the L-SIG field.
    pub l_sig_length: Option<u16>,
    /// The PPDU carried data of other users, too.
    pub multi_user: bool,
    /// The PPDU carried data that was not recorded.
    pub psdu_missing: bool,
    /// See [`HeReading`].
    pub reading: HeReading,
    /// Spatial streams it is taken to have if the header leaves their number open.
    pub presumed_streams: u8,
    /// The rate with these, kb/s, if answers agree with them.
    pub inferred_rate_kbps: Option<u32>,
}

/// How long the parts of an HE PPDU are that neither header nor an L-SIG length gives; what a recording's answers agree
/// with (`clock/readings.rs`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HeReading {
    /// The receiver requires the most packet padding, 16 us (27.3.13).
    #[default]
    Padded,
    /// It requires none.
    Unpadded,
    /// As simulators have it: no packet extension, no symbol more for LDPC, an HE-LTF of 8 us.
    Simulated,
}

impl PpduDetails {
    /// All fields unknown.
    pub const NONE: PpduDetails = PpduDetails {
        format: None,
        ru: None,
        dcm: None,
        ltf_size: None,
        ltf_symbols: None,
        sig_symbols: None,
        ldpc_extra: None,
        pe_disambiguity: None,
        midamble_period: None,
        punctured: None,
        l_sig_length: None,
        multi_user: false,
        psdu_missing: false,
        reading: HeReading::Padded,
        presumed_streams: 1,
        inferred_rate_kbps: None,
    };

    /// True for PPDUs with data from or for several stations, which end at the same time.
    pub fn is_multi_user(&self) -> bool {
        use PpduFormat as F;
        self.multi_user || matches!(self.format, Some(F::HeMu | F::HeTb | F::EhtTb))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_symbol_is_about_a_quarter() {
        for ru in Ru::ALL {
            let quarter = f32::from(ru.data_subcarriers()) / 4.0;
            let short = f32::from(ru.short_data_subcarriers());
            assert!(short <= quarter * 1.03 && short > quarter * 0.9, "{}: {short} of {quarter}", ru.name());
        }
    }
}
