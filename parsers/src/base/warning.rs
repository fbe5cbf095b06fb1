//! Damage and doubts that did not prevent reading a recording.

use super::named::named;

named! {
    /// Kind of damage or doubt; stable, for queries.
    WarningCode {
        /// The last record is truncated; everything before it was kept.
        TruncatedRecord = "truncated_record",
        /// An impossible record length; later records cannot be found.
        ImpossibleRecordLength = "impossible_record_length",
        /// Frames whose radiotap header is damaged.
        RadiotapDamaged = "radiotap_damaged",
        /// Radiotap bits that are not in the registry of this version.
        RadiotapUnknownBit = "radiotap_unknown_bit",
        /// Frames whose Prism, AVS or PPI header is damaged.
        CaptureHeaderDamaged = "capture_header_damaged",
        /// Frames whose time stamp is no time of a recording.
        TimeImpossible = "time_impossible",
        /// Frames of a link type other than 802.11, in addition to supported ones.
        OtherLinkType = "other_link_type",
        /// Several interfaces of one capture recorded 802.11 frames; the message describes how to distinguish their
        /// rows.
        SeveralInterfaces = "several_interfaces",
        /// Frames whose 802.11 header could not be read.
        HeaderUnreadable = "header_unreadable",
        /// It could not be inferred which instant the timestamps mark.
        ClockAmbiguous = "clock_ambiguous",
        /// The MAC clock jumped.
        ClockJump = "clock_jump",
        /// Timestamps are too coarse to distinguish frames.
        CoarseStamps = "coarse_stamps",
        /// The clock of the recording host was set.
        HostClockJump = "host_clock_jump",
        /// The drift between the MAC clock and the host clock is implausibly high.
        ClockDrift = "clock_drift",
        /// The recorder's clock runs faster or slower than those of the stations; times are corrected.
        ClockSpeed = "clock_speed",
        /// Frames of one A-MPDU were recorded with the rate of a PHY that has none: rates of data like them are unknown.
        RateContradicted = "rate_contradicted",
        /// Records that are copies of others of the same recording, which were left out.
        DuplicateRecords = "duplicate_records",
        /// Damaged compressed data; everything before the damage was kept.
        CompressionDamaged = "compression_damaged",
        /// Compressed data with an implausibly large decompressed size; everything before was kept.
        UnpackingLimit = "unpacking_limit",
        /// More distinct capabilities were announced than are kept.
        AnnouncementsLimit = "announcements_limit",
        /// Malformed lines of a trace.
        TraceLine = "trace_line",
        /// A simulator's trace without lines of the MAC.
        MacTraceOff = "mac_trace_off",
        /// Data of a simulator's trace without any address.
        AddressesMissing = "addresses_missing",
        /// MAC addresses of a simulation were taken for numbers of nodes before the trace showed that they are not.
        NodesUncertain = "nodes_uncertain",
        /// It could not be inferred which nodes of a simulation hear each other.
        HearingUnknown = "hearing_unknown",
    }
}

impl WarningCode {
    /// True if the input itself is damaged (exit code 3), false for a doubt about its meaning.
    pub const fn is_damage(self) -> bool {
        use WarningCode as C;
        let is_doubt = matches!(
            self,
            C::AddressesMissing
                | C::AnnouncementsLimit
                | C::ClockAmbiguous
                | C::ClockDrift
                | C::ClockJump
                | C::ClockSpeed
                | C::CoarseStamps
                | C::HearingUnknown
                | C::HostClockJump
                | C::MacTraceOff
                | C::NodesUncertain
                | C::OtherLinkType
                | C::RadiotapUnknownBit
                | C::RateContradicted
                | C::SeveralInterfaces
        );
        !is_doubt
    }
}

/// One row of the `warnings` table. Repeats are counted into one row, so a damaged file cannot flood it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The (first) frame concerned.
    pub frame_no: Option<u64>,
    /// Octets from the start of the file.
    pub offset: Option<u64>,
    /// See [`WarningCode`].
    pub code: WarningCode,
    /// A sentence that contains the counts.
    pub message: String,
}
