//! Frame exchanges at the initiator: attempts, responses, retries.

use crate::controller::AirStamps;
use crate::event::{Event, EventQueue, Rank};
use crate::index::NodeId;
use crate::measure::PacketTimes;
use crate::units::Nanos;
use crate::world::{Access, AnswerWait, ControlAirtimes};

use super::frame::{Frame, FrameKind};
use super::mac_indication::{MacIndication, Served};
use super::station::{Phase, Response, Service};
use super::Medium;

impl Medium {
    /// Opens an exchange for the packet in service.
    pub(super) fn start_attempt(&mut self, now: Nanos, events: &mut EventQueue, node: NodeId) {
        let Some(mut service) = self.station(node).service else { return };
        let Some(Some(radio)) = self.links.get(service.job.link) else { return };
        let control = radio.conditions.control;
        service.lost_by_channel = false;
        service.not_understood = false;
        if self.stations[node].ampdu.is_empty() {
            service.data_airtime = radio.conditions.data_airtime(&self.mac, service.job.bytes);
            service.answer = control.ack;
        } else if self.stations[node].ampdu.asks {
            self.station(node).service = Some(service);
            self.request_block_ack(now, events, node);
            return;
        } else {
            self.with_ppdu(node, &mut service);
        }
        let with_rts = !service.is_broadcast(node) && self.mac.uses_rts(service.job.bytes);
        let station = self.station(node);
        station.service = Some(service);
        station.attempt = station.attempt.wrapping_add(1);
        if with_rts {
            station.phase = Phase::Requesting;
            let duration = 3 * self.mac.sifs_ns + control.cts + service.data_airtime + service.answer;
            let (to, link) = (service.to, service.job.link);
            let frame = Frame { kind: FrameKind::Rts, from: node, to, link, duration, opens: true };
            self.send(now, events, frame, control.rts);
        } else {
            self.send_data(now, events, node, true);
        }
    }

    /// Sends the data frame of the packet in service.
    fn send_data(&mut self, now: Nanos, events: &mut EventQueue, node: NodeId, opens: bool) {
        let (sifs, difs) = (self.mac.sifs_ns, self.mac.difs_ns);
        let station = self.station(node);
        station.phase = Phase::Sending;
        let Some(service) = station.service else { return };
        let job = service.job;
        if service.is_broadcast(node) {
            let (kind, link) = (FrameKind::Broadcast, job.link);
            let frame = Frame { kind, from: node, to: node, link, duration: 0, opens };
            self.send(now, events, frame, service.data_airtime);
            return;
        }
        let kind = if station.ampdu.is_empty() { FrameKind::Data } else { FrameKind::Ampdu };
        let duration = sifs + service.answer;
        let stamps = AirStamps {
            enqueued: job.enqueued,
            head_of_line: job.head_of_line,
            data_start: now,
            data_airtime: service.data_airtime,
            ack_time: duration,
            difs,
        };
        self.indications.push_back(MacIndication::DataStarts(job.link, stamps));
        if let Some(rt_winf) = &mut self.station(node).rt_winf {
            rt_winf.sends(now, job.link, job.bytes);
        }
        let frame = Frame { kind, from: node, to: service.to, link: job.link, duration, opens };
        self.send(now, events, frame, service.data_airtime);
    }

    /// The receiver of the data frame that a station has begun will drop it.
    pub(crate) fn is_not_understood(&mut self, node: NodeId) {
        if let Some(service) = &mut self.station(node).service {
            service.not_understood = true;
        }
    }

    /// A station's own frame has ended: starts the response timeout, if a response is due.
    pub(super) fn await_response(&mut self, now: Nanos, events: &mut EventQueue, frame: &Frame) {
        let Some(Some(radio)) = self.links.get(frame.link) else { return };
        let response = match frame.kind {
            FrameKind::Rts => radio.conditions.control.cts,
            FrameKind::Data => radio.conditions.control.ack,
            FrameKind::Ampdu => self.stations[frame.from].service.map_or(0, |service| service.answer),
            FrameKind::BlockAckRequest => radio.conditions.control.block_ack,
            FrameKind::Cts | FrameKind::Ack | FrameKind::BlockAck | FrameKind::Broadcast => return,
        };
        let awaited = match self.mac.answer_wait {
            AnswerWait::Whole => response + self.mac.slot_ns,
            // Of one instant the answer ends first.
            AnswerWait::Bare => response + 1,
            AnswerWait::Header => self.mac.plcp_ns + self.mac.slot_ns,
        };
        let at = now + self.mac.sifs_ns + awaited;
        let attempt = self.station(frame.from).attempt;
        events.push(at, Rank::Departure, frame.from.0, Event::ResponseTimeout(frame.from, attempt));
    }

    /// Schedules a response, SIFS from now.
    pub(super) fn schedule_response(&mut self, now: Nanos, events: &mut EventQueue, node: NodeId, response: Response) {
        let at = now + self.mac.sifs_ns;
        let station = self.station(node);
        if station.response.is_none() {
            station.response = Some(response);
            station.carrier.response_due = true;
            events.push(at, Rank::Transmission, node.0, Event::Response(node));
        }
    }

    /// Sends the response that is due.
    pub(crate) fn respond(&mut self, now: Nanos, events: &mut EventQueue, node: NodeId) {
        let station = self.station(node);
        station.carrier.response_due = false;
        let Some(response) = station.response.take() else { return };
        match response {
            Response::Data => self.send_data(now, events, node, false),
            Response::Cts(to, link, duration) => {
                let airtime = self.control_airtime(link, FrameKind::Cts);
                let frame = Frame { kind: FrameKind::Cts, from: node, to, link, duration, opens: false };
                self.send(now, events, frame, airtime);
            }
            Response::Ack(to, link) => {
                let airtime = self.control_airtime(link, FrameKind::Ack);
                let frame = Frame { kind: FrameKind::Ack, from: node, to, link, duration: 0, opens: false };
                self.send(now, events, frame, airtime);
            }
            Response::BlockAck(to, link) => {
                let airtime = self.control_airtime(link, FrameKind::BlockAck);
                let frame = Frame { kind: FrameKind::BlockAck, from: node, to, link, duration: 0, opens: false };
                self.send(now, events, frame, airtime);
            }
        }
    }

    pub(super) fn control_airtime(&self, link: crate::index::LinkId, kind: FrameKind) -> Nanos {
        let control = match self.links.get(link) {
            Some(Some(radio)) => radio.conditions.control,
            _ => self.mac.control_airtimes(self.mac.control_rate_bps),
        };
        match kind {
            FrameKind::Cts => control.cts,
            FrameKind::BlockAck => control.block_ack,
            FrameKind::BlockAckRequest => control.block_ack_request,
            _ => control.ack,
        }
    }

    /// The CTS arrived.
    pub(super) fn clear_to_send(&mut self, now: Nanos, events: &mut EventQueue, node: NodeId) {
        let station = self.station(node);
        station.attempt = station.attempt.wrapping_add(1);
        station.short_retries = 0;
        station.phase = Phase::Sending;
        self.schedule_response(now, events, node, Response::Data);
    }

    /// The acknowledgement arrived.
    pub(super) fn acknowledged(&mut self, now: Nanos, node: NodeId) {
        let Some(service) = self.station(node).service else { return };
        let Some(served) = self.served(&service, service.job.bytes) else { return };
        self.cooperate(node, service.job.link, service.to);
        self.finish(now, node, Some(served), false);
    }

    /// What the service took in which `bytes` arrived.
    pub(super) fn served(&self, service: &Service, arrived: u32) -> Option<Served> {
        let Some(Some(radio)) = self.links.get(service.job.link) else { return None };
        let control = ControlAirtimes { ack: service.answer, ..radio.conditions.control };
        let bytes = service.job.bytes;
        let exchange = self.mac.exchange_airtime(bytes, service.data_airtime, control);
        let backoff = Nanos::from(service.slots) * self.mac.slot_ns;
        let (rts, cts) = if self.mac.uses_rts(bytes) { (control.rts, control.cts) } else { (0, 0) };
        let times = PacketTimes {
            difs: self.mac.difs_ns,
            sifs: self.mac.sifs_ns,
            backoff,
            rts,
            cts,
            data: service.data_airtime,
        };
        let cycle = self.mac.difs_ns + backoff + exchange;
        Some(Served { cycle, bytes: arrived, lost_to_backoff: times.k() })
    }

    /// The response did not come: retries, or drops the packet.
    pub(crate) fn response_timeout(&mut self, now: Nanos, events: &mut EventQueue, node: NodeId, attempt: u32) {
        let header = self.mac.answer_wait == AnswerWait::Header;
        let of_ampdus = self.ampdu_retry_limit();
        let station = self.station(node);
        let Some(service) = station.service else { return };
        let waits = matches!(station.phase, Phase::Requesting | Phase::Sending);
        if station.attempt != attempt || !waits {
            return;
        }
        if let (true, Some(until)) = (header, station.carrier.receives_until(now)) {
            // The frame under reception may be the response: wait for its end.
            events.push(until, Rank::Transmission, node.0, Event::ResponseTimeout(node, attempt));
            return;
        }
        let (asked, aggregates) = (station.phase == Phase::Requesting, !station.ampdu.is_empty());
        let several = station.ampdu.asks || station.ampdu.sent() > 1;
        let given_up = if aggregates && !several && !asked { self.gives_up_single(service.job.link) } else { None };
        let long = !asked && self.mac.uses_rts(service.job.bytes);
        let single = match (asked, long) {
            (true, _) => self.mac.rts_retry_limit.unwrap_or(self.mac.short_retry_limit),
            (false, true) => self.mac.long_retry_limit,
            (false, false) => self.mac.short_retry_limit,
        };
        let limit = if several && !asked { of_ampdus.unwrap_or(single) } else { single };
        let widest = self.mac.cw_max;
        let counts_from = if header { now + self.mac.difs_ns } else { now };
        let packets = if asked { 1 } else { self.unanswered(node) };
        self.indications.push_back(MacIndication::AttemptFailed {
            link: service.job.link,
            packets,
            by_channel: service.lost_by_channel,
        });
        let station = self.station(node);
        if let Some(rt_winf) = &mut station.rt_winf {
            rt_winf.gives_up(service.job.link);
        }
        let retries = if long { &mut station.long_retries } else { &mut station.short_retries };
        *retries += 1;
        let ends = given_up.unwrap_or(*retries >= limit);
        if aggregates {
            self.give_up(node, if ends { 0 } else { given_up.map_or(limit, |_| u32::MAX) });
        }
        if ends || (aggregates && self.stations[node].ampdu.is_empty()) {
            self.finish(now, node, None, !aggregates && !service.delivered);
            return;
        }
        let station = self.station(node);
        station.window = (2 * station.window + 1).min(widest);
        station.phase = Phase::Contending;
        station.draw(counts_from);
        self.schedule(events, node);
    }

    /// Completes service of a packet. The post-backoff keeps the station from sending two in a row (10.3.4.2).
    pub(super) fn finish(&mut self, now: Nanos, node: NodeId, served: Option<Served>, lost: bool) {
        let (window, access) = (self.mac.cw_min, self.mac.access);
        let station = self.station(node);
        let Some(service) = station.service.take() else { return };
        station.attempt = station.attempt.wrapping_add(1);
        station.phase = Phase::Idle;
        station.short_retries = 0;
        station.long_retries = 0;
        station.window = window;
        station.ampdu.asks = false;
        match access {
            Access::Immediate | Access::WhenTaken => station.draw(now),
            Access::AlwaysBackOff => station.backoff.clear(),
        }
        self.indications.push_back(MacIndication::Done {
            link: service.job.link,
            served,
            lost,
            by_channel: service.lost_by_channel,
        });
    }
}
