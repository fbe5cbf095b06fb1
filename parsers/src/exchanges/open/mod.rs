//! An open exchange: its row, and the state that decides whether a further frame belongs to it.

mod add;
mod belongs;
mod duration;

pub(super) use belongs::is_control;

use super::exchange::{Exchange, ExchangeKind};
use super::medium::Access;
use super::ppdu::Ppdu;
use super::span::FrameSpan;
use crate::frame::{Addr, Frame};

/// An open row, and the state that decides whether a further frame belongs to it.
#[derive(Clone, Debug)]
pub(in crate::exchanges) struct OpenExchange {
    pub(in crate::exchanges) row: Exchange,
    /// The Retry bit of the first data frame.
    pub(in crate::exchanges) is_retry: bool,
    /// The fragment number of the first data frame.
    pub(in crate::exchanges) frag: Option<u8>,
    /// The CTS that opened it may have been a CTS-to-self.
    pub(in crate::exchanges) may_be_to_self: bool,
    /// Latest instant at which the exchange is known to have occupied the medium.
    pub(in crate::exchanges) until_ns: i64,
    at_ns: i64,
    /// Latest start of the frame that follows an RTS or CTS after one SIFS.
    next_by_ns: i64,
    /// Latest start of a response, and of a BlockAck. A BlockAck may follow subframes that were not received.
    deadline_ns: i64,
    block_ack_by_ns: i64,
    /// Idle time before the first frame, and whether the sender sent that frame.
    access: Access,
    opened_by_sender: bool,
    ppdu: Option<Ppdu>,
    /// When the frame ends behind which the data follows after one SIFS: the CTS, or the one that was not heard.
    cleared_ns: Option<i64>,
    /// Data that was heard damaged, where a handshake cleared the medium for it.
    damaged: Option<Ppdu>,
    /// End of the first frame of others that lies behind the last frame of this exchange.
    passed_ns: Option<i64>,
    /// The data was part of a multi-user PPDU.
    multi_user: bool,
    /// Airtime of the data PPDUs before the last.
    earlier_us: Option<f64>,
}

impl OpenExchange {
    /// A new exchange of `kind` that begins with the frame at `heard`. The frame itself still has to be added.
    pub(in crate::exchanges) fn new(
        observer: Option<Addr>,
        kind: ExchangeKind,
        frame: &Frame,
        span: &FrameSpan,
        access: Access,
    ) -> OpenExchange {
        OpenExchange {
            row: Exchange { channel_mhz: frame.channel_mhz, ..Exchange::new(observer, kind) },
            is_retry: false,
            frag: None,
            may_be_to_self: false,
            until_ns: span.until_ns,
            at_ns: span.at_ns,
            next_by_ns: span.at_ns,
            deadline_ns: span.at_ns,
            block_ack_by_ns: span.at_ns,
            access,
            opened_by_sender: false,
            ppdu: None,
            cleared_ns: None,
            damaged: None,
            passed_ns: None,
            multi_user: false,
            earlier_us: Some(0.0),
        }
    }

    /// Completes the row except for its number and attempt.
    pub(in crate::exchanges) fn finish(&mut self) {
        let row = &mut self.row;
        row.end_ns = row.end_ns.max(row.data_ns);
        row.start_ns = earliest(row.start_ns, row.data_start_ns);
        row.idle_before_us = self.access.idle_us;
        if self.opened_by_sender && (row.observer.is_none() || row.observer == row.sender) {
            row.backoff_us = self.access.backoff_us;
        }
    }

    pub(super) fn cover(&mut self, span: &FrameSpan) {
        self.row.start_ns = earliest(self.row.start_ns, span.start_ns);
        // If the airtime of a frame is unknown, its start extends the exchange.
        self.row.end_ns = self.row.end_ns.map(|end| end.max(span.until_ns)).or(span.end_ns);
        self.until_ns = self.until_ns.max(span.until_ns);
        self.passed_ns = None;
    }

    pub(super) fn await_until(&mut self, deadline_ns: i64) {
        self.deadline_ns = deadline_ns;
        self.block_ack_by_ns = deadline_ns;
    }
}

fn earliest(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
