//! Exchanges of more than two stations: trigger-based and multi-user PPDUs, and sounding.
//!
//! A call (Trigger, NDP announcement, beamforming poll) is a row of its own, complete when somebody
//! followed it. The stations that follow a Trigger at once have a row each, and so do the receivers of a
//! downlink multi-user PPDU; what acknowledges them all belongs to the first row it completes.

use crate::exchanges::heard::Heard;
use crate::exchanges::open::Open;
use crate::exchanges::view::{Sink, View};
use crate::exchanges::ExchangeKind;
use crate::frame::{Addr, Frame, FrameKind};

impl View {
    /// A call of `from`. One for acknowledgments of what `from` sent right before belongs to that.
    pub(super) fn call(&mut self, frame: &Frame, heard: &Heard, from: Addr, to: Option<Addr>, sink: &mut Sink<'_>) {
        let asks = |open: &&mut Open| open.row.sender == Some(from) && open.is_called_by(frame, heard);
        let mut asked = self.open.iter_mut().filter(asks);
        if let Some(first) = asked.next() {
            first.add_request(frame, heard);
            asked.for_each(|open| open.await_answer_to(frame, heard));
            return;
        }
        self.close_where(|open| open.row.sender == Some(from), sink);
        let mut open = self.begin(ExchangeKind::Basic, frame, heard, Some(from), to);
        open.add_call(frame, heard);
        self.keep(open, sink);
    }

    /// Marks the Trigger that this frame follows as followed.
    pub(super) fn note_follower(&mut self, frame: &Frame, heard: &Heard) {
        let Some(caller) = frame.ra.filter(|_| frame.is_readable()) else { return };
        for open in self.open.iter_mut().filter(|open| open.is_call(FrameKind::Trigger)) {
            open.row.complete |= open.row.sender == Some(caller) && open.awaits(frame, heard);
        }
    }

    /// A null data packet, which says nothing of its sender: it follows the announcement of one.
    pub(super) fn sounding(&mut self, frame: &Frame, heard: &Heard, sink: &mut Sink<'_>) {
        let announces = |open: &&mut Open| open.is_call(FrameKind::Ndpa) && open.ends_right_before(frame, heard);
        match self.open.iter_mut().find(announces) {
            Some(open) => open.add_data(frame, heard),
            None => self.unplaced(frame, heard, sink),
        }
    }

    /// True when a frame that nobody answers was the report to a sounding or poll, which it ends.
    pub(super) fn is_report(
        &mut self,
        frame: &Frame,
        heard: &Heard,
        from: Option<Addr>,
        to: Option<Addr>,
        sink: &mut Sink<'_>,
    ) -> bool {
        let called = self.open.iter().position(|open| {
            let agree = open.row.receiver.is_none_or(|receiver| receiver.is_group() || Some(receiver) == from);
            let is_call = open.is_call(FrameKind::Ndpa) || open.is_call(FrameKind::BeamformingPoll);
            is_call && agree && to.is_some() && open.row.sender == to && open.awaits(frame, heard)
        });
        let Some(index) = called.filter(|_| frame.kind == FrameKind::ActionNoAck) else { return false };
        let mut open = self.open.remove(index);
        open.add_report(heard);
        self.close(open, sink);
        true
    }

    /// A BlockAck to several stations at once: completes what each of them sent to `from`.
    pub(super) fn answer_all(&mut self, frame: &Frame, heard: &Heard, from: Addr, to: Addr, sink: &mut Sink<'_>) {
        let is_answered = |open: &Open| open.row.receiver == Some(from) && open.awaits(frame, heard);
        let Some(first) = self.open.iter().position(is_answered) else {
            self.unanswered(frame, heard, Some(from), Some(to), sink);
            return;
        };
        let mut open = self.open.remove(first);
        open.add_answer(frame, heard);
        self.close(open, sink);
        self.open.iter_mut().filter(|open| is_answered(open)).for_each(|open| open.row.complete = true);
        self.close_where(is_answered, sink);
    }
}
