//! Worked by hand from the equations: the time to the last symbol, unless it says otherwise.

use super::super::{fill, ppdu_us};
use super::*;

fn he(mcs: u8, nss: u8, bandwidth_mhz: u16, guard_ns: u16) -> Frame {
    let mut frame = Frame {
        phy: Some(Phy::He),
        mcs: Some(mcs),
        nss: Some(nss),
        bandwidth_mhz: Some(bandwidth_mhz),
        guard_ns: Some(guard_ns),
        ldpc: Some(false),
        ..Frame::new(1, 0)
    };
    frame.ppdu.format = Some(PpduFormat::HeSu);
    frame.ppdu.ltf_size = Some(2);
    frame
}

fn eht(mcs: u8, nss: u8, bandwidth_mhz: u16) -> Frame {
    let mut frame = Frame { phy: Some(Phy::Eht), ldpc: Some(true), ..he(mcs, nss, bandwidth_mhz, 800) };
    frame.ppdu.format = Some(PpduFormat::EhtMu);
    frame
}

fn with(mut frame: Frame, change: impl FnOnce(&mut Frame)) -> Frame {
    change(&mut frame);
    frame
}

fn assert_us(frame: &Frame, octets: u32, preamble_us: f64, data_us: f64) {
    let got = sent_by_us(frame, octets).unwrap();
    assert!((got - preamble_us - data_us).abs() < 1e-6, "{got} is not {preamble_us} + {data_us}: {frame:?}");
}

#[test]
fn he_single_user() {
    // 12022 bits with BCC. Preamble 20 + 4 + 8 + 4 us, then LTFs of 6.4 us and guard interval.
    assert_us(&he(0, 1, 20, 800), 1500, 36.0 + 7.2, 103.0 * 13.6); // of 117
    assert_us(&he(4, 1, 20, 1600), 1500, 36.0 + 8.0, 18.0 * 14.4); // of 702
    assert_us(&he(9, 2, 20, 800), 1500, 36.0 + 2.0 * 7.2, 4.0 * 13.6); // of 3120
    let long_ltf = with(he(7, 1, 20, 3200), |he| he.ppdu.ltf_size = Some(4));
    assert_us(&long_ltf, 1500, 36.0 + 16.0, 11.0 * 16.0); // of 1170
    let single_ltf = with(he(0, 1, 20, 800), |he| he.ppdu.ltf_size = Some(1));
    assert_us(&single_ltf, 1500, 36.0 + 4.0, 103.0 * 13.6);
    // Three streams train with four LTFs, and STBC sends one stream as two.
    assert_us(&he(4, 3, 20, 800), 1500, 36.0 + 4.0 * 7.2, 6.0 * 13.6); // of 2106
    let stbc = with(he(7, 1, 20, 800), |he| he.stbc = Some(1));
    assert_us(&stbc, 1500, 36.0 + 2.0 * 7.2, 12.0 * 13.6); // 11 of 1170, even
}

#[test]
fn he_low_density_parity_check() {
    let wide = |mcs, nss| with(he(mcs, nss, 80, 800), |he| he.ldpc = Some(true));
    // 12016 bits of 6533 (980 * 8 * 5 / 6, rounded down): the second symbol holds 5483, more than three
    // quarters. 9 codewords of 1944 lose 302 of 2916 parity bits: more than a tenth, with too few shortened.
    assert_us(&wide(9, 1), 1500, 36.0 + 7.2, 3.0 * 13.6);
    // 976 bits of 980. Two codewords of 1296 lose 316 of 1296 parity bits.
    assert_us(&wide(1, 1), 120, 36.0 + 7.2, 2.0 * 13.6);
    let recorded = with(wide(1, 1), |he| he.ppdu.ldpc_extra = Some(false));
    assert_us(&recorded, 120, 36.0 + 7.2, 13.6);
}

#[test]
fn he_extended_range_and_dual_carrier_modulation() {
    let extended = |ru, dcm| {
        with(he(0, 1, 20, 800), |he| {
            (he.ppdu.format, he.ppdu.ru, he.ppdu.dcm) = (Some(PpduFormat::HeErSu), Some(ru), Some(dcm));
        })
    };
    // HE-SIG-A of 16 us: 20 + 4 + 16 + 4 us. 822 bits of 117, of 51, and of 25 (102 / 4 rounded down).
    assert_us(&extended(Ru::T242, false), 100, 44.0 + 7.2, 8.0 * 13.6);
    assert_us(&extended(Ru::T106, false), 100, 44.0 + 7.2, 17.0 * 13.6);
    assert_us(&extended(Ru::T106, true), 100, 44.0 + 7.2, 33.0 * 13.6);
}

#[test]
fn he_multi_user_and_trigger_based() {
    let on = |format, ru: Ru| with(he(5, 1, 20, 1600), |he| (he.ppdu.format, he.ppdu.ru) = (Some(format), Some(ru)));
    let multi_user = with(on(PpduFormat::HeMu, Ru::T106), |he| he.ppdu.sig_symbols = Some(5));
    // 20 + 4 + 8 + 5 * 4 + 4 us; 8022 bits of 408.
    assert_us(&multi_user, 1000, 56.0 + 8.0, 20.0 * 14.4);
    // An STF of 8 us: 20 + 4 + 8 + 8 us; 8022 bits of 96.
    assert_us(&on(PpduFormat::HeTb, Ru::T26), 1000, 40.0 + 8.0, 84.0 * 14.4);
    // All users train with as many LTFs as the one that needs the most.
    let ltfs = with(on(PpduFormat::HeTb, Ru::T26), |he| he.ppdu.ltf_symbols = Some(4));
    assert_us(&ltfs, 1000, 40.0 + 32.0, 84.0 * 14.4);
}

#[test]
fn he_midambles_repeat_the_ltfs() {
    let moving = with(he(0, 1, 20, 800), |he| he.ppdu.midamble_period = Some(10));
    // ceil(102 / 10) - 1 = 10 midambles.
    assert_us(&moving, 1500, 36.0 + 7.2, 103.0 * 13.6 + 10.0 * 7.2);
}

#[test]
fn eht_multi_user_ppdus() {
    // 20 + 4 + 8 + 2 * 4 + 4 us of preamble for one user, MCS 0 in EHT-SIG.
    assert_us(&eht(13, 2, 320), 1500, 44.0 + 2.0 * 7.2, 13.6); // 12016 bits of 78400
    assert_us(&eht(12, 1, 160), 11_454, 44.0 + 7.2, 6.0 * 13.6); // 91648 of 17640, 5.2 symbols
    assert_us(&eht(11, 1, 20), 1500, 44.0 + 7.2, 7.0 * 13.6); // of 1950: 6.2 symbols
                                                              // 160 MHz less 20 MHz: 1682 subcarriers, 12016 bits of 1682.
    let punctured = with(eht(1, 1, 160), |eht| eht.ppdu.ru = Some(Ru::T996Plus484Plus242));
    assert_us(&punctured, 1500, 44.0 + 7.2, 8.0 * 13.6);
    // Duplicated: 12016 bits of 117. MCS 15: of 58.5, rounded down.
    assert_us(&eht(14, 1, 80), 1500, 44.0 + 7.2, 103.0 * 13.6);
    assert_us(&eht(15, 1, 20), 1500, 44.0 + 7.2, 208.0 * 13.6);
}

#[test]
fn the_packet_extension_is_4_us_for_each_quarter_of_the_last_symbol() {
    // MCS 0: 117 bits in a symbol, 30 in a quarter of it. 4, 10, 12 and 14 octets are 54, 102, 118 and 134 bits.
    for (octets, symbols, extension_us) in [(4, 1.0, 8.0), (10, 1.0, 16.0), (12, 2.0, 4.0), (14, 2.0, 4.0)] {
        let got = txtime_us(&he(0, 1, 20, 800), octets).unwrap();
        assert!((got - 43.2 - symbols * 13.6 - extension_us).abs() < 1e-6, "{octets} octets: {got}");
    }
    // The extra segment of LDPC makes the third quarter the fourth.
    let ldpc = with(he(9, 1, 80, 800), |he| (he.ldpc, he.ppdu.ldpc_extra) = (Some(true), Some(true)));
    let got = txtime_us(&ldpc, 1300).unwrap(); // 10416 - 6533 = 3883 of 1600: the third quarter
    assert!((got - 43.2 - 2.0 * 13.6 - 16.0).abs() < 1e-6, "{got}");
}

#[test]
fn the_signal_extension_follows_at_2_4_ghz() {
    let frame = Frame { channel_mhz: Some(2437), ..he(0, 1, 20, 800) };
    // 43.2 + 1400.8 us, 12 us of packet extension for three quarters, and 6 us.
    assert_eq!(ppdu_us(&frame, 1500).map(|us| (us * 10.0).round()), Some(14620.0));
}

#[test]
fn what_the_standard_leaves_out_is_refused() {
    let odd_guard = he(0, 1, 20, 400);
    let no_band = he(0, 1, 60, 800);
    for frame in [odd_guard, no_band, he(12, 1, 20, 800), he(0, 9, 20, 800), he(0, 0, 20, 800), eht(14, 1, 40)] {
        assert_eq!(txtime_us(&frame, 100), None, "{frame:?}");
    }
}

#[test]
fn no_preamble_field_panics() {
    for value in 0..=u8::MAX {
        let mut frame = with(he(value % 16, value % 10, 160, 800), |he| {
            he.phy = Some([Phy::He, Phy::Eht][usize::from(value) % 2]);
            he.stbc = Some(value);
            he.length_bytes = Some(u32::MAX);
            he.ppdu.ltf_size = Some(value);
            he.ppdu.ltf_symbols = (value % 3 == 0).then_some(value);
            he.ppdu.sig_symbols = Some(value);
            he.ppdu.midamble_period = Some(value);
            he.ppdu.ru = Ru::ALL.get(usize::from(value)).copied();
            he.ppdu.format = PpduFormat::ALL.get(usize::from(value) % 7).copied();
            he.ppdu.l_sig_length = (value % 2 == 0).then_some(u16::from(value) << 4);
            he.ppdu.pe_disambiguity = Some(value % 2 == 0);
        });
        fill(&mut frame);
        assert!(frame.airtime_us.is_none_or(|us| us.is_finite() && us > 0.0), "{frame:?}");
    }
}
