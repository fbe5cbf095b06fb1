//! The end of a frame at its receiver and at the stations that overhear it.

use std::sync::Arc;

use crate::controller::NeighbourReport;
use crate::event::{Event, EventQueue, Rank};
use crate::index::{NodeId, TransmissionId};
use crate::units::Nanos;
use crate::world::AnswerWait;

use super::carrier::ReceptionOutcome;
use super::frame::{Frame, FrameKind, Transmission};
use super::mac_indication::MacIndication;
use super::station::{Phase, Response};
use super::Medium;

impl Medium {
    /// A transmission ends.
    pub(crate) fn frame_ends(&mut self, now: Nanos, events: &mut EventQueue, transmission: TransmissionId) {
        let Some(Transmission { frame, audibility, report }) = self.air.remove(transmission) else { return };
        self.station(frame.from).carrier.sending = false;
        self.await_response(now, events, &frame);
        self.update_carrier_sense(now, events, frame.from, false);
        let mut listener = 0;
        while let Some(&heard) = audibility.as_deref().unwrap_or(&self.audibility).of(frame.from).get(listener) {
            listener += 1;
            let outcome = self.station(heard.by).carrier.frame_ends(transmission, heard.senses);
            match outcome {
                ReceptionOutcome::Decoded | ReceptionOutcome::Corrupted
                    if heard.by == frame.to && frame.kind == FrameKind::Ampdu =>
                {
                    self.receive_packets(now, events, &frame, report.as_ref());
                }
                ReceptionOutcome::Decoded if heard.by == frame.to && self.channel_loses(&frame) => {
                    self.start_eifs(now, heard.by, true)
                }
                ReceptionOutcome::Decoded => self.receive(now, events, heard.by, &frame, report.as_ref()),
                ReceptionOutcome::Corrupted => self.start_eifs(now, heard.by, true),
                ReceptionOutcome::Missed if heard.senses => {
                    // What is sent at the lower rate stands at the end: it is lost where another frame is on the air then.
                    let carrier = &self.stations[heard.by].carrier;
                    if self.reports_reach_sensing && !carrier.sending && !carrier.senses_a_frame() {
                        let overheard = |report| MacIndication::Overheard(heard.by, frame.from, Arc::clone(report));
                        self.indications.extend(report.as_ref().map(overheard));
                    }
                    self.start_eifs(now, heard.by, false);
                }
                ReceptionOutcome::Missed => {}
            }
            self.update_carrier_sense(now, events, heard.by, false);
        }
        if frame.kind == FrameKind::Broadcast {
            // Nobody answers: it is done, whoever got it.
            self.finish(now, frame.from, None, false);
        }
    }

    /// Draws whether the channel loses a frame on the way to its receiver.
    fn channel_loses(&mut self, frame: &Frame) -> bool {
        let Some(Some(radio)) = self.links.get_mut(frame.link) else { return false };
        let loss = match frame.kind {
            FrameKind::Data | FrameKind::Ampdu => radio.conditions.loss,
            _ => radio.conditions.control_loss,
        };
        let lost = radio.channel.chance(loss);
        let opener = match frame.kind {
            FrameKind::Cts | FrameKind::Ack | FrameKind::BlockAck => frame.to,
            _ => frame.from,
        };
        if let (true, Some(service)) = (lost, &mut self.station(opener).service) {
            service.lost_by_channel = true;
        }
        lost
    }

    /// A node decoded a frame.
    fn receive(
        &mut self,
        now: Nanos,
        events: &mut EventQueue,
        node: NodeId,
        frame: &Frame,
        report: Option<&Arc<NeighbourReport>>,
    ) {
        self.station(node).eifs_until = 0;
        if let Some(report) = report {
            self.indications.push_back(MacIndication::Overheard(node, frame.from, Arc::clone(report)));
        }
        self.capture(now, node, frame);
        if frame.kind == FrameKind::Broadcast {
            self.indications.push_back(MacIndication::Broadcast(node, frame.from));
        }
        if node != frame.to {
            self.set_nav(now, events, node, frame);
            return;
        }
        let (sifs, cts) = (self.mac.sifs_ns, self.cts_airtime(frame));
        let unknown_format = self.stations[frame.from].service.is_some_and(|service| service.not_understood);
        let station = self.station(node);
        match frame.kind {
            // A station with a set NAV, or one that waits for a response itself, sends no CTS (10.3.2.9).
            FrameKind::Rts
                if station.carrier.nav <= now && matches!(station.phase, Phase::Idle | Phase::Contending) =>
            {
                let duration = frame.duration - sifs - cts;
                self.schedule_response(now, events, node, Response::Cts(frame.from, frame.link, duration));
            }
            FrameKind::Rts => {}
            FrameKind::Cts if station.phase == Phase::Requesting => self.clear_to_send(now, events, node),
            FrameKind::Cts => {}
            FrameKind::Data if unknown_format => {}
            FrameKind::Data => {
                self.schedule_response(now, events, node, Response::Ack(frame.from, frame.link));
                self.deliver(frame);
            }
            FrameKind::BlockAckRequest => {
                self.schedule_response(now, events, node, Response::BlockAck(frame.from, frame.link));
            }
            FrameKind::Ack | FrameKind::BlockAck if station.phase != Phase::Sending => {}
            FrameKind::Ack | FrameKind::BlockAck if station.ampdu.is_empty() => self.acknowledged(now, node),
            FrameKind::Ack | FrameKind::BlockAck => self.answered(now, events, node),
            FrameKind::Ampdu | FrameKind::Broadcast => {}
        }
    }

    /// rt-Winf captures a frame.
    pub(super) fn capture(&mut self, now: Nanos, node: NodeId, frame: &Frame) {
        if self.station(node).rt_winf.is_none() {
            return;
        }
        let sent = self.station(frame.from).service.map_or((0, 0), |service| (service.job.bytes, service.data_airtime));
        let (addressed, link) = (node == frame.to, frame.link);
        let Some(rt_winf) = &mut self.station(node).rt_winf else { return };
        match frame.kind {
            FrameKind::Rts => rt_winf.rts(now, link, frame.duration, addressed),
            FrameKind::Cts => rt_winf.cts(now, link, frame.duration, addressed),
            FrameKind::Data | FrameKind::Ampdu => {
                // The Duration of a data frame is SIFS and ACK.
                let (bytes, airtime) = sent;
                let ack = frame.duration.saturating_sub(rt_winf.sifs());
                rt_winf.data(now, link, bytes, airtime, ack, addressed);
            }
            FrameKind::Ack | FrameKind::BlockAck => rt_winf.ack(now, link),
            // Of a broadcast rt-Winf measures nothing: its Duration is 0, and no ACK follows.
            FrameKind::BlockAckRequest | FrameKind::Broadcast => {}
        }
    }

    /// A data frame reached its receiver; retransmissions of one already received are duplicates.
    fn deliver(&mut self, frame: &Frame) {
        if let Some(service) = &mut self.stations[frame.from].service {
            if !service.delivered {
                service.delivered = true;
                self.indications.push_back(MacIndication::Delivered { link: frame.link, number: service.job.number });
            }
        }
    }

    /// Sets the NAV from a frame addressed to another station.
    fn set_nav(&mut self, now: Nanos, events: &mut EventQueue, node: NodeId, frame: &Frame) {
        let until = now + frame.duration;
        let carrier = &mut self.stations[node].carrier;
        if until <= carrier.nav || frame.duration == 0 {
            return;
        }
        carrier.nav = until;
        carrier.nav_set_at = now;
        events.push(until, Rank::Departure, node.0, Event::NavEnd(node));
        if frame.kind == FrameKind::Rts && self.mac.nav_reset {
            let start = match self.mac.answer_wait {
                AnswerWait::Whole | AnswerWait::Bare => 0,
                AnswerWait::Header => self.mac.plcp_ns,
            };
            let at = now + 2 * self.mac.sifs_ns + self.cts_airtime(frame) + start + 2 * self.mac.slot_ns;
            events.push(at, Rank::Departure, node.0, Event::NavReset(node, now));
        }
    }

    fn cts_airtime(&self, frame: &Frame) -> Nanos {
        match self.links.get(frame.link) {
            Some(Some(radio)) => radio.conditions.control.cts,
            _ => 0,
        }
    }
}
