//! Times in which nothing at all was recorded, and stations sent as before: their numbers went on.
//!
//! A recorder that misses a share q of a sender's PPDUs misses n of them in a row with a chance of q^n. Where the
//! numbers that were skipped over a silence have a chance that no frame of the recording gives, the recorder was deaf:
//! its buffers overran, its radio was elsewhere, or its host was busy.

use std::collections::BTreeMap;

/// A shorter silence is not told from what a PPDU and its answer take.
pub(super) const MIN_PAUSE_NS: i64 = 5_000_000;

/// PPDUs with data that must have been sent meanwhile: ten, or fewer where these are a part of what stations send in as
/// long a time otherwise; of a longer silence more of it is theirs.
const MIN_SKIPPED: f64 = 3.0;
const ENOUGH_SKIPPED: f64 = 10.0;
const MIN_PART: f64 = 0.3;

/// What another PPDU counts of one with data: a station that scans sends probe requests on other channels.
const WITHOUT_DATA: f64 = 0.3;

/// Times that chance may make a pause of what was missed PPDU by PPDU, in a recording.
const BY_CHANCE: f64 = 0.01;

/// Silences that may become pauses, and pauses, that are kept of a recording: they bound its memory.
const MAX_OPEN: usize = 256;
const MAX_FOUND: usize = 1 << 18;

/// The silences of each source, in the order of time.
#[derive(Default)]
pub(super) struct Pauses {
    sources: BTreeMap<u32, Silences>,
}

/// Those of a source.
#[derive(Default)]
pub(super) struct Silences {
    first_ns: i64,
    last_ns: Option<i64>,
    /// PPDUs that were heard and had a number; and these, weighed.
    heard: f64,
    weighed: f64,
    /// The silences that may become pauses: each is longer than all that came later.
    open: Vec<Silence>,
    /// In the order of time, and their length.
    found: Vec<Pause>,
    paused_ns: i64,
}

/// From the last record before it to the first behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pause {
    pub from_ns: i64,
    pub to_ns: i64,
}

#[derive(Clone, Copy)]
struct Silence {
    times: Pause,
    /// PPDUs that were sent meanwhile, by what was skipped, weighed.
    skipped: f64,
    /// Logarithm of the chance that as many are missed one by one.
    chance: f64,
}

/// Numbers of a sender that were not heard between two of its frames.
#[derive(Clone, Copy)]
pub(super) struct Skipped {
    pub after_ns: i64,
    pub before_ns: i64,
    pub ppdus: f64,
    /// The frame behind them is data, so that they may be.
    pub is_data: bool,
    /// Share of its PPDUs that is missed otherwise.
    pub missed: f64,
}

impl Pause {
    fn length_ns(&self) -> i64 {
        self.to_ns.saturating_sub(self.from_ns)
    }
}

impl Pauses {
    /// A record of `source`, whatever it is.
    pub fn record(&mut self, source: u32, at_ns: i64) {
        let silences = self.sources.entry(source).or_default();
        if let Some(from_ns) = silences.last_ns.filter(|last| at_ns.saturating_sub(*last) >= MIN_PAUSE_NS) {
            let silence = Silence { times: Pause { from_ns, to_ns: at_ns }, skipped: 0.0, chance: 0.0 };
            let shorter = |open: &Silence| open.times.length_ns() <= silence.times.length_ns();
            while silences.open.pop_if(|last| shorter(last)).is_some() {}
            if silences.open.len() == MAX_OPEN {
                silences.open.remove(0);
            }
            silences.open.push(silence);
        }
        if silences.last_ns.is_none() {
            silences.first_ns = at_ns;
        }
        silences.last_ns = Some(silences.last_ns.map_or(at_ns, |last| last.max(at_ns)));
    }

    /// A PPDU of `source` with a number.
    pub fn heard(&mut self, source: u32, is_data: bool) {
        let silences = self.sources.entry(source).or_default();
        silences.heard += 1.0;
        silences.weighed += weight(is_data);
    }

    /// Those of `source`, if it has any.
    pub fn of(&self, source: u32) -> Option<&Silences> {
        self.sources.get(&source)
    }

    /// Numbers that a sender skipped: the longest silence between its two frames, and the share of them that it holds.
    ///
    /// A sender is taken to send at any time: of what it sent a silence holds as much as of the time.
    pub fn skip(&mut self, source: u32, skipped: Skipped) -> Option<(i64, f64)> {
        let silences = self.sources.get_mut(&source)?;
        let place = silences.open.partition_point(|silence| silence.times.from_ns < skipped.after_ns);
        let silence = silences.open.get_mut(place)?;
        let length_ns = silence.times.length_ns();
        let between_ns = skipped.before_ns.saturating_sub(skipped.after_ns).max(length_ns);
        let share = length_ns as f64 / between_ns as f64;
        silence.skipped += share * skipped.ppdus * weight(skipped.is_data);
        silence.chance += share * skipped.ppdus * skipped.missed.ln();
        let Silence { times: found, skipped: sent, chance } = *silence;
        let others_ns = silences.recorded_ns().saturating_sub(length_ns);
        let enough = (MIN_PART * silences.usual(length_ns, others_ns)).clamp(MIN_SKIPPED, ENOUGH_SKIPPED);
        if sent >= enough && chance + silences.heard.max(1.0).ln() < BY_CHANCE.ln() {
            silences.keep(found);
        }
        Some((found.from_ns, share))
    }

    /// Those in which stations sent.
    pub fn found(&self) -> impl Iterator<Item = (u32, Pause)> + '_ {
        self.sources.iter().flat_map(|(&source, silences)| silences.found.iter().map(move |pause| (source, *pause)))
    }
}

impl Silences {
    fn recorded_ns(&self) -> i64 {
        self.last_ns.map_or(0, |last| last.saturating_sub(self.first_ns)).saturating_sub(self.paused_ns)
    }

    /// PPDUs, weighed, that stations send in so long a time, as far as they were heard in another.
    fn usual(&self, length_ns: i64, recorded_ns: i64) -> f64 {
        self.weighed * length_ns as f64 / recorded_ns.max(1) as f64
    }

    fn keep(&mut self, pause: Pause) {
        let place = self.found.partition_point(|found| found.from_ns < pause.from_ns);
        if self.found.get(place) != Some(&pause) && self.found.len() < MAX_FOUND {
            self.found.insert(place, pause);
            self.paused_ns = self.paused_ns.saturating_add(pause.length_ns());
        }
    }

    /// Whether stations sent in the one that began at `from_ns`, as far as is known.
    pub fn is_pause(&self, from_ns: i64) -> bool {
        self.found.binary_search_by_key(&from_ns, |pause| pause.from_ns).is_ok()
    }
}

fn weight(is_data: bool) -> f64 {
    if is_data {
        1.0
    } else {
        WITHOUT_DATA
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hundred PPDUs a millisecond apart, and a silence over which senders skipped as many.
    fn paused(silent_ns: i64, missed: f64, skipped: [f64; 2]) -> Vec<(u32, Pause)> {
        paused_over(silent_ns, skipped.map(|ppdus| (ppdus, true)), missed)
    }

    fn paused_over(silent_ns: i64, skipped: [(f64, bool); 2], missed: f64) -> Vec<(u32, Pause)> {
        let mut pauses = Pauses::default();
        let after_ns = 99_000_000;
        (0..100).for_each(|number| {
            pauses.heard(3, true);
            pauses.record(3, number * 1_000_000);
        });
        skipped.iter().for_each(|&(ppdus, is_data)| {
            pauses.record(3, after_ns + silent_ns);
            pauses.skip(3, Skipped { after_ns, before_ns: after_ns + silent_ns, ppdus, is_data, missed });
        });
        pauses.found().collect()
    }

    #[test]
    fn numbers_that_go_on_show_that_the_recorder_paused() {
        let pause = |silent_ns| [(3, Pause { from_ns: 99_000_000, to_ns: 99_000_000 + silent_ns })];
        assert_eq!(paused(500_000_000, 0.1, [6.0, 6.0]), pause(500_000_000));
        assert_eq!(paused(MIN_PAUSE_NS, 0.1, [6.0, 6.0]), pause(MIN_PAUSE_NS));
        assert_eq!(paused(500_000_000, 0.9, [50.0, 50.0]), pause(500_000_000));
    }

    #[test]
    fn beacons_alone_show_a_pause_too() {
        let mut pauses = Pauses::default();
        (0..100).for_each(|number| {
            pauses.heard(3, false);
            pauses.record(3, number * 100_000_000);
        });
        let (after_ns, before_ns) = (9_900_000_000, 12_900_000_000);
        pauses.record(3, before_ns);
        pauses.skip(3, Skipped { after_ns, before_ns, ppdus: 29.0, is_data: false, missed: 0.01 });
        assert_eq!(pauses.found().count(), 1);
    }

    #[test]
    fn silences_of_the_stations_are_not_kept() {
        let mut pauses = Pauses::default();
        (0..1000).for_each(|number| pauses.record(3, number * MIN_PAUSE_NS));
        assert_eq!(pauses.sources[&3].open.len(), 1);
    }

    #[test]
    fn memory_is_bounded_whatever_the_silences() {
        let mut pauses = Pauses::default();
        let mut at_ns = 0_i64;
        for number in 0..2000 {
            pauses.record(3, at_ns);
            at_ns += 10_000_000_000 - number;
        }
        assert_eq!(pauses.sources[&3].open.len(), MAX_OPEN);
        let mut silences = Silences::default();
        for number in 0..=MAX_FOUND as i64 {
            silences.keep(Pause { from_ns: number, to_ns: number + 1 });
        }
        assert_eq!(silences.found.len(), MAX_FOUND);
    }

    #[test]
    fn what_is_missed_by_chance_shows_none() {
        assert_eq!(paused(500_000_000, 0.1, [1.0, 2.0]), []);
        assert_eq!(paused(500_000_000, 0.001, [1.0, 1.0]), []);
        assert_eq!(paused_over(20_000_000, [(6.0, false); 2], 0.001), [], "who scans may skip as many");
        assert_eq!(paused_over(20_000_000, [(12.0, false); 2], 0.001).len(), 1);
        assert_eq!(
            paused(500_000_000, 0.001, [4.0, 4.0]),
            [],
            "few for half a second in which a hundred come in a tenth"
        );
        assert_eq!(paused(10_000_000, 0.001, [2.0, 2.0]).len(), 1);
        assert_eq!(paused(MIN_PAUSE_NS - 1, 0.1, [6.0, 6.0]), [], "no silence");
        assert_eq!(paused(500_000_000, 0.9, [6.0, 6.0]), [], "nine of ten are missed always");
    }

    #[test]
    fn skipped_numbers_are_of_the_longest_silence_and_of_the_time_around_it() {
        let mut pauses = Pauses::default();
        let ms = |number: i64| number * 1_000_000;
        [0, 40, 46, 47].into_iter().for_each(|at| pauses.record(3, ms(at)));
        let skipped = Skipped { after_ns: 0, before_ns: ms(50), ppdus: 5.0, is_data: true, missed: 0.1 };
        assert_eq!(pauses.skip(3, skipped), Some((0, 0.8)));
        assert_eq!(pauses.skip(3, Skipped { after_ns: ms(40), ..skipped }), Some((ms(40), 0.6)));
        assert_eq!(pauses.skip(3, Skipped { after_ns: ms(47), ..skipped }), None);
    }
}
