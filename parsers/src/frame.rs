//! One frame seen, or one simulator event: the row every decoder fills.
//!
//! A [`Frame`] is plain data without heap parts, so millions of them are decoded in parallel into
//! one vector. `None` means unknown, never zero. Column names, units and documentation are in
//! [`crate::table`].

use crate::addr::Addr;
use crate::block_ack::BlockAckBitmap;
use crate::flow::Network;
use crate::ppdu::PpduDetails;

/// Gives an enum the text that the tables show, declared beside the variant.
macro_rules! named {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $name { $($(#[$vmeta])* $variant,)+ }

        impl $name {
            /// Every variant, in declaration order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// The text the tables show.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)+ }
            }
        }
    };
}
pub(crate) use named;

named! {
    /// What the frame is (IEEE 802.11-2020, table 9-1), as the `kind` column names it.
    FrameKind {
        /// Request to send.
        Rts = "rts",
        /// Clear to send.
        Cts = "cts",
        /// Acknowledgment.
        Ack = "ack",
        /// BlockAck, any variant.
        BlockAck = "block_ack",
        /// BlockAckReq, any variant.
        BlockAckReq = "block_ack_req",
        /// Data without QoS Control.
        Data = "data",
        /// Data with QoS Control.
        QosData = "qos_data",
        /// Null function: power save signalling, no payload.
        Null = "null",
        /// QoS Null.
        QosNull = "qos_null",
        /// Beacon.
        Beacon = "beacon",
        /// Probe request.
        ProbeReq = "probe_req",
        /// Probe response.
        ProbeResp = "probe_resp",
        /// Association request.
        AssocReq = "assoc_req",
        /// Association response.
        AssocResp = "assoc_resp",
        /// Reassociation request.
        ReassocReq = "reassoc_req",
        /// Reassociation response.
        ReassocResp = "reassoc_resp",
        /// Authentication.
        Auth = "auth",
        /// Deauthentication.
        Deauth = "deauth",
        /// Disassociation.
        Disassoc = "disassoc",
        /// Action, with acknowledgment.
        Action = "action",
        /// Action No Ack.
        ActionNoAck = "action_no_ack",
        /// Announcement traffic indication map.
        Atim = "atim",
        /// Any other management frame.
        MgmtOther = "mgmt_other",
        /// Any other control frame.
        ControlOther = "control_other",
        /// Trigger (802.11ax).
        Trigger = "trigger",
        /// VHT/HE/EHT NDP announcement.
        Ndpa = "ndpa",
        /// Null data packet: a preamble alone, to sound the channel.
        Ndp = "ndp",
        /// CF-End, with or without CF-Ack.
        CfEnd = "cf_end",
        /// PS-Poll.
        PsPoll = "ps_poll",
        /// Beamforming report poll.
        BeamformingPoll = "beamforming_poll",
        /// Extension frames (type 3) and data subtypes of CF polling.
        Extension = "extension",
        /// A simulator's packet above the MAC: the contract's `layer` says where.
        Packet = "packet",
        /// Not readable: the frame check failed or the header is cut.
        Unknown = "unknown",
    }
}

named! {
    /// The modulation family (IEEE 802.11-2020 clauses 15 to 21, 27, 36).
    Phy {
        /// Clause 15: 1 and 2 Mb/s.
        Dsss = "dsss",
        /// Clause 16: 5.5 and 11 Mb/s, long or short preamble.
        HrDsss = "hr_dsss",
        /// Clause 17: OFDM at 5 GHz.
        Ofdm = "ofdm",
        /// Clause 18: OFDM at 2.4 GHz, with 6 us of signal extension.
        Erp = "erp",
        /// Clause 19.
        Ht = "ht",
        /// Clause 21.
        Vht = "vht",
        /// Clause 27.
        He = "he",
        /// Clause 36.
        Eht = "eht",
    }
}

named! {
    /// Preamble format, where the PHY has more than one.
    Preamble {
        /// 144 us preamble and 48 us header (DSSS, HR-DSSS).
        Long = "long",
        /// 72 us preamble and 24 us header (HR-DSSS).
        Short = "short",
        /// HT-mixed.
        Mixed = "mixed",
        /// HT-greenfield.
        Greenfield = "greenfield",
    }
}

named! {
    /// What happened to the frame at the recording node.
    Direction {
        /// Sent by the observer's radio.
        Tx = "tx",
        /// Received by the observer's radio.
        Rx = "rx",
        /// Dropped (simulators).
        Drop = "drop",
        /// Put into or taken from a queue (simulators).
        Enqueue = "enqueue",
    }
}

named! {
    /// The layer of a simulator event; captures are always `mac`.
    Layer {
        /// Medium access control.
        Mac = "mac",
        /// Traffic source or sink.
        Agent = "agent",
        /// Routing agent.
        Router = "router",
        /// Interface queue.
        Queue = "queue",
        /// Physical layer.
        Phy = "phy",
    }
}

named! {
    /// Why a row is not whole.
    ParseError {
        /// The record holds no radiotap header of the length it claims.
        RadiotapCut = "radiotap header longer than the record",
        /// A radiotap version other than 0.
        RadiotapVersion = "radiotap version is not 0",
        /// A Prism, AVS or PPI header that is cut or is none.
        CaptureHeader = "capture header (Prism, AVS or PPI) damaged",
        /// Fewer octets than the frame kind's MAC header needs.
        HeaderCut = "MAC header cut short",
        /// The protocol version field is not 0.
        ProtocolVersion = "802.11 protocol version is not 0",
        /// The frame check sequence says the content is damaged.
        BadFcs = "bad FCS: header fields not trusted",
        /// A frame whose link type this decoder does not read.
        LinkType = "link type not supported",
        /// A simulator line that does not have the fields of its kind.
        TraceLine = "trace line not understood",
    }
}

/// Declares [`Assumptions`]: one bit, constant and text per assumption.
macro_rules! assumptions {
    ($($(#[$meta:meta])* $constant:ident = $bit:literal, $text:literal;)+) => {
        impl Assumptions {
            $($(#[$meta])* pub const $constant: Assumptions = Assumptions(1 << $bit);)+
            const NAMES: &'static [(u32, &'static str)] = &[$((1 << $bit, $text),)+];
        }
    };
}

/// What had to be assumed to compute an airtime; a set, shown as a comma-separated list.
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
    /// No FCS flag and none visible: 4 octets of FCS were on the air.
    FCS_PRESENT = 7, "fcs_present";
    /// Part of an A-MPDU: the airtime is this subframe's share, without the others.
    AMPDU_ALONE = 8, "ampdu_subframe_alone";
    /// Rate taken from the simulation's settings, not from the record.
    SIMULATOR_RATE = 10, "simulator_rate";
    /// Duration taken from the trace's Duration field.
    FROM_NAV = 11, "from_nav";
    /// The record is cut, and the length on the air came from the container.
    CONTAINER_LENGTH = 12, "container_length";
    /// HE or EHT without a guard interval: 800 ns.
    GUARD_800 = 13, "guard_800_ns";
    /// No LTF size: 4x with a guard interval of 3.2 us, else 2x.
    LTF_SIZE = 14, "ltf_size";
    /// No number of HE-SIG-B or EHT-SIG symbols: what the fewest users need (two in HE, one in EHT).
    SIG_SYMBOLS = 15, "sig_symbols";
    /// HE or EHT without an L-SIG length: the receiver asked for 16 us of packet padding, the longest there is.
    PACKET_PADDING_16 = 16, "packet_padding_16_us";
    /// One user of a multi-user PPDU without an L-SIG length: as if no other user's data were longer.
    NO_LONGER_USER = 17, "no_longer_user";
    /// From the L-SIG length alone, which counts in steps of 4 us: up to that much too long.
    L_SIG_STEPS = 18, "l_sig_steps";
}

impl Assumptions {
    /// Nothing assumed.
    pub const NONE: Assumptions = Assumptions(0);

    /// Adds every member of `other`.
    pub fn insert(&mut self, other: Assumptions) {
        self.0 |= other.0;
    }

    /// Takes out every member of `other`.
    pub fn remove(&mut self, other: Assumptions) {
        self.0 &= !other.0;
    }

    /// True when nothing was assumed.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// True when every member of `other` is here.
    pub const fn contains(self, other: Assumptions) -> bool {
        self.0 & other.0 == other.0
    }

    /// The members' names, comma-separated.
    pub fn text(self) -> String {
        let names = Self::NAMES.iter().filter(|(bit, _)| self.0 & bit != 0);
        names.map(|(_, name)| *name).collect::<Vec<_>>().join(",")
    }
}

/// A simulator's drop reason (`COL`, `RET`, `IFQ` ...), at most eight ASCII letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DropReason([u8; 8]);

impl DropReason {
    /// Keeps the first eight octets of `text`; `None` when empty or not printable ASCII.
    pub fn new(text: &[u8]) -> Option<DropReason> {
        let text = &text[..text.len().min(8)];
        if text.is_empty() || !text.iter().all(u8::is_ascii_graphic) {
            return None;
        }
        let mut octets = [0; 8];
        octets[..text.len()].copy_from_slice(text);
        Some(DropReason(octets))
    }

    /// The reason as text.
    pub fn as_str(&self) -> &str {
        let len = self.0.iter().position(|&b| b == 0).unwrap_or(8);
        std::str::from_utf8(&self.0[..len]).unwrap_or_default()
    }
}

/// A network name as it was sent: up to 32 arbitrary octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ssid {
    len: u8,
    octets: [u8; 32],
}

impl Ssid {
    /// `None` when longer than the 32 octets the standard allows.
    pub fn new(octets: &[u8]) -> Option<Ssid> {
        let mut ssid = Ssid { len: u8::try_from(octets.len()).ok()?, octets: [0; 32] };
        ssid.octets.get_mut(..octets.len())?.copy_from_slice(octets);
        Some(ssid)
    }

    /// As UTF-8, with the replacement character where it is not.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.octets[..usize::from(self.len)]).into_owned()
    }
}

/// Signal per antenna, in the order of the capture header; what is beyond eight is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AntennaSignals {
    len: u8,
    dbm: [i8; 8],
}

impl AntennaSignals {
    /// Appends one antenna's signal.
    pub fn push(&mut self, dbm: i8) {
        if let Some(slot) = self.dbm.get_mut(usize::from(self.len)) {
            *slot = dbm;
            self.len += 1;
        }
    }

    /// The recorded values.
    pub fn as_slice(&self) -> &[i8] {
        &self.dbm[..usize::from(self.len)]
    }
}

/// Frame Control flags (IEEE 802.11-2020, 9.2.4.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameFlags {
    /// Retry.
    pub retry: bool,
    /// More Fragments.
    pub more_frag: bool,
    /// Protected Frame.
    pub protected: bool,
    /// To DS.
    pub to_ds: bool,
    /// From DS.
    pub from_ds: bool,
}

/// One row of the `frames` table.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// 1-based position in its source.
    pub frame_no: u64,
    /// Whose radio recorded it.
    pub observer: Option<Addr>,
    /// See [`Direction`].
    pub direction: Option<Direction>,
    /// See [`Layer`].
    pub layer: Layer,
    /// Time stamp of the record, nanoseconds since the Unix epoch (or the simulation's start).
    pub ts_ns: i64,
    /// MAC time from radiotap, microseconds.
    pub tsft_us: Option<u64>,
    /// Start of the frame on the air (first preamble bit), on the `ts_ns` scale.
    pub start_ns: Option<i64>,
    /// End of the frame on the air.
    pub end_ns: Option<i64>,
    /// See [`FrameKind`].
    pub kind: FrameKind,
    /// type << 4 | subtype; with a control frame extension, (0x16 << 4) | extension.
    pub subtype: Option<u16>,
    /// Receiver address.
    pub ra: Option<Addr>,
    /// Transmitter address.
    pub ta: Option<Addr>,
    /// Source address.
    pub sa: Option<Addr>,
    /// Destination address.
    pub da: Option<Addr>,
    /// Basic service set identifier.
    pub bssid: Option<Addr>,
    /// Sequence number, 0 to 4095 (simulators may count further).
    pub seq: Option<u32>,
    /// Fragment number.
    pub frag: Option<u8>,
    /// Traffic identifier.
    pub tid: Option<u8>,
    /// Frame Control flags; `None` where there is no readable Frame Control field.
    pub flags: Option<FrameFlags>,
    /// Duration field in microseconds; `None` where the field is an AID.
    pub nav_us: Option<u16>,
    /// MPDU length with FCS, octets.
    pub length_bytes: Option<u32>,
    /// MSDU length (LLC header included, without security overhead), octets.
    pub payload_bytes: Option<u32>,
    /// Verdict on the frame check sequence.
    pub fcs_ok: Option<bool>,
    /// See [`Phy`].
    pub phy: Option<Phy>,
    /// Data rate, Mb/s.
    pub rate_mbps: Option<f32>,
    /// Modulation and coding scheme index as the PHY counts it (HT: 0 to 76).
    pub mcs: Option<u8>,
    /// Spatial streams.
    pub nss: Option<u8>,
    /// Bandwidth, MHz.
    pub bandwidth_mhz: Option<u16>,
    /// Guard interval, nanoseconds.
    pub guard_ns: Option<u16>,
    /// See [`Preamble`].
    pub preamble: Option<Preamble>,
    /// Space-time block coding streams (HT, VHT); 0 is none.
    pub stbc: Option<u8>,
    /// True for LDPC, false for the convolutional code.
    pub ldpc: Option<bool>,
    /// What else the preamble says (VHT, HE, EHT).
    pub ppdu: PpduDetails,
    /// A-MPDU reference number: equal for subframes of one A-MPDU.
    pub ampdu_ref: Option<u32>,
    /// Time on the air from the first preamble bit to the end, microseconds; of a subframe of an
    /// A-MPDU its part of the PPDU's, so that they add up.
    pub airtime_us: Option<f64>,
    /// Channel centre frequency of the primary channel, MHz.
    pub channel_mhz: Option<u16>,
    /// Antenna signal, dBm.
    pub signal_dbm: Option<i8>,
    /// Antenna noise, dBm.
    pub noise_dbm: Option<i8>,
    /// Signal per antenna where the header gives more than one.
    pub antenna_signals_dbm: AntennaSignals,
    /// Simulator's packet number, the same from hop to hop.
    pub packet_uid: Option<u64>,
    /// Network and transport header, where readable.
    pub network: Option<Network>,
    /// Simulator's drop reason.
    pub drop_reason: Option<DropReason>,
    /// What a BlockAck acknowledges.
    pub block_ack: Option<BlockAckBitmap>,
    /// Network name, in frames that carry one.
    pub ssid: Option<Ssid>,
    /// Hash of the MPDU as it was on the air, equal wherever it was recorded; `None` where it cannot be read.
    pub content: Option<u64>,
    /// What had to be assumed for the airtime.
    pub assumptions: Assumptions,
    /// `None` when whole.
    pub parse_error: Option<ParseError>,
}

impl Frame {
    /// A row about which only its place and time stamp are known.
    pub const fn new(frame_no: u64, ts_ns: i64) -> Frame {
        Frame {
            frame_no,
            observer: None,
            direction: None,
            layer: Layer::Mac,
            ts_ns,
            tsft_us: None,
            start_ns: None,
            end_ns: None,
            kind: FrameKind::Unknown,
            subtype: None,
            ra: None,
            ta: None,
            sa: None,
            da: None,
            bssid: None,
            seq: None,
            frag: None,
            tid: None,
            flags: None,
            nav_us: None,
            length_bytes: None,
            payload_bytes: None,
            fcs_ok: None,
            phy: None,
            rate_mbps: None,
            mcs: None,
            nss: None,
            bandwidth_mhz: None,
            guard_ns: None,
            preamble: None,
            stbc: None,
            ldpc: None,
            ppdu: PpduDetails::NONE,
            ampdu_ref: None,
            airtime_us: None,
            channel_mhz: None,
            signal_dbm: None,
            noise_dbm: None,
            antenna_signals_dbm: AntennaSignals { len: 0, dbm: [0; 8] },
            packet_uid: None,
            network: None,
            drop_reason: None,
            block_ack: None,
            ssid: None,
            content: None,
            assumptions: Assumptions::NONE,
            parse_error: None,
        }
    }

    /// True when the header fields can be believed: readable, and not known to be damaged.
    pub fn is_readable(&self) -> bool {
        self.parse_error.is_none() && self.fcs_ok != Some(false)
    }

    /// True for the Retry bit.
    pub fn is_retry(&self) -> bool {
        self.flags.is_some_and(|flags| flags.retry)
    }
}
