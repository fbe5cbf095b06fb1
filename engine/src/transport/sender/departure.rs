//! What a sender sends next, and when: new segments, retransmissions, SYNs and probes.

use crate::cross_layer::CrossLayer;
use crate::packet::{Header, Packet, PacketKind};
use crate::transport::handshake::Handshake;
use crate::transport::uid;
use crate::units::Nanos;

use super::{Sender, MIN_ENDPOINT_WAIT};

impl Sender {
    /// The next packet that may leave now; to be called until there is none.
    pub fn poll(&mut self, now: Nanos, first_hop: &CrossLayer) -> Option<Packet> {
        self.clock = now;
        if !self.handshake.is_done() {
            return self.syn(now, first_hop);
        }
        if self.pacer.ready_at(self.endpoint.pacing_bytes_per_s()).is_none_or(|at| at > now) {
            return self.probe_if_due(now, first_hop);
        }
        let (segment, again) =
            self.next_segment().filter(|&(segment, again)| again || self.application.has(segment, now))?;
        let mut packet = self.packet(now, segment, again);
        self.endpoint.on_send(now, &self.view(first_hop), &mut packet);
        self.pacer.departed(now, packet.size_bytes);
        self.departed(now);
        self.recovery.sent();
        if again {
            self.scoreboard.sent_again(segment);
            self.recovery.repaired();
            self.counts.retransmissions += 1;
        } else {
            self.scoreboard.send_new();
        }
        if self.acknowledged {
            self.timer = self.timer.or(Some(now.saturating_add(self.round_trip.timeout())));
        } else {
            self.scoreboard.forget();
            self.note_completion(now);
        }
        Some(packet)
    }

    /// The SYN, if one has to leave now.
    fn syn(&mut self, now: Nanos, first_hop: &CrossLayer) -> Option<Packet> {
        if !self.application.has(self.scoreboard.next(), now) {
            self.timer = None;
            return None;
        }
        let again = self.handshake.send()?;
        self.counts.retransmissions += u64::from(again);
        self.timer = self.timer.or(Some(now.saturating_add(self.round_trip.timeout())));
        Some(self.probe(now, again, first_hop))
    }

    /// A probe, where the endpoint wants one while data waits.
    fn probe_if_due(&mut self, now: Nanos, first_hop: &CrossLayer) -> Option<Packet> {
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
        let data = self.packet(now, self.scoreboard.next(), retransmitted);
        let mut packet = Packet { kind: PacketKind::Probe, size_bytes: self.probe_bytes, ..data };
        self.endpoint.on_send(now, &self.view(first_hop), &mut packet);
        self.departed(now);
        packet
    }

    fn departed(&mut self, now: Nanos) {
        self.counts.sent += 1;
        self.last_sent = now;
    }

    /// The segment to send next as far as windows go, and whether it is sent again.
    fn next_segment(&self) -> Option<(u64, bool)> {
        if self.recovery.repairs() {
            if let Some(lost) = self.scoreboard.next_lost() {
                return (self.recovery.is_forced() || self.window_has_room(lost)).then_some((lost, true));
            }
        }
        let segment = self.scoreboard.next();
        let room = if self.acknowledged {
            self.window_has_room(segment) && self.receiver_has_room()
        } else {
            // Without acknowledgements only the times of the source or a pace limit datagrams.
            self.application.is_timed() || self.endpoint.pacing_bytes_per_s().is_some_and(f64::is_finite)
        };
        room.then_some((segment, false))
    }

    fn window_has_room(&self, segment: u64) -> bool {
        let segment_bytes = f64::from(self.application.payload_bytes());
        let window = self.recovery.window_bytes(self.endpoint.window_bytes());
        let flight = self.recovery.flight(&self.scoreboard) as f64 * segment_bytes;
        // `max` also turns a NaN window into one segment.
        flight + f64::from(self.application.payload_of(segment)) <= window.max(segment_bytes)
    }

    /// A window below one segment counts as one, so that no probes of a closed window are needed.
    fn receiver_has_room(&self) -> bool {
        let segment_bytes = u64::from(self.application.payload_bytes());
        (self.scoreboard.outstanding() + 1) * segment_bytes <= self.receive_window_bytes.max(segment_bytes)
    }

    pub(super) fn next_departure(&self) -> Option<Nanos> {
        if let Handshake::Due { .. } = self.handshake {
            let segment = self.scoreboard.next();
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
