//! The application of a flow: what it has to send, and when.

use std::sync::Arc;

use crate::controller::Datagrams;
use crate::units::{Nanos, MILLISECOND, SECOND};
use crate::world::{FlowSpec, Source};

/// Payload of a G.711 packet: 20 ms at 64 kbit/s (RFC 3551, sec. 4.5.14), bytes.
const VOIP_PAYLOAD_BYTES: u32 = 160;
/// Between two G.711 packets (RFC 3551, sec. 4.2).
const VOIP_INTERVAL: Nanos = 20 * MILLISECOND;

/// The segments of a flow: sizes, and the instants at which the application writes them.
#[derive(Clone, Debug)]
pub struct Application {
    start: Nanos,
    stop: Option<Nanos>,
    payload_bytes: u32,
    total_bytes: Option<u64>,
    interval: Option<Interval>,
    schedule: Option<Arc<Schedule>>,
}

/// When each segment is written, and how many bytes there are up to its end.
#[derive(Debug)]
struct Schedule {
    born: Vec<Nanos>,
    bytes: Vec<u64>,
}

impl Schedule {
    fn new(packets: &[(Nanos, u32)]) -> Self {
        let running = packets.iter().scan(0u64, |sum, &(_, bytes)| {
            *sum += u64::from(bytes);
            Some(*sum)
        });
        Self { born: packets.iter().map(|&(at, _)| at).collect(), bytes: running.collect() }
    }

    fn born_at(&self, segment: u64) -> Nanos {
        usize::try_from(segment).ok().and_then(|index| self.born.get(index)).copied().unwrap_or(Nanos::MAX)
    }

    fn bytes_below(&self, segment: u64) -> u64 {
        let last = usize::try_from(segment).unwrap_or(usize::MAX).min(self.bytes.len());
        last.checked_sub(1).map_or(0, |index| self.bytes[index])
    }
}

/// Time between segments as a fraction, so that no rate drifts.
#[derive(Clone, Copy, Debug)]
struct Interval {
    numerator: u128,
    denominator: u128,
}

impl Application {
    /// The source that a flow declares.
    #[must_use]
    pub fn new(spec: &FlowSpec) -> Self {
        let payload_bytes = match &spec.source {
            Source::Voip => VOIP_PAYLOAD_BYTES,
            Source::Scheduled(packets) => packets.iter().map(|&(_, bytes)| bytes).max().unwrap_or(1),
            _ => spec.payload_bytes.max(1),
        };
        let (total_bytes, interval) = match spec.source {
            Source::Greedy => (None, None),
            Source::Bytes(bytes) => (Some(bytes), None),
            Source::Cbr { rate_bps } => (None, Some(Interval::of_rate(payload_bytes, rate_bps))),
            Source::Voip => (None, Some(Interval::of_span(VOIP_INTERVAL))),
            Source::Scheduled(ref packets) => (Some(packets.iter().map(|&(_, bytes)| u64::from(bytes)).sum()), None),
        };
        let schedule = match &spec.source {
            Source::Scheduled(packets) => Some(Arc::new(Schedule::new(packets))),
            _ => None,
        };
        Self { start: spec.start_ns, stop: spec.stop_ns, payload_bytes, total_bytes, interval, schedule }
    }

    /// The same span and the same number of bytes, in datagrams.
    #[must_use]
    pub fn in_datagrams(mut self, datagrams: Datagrams) -> Self {
        self.payload_bytes = datagrams.payload_bytes.max(1);
        self.interval = Some(Interval::of_span(datagrams.interval));
        self.schedule = None;
        self
    }

    /// Payload of a full segment, bytes.
    #[must_use]
    pub fn payload_bytes(&self) -> u32 {
        self.payload_bytes
    }

    /// Whether segments are written at given times rather than on demand.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.interval.is_some() || self.schedule.is_some()
    }

    /// Payload of the segments `[0, segment)`, bytes.
    #[must_use]
    pub fn bytes_below(&self, segment: u64) -> u64 {
        if let Some(schedule) = &self.schedule {
            return schedule.bytes_below(segment);
        }
        let bytes = segment.saturating_mul(u64::from(self.payload_bytes));
        self.total_bytes.map_or(bytes, |total| total.min(bytes))
    }

    /// Payload of one segment, bytes.
    #[must_use]
    pub fn payload_of(&self, segment: u64) -> u32 {
        (self.bytes_below(segment.saturating_add(1)) - self.bytes_below(segment)) as u32
    }

    /// Whether there is no such segment and never will be.
    fn ends_before(&self, segment: u64) -> bool {
        self.is_complete(segment) || self.stop.is_some_and(|stop| self.born_at(segment) >= stop)
    }

    /// Whether the segment is available now.
    #[must_use]
    pub fn has(&self, segment: u64, now: Nanos) -> bool {
        let open = self.stop.is_none_or(|stop| now < stop) || self.is_timed();
        open && self.born_at(segment) <= now && !self.ends_before(segment)
    }

    /// When the segment is written; `start` where segments are written on demand.
    #[must_use]
    pub fn born_at(&self, segment: u64) -> Nanos {
        if let Some(schedule) = &self.schedule {
            return schedule.born_at(segment).max(self.start);
        }
        let after = self.interval.map_or(0, |interval| interval.times(segment));
        self.start.saturating_add(after)
    }

    /// Whether the source was finite and `segment` lies behind its last.
    #[must_use]
    pub fn is_complete(&self, segment: u64) -> bool {
        self.total_bytes.is_some_and(|total| self.bytes_below(segment) >= total)
    }

    /// Whether nothing new can come any more once `segment` is next.
    #[must_use]
    pub fn is_over(&self, segment: u64, now: Nanos) -> bool {
        let closed = !self.is_timed() && self.stop.is_some_and(|stop| now >= stop);
        closed || self.ends_before(segment)
    }
}

impl Interval {
    fn of_span(span: Nanos) -> Self {
        Self { numerator: u128::from(span.max(1)), denominator: 1 }
    }

    fn of_rate(payload_bytes: u32, rate_bps: u64) -> Self {
        let bit_nanos = u128::from(payload_bytes) * 8 * u128::from(SECOND);
        Self { numerator: bit_nanos, denominator: u128::from(rate_bps) }
    }

    /// `n` intervals, rounded up; never, where the rate is 0.
    fn times(self, n: u64) -> Nanos {
        if self.denominator == 0 {
            return Nanos::MAX;
        }
        let span = self.numerator.saturating_mul(u128::from(n));
        Nanos::try_from(span.div_ceil(self.denominator)).unwrap_or(Nanos::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(source: Source) -> FlowSpec {
        FlowSpec::new("f", ["a", "b"]).with_source(source)
    }

    #[test]
    fn a_fixed_rate_does_not_drift() {
        let source = Application::new(&flow(Source::Cbr { rate_bps: 3_000_000 }));
        assert_eq!(source.born_at(1), 2_666_667);
        assert_eq!(source.born_at(3_000), 8 * SECOND);
        assert!(source.has(1, 2_666_667) && !source.has(1, 2_666_666));
        assert!(!Application::new(&flow(Source::Cbr { rate_bps: 0 })).has(0, 60 * SECOND));
    }

    #[test]
    fn the_last_segment_of_a_finite_source_is_shorter() {
        let source = Application::new(&flow(Source::Bytes(2_300)));
        assert_eq!([0, 1, 2, 3].map(|segment| source.payload_of(segment)), [1000, 1000, 300, 0]);
        assert!(source.has(2, 0) && !source.has(3, 0) && source.is_over(3, 0));
    }

    #[test]
    fn a_schedule_is_kept() {
        let source = Application::new(&flow(Source::Scheduled(vec![(5, 100), (5, 40), (9, 1500)])));
        assert_eq!([0, 1, 2, 3].map(|segment| source.payload_of(segment)), [100, 40, 1500, 0]);
        assert_eq!([0, 1, 2].map(|segment| source.born_at(segment)), [5, 5, 9]);
        assert!(source.has(1, 5) && !source.has(2, 8) && source.has(2, 9) && !source.has(3, Nanos::MAX));
        assert!(source.is_over(3, 9) && !source.is_over(2, 9));
    }

    #[test]
    fn sources_keep_to_their_span() {
        let greedy = Application::new(&flow(Source::Greedy).between(SECOND, 2 * SECOND));
        assert!(!greedy.has(0, SECOND - 1) && greedy.has(7, SECOND) && !greedy.has(7, 2 * SECOND));
        let voice = Application::new(&flow(Source::Voip).between(SECOND, 2 * SECOND));
        assert_eq!((voice.payload_bytes(), voice.born_at(49)), (160, SECOND + 980 * MILLISECOND));
        assert!(voice.has(49, 3 * SECOND), "made in time, taken late");
        assert!(voice.is_over(50, SECOND) && !voice.has(50, 2 * SECOND));
    }
}
