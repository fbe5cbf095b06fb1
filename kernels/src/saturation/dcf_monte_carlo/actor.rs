//! A station in a rehearsal.

use std::collections::VecDeque;

use winf_engine::random::Stream;

use super::{Outcome, Station};

/// Packets that a station keeps; what comes beyond is lost.
const QUEUE: usize = 500;

/// Seconds after which a packet that waits behind others is given up: dot11MaxTransmitMSDULifetime, 512 TU.
const LIFETIME_S: f64 = 512.0 * 1024e-6;

/// First frames without an answer in a row after which a packet is given up: dot11ShortRetryLimit.
const SHORT_RETRY_LIMIT: u32 = 7;

/// Attempts that failed after their RTS was answered, after which a packet is given up: dot11LongRetryLimit.
const LONG_RETRY_LIMIT: u32 = 4;

/// CWmax+1 (9.4.2.28, 17.4.4).
const WINDOW_MAX: f64 = 1024.0;

/// Part of a slot in which a start is not yet sensed: stations that begin within it collide.
pub(super) const TURNAROUND: f64 = 0.4;

/// What a station is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Doing {
    /// Nothing, or waiting for the medium.
    Waiting,
    /// Its first frame is on the air.
    First,
    /// Its RTS was answered, and its data is on the air.
    Data,
    /// All that is left is the acknowledgement.
    Acknowledged,
}

/// A contender and its state.
#[derive(Clone, Debug)]
pub(super) struct Actor {
    pub(super) row: Station,
    pub(super) doing: Doing,
    stage: u32,
    unanswered: u32,
    unacknowledged: u32,
    counter: f64,
    pub(super) free_at: f64,
    pub(super) plans: f64,
    queue: VecDeque<f64>,
    arrival: f64,
    pub(super) request_due: bool,
    packets: u32,
    pub(super) began: f64,
    pub(super) until: f64,
    pub(super) collided: bool,
    pub(super) destroyed: bool,
    delivered: u64,
    attempts: u64,
    succeeded: u64,
    first_failed: u64,
}

impl Actor {
    pub(super) fn new(row: Station, random: &mut Stream) -> Self {
        let mut actor = Self {
            row,
            doing: Doing::Waiting,
            stage: 0,
            unanswered: 0,
            unacknowledged: 0,
            counter: 0.0,
            free_at: 0.0,
            plans: f64::INFINITY,
            queue: VecDeque::new(),
            arrival: f64::INFINITY,
            request_due: false,
            packets: 1,
            began: 0.0,
            until: f64::INFINITY,
            collided: false,
            destroyed: false,
            delivered: 0,
            attempts: 0,
            succeeded: 0,
            first_failed: 0,
        };
        if !row.backlogged && row.packets_per_s > 0.0 {
            actor.arrival = gap(row.packets_per_s, random);
        }
        actor.draw(random);
        actor.plan();
        actor
    }

    pub(super) fn outcome(&self, elapsed_s: f64) -> Outcome {
        let share = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
        let answered = self.attempts - self.first_failed;
        Outcome {
            delivered_per_s: if elapsed_s > 0.0 { self.delivered as f64 / elapsed_s } else { 0.0 },
            first_failed: share(self.first_failed, self.attempts),
            answered_failed: share(answered.saturating_sub(self.succeeded), answered),
        }
    }

    /// Draws the counter for the next attempt.
    fn draw(&mut self, random: &mut Stream) {
        let width = (self.row.window * f64::from(1_u32 << self.stage.min(10))).min(WINDOW_MAX);
        self.counter = (random.unit() * width).floor();
    }

    /// Takes in the packets that came until now.
    fn arrive(&mut self, now: f64, random: &mut Stream) {
        while self.queue.len() > 1 && self.queue.front().is_some_and(|&came| came < now - LIFETIME_S) {
            self.queue.pop_front();
        }
        while self.arrival <= now && self.queue.len() < QUEUE {
            self.queue.push_back(self.arrival);
            self.arrival += gap(self.row.packets_per_s, random);
        }
        self.arrival = self.arrival.max(now);
    }

    fn has_packets(&self) -> bool {
        self.row.backlogged || !self.queue.is_empty() || self.request_due
    }

    /// When it will send, if it hears nothing before.
    pub(super) fn plan(&mut self) {
        let begin = self.free_at + self.counter * self.row.slot_s;
        self.plans = if self.has_packets() { begin } else { begin.max(self.arrival) };
    }

    /// Others occupy the medium until `until`, AIFS included.
    pub(super) fn hear(&mut self, now: f64, until: f64, random: &mut Stream) {
        if now > self.free_at {
            let slots = ((now - self.free_at) / self.row.slot_s + TURNAROUND).floor();
            let idle = slots >= self.counter;
            self.counter = (self.counter - slots).max(0.0);
            self.arrive(now, random);
            if idle && !self.has_packets() && self.arrival < until {
                self.draw(random);
            }
        }
        self.free_at = self.free_at.max(until);
        self.plan();
    }

    /// What its first frame occupies where nobody answers it.
    pub(super) fn first_s(&self) -> f64 {
        match self.row.request_s {
            Some(request_s) if self.request_due => request_s,
            _ => self.row.first_s + f64::from(self.packets) * self.row.first_packet_s,
        }
    }

    pub(super) fn exchange_s(&self) -> f64 {
        match self.row.request_s {
            Some(request_s) if self.request_due => request_s,
            _ => self.row.access_s + f64::from(self.packets) * self.row.packet_s,
        }
    }

    pub(super) fn send(&mut self, now: f64, random: &mut Stream) {
        self.arrive(now.max(self.plans), random);
        if !self.request_due {
            let most = self.row.packets_max as u32;
            self.packets = if self.row.backlogged { most } else { most.min(self.queue.len() as u32) }.max(1);
        }
        self.doing = Doing::First;
        self.began = now;
        self.until = now + (self.first_s() - self.row.tail_s).max(0.0) + self.row.sifs_s;
        self.plans = f64::INFINITY;
    }

    pub(super) fn succeed(&mut self) {
        self.stage = 0;
        if self.request_due {
            self.request_due = false;
            return;
        }
        self.unanswered = 0;
        self.unacknowledged = 0;
        self.attempts += 1;
        self.succeeded += 1;
        self.delivered += u64::from(self.packets);
        self.leave();
    }

    pub(super) fn fail(&mut self) {
        let after_cts = self.doing == Doing::Data;
        self.attempts += u64::from(!self.request_due);
        self.first_failed += u64::from(self.doing == Doing::First && !self.request_due);
        self.stage += 1;
        self.unanswered = if after_cts { 0 } else { self.unanswered + 1 };
        self.unacknowledged += u32::from(after_cts);
        self.request_due = self.row.request_s.is_some() && self.packets > 1;
        if self.unanswered >= SHORT_RETRY_LIMIT || self.unacknowledged >= LONG_RETRY_LIMIT {
            self.stage = 0;
            self.unanswered = 0;
            self.unacknowledged = 0;
            self.leave();
            self.request_due = false;
        }
    }

    /// The packets of the attempt leave the queue.
    fn leave(&mut self) {
        let gone = self.queue.len().min(self.packets as usize);
        self.queue.drain(..gone);
    }

    pub(super) fn rest(&mut self, until: f64, random: &mut Stream) {
        self.doing = Doing::Waiting;
        self.until = f64::INFINITY;
        self.free_at = self.free_at.max(until);
        self.draw(random);
        self.plan();
    }
}

/// Seconds between packets that come independently at a rate above 0.
fn gap(per_s: f64, random: &mut Stream) -> f64 {
    -(1.0 - random.unit()).ln() / per_s
}
