//! Loss recovery: fast recovery with selective acknowledgements (RFC 6675) or without (RFC 6582; Reno: RFC 5681), and
//! what follows a timeout (RFC 5681, RFC 6675 sec. 5.1).

use crate::controller::Congestion;
use crate::transport::scoreboard::{Progress, Scoreboard, DUPLICATE_THRESHOLD};
use crate::world::TransportSpec;

/// Duplicates that each allow one new segment before recovery begins (limited transmit, RFC 3042).
const LIMITED_TRANSMIT: u64 = 2;

/// How the losses of a window are repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// All that selective acknowledgements show (RFC 6675).
    Selective,
    /// One a round trip, at every partial acknowledgement (RFC 6582).
    NewReno,
    /// One: the first new acknowledgement ends fast recovery (RFC 5681, sec. 3.2).
    Reno,
}

impl From<&TransportSpec> for Repair {
    fn from(spec: &TransportSpec) -> Self {
        match (spec.sack, spec.partial_acks) {
            (true, _) => Self::Selective,
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
            forced: false,
            partial_acks: 0,
            timeout_flight_bytes: None,
        }
    }

    fn is_selective(&self) -> bool {
        self.repair == Repair::Selective
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

    /// What is added to the endpoint's window, bytes; negative after a large partial acknowledgement.
    #[must_use]
    pub fn inflation_bytes(&self) -> i64 {
        self.inflation
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
                self.close();
                Some(Congestion::FullAck { flight_bytes: board.in_flight() * self.segment_bytes })
            }
            Phase::Fast if self.is_selective() => None,
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
        self.forced = false;
    }

    fn is_past_point(&self, board: &Scoreboard) -> bool {
        self.point.is_none_or(|point| board.unacknowledged() >= point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: &[(u64, u64)] = &[];

    /// Twenty outstanding segments of 1000 bytes after ten that were acknowledged.
    fn twenty(repair: Repair) -> (Recovery, Scoreboard) {
        let mut board = Scoreboard::default();
        for _ in 0..30 {
            board.send_new();
        }
        board.acknowledge(10, NONE);
        (Recovery::new(repair, 1000), board)
    }

    fn ack(recovery: &mut Recovery, board: &mut Scoreboard, cumulative: u64) -> Verdict {
        let duplicate = cumulative == board.unacknowledged();
        let progress = board.acknowledge(cumulative, NONE);
        recovery.on_ack(board, progress, duplicate)
    }

    #[test]
    fn v_tcp2_inflation_follows_rfc_6582() {
        let (mut recovery, mut board) = twenty(Repair::NewReno);
        for _ in 0..2 {
            assert_eq!(ack(&mut recovery, &mut board, 10).event, None);
        }
        assert_eq!(recovery.flight(&board), 18, "limited transmit");
        let third = ack(&mut recovery, &mut board, 10);
        assert_eq!(third.event, Some(Congestion::FastRetransmit { flight_bytes: 20_000 }));
        let window = |recovery: &Recovery| 10_000 + recovery.inflation_bytes();
        assert_eq!((window(&recovery), board.next_lost()), (13_000, Some(10)));
        for _ in 0..2 {
            assert_eq!(ack(&mut recovery, &mut board, 10).event, Some(Congestion::DuplicateAck));
        }
        assert_eq!(window(&recovery), 15_000);
        let partial = ack(&mut recovery, &mut board, 14);
        assert_eq!(partial.event, Some(Congestion::PartialAck { acked_bytes: 4_000 }));
        assert_eq!((window(&recovery), board.next_lost(), partial.restart_timer), (12_000, Some(14), true));
        assert!(!ack(&mut recovery, &mut board, 15).restart_timer, "only the first");
        let full = ack(&mut recovery, &mut board, 30);
        assert_eq!(full.event, Some(Congestion::FullAck { flight_bytes: 0 }));
        assert_eq!((window(&recovery), recovery.repairs()), (10_000, false));
    }

    #[test]
    fn reno_repairs_one_loss_of_a_window() {
        let (mut recovery, mut board) = twenty(Repair::Reno);
        for _ in 0..3 {
            ack(&mut recovery, &mut board, 10);
        }
        assert!(recovery.is_fast());
        board.sent_again(10);
        let first = ack(&mut recovery, &mut board, 14);
        assert!(matches!(first.event, Some(Congestion::FullAck { .. })), "{:?}", first.event);
        assert_eq!((recovery.repairs(), recovery.inflation_bytes(), board.next_lost()), (false, 0, None));
        for _ in 0..9 {
            assert_eq!(ack(&mut recovery, &mut board, 14).event, None, "duplicates up to the point are of this window");
        }
        assert_eq!(recovery.on_timeout(&mut board), Congestion::Timeout { flight_bytes: 16_000 });
    }

    /// As ns-2's does.
    #[test]
    fn reno_transmits_for_two_duplicates_after_a_timeout() {
        for (repair, flights) in [(Repair::Reno, [3, 2, 1, 1]), (Repair::NewReno, [3; 4])] {
            let (mut recovery, mut board) = twenty(repair);
            recovery.on_timeout(&mut board);
            (10..13).for_each(|segment| board.sent_again(segment));
            let found = [(); 4].map(|()| {
                let flight = recovery.flight(&board);
                ack(&mut recovery, &mut board, 10);
                flight
            });
            assert_eq!(found, flights, "{repair:?}");
            ack(&mut recovery, &mut board, 12);
            assert_eq!(recovery.flight(&board), 1);
        }
    }

    #[test]
    fn repeated_timeouts_report_the_flight_of_the_first() {
        let (mut recovery, mut board) = twenty(Repair::Selective);
        for _ in 0..3 {
            assert_eq!(recovery.on_timeout(&mut board), Congestion::Timeout { flight_bytes: 20_000 });
            assert_eq!(board.in_flight(), 0);
            board.sent_again(10);
        }
        ack(&mut recovery, &mut board, 12);
        board.sent_again(12);
        assert_eq!(recovery.on_timeout(&mut board), Congestion::Timeout { flight_bytes: 1_000 });
    }

    /// Duplicates let new segments out while the cumulative number stands still: none of them makes the flight larger.
    #[test]
    fn a_timeout_in_recovery_reports_what_is_in_the_network() {
        let (mut recovery, mut board) = twenty(Repair::NewReno);
        for _ in 0..19 {
            ack(&mut recovery, &mut board, 10);
        }
        // The window is 10 segments and 19 of inflation.
        for _ in 0..9 {
            board.send_new();
        }
        assert_eq!((board.outstanding(), recovery.inflation_bytes()), (29, 19_000));
        assert_eq!(recovery.on_timeout(&mut board), Congestion::Timeout { flight_bytes: 10_000 });
    }

    /// A retransmission that is lost too holds the cumulative number while new segments leave (RFC 6675, pipe).
    #[test]
    fn a_timeout_in_selective_recovery_reports_the_pipe() {
        let (mut recovery, mut board) = twenty(Repair::Selective);
        let progress = board.acknowledge(10, &[(11, 30)]);
        recovery.on_ack(&mut board, progress, true);
        board.sent_again(10);
        for _ in 0..100 {
            let segment = board.send_new();
            let progress = board.acknowledge(10, &[(11, segment)]);
            recovery.on_ack(&mut board, progress, true);
        }
        assert_eq!((board.outstanding(), board.in_flight()), (120, 2));
        assert_eq!(recovery.on_timeout(&mut board), Congestion::Timeout { flight_bytes: 2_000 });
    }

    /// What was lost before a timeout is not in the network after it.
    #[test]
    fn a_timeout_after_a_timeout_reports_what_was_sent_since() {
        let (mut recovery, mut board) = twenty(Repair::NewReno);
        recovery.on_timeout(&mut board);
        board.sent_again(10);
        ack(&mut recovery, &mut board, 11);
        board.sent_again(11);
        board.sent_again(12);
        assert_eq!(recovery.on_timeout(&mut board), Congestion::Timeout { flight_bytes: 2_000 });
    }

    #[test]
    fn duplicates_of_what_was_sent_twice_start_nothing() {
        let (mut recovery, mut board) = twenty(Repair::NewReno);
        recovery.on_timeout(&mut board);
        ack(&mut recovery, &mut board, 30);
        board.send_new();
        for _ in 0..5 {
            assert_eq!(ack(&mut recovery, &mut board, 30).event, None);
        }
    }

    #[test]
    fn selective_recovery_begins_once_per_window() {
        let (mut recovery, mut board) = twenty(Repair::Selective);
        let mut events = vec![];
        for to in 12..=20 {
            let progress = board.acknowledge(10, &[(11, to)]);
            events.extend(recovery.on_ack(&mut board, progress, true).event);
        }
        assert_eq!(events, [Congestion::FastRetransmit { flight_bytes: 20_000 }]);
        assert_eq!(recovery.flight(&board), 10, "20 to 29; 10 is lost and not yet sent again");
    }
}
