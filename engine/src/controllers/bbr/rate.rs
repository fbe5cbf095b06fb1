//! Delivery-rate samples (draft-cheng-iccrg-delivery-rate-estimation-00) and the filters over them.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::units::{seconds, Nanos};

/// Whose departure ends the time in which a sample was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SentUntil {
    /// That of a segment which is acknowledged: of those that left latest after a delivery, the first (sec. 3.3).
    #[default]
    Acknowledged,
    /// That of the first segment after the same delivery, also where an earlier acknowledgement answered it: what is sent
    /// later counts, its time does not (ns-3).
    FirstSinceDelivery,
}

/// What was known when a segment left.
#[derive(Clone, Copy, Debug)]
struct Sent {
    segment: u64,
    at: Nanos,
    /// Bytes delivered by then, and when the last of them were.
    delivered: u64,
    delivered_at: Nanos,
    /// When the segment left whose delivery was the last one by then.
    first_sent_at: Nanos,
}

/// What an acknowledgement tells of the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Payload bytes per second.
    pub bytes_per_s: f64,
    /// Bytes delivered when the acknowledged segment left.
    pub delivered_before: u64,
}

/// Counts what is delivered, and at which rate.
#[derive(Clone, Debug, Default)]
pub struct DeliveryRate {
    sent: VecDeque<Sent>,
    delivered: u64,
    delivered_at: Nanos,
    first_sent_at: Nanos,
    sent_until: SentUntil,
    /// The segment of the last sample.
    last: Option<Sent>,
}

impl DeliveryRate {
    /// Nothing sent yet.
    #[must_use]
    pub fn new(sent_until: SentUntil) -> Self {
        Self { sent_until, ..Self::default() }
    }

    /// Payload bytes delivered so far.
    #[must_use]
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// A segment leaves; `idle`: nothing is in flight.
    pub fn on_send(&mut self, now: Nanos, segment: u64, idle: bool) {
        if idle {
            // Time without anything in flight says nothing of the path.
            (self.first_sent_at, self.delivered_at) = (now, now);
            self.sent.clear();
        }
        let Self { delivered, delivered_at, first_sent_at, .. } = *self;
        self.sent.push_back(Sent { segment, at: now, delivered, delivered_at, first_sent_at });
    }

    /// An acknowledgement that `segment` arrived, and with it `newly_acked` bytes; `least_rtt_s`: shorter intervals
    /// are compressed acknowledgements, and give no sample.
    pub fn on_ack(&mut self, now: Nanos, segment: u64, newly_acked: u64, least_rtt_s: Option<f64>) -> Option<Sample> {
        if newly_acked == 0 {
            return None;
        }
        self.delivered += newly_acked;
        self.delivered_at = now;
        // The latest copy: what left before it and has not been answered is lost, or acknowledged with it.
        let place = self.sent.iter().rposition(|sent| sent.segment == segment)?;
        let latest = self.sent.get(place)?.delivered;
        let first = self.sent.drain(..=place).find(|sent| sent.delivered == latest)?;
        let same =
            self.last.filter(|last| self.sent_until == SentUntil::FirstSinceDelivery && last.delivered == latest);
        let sent = same.unwrap_or(first);
        (self.first_sent_at, self.last) = (sent.at, Some(sent));
        let span = sent.at.saturating_sub(sent.first_sent_at).max(now.saturating_sub(sent.delivered_at));
        let span_s = seconds(span);
        if span_s <= 0.0 || least_rtt_s.is_some_and(|least| span_s < least) {
            return None;
        }
        let bytes = self.delivered - sent.delivered;
        Some(Sample { bytes_per_s: bytes as f64 / span_s, delivered_before: sent.delivered })
    }
}

/// The largest of the values of this round and of the `rounds` before it, as in Linux and ns-3.
#[derive(Clone, Debug)]
pub struct MaxFilter {
    rounds: u64,
    /// Candidates, falling in value and rising in round.
    kept: VecDeque<(u64, f64)>,
}

impl MaxFilter {
    /// Over so many rounds.
    #[must_use]
    pub fn new(rounds: u64) -> Self {
        Self { rounds, kept: VecDeque::new() }
    }

    /// Adds a value.
    pub fn add(&mut self, round: u64, value: f64) {
        while self.kept.back().is_some_and(|&(_, last)| last <= value) {
            self.kept.pop_back();
        }
        self.kept.push_back((round, value));
        while self.kept.front().is_some_and(|&(first, _)| first + self.rounds < round) {
            self.kept.pop_front();
        }
    }

    /// The largest, 0 before the first.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.kept.front().map_or(0.0, |&(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::MILLISECOND;

    #[test]
    fn a_steady_flow_is_delivered_at_its_rate() {
        let mut rate = DeliveryRate::default();
        let mut samples = vec![];
        // 1000 bytes each ms, acknowledged 10 ms later.
        for step in 0..100u64 {
            if step >= 10 {
                samples.extend(rate.on_ack(step * MILLISECOND, step - 10, 1000, None));
            }
            rate.on_send(step * MILLISECOND, step, step == 0);
        }
        assert!((samples.last().unwrap().bytes_per_s - 1e6).abs() < 1.0, "{samples:?}");
        assert_eq!((rate.delivered(), rate.sent.len()), (90_000, 10));
    }

    #[test]
    fn acknowledgements_that_come_together_are_no_faster_path() {
        let mut rate = DeliveryRate::default();
        for segment in 0..10 {
            rate.on_send(segment * MILLISECOND, segment, segment == 0);
        }
        let samples = (0..10).map(|segment| rate.on_ack(20 * MILLISECOND, segment, 1000, Some(0.011)));
        assert!(samples.flatten().all(|sample| sample.bytes_per_s <= 500_000.0 + 1.0));
    }

    /// Two segments leave 6 ms apart after the delivery of a segment that left 20 ms before the first of them; they are
    /// acknowledged 10 and 12 ms after that delivery.
    #[test]
    fn of_a_sample_the_time_that_sending_took_counts_too() {
        let rates = [SentUntil::Acknowledged, SentUntil::FirstSinceDelivery].map(|sent_until| {
            let mut rate = DeliveryRate::new(sent_until);
            rate.on_send(0, 0, true);
            rate.on_ack(20 * MILLISECOND, 0, 1000, None);
            rate.on_send(20 * MILLISECOND, 1, false);
            rate.on_send(26 * MILLISECOND, 2, false);
            [(30, 1), (32, 2)]
                .map(|(at, segment)| rate.on_ack(at * MILLISECOND, segment, 1000, None).unwrap().bytes_per_s.round())
        });
        assert_eq!(rates, [[50_000.0, (2e6_f64 / 26.0).round()], [50_000.0, 100_000.0]]);
    }

    #[test]
    fn the_largest_is_forgotten_after_its_rounds() {
        let mut filter = MaxFilter::new(10);
        assert_eq!(filter.largest(), 0.0);
        for (round, value) in [(0, 5.0), (1, 9.0), (5, 7.0), (10, 3.0)] {
            filter.add(round, value);
        }
        assert_eq!(filter.largest(), 9.0);
        filter.add(11, 1.0);
        assert_eq!(filter.largest(), 9.0, "a sample of ten rounds ago counts");
        filter.add(12, 1.0);
        assert_eq!(filter.largest(), 7.0);
        filter.add(40, 2.0);
        assert_eq!(filter.largest(), 2.0);
    }
}
