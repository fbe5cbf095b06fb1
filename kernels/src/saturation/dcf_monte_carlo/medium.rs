//! The medium: which stations are transmitting, and which of the others hear them.

use winf_engine::random::{Purpose, Stream};

use super::station::{unsensed_s, Phase, StationState, PREAMBLE_S};
use super::Station;

/// All stations of a case.
pub(super) struct Medium {
    pub(super) stations: Vec<StationState>,
    random: Stream,
    /// Starts within this time of one another are not sensed.
    unsensed_s: f64,
    last: Last,
}

/// The exchange before, as one sees it who does not hear the subject.
#[derive(Clone, Copy, Debug)]
enum Last {
    /// Another station's.
    Heard,
    /// The subject's, so many idle slots after another station's, for which it had waited.
    Behind(f64),
    /// Another.
    Unknown,
}

impl Medium {
    pub(super) fn new(stations: &[Station], seed: u64) -> Self {
        let mut random = Stream::new(seed, Purpose::DcfMonteCarlo, 0);
        let subject = stations.iter().find(|station| station.subject).or_else(|| stations.first());
        let unsensed_s = subject.map_or(0.0, unsensed_s);
        let stations = stations.iter().map(|&spec| StationState::new(spec, &mut random)).collect();
        Self { stations, random, unsensed_s, last: Last::Unknown }
    }

    /// Processes the transmissions that end before the next start; returns the time of that start.
    pub(super) fn until_next_start(&mut self) -> f64 {
        loop {
            let (mut start, mut end, mut ends) = (f64::INFINITY, f64::INFINITY, None);
            for (index, station) in self.stations.iter().enumerate() {
                start = start.min(station.starts_at);
                if station.ends_at < end {
                    (end, ends) = (station.ends_at, Some(index));
                }
            }
            match ends {
                Some(index) if end <= start => self.end(index),
                _ => return start,
            }
        }
    }

    /// The stations whose backoff has run out start to transmit; those that hear them defer.
    pub(super) fn begin(&mut self, now: f64) {
        let Some(first) = self.stations.iter().position(|station| station.starts_at <= now) else {
            return;
        };
        let from = self.stations[first].spec;
        let due: Vec<_> = (0..self.stations.len())
            .filter(|&index| {
                let station = &self.stations[index];
                station.starts_at <= now + self.unsensed_s && station.spec.hears(&from)
            })
            .collect();
        self.note_order(&due);
        let (mut busy, mut found) = (false, false);
        let mut hit = Vec::new();
        for (index, station) in self.stations.iter_mut().enumerate() {
            if station.phase == Phase::FirstFrame && now - station.began < PREAMBLE_S {
                station.collided = true;
                found = true;
                continue;
            }
            busy |= station.phase != Phase::Waiting;
            let chance = match station.phase {
                Phase::FirstFrame if now < station.ends_at - station.spec.sifs_s => station.spec.first_destroyed,
                Phase::Data => station.spec.answered_destroyed,
                _ => 0.0,
            };
            if self.random.chance(chance) {
                hit.push(index);
            }
        }
        let mut until = f64::NEG_INFINITY;
        for &index in &due {
            // No draw where all are lost: the others stay what they are.
            let late = self.stations[index].spec.late_destroyed;
            let is_lost = busy && (late >= 1.0 || self.random.chance(late));
            let station = &mut self.stations[index];
            station.send(now, &mut self.random);
            station.destroyed = is_lost;
            station.collided = found || due.len() > 1;
            until = until.max(station.ends_at);
        }
        for index in hit {
            self.stations[index].overlap(now, until);
        }
        for station in self.stations.iter_mut().filter(|station| station.phase == Phase::Waiting) {
            if station.spec.hears(&from) {
                station.hear(now, until, &mut self.random);
            }
        }
    }

    /// Counts the accesses that follow an exchange of the subject on the slots of that.
    fn note_order(&mut self, due: &[usize]) {
        let &[alone] = due else {
            self.last = Last::Unknown;
            return;
        };
        let station = &mut self.stations[alone];
        self.last = match (station.waited_slots(), self.last, station.spec.subject) {
            (Some(slots), Last::Heard, true) => Last::Behind(slots),
            (_, _, true) => Last::Unknown,
            (Some(slots), Last::Behind(before), false) => {
                station.follows(before + slots);
                Last::Heard
            }
            (_, _, false) => Last::Heard,
        };
    }

    /// A phase of an exchange ends: the exchange continues, has succeeded or has failed.
    fn end(&mut self, index: usize) {
        let sender = &mut self.stations[index];
        let now = sender.ends_at;
        let over = (sender.began + sender.exchange_s()).max(now);
        if sender.phase == Phase::Acknowledged {
            sender.succeed();
            let goes_on = sender.go_on(now, &mut self.random);
            let until = if goes_on { sender.ends_at } else { now } + sender.spec.aifs_s;
            return if goes_on { self.occupy(index, now, until, true) } else { self.rest(index, until) };
        }
        let collided = sender.collided && self.random.chance(sender.spec.vulnerable);
        let has_data = sender.phase == Phase::Data || !(sender.spec.rts || sender.request_due);
        let lost = has_data && self.random.chance(sender.spec.loss);
        let is_rts = sender.phase == Phase::FirstFrame && sender.spec.rts && !sender.request_due;
        // No draw where none is lost: the others stay what they are.
        let rts_lost = is_rts && sender.spec.rts_loss > 0.0 && self.random.chance(sender.spec.rts_loss);
        if sender.destroyed || collided || rts_lost {
            let until = if sender.phase == Phase::FirstFrame { now.max(sender.began + sender.first_s()) } else { over };
            self.fail(index, until);
        } else if lost {
            self.fail(index, over);
        } else {
            sender.phase = if is_rts { Phase::Data } else { Phase::Acknowledged };
            // AIFS is silence: another station whose own is shorter may start in it.
            sender.ends_at = now.max(over - if is_rts { sender.spec.tail_s } else { sender.spec.aifs_s });
            sender.collided = false;
            self.occupy(index, now, over, true);
        }
    }

    fn fail(&mut self, index: usize, until: f64) {
        let now = self.stations[index].ends_at;
        self.stations[index].fail();
        self.occupy(index, now, until, false);
        self.rest(index, until);
    }

    /// The sender contends again from `until` on, or once it hears no transmission.
    fn rest(&mut self, index: usize, until: f64) {
        let sender = self.stations[index].spec;
        self.stations[index].phase = Phase::Waiting;
        let on_air = self.stations.iter().filter(|other| other.phase != Phase::Waiting && sender.hears(&other.spec));
        let until = on_air.map(|other| other.ends_at).fold(until, f64::max);
        self.stations[index].rest(until, &mut self.random);
    }

    /// Stations that hear the sender, or the receiver's response (`answer`), defer until `until`.
    fn occupy(&mut self, sender: usize, now: f64, until: f64, answer: bool) {
        let from = self.stations[sender].spec;
        let noise = self.noise(sender);
        for station in &mut self.stations {
            let in_range = station.spec.hears(&from);
            let hears = in_range || answer && !noise.masks(&station.spec);
            if station.phase != Phase::Waiting || !hears {
                continue;
            }
            if station.free_at < now {
                station.hear(now, now, &mut self.random);
            }
            // Without an answer the medium is idle after the frame, though nobody may use it yet.
            let busy_until = if answer { until - from.aifs_s } else { now };
            station.defer(busy_until, until + station.spec.aifs_s - from.aifs_s, &mut self.random);
        }
    }

    /// Which groups of stations transmit besides the sender.
    fn noise(&self, sender: usize) -> Noise {
        let mut noise = Noise::default();
        for (index, station) in self.stations.iter().enumerate() {
            if index != sender && station.phase != Phase::Waiting {
                noise.subject |= station.spec.subject;
                noise.hidden |= station.spec.hidden;
                noise.others |= !(station.spec.subject || station.spec.hidden);
            }
        }
        noise
    }
}

/// Transmissions that keep stations from decoding the receiver's response.
#[derive(Clone, Copy, Debug, Default)]
struct Noise {
    subject: bool,
    hidden: bool,
    others: bool,
}

impl Noise {
    fn masks(self, listener: &Station) -> bool {
        self.others || self.subject && !listener.hidden || self.hidden && !listener.subject
    }
}
