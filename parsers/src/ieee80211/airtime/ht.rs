//! HT (clause 19), mixed and greenfield format.
//!
//! TXTIME (19.4.3) = preamble and SIG fields + N_SYM symbols of 4 us, or of 3.6 us with the short guard interval.
//! HT-mixed rounds the latter sum up to a multiple of 4 us. The caller adds the signal extension.

use super::ldpc;
use super::modulation::{modulation, CodeRate};
use crate::base::numbers::single;
use crate::frame::{Frame, Preamble};
use crate::ieee80211::constants::{SERVICE_BITS, TAIL_BITS};

/// L-STF, L-LTF, L-SIG, HT-SIG and HT-STF (table 19-6).
const MIXED_US: f64 = 16.0 + 4.0 + 8.0 + 4.0;
/// HT-GF-STF, the long HT-LTF1 less the 4 us counted with the other LTFs, and HT-SIG.
const GREENFIELD_US: f64 = 8.0 + 4.0 + 8.0;
/// One HT-LTF.
const LTF_US: f64 = 4.0;
/// T_SYML.
const LONG_SYMBOL_US: f64 = 4.0;
/// T_SYMS in tenths of a microsecond, so that the rounding below is exact.
const SHORT_SYMBOL_TENTHS: u64 = 36;
/// Above this number of data bits per symbol (300 Mb/s), two encoders are used (tables 19-27 to 19-38).
const ONE_ENCODER_BITS: u64 = 1200;

/// `None` for an MCS or bandwidth clause 19 does not define.
pub(super) fn txtime_us(frame: &Frame, psdu_bytes: u32) -> Option<f64> {
    let coding = Coding::of(frame)?;
    let symbols = coding.symbols(8 * u64::from(psdu_bytes), frame.ldpc == Some(true));
    let data_us = match frame.guard_ns {
        Some(400) if frame.preamble == Some(Preamble::Greenfield) => (symbols * SHORT_SYMBOL_TENTHS) as f64 / 10.0,
        Some(400) => short_guard_us(symbols),
        _ => LONG_SYMBOL_US * symbols as f64,
    };
    Some(preamble_us(frame)? + data_us)
}

/// Data rate of an MCS with unequal modulation of the streams, Mb/s; `None` for any other.
pub(crate) fn unequal_rate_mbps(mcs: u8, bandwidth_mhz: u16, guard_ns: u16) -> Option<f32> {
    let (bits, rate) = unequal_modulation(mcs)?;
    let data_bits = rate.of(bits * data_subcarriers(Some(bandwidth_mhz))?);
    Some(single(data_bits as f64 / (3.2 + f64::from(guard_ns) / 1000.0)))
}

/// Up to the first data symbol. `None` for an unknown MCS or more than four space-time streams.
pub(super) fn preamble_us(frame: &Frame) -> Option<f64> {
    let streams = streams(frame.mcs?)? + u64::from(frame.stbc.unwrap_or(0));
    let data_ltfs = match streams {
        1 | 2 => streams,
        3 | 4 => 4,
        _ => return None,
    };
    let training_fields = frame.ppdu.ltf_symbols.map_or(data_ltfs, u64::from);
    let fixed = if frame.preamble == Some(Preamble::Greenfield) { GREENFIELD_US } else { MIXED_US };
    Some(fixed + LTF_US * training_fields as f64)
}

/// T_SYML ceil(T_SYMS N_SYM / T_SYML): symbols of 3.6 us, the whole rounded up to 4 us.
pub(super) fn short_guard_us(symbols: u64) -> f64 {
    LONG_SYMBOL_US * (symbols * SHORT_SYMBOL_TENTHS).div_ceil(40) as f64
}

/// Capacity of a symbol.
#[derive(Clone, Copy)]
struct Coding {
    /// N_CBPS.
    coded_bits: u64,
    /// R.
    rate: CodeRate,
    /// m_STBC.
    stbc: u64,
}

impl Coding {
    fn of(frame: &Frame) -> Option<Coding> {
        let mcs = frame.mcs?;
        let stbc = if frame.stbc.unwrap_or(0) > 0 { 2 } else { 1 };
        let data_subcarriers = data_subcarriers(frame.bandwidth_mhz)?;
        if mcs == 32 {
            // MCS 32: MCS 0 duplicated in both halves of 40 MHz.
            let (_, rate) = modulation(0).filter(|_| frame.bandwidth_mhz == Some(40))?;
            return Some(Coding { coded_bits: 48, rate, stbc });
        }
        let (bits, rate) = match mcs {
            0..=31 => modulation(mcs % 8).map(|(bits, rate)| (bits * u64::from(mcs / 8 + 1), rate))?,
            _ => unequal_modulation(mcs)?,
        };
        Some(Coding { coded_bits: bits * data_subcarriers, rate, stbc })
    }

    /// N_SYM (equations 19-32 and 19-41).
    fn symbols(self, psdu_bits: u64, ldpc: bool) -> u64 {
        let data_bits = self.rate.of(self.coded_bits);
        let symbols = |bits: u64| self.stbc * bits.div_ceil(self.stbc * data_bits);
        if !ldpc {
            let encoders = if data_bits > ONE_ENCODER_BITS { 2 } else { 1 };
            return symbols(psdu_bits + SERVICE_BITS + TAIL_BITS * encoders);
        }
        let payload_bits = psdu_bits + SERVICE_BITS;
        let initial = symbols(payload_bits);
        let extra = ldpc::needs_extra_symbol(payload_bits, initial * self.coded_bits, self.rate);
        initial + if extra { self.stbc } else { 0 }
    }
}

/// N_SD (table 19-6).
fn data_subcarriers(bandwidth_mhz: Option<u16>) -> Option<u64> {
    match bandwidth_mhz {
        Some(40) => Some(108),
        None | Some(20) => Some(52),
        Some(_) => None,
    }
}

/// N_SS.
fn streams(mcs: u8) -> Option<u64> {
    match mcs {
        0..=31 => Some(u64::from(mcs) / 8 + 1),
        32 => Some(1),
        33..=38 => Some(2),
        39..=52 => Some(3),
        53..=76 => Some(4),
        _ => None,
    }
}

/// Coded bits per subcarrier over all streams, and code rate, of MCS 33 to 76 (unequal modulation): first all
/// combinations at rate 1/2, then the same at 3/4 (tables 19-33 to 19-38).
fn unequal_modulation(mcs: u8) -> Option<(u64, CodeRate)> {
    const TWO: [u64; 3] = [6, 8, 10];
    const THREE: [u64; 7] = [8, 10, 10, 12, 14, 14, 16];
    const FOUR: [u64; 12] = [10, 12, 14, 12, 14, 16, 18, 16, 18, 20, 20, 22];
    let (mixtures, first): (&[u64], u8) = match mcs {
        33..=38 => (&TWO, 33),
        39..=52 => (&THREE, 39),
        53..=76 => (&FOUR, 53),
        _ => return None,
    };
    let place = usize::from(mcs - first);
    let bits = *mixtures.get(place % mixtures.len())?;
    let (numerator, denominator) = if place < mixtures.len() { (1, 2) } else { (3, 4) };
    Some((bits, CodeRate { numerator, denominator }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ht(mcs: u8, bandwidth: u16, guard: u16) -> Frame {
        Frame { mcs: Some(mcs), bandwidth_mhz: Some(bandwidth), guard_ns: Some(guard), ..Frame::new(1, 0) }
    }

    #[test]
    fn data_bits_per_symbol_give_the_rates_of_the_tables() {
        // Data rates with 800 ns guard of MCS 0 to 7, one stream (tables 19-27 and 19-31).
        let narrow = [6.5, 13.0, 19.5, 26.0, 39.0, 52.0, 58.5, 65.0];
        let wide = [13.5, 27.0, 40.5, 54.0, 81.0, 108.0, 121.5, 135.0];
        for mcs in 0..32 {
            for (bandwidth, rates) in [(20, narrow), (40, wide)] {
                let coding = Coding::of(&ht(mcs, bandwidth, 800)).unwrap();
                let mbps = coding.rate.of(coding.coded_bits) as f64 / LONG_SYMBOL_US;
                assert_eq!(mbps, rates[usize::from(mcs) % 8] * f64::from(mcs / 8 + 1), "MCS {mcs}, {bandwidth} MHz");
            }
        }
    }

    #[test]
    fn worked_values() {
        for (mcs, bandwidth, guard, us) in [
            (0, 20, 800, 36.0 + 4.0 * 463.0),  // 12022 bits of 26
            (7, 20, 800, 36.0 + 4.0 * 47.0),   // of 260
            (7, 20, 400, 36.0 + 172.0),        // 47 of 3.6 us: 169.2
            (15, 20, 800, 40.0 + 4.0 * 24.0),  // of 520, two LTFs
            (15, 40, 400, 40.0 + 44.0),        // 12 of 1080: 43.2
            (20, 40, 800, 48.0 + 4.0 * 13.0),  // of 972, one encoder, four LTFs
            (21, 40, 800, 48.0 + 4.0 * 10.0),  // 12028 bits (two encoders) of 1296
            (31, 40, 400, 48.0 + 24.0),        // 6 of 2160: 21.6
            (32, 40, 800, 36.0 + 4.0 * 501.0), // of 24
        ] {
            assert_eq!(txtime_us(&ht(mcs, bandwidth, guard), 1500), Some(us), "MCS {mcs}, {bandwidth} MHz, {guard} ns");
        }
    }

    #[test]
    fn greenfield_stbc_and_ldpc() {
        let greenfield = Frame { preamble: Some(Preamble::Greenfield), ..ht(7, 20, 400) };
        assert_eq!(txtime_us(&greenfield, 1500), Some(24.0 + 169.2));
        let stbc = Frame { stbc: Some(1), ..ht(7, 20, 800) };
        assert_eq!(txtime_us(&stbc, 1500), Some(40.0 + 4.0 * 48.0)); // an even number of symbols
        let ldpc = Frame { ldpc: Some(true), ..ht(7, 20, 800) };
        assert_eq!(txtime_us(&ldpc, 1500), Some(36.0 + 4.0 * 47.0));
        // One symbol (312 coded bits) would hold 30 octets, but puncture 52 of the 108 parity bits.
        let punctured = Frame { ldpc: Some(true), ..ht(7, 20, 800) };
        assert_eq!(txtime_us(&punctured, 30), Some(36.0 + 8.0));
    }

    #[test]
    fn streams_that_are_not_modulated_alike() {
        // N_DBPS of tables 19-33 to 19-38, 20 MHz: the first and last MCS of each.
        for (mcs, data_bits) in [(33, 156), (38, 390), (39, 208), (52, 624), (53, 260), (76, 858)] {
            let coding = Coding::of(&ht(mcs, 20, 800)).unwrap();
            assert_eq!(coding.rate.of(coding.coded_bits), data_bits, "MCS {mcs}");
        }
        assert_eq!(txtime_us(&ht(38, 20, 800), 1500), Some(40.0 + 4.0 * 31.0)); // 12022 bits of 390
        assert_eq!((unequal_rate_mbps(38, 20, 800), unequal_rate_mbps(76, 40, 400)), (Some(97.5), Some(495.0)));
        assert_eq!(unequal_rate_mbps(31, 20, 800), None);
    }

    #[test]
    fn extension_streams_are_trained_too() {
        let mut extended = ht(7, 20, 800);
        extended.ppdu.ltf_symbols = Some(2);
        assert_eq!(txtime_us(&extended, 1500), Some(40.0 + 4.0 * 47.0));
    }

    #[test]
    fn what_clause_19_does_not_define_is_refused() {
        for frame in [ht(77, 20, 800), ht(32, 20, 800), ht(0, 80, 800), Frame { stbc: Some(2), ..ht(31, 20, 800) }] {
            assert_eq!(txtime_us(&frame, 100), None);
        }
    }
}
