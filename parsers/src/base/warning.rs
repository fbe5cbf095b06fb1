//! Damage and doubts that did not stop a recording from being read.

use super::named::named;

named! {
    /// What kind of damage or doubt it is; stable, for queries.
    WarningCode {
        /// The last record is cut short; everything before it was kept.
        TruncatedRecord = "truncated_record",
        /// A record length no capture can have; nothing after it can be found.
        ImpossibleRecordLength = "impossible_record_length",
        /// Frames whose radiotap header is damaged.
        RadiotapDamaged = "radiotap_damaged",
        /// Radiotap bits that are not in the registry this was built from.
        RadiotapUnknownBit = "radiotap_unknown_bit",
        /// Frames whose Prism, AVS or PPI header is damaged.
        CaptureHeaderDamaged = "capture_header_damaged",
        /// Frames of a link type other than 802.11, beside those that are read.
        OtherLinkType = "other_link_type",
        /// Several interfaces of one capture recorded 802.11 frames; the message says how to tell their rows apart.
        SeveralInterfaces = "several_interfaces",
        /// Frames whose 802.11 header could not be read.
        HeaderUnreadable = "header_unreadable",
        /// Which instant the time stamps mark could not be found out.
        ClockAmbiguous = "clock_ambiguous",
        /// The MAC clock jumped.
        ClockJump = "clock_jump",
        /// Stamps are rounded too much to tell frames apart.
        CoarseStamps = "coarse_stamps",
        /// The clock of the recording host was set.
        HostClockJump = "host_clock_jump",
        /// The MAC clock and the host's run apart faster than clocks do.
        ClockDrift = "clock_drift",
        /// Compressed data that are damaged; everything before the damage was kept.
        CompressionDamaged = "compression_damaged",
        /// Compressed data that unpack to more than any recording would; everything before was kept.
        UnpackingLimit = "unpacking_limit",
        /// More different capabilities were announced than are kept.
        AnnouncementsLimit = "announcements_limit",
        /// Lines of a trace that were not understood.
        TraceLine = "trace_line",
    }
}

impl WarningCode {
    /// True where the input itself is damaged (exit code 3), false for a doubt about its meaning.
    pub const fn is_damage(self) -> bool {
        use WarningCode as C;
        let is_doubt = matches!(
            self,
            C::AnnouncementsLimit
                | C::ClockAmbiguous
                | C::ClockDrift
                | C::ClockJump
                | C::CoarseStamps
                | C::HostClockJump
                | C::OtherLinkType
                | C::RadiotapUnknownBit
                | C::SeveralInterfaces
        );
        !is_doubt
    }
}

/// One row of the `warnings` table. Repeats are counted into one row, so a damaged file cannot flood it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The (first) frame it is about.
    pub frame_no: Option<u64>,
    /// Octets from the start of the file.
    pub offset: Option<u64>,
    /// See [`WarningCode`].
    pub code: WarningCode,
    /// A sentence with the counts.
    pub message: String,
}
