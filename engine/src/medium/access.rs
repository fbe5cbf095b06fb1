//! Channel access: carrier sense, backoff, transmission opportunity.

use crate::event::{Event, EventQueue, Rank};
use crate::index::NodeId;
use crate::units::Nanos;
use crate::world::Access;

use super::ampdu::Mpdu;
use super::job::Job;
use super::station::{Phase, Service, Station};
use super::Medium;

impl Medium {
    /// Gives a packet to the MAC of a node, which must be free.
    pub(crate) fn offer(&mut self, now: Nanos, events: &mut EventQueue, node: NodeId, job: Job) {
        let Some(Some(radio)) = self.links.get(job.link) else { return };
        let (to, aggregates) = (radio.to, radio.conditions.max_ampdu_bytes > 0);
        let (difs, slot, mean) = (self.mac.difs_ns, self.mac.slot_ns, self.mac.cw_min / 2);
        let access = self.mac.access;
        let station = self.station(node);
        let slots = station.last_draw.unwrap_or(mean);
        station.service = Some(Service {
            job,
            to,
            slots,
            data_airtime: 0,
            answer: 0,
            delivered: false,
            lost_by_channel: false,
            not_understood: false,
        });
        if aggregates {
            station.ampdu.begin(Mpdu::new(&job));
        }
        station.phase = Phase::Contending;
        let ran_out = station.idle && station.backoff.expires_at(station.ready(difs), slot).is_some_and(|at| at <= now);
        if ran_out {
            station.backoff.clear();
        }
        match (access, station.idle) {
            (Access::WhenTaken, _) if station.backoff.has_slots_left() => {}
            (Access::WhenTaken, _) if station.carrier.is_idle_of_others(now) => station.backoff.draw(now + difs, 0),
            (Access::WhenTaken, _) => station.redraw(now),
            _ if station.backoff.is_drawn() => {}
            (Access::Immediate, true) => station.backoff.wait_for_difs(now),
            (Access::Immediate, false) => station.redraw(now),
            (Access::AlwaysBackOff, _) => station.redraw(now + difs),
        }
        self.schedule(events, node);
    }

    /// Updates a station's carrier sense: freezes its backoff when the medium became busy, resumes it when it became
    /// idle. `opens`: it became busy because the station itself opens an exchange.
    #[inline(always)]
    pub(super) fn update_carrier_sense(&mut self, now: Nanos, events: &mut EventQueue, node: NodeId, opens: bool) {
        let station = self.station(node);
        match (station.idle, station.carrier.is_idle(now)) {
            (true, false) => self.becomes_busy(now, node, opens),
            (false, true) => self.becomes_idle(now, events, node),
            _ => {}
        }
    }

    fn becomes_idle(&mut self, now: Nanos, events: &mut EventQueue, node: NodeId) {
        let station = self.station(node);
        station.idle = true;
        station.idle_since = now;
        station.busy.end(now);
        self.schedule(events, node);
    }

    fn becomes_busy(&mut self, now: Nanos, node: NodeId, opens: bool) {
        let (difs, slot, mean) = (self.mac.difs_ns, self.mac.slot_ns, self.mac.mean_backoff());
        let station = self.station(node);
        station.idle = false;
        let own = Nanos::from(station.last_draw.unwrap_or(0)) * slot;
        let wait = difs + if opens { own } else { mean };
        station.busy.begin(station.idle_since.max(now.saturating_sub(wait)));
        if station.access_at == Some(now) {
            // It starts to send at this very instant: too late to sense anything.
            return;
        }
        station.access_at = None;
        let interrupted = station.backoff.freeze(now, station.ready(difs), slot);
        if interrupted {
            station.redraw(now);
        }
    }

    /// Schedules a station's access to an idle medium.
    pub(super) fn schedule(&mut self, events: &mut EventQueue, node: NodeId) {
        let (difs, slot) = (self.mac.difs_ns, self.mac.slot_ns);
        let station = self.station(node);
        if !station.idle || station.phase != Phase::Contending {
            return;
        }
        let Some(at) = station.backoff.expires_at(station.ready(difs), slot) else { return };
        station.access_at = Some(at);
        station.arm_access(events, node, at);
    }

    /// A backoff has run out, unless the medium became busy or an earlier event replaced this one.
    pub(crate) fn access(&mut self, now: Nanos, events: &mut EventQueue, node: NodeId) {
        let station = self.station(node);
        if station.access_event != Some(now) {
            return;
        }
        station.access_event = None;
        match station.access_at {
            Some(at) if at == now => {
                station.access_at = None;
                station.backoff.clear();
                self.start_attempt(now, events, node);
            }
            Some(later) => station.arm_access(events, node, later),
            None => {}
        }
    }
}

impl Station {
    /// Schedules an access event at `at`, unless an earlier one will reschedule.
    fn arm_access(&mut self, events: &mut EventQueue, node: NodeId, at: Nanos) {
        if self.access_event.is_none_or(|earliest| at < earliest) {
            self.access_event = Some(at);
            events.push(at, Rank::Transmission, node.0, Event::Access(node));
        }
    }
}
