//! Role of a frame in an exchange.

use crate::frame::{Addr, Frame, FrameKind};

/// Role of a frame, with the relevant addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// RTS to `to`.
    Rts { from: Addr, to: Addr },
    /// CTS to `to`; it does not contain its transmitter address.
    Cts { to: Addr },
    /// Solicits an ACK or BlockAck from `to`.
    Soliciting { from: Addr, to: Addr },
    /// ACK or BlockAck to `to`; only a BlockAck contains its transmitter address.
    Response { from: Option<Addr>, to: Addr },
    /// Multi-STA BlockAck, which acknowledges frames of several stations.
    MultiStaBlockAck { from: Addr, to: Addr },
    /// Trigger, beamforming report poll or NDP announcement. The next frame follows after one SIFS.
    Trigger { from: Addr, to: Option<Addr> },
    /// Sounding NDP, which has no addresses.
    Sounding,
    /// No response is due: group addressed, or of a kind that is not acknowledged.
    Unanswered { from: Option<Addr>, to: Option<Addr> },
    /// Belongs to no exchange: damaged, or of an unsupported kind.
    Unassigned,
}

impl Role {
    pub(super) fn of(frame: &Frame) -> Role {
        use FrameKind as K;
        if !frame.is_readable() {
            return Role::Unassigned;
        }
        // A group bit in a control frame's TA signals the bandwidth (IEEE 802.11-2020, 9.3.1.2).
        let (ta, ra) = (frame.ta.map(Addr::individual), frame.ra);
        let unanswered = Role::Unanswered { from: ta, to: ra };
        let is_group = ra.is_some_and(Addr::is_group);
        match (frame.kind, ta, ra) {
            (K::Rts, Some(from), Some(to)) => Role::Rts { from, to },
            (K::Cts, _, Some(to)) => Role::Cts { to },
            (K::BlockAck, Some(from), Some(to)) if is_group => Role::MultiStaBlockAck { from, to },
            (K::Ack | K::BlockAck, _, Some(_)) if is_group => unanswered,
            (K::Ack, _, Some(to)) => Role::Response { from: None, to },
            (K::BlockAck, from, Some(to)) => Role::Response { from, to },
            (K::Trigger | K::Ndpa | K::BeamformingPoll, Some(from), to) => Role::Trigger { from, to },
            (K::Ndp, _, _) => Role::Sounding,
            (K::Beacon | K::ActionNoAck | K::CfEnd, _, _) => unanswered,
            (K::Trigger | K::Ndpa | K::BeamformingPoll, None, _) => unanswered,
            (K::Rts | K::Cts | K::Ack | K::BlockAck | K::Packet | K::Unknown, _, _) => Role::Unassigned,
            (_, _, Some(_)) if is_group => unanswered,
            (K::ControlOther | K::Extension, _, _) => Role::Unassigned,
            _ if frame.no_ack => unanswered,
            (_, Some(from), Some(to)) => Role::Soliciting { from, to },
            _ => Role::Unassigned,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role(kind: FrameKind, ta: Option<Addr>, ra: Option<Addr>) -> Role {
        Role::of(&Frame { kind, ta, ra, ..Frame::new(1, 0) })
    }

    #[test]
    fn roles_need_their_addresses() {
        let (a, b) = (Addr::node(1), Addr::node(2));
        assert_eq!(role(FrameKind::QosData, Some(a), Some(b)), Role::Soliciting { from: a, to: b });
        assert_eq!(role(FrameKind::QosData, None, Some(b)), Role::Unassigned);
        assert_eq!(role(FrameKind::Rts, Some(a), None), Role::Unassigned);
        let group = Some(Addr::BROADCAST);
        assert_eq!(role(FrameKind::Data, Some(a), group), Role::Unanswered { from: Some(a), to: group });
        assert_eq!(role(FrameKind::ControlOther, Some(a), Some(b)), Role::Unassigned);
    }

    #[test]
    fn a_damaged_frame_plays_no_part() {
        let (a, b) = (Some(Addr::node(1)), Some(Addr::node(2)));
        let frame = Frame { kind: FrameKind::Data, ta: a, ra: b, fcs_ok: Some(false), ..Frame::new(1, 0) };
        assert_eq!(Role::of(&frame), Role::Unassigned);
    }

    #[test]
    fn the_bandwidth_signalling_bit_is_no_group() {
        let signalling = Addr::mac([0x03, 0, 0, 0, 0, 1]);
        let from = Addr::mac([0x02, 0, 0, 0, 0, 1]);
        let to = Addr::node(2);
        assert_eq!(role(FrameKind::Rts, Some(signalling), Some(to)), Role::Rts { from, to });
    }
}
