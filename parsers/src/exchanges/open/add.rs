//! Adds frames to an exchange.

use super::belongs::{is_control, BESIDE_NS};
use super::{earliest, OpenExchange};
use crate::base::time::ns;
use crate::exchanges::exchange::{Exchange, ExchangeKind};
use crate::exchanges::ppdu::{may_be_subframe, Ppdu};
use crate::exchanges::span::{sifs_us, FrameSpan};
use crate::frame::{Addr, Direction, Frame, FrameKind};
use crate::ieee80211::airtime;
use crate::ieee80211::constants::{CTS_BYTES, PPDU_MAX_NS};

impl OpenExchange {
    pub(in crate::exchanges) fn add_rts(&mut self, frame: &Frame, span: &FrameSpan) {
        self.cover(span);
        self.opened_by_sender = true;
        self.row.heard_rts = true;
        self.row.rts_start_ns = span.start_ns;
        self.row.rts_ns = span.end_ns;
        self.row.nav_rts_us = frame.nav_us;
        let cts_us = airtime::ppdu_us(frame, CTS_BYTES);
        self.cleared_ns = span.end_ns.zip(cts_us).map(|(end, cts_us)| end.saturating_add(ns(sifs_us(frame) + cts_us)));
        self.next_by_ns = span.response_by_ns(frame);
        self.await_until(span.protected_until_ns(frame));
    }

    pub(in crate::exchanges) fn add_cts(&mut self, frame: &Frame, span: &FrameSpan) {
        self.cover(span);
        self.row.kind = ExchangeKind::Rts;
        self.row.cts_start_ns = span.start_ns;
        self.row.cts_ns = span.end_ns;
        self.row.nav_cts_us = frame.nav_us;
        self.cleared_ns = span.end_ns;
        self.next_by_ns = span.response_by_ns(frame);
        self.await_until(span.protected_until_ns(frame));
    }

    /// Adds an MPDU to `receiver`, and what it implies about the frame that protected it.
    pub(in crate::exchanges) fn add_mpdu(&mut self, frame: &Frame, span: &FrameSpan, receiver: Option<Addr>) {
        if self.may_be_to_self && !self.row.heard_data {
            self.row.kind = ExchangeKind::CtsSelf;
            self.row.hidden = false;
            self.opened_by_sender = true;
        }
        self.row.receiver = self.row.receiver.or(receiver);
        self.add_data(frame, span);
    }

    /// Adds an MPDU of the sender: the first data frame, a further subframe, or a further PPDU.
    pub(in crate::exchanges) fn add_data(&mut self, frame: &Frame, span: &FrameSpan) {
        self.cover(span);
        if self.row.kind == ExchangeKind::RtsFailed {
            self.row.kind = ExchangeKind::Rts; // its CTS was not received
        }
        self.row.mpdus += u32::from(!is_control(frame.kind));
        self.row.length_bytes = sum(self.row.length_bytes, frame.length_bytes);
        self.row.payload_bytes = sum(self.row.payload_bytes, frame.payload_bytes);
        self.row.nav_data_us = frame.nav_us.or(self.row.nav_data_us);
        match &mut self.ppdu {
            Some(ppdu) if ppdu.is_joined_by(frame, span) => ppdu.add(frame, span),
            earlier => {
                self.earlier_us = earlier.map_or(Some(0.0), |ppdu| total(self.earlier_us, ppdu.airtime_us()));
                *earlier = Some(Ppdu::new(frame, span));
            }
        }
        if !self.row.heard_data {
            self.describe_data(frame, span);
        }
        self.time_data();
        self.await_response(frame, span);
    }

    /// Adds a damaged subframe of the PPDU received last to its airtime.
    pub(in crate::exchanges) fn add_damaged_subframe(&mut self, frame: &Frame, span: &FrameSpan) {
        self.cover(span);
        if let Some(ppdu) = &mut self.ppdu {
            ppdu.add(frame, span);
        }
        self.time_data();
        self.await_response(frame, span);
    }

    /// Adds a damaged frame that the handshake cleared the medium for, or a damaged CTS. Who sent a damaged frame to
    /// whom is not read from it.
    pub(in crate::exchanges) fn add_damaged_data(&mut self, frame: &Frame, span: &FrameSpan) {
        let is_cts = self.answers_rts(frame, span);
        self.cover(span);
        if is_cts {
            return;
        }
        self.row.kind = ExchangeKind::Rts; // data follows a CTS alone
        match &mut self.damaged {
            Some(ppdu) => ppdu.add(frame, span),
            None => self.damaged = Some(Ppdu::new(frame, span)),
        }
    }

    /// Notes a frame that belongs to another exchange. The times of what the recorder sent itself may be late, and a
    /// damaged frame may be a part of the data that was not heard.
    pub(in crate::exchanges) fn pass(&mut self, frame: &Frame, span: &FrameSpan) {
        let is_behind = span.start_ns.is_some_and(|start| start.saturating_add(BESIDE_NS) >= self.until_ns);
        let is_told = frame.is_readable() && frame.direction != Some(Direction::Tx) && span.end_ns.is_some();
        if is_behind && is_told && span.until_ns > self.until_ns {
            self.passed_ns = self.passed_ns.or(Some(span.until_ns));
        }
    }

    /// Adds a BlockAckReq sent right after the data. It solicits the response that the data would have
    /// solicited.
    pub(in crate::exchanges) fn add_request(&mut self, frame: &Frame, span: &FrameSpan) {
        self.cover(span);
        self.await_until(span.response_by_ns(frame));
    }

    /// Waits for the response to a frame that another exchange covers and that also solicits a response from
    /// this receiver.
    pub(in crate::exchanges) fn await_response_to(&mut self, frame: &Frame, span: &FrameSpan) {
        self.await_until(span.response_by_ns(frame));
    }

    /// Adds a Trigger, an NDP announcement or a poll. An announcement or poll keeps the exchange open for the
    /// time that its Duration field protects.
    pub(in crate::exchanges) fn add_trigger(&mut self, frame: &Frame, span: &FrameSpan) {
        self.add_data(frame, span);
        if frame.kind != FrameKind::Trigger {
            self.await_until(span.protected_until_ns(frame));
        }
    }

    /// Adds the report that a sounding or poll solicited, which completes the exchange.
    pub(in crate::exchanges) fn add_report(&mut self, span: &FrameSpan) {
        self.cover(span);
        self.row.complete = true;
    }

    /// Changes the exchange of a Trigger into an RTS exchange. CTS frames answer only an MU-RTS Trigger
    /// (802.11ax-2021, 26.2.6).
    pub(in crate::exchanges) fn become_rts(&mut self) {
        let row = &self.row;
        self.row = Exchange {
            sender: row.sender,
            start_ns: row.start_ns,
            end_ns: row.end_ns,
            rts_start_ns: row.data_start_ns,
            rts_ns: row.data_ns,
            nav_rts_us: row.nav_data_us,
            heard_rts: true,
            channel_mhz: row.channel_mhz,
            ..Exchange::new(row.observer, ExchangeKind::RtsFailed)
        };
        (self.ppdu, self.earlier_us) = (None, Some(0.0));
    }

    /// Adds the ACK or BlockAck, which completes the exchange.
    pub(in crate::exchanges) fn add_response(&mut self, frame: &Frame, span: &FrameSpan) {
        self.cover(span);
        self.row.ack_start_ns = span.start_ns;
        self.row.ack_ns = span.end_ns;
        self.row.ack_airtime_us = frame.airtime_us;
        self.row.complete = true;
        if let Some(bitmap) = frame.block_ack.as_ref().filter(|_| !self.row.heard_data) {
            self.row.seq = bitmap.newest().map(u32::from);
            self.row.tid = frame.tid;
        }
        if self.row.kind == ExchangeKind::RtsFailed {
            self.row.kind = ExchangeKind::Rts; // its CTS was not received
        }
        if self.row.data_airtime_us.is_none() {
            self.row.data_airtime_us = self.protected_data_us(frame);
        }
    }

    /// Covers a frame that belongs to no other exchange.
    pub(in crate::exchanges) fn add_unassigned(&mut self, frame: &Frame, span: &FrameSpan) {
        self.cover(span);
        self.row.length_bytes = frame.length_bytes;
        self.row.phy = frame.phy;
        self.row.preamble = frame.preamble;
        self.row.rate_mbps = rate_mbps(frame);
    }

    fn describe_data(&mut self, frame: &Frame, span: &FrameSpan) {
        let row = &mut self.row;
        self.opened_by_sender |= row.kind != ExchangeKind::Rts;
        row.heard_data = true;
        row.data_kind = Some(frame.kind);
        row.data_start_ns = span.start_ns;
        row.phy = frame.phy;
        row.preamble = frame.preamble;
        row.rate_mbps = rate_mbps(frame);
        row.bssid = frame.bssid;
        row.direct = frame.flags.filter(|_| frame.is_data()).map(|flags| !flags.to_ds && !flags.from_ds);
        row.tid = frame.tid;
        row.seq = frame.seq;
        row.packet_uid = frame.packet_uid;
        row.network = frame.network;
        self.is_retry = frame.is_retry();
        self.frag = frame.frag;
        self.multi_user = frame.ppdu.is_multi_user();
    }

    /// Computes the times of the last PPDU from all of its subframes.
    fn time_data(&mut self) {
        let Some(ppdu) = &self.ppdu else { return };
        let (start_ns, end_ns) = ppdu.times_ns();
        self.row.data_ns = end_ns;
        self.row.data_start_ns = earliest(self.row.data_start_ns, start_ns);
        self.row.data_airtime_us = total(self.earlier_us, ppdu.airtime_us());
        self.until_ns = self.until_ns.max(end_ns.unwrap_or(self.until_ns));
    }

    fn await_response(&mut self, frame: &Frame, span: &FrameSpan) {
        let data_end = FrameSpan { until_ns: span.until_ns.max(self.row.data_ns.unwrap_or(span.until_ns)), ..*span };
        let protected = self.block_ack_by_ns;
        self.await_until(data_end.response_by_ns(frame));
        if frame.ampdu_number().is_some() || may_be_subframe(frame) {
            // This observer may not have received the last subframes.
            let longest = span.at_ns.saturating_add(PPDU_MAX_NS as i64);
            self.block_ack_by_ns = self.block_ack_by_ns.max(longest).max(protected);
        }
    }
}

fn total(earlier_us: Option<f64>, last_us: Option<f64>) -> Option<f64> {
    Some(earlier_us? + last_us?)
}

fn sum(total: Option<u32>, more: Option<u32>) -> Option<u32> {
    match (total, more) {
        (Some(total), Some(more)) => Some(total.saturating_add(more)),
        (total, more) => total.or(more),
    }
}

/// The rate that the header tells, or that answers confirm.
fn rate_mbps(frame: &Frame) -> Option<f32> {
    frame.rate_mbps.or_else(|| frame.ppdu.inferred_rate_kbps.map(|kbps| kbps as f32 / 1000.0))
}
