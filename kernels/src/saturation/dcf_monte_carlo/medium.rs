//! The medium in a rehearsal: who is on the air, and who hears it.

use winf_engine::random::{Purpose, Stream};

use super::actor::{Actor, Doing, TURNAROUND};
use super::Station;

/// Time it takes a receiver to find a preamble and stay with its frame: two that begin within it collide.
const PREAMBLE_S: f64 = 4e-6;

/// The medium and everybody on it.
pub(super) struct Medium {
    pub(super) actors: Vec<Actor>,
    random: Stream,
    unsensed_s: f64,
}

impl Medium {
    pub(super) fn new(stations: &[Station], seed: u64) -> Self {
        let mut random = Stream::new(seed, Purpose::DcfMonteCarlo, 0);
        let actors: Vec<_> = stations.iter().map(|&row| Actor::new(row, &mut random)).collect();
        let slot_s = stations.iter().find(|row| row.subject).map_or(0.0, |row| row.slot_s);
        Self { actors, random, unsensed_s: TURNAROUND * slot_s }
    }

    /// Ends what ends before anybody starts, and returns when that is.
    pub(super) fn until_next_start(&mut self) -> f64 {
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
    pub(super) fn begin(&mut self, now: f64) {
        let Some(first) = self.actors.iter().position(|actor| actor.plans <= now) else {
            return;
        };
        let from = self.actors[first].row;
        let due: Vec<_> = (0..self.actors.len())
            .filter(|&place| {
                let actor = &self.actors[place];
                actor.plans <= now + self.unsensed_s && actor.row.hears(&from)
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
        for actor in self.actors.iter_mut().filter(|actor| actor.doing == Doing::Waiting) {
            if actor.row.hears(&from) {
                actor.hear(now, until, &mut self.random);
            }
        }
    }

    /// What the sender was doing is over: the exchange goes on, has succeeded or failed.
    fn end(&mut self, place: usize) {
        let sender = &mut self.actors[place];
        let now = sender.until;
        let over = (sender.began + sender.exchange_s()).max(now);
        if sender.doing == Doing::Acknowledged {
            sender.succeed();
            return self.rest(place, now);
        }
        let collided = sender.collided && self.random.chance(sender.row.vulnerable);
        let has_data = sender.doing == Doing::Data || !(sender.row.rts || sender.request_due);
        let lost = has_data && self.random.chance(sender.row.loss);
        if sender.destroyed || collided {
            let until = if sender.doing == Doing::First { now.max(sender.began + sender.first_s()) } else { over };
            self.fail(place, until);
        } else if lost {
            self.fail(place, over);
        } else {
            let data_next = sender.doing == Doing::First && sender.row.rts && !sender.request_due;
            sender.doing = if data_next { Doing::Data } else { Doing::Acknowledged };
            sender.until = if data_next { now.max(over - sender.row.tail_s) } else { over };
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
        let sender = self.actors[place].row;
        self.actors[place].doing = Doing::Waiting;
        let on_air = self.actors.iter().filter(|other| other.doing != Doing::Waiting && sender.hears(&other.row));
        let until = on_air.map(|other| other.until).fold(until, f64::max);
        self.actors[place].rest(until, &mut self.random);
    }

    /// Keeps those waiting who hear the sender, or its receiver (`answer`), which goes on until later.
    fn occupy(&mut self, sender: usize, now: f64, until: f64, answer: bool) {
        let from = self.actors[sender].row;
        let noise = self.noise(sender);
        for actor in &mut self.actors {
            let in_range = actor.row.hears(&from);
            let hears = in_range || answer && !noise.deafens(&actor.row);
            if actor.doing != Doing::Waiting || !hears {
                continue;
            }
            if actor.free_at >= now {
                actor.free_at = actor.free_at.max(until);
                actor.plan();
            } else {
                actor.hear(now, until, &mut self.random);
            }
        }
    }

    /// Who is on the air besides the sender.
    fn noise(&self, sender: usize) -> Noise {
        let mut noise = Noise::default();
        for (place, actor) in self.actors.iter().enumerate() {
            if place != sender && actor.doing != Doing::Waiting {
                noise.subject |= actor.row.subject;
                noise.hidden |= actor.row.hidden;
                noise.others |= !(actor.row.subject || actor.row.hidden);
            }
        }
        noise
    }
}

/// What keeps stations from hearing the receiver.
#[derive(Clone, Copy, Debug, Default)]
struct Noise {
    subject: bool,
    hidden: bool,
    others: bool,
}

impl Noise {
    fn deafens(self, listener: &Station) -> bool {
        self.others || self.subject && !listener.hidden || self.hidden && !listener.subject
    }
}
