//! One exchange while it is being rebuilt.

use crate::exchanges::heard::{sifs_us, Heard};
use crate::exchanges::medium::Access;
use crate::exchanges::ppdu::{may_be_subframe, Ppdu};
use crate::exchanges::{Exchange, ExchangeKind};
use crate::frame::{Addr, Frame, FrameKind};
use crate::ieee80211::airtime;
use crate::ieee80211::constants::{CTS_BYTES, LEGACY_PPDU_MAX_NS, PPDU_MAX_NS};

/// A CTS at 1 Mb/s with long preamble, and SIFS.
const MAX_CTS_NS: i64 = 304_000 + 10_000;
/// A Duration field is rounded up to a microsecond per frame it covers; stamps are not exact either.
const NAV_TOLERANCE_NS: i64 = 30_000;

/// A row, and what its continuation is recognised by.
#[derive(Clone, Debug)]
pub(super) struct Open {
    pub(super) row: Exchange,
    /// The Retry bit of the first data frame.
    pub(super) is_retry: bool,
    /// The fragment number of the first data frame.
    pub(super) frag: Option<u8>,
    /// The CTS that opened it may have been one that the sender addressed to itself.
    pub(super) may_be_to_self: bool,
    /// The latest instant at which it is known to have been on the air.
    pub(super) until_ns: i64,
    at_ns: i64,
    /// The latest start of what comes one SIFS after an RTS or CTS.
    next_by_ns: i64,
    /// The latest start of an answer, and of a BlockAck, which may follow subframes not heard.
    deadline_ns: i64,
    block_ack_by_ns: i64,
    /// What preceded the first frame, and whether that was the sender's.
    access: Access,
    opened_by_sender: bool,
    ppdu: Option<Ppdu>,
    /// The data was part of a multi-user PPDU.
    multi_user: bool,
    /// Airtime of the data PPDUs before the last.
    earlier_us: Option<f64>,
}

impl Open {
    /// An exchange of `kind` that begins with the frame at `heard`, which is still to be added.
    pub(super) fn new(
        observer: Option<Addr>,
        kind: ExchangeKind,
        frame: &Frame,
        heard: &Heard,
        access: Access,
    ) -> Open {
        Open {
            row: Exchange { channel_mhz: frame.channel_mhz, ..Exchange::new(observer, kind) },
            is_retry: false,
            frag: None,
            may_be_to_self: false,
            until_ns: heard.until_ns,
            at_ns: heard.at_ns,
            next_by_ns: heard.at_ns,
            deadline_ns: heard.at_ns,
            block_ack_by_ns: heard.at_ns,
            access,
            opened_by_sender: false,
            ppdu: None,
            multi_user: false,
            earlier_us: Some(0.0),
        }
    }

    pub(super) fn add_rts(&mut self, frame: &Frame, heard: &Heard) {
        self.cover(heard);
        self.opened_by_sender = true;
        self.row.heard_rts = true;
        self.row.rts_start_ns = heard.start_ns;
        self.row.rts_ns = heard.end_ns;
        self.row.nav_rts_us = frame.nav_us;
        self.next_by_ns = heard.response_by_ns(frame);
        self.await_until(heard.protected_until_ns(frame));
    }

    pub(super) fn add_cts(&mut self, frame: &Frame, heard: &Heard) {
        self.cover(heard);
        self.row.kind = ExchangeKind::Rts;
        self.row.cts_start_ns = heard.start_ns;
        self.row.cts_ns = heard.end_ns;
        self.row.nav_cts_us = frame.nav_us;
        self.next_by_ns = heard.response_by_ns(frame);
        self.await_until(heard.protected_until_ns(frame));
    }

    /// Adds an MPDU to `receiver` and what it says about who cleared the medium for it.
    pub(super) fn carry(&mut self, frame: &Frame, heard: &Heard, receiver: Option<Addr>) {
        if self.may_be_to_self && !self.row.heard_data {
            self.row.kind = ExchangeKind::CtsSelf;
            self.row.hidden = false;
            self.opened_by_sender = true;
        }
        self.row.receiver = self.row.receiver.or(receiver);
        self.add_data(frame, heard);
    }

    /// Adds an MPDU of the sender: the first data, a further subframe, or a further PPDU.
    pub(super) fn add_data(&mut self, frame: &Frame, heard: &Heard) {
        self.cover(heard);
        if self.row.kind == ExchangeKind::RtsFailed {
            self.row.kind = ExchangeKind::Rts; // its CTS went unheard
        }
        self.row.mpdus += u32::from(!is_control(frame.kind));
        self.row.length_bytes = sum(self.row.length_bytes, frame.length_bytes);
        self.row.payload_bytes = sum(self.row.payload_bytes, frame.payload_bytes);
        self.row.nav_data_us = frame.nav_us.or(self.row.nav_data_us);
        match &mut self.ppdu {
            Some(ppdu) if ppdu.is_joined_by(frame, heard) => ppdu.add(frame, heard),
            earlier => {
                self.earlier_us = earlier.map_or(Some(0.0), |ppdu| total(self.earlier_us, ppdu.airtime_us()));
                *earlier = Some(Ppdu::new(frame, heard));
            }
        }
        if !self.row.heard_data {
            self.describe_data(frame, heard);
        }
        self.time_data();
        self.await_answer(frame, heard);
    }

    /// Counts a damaged subframe of the PPDU heard last into its airtime.
    pub(super) fn add_damaged_subframe(&mut self, frame: &Frame, heard: &Heard) {
        self.cover(heard);
        if let Some(ppdu) = &mut self.ppdu {
            ppdu.add(frame, heard);
        }
        self.time_data();
        self.await_answer(frame, heard);
    }

    /// Adds a BlockAckReq sent right after the data: it solicits the answer in the data's place.
    pub(super) fn add_request(&mut self, frame: &Frame, heard: &Heard) {
        self.cover(heard);
        self.await_until(heard.response_by_ns(frame));
    }

    /// Waits for the answer to a frame that is covered elsewhere and solicits it from this receiver too.
    pub(super) fn await_answer_to(&mut self, frame: &Frame, heard: &Heard) {
        self.await_until(heard.response_by_ns(frame));
    }

    /// Adds a Trigger, an NDP announcement or a poll, and waits for as long as it protects what follows.
    pub(super) fn add_call(&mut self, frame: &Frame, heard: &Heard) {
        self.add_data(frame, heard);
        if frame.kind != FrameKind::Trigger {
            self.await_until(heard.protected_until_ns(frame));
        }
    }

    /// Adds the report that a sounding was for, which completes the exchange.
    pub(super) fn add_report(&mut self, heard: &Heard) {
        self.cover(heard);
        self.row.complete = true;
    }

    /// Turns a Trigger that CTS frames answer into the RTS that it was (MU-RTS, 802.11ax-2021, 26.2.6).
    pub(super) fn become_rts(&mut self) {
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
    pub(super) fn add_answer(&mut self, frame: &Frame, heard: &Heard) {
        self.cover(heard);
        self.row.ack_start_ns = heard.start_ns;
        self.row.ack_ns = heard.end_ns;
        self.row.ack_airtime_us = frame.airtime_us;
        self.row.complete = true;
        if self.row.kind == ExchangeKind::RtsFailed {
            self.row.kind = ExchangeKind::Rts; // its CTS went unheard
        }
        if self.row.data_airtime_us.is_none() {
            self.row.data_airtime_us = self.protected_data_us(frame);
        }
    }

    /// Covers a frame that has no place in any exchange.
    pub(super) fn add_unplaced(&mut self, frame: &Frame, heard: &Heard) {
        self.cover(heard);
        self.row.length_bytes = frame.length_bytes;
        self.row.phy = frame.phy;
        self.row.preamble = frame.preamble;
        self.row.rate_mbps = frame.rate_mbps;
    }

    /// True when a soliciting frame from the sender to the receiver belongs here, not to a new exchange.
    pub(super) fn is_continued_by(&self, frame: &Frame, heard: &Heard) -> bool {
        let Some(ppdu) = &self.ppdu else {
            let unheard_cts = self.row.kind == ExchangeKind::RtsFailed;
            let by = if unheard_cts { self.next_by_ns.saturating_add(MAX_CTS_NS) } else { self.deadline_ns };
            return heard.at_ns <= by;
        };
        if is_control(frame.kind) || self.row.data_kind.is_some_and(is_control) {
            return false;
        }
        ppdu.is_joined_by(frame, heard) || self.ends_right_before(frame, heard)
    }

    /// True when a BlockAckReq is about the data here, sent in the same access to the medium.
    pub(super) fn is_requested_by(&self, frame: &Frame, heard: &Heard) -> bool {
        let has_data = self.row.heard_data && !self.row.data_kind.is_some_and(is_control);
        // The receivers of a multi-user PPDU are asked one after the other.
        let is_next = self.multi_user && heard.at_ns <= self.block_ack_by_ns;
        frame.kind == FrameKind::BlockAckReq && has_data && (is_next || self.ends_right_before(frame, heard))
    }

    /// True when a Trigger asks for the acknowledgment of the data here (MU-BAR).
    pub(super) fn is_called_by(&self, frame: &Frame, heard: &Heard) -> bool {
        let has_data = self.row.heard_data && !self.row.data_kind.is_some_and(is_control);
        frame.kind == FrameKind::Trigger && has_data && self.ends_right_before(frame, heard)
    }

    /// True when this began with a call of a kind.
    pub(super) fn is_call(&self, kind: FrameKind) -> bool {
        self.row.data_kind == Some(kind)
    }

    /// True when a frame of the same sender, to another receiver, was in the same multi-user PPDU.
    pub(super) fn is_beside(&self, frame: &Frame, heard: &Heard) -> bool {
        let is_multi_user = self.multi_user && frame.ppdu.is_multi_user();
        is_multi_user && self.row.receiver != frame.ra && self.ppdu.is_some_and(|ppdu| ppdu.began_with(heard))
    }

    /// True when a CTS to the sender answers the RTS here.
    pub(super) fn awaits_cts(&self, heard: &Heard) -> bool {
        self.row.kind == ExchangeKind::RtsFailed && heard.at_ns <= self.next_by_ns
    }

    /// True when a CTS to the sender answers the Trigger here.
    pub(super) fn is_cleared_call(&self, heard: &Heard) -> bool {
        self.is_call(FrameKind::Trigger) && heard.at_ns <= self.deadline_ns
    }

    /// True when a frame of the sender that nobody answers is what the CTS here was for.
    pub(super) fn cleared_for(&self, heard: &Heard) -> bool {
        self.row.kind == ExchangeKind::Rts && self.ppdu.is_none() && heard.at_ns <= self.next_by_ns
    }

    /// True when a damaged frame was a subframe of the PPDU heard last.
    pub(super) fn has_subframe(&self, frame: &Frame, heard: &Heard) -> bool {
        self.ppdu.is_some_and(|ppdu| ppdu.has_subframe(frame, heard))
    }

    /// True when an ACK or BlockAck comes in time.
    pub(super) fn awaits(&self, frame: &Frame, heard: &Heard) -> bool {
        let is_block_ack = frame.kind == FrameKind::BlockAck;
        heard.at_ns <= if is_block_ack { self.block_ack_by_ns } else { self.deadline_ns }
    }

    /// True when nothing that comes at `now_ns` or later can belong here. Stamps within an exchange may
    /// be out of order, but not by more than a frame.
    pub(super) fn is_over(&self, now_ns: i64) -> bool {
        now_ns > self.block_ack_by_ns || now_ns < self.at_ns.saturating_sub(LEGACY_PPDU_MAX_NS as i64)
    }

    /// Completes the row, but for its number and attempt.
    pub(super) fn finish(&mut self) {
        let row = &mut self.row;
        row.end_ns = row.end_ns.max(row.data_ns);
        row.start_ns = earliest(row.start_ns, row.data_start_ns);
        row.idle_before_us = self.access.idle_us;
        if self.opened_by_sender && (row.observer.is_none() || row.observer == row.sender) {
            row.backoff_us = self.access.backoff_us;
        }
    }

    fn describe_data(&mut self, frame: &Frame, heard: &Heard) {
        let row = &mut self.row;
        self.opened_by_sender |= row.kind != ExchangeKind::Rts;
        row.heard_data = true;
        row.data_kind = Some(frame.kind);
        row.data_start_ns = heard.start_ns;
        row.phy = frame.phy;
        row.preamble = frame.preamble;
        row.rate_mbps = frame.rate_mbps;
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

    /// Times the last PPDU from all of its subframes.
    fn time_data(&mut self) {
        let Some(ppdu) = &self.ppdu else { return };
        let (start_ns, end_ns) = ppdu.times_ns();
        self.row.data_ns = end_ns;
        self.row.data_start_ns = earliest(self.row.data_start_ns, start_ns);
        self.row.data_airtime_us = total(self.earlier_us, ppdu.airtime_us());
        self.until_ns = self.until_ns.max(end_ns.unwrap_or(self.until_ns));
    }

    fn await_answer(&mut self, frame: &Frame, heard: &Heard) {
        let data_end = Heard { until_ns: heard.until_ns.max(self.row.data_ns.unwrap_or(heard.until_ns)), ..*heard };
        let protected = self.block_ack_by_ns;
        self.await_until(data_end.response_by_ns(frame));
        if frame.ampdu_ref.is_some() || may_be_subframe(frame) {
            // The last subframes may have been lost on the way to this observer.
            let longest = heard.at_ns.saturating_add(PPDU_MAX_NS as i64);
            self.block_ack_by_ns = self.block_ack_by_ns.max(longest).max(protected);
        }
    }

    fn await_until(&mut self, deadline_ns: i64) {
        self.deadline_ns = deadline_ns;
        self.block_ack_by_ns = deadline_ns;
    }

    /// True when a frame came one SIFS after the data.
    pub(super) fn ends_right_before(&self, frame: &Frame, heard: &Heard) -> bool {
        self.row.data_ns.is_some_and(|end_ns| heard.continues(frame, end_ns))
    }

    fn cover(&mut self, heard: &Heard) {
        self.row.start_ns = earliest(self.row.start_ns, heard.start_ns);
        // A frame of unknown airtime extends what is known by its start.
        self.row.end_ns = self.row.end_ns.map(|end| end.max(heard.until_ns)).or(heard.end_ns);
        self.until_ns = self.until_ns.max(heard.until_ns);
    }

    /// Airtime of data that was not heard, or whose own is unknown, from the Duration field of what
    /// protected it: the CTS's covers SIFS, data, SIFS and answer, the RTS's a SIFS and the CTS besides
    /// (9.2.5). `None` where the field does not end with the answer: it protected something else.
    fn protected_data_us(&self, answer: &Frame) -> Option<f64> {
        let answer_us = answer.airtime_us?;
        let (nav_us, from_ns, clearing_us) = match (self.row.nav_cts_us, self.row.nav_rts_us) {
            (Some(nav), _) => (nav, self.row.cts_ns, 0.0),
            (None, Some(nav)) => (nav, self.row.rts_ns, sifs_us(answer) + airtime::ppdu_us(answer, CTS_BYTES)?),
            (None, None) => return None,
        };
        if let (Some(from), Some(answered)) = (from_ns, self.row.ack_ns) {
            let protected_until = from.saturating_add(i64::from(nav_us) * 1000);
            if protected_until.abs_diff(answered) > NAV_TOLERANCE_NS.unsigned_abs() {
                return None;
            }
        }
        let data_us = f64::from(nav_us) - clearing_us - 2.0 * sifs_us(answer) - answer_us;
        (data_us > 0.0).then_some(data_us)
    }
}

/// True for frames that carry nothing for a higher layer or the receiver's management.
fn is_control(kind: FrameKind) -> bool {
    use FrameKind as K;
    matches!(kind, K::BlockAckReq | K::PsPoll | K::Ack | K::BlockAck | K::Trigger | K::Ndpa | K::CfEnd)
        || matches!(kind, K::BeamformingPoll | K::ControlOther | K::Ndp)
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

fn earliest(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
