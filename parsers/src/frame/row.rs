//! The row that every decoder fills.

use super::addr::Addr;
use super::assumptions::Assumptions;
use super::block_ack::BlockAckBitmap;
use super::hop_options::FoundOptions;
use super::management::Management;
use super::network::Network;
use super::ppdu::PpduDetails;
use super::terms::{Direction, FrameKind, Layer, ParseError, Phy, Preamble};
use super::values::{AntennaSignals, DropReason, FrameFlags};

/// One row of the `frames` table.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// 1-based position in its source.
    pub frame_no: u64,
    /// Number of the radio within the recording, in the order of first frames.
    pub radio: u8,
    /// MAC address of the capturing station.
    pub observer: Option<Addr>,
    /// See [`Direction`].
    pub direction: Option<Direction>,
    /// See [`Layer`].
    pub layer: Layer,
    /// Timestamp of the record, nanoseconds since the Unix epoch (or since the simulation's start).
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
    /// Sequence number, 0 to 4095 (higher in some simulators).
    pub seq: Option<u32>,
    /// Fragment number.
    pub frag: Option<u8>,
    /// Traffic identifier.
    pub tid: Option<u8>,
    /// The sender wants no acknowledgment (Ack Policy of QoS Control).
    pub no_ack: bool,
    /// Frame Control flags; `None` where there is no readable Frame Control field.
    pub flags: Option<FrameFlags>,
    /// Duration field in microseconds; `None` where the field is an AID.
    pub nav_us: Option<u16>,
    /// MPDU length with FCS, octets.
    pub length_bytes: Option<u32>,
    /// MSDU length (LLC header included, without security overhead), octets.
    pub payload_bytes: Option<u32>,
    /// Result of the frame check sequence.
    pub fcs_ok: Option<bool>,
    /// See [`Phy`].
    pub phy: Option<Phy>,
    /// Data rate, Mb/s.
    pub rate_mbps: Option<f32>,
    /// Modulation and coding scheme index as defined by the PHY (HT: 0 to 76).
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
    /// True for LDPC, false for binary convolutional coding.
    pub ldpc: Option<bool>,
    /// Further preamble fields (VHT, HE, EHT).
    pub ppdu: PpduDetails,
    /// A-MPDU reference number, as recorded: drivers number PPDUs, or MPDUs.
    pub ampdu_ref: Option<u32>,
    /// Number of the first recorded frame of this frame's A-MPDU; `None` for a frame that was recorded alone.
    pub ppdu_no: Option<u64>,
    /// Time on the air from the first preamble bit to the end, microseconds. For an A-MPDU subframe it is a share of
    /// the PPDU's airtime; the shares add up to the whole.
    pub airtime_us: Option<f64>,
    /// Channel centre frequency of the primary channel, MHz.
    pub channel_mhz: Option<u16>,
    /// Antenna signal, dBm.
    pub signal_dbm: Option<i8>,
    /// Antenna noise, dBm.
    pub noise_dbm: Option<i8>,
    /// Signal per antenna, if the header contains more than one.
    pub antenna_signals_dbm: AntennaSignals,
    /// Simulator's packet number, identical on every hop.
    pub packet_uid: Option<u64>,
    /// Network and transport header, if readable.
    pub network: Option<Network>,
    /// Simulator's drop reason.
    pub drop_reason: Option<DropReason>,
    /// MPDUs that a BlockAck acknowledges.
    pub block_ack: Option<BlockAckBitmap>,
    /// Body of a management frame; boxed, because it is large and few frames have it.
    pub management: Option<Box<Management>>,
    /// Options of C3TCP in the MAC header; boxed, because few recordings have them.
    pub hop_options: Option<Box<FoundOptions>>,
    /// Hash of the MPDU as transmitted, equal in every recording of it; `None` if the MPDU is unreadable.
    pub content: Option<u64>,
    /// Assumptions behind the airtime.
    pub assumptions: Assumptions,
    /// Why the row is incomplete; `None` if it is complete.
    pub parse_error: Option<ParseError>,
}

impl Frame {
    /// A row of which only position and timestamp are known.
    pub const fn new(frame_no: u64, ts_ns: i64) -> Frame {
        Frame {
            frame_no,
            radio: 0,
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
            no_ack: false,
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
            ppdu_no: None,
            airtime_us: None,
            channel_mhz: None,
            signal_dbm: None,
            noise_dbm: None,
            antenna_signals_dbm: AntennaSignals::NONE,
            packet_uid: None,
            network: None,
            drop_reason: None,
            block_ack: None,
            management: None,
            hop_options: None,
            content: None,
            assumptions: Assumptions::NONE,
            parse_error: None,
        }
    }

    /// True if the header fields are reliable: readable, and not known to be damaged.
    pub fn is_readable(&self) -> bool {
        self.parse_error.is_none() && self.fcs_ok != Some(false)
    }

    /// True for data frames, with or without payload.
    pub fn is_data(&self) -> bool {
        use FrameKind as K;
        matches!(self.kind, K::Data | K::QosData | K::Null | K::QosNull)
    }

    /// The A-MPDU reference number, unless the PHY has no A-MPDU: what stands there then tells of none.
    pub fn ampdu_number(&self) -> Option<u32> {
        self.ampdu_ref.filter(|_| self.phy.is_none_or(Phy::has_ampdu))
    }

    /// True for the Retry bit.
    pub fn is_retry(&self) -> bool {
        self.flags.is_some_and(|flags| flags.retry)
    }
}
