//! The state of one simulated station.

use std::collections::VecDeque;

use winf_engine::random::Stream;
use winf_ieee80211::{LONG_RETRY_LIMIT, MSDU_LIFETIME_TU, TIME_UNIT_US};

use super::{Outcome, Station};
use crate::saturation::{window_max, SHORT_RETRY_LIMIT};

/// Queue limit, packets; arrivals beyond it are lost.
const QUEUE: usize = 500;

/// Seconds after which a packet that waits behind others is discarded.
const LIFETIME_S: f64 = (MSDU_LIFETIME_TU * TIME_UNIT_US) as f64 / 1e6;

/// Time a receiver needs to lock on a preamble (aCCATime of OFDM, 17.4.4): frames that start within it collide.
pub(super) const PREAMBLE_S: f64 = 4e-6;

/// Part of a slot that is longer than that at most, or stations whose counters end one slot apart would collide.
const SENSED: f64 = 0.4;

/// Part of a slot by which a start may be off the slots that were counted down: rounding of floats.
const ON_GRID: f64 = 1e-3;

/// Where a station is in its exchange.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Phase {
    /// Idle or contending.
    Waiting,
    /// Its first frame is on the air.
    FirstFrame,
    /// The CTS came, and its data is on the air.
    Data,
    /// Only the acknowledgement is left.
    Acknowledged,
}

/// A station and its state.
#[derive(Clone, Debug)]
pub(super) struct StationState {
    pub(super) spec: Station,
    pub(super) phase: Phase,
    stage: u32,
    unanswered: usize,
    unacknowledged: u32,
    counter: f64,
    pub(super) free_at: f64,
    pub(super) starts_at: f64,
    queue: VecDeque<f64>,
    arrival: f64,
    /// When the burst of packets ends that has begun.
    burst_until: f64,
    pub(super) request_due: bool,
    packets: u32,
    pub(super) began: f64,
    pub(super) ends_at: f64,
    pub(super) collided: bool,
    pub(super) destroyed: bool,
    /// MPDUs that overlapped other frames, and until when the last of those lasts.
    lost: f64,
    overlapped_until: f64,
    delivered: u64,
    attempts: u64,
    succeeded: u64,
    exchanges: u64,
    first_failed: u64,
    behind: u64,
    behind_slots: f64,
    /// When its TXOP began, and whether the exchange on the air is not the first of it.
    txop_began: f64,
    goes_on: bool,
    /// A later frame of its TXOP is lost.
    cut_short: bool,
}

impl StationState {
    pub(super) fn new(spec: Station, random: &mut Stream) -> Self {
        let mut station = Self {
            spec,
            phase: Phase::Waiting,
            stage: 0,
            unanswered: 0,
            unacknowledged: 0,
            counter: 0.0,
            free_at: 0.0,
            starts_at: f64::INFINITY,
            queue: VecDeque::new(),
            arrival: f64::INFINITY,
            burst_until: f64::INFINITY,
            request_due: false,
            packets: 1,
            began: 0.0,
            ends_at: f64::INFINITY,
            collided: false,
            destroyed: false,
            lost: 0.0,
            overlapped_until: f64::NEG_INFINITY,
            delivered: 0,
            attempts: 0,
            succeeded: 0,
            exchanges: 0,
            first_failed: 0,
            behind: 0,
            behind_slots: 0.0,
            txop_began: 0.0,
            goes_on: false,
            cut_short: false,
        };
        if !spec.backlogged && spec.packets_per_s > 0.0 {
            if in_bursts(&spec) {
                // It may begin with a pause.
                station.burst_until = 0.0;
                if random.chance(spec.burst_s / (spec.burst_s + spec.pause_s)) {
                    station.burst_until = exponential(spec.burst_s, random);
                }
            }
            station.arrival = station.next_arrival(0.0, random);
        }
        station.draw(random);
        station.plan();
        station
    }

    pub(super) fn outcome(&self, elapsed_s: f64) -> Outcome {
        let share = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
        let per_s = |count: u64| if elapsed_s > 0.0 { count as f64 / elapsed_s } else { 0.0 };
        let answered = self.attempts - self.first_failed;
        Outcome {
            delivered_per_s: per_s(self.delivered),
            attempts_per_s: per_s(self.attempts),
            exchanges_per_s: per_s(self.exchanges),
            first_failed: share(self.first_failed, self.attempts),
            answered_failed: share(answered.saturating_sub(self.succeeded), answered),
            behind: share(self.behind, self.attempts),
            behind_slots: self.behind_slots / self.behind.max(1) as f64,
        }
    }

    /// Idle slots that it counted down before the start it has planned; None: it waited for nothing, a packet came.
    pub(super) fn waited_slots(&self) -> Option<f64> {
        let slots = (self.starts_at - self.free_at) / self.spec.slot_s;
        ((slots - self.counter).abs() < ON_GRID).then_some(slots)
    }

    /// Its attempt that starts now follows an exchange of the subject, and that one another's, `slots` in between.
    pub(super) fn follows(&mut self, slots: f64) {
        if self.stage == 0 {
            self.behind += 1;
            self.behind_slots += slots;
        }
    }

    /// Draws the backoff counter of the next attempt.
    fn draw(&mut self, random: &mut Stream) {
        let width = (self.spec.window * f64::from(1_u32 << self.stage.min(10))).min(window_max(self.spec.window));
        self.counter = (random.unit() * width).floor();
    }

    /// Enqueues the packets that arrived until now; discards those beyond their lifetime.
    fn arrive(&mut self, now: f64, random: &mut Stream) {
        while self.queue.len() > 1 && self.queue.front().is_some_and(|&came| came < now - LIFETIME_S) {
            self.queue.pop_front();
        }
        // Bursts end in time, whether there was room for all of them or not.
        while self.arrival <= now && (self.queue.len() < QUEUE || in_bursts(&self.spec)) {
            if self.queue.len() < QUEUE {
                self.queue.push_back(self.arrival);
            }
            self.arrival = self.next_arrival(self.arrival, random);
        }
        self.arrival = self.arrival.max(now);
    }

    /// When the packet arrives that follows one at `from`.
    fn next_arrival(&mut self, from: f64, random: &mut Stream) -> f64 {
        let mut next = from + gap(&self.spec, random);
        while next > self.burst_until {
            // Exponential times have no memory: the rest of the gap begins anew with the next burst.
            let begins = self.burst_until + exponential(self.spec.pause_s, random);
            self.burst_until = begins + exponential(self.spec.burst_s, random);
            next = begins + gap(&self.spec, random);
        }
        next
    }

    fn has_packets(&self) -> bool {
        self.spec.backlogged || !self.queue.is_empty() || self.request_due
    }

    /// Schedules its start, if it hears nothing before.
    pub(super) fn plan(&mut self) {
        let begin = self.free_at + self.counter * self.spec.slot_s;
        self.starts_at = if self.has_packets() { begin } else { begin.max(self.arrival) };
    }

    /// Others begin to transmit, until `until` at least: the counter freezes.
    pub(super) fn hear(&mut self, now: f64, until: f64, random: &mut Stream) {
        if now > self.free_at {
            let slots = ((now - self.free_at + unsensed_s(&self.spec)) / self.spec.slot_s).floor();
            self.counter = (self.counter - slots).max(0.0);
            self.arrive(now, random);
        }
        self.defer(until, until, random);
    }

    /// The medium is busy until `busy_until`, and AIFS after it ends at `until`.
    ///
    /// A packet that finds it busy backs off, whichever frame of an exchange is on the air, unless the backoff after
    /// the packet before still runs. One that comes in the AIFS is sent after it.
    pub(super) fn defer(&mut self, busy_until: f64, until: f64, random: &mut Stream) {
        if self.counter <= 0.0 && !self.has_packets() && self.arrival < busy_until {
            self.draw(random);
            self.arrive(self.arrival, random);
        }
        self.free_at = self.free_at.max(until);
        self.plan();
    }

    /// Duration of its first frame without response, the wait and AIFS included.
    pub(super) fn first_s(&self) -> f64 {
        match self.spec.request_s {
            Some(request_s) if self.request_due => request_s,
            _ => self.spec.first_s + f64::from(self.packets) * self.spec.first_packet_s,
        }
    }

    pub(super) fn exchange_s(&self) -> f64 {
        match self.spec.request_s {
            Some(request_s) if self.request_due => request_s,
            _ => self.spec.access_s + f64::from(self.packets + u32::from(self.cut_short)) * self.spec.packet_s,
        }
    }

    pub(super) fn send(&mut self, now: f64, random: &mut Stream) {
        self.arrive(now.max(self.starts_at), random);
        if !self.request_due {
            let most = self.spec.packets_max as u32;
            self.packets = if self.spec.backlogged { most } else { most.min(self.queue.len() as u32) }.max(1);
            self.lose_later(random);
        }
        self.phase = Phase::FirstFrame;
        self.lost = 0.0;
        self.overlapped_until = f64::NEG_INFINITY;
        self.began = now;
        self.txop_began = now;
        self.goes_on = false;
        self.ends_at = now + (self.first_s() - self.spec.tail_s).max(0.0) + self.spec.sifs_s;
        self.starts_at = f64::INFINITY;
    }

    /// Draws which frame of its TXOP the channel loses, the first aside: with it the TXOP ends. Aggregates have no loss.
    fn lose_later(&mut self, random: &mut Stream) {
        let loss = self.spec.loss;
        let arrive = if loss > 0.0 {
            (1..self.packets).take_while(|_| !random.chance(loss)).count() as u32 + 1
        } else {
            self.packets
        };
        self.cut_short = arrive < self.packets;
        self.packets = arrive;
    }

    /// Its frame is hit by another that lasts until `until`: an MPDU alone or an RTS is destroyed, of an aggregate the
    /// MPDUs that overlap are, one at least.
    pub(super) fn overlap(&mut self, now: f64, until: f64) {
        let in_data = self.phase == Phase::Data || !self.spec.rts;
        if !in_data || self.packets <= 1 || self.request_due || self.spec.packet_s <= 0.0 {
            self.destroyed = true;
            return;
        }
        let from = now.max(self.overlapped_until);
        let overlapped_s = (until.min(self.ends_at) - from).max(0.0);
        self.lost += overlapped_s / self.spec.packet_s + f64::from(u8::from(now > self.overlapped_until));
        self.overlapped_until = self.overlapped_until.max(until);
        self.destroyed |= self.lost >= f64::from(self.packets);
    }

    pub(super) fn succeed(&mut self) {
        // The frame that ended the TXOP is sent again with a larger window.
        self.stage = u32::from(self.cut_short);
        self.unanswered = 0;
        if self.request_due {
            self.request_due = false;
            return;
        }
        self.unacknowledged = 0;
        self.attempts += u64::from(!self.goes_on);
        self.succeeded += u64::from(!self.goes_on);
        self.exchanges += 1;
        self.packets = self.packets.saturating_sub(self.lost.round() as u32).max(1);
        self.delivered += u64::from(self.packets);
        self.leave();
    }

    /// Sends what it has SIFS after the answer that ended just now, if its TXOP leaves time for that; returns whether it
    /// does. Who heard the answer hears this as well, so that nothing collides with it.
    pub(super) fn go_on(&mut self, now: f64, random: &mut Stream) -> bool {
        if self.spec.txop_s <= 0.0 || self.cut_short {
            return false;
        }
        self.arrive(now, random);
        let Station { txop_s, sifs_s, access_s, packet_s, packets_max, aifs_s, backlogged, .. } = self.spec;
        let left_s = self.txop_began + txop_s - now - sifs_s - (access_s - aifs_s);
        let fit = if packet_s > 0.0 { left_s / packet_s } else { left_s.signum() };
        let waiting = if backlogged { packets_max } else { self.queue.len() as f64 };
        self.packets = fit.min(waiting).min(packets_max).max(0.0) as u32;
        if self.packets == 0 {
            return false;
        }
        self.goes_on = true;
        self.lost = 0.0;
        self.ends_at = now + sifs_s + self.exchange_s() - aifs_s;
        true
    }

    pub(super) fn fail(&mut self) {
        let after_cts = self.phase == Phase::Data;
        self.attempts += u64::from(!self.request_due);
        self.first_failed += u64::from(self.phase == Phase::FirstFrame && !self.request_due);
        self.stage += 1;
        self.unanswered = if after_cts { 0 } else { self.unanswered + 1 };
        self.unacknowledged += u32::from(after_cts);
        self.request_due = self.spec.request_s.is_some() && self.packets > 1;
        if self.unanswered >= SHORT_RETRY_LIMIT || self.unacknowledged >= LONG_RETRY_LIMIT {
            self.unanswered = 0;
            self.unacknowledged = 0;
            // MPDUs under a BlockAck agreement may be repeated until their lifetime ends (10.23.2.12.1).
            if !(self.spec.persistent && self.spec.packets_max > 1.0) {
                self.stage = 0;
                self.leave();
                self.request_due = false;
            }
        }
    }

    /// The packets of the attempt leave the queue.
    fn leave(&mut self) {
        let gone = self.queue.len().min(self.packets as usize);
        self.queue.drain(..gone);
    }

    pub(super) fn rest(&mut self, until: f64, random: &mut Stream) {
        self.phase = Phase::Waiting;
        self.ends_at = f64::INFINITY;
        self.free_at = self.free_at.max(until);
        self.draw(random);
        self.plan();
    }
}

/// Time in which a start is not yet sensed: stations that start within it collide.
pub(super) fn unsensed_s(spec: &Station) -> f64 {
    PREAMBLE_S.min(SENSED * spec.slot_s)
}

/// Phases of the Erlang distribution of times between packets, at most.
const PHASES: f64 = 50.0;

/// Whether its packets come in bursts.
fn in_bursts(spec: &Station) -> bool {
    spec.burst_s > 0.0 && spec.pause_s > 0.0
}

/// An exponential time.
fn exponential(mean: f64, random: &mut Stream) -> f64 {
    -mean * (1.0 - random.unit()).ln()
}

/// Seconds to the next arrival, of a station whose rate is above 0: of a Poisson process, within a burst if there are
/// any, or more even.
fn gap(spec: &Station, random: &mut Stream) -> f64 {
    if in_bursts(spec) {
        let peak_per_s = spec.packets_per_s * (spec.burst_s + spec.pause_s) / spec.burst_s;
        return exponential(peak_per_s.recip(), random);
    }
    let phases = spec.variation.max(1.0 / PHASES).recip().round().max(1.0);
    let sum: f64 = (0..phases as u32).map(|_| -(1.0 - random.unit()).ln()).sum();
    sum / (phases * spec.packets_per_s)
}
