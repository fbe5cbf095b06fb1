//! The destination's end of a flow.

use crate::controller::Receiver;
use crate::cross_layer::CrossLayer;
use crate::index::FlowId;
use crate::packet::{Header, Packet, PacketKind};
use crate::transport::application::Application;
use crate::transport::ranges::Ranges;
use crate::transport::uid;
use crate::units::Nanos;
use crate::world::FlowSpec;

/// Ranges that one acknowledgement has room for, as in [`Packet::sack`].
const SACK_BLOCKS: usize = 3;
/// Segments that one delayed acknowledgement answers at most (RFC 5681, sec. 4.2).
const DELAYED_SEGMENTS: u32 = 2;

/// Puts the segments of one flow in order and acknowledges them.
pub struct DataReceiver {
    flow: FlowId,
    receiver: Box<dyn Receiver>,
    application: Application,
    acknowledged: bool,
    selective: bool,
    ack_bytes: u32,
    window_bytes: u32,
    delay: Option<Nanos>,
    /// Everything below has arrived.
    cumulative: u64,
    /// Payload of the datagrams that arrived, bytes: any may be missing, and they differ in size.
    datagram_bytes: u64,
    /// What arrived above.
    above: Ranges,
    /// One segment in each of the ranges that changed last, latest first (RFC 2018, sec. 4).
    recent: Vec<u64>,
    held: Option<Held>,
    acks: u64,
}

/// An acknowledgement that waits for a second segment.
#[derive(Clone, Copy, Debug)]
struct Held {
    ack: Packet,
    segments: u32,
    until: Nanos,
}

impl DataReceiver {
    /// The destination of `flow` as `spec` declares it.
    #[must_use]
    pub fn new(flow: FlowId, spec: &FlowSpec, receiver: Box<dyn Receiver>) -> Self {
        let mut application = Application::new(spec);
        let datagrams = receiver.datagrams();
        if let Some(datagrams) = datagrams {
            application = application.in_datagrams(datagrams);
        }
        Self {
            flow,
            receiver,
            application,
            acknowledged: spec.ack_bytes > 0 && datagrams.is_none(),
            selective: spec.transport.sack,
            ack_bytes: spec.ack_bytes,
            window_bytes: spec.transport.receive_window_bytes,
            delay: spec.transport.delayed_ack_ns,
            cumulative: 0,
            datagram_bytes: 0,
            above: Ranges::default(),
            recent: Vec::with_capacity(SACK_BLOCKS + 1),
            held: None,
            acks: 0,
        }
    }

    /// Data or a probe arrived; the acknowledgement or answer to send now, if any.
    pub fn on_data(&mut self, now: Nanos, link: &CrossLayer, packet: &Packet) -> Option<Packet> {
        if !self.acknowledged {
            self.datagram_bytes += u64::from(self.application.payload_of(packet.segment));
            return None;
        }
        if packet.kind == PacketKind::Probe {
            let mut answer = Packet { kind: PacketKind::Answer, ..self.ack(packet) };
            self.receiver.on_data(now, link, packet, &mut answer);
            return Some(self.numbered(answer));
        }
        // What leaves, fills or ends a gap is acknowledged at once (RFC 5681, sec. 4.2).
        let in_order = self.take(packet.segment);
        let mut ack = self.ack(packet);
        self.receiver.on_data(now, link, packet, &mut ack);
        let earlier = self.held.take();
        if let Some(held) = earlier {
            // The time stamp echoed is that of the earliest segment that waits to be acknowledged, so that round-trip
            // times, and with them timeouts, include the delay (RFC 7323, sec. 4.3, case A).
            (ack.sent_at, ack.retransmitted) = (held.ack.sent_at, held.ack.retransmitted);
            self.receiver.on_joined(&held.ack, &mut ack);
        }
        if let (Some(delay), true, false) = (self.delay, in_order, packet.congestion_experienced) {
            let segments = earlier.map_or(1, |held| held.segments + 1);
            if segments < DELAYED_SEGMENTS {
                self.held = Some(Held { ack, segments, until: now.saturating_add(delay) });
                return None;
            }
        }
        Some(self.numbered(ack))
    }

    /// The acknowledgement whose delay has passed, if any.
    pub fn on_timer(&mut self, now: Nanos) -> Option<Packet> {
        let held = self.held.take_if(|held| held.until <= now)?;
        Some(self.numbered(held.ack))
    }

    /// When to call [`DataReceiver::on_timer`]; ask after every call. Only delayed acknowledgements need it.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<Nanos> {
        self.held.map(|held| held.until)
    }

    /// Payload bytes handed to the application: each once; those of segments in order, of datagrams as they arrive.
    #[must_use]
    pub fn delivered_bytes(&self) -> u64 {
        self.application.bytes_below(self.cumulative) + self.datagram_bytes
    }

    /// Adds a segment; returns whether it was the next one and there was no gap above.
    fn take(&mut self, segment: u64) -> bool {
        let window_segments = u64::from(self.window_bytes / self.application.payload_bytes()).max(1);
        let fits = segment >= self.cumulative && segment - self.cumulative < window_segments;
        let in_order = segment == self.cumulative && self.above.as_slice().is_empty();
        if fits {
            self.above.insert(segment, segment + 1);
            self.recent.insert(0, segment);
        }
        self.cumulative = self.above.first_gap(self.cumulative);
        self.above.remove_below(self.cumulative);
        self.forget_stale_ranges();
        in_order
    }

    /// Keeps one segment per range, the latest, and none of what has been delivered.
    fn forget_stale_ranges(&mut self) {
        let mut kept: Vec<(u64, u64)> = Vec::with_capacity(SACK_BLOCKS);
        let above = &self.above;
        self.recent.retain(|segment| match above.range_of(*segment) {
            Some(range) if !kept.contains(&range) && kept.len() < SACK_BLOCKS => {
                kept.push(range);
                true
            }
            _ => false,
        });
    }

    fn ack(&self, packet: &Packet) -> Packet {
        let mut sack = [(0, 0); SACK_BLOCKS];
        if self.selective {
            let ranges = self.recent.iter().filter_map(|segment| self.above.range_of(*segment));
            for (block, range) in sack.iter_mut().zip(ranges) {
                *block = range;
            }
        }
        Packet {
            uid: 0,
            flow: self.flow,
            kind: PacketKind::Ack,
            segment: packet.segment,
            size_bytes: self.ack_bytes,
            sent_at: packet.sent_at,
            retransmitted: packet.retransmitted,
            hop: 0,
            congestion_experienced: packet.congestion_experienced,
            cumulative: self.cumulative,
            sack,
            receive_window_bytes: self.window_bytes,
            header: Header::None,
        }
    }

    fn numbered(&mut self, ack: Packet) -> Packet {
        self.acks += 1;
        Packet { uid: uid(self.flow, PacketKind::Ack, self.acks), ..ack }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::{Echo, FlowSetup, Mode};
    use crate::controllers;
    use crate::packet::{C3tcpHeader, WcpHeader, XcpHeader};

    /// The header of the acknowledgement that answers two segments with these headers.
    fn joined(receiver: Box<dyn Receiver>, headers: [Header; 2]) -> Header {
        let mut spec = FlowSpec::new("f", ["a", "b"]);
        spec.transport.delayed_ack_ns = Some(1_000);
        let mut receiver = DataReceiver::new(FlowId(0), &spec, receiver);
        let mut acks = (0..).zip(headers).map(|(segment, header)| {
            let kind = PacketKind::Data;
            let packet = Packet { segment, header, ..controllers::test_flow::packet(kind, 1040, Header::None) };
            receiver.on_data(0, &CrossLayer::default(), &packet)
        });
        assert_eq!(acks.next(), Some(None), "the first waits");
        acks.next().flatten().expect("the second answers both").header
    }

    fn receiver_of(name: &str) -> Box<dyn Receiver> {
        let flow = FlowSetup { mss_bytes: 1000, header_bytes: 40, hops: 1, initial_window_segments: 1 };
        let controller = controllers::make(name, Mode::Corrected, &serde_json::Value::Null).expect("it exists");
        controller.receiver(&flow)
    }

    /// XCP's receiver returns the feedback of every packet: 1000 and -300 bytes/s.
    #[test]
    fn an_acknowledgement_of_two_segments_returns_the_feedback_of_both() {
        let granted = |delta_bytes_per_s| Header::Xcp(XcpHeader { delta_bytes_per_s, ..XcpHeader::default() });
        for name in ["xcp", "xcp_b", "xcp_winf"] {
            let Header::Xcp(header) = joined(receiver_of(name), [granted(1000.0), granted(-300.0)]) else {
                panic!("{name} has another header");
            };
            assert_eq!(header.reverse_feedback_bytes_per_s, 700.0, "{name}");
        }
    }

    /// S001 sec. 4.4: the module includes the measurement of the last packet that an acknowledgement covers.
    #[test]
    fn an_acknowledgement_of_two_segments_returns_the_last_measurement() {
        let measured = |bandwidth_bps| {
            let header = C3tcpHeader { bandwidth_bps, forward_delay_s: 0.01, backward_delay_s: 0.0, measured: true };
            Header::C3tcp(header)
        };
        assert_eq!(joined(receiver_of("c3tcp"), [measured(1e6), measured(3e6)]), measured(3e6));
    }

    #[test]
    fn a_mark_on_the_first_of_two_segments_is_not_lost() {
        let marked = |congested| Header::Wcp(WcpHeader { congested, ..WcpHeader::default() });
        assert_eq!(joined(Box::new(Echo), [marked(true), marked(false)]), marked(true));
    }
}
