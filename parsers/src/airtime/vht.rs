//! VHT (clause 21), single user, up to four streams.
//!
//! TXTIME (21.4.3) = 36 us of preamble and SIG fields + VHT-LTFs + N_SYM symbols of 4 us, or of
//! 3.6 us with the short guard interval, rounded up to a multiple of 4 us.

use super::ht::{short_guard_us, MODULATIONS};
use super::ldpc::{self, CodeRate};
use crate::frame::Frame;

/// Beyond four streams the number of encoders follows no rule but the tables of 21.5.
pub(super) const MAX_STREAMS: u8 = 4;

/// L-STF, L-LTF, L-SIG, VHT-SIG-A, VHT-STF and VHT-SIG-B (table 21-5).
const FIXED_US: f64 = 16.0 + 4.0 + 8.0 + 4.0 + 4.0;
/// One VHT-LTF.
const LTF_US: f64 = 4.0;
/// T_SYML.
const LONG_SYMBOL_US: f64 = 4.0;
/// SERVICE, bits.
const SERVICE_BITS: u64 = 16;
/// Tail of one encoder, bits.
const TAIL_BITS: u64 = 6;
/// One encoder per this many data bits per symbol (540 Mb/s with the long guard interval).
const ENCODER_BITS: u64 = 2160;

/// `None` for a combination of MCS, streams and bandwidth that 21.5 leaves out.
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
    let training_fields = match streams {
        1 => 1,
        2..=8 => streams.div_ceil(2) * 2,
        _ => return None,
    };
    Some(FIXED_US + LTF_US * training_fields as f64)
}

/// N_SYM (equations 21-61 to 21-67).
fn symbols(frame: &Frame, psdu_bits: u64) -> Option<u64> {
    let (bits, rate) = modulation(frame.mcs?)?;
    let coded_bits = bits * data_subcarriers(frame.bandwidth_mhz)? * streams(frame)?;
    if (coded_bits * rate.numerator) % rate.denominator != 0 {
        return None;
    }
    let (data_bits, stbc) = (rate.of(coded_bits), stbc(frame));
    let symbols = |bits: u64| stbc * bits.div_ceil(stbc * data_bits);
    if frame.ldpc != Some(true) {
        let encoders = data_bits.div_ceil(ENCODER_BITS);
        return Some(symbols(psdu_bits + SERVICE_BITS + TAIL_BITS * encoders));
    }
    // Unlike HT, the padding up to the whole symbol is coded too.
    let initial = symbols(psdu_bits + SERVICE_BITS);
    let extra = ldpc::needs_extra_symbol(initial * data_bits, initial * coded_bits, rate);
    Some(initial + if extra { stbc } else { 0 })
}

/// Coded bits per subcarrier and stream, and code rate: HT's, then 256-QAM (table 21-30).
fn modulation(mcs: u8) -> Option<(u64, CodeRate)> {
    match mcs {
        0..=7 => MODULATIONS.get(usize::from(mcs)).copied(),
        8 => Some((8, CodeRate { numerator: 3, denominator: 4 })),
        9 => Some((8, CodeRate { numerator: 5, denominator: 6 })),
        _ => None,
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

/// N_SS; one where the record does not say.
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
            [vht(9, 1, 20, 800), vht(10, 1, 80, 800), vht(0, 0, 80, 800), vht(0, 5, 80, 800), vht(0, 1, 60, 800)]
        {
            assert_eq!(txtime_us(&frame, 100), None);
        }
    }
}
