//! HyStart: slow start ends before it loses (Ha, Rhee, "Taming the elephants: New TCP slow start", 2011), as in Linux.

use serde::{Deserialize, Serialize};

use crate::units::{nanos, seconds, Nanos};

/// Smallest window that is looked at, segments.
const MIN_SEGMENTS: f64 = 16.0;
/// Acknowledgements that follow one another within this time are a train.
const TRAIN_GAP_S: f64 = 0.002;
/// Round-trip times at the beginning of a round of which the least counts.
const SAMPLES: u32 = 8;
/// A round trip is longer by at least so much where a queue has begun.
const MIN_RISE_S: f64 = 0.004;

/// What ends slow start besides losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HyStart {
    /// Nothing.
    None,
    /// A train of acknowledgements as long as half the least round-trip time, or round trips longer by an eighth.
    Linux,
    /// A train as long as the least round-trip time, or round trips twice as long, all of smoothed values (ns-3 3.37).
    Ns3,
}

impl HyStart {
    fn train_s(self, least_s: f64) -> f64 {
        if self == HyStart::Linux {
            least_s / 2.0
        } else {
            least_s
        }
    }

    fn rise_s(self, least_s: f64) -> f64 {
        match self {
            HyStart::Linux => (least_s / 8.0).clamp(MIN_RISE_S, 0.016),
            _ => least_s.clamp(MIN_RISE_S, 1.0),
        }
    }
}

/// One round trip of slow start.
#[derive(Clone, Copy, Debug, Default)]
pub struct Round {
    began: Nanos,
    last_ack: Nanos,
    /// The round ends once this segment is acknowledged.
    end: u64,
    least_s: Option<f64>,
    samples: u32,
}

impl Round {
    /// Whether slow start is over: `rtt_s` was measured by the acknowledgement of `segment`, `next` is the next new
    /// segment, `window` has so many segments, and `least_s` is the least round-trip time of the connection.
    pub fn is_last(
        &mut self,
        kind: HyStart,
        now: Nanos,
        (segment, next): (u64, u64),
        (rtt_s, least_s): (f64, f64),
        window: f64,
    ) -> bool {
        if kind == HyStart::None {
            return false;
        }
        if segment >= self.end {
            *self = Round { began: now, last_ack: now, end: next, least_s: None, samples: 0 };
        }
        if window < MIN_SEGMENTS {
            return false;
        }
        if now.saturating_sub(self.last_ack) <= nanos(TRAIN_GAP_S) {
            self.last_ack = now;
            if seconds(now.saturating_sub(self.began)) > kind.train_s(least_s) {
                return true;
            }
        }
        if self.samples < SAMPLES {
            self.samples += 1;
            self.least_s = Some(self.least_s.map_or(rtt_s, |least| least.min(rtt_s)));
            return false;
        }
        self.least_s.is_some_and(|least| least > least_s + kind.rise_s(least_s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::MILLISECOND;

    /// Acknowledgements `gap_ms` apart in one round, each with this round-trip time; the least one is 40 ms.
    fn ends_after(kind: HyStart, gap_ms: u64, rtt_s: f64) -> Option<u64> {
        let mut round = Round::default();
        (0..60).find(|&ack| round.is_last(kind, ack * gap_ms * MILLISECOND, (ack, 100), (rtt_s, 0.04), 20.0))
    }

    #[test]
    fn a_long_train_of_acknowledgements_ends_slow_start() {
        assert_eq!(ends_after(HyStart::Linux, 1, 0.04), Some(21));
        assert_eq!(ends_after(HyStart::Ns3, 1, 0.04), Some(41));
        assert_eq!(ends_after(HyStart::None, 1, 0.04), None);
        assert_eq!(ends_after(HyStart::Linux, 3, 0.04), None, "no train");
    }

    #[test]
    fn round_trips_that_grow_end_it_after_eight_samples() {
        assert_eq!(ends_after(HyStart::Linux, 3, 0.046), Some(8));
        assert_eq!(ends_after(HyStart::Linux, 3, 0.044), None);
        assert_eq!(ends_after(HyStart::Ns3, 3, 0.046), None);
        assert_eq!(ends_after(HyStart::Ns3, 3, 0.081), Some(8));
    }

    #[test]
    fn small_windows_are_left_alone() {
        let mut round = Round::default();
        assert!((0..60).all(|ack| !round.is_last(HyStart::Linux, ack, (ack, 100), (1.0, 0.04), 15.0)));
    }
}
