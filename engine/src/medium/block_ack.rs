//! Exchanges of links that aggregate: A-MPDU and BlockAck (IEEE 802.11-2020 sec. 10.25).

use std::sync::Arc;

use crate::controller::NeighbourReport;
use crate::event::EventQueue;
use crate::index::{LinkId, NodeId};
use crate::units::Nanos;
use crate::world::{Access, Aggregation};

use super::ampdu::{Ampdu, Mpdu, Terms};
use super::frame::{Frame, FrameKind};
use super::job::Job;
use super::mac_indication::MacIndication;
use super::station::{Phase, Response, Service};
use super::Medium;

impl Medium {
    /// The link whose packets a station is about to send together, if its backoff runs out now: further packets may be
    /// added to the one in service.
    pub(crate) fn assembles(&mut self, now: Nanos, node: NodeId) -> Option<LinkId> {
        let station = &self.stations[node];
        let begins = station.access_event == Some(now) && station.access_at == Some(now);
        if !begins || station.ampdu.is_empty() || station.ampdu.asks {
            return None;
        }
        let link = station.service?.job.link;
        let mut ampdu = std::mem::take(&mut self.station(node).ampdu);
        if let Some(terms) = self.terms(link) {
            ampdu.assemble(terms);
        }
        self.station(node).ampdu = ampdu;
        Some(link)
    }

    /// Whether the A-MPDU of a station has room for a packet.
    pub(crate) fn admits(&self, node: NodeId, link: LinkId, number: u64, bytes: u32) -> bool {
        self.terms(link).is_some_and(|terms| self.stations[node].ampdu.admits(number, bytes, terms))
    }

    /// Adds a packet that the A-MPDU of a station has room for.
    pub(crate) fn add(&mut self, node: NodeId, job: &Job) {
        let mut ampdu = std::mem::take(&mut self.station(node).ampdu);
        if let Some(terms) = self.terms(job.link) {
            ampdu.add(Mpdu::new(job), terms);
        }
        self.station(node).ampdu = ampdu;
    }

    fn terms(&self, link: LinkId) -> Option<Terms<'_>> {
        let Some(Some(radio)) = self.links.get(link) else { return None };
        let limits = self.mac.aggregation.unwrap_or_default();
        Some(Terms { radio: &radio.conditions, mac: &self.mac, limits })
    }

    /// Enters the PPDU of a station into its service.
    pub(super) fn with_ppdu(&self, node: NodeId, service: &mut Service) {
        let Some(terms) = self.terms(service.job.link) else { return };
        let ampdu = &self.stations[node].ampdu;
        let control = terms.radio.control;
        service.job.bytes = ampdu.payload_bytes();
        service.data_airtime = ampdu.airtime(terms);
        service.answer = if ampdu.sent() > 1 { control.block_ack } else { control.ack };
    }

    /// Asks what arrived of an A-MPDU that was not answered.
    pub(super) fn request_block_ack(&mut self, now: Nanos, events: &mut EventQueue, node: NodeId) {
        let Some(Service { to, job, .. }) = self.station(node).service else { return };
        let answer = self.control_airtime(job.link, FrameKind::BlockAck);
        let airtime = self.control_airtime(job.link, FrameKind::BlockAckRequest);
        let duration = self.mac.sifs_ns + answer;
        let station = self.station(node);
        station.attempt = station.attempt.wrapping_add(1);
        station.phase = Phase::Sending;
        let kind = FrameKind::BlockAckRequest;
        self.send(now, events, Frame { kind, from: node, to, link: job.link, duration, opens: true }, airtime);
    }

    /// A PPDU of packets ends at its receiver, which locked on it.
    pub(super) fn receive_packets(
        &mut self,
        now: Nanos,
        events: &mut EventQueue,
        frame: &Frame,
        report: Option<&Arc<NeighbourReport>>,
    ) {
        let Some(Some(radio)) = self.links.get_mut(frame.link) else { return };
        // The receiver's list goes with the packets of the sender, and comes back.
        let damage = self.stations[frame.to].carrier.take_damage();
        let sender = &mut self.stations[frame.from];
        let Some(service) = &mut sender.service else { return };
        let (loss, channel, indications) = (radio.conditions.loss, &mut radio.channel, &mut self.indications);
        let (sent, before) = (sender.ampdu.sent(), indications.len());
        let began = now.saturating_sub(service.data_airtime);
        let unknown_format = service.not_understood;
        let (arrived, lost_by_channel) = sender.ampdu.arrive(
            began,
            &damage,
            || unknown_format || channel.chance(loss),
            |number| indications.push_back(MacIndication::Delivered { link: frame.link, number }),
        );
        service.lost_by_channel = lost_by_channel;
        self.stations[frame.to].carrier.give_back(damage);
        debug_assert!(self.indications.len() - before <= arrived, "more packets were delivered than arrived");
        if arrived == 0 {
            self.start_eifs(now, frame.to, true);
            return;
        }
        self.station(frame.to).eifs_until = 0;
        if let Some(report) = report {
            self.indications.push_back(MacIndication::Overheard(frame.to, frame.from, Arc::clone(report)));
        }
        self.capture(now, frame.to, frame);
        let response = if sent > 1 { Response::BlockAck } else { Response::Ack };
        self.schedule_response(now, events, frame.to, response(frame.from, frame.link));
    }

    /// The answer to a PPDU, or to a BlockAckReq about it, arrived.
    pub(super) fn answered(&mut self, now: Nanos, events: &mut EventQueue, node: NodeId) {
        let (window, access) = (self.mac.cw_min, self.mac.access);
        let limit = self.ampdu_retry_limit().unwrap_or(self.mac.short_retry_limit);
        let station = self.station(node);
        let Some(service) = station.service else { return };
        let sent = station.ampdu.sent() as u32;
        let asked = std::mem::take(&mut station.ampdu.asks);
        let (arrived, bytes) = station.ampdu.answered();
        (station.short_retries, station.long_retries, station.window) = (0, 0, window);
        let served = if asked { None } else { self.served(&service, bytes) };
        self.cooperate(node, service.job.link, service.to);
        self.indications.push_back(MacIndication::Acknowledged {
            link: service.job.link,
            served,
            arrived,
            failed: sent - arrived,
            by_channel: service.lost_by_channel,
        });
        self.give_up(node, limit);
        if self.stations[node].ampdu.is_empty() {
            self.finish(now, node, None, false);
            return;
        }
        let difs = self.mac.difs_ns;
        let station = self.station(node);
        station.attempt = station.attempt.wrapping_add(1);
        station.phase = Phase::Contending;
        station.redraw(if access == Access::AlwaysBackOff { now + difs } else { now });
        self.schedule(events, node);
    }

    /// No answer came to what a station sent: counts the failure; returns of how many packets it is known that they
    /// failed.
    pub(super) fn unanswered(&mut self, node: NodeId) -> u32 {
        let requests = self.mac.aggregation.is_some_and(|Aggregation { block_ack_request, .. }| block_ack_request);
        let ampdu: &mut Ampdu = &mut self.station(node).ampdu;
        if ampdu.is_empty() {
            return 1;
        }
        if ampdu.asks || (requests && ampdu.sent() > 1) {
            ampdu.asks = true;
            return 0;
        }
        let sent = ampdu.sent() as u32;
        ampdu.unanswered();
        sent
    }

    /// Attempts after which packets of A-MPDUs are given up, where these are others than those of single frames.
    pub(super) fn ampdu_retry_limit(&self) -> Option<u32> {
        self.mac.aggregation.and_then(|aggregation| aggregation.retry_limit)
    }

    /// Draws whether an MPDU that was alone and failed is given up; `None`: a limit says so.
    pub(super) fn gives_up_single(&mut self, link: LinkId) -> Option<bool> {
        let share = self.mac.aggregation?.single_give_up?;
        Some(self.links.get_mut(link)?.as_mut()?.channel.chance(share))
    }

    /// Drops the packets of a station that failed `limit` times.
    pub(super) fn give_up(&mut self, node: NodeId, limit: u32) {
        let station = &mut self.stations[node];
        let Some(service) = station.service else { return };
        let (link, by_channel) = (service.job.link, service.lost_by_channel);
        let indications = &mut self.indications;
        station.ampdu.give_up(limit, |number| {
            indications.push_back(MacIndication::GivenUp { link, number, by_channel });
        });
    }
}
