//! Every constant as a row, for those who read them by name.

use crate::band::{Band, TEN_MHZ_CENTRES_MHZ, TEN_MHZ_CHANNELS};
use crate::edca::{AccessCategory, DCF_AIFSN};
use crate::mac;
use crate::timing::{
    PhyTiming, LONG_PLCP_US, LONG_SLOT_US, LONG_SYNC_US, OFDM_10_MHZ_SLOT_US, OFDM_PREAMBLE_US,
    OFDM_SERVICE_AND_TAIL_BITS, OFDM_SYMBOL_US, SERVICE_BITS, SHORT_PLCP_US, SHORT_SLOT_US, SHORT_SYNC_US,
    SHORT_TRAINING_US, TAIL_BITS,
};

/// One value of the standard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constant {
    /// The standard's name where it has one (`aSIFSTime`), with the access category in brackets (`AIFSN[be]`).
    pub name: &'static str,
    /// The PHY it holds for, as tables show it; `None`: any.
    pub phy: Option<&'static str>,
    /// The band it holds for; `None`: any.
    pub band: Option<&'static str>,
    /// The value.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// Where the standard states it, or what it follows from.
    pub clause: &'static str,
}

/// All of them: first those of each PHY, then bands, access categories and the MAC.
#[must_use]
pub fn constants() -> Vec<Constant> {
    let mut rows: Vec<Constant> = PhyTiming::ALL.iter().flat_map(of_phy).collect();
    rows.extend(Band::ALL.iter().flat_map(|&band| of_band(band)));
    rows.extend(["min_centre", "max_centre"].into_iter().zip(TEN_MHZ_CENTRES_MHZ).map(|(name, mhz)| Constant {
        band: Some(TEN_MHZ_CHANNELS),
        ..row(name, mhz.into(), "MHz", "annex E, tables E-1 and E-2")
    }));
    rows.extend(AccessCategory::ALL.iter().flat_map(|&category| of_category(category)));
    rows.extend(OF_MAC.iter().map(|&(name, value, unit, clause)| row(name, value, unit, clause)));
    rows
}

const fn row(name: &'static str, value: f64, unit: &'static str, clause: &'static str) -> Constant {
    Constant { name, phy: None, band: None, value, unit, clause }
}

fn of_phy(timing: &PhyTiming) -> Vec<Constant> {
    let clause = timing.clause;
    let rows = [
        row("aSlotTime", timing.slot_us, "us", clause),
        row("aSIFSTime", timing.sifs_us, "us", clause),
        row("aCWmin", timing.cw_min.into(), "slots", clause),
        row("aCWmax", timing.cw_max.into(), "slots", clause),
        row("aSignalExtension", timing.signal_extension_us, "us", clause),
        row("preamble", timing.preamble_us, "us", "15.2.2, tables 17-5, 19-6, 21-5, 27-12, 36.3.11"),
        row("min_rate", timing.min_rate_mbps, "Mb/s", "15.2.3.4, 16.2.3.4, tables 17-4, 19-27, 21.5, 27.5, 36.5"),
        row("max_rate", timing.max_rate_mbps, "Mb/s", "16.2.3.4, tables 17-4, 19-38, 21.5, 27.5, 36.5"),
        row("DIFS", timing.difs_us(), "us", "10.3.7"),
        row("EIFS", timing.eifs_us(), "us", "10.3.7"),
        row("rts_airtime", timing.control_us(mac::RTS_BYTES), "us", "9.3.1.2, 16.3.4, 17.4.3, 18.5.3.2"),
        row("cts_airtime", timing.control_us(mac::CTS_BYTES), "us", "9.3.1.3, 16.3.4, 17.4.3, 18.5.3.2"),
        row("ack_airtime", timing.control_us(mac::ACK_BYTES), "us", "9.3.1.4, 16.3.4, 17.4.3, 18.5.3.2"),
    ];
    let (phy, band) = (Some(timing.phy.name()), Some(timing.band_name()));
    rows.map(|row| Constant { phy, band, ..row }).into()
}

fn of_band(band: Band) -> [Constant; 2] {
    let centres = band.centres_mhz();
    let clause = "annex E, table E-4";
    [row("min_centre", centres.start.into(), "MHz", clause), row("max_centre", (centres.end - 1).into(), "MHz", clause)]
        .map(|row| Constant { band: Some(band.name()), ..row })
}

fn of_category(category: AccessCategory) -> [Constant; 4] {
    let [aifsn, divisor, with_dsss, without] = match category {
        AccessCategory::BestEffort => ["AIFSN[be]", "cw_divisor[be]", "txop_limit_dsss[be]", "txop_limit[be]"],
        AccessCategory::Background => ["AIFSN[bk]", "cw_divisor[bk]", "txop_limit_dsss[bk]", "txop_limit[bk]"],
        AccessCategory::Video => ["AIFSN[vi]", "cw_divisor[vi]", "txop_limit_dsss[vi]", "txop_limit[vi]"],
        AccessCategory::Voice => ["AIFSN[vo]", "cw_divisor[vo]", "txop_limit_dsss[vo]", "txop_limit[vo]"],
    };
    let (dsss_us, other_us) = category.txop_limit_us();
    let clause = "table 9-155";
    [
        row(aifsn, category.aifsn().into(), "slots", clause),
        row(divisor, category.cw_divisor().into(), "1", clause),
        row(with_dsss, dsss_us.into(), "us", clause),
        row(without, other_us.into(), "us", clause),
    ]
}

const OF_MAC: &[(&str, f64, &str, &str)] = &[
    ("AIFSN[dcf]", DCF_AIFSN as f64, "slots", "10.3.7"),
    ("long_plcp", LONG_PLCP_US, "us", "15.2.2, 16.2.2.2"),
    ("short_plcp", SHORT_PLCP_US, "us", "16.2.2.3"),
    ("long_sync", LONG_SYNC_US, "us", "15.2.3.2, 16.2.3.2"),
    ("short_sync", SHORT_SYNC_US, "us", "16.2.3.9"),
    ("short_training", SHORT_TRAINING_US, "us", "tables 17-5, 19-6"),
    ("ofdm_preamble", OFDM_PREAMBLE_US, "us", "table 17-5"),
    ("ofdm_symbol", OFDM_SYMBOL_US, "us", "table 17-5"),
    ("service", SERVICE_BITS as f64, "bits", "17.3.5.2"),
    ("tail", TAIL_BITS as f64, "bits", "17.3.5.3"),
    ("ofdm_service_and_tail", OFDM_SERVICE_AND_TAIL_BITS as f64, "bits", "17.3.5.2, 17.3.5.3"),
    ("long_slot", LONG_SLOT_US, "us", "tables 15-6, 16-4, 18-5"),
    ("short_slot", SHORT_SLOT_US, "us", "tables 17-21, 18-5"),
    ("ofdm_10_mhz_slot", OFDM_10_MHZ_SLOT_US, "us", "table 17-21"),
    ("aPPDUMaxTime", mac::PPDU_MAX_NS as f64 / 1e3, "us", "tables 19-25, 21-28, 27-54, 36-70"),
    ("rts", mac::RTS_BYTES as f64, "octets", "9.3.1.2"),
    ("cts", mac::CTS_BYTES as f64, "octets", "9.3.1.3"),
    ("ack", mac::ACK_BYTES as f64, "octets", "9.3.1.4"),
    ("block_ack", mac::BLOCK_ACK_BYTES as f64, "octets", "9.3.1.8.2"),
    ("block_ack_request", mac::BLOCK_ACK_REQUEST_BYTES as f64, "octets", "9.3.1.7.2"),
    ("fcs", mac::FCS_BYTES as f64, "octets", "9.2.4.8"),
    ("management_header", mac::MANAGEMENT_HEADER_BYTES as f64, "octets", "9.3.3.1"),
    ("data_header", mac::DATA_HEADER_BYTES as f64, "octets", "9.3.2.1"),
    ("ht_control", mac::HT_CONTROL_BYTES as f64, "octets", "9.2.4.6"),
    ("sequence_numbers", mac::SEQUENCE_NUMBERS as f64, "numbers", "9.2.4.4.2"),
    ("mpdu_delimiter", mac::MPDU_DELIMITER_BYTES as f64, "octets", "9.7.1"),
    ("msdu_max", mac::MSDU_MAX_BYTES as f64, "octets", "9.2.4.8.1"),
    ("a_msdu_subframe_header", mac::A_MSDU_SUBFRAME_HEADER_BYTES as f64, "octets", "9.3.2.2.1"),
    ("mpdu_max", mac::MPDU_MAX_BYTES as f64, "octets", "9.2.4.7.1"),
    ("ht_ampdu_max", mac::HT_AMPDU_MAX_BYTES as f64, "octets", "9.4.2.55.3"),
    ("block_ack_window", mac::BLOCK_ACK_WINDOW as f64, "MPDUs", "10.25.6.1"),
    ("block_ack_window_he", mac::BLOCK_ACK_WINDOW_HE as f64, "MPDUs", "802.11ax-2021, 26.4.3"),
    ("ampdu_max_mpdus", mac::AMPDU_MAX_MPDUS as f64, "MPDUs", "802.11be-2024, 9.3.1.8.2"),
    ("dot11ShortRetryLimit", mac::SHORT_RETRY_LIMIT as f64, "attempts", "annex C.3"),
    ("dot11LongRetryLimit", mac::LONG_RETRY_LIMIT as f64, "attempts", "annex C.3"),
    ("time_unit", mac::TIME_UNIT_US as f64, "us", "3.1"),
    ("dot11MaxTransmitMSDULifetime", mac::MSDU_LIFETIME_TU as f64, "TU", "annex C.3"),
    ("tsf_accuracy", mac::TSF_ACCURACY_PPM, "ppm", "11.1.3.9"),
];
