//! Modulation and code rate of each MCS of one spatial stream.

/// The code rate R as a fraction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CodeRate {
    pub(super) numerator: u64,
    pub(super) denominator: u64,
}

impl CodeRate {
    /// `bits` R, rounded down.
    pub(super) const fn of(self, bits: u64) -> u64 {
        bits * self.numerator / self.denominator
    }
}

/// N_BPSCS, coded bits per subcarrier and stream, and R: HT uses MCS 0 to 7 (IEEE 802.11-2020, 19.5), VHT
/// 0 to 9 (21.5), HE 0 to 11 (802.11ax-2021, 27.5), EHT 0 to 15 (802.11be-2024, 36.5), of which 14 and 15
/// are MCS 0 with dual carrier modulation.
pub(super) fn modulation(mcs: u8) -> Option<(u64, CodeRate)> {
    let (bits, numerator, denominator) = match mcs {
        0 | 14 | 15 => (1, 1, 2),
        1 => (2, 1, 2),
        2 => (2, 3, 4),
        3 => (4, 1, 2),
        4 => (4, 3, 4),
        5 => (6, 2, 3),
        6 => (6, 3, 4),
        7 => (6, 5, 6),
        8 => (8, 3, 4),
        9 => (8, 5, 6),
        10 => (10, 3, 4),
        11 => (10, 5, 6),
        12 => (12, 3, 4),
        13 => (12, 5, 6),
        _ => return None,
    };
    Some((bits, CodeRate { numerator, denominator }))
}
