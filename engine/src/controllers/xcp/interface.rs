//! One outgoing interface of an XCP router: what it counts in a control interval, and how it splits the aggregate
//! feedback over packets. Rates in bytes/s, sizes in bytes, times in seconds; no clock, no queue, no link.

use serde::{Deserialize, Serialize};

use super::super::settings::{not_negative, positive};
use crate::controller::Mode;

/// Constants of an XCP router.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RouterConfig {
    /// Share of the spare bandwidth granted per mean round-trip time (Katabi sec. 3.5; stable below pi/(4 sqrt 2)).
    pub alpha: f64,
    /// Share of the persistent queue taken back per mean round-trip time (alpha^2 sqrt 2, as ns-2 rounds it).
    pub beta: f64,
    /// Share of the traffic that is shuffled between flows (Katabi sec. 3.5.2).
    pub gamma: f64,
    /// Longest control interval, s (ns-2 `XCP_MAX_INTERVAL`).
    pub max_interval_s: f64,
    /// Shortest control interval, s (ns-2 `XCP_MIN_INTERVAL`; the draft and S000 say 0.005 to 0.010).
    pub min_interval_s: f64,
    /// Control interval and mean round-trip time until flows report theirs, s (ns-2 `INITIAL_Te_VALUE`).
    pub initial_interval_s: f64,
    /// Standard deviation of the first interval of every timer, as a share of it, so that routers do not run in step
    /// (ns-2 draws it from a normal distribution with 0.2); 0: all start together.
    pub first_interval_deviation: f64,
    /// Shortest interval over which the persistent queue is the least one, s (draft, `ALLOWED_QUEUE`).
    pub min_queue_interval_s: f64,
    /// Whether allotments are limited to what is left in the pools (ns-2), or not (draft, sec. 4.5).
    pub limit_to_pools: bool,
    /// Whether the queue is sampled at departures (ns-2, draft), or at arrivals (Katabi sec. 3.5).
    pub sample_at_departures: bool,
}

impl Default for RouterConfig {
    fn default() -> Self {
        Self {
            alpha: 0.4,
            beta: 0.226,
            gamma: 0.1,
            max_interval_s: 1.0,
            min_interval_s: 0.001,
            initial_interval_s: 0.05,
            first_interval_deviation: 0.0,
            min_queue_interval_s: 0.002,
            limit_to_pools: true,
            sample_at_departures: true,
        }
    }
}

impl RouterConfig {
    /// Whether the constants make sense.
    ///
    /// # Errors
    ///
    /// Names the first that does not.
    pub fn check(&self) -> Result<(), String> {
        not_negative(&[
            ("alpha", self.alpha),
            ("beta", self.beta),
            ("gamma", self.gamma),
            ("first_interval_deviation", self.first_interval_deviation),
        ])?;
        positive(&[
            ("max_interval_s", self.max_interval_s),
            ("min_interval_s", self.min_interval_s),
            ("initial_interval_s", self.initial_interval_s),
            ("min_queue_interval_s", self.min_queue_interval_s),
        ])
    }

    /// As `mode` reads it: Katabi's text in `paper`, as configured otherwise.
    #[must_use]
    pub fn in_mode(self, mode: Mode) -> Self {
        match mode {
            Mode::Paper => Self { limit_to_pools: false, sample_at_departures: false, ..self },
            Mode::PaperGreedy | Mode::Corrected => self,
        }
    }
}

/// A control interval that has ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// How long it was, s.
    pub length_s: f64,
    /// Traffic that came in, acknowledgements included, bytes/s.
    pub input_bytes_per_s: f64,
    /// Mean round-trip time of the flows, each weighted by its share of the time, s.
    pub average_rtt_s: f64,
    /// Queue that did not drain, bytes.
    pub persistent_queue_bytes: f64,
}

impl Interval {
    /// Whether anything came in.
    #[must_use]
    pub fn used(&self) -> bool {
        self.input_bytes_per_s > 0.0
    }
}

/// What one packet gets, bytes/s each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allotment {
    /// The value of its header afterwards.
    pub delta: f64,
    /// Taken from the pool of positive feedback.
    pub positive: f64,
    /// Taken from the pool of negative feedback.
    pub negative: f64,
}

/// State of an interface.
#[derive(Clone, Debug, PartialEq)]
pub struct Interface {
    config: RouterConfig,
    input_bytes: f64,
    sum_x_s: f64,
    sum_rtt_x_s2: f64,
    interval_s: f64,
    average_rtt_s: f64,
    persistent_queue_bytes: f64,
    least_queue_bytes: f64,
    positive_pool: f64,
    negative_pool: f64,
    positive_scale: f64,
    negative_scale: f64,
}

impl Interface {
    /// Nothing counted, nothing to grant.
    #[must_use]
    pub fn new(config: RouterConfig) -> Self {
        Self {
            config,
            input_bytes: 0.0,
            sum_x_s: 0.0,
            sum_rtt_x_s2: 0.0,
            interval_s: config.initial_interval_s,
            average_rtt_s: config.initial_interval_s,
            persistent_queue_bytes: 0.0,
            least_queue_bytes: 0.0,
            positive_pool: 0.0,
            negative_pool: 0.0,
            positive_scale: 0.0,
            negative_scale: 0.0,
        }
    }

    /// A packet came in; `inter_packet_s` and `rtt_s` from its header, 0 where it has none.
    pub fn arrive(&mut self, size_bytes: f64, inter_packet_s: f64, rtt_s: f64) {
        self.input_bytes += size_bytes;
        if rtt_s > 0.0 {
            self.sum_x_s += inter_packet_s;
            self.sum_rtt_x_s2 += rtt_s.min(self.config.max_interval_s) * inter_packet_s;
        }
    }

    /// The control interval as it stands at its end. Until flows report their round-trip time it is the initial one.
    #[must_use]
    pub fn interval(&self) -> Interval {
        let told = self.sum_x_s > 0.0;
        let average_rtt_s = if told { self.sum_rtt_x_s2 / self.sum_x_s } else { self.config.initial_interval_s };
        Interval {
            length_s: self.interval_s,
            input_bytes_per_s: self.input_bytes / self.interval_s,
            average_rtt_s,
            persistent_queue_bytes: self.persistent_queue_bytes,
        }
    }

    /// Starts the next interval with the aggregate feedback F to be split, and the traffic a share of which is
    /// shuffled; `None`: nothing may be granted. Returns its length, s.
    pub fn control(&mut self, feedback: Option<(f64, f64)>) -> f64 {
        let ended = self.interval();
        let (aggregate, traffic) = feedback.filter(|_| ended.used()).unwrap_or((0.0, 0.0));
        let shuffled = (self.config.gamma * traffic - aggregate.abs()).max(0.0);
        self.positive_pool = aggregate.max(0.0) + shuffled;
        self.negative_pool = (-aggregate).max(0.0) + shuffled;
        // Flows that have not reported their round-trip time yet count as one second, as in ns-2: a new flow on an idle link
        // is not held up for another interval.
        let sum_x_s = if self.sum_x_s > 0.0 { self.sum_x_s } else { 1.0 };
        self.positive_scale = if ended.used() { self.positive_pool / sum_x_s } else { 0.0 };
        self.negative_scale = if ended.used() { self.negative_pool / self.input_bytes } else { 0.0 };
        self.average_rtt_s = ended.average_rtt_s;
        self.interval_s = ended.average_rtt_s.max(self.config.min_interval_s);
        self.input_bytes = 0.0;
        self.sum_x_s = 0.0;
        self.sum_rtt_x_s2 = 0.0;
        self.interval_s
    }

    /// What the pools hold for a packet, bytes/s: positive feedback equal per flow, negative equal per byte.
    #[must_use]
    pub fn offer(&self, size_bytes: f64, inter_packet_s: f64) -> (f64, f64) {
        let offer = (self.positive_scale * inter_packet_s, self.negative_scale * size_bytes);
        if self.config.limit_to_pools {
            (offer.0.min(self.positive_pool), offer.1.min(self.negative_pool))
        } else {
            offer
        }
    }

    /// What a packet that asks for `delta` gets of its offer (draft-falk-xcp-spec sec. 4.5, lines 20-27).
    #[must_use]
    pub fn allot(&self, delta: f64, (positive, negative): (f64, f64)) -> Allotment {
        let feedback = positive - negative;
        if delta >= feedback {
            return Allotment { delta: feedback, positive, negative };
        }
        let negative = self.negative_pool.min(negative + (feedback - delta));
        Allotment { delta, positive: delta + negative, negative }
    }

    /// What the negative pool still holds, bytes/s.
    #[must_use]
    pub fn negative_pool(&self) -> f64 {
        self.negative_pool
    }

    /// Takes an allotment out of the pools; an empty pool grants nothing more in this interval.
    pub fn charge(&mut self, allotment: &Allotment) {
        self.positive_pool = (self.positive_pool - allotment.positive).max(0.0);
        self.negative_pool = (self.negative_pool - allotment.negative).max(0.0);
        if self.positive_pool <= 0.0 {
            self.positive_scale = 0.0;
        }
        if self.negative_pool <= 0.0 {
            self.negative_scale = 0.0;
        }
    }

    /// The least queue since the last control interval began is the persistent one; `queue_bytes` wait now.
    pub fn end_of_span(&mut self, queue_bytes: f64) {
        self.persistent_queue_bytes = self.least_queue_bytes;
        self.least_queue_bytes = queue_bytes;
    }

    /// The queue was this long.
    pub fn see_queue(&mut self, bytes: f64) {
        self.least_queue_bytes = self.least_queue_bytes.min(bytes);
    }

    /// Whether the queue is sampled at departures, or at arrivals.
    #[must_use]
    pub fn samples_at_departures(&self) -> bool {
        self.config.sample_at_departures
    }

    /// The least queue since the last call is the persistent one; `queue_bytes` wait now. Returns the length of the
    /// next interval, s: half the round-trip time without the time in this queue, where what drains it is known.
    pub fn measure_queue(&mut self, queue_bytes: f64, drain_bytes_per_s: Option<f64>) -> f64 {
        self.end_of_span(queue_bytes);
        let waiting_s = drain_bytes_per_s.map_or(0.0, |drain| queue_bytes / drain);
        ((self.average_rtt_s - waiting_s) / 2.0).max(self.config.min_queue_interval_s)
    }
}

#[cfg(test)]
mod tests {
    use super::super::aggregate;
    use super::*;

    const CAPACITY: f64 = 1.375e6;
    const SIZE: f64 = 1000.0;
    const GREEDY: f64 = 1e24;

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-6 * b.abs().max(1e-6), "{a} is not {b}");
    }

    /// Two flows of 1000-byte packets and 0.1 s round-trip time over one interval of 0.1 s; control not run yet.
    fn loaded(rates: [f64; 2], queue: f64) -> Interface {
        let mut interface = Interface::new(RouterConfig { initial_interval_s: 0.1, ..RouterConfig::default() });
        for rate in rates {
            for _ in 0..(rate * 0.1 / SIZE).round() as u32 {
                interface.arrive(SIZE, SIZE / rate, 0.1);
            }
        }
        interface.persistent_queue_bytes = queue;
        interface
    }

    fn control(interface: &mut Interface) -> f64 {
        let interval = interface.interval();
        let feedback = aggregate(0.4, 0.226, CAPACITY - interval.input_bytes_per_s, &interval);
        interface.control(Some((feedback, interval.input_bytes_per_s)));
        feedback
    }

    fn depart(interface: &mut Interface, rate: f64, request: f64) -> f64 {
        let allotment = interface.allot(request, interface.offer(SIZE, SIZE / rate));
        interface.charge(&allotment);
        allotment.delta
    }

    #[test]
    fn v_x1_spare_bandwidth_is_split_equally_over_flows() {
        let mut interface = loaded([5e5, 2.5e5], 5000.0);
        near(interface.interval().input_bytes_per_s, 750_000.0);
        near(interface.interval().average_rtt_s, 0.1);
        near(control(&mut interface), 238_700.0);
        near(interface.positive_pool, 238_700.0);
        near(interface.positive_scale, 1_193_500.0);
        near(interface.negative_scale, 0.0);
        let mut totals = [0.0, 0.0];
        for round in 0..25 {
            for (flow, rate, expected) in [(0, 5e5, 2387.0), (0, 5e5, 2387.0), (1, 2.5e5, 4774.0)] {
                let delta = depart(&mut interface, rate, GREEDY);
                if round == 0 {
                    near(delta, expected);
                }
                totals[flow] += delta;
            }
        }
        near(totals[0], 119_350.0);
        near(totals[1], 119_350.0);
        near(totals[0] + totals[1], 238_700.0);
    }

    #[test]
    fn v_x2_overload_is_taken_back_per_byte_and_shuffled() {
        let mut interface = loaded([1e6, 5e5], 20_000.0);
        near(control(&mut interface), -95_200.0);
        near(interface.positive_pool, 54_800.0);
        near(interface.negative_pool, 150_000.0);
        near(interface.positive_scale, 274_000.0);
        near(interface.negative_scale, 1.0);
        near(depart(&mut interface, 1e6, GREEDY), -726.0);
        near(depart(&mut interface, 5e5, GREEDY), -452.0);
    }

    #[test]
    fn v_x3_a_small_request_is_granted_and_charged() {
        let mut interface = loaded([5e5, 2.5e5], 5000.0);
        control(&mut interface);
        near(depart(&mut interface, 5e5, 1000.0), 1000.0);
        near(interface.positive_pool, 237_700.0);
        near(interface.negative_pool, 0.0);
    }

    #[test]
    fn v_x4_an_empty_interval_grants_nothing() {
        let mut interface = Interface::new(RouterConfig { initial_interval_s: 0.05, ..RouterConfig::default() });
        near(interface.control(Some((5e5, 1e5))), 0.05);
        assert_eq!((interface.positive_scale, interface.negative_scale), (0.0, 0.0));
    }

    #[test]
    fn v_x5_the_queue_interval_leaves_the_time_in_the_queue_out() {
        let mut interface = Interface::new(RouterConfig { initial_interval_s: 0.1, ..RouterConfig::default() });
        near(interface.measure_queue(0.0, Some(CAPACITY)), 0.05);
        near(interface.measure_queue(20_000.0, Some(CAPACITY)), 0.042_727_3);
        near(interface.measure_queue(1e9, Some(CAPACITY)), 0.002);
        near(interface.measure_queue(20_000.0, None), 0.05);
    }

    /// S000 alg. 2: what is longer than MAX_INTERVAL counts as MAX_INTERVAL, which is 1 s in ns-2.
    #[test]
    fn a_long_round_trip_counts_as_the_longest_interval() {
        for (rtt_s, average_s) in [(0.9, 0.9), (1.1, 1.0), (5.0, 1.0)] {
            let mut interface = Interface::new(RouterConfig::default());
            interface.arrive(SIZE, 0.1, rtt_s);
            near(interface.interval().average_rtt_s, average_s);
        }
    }

    #[test]
    fn a_link_that_is_down_grants_nothing() {
        let mut interface = loaded([5e5, 2.5e5], 5000.0);
        interface.control(None);
        near(depart(&mut interface, 5e5, GREEDY), 0.0);
    }

    #[test]
    fn pools_are_never_overdrawn() {
        let mut interface = loaded([1e6, 5e5], 20_000.0);
        control(&mut interface);
        let total: f64 = (0..1000).map(|_| depart(&mut interface, 1e6, GREEDY)).sum();
        near(total, -95_200.0);
    }
}
