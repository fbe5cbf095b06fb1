//! The constants beside the values of the standard, written down from its tables independently of the code.

use winf_ieee80211::{constants, AccessCategory, Constant, Phy, PhyTiming, LEGACY_PPDU_MAX_NS, REASONS, STATUSES};

/// Clause or table, name, PHY and band (empty: any), value.
#[rustfmt::skip]
const STANDARD: &[(&str, &str, &str, &str, f64)] = &[
    ("table 15-6",  "aSlotTime", "dsss",    "2.4 GHz", 20.0),
    ("table 15-6",  "aSIFSTime", "dsss",    "2.4 GHz", 10.0),
    ("table 15-6",  "aCWmin",    "dsss",    "2.4 GHz", 31.0),
    ("table 15-6",  "aCWmax",    "dsss",    "2.4 GHz", 1023.0),
    ("table 16-4",  "aSlotTime", "hr_dsss", "2.4 GHz", 20.0),
    ("table 16-4",  "aSIFSTime", "hr_dsss", "2.4 GHz", 10.0),
    ("table 16-4",  "aCWmin",    "hr_dsss", "2.4 GHz", 31.0),
    ("table 16-4",  "aCWmax",    "hr_dsss", "2.4 GHz", 1023.0),
    ("table 17-21", "aSlotTime", "ofdm",    "5 GHz",   9.0),
    ("table 17-21", "aSIFSTime", "ofdm",    "5 GHz",   16.0),
    ("table 17-21", "aCWmin",    "ofdm",    "5 GHz",   15.0),
    ("table 17-21", "aCWmax",    "ofdm",    "5 GHz",   1023.0),
    ("table 17-21", "aSlotTime", "ofdm", "5.9 GHz, 10 MHz", 13.0),
    ("table 17-21", "aSIFSTime", "ofdm", "5.9 GHz, 10 MHz", 32.0),
    ("table 17-21", "aCWmin",    "ofdm", "5.9 GHz, 10 MHz", 15.0),
    ("table 17-5",  "preamble",  "ofdm", "5.9 GHz, 10 MHz", 32.0 + 8.0),
    ("17.4.3",      "ack_airtime", "ofdm", "5.9 GHz, 10 MHz", 40.0 + 6.0 * 8.0),
    ("table 17-4",  "min_rate",  "ofdm", "5.9 GHz, 10 MHz", 3.0),
    ("table 17-4",  "max_rate",  "ofdm", "5.9 GHz, 10 MHz", 27.0),
    ("table 18-5",  "aSlotTime", "erp",     "2.4 GHz", 9.0),
    ("table 18-5",  "aSIFSTime", "erp",     "2.4 GHz", 10.0),
    ("table 18-5",  "aCWmin",    "erp",     "2.4 GHz", 15.0),
    ("table 18-5",  "aCWmax",    "erp",     "2.4 GHz", 1023.0),
    ("table 19-25", "aSlotTime", "ht",      "5 GHz",   9.0),
    ("table 19-25", "aSlotTime", "ht",      "2.4 GHz", 9.0),
    ("table 19-25", "aSIFSTime", "ht",      "5 GHz",   16.0),
    ("table 19-25", "aSIFSTime", "ht",      "2.4 GHz", 10.0),
    ("table 19-25", "aCWmin",    "ht",      "2.4 GHz", 15.0),
    ("table 19-25", "aSignalExtension", "ht", "5 GHz",   0.0),
    ("table 19-25", "aSignalExtension", "ht", "2.4 GHz", 6.0),
    ("table 21-28", "aSlotTime", "vht",     "5 GHz",   9.0),
    ("table 21-28", "aSIFSTime", "vht",     "5 GHz",   16.0),
    ("table 21-28", "aSignalExtension", "vht", "5 GHz", 0.0),
    ("table 27-54", "aSlotTime", "he",      "5 GHz",   9.0),
    ("table 27-54", "aSIFSTime", "he",      "5 GHz",   16.0),
    ("table 27-54", "aSIFSTime", "he",      "2.4 GHz", 10.0),
    ("table 27-54", "aSignalExtension", "he", "5 GHz",   0.0),
    ("table 27-54", "aSignalExtension", "he", "2.4 GHz", 6.0),
    ("table 36-70", "aSlotTime", "eht",     "5 GHz",   9.0),
    ("table 36-70", "aSIFSTime", "eht",     "5 GHz",   16.0),
    ("table 36-70", "aSIFSTime", "eht",     "2.4 GHz", 10.0),
    ("18.3.2.4",    "aSignalExtension", "erp",  "2.4 GHz", 6.0),
    ("17.3.2.4",    "aSignalExtension", "ofdm", "5 GHz",   0.0),
    ("10.3.7",      "DIFS",      "hr_dsss", "2.4 GHz", 50.0),
    ("10.3.7",      "DIFS",      "ofdm",    "5 GHz",   34.0),
    ("10.3.7",      "DIFS",      "erp",     "2.4 GHz", 28.0),
    ("10.3.7",      "EIFS",      "hr_dsss", "2.4 GHz", 10.0 + 304.0 + 50.0),
    ("10.3.7",      "EIFS",      "ofdm",    "5 GHz",   16.0 + 44.0 + 34.0),
    ("15.2.2",      "preamble",  "dsss",    "2.4 GHz", 144.0 + 48.0),
    ("16.2.2.2",    "long_plcp", "",        "",        192.0),
    ("16.2.2.3",    "short_plcp", "",       "",        72.0 + 24.0),
    ("15.2.3.2",    "long_sync", "",        "",        128.0),
    ("16.2.3.9",    "short_sync", "",       "",        56.0),
    ("table 17-5",  "short_training", "",   "",        10.0 * 0.8),
    ("table 17-5",  "preamble",  "ofdm",    "5 GHz",   16.0 + 4.0),
    ("table 17-5",  "ofdm_preamble", "",    "",        20.0),
    ("table 17-5",  "ofdm_symbol", "",      "",        4.0),
    ("17.3.5.2",    "service",   "", "", 16.0),
    ("17.3.5.3",    "tail",      "", "", 6.0),
    ("17.3.5.2",    "ofdm_service_and_tail", "", "",   16.0 + 6.0),
    ("table 19-6",  "preamble",  "ht",      "5 GHz",   8.0 + 8.0 + 4.0 + 8.0 + 4.0 + 4.0),
    ("table 21-5",  "preamble",  "vht",     "5 GHz",   8.0 + 8.0 + 4.0 + 8.0 + 4.0 + 4.0 + 4.0),
    ("table 27-12", "preamble",  "he",      "5 GHz",   8.0 + 8.0 + 4.0 + 4.0 + 8.0 + 4.0 + 2.0 * 3.2 + 1.6),
    ("36.3.11",     "preamble",  "eht",     "5 GHz",   8.0 + 8.0 + 4.0 + 4.0 + 8.0 + 4.0 + 4.0 + 2.0 * 3.2 + 1.6),
    ("table 17-21", "ofdm_10_mhz_slot", "", "",        13.0),
    ("table 18-5",  "long_slot", "",        "",        20.0),
    ("table 18-5",  "short_slot", "",       "",        9.0),
    ("16.3.4",      "rts_airtime", "dsss",  "2.4 GHz", 352.0),
    ("16.3.4",      "ack_airtime", "dsss",  "2.4 GHz", 304.0),
    ("17.4.3",      "rts_airtime", "ofdm",  "5 GHz",   52.0),
    ("17.4.3",      "cts_airtime", "ofdm",  "5 GHz",   44.0),
    ("18.5.3.2",    "ack_airtime", "erp",   "2.4 GHz", 50.0),
    ("table 9-155", "AIFSN[be]", "", "", 3.0),
    ("table 9-155", "AIFSN[bk]", "", "", 7.0),
    ("table 9-155", "AIFSN[vi]", "", "", 2.0),
    ("table 9-155", "AIFSN[vo]", "", "", 2.0),
    ("10.3.7",      "AIFSN[dcf]", "", "", 2.0),
    ("table 9-155", "cw_divisor[be]", "", "", 1.0),
    ("table 9-155", "cw_divisor[bk]", "", "", 1.0),
    ("table 9-155", "cw_divisor[vi]", "", "", 2.0),
    ("table 9-155", "cw_divisor[vo]", "", "", 4.0),
    ("table 9-155", "txop_limit[be]", "", "", 2528.0),
    ("table 9-155", "txop_limit[vi]", "", "", 4096.0),
    ("table 9-155", "txop_limit[vo]", "", "", 2080.0),
    ("table 9-155", "txop_limit_dsss[vi]", "", "", 6016.0),
    ("table 9-155", "txop_limit_dsss[vo]", "", "", 3264.0),
    ("9.3.1.2",     "rts",       "", "", 20.0),
    ("9.3.1.3",     "cts",       "", "", 14.0),
    ("9.3.1.4",     "ack",       "", "", 14.0),
    ("9.3.1.8.2",   "block_ack", "", "", 2.0 + 2.0 + 6.0 + 6.0 + 2.0 + 2.0 + 8.0 + 4.0),
    ("9.3.1.7.2",   "block_ack_request", "", "", 2.0 + 2.0 + 6.0 + 6.0 + 2.0 + 2.0 + 4.0),
    ("9.2.4.8",     "fcs",       "", "", 4.0),
    ("9.3.2.1",     "data_header", "", "", 24.0),
    ("9.3.3.1",     "management_header", "", "", 2.0 + 2.0 + 6.0 + 6.0 + 6.0 + 2.0),
    ("9.2.4.6",     "ht_control", "", "", 4.0),
    ("9.2.4.4.2",   "sequence_numbers", "", "", 4096.0),
    ("9.7.1",       "mpdu_delimiter", "", "", 4.0),
    ("9.2.4.8.1",   "msdu_max",  "", "", 2304.0),
    ("9.3.2.2.1",   "a_msdu_subframe_header", "", "", 14.0),
    ("9.2.4.7.1",   "mpdu_max",  "", "", 2346.0),
    ("9.4.2.55.3",  "ht_ampdu_max", "", "", 65_535.0),
    ("10.25.6.1",   "block_ack_window", "", "", 64.0),
    ("26.4.3",      "block_ack_window_he", "", "", 256.0),
    ("9.3.1.8.2",   "ampdu_max_mpdus", "", "", 1024.0),
    ("table 19-25", "aPPDUMaxTime", "", "", 5484.0),
    ("annex C.3",   "dot11ShortRetryLimit", "", "", 7.0),
    ("annex C.3",   "dot11LongRetryLimit", "", "", 4.0),
    ("annex C.3",   "dot11MaxTransmitMSDULifetime", "", "", 512.0),
    ("3.1",         "time_unit", "", "", 1024.0),
    ("11.1.3.9",    "tsf_accuracy", "", "", 100.0),
    ("table 17-4",  "min_rate",  "ofdm",    "5 GHz",   6.0),
    ("table 17-4",  "max_rate",  "ofdm",    "5 GHz",   54.0),
    ("table 19-27", "min_rate",  "ht",      "5 GHz",   6.5),
    ("table 16-2",  "max_rate",  "hr_dsss", "2.4 GHz", 11.0),
    ("table 19-38", "max_rate",  "ht",      "5 GHz",   600.0),
    ("table 21-61", "min_rate",  "vht",     "5 GHz",   6.5),
    // 468 data subcarriers of 160 MHz, 8 bits at rate 5/6, 8 spatial streams, symbols of 3.6 us.
    ("21.5",        "max_rate",  "vht",     "5 GHz",   6_933.3),
    // 24 data subcarriers in pairs, half a bit each, symbols of 16 us.
    ("27.5",        "min_rate",  "he",      "5 GHz",   24.0 / 2.0 / 2.0 / 16.0),
    // 1960 data subcarriers, 10 bits at rate 5/6, 8 spatial streams, symbols of 13.6 us.
    ("27.5",        "max_rate",  "he",      "5 GHz",   9_607.8),
    ("36.5",        "min_rate",  "eht",     "5 GHz",   0.375),
    // 3920 data subcarriers, 12 bits at rate 5/6, 8 spatial streams, symbols of 13.6 us.
    ("36.5",        "max_rate",  "eht",     "5 GHz",   23_058.8),
    ("table E-4",   "min_centre", "", "2.4 GHz", 2400.0),
    ("table E-4",   "max_centre", "", "2.4 GHz", 2499.0),
    ("table E-4",   "min_centre", "", "5 GHz",   4900.0),
    ("table E-4",   "max_centre", "", "5 GHz",   5924.0),
    ("table E-4",   "min_centre", "", "6 GHz",   5925.0),
    ("table E-4",   "max_centre", "", "6 GHz",   7124.0),
];

fn is_it(row: &Constant, name: &str, phy: &str, band: &str) -> bool {
    row.name == name && row.phy.unwrap_or("") == phy && row.band.unwrap_or("") == band
}

#[test]
fn constants_are_those_of_the_standard() {
    let rows = constants();
    for &(clause, name, phy, band, value) in STANDARD {
        let stated: Vec<f64> = rows.iter().filter(|row| is_it(row, name, phy, band)).map(|row| row.value).collect();
        assert_eq!(stated, [value], "{name} {phy} {band}, {clause}");
    }
}

#[test]
fn no_name_lacks_a_value_of_the_standard() {
    for row in constants() {
        let derived = row.name.ends_with("_airtime") || row.name.starts_with("txop_limit");
        let is_checked = STANDARD.iter().any(|&(_, name, ..)| name == row.name);
        assert!(is_checked || derived, "{} is in no row of this test", row.name);
        assert!(!row.clause.is_empty() && !row.unit.is_empty(), "{}", row.name);
    }
}

#[test]
fn vht_has_one_timing_and_every_other_phy_that_of_its_band() {
    for &phy in Phy::ALL {
        let [low, high] = [2437, 5180].map(|mhz| PhyTiming::of(phy, Some(mhz)));
        match phy {
            Phy::Dsss | Phy::HrDsss | Phy::Erp | Phy::Vht => assert_eq!(low, high),
            Phy::Ofdm | Phy::Ht | Phy::He | Phy::Eht => {
                assert_eq!((low.sifs_us, low.signal_extension_us), (10.0, 6.0));
                assert_eq!((high.sifs_us, high.signal_extension_us), (16.0, 0.0));
            }
        }
        assert_eq!(PhyTiming::of(phy, Some(5955)), high, "6 GHz is like 5 GHz");
        assert_eq!(PhyTiming::of(phy, None), high, "without a channel");
    }
}

/// CWmin and CWmax of a QoS station by table 9-155, for aCWmin 15 and 31 and aCWmax 1023.
#[test]
fn windows_of_access_categories_are_those_of_the_standard() {
    let windows = |a_cw_min| {
        AccessCategory::ALL.iter().map(move |it| (it.name(), it.cw_min(a_cw_min), it.cw_max(a_cw_min, 1023)))
    };
    assert!(windows(15).eq([("be", 15, 1023), ("bk", 15, 1023), ("vi", 7, 15), ("vo", 3, 7)]));
    assert!(windows(31).eq([("be", 31, 1023), ("bk", 31, 1023), ("vi", 15, 31), ("vo", 7, 15)]));
}

#[test]
fn only_channels_of_10_mhz_have_their_timing() {
    let slots = [5865, 5890, 5900].map(|mhz| PhyTiming::of(Phy::Ofdm, Some(mhz)).slot_us);
    assert_eq!(slots, [9.0, 13.0, 13.0]);
}

#[test]
fn a_ppdu_before_ht_lasts_at_most_its_longest_mpdu_at_1_mbps() {
    assert_eq!(LEGACY_PPDU_MAX_NS, 18_960_000);
}

#[test]
fn phys_since_ht_aggregate() {
    let aggregating: Vec<_> = Phy::ALL.iter().filter(|phy| phy.has_ampdu()).collect();
    assert_eq!(aggregating, [&Phy::Ht, &Phy::Vht, &Phy::He, &Phy::Eht]);
}

#[test]
fn codes_are_in_order_and_each_is_once() {
    for codes in [REASONS, STATUSES] {
        assert!(codes.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
