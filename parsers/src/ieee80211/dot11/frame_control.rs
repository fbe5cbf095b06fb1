//! The Frame Control field (IEEE 802.11-2020, 9.2.4.1) and the kind of frame it encodes.

use crate::frame::{FrameFlags, FrameKind};

/// The first two octets of a frame.
#[derive(Clone, Copy)]
pub(crate) struct FrameControl(pub u16);

/// The Type subfield (table 9-1).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameType {
    Management,
    Control,
    Data,
    Extension,
}

/// Subtype of the Control Wrapper among control frames.
pub(super) const CONTROL_WRAPPER: u8 = 7;
const CONTROL_EXTENSION: u8 = 6;

impl FrameControl {
    pub const fn version(self) -> u8 {
        (self.0 & 0x03) as u8
    }

    pub const fn frame_type(self) -> FrameType {
        match self.0 >> 2 & 0x03 {
            0 => FrameType::Management,
            1 => FrameType::Control,
            2 => FrameType::Data,
            _ => FrameType::Extension,
        }
    }

    pub const fn subtype(self) -> u8 {
        (self.0 >> 4 & 0x0f) as u8
    }

    /// A control frame that uses the flag bits to extend its subtype.
    pub fn is_extended(self) -> bool {
        self.frame_type() == FrameType::Control && self.subtype() == CONTROL_EXTENSION
    }

    /// type << 4 | subtype, with a control frame extension below.
    pub fn type_subtype(self) -> u16 {
        let short = (self.0 >> 2 & 0x03) << 4 | u16::from(self.subtype());
        if self.is_extended() {
            short << 4 | self.0 >> 8 & 0x0f
        } else {
            short
        }
    }

    pub const fn is_to_ds(self) -> bool {
        self.0 & 0x0100 != 0
    }

    pub const fn is_from_ds(self) -> bool {
        self.0 & 0x0200 != 0
    }

    pub const fn more_fragments(self) -> bool {
        self.0 & 0x0400 != 0
    }

    pub const fn protected(self) -> bool {
        self.0 & 0x4000 != 0
    }

    /// +HTC in management and QoS data frames: the header ends with an HT Control field.
    pub const fn order(self) -> bool {
        self.0 & 0x8000 != 0
    }

    /// The flags; bits that extend the subtype are returned as 0.
    pub fn flags(self) -> FrameFlags {
        if self.is_extended() {
            return FrameFlags { protected: self.protected(), ..FrameFlags::default() };
        }
        FrameFlags {
            retry: self.0 & 0x0800 != 0,
            more_frag: self.more_fragments(),
            protected: self.protected(),
            to_ds: self.is_to_ds(),
            from_ds: self.is_from_ds(),
        }
    }

    pub fn kind(self) -> FrameKind {
        let kinds = match self.frame_type() {
            FrameType::Management => &MANAGEMENT,
            FrameType::Control => &CONTROL,
            FrameType::Data => &DATA,
            FrameType::Extension => return FrameKind::Extension,
        };
        kinds.get(usize::from(self.subtype())).copied().unwrap_or(FrameKind::Unknown)
    }
}

/// Table 9-1, type 0.
static MANAGEMENT: [FrameKind; 16] = [
    FrameKind::AssocReq,
    FrameKind::AssocResp,
    FrameKind::ReassocReq,
    FrameKind::ReassocResp,
    FrameKind::ProbeReq,
    FrameKind::ProbeResp,
    FrameKind::MgmtOther, // timing advertisement
    FrameKind::MgmtOther,
    FrameKind::Beacon,
    FrameKind::Atim,
    FrameKind::Disassoc,
    FrameKind::Auth,
    FrameKind::Deauth,
    FrameKind::Action,
    FrameKind::ActionNoAck,
    FrameKind::MgmtOther,
];

/// Table 9-1, type 1, with the Trigger of 802.11ax-2021.
static CONTROL: [FrameKind; 16] = [
    FrameKind::ControlOther,
    FrameKind::ControlOther,
    FrameKind::Trigger,
    FrameKind::ControlOther, // TACK
    FrameKind::BeamformingPoll,
    FrameKind::Ndpa,
    FrameKind::ControlOther, // extension
    FrameKind::ControlOther, // wrapper: the carried frame decides
    FrameKind::BlockAckReq,
    FrameKind::BlockAck,
    FrameKind::PsPoll,
    FrameKind::Rts,
    FrameKind::Cts,
    FrameKind::Ack,
    FrameKind::CfEnd,
    FrameKind::CfEnd, // with CF-Ack
];

/// Table 9-1, type 2. CF-Ack or CF-Poll on a frame with data does not change its kind; without data it is not a data
/// frame.
static DATA: [FrameKind; 16] = [
    FrameKind::Data,
    FrameKind::Data,
    FrameKind::Data,
    FrameKind::Data,
    FrameKind::Null,
    FrameKind::Extension,
    FrameKind::Extension,
    FrameKind::Extension,
    FrameKind::QosData,
    FrameKind::QosData,
    FrameKind::QosData,
    FrameKind::QosData,
    FrameKind::QosNull,
    FrameKind::Extension,
    FrameKind::Extension,
    FrameKind::Extension,
];
