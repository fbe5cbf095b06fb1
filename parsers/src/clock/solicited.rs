//! Which frames follow one another after exactly one SIFS.

use crate::frame::{Frame, FrameKind};

/// True if, by the kinds and addresses, the standard requires `second` to follow `first` after SIFS
/// (IEEE 802.11-2020, 10.3.2.3.3 and annex G).
pub(crate) fn follows_after_sifs(first: &Frame, second: &Frame) -> bool {
    let to_sender_of = |ta| second.ra.is_some() && second.ra == ta;
    match (first.kind, second.kind) {
        (FrameKind::Rts, FrameKind::Cts) => to_sender_of(first.ta),
        (FrameKind::Cts, kind) if solicits(kind) => first.ra.is_some() && second.ta == first.ra,
        (FrameKind::Ack, kind) if solicits(kind) => {
            let next_fragment = second.frag.is_some_and(|number| number > 0);
            next_fragment && first.ra.is_some() && second.ta == first.ra
        }
        (kind, FrameKind::Ack) if solicits(kind) => to_sender_of(first.ta),
        (kind, FrameKind::BlockAck) if solicits(kind) => to_sender_of(first.ta) && second.ta == first.ra,
        _ => false,
    }
}

/// True for kinds that solicit an ACK or BlockAck if they are individually addressed.
fn solicits(kind: FrameKind) -> bool {
    use FrameKind as K;
    match kind {
        K::Data | K::QosData | K::Null | K::QosNull | K::PsPoll | K::BlockAckReq => true,
        K::ProbeReq | K::ProbeResp | K::AssocReq | K::AssocResp | K::ReassocReq | K::ReassocResp => true,
        K::Auth | K::Deauth | K::Disassoc | K::Action | K::Atim | K::MgmtOther => true,
        K::Rts | K::Cts | K::Ack | K::BlockAck | K::ControlOther | K::Trigger | K::Ndpa | K::Ndp => false,
        K::CfEnd | K::Beacon | K::ActionNoAck | K::BeamformingPoll | K::Extension | K::Packet | K::Unknown => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Addr;

    fn frame(kind: FrameKind, ta: Option<u32>, ra: u32) -> Frame {
        Frame { kind, ta: ta.map(Addr::node), ra: Some(Addr::node(ra)), ..Frame::new(1, 0) }
    }

    #[test]
    fn addresses_must_agree() {
        let data = frame(FrameKind::QosData, Some(1), 2);
        assert!(follows_after_sifs(&data, &frame(FrameKind::Ack, None, 1)));
        assert!(!follows_after_sifs(&data, &frame(FrameKind::Ack, None, 2)));
        assert!(follows_after_sifs(&data, &frame(FrameKind::BlockAck, Some(2), 1)));
        assert!(!follows_after_sifs(&data, &frame(FrameKind::BlockAck, Some(3), 1)));
        assert!(follows_after_sifs(&frame(FrameKind::Rts, Some(1), 2), &frame(FrameKind::Cts, None, 1)));
        assert!(follows_after_sifs(&frame(FrameKind::Cts, None, 1), &data));
        assert!(!follows_after_sifs(&frame(FrameKind::Cts, None, 2), &data));
    }

    #[test]
    fn only_a_further_fragment_follows_an_ack() {
        let ack = frame(FrameKind::Ack, None, 1);
        let data = frame(FrameKind::Data, Some(1), 2);
        assert!(!follows_after_sifs(&ack, &data));
        assert!(follows_after_sifs(&ack, &Frame { frag: Some(1), ..data }));
    }

    #[test]
    fn missing_addresses_prove_nothing() {
        let rts = Frame { kind: FrameKind::Rts, ..Frame::new(1, 0) };
        let cts = Frame { kind: FrameKind::Cts, ..Frame::new(2, 0) };
        assert!(!follows_after_sifs(&rts, &cts));
    }
}
