//! Queueing and service times of packets at each node of a simulation.

use crate::exchanges::cache::Cache;
use crate::exchanges::{Exchange, ExchangeKind};
use crate::frame::{Addr, Direction, Frame, Layer};

/// Maximum number of packets tracked between entering a queue and leaving the node.
const PACKETS: usize = 65_536;

/// Times at which packets entered the queues, by node and packet number.
#[derive(Clone, Debug)]
pub(super) struct Arrivals {
    enqueued_ns: Cache<(Addr, u64), i64>,
}

impl Default for Arrivals {
    fn default() -> Arrivals {
        Arrivals { enqueued_ns: Cache::new(PACKETS) }
    }
}

impl Arrivals {
    /// Records a packet that the routing agent sent down, or that entered the interface queue.
    pub(super) fn note(&mut self, node: Addr, frame: &Frame) {
        let enters = matches!(
            (frame.layer, frame.direction),
            (Layer::Router, Some(Direction::Tx)) | (Layer::Queue, Some(Direction::Enqueue))
        );
        if let (true, Some(uid)) = (enters, frame.packet_uid) {
            *self.enqueued_ns.entry((node, uid)) = frame.ts_ns;
        }
    }
}

/// The head of one node's interface queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HeadOfLine {
    /// Packet in service, with the time at which it entered the queue and the time at which it reached the
    /// head.
    packet: Option<(u64, i64, i64)>,
    /// Time since which the MAC has been free for the next packet.
    free_ns: Option<i64>,
}

impl HeadOfLine {
    /// Records that the node's MAC dropped a packet (`RET`: the retry limit), which frees the MAC.
    pub(super) fn note_drop(&mut self, frame: &Frame) {
        let gave_up = frame.drop_reason.is_some_and(|reason| reason.as_str() == "RET");
        if gave_up && frame.layer == Layer::Mac && frame.direction == Some(Direction::Drop) {
            self.free_ns = self.free_ns.max(Some(frame.ts_ns));
        }
    }

    /// Sets `queue_ns` and `access_ns` of a row that the node sent, as far as the trace contains them.
    ///
    /// A packet reaches the head of the queue when it enters the queue of an idle MAC, or when the previous
    /// packet is done. All attempts of a packet share that instant, so `access_ns` of the last attempt is the
    /// whole service time.
    pub(super) fn measure(&mut self, node: Addr, row: &mut Exchange, arrivals: &mut Arrivals) {
        if row.sender != Some(node) || row.kind == ExchangeKind::RtsFailed {
            return;
        }
        // Address resolution, control frames and some routing protocols have no packet numbers.
        if let (Some(uid), true) = (row.packet_uid, row.network.is_some()) {
            if self.packet.is_none_or(|(in_service, _, _)| in_service != uid) {
                let enqueued = arrivals.enqueued_ns.get((node, uid));
                self.packet = enqueued.map(|at| (uid, at, self.free_ns.map_or(at, |free| free.max(at))));
            }
            if let Some((_, enqueued_ns, head_ns)) = self.packet {
                row.queue_ns = Some(head_ns.saturating_sub(enqueued_ns));
                row.access_ns = row.end_ns.map(|end| end.saturating_sub(head_ns));
            }
        }
        self.free_ns = self.free_ns.max(row.end_ns);
    }
}
