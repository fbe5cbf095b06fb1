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
        // A group bit in a control frame's TA signals the bandwidth (IEEE 802.11-2020, 9.3.1.2). Other frames have none,
        // and what is not numbered is a control frame.
        let individual = |ta: Addr| if frame.seq.is_none() { ta.individual() } else { ta };
        let (ta, ra) = (frame.ta.map(individual).filter(|ta| ta.is_station()), frame.ra);
        let unanswered = Role::Unanswered { from: ta, to: ra.filter(|&ra| ra != Addr::NONE) };
        // Of a group nobody answers, and some stations put zeros where they address nobody.
        let is_group = ra.is_some_and(|ra| !ra.is_station());
        match (frame.kind, ta, ra) {
            (K::Rts, Some(from), Some(to)) if to != Addr::NONE => Role::Rts { from, to },
            (K::BlockAck, Some(from), Some(to)) if to.is_group() => Role::MultiStaBlockAck { from, to },
            (K::Cts | K::Ack | K::BlockAck, _, Some(_)) if is_group => unanswered,
            (K::Cts, _, Some(to)) => Role::Cts { to },
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
    fn zeros_and_groups_send_nothing_and_zeros_receive_nothing() {
        let (a, group, none) = (Addr::node(1), Addr::BROADCAST, Addr::NONE);
        assert_eq!(role(FrameKind::CfEnd, Some(none), Some(group)), Role::Unanswered { from: None, to: Some(group) });
        assert_eq!(role(FrameKind::Data, Some(none), Some(a)), Role::Unassigned);
        assert_eq!(role(FrameKind::Data, Some(a), Some(none)), Role::Unanswered { from: Some(a), to: None });
        assert_eq!(role(FrameKind::Rts, Some(a), Some(none)), Role::Unassigned);
        for kind in [FrameKind::Cts, FrameKind::Ack, FrameKind::BlockAck] {
            assert_eq!(role(kind, None, Some(none)), Role::Unanswered { from: None, to: None }, "{kind:?}");
            assert_eq!(role(kind, None, Some(group)), Role::Unanswered { from: None, to: Some(group) }, "{kind:?}");
        }
        let multicast = Some(Addr::mac([0x03, 0, 0, 0, 0, 1]));
        let numbered = Frame { kind: FrameKind::Data, ta: multicast, ra: Some(a), seq: Some(1), ..Frame::new(1, 0) };
        assert_eq!(Role::of(&numbered), Role::Unassigned);
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
