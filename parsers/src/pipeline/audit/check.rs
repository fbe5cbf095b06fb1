//! The rules, the verdicts, and what follows from them.

use crate::base::named::named;

named! {
    /// A physical rule.
    AuditCheck {
        /// Share of the answers that start within 4 us of SIFS after the frame they answer.
        Sifs = "sifs",
        /// Share of the CTS frames that reserve the medium until the same instant as the RTS they answer, to 4 us.
        NavEnd = "nav_end",
        /// Share of the beacons that are as far from the one before them as their timestamps say.
        BeaconSchedule = "beacon_schedule",
        /// Share of the A-MPDUs whose time line is within 15 % of the airtime of their octets.
        AmpduSpan = "ampdu_span",
        /// Share of the sent frames that are from the observer.
        TxSource = "tx_source",
        /// Share of the heard frames that one radio cannot have received beside another.
        Overlap = "overlap",
        /// Share of the frames on the air that were heard.
        Completeness = "completeness",
        /// Share of the heard frames that were not recorded before, nor at a time that was.
        RecordedOnce = "recorded_once",
        /// The slower of the recorder's clock and those of the stations, as a share of the faster.
        ClockSpeed = "clock_speed",
    }
}

named! {
    /// What a check says about a recording.
    Verdict {
        /// The rule holds.
        Good = "good",
        /// The rule holds for part of the frames, or there are too few to tell.
        Doubtful = "doubtful",
        /// The rule does not hold.
        Unusable = "unusable",
        /// There is no recorder that the rule could judge.
        NotApplicable = "not_applicable",
    }
}

/// What the rows of a simulator's trace say.
pub(super) const NOT_APPLICABLE: &str = "not applicable: a simulator wrote these times, no recorder took them";

impl AuditCheck {
    /// Shares from which on the verdict is good, and doubtful; of overlaps up to which.
    pub(super) const fn limits(self) -> [f64; 2] {
        match self {
            AuditCheck::Sifs | AuditCheck::NavEnd | AuditCheck::BeaconSchedule => [0.9, 0.5],
            AuditCheck::AmpduSpan => [0.95, 0.8],
            AuditCheck::TxSource => [1.0, 0.99],
            AuditCheck::Overlap => [0.005, 0.05],
            AuditCheck::Completeness => [0.95, 0.5],
            AuditCheck::RecordedOnce => [0.995, 0.95],
            AuditCheck::ClockSpeed => [0.95, 0.85],
        }
    }

    /// The verdict about a share.
    pub(super) fn verdict(self, share: f64) -> Verdict {
        let reaches = |limit: f64| if self == AuditCheck::Overlap { share <= limit } else { share >= limit };
        let [good, doubtful] = self.limits().map(reaches);
        match (good, doubtful) {
            (true, _) => Verdict::Good,
            (false, true) => Verdict::Doubtful,
            (false, false) => Verdict::Unusable,
        }
    }

    /// What follows from a verdict for results.
    pub(super) const fn consequence(self, verdict: Verdict) -> &'static str {
        use AuditCheck as C;
        match (self, verdict) {
            (_, Verdict::Good) => "none",
            (_, Verdict::NotApplicable) => NOT_APPLICABLE,
            (C::Sifs, Verdict::Doubtful) => "some gaps between frames are wrong: idle time and backoff are rough",
            (C::Sifs, Verdict::Unusable) => "timing unusable: no gaps between frames, no idle time, no backoff",
            (C::NavEnd, _) => "the ends of CTS frames, or the reservations of the stations, are wrong",
            (C::BeaconSchedule, _) => "the recorder's clock and those of the stations disagree: one of them is wrong",
            (C::AmpduSpan, Verdict::Doubtful) => "the airtime of some A-MPDUs is wrong",
            (C::AmpduSpan, Verdict::Unusable) => {
                "the airtime of A-MPDUs is unusable: busy time and capacity of their links are rough"
            }
            (C::TxSource, _) => "the recording station is uncertain: state it with --observer",
            (C::Overlap, Verdict::Doubtful) => "some frames are stamped wrongly: busy time is rough",
            (C::Overlap, Verdict::Unusable) => "timing unusable: frames of one radio overlap",
            (C::Completeness, Verdict::Doubtful) => "frames were not heard: busy time is a lower bound",
            (C::Completeness, Verdict::Unusable) => {
                "most frames were not heard: busy time, losses and estimates do not hold"
            }
            (C::RecordedOnce, Verdict::Doubtful) => "some frames were recorded twice: counts and busy time are rough",
            (C::RecordedOnce, Verdict::Unusable) => "timing unusable: the same time was recorded more than once",
            (C::ClockSpeed, Verdict::Doubtful) => "the recorder's clock runs faster or slower than the stations' do",
            (C::ClockSpeed, Verdict::Unusable) => {
                "timing unusable: the recorder's clock does not measure the time that frames take"
            }
        }
    }
}
