//! Room in the window for acknowledgements that come in bursts (Linux since 5.1, ns-3).

use serde::{Deserialize, Serialize};

use crate::units::{seconds, Nanos};

/// Rounds after which the older of two largest bursts is forgotten.
const ROUNDS: u32 = 5;
/// A burst makes room for what the path delivers in this time, at most.
const MAX_S: f64 = 0.1;
/// An epoch ends after so many segments (Linux).
const EPOCH_SEGMENTS: f64 = 1_048_576.0;
/// An epoch ends after so many bytes (ns-3).
const EPOCH_BYTES: f64 = 4096.0;

/// How bursts are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AckAggregation {
    /// They are not (the draft).
    None,
    /// By what is acknowledged beyond the rate since acknowledgements last kept to it (Linux).
    Linux,
    /// The same, but time counts in whole seconds, and an epoch has 4096 bytes at most (ns-3 3.37): what makes room are
    /// nearly always these bytes.
    WholeSeconds,
}

/// The bursts of a path.
#[derive(Clone, Debug)]
pub struct Bursts {
    kind: AckAggregation,
    /// The largest of the current rounds and of those before, bytes.
    largest: [f64; 2],
    current: usize,
    rounds: u32,
    epoch_began: Nanos,
    acked_in_epoch: f64,
    epoch_bytes: f64,
}

impl Bursts {
    /// None seen yet; `segment`: bytes.
    #[must_use]
    pub fn new(kind: AckAggregation, segment: f64) -> Self {
        let epoch_bytes = if kind == AckAggregation::Linux { EPOCH_SEGMENTS * segment } else { EPOCH_BYTES };
        Self { kind, largest: [0.0; 2], current: 0, rounds: 0, epoch_began: 0, acked_in_epoch: 0.0, epoch_bytes }
    }

    /// `acked` bytes were acknowledged; `rate`: bytes/s that the path delivers; `began`: this begins a round.
    pub fn on_ack(&mut self, now: Nanos, acked: f64, rate: f64, window: f64, began: bool) {
        if self.kind == AckAggregation::None {
            return;
        }
        if began {
            self.rounds += 1;
            if self.rounds >= ROUNDS {
                self.rounds = 0;
                self.current = 1 - self.current;
                self.largest[self.current] = 0.0;
            }
        }
        let age_s = seconds(now.saturating_sub(self.epoch_began));
        let mut expected = rate * if self.kind == AckAggregation::WholeSeconds { age_s.floor() } else { age_s };
        if self.acked_in_epoch <= expected || self.acked_in_epoch + acked >= self.epoch_bytes {
            (self.acked_in_epoch, self.epoch_began, expected) = (0.0, now, 0.0);
        }
        self.acked_in_epoch += acked;
        let burst = (self.acked_in_epoch - expected).min(window);
        self.largest[self.current] = self.largest[self.current].max(burst);
    }

    /// Bytes that the window is larger by; `rate`: bytes/s.
    #[must_use]
    pub fn room(&self, rate: f64) -> f64 {
        self.largest[0].max(self.largest[1]).min(rate * MAX_S)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::MILLISECOND;

    /// Ten segments at once every 10 ms, of a path of 1 MB/s.
    fn after_bursts(kind: AckAggregation) -> f64 {
        let mut bursts = Bursts::new(kind, 1000.0);
        for burst in 1..20 {
            (0..10).for_each(|_| bursts.on_ack(burst * 10 * MILLISECOND, 1000.0, 1e6, 50_000.0, false));
        }
        bursts.room(1e6)
    }

    #[test]
    fn room_for_a_burst() {
        assert_eq!(after_bursts(AckAggregation::None), 0.0);
        assert_eq!(after_bursts(AckAggregation::Linux), 10_000.0);
        assert_eq!(after_bursts(AckAggregation::WholeSeconds), 4000.0);
    }

    #[test]
    fn a_burst_is_forgotten_after_ten_rounds() {
        let mut bursts = Bursts::new(AckAggregation::Linux, 1000.0);
        bursts.on_ack(MILLISECOND, 10_000.0, 1e6, 50_000.0, false);
        let left: Vec<f64> = (1..=10)
            .map(|round| {
                bursts.on_ack((1 + 10 * round) * MILLISECOND, 1000.0, 1e6, 50_000.0, true);
                bursts.room(1e6)
            })
            .collect();
        assert!(left[..9].iter().all(|&room| room == 10_000.0), "{left:?}");
        assert_eq!(left[9], 1000.0);
    }

    #[test]
    fn a_burst_makes_room_for_a_tenth_of_a_second() {
        let mut bursts = Bursts::new(AckAggregation::Linux, 1000.0);
        bursts.on_ack(MILLISECOND, 40_000.0, 1e6, 50_000.0, false);
        assert_eq!(bursts.room(1e5), 10_000.0);
    }
}
