//! Exchanges of more than two stations: trigger-based and multi-user PPDUs, and sounding.
//!
//! A Trigger, NDP announcement or beamforming report poll has its own row, which is complete once a station
//! responds. Each station that responds to a Trigger in one PPDU has its own row, and so has each receiver of a
//! downlink multi-user PPDU. A frame that acknowledges all of them belongs to the first row that it completes.

use crate::exchanges::open::OpenExchange;
use crate::exchanges::span::FrameSpan;
use crate::exchanges::view::{Sink, View};
use crate::exchanges::ExchangeKind;
use crate::frame::{Addr, Frame, FrameKind};

impl View {
    /// Adds a Trigger or poll sent by `from`. If it solicits the acknowledgments of the last PPDU of `from`
    /// (MU-BAR), it belongs to the exchange of that PPDU.
    pub(super) fn trigger(
        &mut self,
        frame: &Frame,
        span: &FrameSpan,
        from: Addr,
        to: Option<Addr>,
        sink: &mut Sink<'_>,
    ) {
        let asks = |open: &&mut OpenExchange| open.row.sender == Some(from) && open.is_polled_by(frame, span);
        let mut asked = self.open.iter_mut().filter(asks);
        if let Some(first) = asked.next() {
            first.add_request(frame, span);
            asked.for_each(|open| open.await_response_to(frame, span));
            return;
        }
        self.close_where(|open| open.row.sender == Some(from), sink);
        let mut open = self.begin(ExchangeKind::Basic, frame, span, Some(from), to);
        open.add_trigger(frame, span);
        self.keep(open, sink);
    }

    /// Completes the exchange of the Trigger that this frame responds to.
    pub(super) fn complete_trigger(&mut self, frame: &Frame, span: &FrameSpan) {
        let Some(caller) = frame.ra.filter(|_| frame.is_readable()) else { return };
        for open in self.open.iter_mut().filter(|open| open.is_opened_by(FrameKind::Trigger)) {
            open.row.complete |= open.row.sender == Some(caller) && open.awaits(frame, span);
        }
    }

    /// Adds a sounding NDP. It has no addresses and follows its NDP announcement.
    pub(super) fn sounding(&mut self, frame: &Frame, span: &FrameSpan, sink: &mut Sink<'_>) {
        let announces =
            |open: &&mut OpenExchange| open.is_opened_by(FrameKind::Ndpa) && open.ends_right_before(frame, span);
        match self.open.iter_mut().find(announces) {
            Some(open) => open.add_data(frame, span),
            None => self.unassigned(frame, span, sink),
        }
    }

    /// True if a frame that solicits no response is the report to a sounding or poll, and thus ends that
    /// exchange.
    pub(super) fn is_report(
        &mut self,
        frame: &Frame,
        span: &FrameSpan,
        from: Option<Addr>,
        to: Option<Addr>,
        sink: &mut Sink<'_>,
    ) -> bool {
        let called = self.open.iter().position(|open| {
            let agree = open.row.receiver.is_none_or(|receiver| receiver.is_group() || Some(receiver) == from);
            let is_opened_by = open.is_opened_by(FrameKind::Ndpa) || open.is_opened_by(FrameKind::BeamformingPoll);
            is_opened_by && agree && to.is_some() && open.row.sender == to && open.awaits(frame, span)
        });
        let Some(index) = called.filter(|_| frame.kind == FrameKind::ActionNoAck) else { return false };
        let mut open = self.open.remove(index);
        open.add_report(span);
        self.close(open, sink);
        true
    }

    /// A BlockAck to several stations: completes the exchanges in which they sent to `from`.
    pub(super) fn multi_sta_block_ack(
        &mut self,
        frame: &Frame,
        span: &FrameSpan,
        from: Addr,
        to: Addr,
        sink: &mut Sink<'_>,
    ) {
        let is_answered = |open: &OpenExchange| open.row.receiver == Some(from) && open.awaits(frame, span);
        let Some(first) = self.open.iter().position(is_answered) else {
            self.unanswered(frame, span, Some(from), Some(to), sink);
            return;
        };
        let mut open = self.open.remove(first);
        open.add_response(frame, span);
        self.close(open, sink);
        self.open.iter_mut().filter(|open| is_answered(open)).for_each(|open| open.row.complete = true);
        self.close_where(is_answered, sink);
    }
}
