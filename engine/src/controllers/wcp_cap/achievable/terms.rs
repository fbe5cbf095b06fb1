//! What the probabilities of one link are made of: the attempts of the links it conflicts with, weighted with times.

use super::conflicts::{Conflicts, Heard, Hidden};
use super::times::Times;
use crate::controller::MacSetup;

/// Greatest collision probability and least idle probability the iteration may reach.
const GREATEST_COLLISION: f64 = 0.9999;
const MIN_IDLE: f64 = 1e-4;
/// Least share of time a transmitter is taken to have left.
const MIN_FREE: f64 = 1e-6;

/// Attempts of a link, per second.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Attempts {
    pub(super) succeeding: f64,
    pub(super) failing: f64,
}

/// The time that attempts of a link take up, by how they end, seconds.
#[derive(Clone, Copy, Debug)]
struct Term {
    link: usize,
    succeeding_s: f64,
    failing_s: f64,
    /// Whether it is the last of its group.
    closes: bool,
}

/// One link's part in the fixed point, with everything that does not depend on rates precomputed.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    slot_s: f64,
    /// Own exchanges of the transmitter.
    same: Vec<Term>,
    /// What the transmitter senses, in groups that exclude one another.
    heard: Vec<Term>,
    /// Links that collide in the same slot only.
    coordinated: Vec<usize>,
    /// Vulnerable times towards near hidden links.
    near_hidden: Vec<Term>,
    /// Vulnerable times towards hidden links, in groups that exclude one another.
    hidden: Vec<Term>,
}

impl Terms {
    /// Those of the link `own` and its conflicts; `times` are those of all links.
    pub(super) fn new(mac: &MacSetup, own: usize, conflicts: Conflicts, times: &[Times]) -> Self {
        let first = times[own].first;
        let term =
            |link: usize, succeeding_s: f64, failing_s: f64| Term { link, succeeding_s, failing_s, closes: false };
        let same = |link: usize| term(link, times[link].success, times[link].failure);
        let heard = |&Heard { link, transmitter }: &Heard| match transmitter {
            true => term(link, times[link].success, times[link].first + mac.difs_s),
            false => term(link, times[link].tail, 0.0),
        };
        let near_hidden = |link: usize| {
            let vulnerable = first + times[link].first + mac.sifs_s;
            term(link, vulnerable, vulnerable)
        };
        let hidden = |&Hidden { link, asymmetric }: &Hidden| match asymmetric {
            true => term(link, times[link].success - mac.difs_s + first, times[link].first + first),
            false => term(link, times[link].tail - mac.difs_s + first, 0.0),
        };
        Self {
            slot_s: mac.slot_s,
            same: conflicts.same.into_iter().map(same).collect(),
            heard: closed(conflicts.heard.iter().map(|group| group.iter().map(heard).collect())),
            coordinated: conflicts.coordinated,
            near_hidden: conflicts.near_hidden.into_iter().map(near_hidden).collect(),
            hidden: closed(conflicts.hidden.iter().map(|group| group.iter().map(hidden).collect())),
        }
    }

    /// Links of the same transmitter, itself among them.
    pub(super) fn of_transmitter(&self) -> impl Iterator<Item = usize> + '_ {
        self.same.iter().map(|term| term.link)
    }

    /// Collision probability of an attempt and idle probability at the transmitter that follow from the attempts of
    /// all links.
    pub(super) fn probabilities(&self, attempts: &[Attempts]) -> (f64, f64) {
        let (mut succeeding, mut failing) = (0.0, 0.0);
        for &Term { link, succeeding_s, failing_s, .. } in &self.same {
            succeeding += attempts[link].succeeding * succeeding_s;
            failing += attempts[link].failing * failing_s;
        }
        let free = (1.0 - succeeding - failing).max(MIN_FREE);
        let idle = self.idle(attempts, free);
        let idle_time = (idle * free).max(MIN_IDLE);
        (self.collision(attempts, idle_time, (1.0 - succeeding).max(MIN_FREE)), idle)
    }

    /// Groups of links that do not exclude one another are independent while the transmitter is silent.
    fn idle(&self, attempts: &[Attempts], free: f64) -> f64 {
        silence(&self.heard, attempts, free).max(MIN_IDLE)
    }

    /// One minus the product of the survivals of all conflicts; hidden links of one group exclude one another, so that
    /// their shares of time add up.
    fn collision(&self, attempts: &[Attempts], idle_time: f64, in_service: f64) -> f64 {
        let same_slot = |&link: &usize| {
            let Attempts { succeeding, failing } = attempts[link];
            1.0 - ((succeeding + failing) * self.slot_s / idle_time).min(1.0)
        };
        let coordinated: f64 = self.coordinated.iter().map(same_slot).product();
        let overlaps: f64 = self.near_hidden.iter().map(|term| term.time(attempts)).sum();
        let near = if overlaps > 0.0 { libm::exp(-overlaps / idle_time) } else { 1.0 };
        let hidden = silence(&self.hidden, attempts, in_service);
        (1.0 - coordinated * near * hidden).min(GREATEST_COLLISION)
    }
}

impl Term {
    /// Share of time that the attempts of its link take up.
    fn time(&self, attempts: &[Attempts]) -> f64 {
        let Attempts { succeeding, failing } = attempts[self.link];
        succeeding * self.succeeding_s + failing * self.failing_s
    }
}

/// Groups one after the other.
fn closed(groups: impl Iterator<Item = Vec<Term>>) -> Vec<Term> {
    let close = |mut group: Vec<Term>| {
        group.last_mut().into_iter().for_each(|last| last.closes = true);
        group
    };
    groups.flat_map(close).collect()
}

/// Share of `available` time in which all groups are silent: those of a group add up, groups are independent.
fn silence(groups: &[Term], attempts: &[Attempts], available: f64) -> f64 {
    let (mut silent, mut busy) = (1.0, 0.0);
    for term in groups {
        busy += term.time(attempts);
        if term.closes {
            silent *= (1.0 - busy / available).max(0.0);
            busy = 0.0;
        }
    }
    silent
}
