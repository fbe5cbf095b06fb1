//! The collision term of S000 sec. 4.3: the share of a packet's time that backoff takes.

use crate::units::Nanos;

/// Spans of one packet at its sender, nanoseconds. Frames that were not sent take none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacketTimes {
    /// DIFS.
    pub(crate) difs: Nanos,
    /// SIFS.
    pub(crate) sifs: Nanos,
    /// Backoff drawn for the packet, over all its attempts.
    pub(crate) backoff: Nanos,
    /// RTS.
    pub(crate) rts: Nanos,
    /// CTS.
    pub(crate) cts: Nanos,
    /// The data frame.
    pub(crate) data: Nanos,
}

impl PacketTimes {
    /// K of eq. (7) with T(m) of eq. (8): (DIFS + backoff) / (2 DIFS + 3 SIFS + backoff + CTS + RTS + DATA), which the paper
    /// takes for a collision probability. The form without RTS/CTS is not printed: both are left out.
    pub(crate) fn k(&self) -> f64 {
        let between = 2 * self.difs + 3 * self.sifs + self.backoff + self.cts + self.rts + self.data;
        (self.difs + self.backoff) as f64 / between.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1500 bytes at 11 Mbit/s, 802.11b.
    const TIMES: PacketTimes =
        PacketTimes { difs: 50_000, sifs: 10_000, backoff: 310_000, rts: 352_000, cts: 304_000, data: 1_303_273 };

    /// V-C1: K of the paper without, with mean, and with twice the mean backoff.
    #[test]
    fn v_c1_k_of_the_paper() {
        for (backoff, k) in [(0, 0.023_932), (310_000, 0.150_045), (620_000, 0.247_299)] {
            assert!((PacketTimes { backoff, ..TIMES }.k() - k).abs() < 1e-6);
        }
    }

    /// K is no constant: 100 bytes have three times the share of 1500, and without RTS/CTS it is larger still.
    #[test]
    fn the_printed_factor_follows_size_rate_and_backoff() {
        let short = PacketTimes { data: 285_091, ..TIMES };
        assert!((short.k() - 360.0 / 1_381.091).abs() < 1e-9);
        let basic = PacketTimes { rts: 0, cts: 0, ..TIMES };
        assert!((basic.k() - 360.0 / 1_743.273).abs() < 1e-9);
        let slow = PacketTimes { data: 12_416_000, ..TIMES };
        assert!(slow.k() < 0.028);
    }
}
