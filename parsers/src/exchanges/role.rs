//! The part a frame can play in an exchange.

use crate::frame::{Addr, Frame, FrameKind};

/// The part a frame plays, with the addresses that part needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Asks `to` for the medium.
    Rts { from: Addr, to: Addr },
    /// Gives `to` the medium; the transmitter does not say who it is.
    Cts { to: Addr },
    /// Is due an ACK or BlockAck from `to`.
    Soliciting { from: Addr, to: Addr },
    /// Acknowledges frames of `to`; a BlockAck also says from whom.
    Answer { from: Option<Addr>, to: Addr },
    /// Acknowledges frames of several stations at once.
    AnswerToAll { from: Addr, to: Addr },
    /// Makes others transmit one SIFS later, or announces what it sends itself.
    Call { from: Addr, to: Option<Addr> },
    /// A null data packet, without addresses.
    Sounding,
    /// Nobody answers: group addressed, or so by design.
    Unanswered { from: Option<Addr>, to: Option<Addr> },
    /// Cannot be placed: damaged, or of a kind that is in no exchange known here.
    Unplaced,
}

impl Role {
    pub(super) fn of(frame: &Frame) -> Role {
        use FrameKind as K;
        if !frame.is_readable() {
            return Role::Unplaced;
        }
        // A group bit in a control frame's TA signals the bandwidth (IEEE 802.11-2020, 9.3.1.2).
        let (ta, ra) = (frame.ta.map(Addr::individual), frame.ra);
        let unanswered = Role::Unanswered { from: ta, to: ra };
        let is_group = ra.is_some_and(Addr::is_group);
        match (frame.kind, ta, ra) {
            (K::Rts, Some(from), Some(to)) => Role::Rts { from, to },
            (K::Cts, _, Some(to)) => Role::Cts { to },
            (K::BlockAck, Some(from), Some(to)) if is_group => Role::AnswerToAll { from, to },
            (K::Ack | K::BlockAck, _, Some(_)) if is_group => unanswered,
            (K::Ack, _, Some(to)) => Role::Answer { from: None, to },
            (K::BlockAck, from, Some(to)) => Role::Answer { from, to },
            (K::Trigger | K::Ndpa | K::BeamformingPoll, Some(from), to) => Role::Call { from, to },
            (K::Ndp, _, _) => Role::Sounding,
            (K::Beacon | K::ActionNoAck | K::CfEnd, _, _) => unanswered,
            (K::Trigger | K::Ndpa | K::BeamformingPoll, None, _) => unanswered,
            (K::Rts | K::Cts | K::Ack | K::BlockAck | K::Packet | K::Unknown, _, _) => Role::Unplaced,
            (_, _, Some(_)) if is_group => unanswered,
            (K::ControlOther | K::Extension, _, _) => Role::Unplaced,
            (_, Some(from), Some(to)) => Role::Soliciting { from, to },
            _ => Role::Unplaced,
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
        assert_eq!(role(FrameKind::QosData, None, Some(b)), Role::Unplaced);
        assert_eq!(role(FrameKind::Rts, Some(a), None), Role::Unplaced);
        let group = Some(Addr::BROADCAST);
        assert_eq!(role(FrameKind::Data, Some(a), group), Role::Unanswered { from: Some(a), to: group });
        assert_eq!(role(FrameKind::ControlOther, Some(a), Some(b)), Role::Unplaced);
    }

    #[test]
    fn a_damaged_frame_plays_no_part() {
        let (a, b) = (Some(Addr::node(1)), Some(Addr::node(2)));
        let frame = Frame { kind: FrameKind::Data, ta: a, ra: b, fcs_ok: Some(false), ..Frame::new(1, 0) };
        assert_eq!(Role::of(&frame), Role::Unplaced);
    }

    #[test]
    fn the_bandwidth_signalling_bit_is_no_group() {
        let signalling = Addr::mac([0x03, 0, 0, 0, 0, 1]);
        let from = Addr::mac([0x02, 0, 0, 0, 0, 1]);
        let to = Addr::node(2);
        assert_eq!(role(FrameKind::Rts, Some(signalling), Some(to)), Role::Rts { from, to });
    }
}
