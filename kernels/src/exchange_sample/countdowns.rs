//! Whole backoffs, counted down in the gaps between the exchanges of other stations.

use std::collections::BTreeMap;

use super::{Sample, TXOP_MARGIN_US};

/// Which backoffs are counted, and on which grid of slots.
#[derive(Clone, Copy, Debug)]
pub struct Backoffs {
    /// Number of the station.
    pub station: u32,
    /// Number in [`super::CATEGORIES`].
    pub category: u8,
    /// SIFS of the station.
    pub sifs_us: f64,
    /// AIFS of the station in this category.
    pub aifs_us: f64,
    /// Slot time.
    pub slot_us: f64,
    /// A gap on the grid, modulo the slot time.
    pub phase_us: f64,
    /// Width of the grid's lines.
    pub width_us: f64,
    /// Tolerance of AIFS.
    pub tolerance_us: f64,
    /// A backoff of so many slots or more is not counted.
    pub max_slots: i64,
}

impl Sample {
    /// How often each whole backoff occurred: slots counted down in all gaps since the station's own last exchange.
    ///
    /// A countdown is suspended while the medium is busy and resumes AIFS after (10.3.3), so the sum over the gaps
    /// between other stations' exchanges does not depend on their number. It is the backoff if the station was
    /// backlogged.
    pub fn countdowns(&self, of: &Backoffs) -> BTreeMap<i64, u64> {
        let mut counts = BTreeMap::new();
        let Some(medium) = self.stations.get(of.station as usize).map(|station| station.medium) else { return counts };
        let (mut counted, mut broken) = (0_i64, 0_u64);
        let mut last: Option<Last> = None;
        for (row, place) in self.rows.iter().zip(&self.places).filter(|(_, place)| place.medium == medium) {
            let gap = row.idle_us.map(|idle_us| (idle_us, of.slots(idle_us), of.is_on_slot(idle_us)));
            counted = counted.saturating_add(gap.map_or(0, |(_, slots, _)| slots as i64));
            let holds = gap.is_some_and(|(idle_us, _, on_slot)| {
                let in_txop = idle_us < of.sifs_us + TXOP_MARGIN_US;
                place.clean && (in_txop || on_slot)
            });
            broken += u64::from(!holds);
            if place.station != of.station {
                continue;
            }
            let in_category = row.category == Some(of.category);
            let before = last.replace(Last { counted, broken, in_category, complete: row.complete });
            let (Some(before), Some((idle_us, _, on_slot))) = (before, gap) else { continue };
            let is_whole = before.broken == broken && before.complete && before.in_category && in_category;
            let slots = counted - before.counted;
            let contended = on_slot && idle_us >= of.aifs_us - of.tolerance_us;
            if is_whole && row.first_attempt && contended && slots < of.max_slots {
                *counts.entry(slots).or_default() += 1;
            }
        }
        counts
    }
}

/// State after the last exchange of the station.
#[derive(Clone, Copy)]
struct Last {
    counted: i64,
    broken: u64,
    in_category: bool,
    complete: bool,
}

impl Backoffs {
    fn slots(&self, idle_us: f64) -> f64 {
        ((idle_us - self.aifs_us + self.tolerance_us) / self.slot_us).floor().max(0.0)
    }

    fn is_on_slot(&self, idle_us: f64) -> bool {
        let beyond = idle_us - self.phase_us;
        (beyond - (beyond / self.slot_us).round_ties_even() * self.slot_us).abs() <= (self.width_us + 1.0) / 2.0
    }
}
