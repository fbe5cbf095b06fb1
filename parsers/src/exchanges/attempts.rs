//! Which attempt at its MSDU an exchange was.

use crate::addr::Addr;
use crate::exchange::{Exchange, ExchangeKind};
use crate::exchanges::cache::Cache;

/// Links remembered at a time.
const LINKS: usize = 65_536;

/// An observer, and the transmitter and receiver it hears.
type Link = (Option<Addr>, Addr, Addr);

/// What is known about the MSDU at the head of a link.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// The last attempt with data on the air, and whether it was answered.
    data_attempt: u32,
    answered: bool,
    seq: Option<u32>,
    tid: Option<u8>,
    /// RTS that failed since.
    failed_rts: u32,
}

/// Counts attempts on every directed link.
///
/// The Retry bit says that a frame is no first attempt; a failed RTS is an attempt that leaves no
/// such trace. Attempts that were not heard are not counted.
#[derive(Clone, Debug)]
pub(super) struct Attempts {
    links: Cache<Link, Progress>,
}

impl Default for Attempts {
    fn default() -> Attempts {
        Attempts { links: Cache::new(LINKS) }
    }
}

impl Attempts {
    /// Sets the `attempt` of a finished row. `is_retry` is the Retry bit of its first data frame.
    pub(super) fn number(&mut self, row: &mut Exchange, is_retry: bool) {
        let (Some(sender), Some(receiver)) = (row.sender, row.receiver) else { return };
        if receiver.is_group() || matches!(row.kind, ExchangeKind::Broadcast | ExchangeKind::Unknown) {
            return;
        }
        row.attempt = self.links.entry((row.observer, sender, receiver)).next(row, is_retry);
    }
}

impl Progress {
    fn next(&mut self, row: &Exchange, is_retry: bool) -> u32 {
        let unanswered = if self.answered { 0 } else { self.data_attempt };
        if row.kind == ExchangeKind::RtsFailed {
            self.failed_rts = self.failed_rts.saturating_add(1);
            return unanswered.saturating_add(self.failed_rts);
        }
        let same_msdu = row.seq.is_none() || self.seq.is_none() || (row.seq, row.tid) == (self.seq, self.tid);
        let earlier = match (row.heard_data, is_retry) {
            (true, true) if same_msdu => self.data_attempt.saturating_add(self.failed_rts).max(1),
            (true, true) => self.failed_rts.max(1),
            (true, false) => self.failed_rts,
            (false, _) => unanswered.saturating_add(self.failed_rts),
        };
        let seq = if row.heard_data { row.seq } else { self.seq };
        let tid = if row.heard_data { row.tid } else { self.tid };
        let attempt = earlier.saturating_add(1);
        *self = Progress { data_attempt: attempt, answered: row.complete, seq, tid, failed_rts: 0 };
        attempt
    }
}
