//! Data rates of the MCS-coded PHYs.

use crate::base::numbers::single;

/// Data bits per subcarrier and spatial stream, N_BPSCS * R, by MCS: HT uses 0 to 7 (IEEE 802.11-2020,
/// 19.5), VHT 0 to 9 (21.5), HE 0 to 11 (802.11ax-2021, 27.5), EHT 0 to 15 (802.11be-2024, 36.5), where 14
/// and 15 are MCS 0 with dual carrier modulation.
const BITS_PER_SUBCARRIER: [f64; 16] =
    [0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 4.5, 5.0, 6.0, 20.0 / 3.0, 7.5, 25.0 / 3.0, 9.0, 10.0, 0.5, 0.25];

/// Rate in Mb/s of `nss` streams with the modulation `mcs` (per stream) on `subcarriers` data
/// subcarriers; a symbol takes `symbol_us` without its guard interval.
pub(super) fn rate_mbps(mcs: u8, nss: u8, subcarriers: u16, symbol_us: f64, guard_ns: u16) -> Option<f32> {
    let bits = BITS_PER_SUBCARRIER.get(usize::from(mcs))?;
    let symbol_us = symbol_us + f64::from(guard_ns) / 1000.0;
    Some(single(bits * f64::from(nss) * f64::from(subcarriers) / symbol_us))
}

/// Data subcarriers (N_SD) of HT (table 19-6) and VHT (table 21-5).
pub(super) const fn vht_subcarriers(bandwidth_mhz: u16) -> Option<u16> {
    match bandwidth_mhz {
        20 => Some(52),
        40 => Some(108),
        80 => Some(234),
        160 => Some(468),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::numbers::megabits;

    #[test]
    fn a_rate_is_one_number_in_tables_whatever_it_follows_from() {
        let vht = |mcs, nss, guard| megabits(rate_mbps(mcs, nss, vht_subcarriers(40).unwrap(), 3.2, guard).unwrap());
        let short: Vec<f64> = (0..10).map(|mcs| vht(mcs, 1, 400)).collect();
        assert_eq!(short, [15.0, 30.0, 45.0, 60.0, 90.0, 120.0, 135.0, 150.0, 180.0, 200.0]);
        assert_eq!([vht(5, 2, 400), vht(6, 3, 400), vht(7, 3, 800), vht(9, 2, 400)], [240.0, 405.0, 405.0, 400.0]);
        let he = |mcs| megabits(rate_mbps(mcs, 2, 980, 12.8, 800).unwrap());
        assert_eq!([he(0), he(11)], [72.0588, 1200.98]);
    }

    #[test]
    fn rates_of_the_standards_tables() {
        let vht = |mcs, nss, mhz, guard| rate_mbps(mcs, nss, vht_subcarriers(mhz).unwrap(), 3.2, guard).unwrap();
        assert!((vht(0, 1, 20, 800) - 6.5).abs() < 1e-4);
        assert!((vht(7, 1, 20, 400) - 72.222).abs() < 1e-2);
        assert!((vht(7, 3, 40, 400) - 450.0).abs() < 1e-3);
        assert!((vht(9, 1, 80, 400) - 433.333).abs() < 1e-2);
        let he = |mcs, nss, subcarriers, guard| rate_mbps(mcs, nss, subcarriers, 12.8, guard).unwrap();
        assert!((he(0, 1, 234, 800) - 8.603).abs() < 1e-2);
        assert!((he(11, 2, 980, 800) - 1200.98).abs() < 1e-1);
        assert!((he(13, 16, 3920, 800) - 46_117.6).abs() < 1e-1);
        assert_eq!(rate_mbps(16, 1, 52, 3.2, 800), None);
    }
}
