//! The PHYs, by modulation family.

/// The modulation family of a PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Phy {
    /// Clause 15: 1 and 2 Mb/s.
    Dsss,
    /// Clause 16: 5.5 and 11 Mb/s, long or short preamble.
    HrDsss,
    /// Clause 17: OFDM at 5 GHz.
    Ofdm,
    /// Clause 18: OFDM at 2.4 GHz, with 6 us of signal extension.
    Erp,
    /// Clause 19.
    Ht,
    /// Clause 21.
    Vht,
    /// Clause 27.
    He,
    /// Clause 36.
    Eht,
}

impl Phy {
    /// Every PHY, from the oldest to the latest.
    pub const ALL: &'static [Phy] =
        &[Phy::Dsss, Phy::HrDsss, Phy::Ofdm, Phy::Erp, Phy::Ht, Phy::Vht, Phy::He, Phy::Eht];

    /// True for PHYs whose PPDUs may hold several MPDUs, an A-MPDU: those since HT (9.7.1).
    #[must_use]
    pub const fn has_ampdu(self) -> bool {
        matches!(self, Phy::Ht | Phy::Vht | Phy::He | Phy::Eht)
    }

    /// The text that tables show.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Phy::Dsss => "dsss",
            Phy::HrDsss => "hr_dsss",
            Phy::Ofdm => "ofdm",
            Phy::Erp => "erp",
            Phy::Ht => "ht",
            Phy::Vht => "vht",
            Phy::He => "he",
            Phy::Eht => "eht",
        }
    }
}
