//! Loss recovery: fast recovery with selective acknowledgements (RFC 6675) or without (RFC 6582; Reno: RFC 5681), and
//! what follows a timeout (RFC 5681, RFC 6675 sec. 5.1).

use crate::controller::Congestion;
use crate::transport::proportional::{Delivery, Proportional};
use crate::transport::scoreboard::{Progress, Scoreboard, DUPLICATE_THRESHOLD};
use crate::world::{TransportSpec, WindowReduction};

/// Duplicates that each allow one new segment before recovery begins (limited transmit, RFC 3042).
const LIMITED_TRANSMIT: u64 = 2;

/// How the losses of a window are repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// All that selective acknowledgements show (RFC 6675).
    Selective,
    /// Likewise, while the window goes down in proportion to what arrives (RFC 6937).
    Proportional {
        /// As ns-3.37 computes it, in 32 bits.
        wraps: bool,
    },
    /// One a round trip, at every partial acknowledgement (RFC 6582).
    NewReno,
    /// One: the first new acknowledgement ends fast recovery (RFC 5681, sec. 3.2).
    Reno,
}

impl From<&TransportSpec> for Repair {
    fn from(spec: &TransportSpec) -> Self {
        match (spec.sack, spec.partial_acks) {
            (true, _) => match spec.recovery {
                WindowReduction::Rfc6675 => Self::Selective,
                WindowReduction::Prr => Self::Proportional { wraps: false },
                WindowReduction::PrrNs3 => Self::Proportional { wraps: true },
            },
            (false, true) => Self::NewReno,
            (false, false) => Self::Reno,
        }
    }
}

/// Phase of loss recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Nothing is known to be lost.
    Open,
    /// Fast recovery.
    Fast,
    /// Slow start after a timeout, until everything sent before it is acknowledged.
    AfterTimeout,
}

/// The state of repair.
#[derive(Clone, Debug)]
pub struct Recovery {
    repair: Repair,
    segment_bytes: u64,
    phase: Phase,
    /// `next` when the last repair began.
    point: Option<u64>,
    duplicates: u64,
    /// Outstanding segments before the first duplicate.
    flight: u64,
    /// What RFC 6582 adds to the endpoint's window, bytes.
    inflation: i64,
    /// The reduction of this fast recovery, where RFC 6937 is followed.
    reduction: Option<Proportional>,
    /// The next retransmission ignores the window.
    forced: bool,
    partial_acks: u64,
    /// In the network at the first timeout since anything was acknowledged, bytes.
    timeout_flight_bytes: Option<u64>,
}

/// What follows from an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// The event for the endpoint.
    pub event: Option<Congestion>,
    /// Whether the retransmission timer restarts.
    pub restart_timer: bool,
}

impl Recovery {
    /// Nothing is lost yet.
    #[must_use]
    pub fn new(repair: Repair, segment_bytes: u32) -> Self {
        Self {
            repair,
            segment_bytes: u64::from(segment_bytes),
            phase: Phase::Open,
            point: None,
            duplicates: 0,
            flight: 0,
            inflation: 0,
            reduction: None,
            forced: false,
            partial_acks: 0,
            timeout_flight_bytes: None,
        }
    }

    fn is_selective(&self) -> bool {
        matches!(self.repair, Repair::Selective | Repair::Proportional { .. })
    }

    /// Whether this is fast recovery.
    #[must_use]
    pub fn is_fast(&self) -> bool {
        self.phase == Phase::Fast
    }

    /// Whether lost segments are sent again now.
    #[must_use]
    pub fn repairs(&self) -> bool {
        self.phase != Phase::Open
    }

    /// Whether the next repair ignores the window.
    #[must_use]
    pub fn is_forced(&self) -> bool {
        self.forced
    }

    /// What may be in flight, bytes, where the endpoint's window is `window`.
    #[must_use]
    pub fn window_bytes(&self, window: f64) -> f64 {
        // Negative inflation follows a large partial acknowledgement.
        self.reduction.map_or(window + self.inflation as f64, |reduction| reduction.window() as f64)
    }

    /// An acknowledgement was processed, and its event reported to the endpoint, whose slow-start threshold is
    /// `threshold`.
    pub fn reduce(&mut self, board: &Scoreboard, progress: Progress, threshold: Option<f64>) {
        let (Repair::Proportional { wraps }, Some(threshold)) = (self.repair, threshold) else {
            return;
        };
        if !self.is_fast() || progress.newly_arrived == 0 {
            return;
        }
        let outstanding = board.outstanding() * self.segment_bytes;
        let reduction = self.reduction.get_or_insert(Proportional::new(outstanding, threshold as u64, wraps));
        let delivery = Delivery {
            pipe: board.in_flight() * self.segment_bytes,
            delivered: progress.newly_arrived * self.segment_bytes,
            repairs: progress.repaired > 0,
        };
        reduction.on_ack(delivery, self.segment_bytes);
    }

    /// A segment left.
    pub fn sent(&mut self) {
        if let Some(reduction) = &mut self.reduction {
            reduction.on_sent(self.segment_bytes);
        }
    }

    /// Segments that count against the window.
    #[must_use]
    pub fn flight(&self, board: &Scoreboard) -> u64 {
        match self.phase {
            _ if self.is_selective() => board.in_flight(),
            Phase::Open => board.outstanding().saturating_sub(self.limited()),
            Phase::Fast => board.outstanding(),
            // ns-2's Reno transmits for the first duplicates then, too.
            Phase::AfterTimeout if self.repair == Repair::Reno => board.in_flight().saturating_sub(self.limited()),
            Phase::AfterTimeout => board.in_flight(),
        }
    }

    /// Segments that duplicates let out beyond the window.
    fn limited(&self) -> u64 {
        self.duplicates.min(LIMITED_TRANSMIT)
    }

    /// A lost segment was sent again.
    pub fn repaired(&mut self) {
        self.forced = false;
    }

    /// The scoreboard processed an acknowledgement; `duplicate`: it repeated the cumulative number while data was outstanding.
    pub fn on_ack(&mut self, board: &mut Scoreboard, progress: Progress, duplicate: bool) -> Verdict {
        let advanced = progress.advanced > 0;
        if advanced {
            self.timeout_flight_bytes = None;
        }
        let mut restart_timer = advanced;
        let event = match self.phase {
            Phase::Open => self.while_open(board, progress, duplicate),
            Phase::Fast if advanced && (self.is_past_point(board) || self.repair == Repair::Reno) => {
                // What RFC 6937 has let out is no burst: the window goes on with the threshold.
                let goes_on = self.reduction.map_or(0, |reduction| reduction.threshold());
                self.close();
                Some(Congestion::FullAck { flight_bytes: goes_on.max(board.in_flight() * self.segment_bytes) })
            }
            Phase::Fast if self.is_selective() => {
                if advanced && self.repair == (Repair::Proportional { wraps: true }) {
                    self.partial_acks += 1;
                    // As in RFC 6582 below, which ns-3 follows with selective acknowledgements too.
                    restart_timer = self.partial_acks == 1;
                }
                None
            }
            Phase::Fast if advanced => {
                self.partial_acks += 1;
                // RFC 6582 sec. 3.2 step 3: only the first one, so that a window full of losses ends in a timeout.
                restart_timer = self.partial_acks == 1;
                Some(self.on_partial_ack(board, progress.advanced * self.segment_bytes))
            }
            Phase::Fast => duplicate.then(|| {
                self.inflation += self.segment_bytes as i64;
                Congestion::DuplicateAck
            }),
            Phase::AfterTimeout => {
                self.duplicates = if advanced { 0 } else { self.duplicates + u64::from(duplicate) };
                if self.is_past_point(board) {
                    self.close();
                }
                None
            }
        };
        Verdict { event, restart_timer }
    }

    /// The retransmission timer fired.
    pub fn on_timeout(&mut self, board: &mut Scoreboard) -> Congestion {
        let flight_bytes = *self.timeout_flight_bytes.get_or_insert(self.network_bytes(board));
        self.close();
        self.phase = Phase::AfterTimeout;
        self.point = Some(board.next());
        self.forced = true;
        board.lose_all();
        Congestion::Timeout { flight_bytes }
    }

    /// FlightSize of RFC 5681, eq. 4: "the amount of outstanding data in the network".
    ///
    /// During recovery the cumulative number stands still while new segments leave, so that what is outstanding grows
    /// far beyond what is under way. With selective acknowledgements it is the pipe of RFC 6675. Without, what RFC 6582
    /// adds to the window for duplicates is taken off again; and after a timeout nothing is under way but what was sent
    /// since.
    fn network_bytes(&self, board: &Scoreboard) -> u64 {
        let flight = match self.phase {
            Phase::Open | Phase::Fast if !self.is_selective() => board.outstanding(),
            _ => board.in_flight(),
        };
        let left_bytes = match self.phase {
            Phase::Fast if !self.is_selective() => self.inflation.max(0) as u64,
            _ => 0,
        };
        (flight * self.segment_bytes).saturating_sub(left_bytes)
    }

    fn while_open(&mut self, board: &mut Scoreboard, progress: Progress, duplicate: bool) -> Option<Congestion> {
        if progress.advanced > 0 {
            self.duplicates = 0;
        } else if if self.is_selective() { progress.newly_arrived > 0 } else { duplicate } {
            if self.duplicates == 0 {
                self.flight = board.outstanding();
            }
            self.duplicates += 1;
        }
        let lost = match self.is_selective() {
            true => board.first_is_lost() && self.point.is_none_or(|point| board.unacknowledged() >= point),
            // Duplicates up to the point may answer segments that were sent twice (RFC 6582 sec. 3.2 step 2).
            false => {
                self.duplicates == DUPLICATE_THRESHOLD && self.point.is_none_or(|point| board.unacknowledged() > point)
            }
        };
        lost.then(|| self.begin(board))
    }

    fn begin(&mut self, board: &mut Scoreboard) -> Congestion {
        let flight = if self.duplicates > 0 { self.flight } else { board.outstanding() };
        self.phase = Phase::Fast;
        self.point = Some(board.next());
        self.forced = true;
        self.partial_acks = 0;
        if self.is_selective() {
            board.start_repair();
        } else {
            board.lose_first();
            self.inflation = (DUPLICATE_THRESHOLD * self.segment_bytes) as i64;
        }
        Congestion::FastRetransmit { flight_bytes: flight * self.segment_bytes }
    }

    fn on_partial_ack(&mut self, board: &mut Scoreboard, acked_bytes: u64) -> Congestion {
        board.lose_first();
        self.forced = true;
        self.inflation -= acked_bytes as i64;
        if acked_bytes >= self.segment_bytes {
            self.inflation += self.segment_bytes as i64;
        }
        Congestion::PartialAck { acked_bytes }
    }

    fn close(&mut self) {
        self.phase = Phase::Open;
        self.duplicates = 0;
        self.inflation = 0;
        self.reduction = None;
        self.forced = false;
    }

    fn is_past_point(&self, board: &Scoreboard) -> bool {
        self.point.is_none_or(|point| board.unacknowledged() >= point)
    }
}

#[cfg(test)]
mod tests;
