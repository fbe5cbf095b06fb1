//! The source's end of a flow.

use crate::controller::{Ack, Congestion, Endpoint, FlowView};
use crate::cross_layer::CrossLayer;
use crate::index::FlowId;
use crate::packet::{Header, Packet, PacketKind};
use crate::transport::application::Application;
use crate::transport::handshake::Handshake;
use crate::transport::pacer::Pacer;
use crate::transport::recovery::Recovery;
use crate::transport::round_trip::RoundTrip;
use crate::transport::scoreboard::Scoreboard;
use crate::transport::uid;
use crate::units::{seconds, Nanos, MILLISECOND, SECOND};
use crate::world::FlowSpec;

/// Timeout before the first sample (RFC 6298, sec. 2.1).
const INITIAL_TIMEOUT: Nanos = SECOND;
/// Granularity of the timer's clock, G of RFC 6298.
const GRANULARITY: Nanos = MILLISECOND;
/// Least time between two calls of an endpoint's timer, so that no endpoint can hold time still.
const MIN_ENDPOINT_WAIT: Nanos = MILLISECOND;

/// Sends the segments of one flow as its endpoint allows and repairs what is lost.
pub struct Sender {
    flow: FlowId,
    application: Application,
    endpoint: Box<dyn Endpoint>,
    header_bytes: u32,
    /// Size of a packet that is headers alone, bytes.
    bare_bytes: u32,
    /// Whether the destination acknowledges; otherwise a segment is forgotten as it leaves.
    acknowledged: bool,
    selective: bool,
    handshake: Handshake,
    board: Scoreboard,
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
    /// A congestion echo is news again with the first segment that was sent after the last reaction.
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

/// A sender at one instant, for the record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SenderStats {
    /// The endpoint's window, bytes; infinite where it only paces.
    pub window_bytes: f64,
    /// The endpoint's pace, bytes/s.
    pub pacing_bytes_per_s: Option<f64>,
    /// The endpoint's slow-start threshold, bytes.
    pub slow_start_threshold_bytes: Option<f64>,
    /// Smoothed round-trip time, seconds.
    pub smoothed_rtt_s: Option<f64>,
    /// Last round-trip time, seconds.
    pub last_rtt_s: Option<f64>,
    /// Least round-trip time, seconds.
    pub least_rtt_s: Option<f64>,
    /// Retransmission timeout, nanoseconds.
    pub retransmission_timeout: Nanos,
    /// Payload bytes in flight.
    pub flight_bytes: u64,
    /// Payload bytes acknowledged cumulatively; of datagrams, sent.
    pub acknowledged_bytes: u64,
    /// Packets sent, retransmissions included.
    pub packets_sent: u64,
    /// Packets sent again.
    pub retransmissions: u64,
    /// Times fast recovery began.
    pub fast_retransmits: u64,
    /// Times the retransmission timer fired.
    pub timeouts: u64,
    /// When the last byte of a finite flow was acknowledged, or of datagrams sent.
    pub completed_at: Option<Nanos>,
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
            bare_bytes: spec.ack_bytes,
            acknowledged,
            selective: transport.sack,
            handshake: Handshake::new(transport.handshake && acknowledged),
            board: Scoreboard::default(),
            recovery: Recovery::new(transport.sack, application.payload_bytes()),
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

    /// The next packet that may leave now; ask again until there is none.
    pub fn poll(&mut self, now: Nanos, first_hop: &CrossLayer) -> Option<Packet> {
        self.clock = now;
        if !self.handshake.is_done() {
            return self.syn(now, first_hop);
        }
        if self.pacer.ready_at(self.endpoint.pacing_bytes_per_s()).is_none_or(|at| at > now) {
            return self.refresh(now, first_hop);
        }
        let (segment, again) =
            self.next_segment().filter(|&(segment, again)| again || self.application.has(segment, now))?;
        let mut packet = self.packet(now, segment, again);
        self.endpoint.on_send(now, &self.view(first_hop), &mut packet);
        self.pacer.departed(now, packet.size_bytes);
        self.left(now);
        if again {
            self.board.sent_again(segment);
            self.recovery.repaired();
            self.counts.retransmissions += 1;
        } else {
            self.board.send_new();
        }
        if self.acknowledged {
            self.timer = self.timer.or(Some(now.saturating_add(self.round_trip.timeout())));
        } else {
            self.board.forget();
            self.note_completion(now);
        }
        Some(packet)
    }

    /// An acknowledgement came back.
    pub fn on_ack(&mut self, now: Nanos, ack: &Packet, first_hop: &CrossLayer) {
        self.clock = now;
        if !self.acknowledged {
            return;
        }
        if ack.kind == PacketKind::Answer {
            return self.on_answer(now, ack, first_hop);
        }
        let in_recovery = self.recovery.is_fast();
        let before = self.board.unacknowledged();
        let duplicate = ack.cumulative == before && self.board.outstanding() > 0;
        let selective = if self.selective { &ack.sack[..] } else { &[] };
        let progress = self.board.acknowledge(ack.cumulative, selective);
        if ack.cumulative >= before {
            self.receive_window_bytes = u64::from(ack.receive_window_bytes);
        }
        // Karn's rule: what was sent twice tells no round-trip time.
        let sampled = progress.newly_arrived > 0 && !ack.retransmitted;
        let rtt_s = sampled.then(|| seconds(now.saturating_sub(ack.sent_at)));
        if let Some(rtt_s) = rtt_s {
            self.round_trip.sample(rtt_s);
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
        let verdict = self.recovery.on_ack(&mut self.board, progress, duplicate);
        if verdict.restart_timer {
            self.timer = Some(now.saturating_add(self.round_trip.timeout()));
        }
        if self.board.outstanding() == 0 {
            self.timer = None;
        }
        if let Some(event) = verdict.event.or_else(|| self.echo(ack)) {
            self.tell(now, first_hop, event);
        }
        self.note_completion(now);
    }

    /// A time that [`Sender::next_wakeup`] named has come; early and late calls do no harm.
    pub fn on_timer(&mut self, now: Nanos, first_hop: &CrossLayer) {
        self.clock = now;
        if self.timer.is_some_and(|at| at <= now) {
            self.round_trip.back_off();
            self.timer = Some(now.saturating_add(self.round_trip.timeout()));
            if self.handshake.is_done() {
                let event = self.recovery.on_timeout(&mut self.board);
                self.tell(now, first_hop, event);
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

    /// When to call [`Sender::on_timer`] and then [`Sender::poll`] if nothing happens before; ask after every call.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<Nanos> {
        [self.timer, self.endpoint_timer(), self.next_departure()].into_iter().flatten().min()
    }

    /// The sender as it stands.
    #[must_use]
    pub fn stats(&self) -> SenderStats {
        SenderStats {
            window_bytes: self.open_window_bytes(),
            pacing_bytes_per_s: self.endpoint.pacing_bytes_per_s(),
            slow_start_threshold_bytes: self.endpoint.slow_start_threshold_bytes(),
            smoothed_rtt_s: self.round_trip.smoothed_s(),
            last_rtt_s: self.round_trip.last_s(),
            least_rtt_s: self.round_trip.least_s(),
            retransmission_timeout: self.round_trip.timeout(),
            flight_bytes: self.flight_bytes(),
            acknowledged_bytes: self.application.bytes_below(self.board.unacknowledged()),
            packets_sent: self.counts.sent,
            retransmissions: self.counts.retransmissions,
            fast_retransmits: self.counts.fast_retransmits,
            timeouts: self.counts.timeouts,
            completed_at: self.completed_at,
        }
    }

    /// The SYN, if one has to leave now.
    fn syn(&mut self, now: Nanos, first_hop: &CrossLayer) -> Option<Packet> {
        if !self.application.has(self.board.next(), now) {
            self.timer = None;
            return None;
        }
        let again = self.handshake.send()?;
        self.counts.retransmissions += u64::from(again);
        self.timer = self.timer.or(Some(now.saturating_add(self.round_trip.timeout())));
        Some(self.probe(now, again, first_hop))
    }

    /// A probe, where the endpoint wants one while data waits.
    fn refresh(&mut self, now: Nanos, first_hop: &CrossLayer) -> Option<Packet> {
        let (segment, again) = self.next_segment()?;
        let waits = again || self.application.has(segment, now);
        let due = self.probe_at().filter(|&at| waits && at <= now);
        due.map(|_| self.probe(now, false, first_hop))
    }

    fn probe_at(&self) -> Option<Nanos> {
        let interval = self.endpoint.probe_interval().filter(|_| self.acknowledged)?;
        Some(self.last_sent.saturating_add(interval.max(MIN_ENDPOINT_WAIT)))
    }

    fn probe(&mut self, now: Nanos, retransmitted: bool, first_hop: &CrossLayer) -> Packet {
        let data = self.packet(now, self.board.next(), retransmitted);
        let mut packet = Packet { kind: PacketKind::Probe, size_bytes: self.bare_bytes, ..data };
        self.endpoint.on_send(now, &self.view(first_hop), &mut packet);
        self.left(now);
        packet
    }

    fn left(&mut self, now: Nanos) {
        self.counts.sent += 1;
        self.last_sent = now;
    }

    /// A probe was answered: it tells a round-trip time and what the path says, and acknowledges nothing.
    fn on_answer(&mut self, now: Nanos, answer: &Packet, first_hop: &CrossLayer) {
        if !self.handshake.is_done() {
            self.handshake.on_answer();
            self.timer = None;
        }
        let rtt_s = (!answer.retransmitted).then(|| seconds(now.saturating_sub(answer.sent_at)));
        if let Some(rtt_s) = rtt_s {
            self.round_trip.sample(rtt_s);
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

    /// The endpoint's window; one segment, for the SYN, until the connection is open.
    fn open_window_bytes(&self) -> f64 {
        let window = self.endpoint.window_bytes();
        match self.handshake.is_done() {
            true => window,
            false => window.min(f64::from(self.application.payload_bytes())),
        }
    }

    /// The segment to send next as far as windows go, and whether it is sent again.
    fn next_segment(&self) -> Option<(u64, bool)> {
        if self.recovery.repairs() {
            if let Some(lost) = self.board.next_lost() {
                return (self.recovery.is_forced() || self.window_has_room(lost)).then_some((lost, true));
            }
        }
        let segment = self.board.next();
        let room = if self.acknowledged {
            self.window_has_room(segment) && self.receiver_has_room()
        } else {
            // Nothing comes back to stop datagrams: the clock of the source or a pace must.
            self.application.is_timed() || self.endpoint.pacing_bytes_per_s().is_some_and(f64::is_finite)
        };
        room.then_some((segment, false))
    }

    fn window_has_room(&self, segment: u64) -> bool {
        let segment_bytes = f64::from(self.application.payload_bytes());
        let window = self.endpoint.window_bytes() + self.recovery.inflation_bytes() as f64;
        let flight = self.recovery.flight(&self.board) as f64 * segment_bytes;
        // `max` also turns a window that is no number into one segment.
        flight + f64::from(self.application.payload_of(segment)) <= window.max(segment_bytes)
    }

    /// A window below one segment counts as one, so that no probes of a closed window are needed.
    fn receiver_has_room(&self) -> bool {
        let segment_bytes = u64::from(self.application.payload_bytes());
        (self.board.outstanding() + 1) * segment_bytes <= self.receive_window_bytes.max(segment_bytes)
    }

    fn next_departure(&self) -> Option<Nanos> {
        if let Handshake::Due { .. } = self.handshake {
            let segment = self.board.next();
            let over = self.application.is_over(segment, self.clock);
            return (!over).then(|| self.application.born_at(segment));
        }
        if !self.handshake.is_done() {
            return None;
        }
        let (segment, again) = self.next_segment()?;
        let born = match again {
            true => 0,
            false if self.application.is_over(segment, self.clock) => return None,
            false => self.application.born_at(segment),
        };
        let paced = self.pacer.ready_at(self.endpoint.pacing_bytes_per_s());
        [paced, self.probe_at()].into_iter().flatten().min().map(|at| at.max(born))
    }

    fn endpoint_timer(&self) -> Option<Nanos> {
        let idle = self.board.outstanding() == 0 && self.application.is_over(self.board.next(), self.clock);
        let wanted = self.endpoint.next_timer().filter(|_| !idle);
        wanted.map(|at| at.max(self.endpoint_wait))
    }

    fn echo(&self, ack: &Packet) -> Option<Congestion> {
        let news = ack.segment >= self.echo_point && !self.recovery.repairs();
        (ack.congestion_experienced && news).then(|| Congestion::Echo { flight_bytes: self.flight_bytes() })
    }

    fn tell(&mut self, now: Nanos, first_hop: &CrossLayer, event: Congestion) {
        match event {
            Congestion::FastRetransmit { .. } => self.counts.fast_retransmits += 1,
            Congestion::Timeout { .. } => self.counts.timeouts += 1,
            _ => {}
        }
        if matches!(event, Congestion::FastRetransmit { .. } | Congestion::Timeout { .. } | Congestion::Echo { .. }) {
            // One reaction per window of data (RFC 3168, sec. 6.1.2).
            self.echo_point = self.board.next();
        }
        self.endpoint.on_congestion(now, &self.view(first_hop), event);
    }

    fn note_completion(&mut self, now: Nanos) {
        let all = self.board.outstanding() == 0 && self.application.is_complete(self.board.next());
        if all {
            self.completed_at = self.completed_at.or(Some(now));
        }
    }

    fn flight_bytes(&self) -> u64 {
        self.board.in_flight() * u64::from(self.application.payload_bytes())
    }

    fn view(&self, first_hop: &CrossLayer) -> FlowView {
        FlowView {
            mss_bytes: self.application.payload_bytes(),
            header_bytes: self.header_bytes,
            flight_bytes: self.flight_bytes(),
            smoothed_rtt_s: self.round_trip.smoothed_s(),
            last_rtt_s: self.round_trip.last_s(),
            least_rtt_s: self.round_trip.least_s(),
            retransmission_timeout: self.round_trip.timeout(),
            next_segment: self.board.next(),
            first_hop: *first_hop,
        }
    }

    fn packet(&self, now: Nanos, segment: u64, retransmitted: bool) -> Packet {
        Packet {
            uid: uid(self.flow, PacketKind::Data, self.counts.sent),
            flow: self.flow,
            kind: PacketKind::Data,
            segment,
            size_bytes: self.application.payload_of(segment).saturating_add(self.header_bytes),
            sent_at: now,
            retransmitted,
            hop: 0,
            congestion_experienced: false,
            cumulative: 0,
            sack: [(0, 0); 3],
            receive_window_bytes: 0,
            header: Header::None,
        }
    }
}
