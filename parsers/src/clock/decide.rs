//! Chooses the conventions that explain most of the evidence.

use crate::clock::convention::{Convention, Group, GroupConvention};
use crate::clock::ClockModel;
use crate::frame::{Direction, Phy};

const CONVENTIONS: usize = Convention::ALL.len();

/// Fewer explained pairs than this decide nothing.
const FEWEST_PAIRS: u32 = 2;
/// A convention must explain this share of its group's pairs.
const LEAST_SHARE: f64 = 0.5;
/// The opposite convention may explain at most this share of what the chosen one does.
const RIVAL_SHARE: f64 = 0.9;

/// How many pairs of two groups there were, and how many of them each choice of conventions explains.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    cells: Vec<Cell>,
    seen: [u64; Group::COUNT],
    radio_stamps: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    pairs: u32,
    explained: [[u32; CONVENTIONS]; CONVENTIONS],
}

impl Default for Tally {
    fn default() -> Tally {
        Tally { cells: vec![Cell::default(); Group::COUNT * Group::COUNT], seen: [0; Group::COUNT], radio_stamps: 0 }
    }
}

impl Tally {
    /// Counts a frame, and whether the radio's own clock stamped it.
    pub(super) fn saw(&mut self, group: Group, radio_stamp: bool) {
        self.seen[group.index()] += 1;
        self.radio_stamps += u64::from(radio_stamp);
    }

    /// Counts a pair and asks which conventions explain it.
    pub(super) fn add(&mut self, first: Group, second: Group, explains: impl Fn(Convention, Convention) -> bool) {
        let cell = &mut self.cells[first.index() * Group::COUNT + second.index()];
        cell.pairs = cell.pairs.saturating_add(1);
        for &a in Convention::ALL {
            for &b in Convention::ALL {
                cell.explained[a as usize][b as usize] += u32::from(explains(a, b));
            }
        }
    }

    fn cell(&self, first: usize, second: usize) -> &Cell {
        &self.cells[first * Group::COUNT + second]
    }

    /// Sums a figure of the pairs that have a frame of the group.
    fn of_group(&self, group: usize, figure: impl Fn(&Cell, usize, usize) -> u32) -> u32 {
        let others = (0..Group::COUNT).filter(|&other| other != group);
        let crossed = others
            .map(|other| figure(self.cell(group, other), group, other) + figure(self.cell(other, group), other, group));
        crossed.sum::<u32>() + figure(self.cell(group, group), group, group)
    }

    fn pairs(&self, group: usize) -> u32 {
        self.of_group(group, |cell, _, _| cell.pairs)
    }

    fn explained(&self, group: usize, choice: &Choice) -> u32 {
        self.of_group(group, |cell, a, b| cell.explained[choice[a] as usize][choice[b] as usize])
    }

    fn explained_in_all(&self, active: &[usize], choice: &Choice) -> u32 {
        let pairs = active.iter().flat_map(|&a| active.iter().map(move |&b| (a, b)));
        pairs.map(|(a, b)| self.cell(a, b).explained[choice[a] as usize][choice[b] as usize]).sum()
    }
}

/// One convention per group.
type Choice = [Convention; Group::COUNT];

/// Chooses a convention for every group, and says how sure that is.
///
/// Groups that the evidence leaves open take the convention of the best attested group of the same
/// direction; without one they are taken as radiotap defines TSFT, and marked ambiguous.
pub(super) fn decide(tally: &Tally) -> ClockModel {
    let active: Vec<usize> = (0..Group::COUNT).filter(|&group| tally.pairs(group) > 0).collect();
    let preference = preference(tally);
    let choice = best(tally, &active, preference, None);
    let total = tally.explained_in_all(&active, &choice);

    let mut groups: Vec<GroupConvention> = Group::all()
        .map(|group| {
            let index = group.index();
            let (pairs, explained) = (tally.pairs(index), tally.explained(index, &choice));
            let share = if pairs == 0 { 0.0 } else { f64::from(explained) / f64::from(pairs) };
            let rival = total - rival(tally, &active, preference, &choice, index).min(total);
            let is_sure = explained >= FEWEST_PAIRS
                && share >= LEAST_SHARE
                && f64::from(rival) >= (1.0 - RIVAL_SHARE) * f64::from(explained);
            let convention = choice[index];
            group_convention(group, convention, pairs, share, !is_sure)
        })
        .collect();
    settle_open_groups(&mut groups);
    ClockModel::new(groups, tally.seen)
}

/// The order in which conventions that explain equally much are preferred. Where all preambles are
/// equally long, nothing tells the start of the MPDU from the start of the frame: a radio's clock
/// is then taken as radiotap defines it, a simulator's as marking the event.
fn preference(tally: &Tally) -> [Convention; CONVENTIONS] {
    use Convention::{End, EndOfSignal, Mpdu, Start};
    let frames: u64 = tally.seen.iter().sum();
    if tally.radio_stamps > frames / 2 {
        [Mpdu, Start, End, EndOfSignal]
    } else {
        [Start, Mpdu, End, EndOfSignal]
    }
}

/// The choice that explains most pairs, with one group's convention given or all free.
///
/// Climbs from every combination of one convention for sent frames and one for the others, changing
/// one group at a time: groups are many, but stamps mostly differ by direction.
fn best(
    tally: &Tally,
    active: &[usize],
    preference: [Convention; CONVENTIONS],
    given: Option<(usize, Convention)>,
) -> Choice {
    let mut winner: Option<(u32, Choice)> = None;
    for sent in preference {
        for received in preference {
            let mut choice = [received; Group::COUNT];
            for group in Group::all().filter(|group| group.direction() == Some(Direction::Tx)) {
                choice[group.index()] = sent;
            }
            if let Some((group, convention)) = given {
                choice[group] = convention;
            }
            let explained = climb(tally, active, preference, given, &mut choice);
            if winner.is_none_or(|(most, _)| explained > most) {
                winner = Some((explained, choice));
            }
        }
    }
    winner.map_or([preference[0]; Group::COUNT], |(_, choice)| choice)
}

/// Changes one group at a time as long as that explains more; returns how many pairs are explained.
fn climb(
    tally: &Tally,
    active: &[usize],
    preference: [Convention; CONVENTIONS],
    given: Option<(usize, Convention)>,
    choice: &mut Choice,
) -> u32 {
    let mut explained = tally.explained_in_all(active, choice);
    loop {
        let before = explained;
        for &group in active.iter().filter(|&&group| given.is_none_or(|(fixed, _)| fixed != group)) {
            for convention in preference {
                let kept = std::mem::replace(&mut choice[group], convention);
                let now = tally.explained_in_all(active, choice);
                if now > explained {
                    explained = now;
                } else {
                    choice[group] = kept;
                }
            }
        }
        if explained == before {
            return explained;
        }
    }
}

/// The most pairs that are explained when the group's stamps mark the other end of the frame.
fn rival(tally: &Tally, active: &[usize], preference: [Convention; CONVENTIONS], choice: &Choice, group: usize) -> u32 {
    let opposite = Convention::ALL.iter().filter(|c| c.is_early() != choice[group].is_early());
    let explained = opposite.map(|&convention| {
        let rival = best(tally, active, preference, Some((group, convention)));
        tally.explained_in_all(active, &rival)
    });
    explained.max().unwrap_or(0)
}

fn group_convention(
    group: Group,
    convention: Convention,
    pairs: u32,
    explained_share: f64,
    ambiguous: bool,
) -> GroupConvention {
    let (direction, phy): (Option<Direction>, Option<Phy>) = (group.direction(), group.phy());
    GroupConvention { direction, phy, convention, pairs, explained_share, ambiguous }
}

/// Gives the groups marked ambiguous the convention of the same direction's best attested group.
fn settle_open_groups(groups: &mut [GroupConvention]) {
    let attested: Vec<GroupConvention> = groups.iter().filter(|group| !group.ambiguous).copied().collect();
    for open in groups.iter_mut().filter(|group| group.ambiguous) {
        let kin = attested.iter().filter(|other| other.direction == open.direction);
        match kin.max_by_key(|other| other.pairs) {
            Some(kin) => (open.convention, open.ambiguous) = (kin.convention, false),
            None => open.convention = Convention::Mpdu,
        }
    }
}
