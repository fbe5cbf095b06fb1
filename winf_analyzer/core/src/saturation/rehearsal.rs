//! A short simulation of the stations on a medium, for what the fixed point leaves out.
//!
//! The fixed point takes stations to be independent and all in range. A rehearsal does not: packets that arrive while a
//! long aggregate is on the air contend together, and stations that the subject cannot hear do not wait for it. It plays
//! DCF with the same parameters, exchange by exchange, towards one receiver that everybody hears:
//!
//! * A counter stands still while its station hears another, and goes on AIFS after. It is drawn from [0, CW] after
//!   every attempt, and for a packet that finds the medium busy; one that finds it idle is sent at once.
//! * Attempts of stations in range of one another that start in the same slot collide in their first frame (RTS, or the
//!   data); a collision destroys each with its own chance.
//! * The receiver stays with the frame that came first. What begins later, at a station that did not hear it, is lost;
//!   the first survives it with one chance as RTS, or as data without one, and with another as data after a CTS.
//! * What follows the first frame, CTS or ACK, is heard by everybody who is not sending or hearing something else.
//! * CW doubles with each failure; after seven a packet is given up. An aggregate that nobody answered is followed by a
//!   BlockAckReq; a single frame is just sent again (10.25.6.7).
//!
//! Time is in seconds. The same stations and seed give the same result.

use std::collections::VecDeque;

use winf_engine::random::{Purpose, Stream};

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

/// Attempts of all stations together after which a rehearsal ends, unless the stations are many.
const LENGTH: usize = 100_000;

/// Attempts times stations after which it ends: each attempt is a look at every station.
const WORK: usize = 1_000_000;

/// Fewest attempts all the same.
const LENGTH_MIN: usize = 6_000;

/// Part of a slot in which a start is not yet sensed: stations that begin within it collide.
const TURNAROUND: f64 = 0.4;

/// Time it takes a receiver to find a preamble and stay with its frame: two that begin within it collide.
const PREAMBLE_S: f64 = 4e-6;

/// A station that is rehearsed; times in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Contender {
    /// The one whose result is asked for.
    pub subject: bool,
    /// The subject does not hear it, nor it the subject. Hidden stations hear one another.
    pub hidden: bool,
    /// Its first frame is an RTS.
    pub rts: bool,
    /// Its queue never runs empty.
    pub backlogged: bool,
    /// Packets per second that it has to send otherwise.
    pub packets_per_s: f64,
    /// Most packets per access.
    pub packets_max: f64,
    /// Fixed part of an exchange, AIFS included.
    pub access_s: f64,
    /// What every packet adds to it.
    pub packet_s: f64,
    /// Fixed part of what a failed first frame occupies, the wait for its answer and AIFS included.
    pub first_s: f64,
    /// What every packet adds to it.
    pub first_packet_s: f64,
    /// The part of both after the frame that is answered: SIFS, the answer and AIFS.
    pub tail_s: f64,
    /// Short interframe space.
    pub sifs_s: f64,
    /// The exchange of the BlockAckReq that follows an aggregate nobody answered, where one does.
    pub request_s: Option<f64>,
    /// Chance that the channel loses an attempt that nothing collides with.
    pub loss: f64,
    /// Chance that a collision destroys its frame.
    pub vulnerable: f64,
    /// CWmin+1.
    pub window: f64,
    /// Slot time.
    pub slot_s: f64,
    /// Chance that its first frame is destroyed by a frame of a hidden station that begins later.
    pub first_destroyed: f64,
    /// The same of the data after a CTS.
    pub answered_destroyed: f64,
}

/// What became of the subject.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Packets delivered per second.
    pub delivered_per_s: f64,
    /// Share of its attempts whose first frame nobody answered.
    pub first_failed: f64,
    /// Share of its answered attempts that failed afterwards.
    pub answered_failed: f64,
}

/// Plays the contenders, of which one is the subject, against one another.
#[must_use]
pub fn rehearse(contenders: &[Contender], seed: u64) -> Outcome {
    let Some(subject) = contenders.iter().position(|contender| contender.subject) else {
        return Outcome::default();
    };
    let mut play = Play::new(contenders, seed);
    let length = (WORK / contenders.len()).clamp(LENGTH_MIN, LENGTH);
    let mut now = 0.0;
    for _ in 0..length {
        let start = play.until_next_start();
        if !start.is_finite() {
            break;
        }
        now = start;
        play.begin(now);
    }
    play.actors[subject].outcome(now)
}

/// What a station is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Doing {
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
struct Actor {
    row: Contender,
    doing: Doing,
    stage: u32,
    unanswered: u32,
    unacknowledged: u32,
    counter: f64,
    free_at: f64,
    plans: f64,
    queue: VecDeque<f64>,
    arrival: f64,
    request_due: bool,
    packets: u32,
    began: f64,
    until: f64,
    collided: bool,
    destroyed: bool,
    delivered: u64,
    attempts: u64,
    succeeded: u64,
    first_failed: u64,
}

impl Actor {
    fn new(row: Contender, random: &mut Stream) -> Self {
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
            actor.arrival = random.exponential(row.packets_per_s);
        }
        actor.draw(random);
        actor.plan();
        actor
    }

    fn outcome(&self, elapsed_s: f64) -> Outcome {
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
            self.arrival += random.exponential(self.row.packets_per_s);
        }
        self.arrival = self.arrival.max(now);
    }

    fn has_packets(&self) -> bool {
        self.row.backlogged || !self.queue.is_empty() || self.request_due
    }

    /// When it will send, if it hears nothing before.
    fn plan(&mut self) {
        let begin = self.free_at + self.counter * self.row.slot_s;
        self.plans = if self.has_packets() { begin } else { begin.max(self.arrival) };
    }

    /// Others occupy the medium until `until`, AIFS included.
    fn hear(&mut self, now: f64, until: f64, random: &mut Stream) {
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

    fn hears(&self, other: &Self) -> bool {
        !(self.row.subject && other.row.hidden || self.row.hidden && other.row.subject)
    }

    /// What its first frame occupies where nobody answers it.
    fn first_s(&self) -> f64 {
        match self.row.request_s {
            Some(request_s) if self.request_due => request_s,
            _ => self.row.first_s + f64::from(self.packets) * self.row.first_packet_s,
        }
    }

    fn exchange_s(&self) -> f64 {
        match self.row.request_s {
            Some(request_s) if self.request_due => request_s,
            _ => self.row.access_s + f64::from(self.packets) * self.row.packet_s,
        }
    }

    fn send(&mut self, now: f64, random: &mut Stream) {
        self.arrive(now.max(self.plans), random);
        if !self.request_due {
            let most = self.row.packets_max as u32;
            self.packets = if self.row.backlogged { most } else { most.min(self.queue.len() as u32) }.max(1);
            self.attempts += 1;
        }
        self.doing = Doing::First;
        self.began = now;
        self.until = now + (self.first_s() - self.row.tail_s).max(0.0) + self.row.sifs_s;
        self.plans = f64::INFINITY;
    }

    fn succeed(&mut self) {
        self.stage = 0;
        if self.request_due {
            self.request_due = false;
            return;
        }
        self.unanswered = 0;
        self.unacknowledged = 0;
        self.succeeded += 1;
        self.delivered += u64::from(self.packets);
        self.leave();
    }

    fn fail(&mut self) {
        let after_cts = self.doing == Doing::Data;
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

    fn rest(&mut self, until: f64, random: &mut Stream) {
        self.doing = Doing::Waiting;
        self.until = f64::INFINITY;
        self.free_at = self.free_at.max(until);
        self.draw(random);
        self.plan();
    }
}

/// The medium and everybody on it.
struct Play {
    actors: Vec<Actor>,
    random: Stream,
    unsensed_s: f64,
}

impl Play {
    fn new(contenders: &[Contender], seed: u64) -> Self {
        let mut random = Stream::new(seed, Purpose::Rehearsal, 0);
        let actors: Vec<_> = contenders.iter().map(|&row| Actor::new(row, &mut random)).collect();
        let slot_s = contenders.iter().find(|row| row.subject).map_or(0.0, |row| row.slot_s);
        Self { actors, random, unsensed_s: TURNAROUND * slot_s }
    }

    /// Ends what ends before anybody starts, and returns when that is.
    fn until_next_start(&mut self) -> f64 {
        loop {
            let (mut start, mut end, mut ends) = (f64::INFINITY, f64::INFINITY, None);
            for (place, actor) in self.actors.iter().enumerate() {
                start = start.min(actor.plans);
                if actor.until < end {
                    (end, ends) = (actor.until, Some(place));
                }
            }
            match ends {
                Some(place) if end <= start => self.end(place),
                _ => return start,
            }
        }
    }

    /// Whoever is due starts to send, and who hears it waits.
    fn begin(&mut self, now: f64) {
        let Some(first) = self.actors.iter().position(|actor| actor.plans <= now) else {
            return;
        };
        let due: Vec<_> = (0..self.actors.len())
            .filter(|&place| {
                let actor = &self.actors[place];
                actor.plans <= now + self.unsensed_s && actor.hears(&self.actors[first])
            })
            .collect();
        let (mut busy, mut found) = (false, false);
        for actor in &mut self.actors {
            if actor.doing == Doing::First && now - actor.began < PREAMBLE_S {
                actor.collided = true;
                found = true;
                continue;
            }
            busy |= actor.doing != Doing::Waiting;
            let chance = match actor.doing {
                Doing::First if now < actor.until - actor.row.sifs_s => actor.row.first_destroyed,
                Doing::Data => actor.row.answered_destroyed,
                _ => 0.0,
            };
            actor.destroyed |= self.random.chance(chance);
        }
        let mut until = f64::NEG_INFINITY;
        for &place in &due {
            let actor = &mut self.actors[place];
            actor.send(now, &mut self.random);
            actor.destroyed = busy;
            actor.collided = found || due.len() > 1;
            until = until.max(actor.until);
        }
        for place in 0..self.actors.len() {
            if self.actors[place].doing == Doing::Waiting && self.actors[place].hears(&self.actors[first]) {
                self.actors[place].hear(now, until, &mut self.random);
            }
        }
    }

    /// What the sender was doing is over: the exchange goes on, has succeeded or failed.
    fn end(&mut self, place: usize) {
        let sender = &mut self.actors[place];
        let (now, over) = (sender.until, sender.began + sender.exchange_s());
        if sender.doing == Doing::Acknowledged {
            sender.succeed();
            return self.rest(place, now);
        }
        let collided = sender.collided && self.random.chance(sender.row.vulnerable);
        let has_data = sender.doing == Doing::Data || !(sender.row.rts || sender.request_due);
        let lost = has_data && self.random.chance(sender.row.loss);
        if sender.destroyed || collided {
            let until = if sender.doing == Doing::First { sender.began + sender.first_s() } else { over };
            self.fail(place, until);
        } else if lost {
            self.fail(place, over);
        } else {
            let data_next = sender.doing == Doing::First && sender.row.rts && !sender.request_due;
            sender.doing = if data_next { Doing::Data } else { Doing::Acknowledged };
            sender.until = if data_next { over - sender.row.tail_s } else { over };
            sender.collided = false;
            self.occupy(place, now, over, true);
        }
    }

    fn fail(&mut self, place: usize, until: f64) {
        let now = self.actors[place].until;
        self.actors[place].fail();
        self.occupy(place, now, until, false);
        self.rest(place, until);
    }

    /// The sender waits for the medium again, from `until` on or from when it hears nobody.
    fn rest(&mut self, place: usize, until: f64) {
        let sender = &self.actors[place];
        let others = self.actors.iter().enumerate().filter(|&(other, actor)| {
            other != place && actor.doing != Doing::Waiting && sender.hears(actor)
        });
        let until = others.map(|(_, other)| other.until).fold(until, f64::max);
        self.actors[place].rest(until, &mut self.random);
    }

    /// Keeps those waiting who hear the sender, or its receiver (`answer`), which goes on until later.
    fn occupy(&mut self, sender: usize, now: f64, until: f64, answer: bool) {
        for place in 0..self.actors.len() {
            let actor = &self.actors[place];
            if actor.doing != Doing::Waiting || !(answer || actor.hears(&self.actors[sender])) {
                continue;
            }
            let deafened = |other: &Actor| other.doing != Doing::Waiting && actor.hears(other);
            let others = self.actors.iter().enumerate().filter(|(other, _)| *other != sender);
            if answer && !actor.hears(&self.actors[sender]) && others.into_iter().any(|(_, other)| deafened(other)) {
                continue;
            }
            let actor = &mut self.actors[place];
            if actor.free_at >= now {
                actor.free_at = actor.free_at.max(until);
                actor.plan();
            } else {
                actor.hear(now, until, &mut self.random);
            }
        }
    }
}
