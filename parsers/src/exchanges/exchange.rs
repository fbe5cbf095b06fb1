//! The row that the exchange builder fills, one per use of the medium.

use crate::base::named::named;
use crate::frame::network::Network;
use crate::frame::{Addr, FrameKind, Phy, Preamble};

named! {
    /// The form of a frame exchange (IEEE 802.11-2020, 10.23 and annex G).
    ExchangeKind {
        /// Opened by RTS and answered by CTS.
        Rts = "rts",
        /// Data or management (or BlockAckReq, PS-Poll) and its response, no RTS.
        Basic = "basic",
        /// Protected by a CTS-to-self.
        CtsSelf = "cts_self",
        /// Group addressed, or another frame that solicits no response.
        Broadcast = "broadcast",
        /// An RTS without response.
        RtsFailed = "rts_failed",
        /// Frames that could not be assigned (damaged frames, lone control frames).
        Unknown = "unknown",
    }
}

/// One row of the `exchanges` table. Times are nanoseconds on the scale of [`crate::frame::Frame::ts_ns`].
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    /// 1-based position in its source (per observer in a global trace).
    pub exchange_no: u64,
    /// Number of the radio that received it, as in [`crate::frame::Frame::radio`].
    pub radio: u8,
    /// MAC address of the capturing station, or the node of a trace.
    pub observer: Option<Addr>,
    /// Transmitter of the data.
    pub sender: Option<Addr>,
    /// Receiver of the data.
    pub receiver: Option<Addr>,
    /// Basic service set of the data.
    pub bssid: Option<Addr>,
    /// The data was sent directly between stations, not through an access point (neither To DS nor From DS).
    pub direct: Option<bool>,
    /// See [`ExchangeKind`].
    pub kind: ExchangeKind,
    /// Kind of the (first) data or management frame.
    pub data_kind: Option<FrameKind>,
    /// Start of the first received frame.
    pub start_ns: Option<i64>,
    /// End of the last received frame.
    pub end_ns: Option<i64>,
    /// Start of the RTS.
    pub rts_start_ns: Option<i64>,
    /// Start of the CTS.
    pub cts_start_ns: Option<i64>,
    /// Start of the first data frame.
    pub data_start_ns: Option<i64>,
    /// Start of the ACK or BlockAck.
    pub ack_start_ns: Option<i64>,
    /// End of the RTS.
    pub rts_ns: Option<i64>,
    /// End of the CTS.
    pub cts_ns: Option<i64>,
    /// End of the last data frame.
    pub data_ns: Option<i64>,
    /// End of the ACK or BlockAck.
    pub ack_ns: Option<i64>,
    /// Duration field of the RTS, microseconds.
    pub nav_rts_us: Option<u16>,
    /// Duration field of the CTS, microseconds.
    pub nav_cts_us: Option<u16>,
    /// Duration field of the (last) data frame, microseconds.
    pub nav_data_us: Option<u16>,
    /// Airtime of the data, microseconds, with one preamble per PPDU. If the data was not received or its
    /// airtime is unknown, the value is derived from the Duration field of the CTS or RTS.
    pub data_airtime_us: Option<f64>,
    /// Airtime of the ACK or BlockAck, microseconds.
    pub ack_airtime_us: Option<f64>,
    /// MSDU octets carried.
    pub payload_bytes: Option<u32>,
    /// MPDU octets with FCS.
    pub length_bytes: Option<u32>,
    /// Number of data MPDUs received.
    pub mpdus: u32,
    /// 1 for the first attempt at this MSDU, 2 for the first retransmission, and so on.
    pub attempt: u32,
    /// The exchange was answered, or no answer was due.
    pub complete: bool,
    /// The RTS was received.
    pub heard_rts: bool,
    /// The data was received.
    pub heard_data: bool,
    /// This observer received a CTS without its RTS and is not the addressee of the CTS: the sender is hidden
    /// from it.
    pub hidden: bool,
    /// Idle medium since the previous exchange at this observer, microseconds.
    pub idle_before_us: Option<f64>,
    /// `idle_before_us` minus DIFS, microseconds, if the observer is the sender or receives all frames.
    pub backoff_us: Option<f64>,
    /// Time from enqueuing to head of line (simulators).
    pub queue_ns: Option<i64>,
    /// Time from head of line to the end of the exchange (simulators).
    pub access_ns: Option<i64>,
    /// Modulation of the data.
    pub phy: Option<Phy>,
    /// Preamble of the data.
    pub preamble: Option<Preamble>,
    /// Data rate, Mb/s.
    pub rate_mbps: Option<f32>,
    /// Channel, MHz.
    pub channel_mhz: Option<u16>,
    /// Traffic identifier of the data.
    pub tid: Option<u8>,
    /// Sequence number of the first data frame.
    pub seq: Option<u32>,
    /// Simulator's packet number.
    pub packet_uid: Option<u64>,
    /// Network header of the first data frame.
    pub network: Option<Network>,
}

impl Exchange {
    /// A first attempt with all other fields unset.
    pub const fn new(observer: Option<Addr>, kind: ExchangeKind) -> Exchange {
        Exchange {
            exchange_no: 0,
            radio: 0,
            observer,
            sender: None,
            receiver: None,
            bssid: None,
            direct: None,
            kind,
            data_kind: None,
            start_ns: None,
            end_ns: None,
            rts_start_ns: None,
            cts_start_ns: None,
            data_start_ns: None,
            ack_start_ns: None,
            rts_ns: None,
            cts_ns: None,
            data_ns: None,
            ack_ns: None,
            nav_rts_us: None,
            nav_cts_us: None,
            nav_data_us: None,
            data_airtime_us: None,
            ack_airtime_us: None,
            payload_bytes: None,
            length_bytes: None,
            mpdus: 0,
            attempt: 1,
            complete: false,
            heard_rts: false,
            heard_data: false,
            hidden: false,
            idle_before_us: None,
            backoff_us: None,
            queue_ns: None,
            access_ns: None,
            phy: None,
            preamble: None,
            rate_mbps: None,
            channel_mhz: None,
            tid: None,
            seq: None,
            packet_uid: None,
            network: None,
        }
    }
}
