//! The enumerated values of columns of `frames`.

use crate::base::named::named;

pub use winf_ieee80211::Phy;

named! {
    /// Frame type (IEEE 802.11-2020, table 9-1), as in the `kind` column.
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
        /// Null data packet: a preamble only, for channel sounding.
        Ndp = "ndp",
        /// CF-End, with or without CF-Ack.
        CfEnd = "cf_end",
        /// PS-Poll.
        PsPoll = "ps_poll",
        /// Beamforming report poll.
        BeamformingPoll = "beamforming_poll",
        /// Extension frames (type 3) and data subtypes of CF polling.
        Extension = "extension",
        /// A simulator packet above the MAC; see the `layer` column.
        Packet = "packet",
        /// Unreadable: the frame check failed or the header is truncated.
        Unknown = "unknown",
    }
}

named! {
    /// Preamble format, for PHYs with more than one.
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
    /// Event of the frame at the recording node.
    Direction {
        /// Sent by the observer's radio.
        Tx = "tx",
        /// Received by the observer's radio.
        Rx = "rx",
        /// Dropped (simulators).
        Drop = "drop",
        /// Enqueued or dequeued (simulators).
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
    /// Why a row is incomplete.
    ParseError {
        /// The record is shorter than the length in its radiotap header.
        RadiotapCut = "radiotap header longer than the record",
        /// A radiotap version other than 0.
        RadiotapVersion = "radiotap version is not 0",
        /// A Prism, AVS or PPI header that is truncated or invalid.
        CaptureHeader = "capture header (Prism, AVS or PPI) damaged",
        /// Fewer octets than the MAC header of this kind of frame requires.
        HeaderCut = "MAC header cut short",
        /// The protocol version field is not 0.
        ProtocolVersion = "802.11 protocol version is not 0",
        /// The frame check sequence is wrong: the content is damaged.
        BadFcs = "bad FCS: header fields not trusted",
        /// A frame of an unsupported link type.
        LinkType = "link type not supported",
        /// A simulator line without the fields required for its kind.
        TraceLine = "trace line not understood",
    }
}
