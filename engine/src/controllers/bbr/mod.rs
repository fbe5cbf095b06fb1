//! BBR, version 1: Cardwell, Cheng, Gunn, Hassas Yeganeh, Jacobson, "BBR: Congestion-Based Congestion Control", 2016;
//! draft-cardwell-iccrg-bbr-congestion-control-00, whose sections are cited.
//!
//! The source models its path by the largest delivery rate of ten round trips and the least round-trip time of ten
//! seconds. It paces at multiples of the one, and keeps at most multiples of their product in flight. Deviations: samples
//! of a source that has nothing to send are not told from others (sec. 4.1.2.4), and the phase in which ProbeBW begins
//! follows from the time, so that a run repeats. Linux and ns-3 add to the draft: [`BbrConfig::ack_aggregation`] and
//! [`BbrConfig::probe_segments`].

mod ack_aggregation;
mod config;
mod rate;

use super::end_to_end::EndToEnd;
use crate::controller::{Ack, Congestion, Endpoint, FlowSetup, FlowView};
use crate::packet::{Packet, PacketKind};
use crate::units::{nanos, Nanos};
pub use ack_aggregation::AckAggregation;
pub use config::{BbrConfig, LeastOf};
pub use rate::SentUntil;

use ack_aggregation::Bursts;
use rate::{DeliveryRate, MaxFilter};

/// The window does not shrink below, segments (sec. 4.2.3.4, BBRMinPipeCwnd).
const MIN_SEGMENTS: f64 = 4.0;
/// Gains of pacing over a cycle of ProbeBW (sec. 4.3.4.2).
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// Growth of the rate in Startup below which the pipe counts as full (sec. 4.3.2.2).
const FULL_PIPE_GROWTH: f64 = 1.25;
/// Rounds without such growth.
const FULL_PIPE_ROUNDS: u32 = 3;
/// Rates from which a send quantum has two segments, and those of a millisecond, bytes/s (sec. 4.2.2).
const QUANTUM_RATES: (f64, f64) = (1.2e6 / 8.0, 24e6 / 8.0);
/// Largest send quantum, bytes (sec. 4.2.2).
const MAX_QUANTUM: f64 = 65_536.0;

/// BBR; `settings`: a JSON object with fields of [`BbrConfig`].
///
/// # Errors
///
/// A field that does not exist, or a constant outside its range.
pub fn bbr(settings: &serde_json::Value) -> Result<EndToEnd<BbrConfig>, String> {
    EndToEnd::new("bbr", &BbrConfig::default(), settings, |config, flow| Box::new(Source::new(config, flow)))
}

/// What the source does with its model (sec. 4.3).
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// Doubles its rate until the pipe is full.
    Startup,
    /// Lets the queue of Startup run empty.
    Drain,
    /// Probes for more in one phase of [`CYCLE`], which began at `since`.
    ProbeBandwidth { phase: usize, since: Nanos },
    /// Keeps four segments in flight; `until`: once no more than that are, when it ends at the earliest.
    ProbeRtt { until: Option<Nanos> },
}

#[derive(Clone, Debug)]
struct Source {
    config: BbrConfig,
    segment: f64,
    /// Bytes on the wire per byte of payload.
    overhead: f64,
    window: f64,
    /// The window before recovery or ProbeRTT.
    prior_window: f64,
    state: State,
    path: DeliveryRate,
    rate: MaxFilter,
    bursts: Bursts,
    least_rtt_s: Option<f64>,
    least_rtt_at: Nanos,
    /// The least of the whole connection: no delivery is measured over a shorter time.
    shortest_s: Option<f64>,
    round: u64,
    /// A round ends once what left after so many bytes were delivered is acknowledged.
    round_end: u64,
    full_rate: f64,
    full_rounds: u32,
    /// The first round of a recovery: what leaves the network may be replaced, and no more (sec. 4.2.3.4).
    conserves_packets: bool,
    /// Of ProbeRTT: the round in which it can end.
    probe_round: u64,
    lost_in_phase: bool,
}

impl Source {
    fn new(config: BbrConfig, flow: &FlowSetup) -> Self {
        let segment = f64::from(flow.mss_bytes.max(1));
        let window = segment * f64::from(flow.initial_window_segments.max(1));
        Self {
            config,
            segment,
            overhead: 1.0 + f64::from(flow.header_bytes) / segment,
            window,
            prior_window: window,
            state: State::Startup,
            path: DeliveryRate::new(config.sent_until),
            rate: MaxFilter::new(config.rate_rounds),
            bursts: Bursts::new(config.ack_aggregation, segment),
            least_rtt_s: None,
            least_rtt_at: 0,
            shortest_s: None,
            round: 0,
            round_end: 0,
            full_rate: 0.0,
            full_rounds: 0,
            conserves_packets: false,
            probe_round: 0,
            lost_in_phase: false,
        }
    }

    fn is_pipe_full(&self) -> bool {
        self.full_rounds >= FULL_PIPE_ROUNDS
    }

    fn pacing_gain(&self) -> f64 {
        match self.state {
            State::Startup => self.config.high_gain,
            State::Drain => 1.0 / self.config.high_gain,
            State::ProbeBandwidth { phase, .. } => CYCLE[phase % CYCLE.len()],
            State::ProbeRtt { .. } => 1.0,
        }
    }

    fn window_gain(&self) -> f64 {
        match self.state {
            State::Startup | State::Drain => self.config.high_gain,
            State::ProbeBandwidth { .. } => self.config.window_gain,
            State::ProbeRtt { .. } => 1.0,
        }
    }

    /// `gain` times what the path holds without a queue, and room for bursts of the hosts (sec. 4.2.3.2), bytes.
    fn inflight(&self, gain: f64) -> f64 {
        let Some(rtt_s) = self.least_rtt_s.filter(|_| self.rate.largest() > 0.0) else { return self.window };
        let probes = matches!(self.state, State::ProbeBandwidth { phase, .. } if CYCLE[phase % CYCLE.len()] > 1.0);
        let more = if probes { self.config.probe_segments * self.segment } else { 0.0 };
        gain * self.rate.largest() * rtt_s + 3.0 * self.quantum() + more
    }

    fn quantum(&self) -> f64 {
        let pace = self.pacing_gain() * self.rate.largest();
        match pace {
            _ if self.config.quantum_segments > 0.0 => self.config.quantum_segments * self.segment,
            _ if pace < QUANTUM_RATES.0 => self.segment,
            _ if pace < QUANTUM_RATES.1 => 2.0 * self.segment,
            _ => (pace * 1e-3).min(MAX_QUANTUM),
        }
    }

    /// Rate, rounds and whether the pipe is full (sec. 4.1.1, 4.3.2.2); returns whether a round began.
    fn update_rate(&mut self, now: Nanos, ack: &Ack) -> bool {
        let sample = self.path.on_ack(now, ack.segment, ack.newly_acked_bytes, self.shortest_s);
        let Some(sample) = sample else { return false };
        let began = sample.delivered_before >= self.round_end;
        if began {
            self.round_end = self.path.delivered();
            self.round += 1;
            self.conserves_packets = false;
        }
        self.rate.add(self.round, sample.bytes_per_s);
        self.bursts.on_ack(now, ack.newly_acked_bytes as f64, self.rate.largest(), self.window, began);
        if began && !self.is_pipe_full() {
            if self.rate.largest() >= FULL_PIPE_GROWTH * self.full_rate {
                (self.full_rate, self.full_rounds) = (self.rate.largest(), 0);
            } else {
                self.full_rounds += 1;
            }
        }
        began
    }

    /// What the least round-trip time is the least of, if the acknowledgement tells it.
    fn round_trip_s(&self, flow: &FlowView, ack: &Ack) -> Option<f64> {
        match self.config.least_rtt_of {
            // A SYN is faster than any data.
            LeastOf::Samples => ack.rtt_s.filter(|_| ack.newly_acked_bytes > 0),
            LeastOf::Smoothed => flow.smoothed_rtt_s.filter(|_| ack.rtt_s.is_some()),
        }
    }

    /// The least round-trip time (sec. 4.1.2); returns whether the one before was too old.
    fn update_least_rtt(&mut self, now: Nanos, flow: &FlowView, ack: &Ack) -> bool {
        let expired = now > self.least_rtt_at.saturating_add(nanos(self.config.rtt_window_s));
        let Some(rtt_s) = self.round_trip_s(flow, ack) else { return false };
        if expired || self.least_rtt_s.is_none_or(|least| rtt_s <= least) {
            let first = self.least_rtt_s.is_none();
            (self.least_rtt_s, self.least_rtt_at) = (Some(rtt_s), now);
            return expired && !first;
        }
        false
    }

    fn enter_probe_bandwidth(&mut self, now: Nanos) {
        // Any phase but that below 1 (sec. 4.3.4.3), by a multiplicative hash of the time.
        let hash = now.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        let phase = (2 + hash as usize % (CYCLE.len() - 1)) % CYCLE.len();
        self.state = State::ProbeBandwidth { phase, since: now };
        self.lost_in_phase = false;
    }

    /// The state that follows (sec. 4.3); `flight` is what is in flight, `before` what was before the acknowledgement.
    fn advance(&mut self, now: Nanos, flight: f64, before: f64) {
        match self.state {
            State::Startup if self.is_pipe_full() => self.state = State::Drain,
            State::Drain if flight <= self.inflight(1.0) => self.enter_probe_bandwidth(now),
            State::ProbeBandwidth { phase, since } => {
                let gain = CYCLE[phase % CYCLE.len()];
                let whole = now.saturating_sub(since) > nanos(self.least_rtt_s.unwrap_or(0.0));
                let over = match gain {
                    _ if gain > 1.0 => whole && (self.lost_in_phase || before >= self.inflight(gain)),
                    _ if gain < 1.0 => whole || before <= self.inflight(1.0),
                    _ => whole,
                };
                if over {
                    self.state = State::ProbeBandwidth { phase: (phase + 1) % CYCLE.len(), since: now };
                    self.lost_in_phase = false;
                }
            }
            _ => {}
        }
    }

    /// ProbeRTT (sec. 4.3.5).
    fn probe_rtt(&mut self, now: Nanos, flight: f64, expired: bool) {
        if expired && !matches!(self.state, State::ProbeRtt { .. }) {
            self.prior_window = self.prior_window.max(self.window);
            self.state = State::ProbeRtt { until: None };
        }
        let State::ProbeRtt { until } = self.state else { return };
        match until {
            None if flight <= MIN_SEGMENTS * self.segment => {
                let until = now.saturating_add(nanos(self.config.probe_rtt_s));
                self.state = State::ProbeRtt { until: Some(until) };
                (self.probe_round, self.round_end) = (self.round + 1, self.path.delivered());
            }
            Some(until) if now >= until && self.round >= self.probe_round => {
                self.least_rtt_at = now;
                self.window = self.window.max(self.prior_window);
                if self.is_pipe_full() {
                    self.enter_probe_bandwidth(now);
                } else {
                    self.state = State::Startup;
                }
            }
            _ => {}
        }
    }

    /// The window (sec. 4.2.3).
    fn update_window(&mut self, acked: f64, flight: f64) {
        let bursts = if self.is_pipe_full() { self.bursts.room(self.rate.largest()) } else { 0.0 };
        let target = self.inflight(self.window_gain()) + bursts;
        if self.conserves_packets {
            self.window = self.window.max(flight + acked);
        } else if self.is_pipe_full() {
            self.window = (self.window + acked).min(target);
        } else if self.window < target || self.path.delivered() < self.prior_window as u64 {
            self.window += acked;
        }
        self.window = self.window.max(MIN_SEGMENTS * self.segment);
        if matches!(self.state, State::ProbeRtt { .. }) {
            self.window = self.window.min(MIN_SEGMENTS * self.segment);
        }
    }
}

impl Endpoint for Source {
    fn on_send(&mut self, now: Nanos, flow: &FlowView, packet: &mut Packet) {
        if packet.kind == PacketKind::Data {
            self.path.on_send(now, packet.segment, flow.flight_bytes == 0);
        }
    }

    fn on_ack(&mut self, now: Nanos, flow: &FlowView, ack: &Ack) {
        self.shortest_s = self.round_trip_s(flow, ack).into_iter().chain(self.shortest_s).reduce(f64::min);
        if ack.newly_acked_bytes == 0 {
            self.update_least_rtt(now, flow, ack);
            return;
        }
        let flight = flow.flight_bytes as f64;
        let acked = ack.newly_acked_bytes as f64;
        self.update_rate(now, ack);
        let expired = self.update_least_rtt(now, flow, ack);
        self.advance(now, flight, flight + acked);
        self.probe_rtt(now, flight, expired);
        self.update_window(acked, flight);
    }

    fn on_congestion(&mut self, _now: Nanos, flow: &FlowView, event: Congestion) {
        match event {
            Congestion::FastRetransmit { .. } => {
                self.lost_in_phase = true;
                self.prior_window = self.window;
                // For one round trip from here on.
                (self.conserves_packets, self.round_end) = (true, self.path.delivered());
                self.window = (flow.flight_bytes as f64 + self.segment).max(MIN_SEGMENTS * self.segment);
            }
            Congestion::FullAck { .. } => {
                self.conserves_packets = false;
                self.window = self.window.max(self.prior_window);
            }
            Congestion::Timeout { .. } => {
                self.lost_in_phase = true;
                self.prior_window = self.prior_window.max(self.window);
                self.conserves_packets = false;
                self.window = self.segment;
            }
            Congestion::DuplicateAck | Congestion::PartialAck { .. } | Congestion::Echo { .. } => {}
        }
    }

    fn window_bytes(&self) -> f64 {
        self.window
    }

    fn pacing_bytes_per_s(&self) -> Option<f64> {
        let rate = self.rate.largest();
        (rate > 0.0).then(|| self.pacing_gain() * rate * self.overhead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{Choice, Request};
    use crate::units::{MILLISECOND, SECOND};
    use crate::world::{FlowSpec, LinkSpec, NodeSpec, QueueSpec, World};

    /// One flow for 20 s over 10 Mbit/s and 40 ms both ways.
    fn run(queue_packets: u32, loss: f64) -> crate::record::Outcome {
        let mut link = LinkSpec::wired("a", "b", 10_000_000, 20 * MILLISECOND);
        link = link.with_queue(QueueSpec::packets(queue_packets));
        if let crate::world::LinkMedium::Wired(wire) = &mut link.medium {
            wire.loss = loss;
        }
        let mut world = World::new("wire", vec![NodeSpec::new("a"), NodeSpec::new("b")], vec![link]);
        world.duration_ns = 20 * SECOND;
        let mut flow = FlowSpec::new("f", ["a", "b"]);
        flow.transport.initial_window_segments = 10;
        world.flows.push(flow);
        Request { world, controllers: vec![Choice::new("bbr")], seed: 1 }.run().unwrap()
    }

    #[test]
    fn the_wire_is_filled_without_a_standing_queue() {
        let outcome = run(1000, 0.0);
        assert!(outcome.flows.throughput_bps[0] > 0.94 * 1e7 / 1.04, "{:?}", outcome.flows.throughput_bps);
        assert!(outcome.links.queue_packets_mean[0] < 12.0, "{:?}", outcome.links.queue_packets_mean);
        assert_eq!(outcome.links.dropped_queue[0], 0);
    }

    /// What NewReno takes for congestion: at a loss of 1 % it has 2 Mbit/s here.
    #[test]
    fn random_losses_do_not_slow_it() {
        let outcome = run(1000, 0.01);
        assert!(outcome.flows.throughput_bps[0] > 0.85 * 1e7 / 1.04, "{:?}", outcome.flows.throughput_bps);
    }

    #[test]
    fn the_phases_are_those_of_the_draft() {
        let source = Source::new(BbrConfig::default(), &crate::controllers::test_flow::setup(10));
        assert_eq!((source.pacing_gain(), source.window_gain()), (2.885, 2.885));
        assert!((CYCLE.iter().sum::<f64>() - 8.0).abs() < 1e-12, "a cycle probes as much as it drains");
        assert_eq!(source.pacing_bytes_per_s(), None, "no sample yet");
    }

    #[test]
    fn a_cycle_never_begins_with_the_drain() {
        let mut source = Source::new(BbrConfig::default(), &crate::controllers::test_flow::setup(10));
        let mut phases = std::collections::BTreeSet::new();
        for now in 0..1000 {
            source.enter_probe_bandwidth(now * MILLISECOND + now);
            let State::ProbeBandwidth { phase, .. } = source.state else { panic!("{:?}", source.state) };
            phases.insert(phase);
        }
        assert_eq!(phases.into_iter().collect::<Vec<_>>(), [0, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn the_least_round_trip_is_measured_again_after_ten_seconds() {
        let mut source = Source::new(BbrConfig::default(), &crate::controllers::test_flow::setup(10));
        let ack = |rtt_s| crate::controllers::test_flow::acknowledged(1000, Some(rtt_s));
        let view = crate::controllers::test_flow::view(0);
        assert!(!source.update_least_rtt(0, &view, &ack(0.1)));
        assert!(!source.update_least_rtt(9 * SECOND, &view, &ack(0.2)));
        assert_eq!(source.least_rtt_s, Some(0.1));
        assert!(source.update_least_rtt(11 * SECOND, &view, &ack(0.2)));
        assert_eq!(source.least_rtt_s, Some(0.2));
    }
}
