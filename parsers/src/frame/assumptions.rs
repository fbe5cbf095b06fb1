//! Assumptions behind a computed airtime.

/// Declares [`Assumptions`]: one bit, constant and text per assumption.
macro_rules! assumptions {
    ($($(#[$meta:meta])* $constant:ident = $bit:literal, $text:literal;)+) => {
        impl Assumptions {
            $($(#[$meta])* pub const $constant: Assumptions = Assumptions(1 << $bit);)+
            const NAMES: &'static [(u32, &'static str)] = &[$((1 << $bit, $text),)+];
        }
    };
}

/// The set of assumptions made to compute an airtime; displayed as a comma-separated list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Assumptions(u32);

assumptions! {
    /// No preamble flag: long preamble.
    LONG_PREAMBLE = 0, "long_preamble";
    /// HT without a format bit: mixed format.
    HT_MIXED = 1, "ht_mixed";
    /// HT without a guard interval bit: 800 ns.
    LONG_GUARD = 2, "long_guard_interval";
    /// No bandwidth recorded: 20 MHz.
    BANDWIDTH_20 = 3, "bandwidth_20_mhz";
    /// No FEC field: binary convolutional code.
    BCC = 4, "bcc";
    /// No STBC field: none.
    NO_STBC = 5, "no_stbc";
    /// OFDM rate without a channel: no 2.4 GHz signal extension.
    BAND_5_GHZ = 6, "band_5_ghz";
    /// No FCS flag and no FCS detected: 4 octets of FCS on the air.
    FCS_PRESENT = 7, "fcs_present";
    /// Part of an A-MPDU: the airtime is that of this subframe alone.
    AMPDU_ALONE = 8, "ampdu_subframe_alone";
    /// Rate taken from the simulation's settings, not from the record.
    SIMULATOR_RATE = 10, "simulator_rate";
    /// Duration taken from the trace's Duration field.
    FROM_NAV = 11, "from_nav";
    /// The record is truncated; the length on the air is from the container.
    CONTAINER_LENGTH = 12, "container_length";
    /// HE or EHT without a guard interval: 800 ns.
    GUARD_800 = 13, "guard_800_ns";
    /// No LTF size: 4x with a guard interval of 3.2 us, else 2x.
    LTF_SIZE = 14, "ltf_size";
    /// Number of HE-SIG-B or EHT-SIG symbols missing: that for the fewest users (two in HE, one in EHT).
    SIG_SYMBOLS = 15, "sig_symbols";
    /// HE or EHT without an L-SIG length: the receiver requires 16 us of packet padding, the maximum.
    PACKET_PADDING_16 = 16, "packet_padding_16_us";
    /// One user of a multi-user PPDU without an L-SIG length: no other user's data are longer.
    NO_LONGER_USER = 17, "no_longer_user";
    /// From the L-SIG length alone, whose unit is 4 us: up to 4 us too long.
    L_SIG_STEPS = 18, "l_sig_steps";
    /// Not the airtime: no convention explains the stamps, so start and end are off by as much as answers miss SIFS.
    STAMP = 19, "stamp";
    /// Not the airtime: further subframes were not received, so the end is one SIFS before the BlockAck.
    UNHEARD_SUBFRAMES = 20, "unheard_subframes";
    /// HE without an L-SIG length: the receiver requires no packet padding, which agrees best with the answers.
    NO_PACKET_PADDING = 21, "no_packet_padding";
    /// HE without an L-SIG length: no packet extension, no symbol more for LDPC and an HE-LTF of 8 us, as simulators have
    /// it, which agrees best with the answers.
    SIMULATED_HE = 22, "simulated_he";
    /// OFDM on a channel that is 10 MHz wide, without a bandwidth: 10 MHz.
    BANDWIDTH_10 = 23, "bandwidth_10_mhz";
    /// Not the airtime: the radio's clock did not stamp the frame, so the end is one SIFS before the answer.
    END_BY_ANSWER = 24, "end_by_answer";
}

impl Assumptions {
    /// No assumptions.
    pub const NONE: Assumptions = Assumptions(0);

    /// Adds all members of `other`.
    pub fn insert(&mut self, other: Assumptions) {
        self.0 |= other.0;
    }

    /// Removes all members of `other`.
    pub fn remove(&mut self, other: Assumptions) {
        self.0 &= !other.0;
    }

    /// True for the empty set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// True if all members of `other` are in the set.
    pub const fn contains(self, other: Assumptions) -> bool {
        self.0 & other.0 == other.0
    }

    /// The members' names, comma-separated.
    pub fn text(self) -> String {
        let names = Self::NAMES.iter().filter(|(bit, _)| self.0 & bit != 0);
        names.map(|(_, name)| *name).collect::<Vec<_>>().join(",")
    }
}
