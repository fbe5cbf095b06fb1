//! VHT (clause 21): the data of one user, with the training fields of all users.
//!
//! TXTIME (21.4.3) = 36 us of preamble and SIG fields + VHT-LTFs + N_SYM symbols of 4 us, or of
//! 3.6 us with the short guard interval, rounded up to a multiple of 4 us.

use super::ht::short_guard_us;
use super::ldpc;
use super::modulation::modulation;
use crate::frame::Frame;
use crate::ieee80211::constants::{SERVICE_BITS, TAIL_BITS};

const MAX_STREAMS: u8 = 8;
/// The last MCS: 256-QAM 5/6.
const LAST_MCS: u8 = 9;
/// L-STF, L-LTF, L-SIG, VHT-SIG-A, VHT-STF and VHT-SIG-B (table 21-5).
const FIXED_US: f64 = 16.0 + 4.0 + 8.0 + 4.0 + 4.0;
/// One VHT-LTF.
const LTF_US: f64 = 4.0;
/// T_SYML.
const LONG_SYMBOL_US: f64 = 4.0;
/// Data bits per symbol per encoder (540 Mb/s with the long guard interval).
const ENCODER_BITS: u64 = 2160;

/// `None` for a combination of MCS, streams and bandwidth that 21.5 excludes.
pub(super) fn txtime_us(frame: &Frame, psdu_bytes: u32) -> Option<f64> {
    let symbols = symbols(frame, 8 * u64::from(psdu_bytes))?;
    let data_us = match frame.guard_ns {
        Some(400) => short_guard_us(symbols),
        _ => LONG_SYMBOL_US * symbols as f64,
    };
    Some(preamble_us(frame)? + data_us)
}

/// Up to the first data symbol.
pub(super) fn preamble_us(frame: &Frame) -> Option<f64> {
    let streams = streams(frame)? * stbc(frame);
    let training_fields = match frame.ppdu.ltf_symbols {
        Some(ltfs) => u64::from(ltfs),
        None => training_fields(streams)?,
    };
    Some(FIXED_US + LTF_US * training_fields as f64)
}

/// N_VHTLTF for a number of space-time streams (table 21-13); HE and EHT use the same number of LTFs.
pub(super) fn training_fields(space_time_streams: u64) -> Option<u64> {
    match space_time_streams {
        1 => Some(1),
        2..=8 => Some(space_time_streams.div_ceil(2) * 2),
        _ => None,
    }
}

/// N_SYM (equations 21-61 to 21-67).
fn symbols(frame: &Frame, psdu_bits: u64) -> Option<u64> {
    let mcs = frame.mcs.filter(|&mcs| mcs <= LAST_MCS)?;
    let (bits, rate) = modulation(mcs)?;
    let coded_bits = bits * data_subcarriers(frame.bandwidth_mhz)? * streams(frame)?;
    if (coded_bits * rate.numerator) % rate.denominator != 0 {
        return None;
    }
    let (data_bits, stbc) = (rate.of(coded_bits), stbc(frame));
    let symbols = |bits: u64| stbc * bits.div_ceil(stbc * data_bits);
    if frame.ldpc != Some(true) {
        let encoders = encoders(frame.bandwidth_mhz, streams(frame)?, mcs, data_bits);
        return Some(symbols(psdu_bits + SERVICE_BITS + TAIL_BITS * encoders));
    }
    // Unlike HT, the padding up to the whole symbol is coded too.
    let initial = symbols(psdu_bits + SERVICE_BITS);
    let needs_extra = || ldpc::needs_extra_symbol(initial * data_bits, initial * coded_bits, rate);
    let extra = frame.ppdu.ldpc_extra.unwrap_or_else(needs_extra);
    Some(initial + if extra { stbc } else { 0 })
}

/// N_ES: one encoder per 540 Mb/s, except where a symbol does not divide evenly among them (21.5).
fn encoders(bandwidth_mhz: Option<u16>, streams: u64, mcs: u8, data_bits: u64) -> u64 {
    match (bandwidth_mhz, streams, mcs) {
        (Some(80), 7, 2) => 3,
        (Some(80), 7, 7 | 8) | (Some(80), 8, 7) => 6,
        (Some(160), 4, 7) | (Some(160), 7, 4) => 6,
        (Some(160), 5, 8) | (Some(160), 6, 7) => 8,
        (Some(160), 7, 3) => 4,
        (Some(160), 7, 5) => 7,
        (Some(160), 7, 7) => 9,
        (Some(160), 7, 8 | 9) => 12,
        _ => data_bits.div_ceil(ENCODER_BITS),
    }
}

/// N_SD (table 21-5).
fn data_subcarriers(bandwidth_mhz: Option<u16>) -> Option<u64> {
    match bandwidth_mhz {
        None | Some(20) => Some(52),
        Some(40) => Some(108),
        Some(80) => Some(234),
        Some(160) => Some(468),
        Some(_) => None,
    }
}

/// N_SS; 1 if not recorded.
fn streams(frame: &Frame) -> Option<u64> {
    let streams = frame.nss.unwrap_or(1);
    (1..=MAX_STREAMS).contains(&streams).then_some(u64::from(streams))
}

/// m_STBC: with STBC, two space-time streams for each spatial stream.
fn stbc(frame: &Frame) -> u64 {
    if frame.stbc.unwrap_or(0) > 0 {
        2
    } else {
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vht(mcs: u8, nss: u8, bandwidth: u16, guard: u16) -> Frame {
        Frame {
            nss: Some(nss),
            mcs: Some(mcs),
            bandwidth_mhz: Some(bandwidth),
            guard_ns: Some(guard),
            ..Frame::new(1, 0)
        }
    }

    #[test]
    fn worked_values() {
        for (frame, us) in [
            (vht(0, 1, 20, 800), 40.0 + 4.0 * 463.0), // 12022 bits of 26
            (vht(9, 1, 80, 800), 40.0 + 4.0 * 8.0),   // of 1560
            (vht(9, 2, 80, 400), 44.0 + 16.0),        // 12028 bits (two encoders) of 3120, 4 of 3.6 us: 14.4
            (vht(7, 3, 80, 800), 52.0 + 4.0 * 4.0),   // 12028 bits of 3510, four LTFs
            (Frame { stbc: Some(1), ..vht(8, 1, 20, 800) }, 44.0 + 4.0 * 40.0), // of 312, even
        ] {
            assert_eq!(txtime_us(&frame, 1500), Some(us), "{frame:?}");
        }
    }

    #[test]
    fn what_clause_21_leaves_out_is_refused() {
        for frame in
            [vht(9, 1, 20, 800), vht(10, 1, 80, 800), vht(0, 0, 80, 800), vht(0, 9, 80, 800), vht(0, 1, 60, 800)]
        {
            assert_eq!(txtime_us(&frame, 100), None);
        }
    }
}
