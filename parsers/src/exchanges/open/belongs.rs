//! Decides which frames belong to an exchange.

use super::OpenExchange;
use crate::exchanges::exchange::ExchangeKind;
use crate::exchanges::span::FrameSpan;
use crate::frame::{Direction, Frame, FrameKind, Phy};
use crate::ieee80211::constants::{CTS_BYTES, LEGACY_PPDU_MAX_NS, PPDU_MAX_NS};

/// Airtime of a CTS at 1 Mb/s with the long preamble, plus SIFS.
const MAX_CTS_NS: i64 = 304_000 + 10_000;

/// By as much two PPDUs of one sender seem to overlap because stamps are inexact, and more of DSSS whose preamble is unknown:
/// the long one takes 96 us more than the short one.
const OVERLAP_NS: i64 = 8_000;
const DSSS_OVERLAP_NS: i64 = 100_000;

/// Stamps of frames that follow one another may lie in one another by this.
pub(super) const BESIDE_NS: i64 = 2_000;

impl OpenExchange {
    /// True if another station sent between this exchange and a frame: nobody waits for longer than a SIFS within an
    /// exchange, and what it protects is not heard at the same time (IEEE 802.11-2020, 10.3.2.3.3). Several stations
    /// exchange frames with one in turn where it called them, or sent to them in one PPDU.
    fn is_cut_off(&self, frame: &Frame, span: &FrameSpan) -> bool {
        use FrameKind::{BeamformingPoll, Ndpa, Trigger};
        let is_called = matches!(self.row.data_kind, Some(Trigger | Ndpa | BeamformingPoll));
        let is_timed = span.start_ns.is_some() && span.error_ns == 0 && frame.direction != Some(Direction::Tx);
        let is_between = |end_ns: i64| end_ns <= span.at_ns.saturating_add(BESIDE_NS);
        is_timed && !is_called && !self.multi_user && self.passed_ns.is_some_and(is_between)
    }

    /// True if a damaged frame is the data that the handshake of this exchange cleared the medium for: it begins one SIFS
    /// after the CTS, heard or not, or is a subframe behind one that does or was not recorded. Or it is that CTS.
    pub(in crate::exchanges) fn cleared_for(&self, frame: &Frame, span: &FrameSpan) -> bool {
        let is_open = matches!(self.row.kind, ExchangeKind::Rts | ExchangeKind::RtsFailed) && self.ppdu.is_none();
        let (Some(cleared_ns), Some(start_ns), 0) = (self.cleared_ns, span.start_ns, span.error_ns) else {
            return false;
        };
        if !is_open || self.is_cut_off(frame, span) || start_ns.saturating_add(BESIDE_NS) < self.until_ns {
            return false;
        }
        let is_behind = start_ns.saturating_add(BESIDE_NS) >= cleared_ns;
        let is_next = self.damaged.is_none() && span.continues(frame, cleared_ns);
        let by_ns = self.deadline_ns.min(self.next_by_ns.saturating_add(PPDU_MAX_NS as i64));
        let is_subframe = frame.phy.is_some_and(Phy::has_ampdu) && span.until_ns <= by_ns;
        is_behind && (is_next || is_subframe && self.row.kind == ExchangeKind::Rts) || self.answers_rts(frame, span)
    }

    /// True if a damaged frame is as long as a CTS and begins one SIFS after the RTS.
    pub(super) fn answers_rts(&self, frame: &Frame, span: &FrameSpan) -> bool {
        let is_long = frame.length_bytes == Some(CTS_BYTES) && self.row.kind == ExchangeKind::RtsFailed;
        is_long && self.damaged.is_none() && self.row.rts_ns.is_some_and(|end_ns| span.continues(frame, end_ns))
    }

    /// True if a soliciting frame from the sender to the receiver belongs to this exchange, not to a new one.
    pub(in crate::exchanges) fn is_continued_by(&self, frame: &Frame, span: &FrameSpan) -> bool {
        let Some(ppdu) = &self.ppdu else {
            let by = match self.row.kind {
                ExchangeKind::RtsFailed => self.next_by_ns.saturating_add(MAX_CTS_NS),
                // A CTS may protect several exchanges, also of others. What it was sent for follows it at once.
                _ if span.start_ns.is_some() => {
                    self.deadline_ns.min(self.next_by_ns.saturating_add(PPDU_MAX_NS as i64))
                }
                _ => self.deadline_ns,
            };
            return span.at_ns <= by && !self.is_cut_off(frame, span);
        };
        if is_control(frame.kind) || self.row.data_kind.is_some_and(is_control) || self.is_repeated_by(frame) {
            return false;
        }
        ppdu.is_joined_by(frame, span) || self.ends_right_before(frame, span) && !self.is_overlapped_by(frame, span)
    }

    /// True if a frame of a PHY without A-MPDU, a PPDU of its own, began before the data had ended, which its sender
    /// cannot have sent in one. Where only its end or a stamp is known, that is not later than the end of the data.
    fn is_overlapped_by(&self, frame: &Frame, span: &FrameSpan) -> bool {
        let is_own_ppdu = frame.phy.is_some_and(|phy| !phy.has_ampdu());
        let is_long_or_short = frame.preamble.is_none() && matches!(frame.phy, Some(Phy::Dsss | Phy::HrDsss));
        let tolerance_ns = match span.start_ns {
            Some(_) if is_long_or_short => DSSS_OVERLAP_NS,
            Some(_) => OVERLAP_NS,
            None => 0,
        };
        let known_ns = span.at_ns.saturating_add(tolerance_ns).saturating_add(span.error_ns);
        is_own_ppdu && self.row.data_ns.is_some_and(|end_ns| known_ns <= end_ns)
    }

    /// True if a frame is another attempt at the first MPDU of this exchange.
    fn is_repeated_by(&self, frame: &Frame) -> bool {
        let mpdu = (self.row.seq, self.row.tid, self.frag);
        frame.is_retry() && frame.seq.is_some() && (frame.seq, frame.tid, frame.frag) == mpdu
    }

    /// True if a BlockAckReq refers to the data of this exchange and was sent in the same channel access.
    pub(in crate::exchanges) fn is_requested_by(&self, frame: &Frame, span: &FrameSpan) -> bool {
        let has_data = self.row.heard_data && !self.row.data_kind.is_some_and(is_control);
        // The receivers of a multi-user PPDU are requested one after the other.
        let is_next = self.multi_user && span.at_ns <= self.block_ack_by_ns;
        frame.kind == FrameKind::BlockAckReq && has_data && (is_next || self.ends_right_before(frame, span))
    }

    /// True if a Trigger solicits the acknowledgment of the data of this exchange (MU-BAR).
    pub(in crate::exchanges) fn is_polled_by(&self, frame: &Frame, span: &FrameSpan) -> bool {
        let has_data = self.row.heard_data && !self.row.data_kind.is_some_and(is_control);
        frame.kind == FrameKind::Trigger && has_data && self.ends_right_before(frame, span)
    }

    /// True if this exchange began with a frame of that kind.
    pub(in crate::exchanges) fn is_opened_by(&self, kind: FrameKind) -> bool {
        self.row.data_kind == Some(kind)
    }

    /// True if a frame of the same sender to another receiver was in the same multi-user PPDU.
    pub(in crate::exchanges) fn is_beside(&self, frame: &Frame, span: &FrameSpan) -> bool {
        let is_multi_user = self.multi_user && frame.ppdu.is_multi_user();
        is_multi_user && self.row.receiver != frame.ra && self.ppdu.is_some_and(|ppdu| ppdu.began_with(span))
    }

    /// True if a CTS to the sender answers the RTS of this exchange.
    pub(in crate::exchanges) fn awaits_cts(&self, span: &FrameSpan) -> bool {
        self.row.kind == ExchangeKind::RtsFailed && span.responds_by(self.next_by_ns, self.row.rts_ns)
    }

    /// True if a CTS to the sender answers the Trigger of this exchange.
    pub(in crate::exchanges) fn awaits_cts_to_trigger(&self, span: &FrameSpan) -> bool {
        self.is_opened_by(FrameKind::Trigger) && span.at_ns <= self.deadline_ns
    }

    /// True if a frame of the sender that solicits no response is the one protected by the CTS of this
    /// exchange.
    pub(in crate::exchanges) fn awaits_unanswered(&self, frame: &Frame, span: &FrameSpan) -> bool {
        let is_next = span.at_ns <= self.next_by_ns && !self.is_cut_off(frame, span);
        self.row.kind == ExchangeKind::Rts && self.ppdu.is_none() && is_next
    }

    /// True if a damaged frame was a subframe of the PPDU received last.
    pub(in crate::exchanges) fn has_subframe(&self, frame: &Frame, span: &FrameSpan) -> bool {
        self.ppdu.is_some_and(|ppdu| ppdu.has_subframe(frame, span))
    }

    /// True if an ACK or BlockAck arrives within its deadline, and nobody else sent before.
    pub(in crate::exchanges) fn awaits(&self, frame: &Frame, span: &FrameSpan) -> bool {
        let is_block_ack = frame.kind == FrameKind::BlockAck;
        let by_ns = if is_block_ack { self.block_ack_by_ns } else { self.deadline_ns };
        span.at_ns <= by_ns && !self.is_cut_off(frame, span)
    }

    /// True if no frame at `now_ns` or later can belong to this exchange. Stamps within an exchange may be out
    /// of order by at most one frame.
    pub(in crate::exchanges) fn is_over(&self, now_ns: i64) -> bool {
        now_ns > self.block_ack_by_ns || now_ns < self.at_ns.saturating_sub(LEGACY_PPDU_MAX_NS as i64)
    }

    /// True if a frame started one SIFS after the data.
    pub(in crate::exchanges) fn ends_right_before(&self, frame: &Frame, span: &FrameSpan) -> bool {
        self.row.data_ns.is_some_and(|end_ns| span.continues(frame, end_ns))
    }
}

/// True for frames that carry no payload for a higher layer or for the management of the receiver.
pub(in crate::exchanges) fn is_control(kind: FrameKind) -> bool {
    use FrameKind as K;
    matches!(kind, K::BlockAckReq | K::PsPoll | K::Ack | K::BlockAck | K::Trigger | K::Ndpa | K::CfEnd)
        || matches!(kind, K::BeamformingPoll | K::ControlOther | K::Ndp)
}
