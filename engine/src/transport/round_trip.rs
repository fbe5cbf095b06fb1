//! Round-trip time and retransmission timeout, RFC 6298.

use crate::units::{nanos, Nanos};

/// Gain of the smoothed round-trip time (RFC 6298, sec. 2.3).
const ALPHA: f64 = 1.0 / 8.0;
/// Gain of its deviation (RFC 6298, sec. 2.3).
const BETA: f64 = 1.0 / 4.0;
/// Deviations that the timeout leaves above the mean (RFC 6298, sec. 2.3).
const DEVIATIONS: f64 = 4.0;

/// The estimator and its timeout.
#[derive(Clone, Debug)]
pub struct RoundTrip {
    least_timeout: Nanos,
    most_timeout: Nanos,
    granularity_s: f64,
    smoothed_s: Option<f64>,
    deviation_s: f64,
    last_s: Option<f64>,
    least_s: Option<f64>,
    timeout: Nanos,
    /// How often the timer fired since a sample ended the back-off.
    doublings: u32,
}

impl RoundTrip {
    /// `initial`, `least` and `most` are timeouts; `granularity` is G, the clock's.
    #[must_use]
    pub fn new(initial: Nanos, least: Nanos, most: Nanos, granularity: Nanos) -> Self {
        let most_timeout = most.max(least).max(1);
        Self {
            least_timeout: least.max(1),
            most_timeout,
            granularity_s: crate::units::seconds(granularity),
            smoothed_s: None,
            deviation_s: 0.0,
            last_s: None,
            least_s: None,
            timeout: initial.clamp(least.max(1), most_timeout),
            doublings: 0,
        }
    }

    /// A sample that Karn's rule allows, seconds. It ends the back-off.
    pub fn sample(&mut self, rtt_s: f64) {
        self.sample_of_syn(rtt_s);
        self.least_s = Some(self.least_s.map_or(rtt_s, |least| least.min(rtt_s)));
    }

    /// A sample of a segment that was sent again, as a time stamp gives it (RFC 7323), seconds. The back-off goes on.
    pub fn sample_of_retransmission(&mut self, rtt_s: f64) {
        let doublings = self.doublings;
        self.sample(rtt_s);
        (0..doublings).for_each(|_| self.back_off());
    }

    /// A sample of a SYN, seconds: its 40 octets are faster than any data segment, so that it says nothing of the least
    /// round-trip time of data.
    pub fn sample_of_syn(&mut self, rtt_s: f64) {
        let smoothed = match self.smoothed_s {
            None => {
                self.deviation_s = rtt_s / 2.0;
                rtt_s
            }
            Some(smoothed) => {
                self.deviation_s += BETA * ((smoothed - rtt_s).abs() - self.deviation_s);
                smoothed + ALPHA * (rtt_s - smoothed)
            }
        };
        self.smoothed_s = Some(smoothed);
        self.last_s = Some(rtt_s);
        let span = nanos(smoothed + (DEVIATIONS * self.deviation_s).max(self.granularity_s));
        self.timeout = span.clamp(self.least_timeout, self.most_timeout);
        self.doublings = 0;
    }

    /// The timer fired: the next wait is twice as long (RFC 6298, sec. 5.5).
    pub fn back_off(&mut self) {
        self.doublings += u32::from(self.timeout < self.most_timeout);
        self.timeout = self.timeout.saturating_mul(2).min(self.most_timeout);
    }

    /// Retransmission timeout, back-off included.
    #[must_use]
    pub fn timeout(&self) -> Nanos {
        self.timeout
    }

    /// SRTT, seconds.
    #[must_use]
    pub fn smoothed_s(&self) -> Option<f64> {
        self.smoothed_s
    }

    /// Last sample, seconds.
    #[must_use]
    pub fn last_s(&self) -> Option<f64> {
        self.last_s
    }

    /// Least sample, those of SYNs left out, seconds.
    #[must_use]
    pub fn least_s(&self) -> Option<f64> {
        self.least_s
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{seconds, MILLISECOND, SECOND};

    fn timeouts(least: Nanos, most: Nanos) -> Vec<(f64, f64, f64)> {
        let mut round_trip = RoundTrip::new(SECOND, least, most, 10 * MILLISECOND);
        [0.2, 0.3, 0.1]
            .map(|sample| {
                round_trip.sample(sample);
                (round_trip.smoothed_s().unwrap(), round_trip.deviation_s, seconds(round_trip.timeout()))
            })
            .to_vec()
    }

    fn assert_close(found: &[(f64, f64, f64)], expected: &[(f64, f64, f64)]) {
        for (a, b) in found.iter().zip(expected) {
            for (a, b) in [(a.0, b.0), (a.1, b.1), (a.2, b.2)] {
                assert!((a - b).abs() < 1e-6, "{a} is not {b}");
            }
        }
    }

    #[test]
    fn v_tcp3_timeouts_follow_mean_and_deviation() {
        let means = [(0.2, 0.1), (0.2125, 0.1), (0.198_437_5, 0.103_125)];
        let with = |timeouts: [f64; 3]| [0, 1, 2].map(|i: usize| (means[i].0, means[i].1, timeouts[i]));
        assert_close(&timeouts(SECOND, 60 * SECOND), &with([1.0, 1.0, 1.0]));
        assert_close(&timeouts(200 * MILLISECOND, 2 * SECOND), &with([0.6, 0.6125, 0.610_937_5]));
    }

    #[test]
    fn back_off_doubles_up_to_the_limit_and_ends_with_a_sample() {
        let mut round_trip = RoundTrip::new(SECOND, 200 * MILLISECOND, 5 * SECOND, MILLISECOND);
        let waits = [(); 4].map(|()| {
            round_trip.back_off();
            round_trip.timeout()
        });
        assert_eq!(waits, [2 * SECOND, 4 * SECOND, 5 * SECOND, 5 * SECOND]);
        round_trip.sample(0.1);
        assert_eq!(round_trip.timeout(), 300 * MILLISECOND);
    }

    /// From 300 ms on: the back-off stays, of whatever the timeout is now.
    #[test]
    fn a_retransmission_gives_a_round_trip_time_and_ends_no_back_off() {
        let mut round_trip = RoundTrip::new(SECOND, 200 * MILLISECOND, 5 * SECOND, MILLISECOND);
        round_trip.sample(0.1);
        (0..2).for_each(|_| round_trip.back_off());
        round_trip.sample_of_retransmission(0.1);
        assert_eq!((round_trip.timeout(), round_trip.last_s()), (1000 * MILLISECOND, Some(0.1)));
        (0..9).for_each(|_| round_trip.back_off());
        round_trip.sample_of_retransmission(0.1);
        assert_eq!(round_trip.timeout(), 5 * SECOND);
        round_trip.sample(0.1);
        round_trip.sample_of_retransmission(0.1);
        assert!(round_trip.timeout() < 300 * MILLISECOND, "no back-off is left");
    }

    #[test]
    fn a_syn_gives_a_timeout_and_no_least_round_trip_time() {
        let mut round_trip = RoundTrip::new(SECOND, 200 * MILLISECOND, 5 * SECOND, MILLISECOND);
        round_trip.sample_of_syn(0.1);
        assert_eq!(
            (round_trip.timeout(), round_trip.last_s(), round_trip.least_s()),
            (300 * MILLISECOND, Some(0.1), None)
        );
        round_trip.sample(0.12);
        assert_eq!(round_trip.least_s(), Some(0.12));
    }

    #[test]
    fn limits_that_contradict_each_other_still_give_a_timeout() {
        let mut round_trip = RoundTrip::new(0, 3 * SECOND, SECOND, 0);
        round_trip.sample(0.0);
        assert_eq!(round_trip.timeout(), 3 * SECOND);
    }
}
