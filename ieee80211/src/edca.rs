//! EDCA parameters where an access point announces none (table 9-155).

/// Slots between SIFS and the earliest access of a station without QoS: DIFS (10.3.7).
pub const DCF_AIFSN: u32 = 2;

/// An access category.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessCategory {
    /// AC_BE.
    BestEffort,
    /// AC_BK.
    Background,
    /// AC_VI.
    Video,
    /// AC_VO.
    Voice,
}

impl AccessCategory {
    /// Every category, in the order of their indices (table 9-154).
    pub const ALL: &'static [AccessCategory] =
        &[AccessCategory::BestEffort, AccessCategory::Background, AccessCategory::Video, AccessCategory::Voice];

    /// `be`, `bk`, `vi` or `vo`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            AccessCategory::BestEffort => "be",
            AccessCategory::Background => "bk",
            AccessCategory::Video => "vi",
            AccessCategory::Voice => "vo",
        }
    }

    /// AIFSN of a station, slots.
    #[must_use]
    pub const fn aifsn(self) -> u32 {
        match self {
            AccessCategory::BestEffort => 3,
            AccessCategory::Background => 7,
            AccessCategory::Video | AccessCategory::Voice => 2,
        }
    }

    /// By what aCWmin + 1 is divided for the CWmin + 1 of the category.
    #[must_use]
    pub const fn cw_divisor(self) -> u32 {
        match self {
            AccessCategory::BestEffort | AccessCategory::Background => 1,
            AccessCategory::Video => 2,
            AccessCategory::Voice => 4,
        }
    }

    /// CWmin of the category, slots, from aCWmin of the PHY.
    #[must_use]
    pub const fn cw_min(self, a_cw_min: u32) -> u32 {
        (a_cw_min + 1) / self.cw_divisor() - 1
    }

    /// CWmax of the category, slots, from aCWmin and aCWmax of the PHY.
    #[must_use]
    pub const fn cw_max(self, a_cw_min: u32, a_cw_max: u32) -> u32 {
        match self {
            AccessCategory::BestEffort | AccessCategory::Background => a_cw_max,
            AccessCategory::Video => a_cw_min,
            AccessCategory::Voice => AccessCategory::Video.cw_min(a_cw_min),
        }
    }

    /// TXOP limit, microseconds: with DSSS or HR/DSSS, and with any other PHY below 6 GHz.
    #[must_use]
    pub const fn txop_limit_us(self) -> (u32, u32) {
        match self {
            AccessCategory::BestEffort | AccessCategory::Background => (3264, 2528),
            AccessCategory::Video => (6016, 4096),
            AccessCategory::Voice => (3264, 2080),
        }
    }
}
