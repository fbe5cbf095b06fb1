//! DSSS and HR/DSSS (clauses 15 and 16): a PLCP preamble and header, then the bits at the data rate.
//!
//! TXTIME (16.3.4) = preamble + PLCP header + ceil(8 LENGTH / DATARATE). The ceiling applies to the LENGTH field, which
//! counts whole microseconds. The transmission ends with its last symbol, and the result is that end. At 5.5 and 11
//! Mb/s it is therefore up to 1 us less than TXTIME.

use crate::frame::{Frame, Preamble};
use crate::ieee80211::constants::{LONG_PLCP_US, SHORT_PLCP_US};

/// `None` without a usable rate. Rates other than 1, 2, 5.5 and 11 Mb/s are accepted, because simulators and PBCC (22
/// and 33 Mb/s) use the same PLCP header.
pub(super) fn txtime_us(frame: &Frame, psdu_bytes: u32) -> Option<f64> {
    let rate = frame.rate_mbps.map(f64::from).filter(|rate| rate.is_finite() && *rate > 0.0)?;
    Some(plcp_us(frame.preamble) + 8.0 * f64::from(psdu_bytes) / rate)
}

/// The PLCP preamble and header; long if not recorded.
pub(super) fn plcp_us(preamble: Option<Preamble>) -> f64 {
    match preamble {
        Some(Preamble::Short) => SHORT_PLCP_US,
        _ => LONG_PLCP_US,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Phy;

    fn airtime(rate: f32, preamble: Preamble, bytes: u32) -> f64 {
        let frame =
            Frame { phy: Some(Phy::HrDsss), rate_mbps: Some(rate), preamble: Some(preamble), ..Frame::new(1, 0) };
        txtime_us(&frame, bytes).unwrap()
    }

    #[test]
    fn worked_values() {
        for (rate, preamble, bytes, us) in [
            (1.0, Preamble::Long, 20, 352.0),                     // RTS
            (1.0, Preamble::Long, 14, 304.0),                     // CTS, ACK
            (2.0, Preamble::Long, 14, 248.0),                     // ACK
            (2.0, Preamble::Short, 14, 152.0),                    // ACK
            (11.0, Preamble::Long, 1528, 192.0 + 12224.0 / 11.0), // 1303.273
            (11.0, Preamble::Long, 540, 192.0 + 4320.0 / 11.0),   // 584.727
            (5.5, Preamble::Short, 1024, 96.0 + 8192.0 / 5.5),    // 1585.455
            (11.0, Preamble::Short, 1536, 96.0 + 12288.0 / 11.0), // 1213.091
        ] {
            let got = airtime(rate, preamble, bytes);
            assert!((got - us).abs() < 1e-9, "{rate} Mb/s, {bytes} octets: {got} is not {us}");
        }
        assert!((airtime(11.0, Preamble::Long, 1528) - 1303.273).abs() < 1e-3);
    }
}
