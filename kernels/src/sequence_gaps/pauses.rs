//! Times in which nothing at all was recorded, and stations sent as before: their numbers went on.

use std::collections::BTreeMap;

/// A shorter silence may be one of the stations.
pub(super) const MIN_PAUSE_NS: i64 = 250_000_000;

/// Numbers that must have been skipped meanwhile. A recorder that misses half of the frames misses ten in a row, of
/// several stations, with a chance of a thousandth.
pub(super) const MIN_SKIPPED: i64 = 10;

/// Steps beyond half of the range are those of a counter that began anew, or went back.
const MOST_SKIPPED: i64 = 2048;

/// The silences of each source, in the order of time.
#[derive(Default)]
pub(super) struct Pauses {
    sources: BTreeMap<u32, Silences>,
}

/// Those of a source: the pauses, and the last one, which may become a pause.
#[derive(Default)]
pub(super) struct Silences {
    last_ns: Option<i64>,
    found: Vec<Pause>,
}

/// From the last record before it to the first behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pause {
    pub from_ns: i64,
    pub to_ns: i64,
    skipped: i64,
}

impl Pauses {
    /// A record of `source`, whatever it is.
    pub fn record(&mut self, source: u32, at_ns: i64) {
        let silences = self.sources.entry(source).or_default();
        if let Some(from_ns) = silences.last_ns.filter(|last| at_ns.saturating_sub(*last) >= MIN_PAUSE_NS) {
            // What follows counts for the new one: the one before is a pause now, or none.
            silences.found.pop_if(|last| last.skipped < MIN_SKIPPED);
            silences.found.push(Pause { from_ns, to_ns: at_ns, skipped: 0 });
        }
        silences.last_ns = Some(silences.last_ns.map_or(at_ns, |last| last.max(at_ns)));
    }

    /// Those of `source`, if it has any.
    pub fn of(&self, source: u32) -> Option<&Silences> {
        self.sources.get(&source)
    }

    /// A counter that stood at a number at `before_ns` and is `step` further now, at the last record.
    pub fn step(&mut self, source: u32, before_ns: i64, step: i64) {
        let Some(pause) = self.sources.get_mut(&source).and_then(|silences| silences.found.last_mut()) else { return };
        if before_ns <= pause.from_ns && (2..=MOST_SKIPPED).contains(&step) {
            pause.skipped = pause.skipped.saturating_add(step - 1);
        }
    }

    /// Those in which stations sent.
    pub fn found(&self) -> impl Iterator<Item = (u32, Pause)> + '_ {
        let of_each =
            self.sources.iter().flat_map(|(&source, silences)| silences.found.iter().map(move |it| (source, *it)));
        of_each.filter(|(_, pause)| pause.skipped >= MIN_SKIPPED)
    }
}

impl Silences {
    /// When the last one began, which tells it from the others.
    pub fn last(&self) -> Option<i64> {
        self.found.last().map(|silence| silence.from_ns)
    }

    /// Whether stations sent in the one that began at `from_ns`, as far as is known.
    pub fn is_pause(&self, from_ns: i64) -> bool {
        let place = self.found.binary_search_by_key(&from_ns, |silence| silence.from_ns);
        place.is_ok_and(|place| self.found[place].skipped >= MIN_SKIPPED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paused(silent_ns: i64, skipped: [i64; 2]) -> Vec<(u32, Pause)> {
        let mut pauses = Pauses::default();
        (0..5).for_each(|number| pauses.record(3, number * 1_000_000));
        let before_ns = 4_000_000;
        skipped.iter().for_each(|step| {
            pauses.record(3, before_ns + silent_ns);
            pauses.step(3, before_ns, *step);
        });
        pauses.found().collect()
    }

    #[test]
    fn numbers_that_go_on_show_that_the_recorder_paused() {
        let pause = Pause { from_ns: 4_000_000, to_ns: 504_000_000, skipped: 10 };
        assert_eq!(paused(500_000_000, [6, 6]), [(3, pause)]);
    }

    #[test]
    fn silences_of_the_stations_are_not_kept() {
        let mut pauses = Pauses::default();
        (0..1000).for_each(|number| pauses.record(3, number * MIN_PAUSE_NS));
        assert_eq!(pauses.sources[&3].found.len(), 1);
    }

    #[test]
    fn stations_that_were_silent_show_none() {
        assert_eq!(paused(500_000_000, [1, 2]), []);
        assert_eq!(paused(200_000_000, [6, 6]), [], "no silence");
        assert_eq!(paused(500_000_000, [2600, 2900]), [], "counters that began anew");
    }
}
