//! OFDM and ERP-OFDM (clauses 17 and 18): symbols of 4 us after 20 us of preamble and SIGNAL.
//!
//! TXTIME (17.4.3) = T_PREAMBLE + T_SIGNAL + T_SYM ceil((16 + 8 LENGTH + 6) / N_DBPS); ERP-OFDM (18.5.3.2) adds the
//! signal extension. In 10 MHz channels all times are doubled, in 5 MHz channels quadrupled.

use crate::base::numbers::whole;
use crate::frame::Frame;
use crate::ieee80211::constants::{is_10_mhz_channel, OFDM_PREAMBLE_US, OFDM_SERVICE_AND_TAIL_BITS, OFDM_SYMBOL_US};

/// Data rates of a 20 MHz channel (table 17-4), Mb/s.
const RATES: [f64; 8] = [6.0, 9.0, 12.0, 18.0, 24.0, 36.0, 48.0, 54.0];

/// `None` if the rate is not one of the eight, scaled to the channel's bandwidth.
pub(super) fn txtime_us(frame: &Frame, psdu_bytes: u32) -> Option<f64> {
    let clock = clock(frame);
    let rate = f64::from(frame.rate_mbps?) * clock;
    if !RATES.contains(&rate) {
        return None;
    }
    let data_bits_per_symbol = u64::try_from(whole(rate * OFDM_SYMBOL_US)).ok()?; // exact: every rate is a multiple of 3
    let bits = u64::from(OFDM_SERVICE_AND_TAIL_BITS) + 8 * u64::from(psdu_bytes);
    let symbols = bits.div_ceil(data_bits_per_symbol);
    Some(clock * (OFDM_PREAMBLE_US + OFDM_SYMBOL_US * symbols as f64))
}

/// Up to the first data symbol.
pub(super) fn preamble_us(frame: &Frame) -> f64 {
    clock(frame) * OFDM_PREAMBLE_US
}

/// True if the PPDU's bandwidth is 10 MHz, or that of its channel is and no other was recorded.
pub(super) fn is_10_mhz(frame: &Frame) -> bool {
    frame.bandwidth_mhz.map_or(frame.channel_mhz.is_some_and(is_10_mhz_channel), |mhz| mhz == 10)
}

/// Factor on every time relative to a 20 MHz channel; wider channels carry duplicates of it.
fn clock(frame: &Frame) -> f64 {
    match frame.bandwidth_mhz {
        Some(5) => 4.0,
        _ if is_10_mhz(frame) => 2.0,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn airtime(rate: f32, bandwidth_mhz: Option<u16>, bytes: u32) -> Option<f64> {
        txtime_us(&Frame { rate_mbps: Some(rate), bandwidth_mhz, ..Frame::new(1, 0) }, bytes)
    }

    #[test]
    fn worked_values() {
        for (rate, bytes, us) in [
            (6.0, 14, 44.0),     // ACK: 134 bits, 6 symbols
            (12.0, 14, 32.0),    // ACK: 3 symbols
            (24.0, 14, 28.0),    // ACK: 2 symbols
            (6.0, 20, 52.0),     // RTS: 182 bits, 8 symbols
            (24.0, 20, 28.0),    // RTS
            (24.0, 32, 32.0),    // BlockAck: 278 bits, 3 symbols
            (54.0, 1528, 248.0), // 12246 bits, 57 symbols
            (54.0, 1536, 248.0), // 12310 bits, 57 symbols
            (9.0, 1024, 936.0),  // 8214 bits, 229 symbols
        ] {
            assert_eq!(airtime(rate, None, bytes), Some(us), "{rate} Mb/s, {bytes} octets");
        }
    }

    #[test]
    fn narrow_channels_stretch_time() {
        assert_eq!(airtime(3.0, Some(10), 14), Some(88.0));
        assert_eq!(airtime(13.5, Some(5), 1528), Some(4.0 * 248.0));
        assert_eq!(airtime(6.0, Some(40), 14), Some(44.0));
        let at =
            |channel_mhz, rate| Frame { channel_mhz: Some(channel_mhz), rate_mbps: Some(rate), ..Frame::new(1, 0) };
        assert_eq!(txtime_us(&at(5890, 6.0), 14), Some(2.0 * 32.0), "12 Mb/s, half as fast");
        assert_eq!(txtime_us(&at(5885, 6.0), 14), Some(44.0), "a channel of 20 MHz");
        assert_eq!(preamble_us(&at(5890, 6.0)), 40.0);
    }

    #[test]
    fn other_rates_are_refused() {
        for rate in [0.0, 11.0, 27.0, -6.0, f32::NAN, f32::INFINITY] {
            assert_eq!(airtime(rate, None, 14), None);
        }
    }
}
