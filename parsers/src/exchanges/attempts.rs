//! Attempt number of an exchange for its MSDU.

use crate::exchanges::cache::Cache;
use crate::exchanges::open::is_control;
use crate::exchanges::{Exchange, ExchangeKind};
use crate::frame::{Addr, FrameKind};
use crate::ieee80211::constants::SHORT_RETRY_LIMIT;

/// Maximum number of links tracked at a time.
const LINKS: usize = 65_536;

/// An observer, with the transmitter and receiver of the link; of control frames, such as BlockAckReqs, apart.
type Link = (Option<Addr>, Addr, Addr, bool);

/// State of the MSDU at the head of a link.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// Number of the last attempt with data on the air, and whether it was answered.
    data_attempt: u32,
    answered: bool,
    seq: Option<u32>,
    tid: Option<u8>,
    /// Fragment number, because attempts are counted per fragment of an MSDU.
    frag: Option<u8>,
    /// Simulator's packet number.
    packet_uid: Option<u64>,
    /// Number of failed RTS since that attempt.
    failed_rts: u32,
}

/// Counts attempts on every directed link.
///
/// The Retry bit shows that a frame is not a first attempt. A failed RTS is also an attempt, but it does not
/// set the Retry bit. Traces of simulators have no Retry bit, but number packets; an unnumbered one after an
/// unanswered unnumbered one is taken for the same. Attempts that were not received are not counted. Where no data
/// is heard to tell one MSDU from the next, an RTS after as many unanswered attempts as an MSDU has begins another.
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
    /// Sets the `attempt` of a finished row. `is_retry` and `frag` are the Retry bit and the fragment number
    /// of its first data frame.
    pub(super) fn number(&mut self, row: &mut Exchange, is_retry: bool, frag: Option<u8>) {
        let (Some(sender), Some(receiver)) = (row.sender, row.receiver) else { return };
        let is_call = matches!(row.data_kind, Some(FrameKind::Trigger | FrameKind::Ndpa | FrameKind::BeamformingPoll));
        if is_call || receiver.is_group() || matches!(row.kind, ExchangeKind::Broadcast | ExchangeKind::Unknown) {
            return;
        }
        let is_control = row.data_kind.is_some_and(is_control);
        row.attempt = self.links.entry((row.observer, sender, receiver, is_control)).next(row, is_retry, frag);
    }
}

impl Progress {
    fn next(&mut self, row: &Exchange, is_retry: bool, frag: Option<u8>) -> u32 {
        let unanswered = if self.answered { 0 } else { self.data_attempt };
        if !row.heard_data && unanswered.saturating_add(self.failed_rts) >= SHORT_RETRY_LIMIT {
            *self = Progress::default();
            return self.next(row, is_retry, frag);
        }
        if row.kind == ExchangeKind::RtsFailed {
            self.failed_rts = self.failed_rts.saturating_add(1);
            return unanswered.saturating_add(self.failed_rts);
        }
        // ns-2 gives no data frame a sequence number, and numbers no packets of some routing protocols.
        let is_unnumbered = row.seq.is_none() && row.data_kind == Some(FrameKind::Data);
        let is_simulated = row.packet_uid.is_some() || is_unnumbered;
        let is_same_packet = !self.answered && is_simulated && row.packet_uid == self.packet_uid;
        let is_retry = is_retry || (is_same_packet && self.data_attempt > 0);
        let is_numbered = row.seq.is_some() && self.seq.is_some();
        let same_msdu = !is_numbered || (row.seq, row.tid, frag) == (self.seq, self.tid, self.frag);
        let earlier = match (row.heard_data, is_retry) {
            (true, true) if same_msdu => self.data_attempt.saturating_add(self.failed_rts).max(1),
            (true, true) => self.failed_rts.max(1),
            (true, false) => self.failed_rts,
            (false, _) => unanswered.saturating_add(self.failed_rts),
        };
        let seq = if row.heard_data { row.seq } else { self.seq };
        let tid = if row.heard_data { row.tid } else { self.tid };
        let frag = if row.heard_data { frag } else { self.frag };
        let packet_uid = if row.heard_data { row.packet_uid } else { self.packet_uid };
        let attempt = earlier.saturating_add(1);
        *self = Progress { data_attempt: attempt, answered: row.complete, seq, tid, frag, packet_uid, failed_rts: 0 };
        attempt
    }
}
