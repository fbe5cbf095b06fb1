//! Infers the offsets of the stamps as free numbers.
//!
//! Drivers add what no definition says: mac80211 took 192 us for the preamble of every frame at 2.4 GHz, so that its
//! ERP-OFDM stamps are 172 us late against those of HT. For each choice of conventions the gaps between frames that
//! are one SIFS apart give one equation for each two groups: the offset of one less that of the other. Their mode is
//! robust, a spanning tree of the equations with the most evidence solves them, and what remains free (the offset of
//! all groups that no equation connects to others) is set so that most frames have a known offset and fewest frames
//! overlap: a radio receives one frame at a time.

use super::by_group::ByGroup;
use super::convention::{Convention, Group};
use super::mode::mode;
use super::sample::Sample;
use crate::base::numbers::whole;
use crate::frame::Phy;
use crate::ieee80211::constants::{LONG_PLCP_US, OFDM_PREAMBLE_US};

/// Maximum difference between a measured and the expected gap.
pub(super) const TOLERANCE_US: f64 = 4.5;
/// A gap at most this short is an overlap of two frames. Smaller ones are within the inexactness of stamps.
const OVERLAP_US: f64 = -10.0;
/// Credit that an overlap costs: as much as the best pair brings.
const OVERLAP_COST: i64 = 10;
/// An offset this near to a known one is that one.
const KNOWN_US: f64 = 2.5;
/// What an offset that no driver is known for costs, as one part of this of the credit of its pairs. Offsets may be
/// explained by either end of frames of constant length.
pub(super) const UNKNOWN_COST: i64 = 7;
/// Lateness of answers that costs as much, microseconds; more costs more.
const USUAL_LATENESS_US: f64 = 5.0;
/// If one direction is stamped at both ends, the score loses the credit of the smaller side divided by this.
const MIX_PENALTY: i64 = 10;
/// A mode of fewer pairs is no equation.
const MIN_PAIRS: usize = 3;
/// A free number has to explain this many times more pairs than the known offset.
const MIN_GAIN: f64 = 1.02;

/// One convention and one offset from it for each group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offsets {
    pub(super) conventions: ByGroup<Convention>,
    /// Stamp less the instant that the convention names, microseconds.
    pub(super) shifts_us: ByGroup<f64>,
    /// How much later answers are stamped, in addition.
    pub(super) late_us: ByGroup<f64>,
}

impl Offsets {
    /// Conventions without offsets.
    pub(super) fn of(conventions: ByGroup<Convention>) -> Offsets {
        Offsets { conventions, shifts_us: ByGroup::of(0.0), late_us: ByGroup::of(0.0) }
    }

    /// Gap beyond the expected one between two frames.
    pub(super) fn gap_us(&self, sample: &Sample) -> f64 {
        let (first, second) = (sample.first, sample.second);
        let late = |group: Group, is_answer| if is_answer { self.late_us[group] } else { 0.0 };
        let [first_answers, second_answers] = sample.are_answers;
        let moved = self.shifts_us[second] + late(second, second_answers);
        let moved = moved - self.shifts_us[first] - late(first, first_answers);
        sample.gap_us(self.conventions[first], self.conventions[second]) - moved
    }
}

/// Frames one SIFS apart, and neighbours of any distance, both received or both sent: sent and received frames are not
/// always recorded in the order that they were on the air in.
#[derive(Clone, Debug, Default)]
pub(super) struct Samples {
    pub(super) answers: Vec<Sample>,
    pub(super) neighbours: Vec<Sample>,
}

impl Samples {
    /// How well offsets explain the samples: what the pairs bring less what overlaps and unknown offsets cost.
    pub(super) fn score(&self, offsets: &Offsets) -> i64 {
        let mut by_group = ByGroup::of(0i64);
        let mut total = 0;
        for sample in &self.answers {
            let credit = i64::from(credit(offsets.gap_us(sample)));
            total += credit;
            by_group[sample.first] += credit;
            by_group[sample.second] += credit;
        }
        let (mut received, mut sent) = (Sides::default(), Sides::default());
        let mut cost = OVERLAP_COST * i64::try_from(self.overlaps(offsets)).unwrap_or(i64::MAX / OVERLAP_COST);
        for group in Group::all() {
            let (convention, shift) = (offsets.conventions[group], offsets.shifts_us[group]);
            let sides = if group.is_sent() { &mut sent } else { &mut received };
            *(if convention.is_early() { &mut sides.early } else { &mut sides.late }) += by_group[group];
            let is_known = known_shifts(group, convention).any(|known| (known - shift).abs() <= KNOWN_US);
            let unknown = f64::from(u8::from(!is_known)) + offsets.late_us[group].abs() / USUAL_LATENESS_US;
            cost += whole(by_group[group] as f64 * unknown) / UNKNOWN_COST;
        }
        let mixed: i64 = [received, sent].iter().map(|sides| sides.early.min(sides.late)).sum();
        total - cost - mixed / MIX_PENALTY
    }

    /// Neighbours that overlap.
    pub(super) fn overlaps(&self, offsets: &Offsets) -> usize {
        self.neighbours.iter().filter(|sample| offsets.gap_us(sample) < OVERLAP_US).count()
    }

    /// Pairs that include a frame of the group, and how many of them the offsets explain.
    pub(super) fn explained(&self, group: Group, offsets: &Offsets) -> (u32, u32) {
        let of_group = |sample: &&Sample| sample.first == group || sample.second == group;
        let (mut pairs, mut explained) = (0, 0);
        for sample in self.answers.iter().filter(of_group) {
            pairs += 1;
            explained += u32::from(credit(offsets.gap_us(sample)) > 0);
        }
        (pairs, explained)
    }

    /// The offsets that explain the samples best, by given conventions.
    pub(super) fn solve(&self, conventions: ByGroup<Convention>) -> Offsets {
        let mut offsets = Offsets::of(conventions);
        for component in self.components(&mut offsets) {
            self.anchor(&component, &mut offsets);
        }
        self.prefer_known(&mut offsets);
        offsets
    }

    /// Solves the equations between groups, up to a constant for each component of groups that they connect.
    fn components(&self, offsets: &mut Offsets) -> Vec<Vec<Group>> {
        let mut components: Vec<Vec<Group>> = Group::all().filter(|group| self.has(*group)).map(|g| vec![g]).collect();
        let mut equations = self.equations(offsets);
        equations.sort_by_key(|equation| std::cmp::Reverse(equation.count));
        for Equation { first, second, apart_us, .. } in equations {
            let place = |group| components.iter().position(|component| component.contains(&group));
            let (Some(one), Some(other)) = (place(first), place(second)) else { continue };
            if one == other {
                continue;
            }
            let moved = offsets.shifts_us[first] + apart_us - offsets.shifts_us[second];
            let joined = components.get_mut(other).map(std::mem::take).unwrap_or_default();
            joined.iter().for_each(|&group| offsets.shifts_us[group] += moved);
            components.get_mut(one).into_iter().for_each(|component| component.extend(&joined));
        }
        components.retain(|component| !component.is_empty());
        components
    }

    fn has(&self, group: Group) -> bool {
        self.answers.iter().any(|sample| sample.first == group || sample.second == group)
    }

    /// For each two groups, the offset of the second less that of the first on which most pairs agree.
    fn equations(&self, offsets: &Offsets) -> Vec<Equation> {
        let mut gaps: Vec<((Group, Group), Vec<f64>)> = Vec::new();
        for sample in self.answers.iter().filter(|sample| sample.first != sample.second) {
            let gap = offsets.gap_us(sample);
            let is_turned = sample.first.index() > sample.second.index();
            let (key, gap) = match is_turned {
                true => ((sample.second, sample.first), -gap),
                false => ((sample.first, sample.second), gap),
            };
            match gaps.iter_mut().find(|(known, _)| *known == key) {
                Some((_, known)) => known.push(gap),
                None => gaps.push((key, vec![gap])),
            }
        }
        let equation = |((first, second), gaps): ((Group, Group), Vec<f64>)| {
            let found = mode(gaps.into_iter()).filter(|found| found.count >= MIN_PAIRS)?;
            Some(Equation { first, second, apart_us: found.value, count: found.count })
        };
        gaps.into_iter().filter_map(equation).collect()
    }

    /// Chooses the constant of a component: most frames at known offsets, fewest overlaps, least change.
    fn anchor(&self, component: &[Group], offsets: &mut Offsets) {
        let moved = |by: f64| {
            let mut moved = *offsets;
            component.iter().for_each(|&group| moved.shifts_us[group] += by);
            moved
        };
        let known = |group: Group, offsets: &Offsets| {
            let convention = offsets.conventions[group];
            known_shifts(group, convention).any(|known| (known - offsets.shifts_us[group]).abs() <= KNOWN_US)
        };
        let constants = component.iter().flat_map(|&group| {
            let shift = offsets.shifts_us[group];
            known_shifts(group, offsets.conventions[group]).map(move |known| known - shift)
        });
        let rated = constants.map(|by| {
            let candidate = moved(by);
            let of_group = |group: &Group| self.explained(*group, &candidate).0;
            let at_known: u32 = component.iter().filter(|group| known(**group, &candidate)).map(of_group).sum();
            let shifted = component.iter().filter(|&&group| candidate.shifts_us[group].abs() > KNOWN_US);
            let overlaps = self.overlaps(&candidate);
            (at_known, std::cmp::Reverse(overlaps), std::cmp::Reverse(shifted.map(of_group).sum::<u32>()), candidate)
        });
        let best = rated.reduce(
            |best, other| {
                if (other.0, other.1, other.2) > (best.0, best.1, best.2) {
                    other
                } else {
                    best
                }
            },
        );
        if let Some((_, _, _, best)) = best {
            *offsets = best;
        }
    }

    /// Offsets next to zero become zero, unless that explains fewer pairs.
    fn prefer_known(&self, offsets: &mut Offsets) {
        for group in Group::all() {
            if offsets.shifts_us[group] == 0.0 || offsets.shifts_us[group].abs() > KNOWN_US {
                continue;
            }
            let mut named = *offsets;
            named.shifts_us[group] = 0.0;
            let (free, known) = (self.explained(group, offsets).1, self.explained(group, &named).1);
            if f64::from(free) <= MIN_GAIN * f64::from(known) {
                *offsets = named;
            }
        }
    }
}

/// Credit of the pairs of one direction whose stamps mark the beginning of a frame, and its end.
#[derive(Clone, Copy, Debug, Default)]
struct Sides {
    early: i64,
    late: i64,
}

/// The offset of `second` less that of `first`.
struct Equation {
    first: Group,
    second: Group,
    apart_us: f64,
    count: usize,
}

/// Offsets that drivers are known for. Where a driver stamps the start of the PLCP, mac80211 adds the preamble of DSSS to
/// every frame at 2.4 GHz that is not HT or later.
fn known_shifts(group: Group, convention: Convention) -> impl Iterator<Item = f64> {
    let is_erp = group.phy() == Some(Phy::Erp) && convention == Convention::Mpdu;
    let late = is_erp.then_some(LONG_PLCP_US - OFDM_PREAMBLE_US);
    [0.0].into_iter().chain(late)
}

/// How well a gap agrees with SIFS: 0 if not at all, else 1 (at the tolerance) to 10 (exact).
pub(super) fn credit(gap_us: f64) -> u32 {
    let off_us = gap_us.abs();
    if off_us <= TOLERANCE_US {
        u32::try_from(1 + whole((TOLERANCE_US - off_us) * 2.0)).unwrap_or(0)
    } else {
        0
    }
}
