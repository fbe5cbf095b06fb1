//! The scoreboard of RFC 6675 in segments: which are outstanding, arrived, lost and retransmitted.

use crate::transport::ranges::Ranges;

/// Segments that must have arrived above one before that one counts as lost (RFC 6675, DupThresh).
pub const DUPLICATE_THRESHOLD: u64 = 3;

/// The sender's view of `[0, next)`.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    /// Everything below has been acknowledged.
    unacknowledged: u64,
    /// Next segment that was never sent.
    next: u64,
    /// Segments above that have arrived.
    arrived: Ranges,
    /// Segments below that have not arrived are lost.
    lost_below: u64,
    /// Of the lost, those below have been sent again (HighRxt + 1).
    resent_below: u64,
}

/// What an acknowledgement changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Segments the cumulative number moved by.
    pub advanced: u64,
    /// Segments known to have arrived for the first time.
    pub newly_arrived: u64,
    /// Of these, those that had been sent again and are below the cumulative number now.
    pub repaired: u64,
}

impl Scoreboard {
    /// First segment that is not acknowledged cumulatively.
    #[must_use]
    pub fn unacknowledged(&self) -> u64 {
        self.unacknowledged
    }

    /// Next new segment.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Segments sent and not acknowledged cumulatively: FlightSize of RFC 5681.
    #[must_use]
    pub fn outstanding(&self) -> u64 {
        self.next - self.unacknowledged
    }

    /// Segments on their way: neither arrived nor lost, and the lost ones that were sent again (pipe of RFC 6675).
    #[must_use]
    pub fn in_flight(&self) -> u64 {
        let lost_below = self.lost_below.clamp(self.unacknowledged, self.next);
        let resent_below = self.resent_below.clamp(self.unacknowledged, lost_below);
        self.missing(lost_below, self.next) + self.missing(self.unacknowledged, resent_below)
    }

    /// Whether the first unacknowledged segment is lost by the rule of RFC 6675.
    #[must_use]
    pub fn first_is_lost(&self) -> bool {
        self.lost_below > self.unacknowledged
    }

    /// The lost segment to send again next.
    #[must_use]
    pub fn next_lost(&self) -> Option<u64> {
        let segment = self.arrived.first_gap(self.resent_below.max(self.unacknowledged));
        (segment < self.lost_below.min(self.next)).then_some(segment)
    }

    /// Takes a new segment and returns its number.
    pub fn send_new(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// A lost segment has been sent again.
    pub fn sent_again(&mut self, segment: u64) {
        self.resent_below = self.resent_below.max(segment + 1);
    }

    /// Everything sent so far needs no acknowledgement.
    pub fn forget(&mut self) {
        self.unacknowledged = self.next;
    }

    /// Everything below `cumulative` has arrived, and so have `selective`. Of those that lie below three others that
    /// have not arrived is lost from now on. What was never sent is ignored.
    pub fn acknowledge(&mut self, cumulative: u64, selective: &[(u64, u64)]) -> Progress {
        let mut newly_arrived = 0;
        for &(from, to) in selective {
            newly_arrived += self.arrived.insert(from.max(self.unacknowledged), to.min(self.next));
        }
        let cumulative = cumulative.clamp(self.unacknowledged, self.next);
        newly_arrived += self.missing(self.unacknowledged, cumulative);
        let resent_below = self.resent_below.min(self.lost_below).clamp(self.unacknowledged, cumulative);
        let repaired = self.missing(self.unacknowledged, resent_below);
        let advanced = cumulative - self.unacknowledged;
        self.unacknowledged = cumulative;
        self.arrived.remove_below(cumulative);
        if let Some(third) = self.arrived.nth_highest(DUPLICATE_THRESHOLD) {
            self.lost_below = self.lost_below.max(third);
        }
        Progress { advanced, newly_arrived, repaired }
    }

    /// Repair starts: lost segments count as not yet sent again.
    pub fn start_repair(&mut self) {
        self.resent_below = self.unacknowledged;
    }

    /// The first unacknowledged segment is lost, whatever else arrived.
    pub fn lose_first(&mut self) {
        self.lost_below = self.lost_below.max(self.unacknowledged + 1);
        self.start_repair();
    }

    /// Everything outstanding that has not arrived is lost.
    pub fn lose_all(&mut self) {
        self.lost_below = self.next;
        self.start_repair();
    }

    fn missing(&self, from: u64, to: u64) -> u64 {
        to - from - self.arrived.count(from, to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(segments: u64) -> Scoreboard {
        let mut board = Scoreboard::default();
        for _ in 0..segments {
            board.send_new();
        }
        board
    }

    #[test]
    fn a_segment_is_lost_once_three_above_it_arrived() {
        let mut board = sent(10);
        assert_eq!(board.acknowledge(2, &[(3, 5)]), Progress { advanced: 2, newly_arrived: 4, repaired: 0 });
        assert!(!board.first_is_lost());
        assert_eq!(board.in_flight(), 6);
        assert_eq!(board.acknowledge(2, &[(7, 8), (3, 5)]), Progress { advanced: 0, newly_arrived: 1, repaired: 0 });
        assert_eq!((board.first_is_lost(), board.next_lost()), (true, Some(2)));
        assert_eq!(board.in_flight(), 4, "5, 6, 8 and 9");
    }

    #[test]
    fn only_holes_below_the_third_highest_are_sent_again() {
        let mut board = sent(10);
        board.acknowledge(0, &[(1, 2), (3, 4), (5, 8)]);
        board.start_repair();
        let mut again = vec![];
        while let Some(segment) = board.next_lost() {
            board.sent_again(segment);
            again.push(segment);
        }
        assert_eq!(again, [0, 2, 4]);
        assert_eq!(board.in_flight(), 5, "the three and 8, 9");
        let progress = board.acknowledge(4, &[(5, 8)]);
        assert_eq!(progress, Progress { advanced: 4, newly_arrived: 2, repaired: 2 }, "0 and 2");
    }

    #[test]
    fn after_a_timeout_everything_missing_is_sent_again() {
        let mut board = sent(6);
        board.acknowledge(1, &[(3, 4)]);
        board.lose_all();
        assert_eq!(board.in_flight(), 0);
        for expected in [1, 2, 4, 5] {
            assert_eq!(board.next_lost(), Some(expected));
            board.sent_again(expected);
        }
        assert_eq!((board.next_lost(), board.in_flight()), (None, 4));
        board.acknowledge(5, &[]);
        assert_eq!((board.next_lost(), board.in_flight()), (None, 1));
    }

    #[test]
    fn acknowledgements_of_what_was_never_sent_change_nothing() {
        let mut board = sent(3);
        assert_eq!(board.acknowledge(9, &[(7, 9), (5, 4)]), Progress { advanced: 3, newly_arrived: 3, repaired: 0 });
        assert_eq!((board.unacknowledged(), board.next(), board.in_flight()), (3, 3, 0));
    }
}
