//! Frames that one recording contains twice: as sent and as received.

use crate::frame::{Addr, Direction, Frame, FrameKind};

/// Maximum time between the records of both copies. The sent copy is recorded at the latest when its response
/// has arrived.
const SAME_INSTANT_NS: u64 = 2_000_000;
const REMEMBERED: usize = 8;

/// Fields that are equal in both records of one transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    kind: FrameKind,
    ra: Addr,
    ta: Addr,
    seq: u32,
    frag: u8,
    length: u32,
}

#[derive(Clone, Copy, Debug)]
struct Record {
    identity: Identity,
    is_sent: bool,
    ts_ns: i64,
}

/// Detects the second record of a transmission.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Duplicates {
    sent_seen: bool,
    recent: [Option<Record>; REMEMBERED],
    next: usize,
}

impl Duplicates {
    /// True if the transmission was already recorded in the other direction.
    pub(super) fn is_duplicate(&mut self, frame: &Frame) -> bool {
        let is_sent = frame.direction == Some(Direction::Tx);
        self.sent_seen |= is_sent;
        let Some(identity) = identity(frame) else { return false };
        let record = Record { identity, is_sent, ts_ns: frame.ts_ns };
        if self.sent_seen && self.recent.iter().flatten().any(|earlier| earlier.is_same_transmission(&record)) {
            return true;
        }
        if let Some(slot) = self.recent.get_mut(self.next) {
            *slot = Some(record);
        }
        self.next = (self.next + 1) % REMEMBERED;
        false
    }
}

impl Record {
    fn is_same_transmission(&self, other: &Record) -> bool {
        self.identity == other.identity
            && self.is_sent != other.is_sent
            && self.ts_ns.abs_diff(other.ts_ns) <= SAME_INSTANT_NS
    }
}

/// `None` for frames without a sequence number, because radios do not receive their own control responses.
fn identity(frame: &Frame) -> Option<Identity> {
    if !frame.is_readable() {
        return None;
    }
    Some(Identity {
        kind: frame.kind,
        ra: frame.ra?,
        ta: frame.ta?,
        seq: frame.seq?,
        frag: frame.frag.unwrap_or(0),
        length: frame.length_bytes.unwrap_or(0),
    })
}
