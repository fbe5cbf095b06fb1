//! Interframe spaces, slots, contention windows and preambles of each PHY.

use crate::band::{is_10_mhz_channel, Band, TEN_MHZ_CHANNELS};
use crate::mac::{ACK_BYTES, MAX_CW, MPDU_MAX_BYTES};
use crate::phy::Phy;

/// Long preamble and PLCP header of DSSS and HR/DSSS: 144 + 48 bits at 1 Mb/s (15.2.2, 16.2.2.2).
pub const LONG_PLCP_US: f64 = 192.0;
/// Short preamble of HR/DSSS at 1 Mb/s and PLCP header at 2 Mb/s: 72 + 24 us (16.2.2.3).
pub const SHORT_PLCP_US: f64 = 96.0;
/// L-STF, L-LTF and L-SIG, with which every OFDM PPDU but HT-greenfield begins (table 17-5), 20 MHz.
pub const OFDM_PREAMBLE_US: f64 = 20.0;
/// SYNC, the first field of the long preamble, in which a receiver finds the frame (15.2.3.2, 16.2.3.2).
pub const LONG_SYNC_US: f64 = 128.0;
/// SYNC of the short preamble (16.2.3.9).
pub const SHORT_SYNC_US: f64 = 56.0;
/// L-STF or HT-GF-STF, in which a receiver finds an OFDM PPDU (tables 17-5, 19-6), 20 MHz.
pub const SHORT_TRAINING_US: f64 = 8.0;
/// T_SYM of OFDM (table 17-5), 20 MHz.
pub const OFDM_SYMBOL_US: f64 = 4.0;
/// SERVICE field of every PHY with OFDM, bits (17.3.5.2).
pub const SERVICE_BITS: u64 = 16;
/// Tail of one encoder of the convolutional code, bits (17.3.5.3).
pub const TAIL_BITS: u64 = 6;
/// Both in a PPDU with one encoder, bits.
pub const OFDM_SERVICE_AND_TAIL_BITS: u32 = (SERVICE_BITS + TAIL_BITS) as u32;
/// aSlotTime of DSSS, and of ERP stations that do not use the short slot time (tables 15-6, 16-4, 18-5).
pub const LONG_SLOT_US: f64 = 20.0;
/// aSlotTime of OFDM, and of ERP stations that use the short slot time (tables 17-21, 18-5).
pub const SHORT_SLOT_US: f64 = 9.0;
/// aSlotTime of OFDM with 10 MHz channel spacing (table 17-21).
pub const OFDM_10_MHZ_SLOT_US: f64 = 13.0;
/// aSignalExtension: silence that ends every OFDM PPDU at 2.4 GHz and counts as part of it (table 19-25, 18.3.2.4).
pub const SIGNAL_EXTENSION_US: f64 = 6.0;

/// What channel access and airtimes need to know of a PHY in a band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhyTiming {
    /// The PHY.
    pub phy: Phy,
    /// The band; `Ghz5` also stands for 6 GHz, where the same holds.
    pub band: Band,
    /// Channel spacing, MHz: 10, or 20 for all others.
    pub spacing_mhz: u16,
    /// aSlotTime, microseconds; the short one where there are two.
    pub slot_us: f64,
    /// aSIFSTime, microseconds.
    pub sifs_us: f64,
    /// aCWmin, slots.
    pub cw_min: u32,
    /// aCWmax, slots.
    pub cw_max: u32,
    /// aSignalExtension, microseconds; 0 where the PHY has none.
    pub signal_extension_us: f64,
    /// From the first preamble bit to the first bit of the PSDU, microseconds: with the long preamble (DSSS), one
    /// spatial stream, and the usual LTF (HT-mixed; HE and EHT SU: 2x LTF of 6.4 us with 1.6 us of guard interval).
    pub preamble_us: f64,
    /// Lowest data rate, Mb/s.
    pub min_rate_mbps: f64,
    /// Highest data rate, Mb/s.
    pub max_rate_mbps: f64,
    /// Lowest mandatory rate for control frames, Mb/s.
    pub basic_rate_mbps: f64,
    /// Where the standard states its slot, SIFS and contention windows.
    pub clause: &'static str,
}

const DSSS: PhyTiming = PhyTiming {
    phy: Phy::Dsss,
    band: Band::Ghz2_4,
    spacing_mhz: 20,
    slot_us: LONG_SLOT_US,
    sifs_us: 10.0,
    cw_min: 31,
    cw_max: MAX_CW,
    signal_extension_us: 0.0,
    preamble_us: LONG_PLCP_US,
    min_rate_mbps: 1.0,
    max_rate_mbps: 11.0,
    basic_rate_mbps: 1.0,
    clause: "table 15-6",
};
const HR_DSSS: PhyTiming = PhyTiming { phy: Phy::HrDsss, clause: "table 16-4", ..DSSS };
const OFDM: PhyTiming = PhyTiming {
    phy: Phy::Ofdm,
    band: Band::Ghz5,
    spacing_mhz: 20,
    slot_us: SHORT_SLOT_US,
    sifs_us: 16.0,
    cw_min: 15,
    cw_max: MAX_CW,
    signal_extension_us: 0.0,
    preamble_us: OFDM_PREAMBLE_US,
    min_rate_mbps: 6.0,
    max_rate_mbps: 54.0,
    basic_rate_mbps: 6.0,
    clause: "table 17-21",
};
/// Every time of a PPDU doubles (17.3.2.3).
const OFDM_10_MHZ: PhyTiming = PhyTiming {
    spacing_mhz: 10,
    slot_us: OFDM_10_MHZ_SLOT_US,
    sifs_us: 32.0,
    preamble_us: 2.0 * OFDM_PREAMBLE_US,
    min_rate_mbps: 3.0,
    max_rate_mbps: 27.0,
    basic_rate_mbps: 3.0,
    ..OFDM
};
const ERP: PhyTiming = PhyTiming {
    phy: Phy::Erp,
    band: Band::Ghz2_4,
    sifs_us: 10.0,
    signal_extension_us: SIGNAL_EXTENSION_US,
    clause: "table 18-5",
    ..OFDM
};
/// HT-SIG 8, HT-STF 4, HT-LTF 4 us (table 19-6).
const HT: PhyTiming = PhyTiming {
    phy: Phy::Ht,
    preamble_us: OFDM_PREAMBLE_US + 8.0 + 4.0 + 4.0,
    min_rate_mbps: 6.5,
    max_rate_mbps: 600.0,
    clause: "table 19-25",
    ..OFDM
};
/// VHT-SIG-A 8, VHT-STF 4, VHT-LTF 4, VHT-SIG-B 4 us (table 21-5). Clause 21 knows the 5 GHz band alone. A VHT PPDU that
/// a vendor sends at 2.4 GHz keeps its timing, since nothing there gives it a signal extension: 16 us of SIFS end at the
/// same instant as the 6 us of signal extension and 10 us of SIFS of its neighbours.
const VHT: PhyTiming = PhyTiming {
    phy: Phy::Vht,
    preamble_us: OFDM_PREAMBLE_US + 8.0 + 4.0 + 4.0 + 4.0,
    max_rate_mbps: 6_933.3,
    clause: "table 21-28",
    ..HT
};
/// RL-SIG 4, HE-SIG-A 8, HE-STF 4, HE-LTF 8 us (table 27-12).
const HE: PhyTiming = PhyTiming {
    phy: Phy::He,
    preamble_us: OFDM_PREAMBLE_US + 4.0 + 8.0 + 4.0 + 8.0,
    min_rate_mbps: 0.375,
    max_rate_mbps: 9_607.8,
    clause: "table 27-54",
    ..OFDM
};
/// RL-SIG 4, U-SIG 8, EHT-SIG 4, EHT-STF 4, EHT-LTF 8 us (36.3.11).
const EHT: PhyTiming = PhyTiming {
    phy: Phy::Eht,
    preamble_us: OFDM_PREAMBLE_US + 4.0 + 8.0 + 4.0 + 4.0 + 8.0,
    max_rate_mbps: 23_058.8,
    clause: "table 36-70",
    ..HE
};

/// The same PHY at 2.4 GHz, as every clause after 18 has it: SIFS of 10 us and a signal extension.
const fn at_2_4_ghz(timing: PhyTiming) -> PhyTiming {
    PhyTiming { band: Band::Ghz2_4, sifs_us: ERP.sifs_us, signal_extension_us: SIGNAL_EXTENSION_US, ..timing }
}

impl PhyTiming {
    /// Every PHY in every band that has a timing of its own.
    pub const ALL: &'static [PhyTiming] =
        &[DSSS, HR_DSSS, OFDM, OFDM_10_MHZ, ERP, HT, at_2_4_ghz(HT), VHT, HE, at_2_4_ghz(HE), EHT, at_2_4_ghz(EHT)];

    /// The timing of a PHY at the centre of a channel, MHz. OFDM at 2.4 GHz is ERP-OFDM (18.1.1); what is not known to
    /// be at 2.4 GHz is taken to be above.
    #[must_use]
    #[inline]
    pub fn of(phy: Phy, centre_mhz: Option<u16>) -> PhyTiming {
        let is_2_4_ghz = centre_mhz.and_then(Band::of) == Some(Band::Ghz2_4);
        match phy {
            Phy::Dsss => DSSS,
            Phy::HrDsss => HR_DSSS,
            Phy::Erp => ERP,
            Phy::Ofdm if is_2_4_ghz => ERP,
            Phy::Ofdm if centre_mhz.is_some_and(is_10_mhz_channel) => OFDM_10_MHZ,
            Phy::Ofdm => OFDM,
            Phy::Ht if is_2_4_ghz => at_2_4_ghz(HT),
            Phy::Ht => HT,
            Phy::Vht => VHT,
            Phy::He if is_2_4_ghz => at_2_4_ghz(HE),
            Phy::He => HE,
            Phy::Eht if is_2_4_ghz => at_2_4_ghz(EHT),
            Phy::Eht => EHT,
        }
    }

    /// The band as constants are named after it: [`Band::name`], and apart from it the 10 MHz channels.
    #[must_use]
    pub const fn band_name(&self) -> &'static str {
        if self.spacing_mhz == 10 {
            TEN_MHZ_CHANNELS
        } else {
            self.band.name()
        }
    }

    /// DIFS = SIFS + 2 slots (10.3.7), microseconds.
    #[must_use]
    pub const fn difs_us(&self) -> f64 {
        self.aifs_us(crate::edca::DCF_AIFSN)
    }

    /// AIFS = SIFS + AIFSN slots (10.23.2.4), microseconds.
    #[must_use]
    pub const fn aifs_us(&self, aifsn: u32) -> f64 {
        self.sifs_us + aifsn as f64 * self.slot_us
    }

    /// EIFS = SIFS + an ACK at the lowest mandatory rate + DIFS (10.3.7), microseconds.
    #[must_use]
    pub const fn eifs_us(&self) -> f64 {
        self.sifs_us + self.control_us(ACK_BYTES) + self.difs_us()
    }

    /// Airtime of a control frame of so many octets at the lowest mandatory rate, microseconds: DSSS with the long
    /// preamble (16.3.4), else a non-HT PPDU (17.4.3) with the band's signal extension (18.5.3.2).
    #[must_use]
    pub const fn control_us(&self, octets: u32) -> f64 {
        if matches!(self.phy, Phy::Dsss | Phy::HrDsss) {
            return LONG_PLCP_US + 8.0 * octets as f64 / self.basic_rate_mbps;
        }
        let clock = 20.0 / self.spacing_mhz as f64;
        let bits_per_symbol = (self.basic_rate_mbps * clock * OFDM_SYMBOL_US) as u32;
        let symbols = (OFDM_SERVICE_AND_TAIL_BITS + 8 * octets).div_ceil(bits_per_symbol);
        clock * (OFDM_PREAMBLE_US + OFDM_SYMBOL_US * symbols as f64) + self.signal_extension_us
    }
}

/// The longest PPDU before HT, nanoseconds: the longest MPDU at 1 Mb/s with the long preamble (16.3.4).
pub const LEGACY_PPDU_MAX_NS: u64 = 1_000 * (LONG_PLCP_US as u64 + 8 * MPDU_MAX_BYTES as u64);
