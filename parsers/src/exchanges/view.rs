//! Assigns each frame to an exchange, from the frames that one observer receives.

use crate::exchanges::attempts::Attempts;
use crate::exchanges::duplicates::Duplicates;
use crate::exchanges::medium::{Access, Medium};
use crate::exchanges::open::OpenExchange;
use crate::exchanges::role::Role;
use crate::exchanges::span::FrameSpan;
use crate::exchanges::tuned::Tuned;
use crate::exchanges::{Exchange, ExchangeKind};
use crate::frame::{Addr, Direction, Frame, FrameKind};

/// Maximum number of exchanges in progress at a time. A sniffer may receive several stations that are hidden
/// from each other. An RTS without response stays open for the time it reserved the medium. Up to 37 stations
/// answer a Trigger frame at once in 80 MHz (802.11ax-2021, 27.3.2.2).
pub(super) const MAX_OPEN: usize = 40;

/// The exchanges of one observer that are in progress.
#[derive(Clone, Debug)]
pub(super) struct View {
    observer: Option<Addr>,
    /// Bound on the error of the distance between two frames; zero if they are exact.
    pub(super) stamp_error_ns: i64,
    /// In order of their start.
    pub(super) open: Vec<OpenExchange>,
    medium: Medium,
    tuned: Tuned,
    duplicates: Duplicates,
    finished: u64,
}

/// Output of finished rows.
pub(super) struct Sink<'a> {
    pub(super) attempts: &'a mut Attempts,
    pub(super) rows: &'a mut Vec<Exchange>,
}

impl View {
    pub(super) fn new(observer: Option<Addr>) -> View {
        let open = Vec::new();
        View {
            observer,
            stamp_error_ns: 0,
            open,
            medium: Medium::default(),
            tuned: Tuned::default(),
            duplicates: Duplicates::default(),
            finished: 0,
        }
    }

    /// Notes the channel on which a frame was heard. What was on the air before the radio came there is unknown.
    pub(super) fn listen(&mut self, frame: &Frame) {
        if self.tuned.hears(frame) {
            self.medium = Medium::default();
        }
    }

    /// Adds the next frame on the air, in recorded order.
    pub(super) fn push(&mut self, frame: &Frame, sink: &mut Sink<'_>) {
        if self.duplicates.is_duplicate(frame) {
            return;
        }
        let span = FrameSpan { error_ns: self.stamp_error_ns, ..FrameSpan::of(frame) };
        self.close_where(|open| open.is_over(span.at_ns), sink);
        self.complete_trigger(frame, &span);
        match Role::of(frame) {
            Role::Rts { from, to } => self.rts(frame, &span, from, to, sink),
            Role::Cts { to } => self.cts(frame, &span, to, sink),
            Role::Soliciting { from, to } => self.soliciting(frame, &span, from, to, sink),
            Role::Response { from, to } => self.response(frame, &span, from, to, sink),
            Role::MultiStaBlockAck { from, to } => self.multi_sta_block_ack(frame, &span, from, to, sink),
            Role::Trigger { from, to } => self.trigger(frame, &span, from, to, sink),
            Role::Sounding => self.sounding(frame, &span, sink),
            Role::Unanswered { from, to } => self.unanswered(frame, &span, from, to, sink),
            Role::Unassigned => self.unassigned(frame, &span, sink),
        }
        self.open.iter_mut().for_each(|open| open.pass(frame, &span));
        self.medium.occupy(&span, span.until_ns, frame.is_readable());
    }

    /// Outputs the exchanges that are still in progress.
    pub(super) fn finish(&mut self, sink: &mut Sink<'_>) {
        self.close_where(|_| true, sink);
    }

    fn rts(&mut self, frame: &Frame, span: &FrameSpan, from: Addr, to: Addr, sink: &mut Sink<'_>) {
        self.close_where(|open| open.row.sender == Some(from), sink);
        let mut open = self.begin(ExchangeKind::RtsFailed, frame, span, Some(from), Some(to));
        open.add_rts(frame, span);
        self.keep(open, sink);
    }

    fn cts(&mut self, frame: &Frame, span: &FrameSpan, to: Addr, sink: &mut Sink<'_>) {
        let requested = self.open.iter_mut().find(|open| open.row.sender == Some(to) && open.awaits_cts(span));
        if let Some(open) = requested {
            open.add_cts(frame, span);
            return;
        }
        if let Some(called) =
            self.open.iter_mut().find(|open| open.row.sender == Some(to) && open.awaits_cts_to_trigger(span))
        {
            called.become_rts();
            called.add_cts(frame, span);
            return;
        }
        self.close_where(|open| open.row.sender == Some(to), sink);
        let is_sent = frame.direction == Some(Direction::Tx);
        let is_to_observer = self.observer == Some(to);
        // An observer that sends a CTS to another station is the receiver of the following data.
        let receiver = self.observer.filter(|_| is_sent && !is_to_observer);
        let mut open = self.begin(ExchangeKind::Rts, frame, span, Some(to), receiver);
        open.add_cts(frame, span);
        open.row.hidden = !is_sent && !is_to_observer;
        open.may_be_to_self = is_sent == is_to_observer;
        self.keep(open, sink);
    }

    fn soliciting(&mut self, frame: &Frame, span: &FrameSpan, from: Addr, to: Addr, sink: &mut Sink<'_>) {
        let same_link =
            |open: &&mut OpenExchange| open.row.sender == Some(from) && open.row.receiver.is_none_or(|r| r == to);
        if let Some(open) = self.open.iter_mut().find(same_link) {
            if open.is_requested_by(frame, span) {
                open.add_request(frame, span);
                return;
            }
            if open.is_continued_by(frame, span) {
                open.add_mpdu(frame, span, Some(to));
                return;
            }
        }
        // A poll may be answered by the data it polls for. That data is an exchange of its own.
        for poll in self.open.iter_mut().filter(|open| open.row.data_kind == Some(FrameKind::PsPoll)) {
            poll.row.complete |= poll.row.sender == Some(to) && poll.row.receiver == Some(from);
        }
        let is_over = |open: &OpenExchange| open.row.sender == Some(from) && !open.is_beside(frame, span);
        self.close_where(|open| is_over(open) || open.row.complete, sink);
        let mut open = self.begin(ExchangeKind::Basic, frame, span, Some(from), Some(to));
        open.add_data(frame, span);
        self.keep(open, sink);
    }

    fn response(&mut self, frame: &Frame, span: &FrameSpan, from: Option<Addr>, to: Addr, sink: &mut Sink<'_>) {
        let is_answered = |open: &OpenExchange| {
            let agree = open.row.receiver.is_none() || from.is_none() || open.row.receiver == from;
            // An NDP announcement is followed by a sounding, not by an answer.
            let solicits = !open.is_opened_by(FrameKind::Ndpa);
            open.row.sender == Some(to) && agree && solicits && open.awaits(frame, span)
        };
        if let Some(index) = self.open.iter().position(is_answered) {
            let mut open = self.open.remove(index);
            open.row.receiver = open.row.receiver.or(from);
            open.add_response(frame, span);
            self.close(open, sink);
        } else {
            let mut open = self.begin(ExchangeKind::Basic, frame, span, Some(to), from);
            open.add_response(frame, span);
            self.close(open, sink);
        }
    }

    pub(super) fn unanswered(
        &mut self,
        frame: &Frame,
        span: &FrameSpan,
        from: Option<Addr>,
        to: Option<Addr>,
        sink: &mut Sink<'_>,
    ) {
        if self.is_report(frame, span, from, to, sink) {
            return;
        }
        // What a handshake cleared the medium for goes to the station that took part in it; a CF-End ends it.
        let is_for = |receiver: Addr| to == Some(receiver) || frame.kind == FrameKind::CfEnd;
        let is_cleared = |open: &OpenExchange| {
            let is_own = from.is_some() && open.row.sender == from && open.row.receiver.is_none_or(is_for);
            is_own && open.awaits_unanswered(frame, span)
        };
        let mut open = match self.open.iter().position(is_cleared) {
            Some(index) => self.open.remove(index),
            None => {
                self.close_where(|open| from.is_some() && open.row.sender == from, sink);
                self.begin(ExchangeKind::Broadcast, frame, span, from, to)
            }
        };
        open.add_mpdu(frame, span, to);
        open.row.complete = true;
        self.close(open, sink);
    }

    pub(super) fn unassigned(&mut self, frame: &Frame, span: &FrameSpan, sink: &mut Sink<'_>) {
        if let Some(open) = self.open.iter_mut().find(|open| open.has_subframe(frame, span)) {
            open.add_damaged_subframe(frame, span);
            return;
        }
        let cleared = |open: &&mut OpenExchange| !frame.is_readable() && open.cleared_for(frame, span);
        if let Some(open) = self.open.iter_mut().find(cleared) {
            open.add_damaged_data(frame, span);
            return;
        }
        let read = |address: Option<Addr>| address.filter(|_| frame.is_readable());
        let sender = read(frame.ta).filter(|ta| ta.is_station());
        let receiver = read(frame.ra).filter(|&ra| ra != Addr::NONE);
        let mut open = self.begin(ExchangeKind::Unknown, frame, span, sender, receiver);
        open.add_unassigned(frame, span);
        self.close(open, sink);
    }

    pub(super) fn begin(
        &self,
        kind: ExchangeKind,
        frame: &Frame,
        span: &FrameSpan,
        sender: Option<Addr>,
        receiver: Option<Addr>,
    ) -> OpenExchange {
        let open_until_ns = self.open.iter().map(|open| open.until_ns).max();
        let access = match self.stamp_error_ns {
            0 => self.medium.access(frame, span, open_until_ns),
            _ => Access::default(),
        };
        let mut open = OpenExchange::new(self.observer, kind, frame, span, access);
        open.row.sender = sender;
        open.row.receiver = receiver;
        open.row.channel_mhz = self.tuned.channel_of(frame);
        open
    }

    /// Keeps an exchange open for further frames. If the list is full, the oldest exchange is closed.
    pub(super) fn keep(&mut self, open: OpenExchange, sink: &mut Sink<'_>) {
        if self.open.len() >= MAX_OPEN {
            let oldest = self.open.remove(0);
            self.close(oldest, sink);
        }
        self.open.push(open);
    }

    pub(super) fn close_where(&mut self, is_over: impl Fn(&OpenExchange) -> bool, sink: &mut Sink<'_>) {
        let mut index = 0;
        while let Some(open) = self.open.get(index) {
            if is_over(open) {
                let open = self.open.remove(index);
                self.close(open, sink);
            } else {
                index += 1;
            }
        }
    }

    pub(super) fn close(&mut self, mut open: OpenExchange, sink: &mut Sink<'_>) {
        open.finish();
        sink.attempts.number(&mut open.row, open.is_retry, open.frag);
        self.finished += 1;
        open.row.exchange_no = self.finished;
        self.medium.extend(open.row.end_ns);
        sink.rows.push(open.row);
    }
}
