//! The source: a rate, increased every shared round-trip time, halved when a neighbourhood of the path is congested.

use std::collections::VecDeque;

use super::{GoodputCorrection, WcpConfig};
use crate::controller::{Ack, Endpoint, FlowSetup, FlowView};
use crate::packet::{Header, Packet, WcpHeader};
use crate::units::{nanos, Nanos, SECOND};

/// Longest control interval: a field of a header is not trusted beyond it.
const LONGEST_INTERVAL: Nanos = 60 * SECOND;
/// Shortest control interval: the floor of all timers.
const SHORTEST_INTERVAL: Nanos = 1_000_000;
/// Loss rates are not corrected for beyond this.
const GREATEST_LOSS: f64 = 0.5;

/// The AIMD state of one flow.
#[derive(Clone, Debug)]
pub struct WcpSource {
    config: WcpConfig,
    segment_bytes: f64,
    rate_packets_per_s: f64,
    increase_at: Option<Nanos>,
    decrease_allowed_at: Nanos,
    shared_rtt_average_s: f64,
    loss: LossRate,
}

impl WcpSource {
    /// A flow that has sent nothing yet.
    #[must_use]
    pub fn new(config: WcpConfig, flow: &FlowSetup) -> Self {
        Self {
            segment_bytes: f64::from(flow.mss_bytes + flow.header_bytes),
            rate_packets_per_s: config.initial_packets_per_s,
            increase_at: None,
            decrease_allowed_at: 0,
            shared_rtt_average_s: 0.0,
            loss: LossRate::new(config.loss_window_packets),
            config,
        }
    }

    /// Rate `r_f`, packets/s, before the goodput correction.
    #[must_use]
    pub fn rate_packets_per_s(&self) -> f64 {
        self.rate_packets_per_s
    }

    /// The control interval `t_ai`: the shared round-trip time, before one is known the flow's own, before that 1 s.
    fn increase_interval(&self, flow: &FlowView) -> Nanos {
        let shared = (self.shared_rtt_average_s > 0.0).then_some(self.shared_rtt_average_s);
        let seconds = shared.or(flow.smoothed_rtt_s).unwrap_or(1.0);
        nanos(seconds).clamp(SHORTEST_INTERVAL, LONGEST_INTERVAL)
    }
}

impl Endpoint for WcpSource {
    fn on_send(&mut self, now: Nanos, flow: &FlowView, packet: &mut Packet) {
        if self.increase_at.is_none() {
            self.increase_at = Some(now + self.increase_interval(flow));
        }
        self.loss.on_send(packet.retransmitted);
        packet.header = Header::Wcp(WcpHeader {
            rtt_average_s: flow.smoothed_rtt_s.unwrap_or(0.0),
            rtt_last_s: flow.last_rtt_s.unwrap_or(0.0),
            rate_packets_per_s: f64::INFINITY,
            ..WcpHeader::default()
        });
    }

    fn on_ack(&mut self, now: Nanos, flow: &FlowView, ack: &Ack) {
        let Header::Wcp(header) = ack.header else { return };
        self.shared_rtt_average_s = header.shared_rtt_average_s;
        if header.congested && now >= self.decrease_allowed_at {
            // r_min is one packet per control interval.
            let least = 1e9 / self.increase_interval(flow) as f64;
            self.rate_packets_per_s = (self.rate_packets_per_s / 2.0).max(least.min(self.rate_packets_per_s));
            let wait = nanos(header.shared_rtt_last_s).clamp(SHORTEST_INTERVAL, LONGEST_INTERVAL);
            self.decrease_allowed_at = now + wait;
        }
    }

    fn next_timer(&self) -> Option<Nanos> {
        self.increase_at
    }

    fn on_timer(&mut self, now: Nanos, flow: &FlowView) {
        self.rate_packets_per_s += self.config.increase_packets_per_s;
        self.increase_at = Some(now + self.increase_interval(flow));
    }

    fn window_bytes(&self) -> f64 {
        f64::INFINITY
    }

    fn pacing_bytes_per_s(&self) -> Option<f64> {
        let rate = goodput_corrected(
            self.rate_packets_per_s,
            self.loss.rate(),
            self.config.goodput_correction.unwrap_or_default(),
        );
        Some(rate * self.segment_bytes)
    }
}

/// The sending rate that gives goodput `rate` at loss rate `loss` (S003 sec. III-A).
#[must_use]
pub fn goodput_corrected(rate: f64, loss: f64, correction: GoodputCorrection) -> f64 {
    match correction {
        GoodputCorrection::Off => rate,
        GoodputCorrection::DeliveryRatio => rate / (1.0 - loss.clamp(0.0, GREATEST_LOSS)),
        GoodputCorrection::LossRate if loss > 0.0 => rate / loss,
        GoodputCorrection::LossRate => rate,
    }
}

/// Share of the last sent packets that were sent for a second time: each counts as one lost packet.
#[derive(Clone, Debug)]
pub struct LossRate {
    window: usize,
    again: VecDeque<bool>,
    losses: usize,
}

impl LossRate {
    /// Counts over the last `window` packets.
    #[must_use]
    pub fn new(window: usize) -> Self {
        Self { window, again: VecDeque::with_capacity(window.min(4096)), losses: 0 }
    }

    /// One more packet left.
    pub fn on_send(&mut self, retransmitted: bool) {
        if self.again.len() >= self.window && self.again.pop_front() == Some(true) {
            self.losses -= 1;
        }
        self.losses += usize::from(retransmitted);
        self.again.push_back(retransmitted);
    }

    /// Between 0 and 1; 0 before the first packet.
    #[must_use]
    pub fn rate(&self) -> f64 {
        if self.again.is_empty() {
            return 0.0;
        }
        self.losses as f64 / self.again.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cross_layer::CrossLayer;
    use crate::units::MILLISECOND;

    fn source(rate: f64) -> WcpSource {
        let flow = FlowSetup { mss_bytes: 512, header_bytes: 40, hops: 2, initial_window_segments: 1 };
        let config = WcpConfig { initial_packets_per_s: rate, ..WcpConfig::default() };
        WcpSource::new(config, &flow)
    }

    fn view(rtt_s: f64) -> FlowView {
        FlowView {
            mss_bytes: 512,
            header_bytes: 40,
            flight_bytes: 0,
            smoothed_rtt_s: Some(rtt_s),
            last_rtt_s: Some(rtt_s),
            least_rtt_s: Some(rtt_s),
            retransmission_timeout: SECOND,
            next_segment: 1,
            first_hop: CrossLayer::default(),
        }
    }

    fn ack(shared_rtt_s: f64, congested: bool) -> Ack {
        let header = WcpHeader {
            shared_rtt_average_s: shared_rtt_s,
            shared_rtt_last_s: shared_rtt_s,
            congested,
            ..WcpHeader::default()
        };
        Ack {
            newly_acked_bytes: 512,
            advanced: true,
            segment: 0,
            rtt_s: None,
            in_recovery: false,
            congestion_echo: false,
            header: Header::Wcp(header),
        }
    }

    #[test]
    fn v_n5_increases_by_alpha_per_shared_rtt() {
        let mut source = source(80.0);
        source.on_ack(0, &view(0.05), &ack(0.2, false));
        source.on_timer(0, &view(0.05));
        assert!((source.rate_packets_per_s() * 512.0 * 8.0 - 328_089.6).abs() < 1e-6);
        assert_eq!(source.next_timer(), Some(200 * MILLISECOND));
    }

    #[test]
    fn v_n6_decreases_once_per_shared_instantaneous_rtt() {
        let mut source = source(100.0);
        let rates: Vec<f64> = [0, 100, 290, 310, 500]
            .into_iter()
            .map(|at| {
                source.on_ack(at * MILLISECOND, &view(0.3), &ack(0.3, true));
                source.rate_packets_per_s()
            })
            .collect();
        assert_eq!(rates, [50.0, 50.0, 50.0, 25.0, 25.0]);
    }

    /// S003 sec. III-A: t_md is the instantaneous round-trip time that the marked packet brought, t_ai the average one.
    #[test]
    fn a_cut_waits_for_the_instantaneous_round_trip_time() {
        let mut source = source(100.0);
        let header =
            WcpHeader { shared_rtt_average_s: 1.0, shared_rtt_last_s: 0.3, congested: true, ..WcpHeader::default() };
        let rates = [0, 290, 310].map(|at| {
            let marked = Ack { header: Header::Wcp(header), ..ack(0.0, true) };
            source.on_ack(at * MILLISECOND, &view(0.1), &marked);
            source.rate_packets_per_s()
        });
        assert_eq!(rates, [50.0, 50.0, 25.0]);
        source.on_timer(0, &view(0.1));
        assert_eq!(source.next_timer(), Some(SECOND));
    }

    #[test]
    fn v_n7_corrects_for_losses() {
        assert!((goodput_corrected(73.0, 0.1, GoodputCorrection::DeliveryRatio) - 81.111_111).abs() < 1e-6);
        assert!((goodput_corrected(73.0, 0.1, GoodputCorrection::LossRate) - 730.0).abs() < 1e-9);
        assert_eq!(goodput_corrected(73.0, 0.0, GoodputCorrection::LossRate), 73.0);
        assert_eq!(goodput_corrected(73.0, 0.9, GoodputCorrection::DeliveryRatio), 146.0);
    }

    #[test]
    fn the_loss_rate_forgets() {
        let mut loss = LossRate::new(10);
        (0..5).for_each(|_| loss.on_send(true));
        (0..5).for_each(|_| loss.on_send(false));
        assert_eq!(loss.rate(), 0.5);
        (0..10).for_each(|_| loss.on_send(false));
        assert_eq!(loss.rate(), 0.0);
    }

    #[test]
    fn never_halves_below_one_packet_per_interval() {
        let mut source = source(12.0);
        source.on_ack(0, &view(0.1), &ack(0.1, true));
        assert_eq!(source.rate_packets_per_s(), 10.0);
    }
}
