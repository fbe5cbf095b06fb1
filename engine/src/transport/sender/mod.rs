//! The source's end of a flow: reacts to acknowledgements and timers. [`departure`] decides what leaves and when,
//! [`stats`] reads the state.

mod departure;
mod stats;

pub use stats::SenderStats;

use crate::controller::{Ack, Congestion, Endpoint};
use crate::cross_layer::CrossLayer;
use crate::index::FlowId;
use crate::packet::{Packet, PacketKind};
use crate::transport::application::Application;
use crate::transport::handshake::Handshake;
use crate::transport::pacer::Pacer;
use crate::transport::recovery::Recovery;
use crate::transport::round_trip::RoundTrip;
use crate::transport::scoreboard::Scoreboard;
use crate::units::{seconds, Nanos, MILLISECOND, SECOND};
use crate::world::FlowSpec;

/// Timeout before the first sample (RFC 6298, sec. 2.1).
const INITIAL_TIMEOUT: Nanos = SECOND;
/// Granularity of the timer's clock, G of RFC 6298.
const GRANULARITY: Nanos = MILLISECOND;
/// Least time between two calls of an endpoint's timer, so that no endpoint can stop time.
const MIN_ENDPOINT_WAIT: Nanos = MILLISECOND;

/// Sends the segments of one flow as its endpoint allows and repairs what is lost.
pub struct Sender {
    flow: FlowId,
    application: Application,
    endpoint: Box<dyn Endpoint>,
    header_bytes: u32,
    /// Size of a probe, bytes.
    probe_bytes: u32,
    /// Whether the destination acknowledges; otherwise no state is kept of a segment once sent.
    acknowledged: bool,
    selective: bool,
    timestamps: bool,
    handshake: Handshake,
    scoreboard: Scoreboard,
    recovery: Recovery,
    round_trip: RoundTrip,
    pacer: Pacer,
    receive_window_bytes: u64,
    /// When the retransmission timer fires.
    timer: Option<Nanos>,
    /// When the last packet left.
    last_sent: Nanos,
    /// The endpoint's timer is not called before.
    endpoint_wait: Nanos,
    /// First segment sent after the last reaction to congestion: echoes of earlier ones are ignored.
    echo_point: u64,
    /// Time of the last call.
    clock: Nanos,
    counts: Counts,
    completed_at: Option<Nanos>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    sent: u64,
    retransmissions: u64,
    fast_retransmits: u64,
    timeouts: u64,
}

impl Sender {
    /// The source of `flow` as `spec` declares it, under the control of `endpoint`.
    #[must_use]
    pub fn new(flow: FlowId, spec: &FlowSpec, endpoint: Box<dyn Endpoint>) -> Self {
        let (mut application, mut header_bytes) = (Application::new(spec), spec.header_bytes);
        let datagrams = endpoint.datagrams();
        if let Some(datagrams) = datagrams {
            application = application.in_datagrams(datagrams);
            header_bytes = datagrams.header_bytes;
        }
        let transport = &spec.transport;
        let acknowledged = spec.ack_bytes > 0 && datagrams.is_none();
        Self {
            flow,
            endpoint,
            header_bytes,
            probe_bytes: spec.ack_bytes,
            acknowledged,
            selective: transport.sack,
            timestamps: transport.timestamps,
            handshake: Handshake::new(transport.handshake && acknowledged),
            scoreboard: Scoreboard::default(),
            recovery: Recovery::new(transport.into(), application.payload_bytes()),
            round_trip: RoundTrip::new(
                INITIAL_TIMEOUT,
                transport.minimum_timeout_ns,
                transport.maximum_timeout_ns,
                GRANULARITY,
            ),
            pacer: Pacer::default(),
            receive_window_bytes: u64::from(transport.receive_window_bytes),
            timer: None,
            last_sent: 0,
            endpoint_wait: spec.start_ns,
            echo_point: 0,
            clock: 0,
            counts: Counts::default(),
            completed_at: None,
            application,
        }
    }

    /// An acknowledgement came back.
    pub fn on_ack(&mut self, now: Nanos, ack: &Packet, first_hop: &CrossLayer) {
        self.clock = now;
        if !self.acknowledged {
            return;
        }
        let mut ack = *ack;
        self.endpoint.on_ack_below(&mut ack);
        if ack.kind == PacketKind::Answer {
            return self.on_answer(now, &ack, first_hop);
        }
        let in_recovery = self.recovery.is_fast();
        let before = self.scoreboard.unacknowledged();
        let duplicate = ack.cumulative == before && self.scoreboard.outstanding() > 0;
        let selective = if self.selective { &ack.sack[..] } else { &[] };
        let progress = self.scoreboard.acknowledge(ack.cumulative, selective);
        if ack.cumulative >= before {
            self.receive_window_bytes = u64::from(ack.receive_window_bytes);
        }
        let rtt_s = (progress.newly_arrived > 0).then(|| seconds(now.saturating_sub(ack.sent_at)));
        // Karn's rule: no samples from retransmitted segments, unless a time stamp tells which transmission it answers.
        let rtt_s = rtt_s.filter(|_| self.timestamps || !ack.retransmitted);
        match rtt_s {
            Some(rtt_s) if ack.retransmitted => self.round_trip.sample_of_retransmission(rtt_s),
            Some(rtt_s) => self.round_trip.sample(rtt_s),
            None => {}
        }
        let news = Ack {
            newly_acked_bytes: progress.newly_arrived * u64::from(self.application.payload_bytes()),
            advanced: progress.advanced > 0,
            segment: ack.segment,
            rtt_s,
            in_recovery,
            congestion_echo: ack.congestion_experienced,
            header: ack.header,
        };
        self.endpoint.on_ack(now, &self.view(first_hop), &news);
        let verdict = self.recovery.on_ack(&mut self.scoreboard, progress, duplicate);
        if verdict.restart_timer {
            self.timer = Some(now.saturating_add(self.round_trip.timeout()));
        }
        if self.scoreboard.outstanding() == 0 {
            self.timer = None;
        }
        if let Some(event) = verdict.event.or_else(|| self.echo(&ack)) {
            self.notify(now, first_hop, event);
        }
        self.recovery.reduce(&self.scoreboard, progress, self.endpoint.slow_start_threshold_bytes());
        self.note_completion(now);
    }

    /// The time of [`Sender::next_wakeup`] has come; early and late calls are harmless.
    pub fn on_timer(&mut self, now: Nanos, first_hop: &CrossLayer) {
        self.clock = now;
        if self.timer.is_some_and(|at| at <= now) {
            self.round_trip.back_off();
            self.timer = Some(now.saturating_add(self.round_trip.timeout()));
            if self.handshake.is_done() {
                let event = self.recovery.on_timeout(&mut self.scoreboard);
                self.notify(now, first_hop, event);
            } else {
                self.handshake.on_timeout();
                self.counts.timeouts += 1;
            }
        }
        if self.endpoint_timer().is_some_and(|at| at <= now) {
            self.endpoint.on_timer(now, &self.view(first_hop));
            self.endpoint_wait = now.saturating_add(MIN_ENDPOINT_WAIT);
        }
    }

    /// When to call [`Sender::on_timer`] and then [`Sender::poll`] if nothing happens before; to be queried after every call.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<Nanos> {
        [self.timer, self.endpoint_timer(), self.next_departure()].into_iter().flatten().min()
    }

    /// A probe was answered: a round-trip time sample and the state of the path, but no acknowledgement.
    fn on_answer(&mut self, now: Nanos, answer: &Packet, first_hop: &CrossLayer) {
        let opens = !self.handshake.is_done();
        let rtt_s = (!answer.retransmitted).then(|| seconds(now.saturating_sub(answer.sent_at)));
        match rtt_s {
            Some(rtt_s) if opens => self.round_trip.sample_of_syn(rtt_s),
            Some(rtt_s) => self.round_trip.sample(rtt_s),
            None => {}
        }
        if opens {
            self.handshake.on_answer();
            self.timer = None;
        }
        let news = Ack {
            newly_acked_bytes: 0,
            advanced: false,
            segment: answer.segment,
            rtt_s,
            in_recovery: self.recovery.is_fast(),
            congestion_echo: false,
            header: answer.header,
        };
        self.endpoint.on_ack(now, &self.view(first_hop), &news);
    }

    fn endpoint_timer(&self) -> Option<Nanos> {
        let idle = self.scoreboard.outstanding() == 0 && self.application.is_over(self.scoreboard.next(), self.clock);
        let wanted = self.endpoint.next_timer().filter(|_| !idle);
        wanted.map(|at| at.max(self.endpoint_wait))
    }

    fn echo(&self, ack: &Packet) -> Option<Congestion> {
        let news = ack.segment >= self.echo_point && !self.recovery.repairs();
        (ack.congestion_experienced && news).then(|| Congestion::Echo { flight_bytes: self.flight_bytes() })
    }

    fn notify(&mut self, now: Nanos, first_hop: &CrossLayer, event: Congestion) {
        match event {
            Congestion::FastRetransmit { .. } => self.counts.fast_retransmits += 1,
            Congestion::Timeout { .. } => self.counts.timeouts += 1,
            _ => {}
        }
        if matches!(event, Congestion::FastRetransmit { .. } | Congestion::Timeout { .. } | Congestion::Echo { .. }) {
            // One reaction per window of data (RFC 3168, sec. 6.1.2).
            self.echo_point = self.scoreboard.next();
        }
        self.endpoint.on_congestion(now, &self.view(first_hop), event);
    }

    fn note_completion(&mut self, now: Nanos) {
        let all = self.scoreboard.outstanding() == 0 && self.application.is_complete(self.scoreboard.next());
        if all {
            self.completed_at = self.completed_at.or(Some(now));
        }
    }
}
