//! Chooses the conventions that explain most of the evidence.

use super::convention::{Convention, Group, GroupConvention};
use super::model::ClockModel;
use crate::frame::Direction;

const CONVENTIONS: usize = Convention::ALL.len();

/// Minimum number of explained pairs for a decision.
const MIN_PAIRS: u32 = 2;
/// A convention must explain at least this share of its group's pairs.
const MIN_SHARE: f64 = 0.5;
/// Minimum lead over the opposite convention, as a share of the credit of the group's pairs.
const MIN_LEAD: f64 = 0.1;
/// If one direction is stamped at both ends, the score loses the credit of the smaller side divided by this.
const MIX_PENALTY: u64 = 10;

/// For each two groups: the number of pairs, and for each choice of conventions the number of pairs that it
/// explains and its credit.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    cells: Vec<Cell>,
    /// Groups that have pairs. A recording has few of them; the cells of all others are zero.
    paired: Vec<usize>,
    seen: [u64; Group::COUNT],
    radio_stamps: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    pairs: u32,
    explained: [[u32; CONVENTIONS]; CONVENTIONS],
    credit: [[u32; CONVENTIONS]; CONVENTIONS],
}

impl Default for Tally {
    fn default() -> Tally {
        let cells = vec![Cell::default(); Group::COUNT * Group::COUNT];
        Tally { cells, paired: Vec::new(), seen: [0; Group::COUNT], radio_stamps: 0 }
    }
}

impl Tally {
    /// Counts a frame, and whether its stamp is from the radio's clock.
    pub(super) fn saw(&mut self, group: Group, radio_stamp: bool) {
        self.seen[group.index()] += 1;
        self.radio_stamps += u64::from(radio_stamp);
    }

    /// Counts a pair. `credit` rates how well two conventions explain it; 0 means not at all.
    pub(super) fn add(&mut self, first: Group, second: Group, credit: impl Fn(Convention, Convention) -> u32) {
        for group in [first.index(), second.index()] {
            if !self.paired.contains(&group) {
                self.paired.push(group);
            }
        }
        let cell = &mut self.cells[first.index() * Group::COUNT + second.index()];
        cell.pairs = cell.pairs.saturating_add(1);
        for &a in Convention::ALL {
            for &b in Convention::ALL {
                let credit = credit(a, b);
                cell.explained[a as usize][b as usize] += u32::from(credit > 0);
                cell.credit[a as usize][b as usize] = cell.credit[a as usize][b as usize].saturating_add(credit);
            }
        }
    }

    fn cell(&self, first: usize, second: usize) -> &Cell {
        &self.cells[first * Group::COUNT + second]
    }

    /// Sums `figure` over the pairs that include a frame of the group.
    fn of_group(&self, group: usize, figure: impl Fn(&Cell, usize, usize) -> u32) -> u32 {
        let others = self.paired.iter().copied().filter(|&other| other != group);
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

    fn credit(&self, group: usize, choice: &Choice) -> u32 {
        self.of_group(group, |cell, a, b| cell.credit[choice[a] as usize][choice[b] as usize])
    }
}

/// One convention per group.
type Choice = [Convention; Group::COUNT];

/// Chooses a convention for every group and rates its certainty.
///
/// A group that the evidence does not determine takes the convention of the best-supported group of the same
/// direction. If there is none, it takes radiotap's definition of TSFT and is marked ambiguous.
pub(super) fn decide(tally: &Tally) -> ClockModel {
    let mut is_sent = [false; Group::COUNT];
    for group in Group::all() {
        is_sent[group.index()] = group.direction() == Some(Direction::Tx);
    }
    let search = Search {
        tally,
        active: (0..Group::COUNT).filter(|&group| tally.pairs(group) > 0).collect(),
        is_sent,
        preference: preference(tally),
    };
    let (score, choice) = search.best(None);
    let mut groups: Vec<GroupConvention> = Group::all().map(|group| search.judge(group, &choice, score)).collect();
    settle_open_groups(&mut groups);
    ClockModel::new(groups, tally.seen)
}

/// Order of preference among conventions that explain the evidence equally well. If all preambles are equally
/// long, the start of the MPDU cannot be distinguished from the start of the frame. A radio's clock is then
/// interpreted by radiotap's definition. A simulator's clock is taken to mark the event.
fn preference(tally: &Tally) -> [Convention; CONVENTIONS] {
    use Convention::{End, EndOfSymbols, Header, Mpdu, Start};
    let frames: u64 = tally.seen.iter().sum();
    if tally.radio_stamps > frames / 2 {
        [Mpdu, Header, Start, End, EndOfSymbols]
    } else {
        [Start, Mpdu, Header, End, EndOfSymbols]
    }
}

/// Search for the conventions that explain the evidence best.
struct Search<'a> {
    tally: &'a Tally,
    /// Groups with pairs.
    active: Vec<usize>,
    /// Groups of frames that the recording station sent.
    is_sent: [bool; Group::COUNT],
    preference: [Convention; CONVENTIONS],
}

impl Search<'_> {
    /// The best choice, with the convention of one group given or with all of them free.
    ///
    /// Hill climbing from every combination of one convention for sent frames and one for all others. There are
    /// many groups, but stamps mostly differ by direction only.
    fn best(&self, given: Option<(usize, Convention)>) -> (u64, Choice) {
        let mut winner = (0, [self.preference[0]; Group::COUNT]);
        for sent in self.preference {
            for received in self.preference {
                let mut choice: Choice = [received; Group::COUNT];
                for (convention, is_sent) in choice.iter_mut().zip(self.is_sent) {
                    *convention = if is_sent { sent } else { received };
                }
                if let Some((group, convention)) = given {
                    choice[group] = convention;
                }
                let score = self.climb(given, &mut choice);
                if score > winner.0 {
                    winner = (score, choice);
                }
            }
        }
        winner
    }

    /// Changes one group at a time while the score improves. Returns the final score.
    fn climb(&self, given: Option<(usize, Convention)>, choice: &mut Choice) -> u64 {
        let mut score = self.score(choice);
        loop {
            let before = score;
            for &group in self.active.iter().filter(|&&group| given.is_none_or(|(fixed, _)| fixed != group)) {
                for convention in self.preference {
                    let kept = std::mem::replace(&mut choice[group], convention);
                    let now = self.score(choice);
                    if now > score {
                        score = now;
                    } else {
                        choice[group] = kept;
                    }
                }
            }
            if score == before {
                return score;
            }
        }
    }

    /// Score of a choice: how well it explains the evidence. A radio stamps all received frames either before
    /// or after the content. A mix within one direction must therefore score clearly higher: the end of a short
    /// control frame may be as far from its start as the MPDU start of another PHY is.
    fn score(&self, choice: &Choice) -> u64 {
        let pairs = self.active.iter().flat_map(|&a| self.active.iter().map(move |&b| (a, b)));
        let credit =
            pairs.map(|(a, b)| u64::from(self.tally.cell(a, b).credit[choice[a] as usize][choice[b] as usize]));
        let mut early_and_late = [[0u64; 2]; 2];
        for &group in &self.active {
            let sent = usize::from(self.is_sent[group]);
            let late = usize::from(!choice[group].is_early());
            early_and_late[sent][late] += u64::from(self.tally.credit(group, choice));
        }
        let mixed: u64 = early_and_late.iter().map(|[early, late]| early.min(late)).sum();
        credit.sum::<u64>().saturating_sub(mixed / MIX_PENALTY)
    }

    /// The convention of one group in a choice, and whether the evidence is sufficient.
    fn judge(&self, group: Group, choice: &Choice, score: u64) -> GroupConvention {
        let index = group.index();
        let (pairs, explained) = (self.tally.pairs(index), self.tally.explained(index, choice));
        let explained_share = if pairs == 0 { 0.0 } else { f64::from(explained) / f64::from(pairs) };
        let enough = explained >= MIN_PAIRS && explained_share >= MIN_SHARE;
        GroupConvention {
            direction: group.direction(),
            phy: group.phy(),
            convention: choice[index],
            pairs,
            explained_share,
            ambiguous: !(enough && self.beats_opposite(index, choice, score)),
        }
    }

    /// True if the score drops clearly when the stamps of the group mark the other end of the frame, for any
    /// conventions of the other groups.
    fn beats_opposite(&self, group: usize, choice: &Choice, score: u64) -> bool {
        let opposite = Convention::ALL.iter().filter(|other| other.is_early() != choice[group].is_early());
        let rival = opposite.map(|&other| self.best(Some((group, other))).0).max().unwrap_or(0);
        score.saturating_sub(rival) as f64 >= MIN_LEAD * f64::from(self.tally.credit(group, choice))
    }
}

/// Gives every undetermined group the convention of the most similar determined group.
fn settle_open_groups(groups: &mut [GroupConvention]) {
    let attested: Vec<GroupConvention> = groups.iter().filter(|group| !group.ambiguous).copied().collect();
    for open in groups.iter_mut().filter(|group| group.ambiguous) {
        match attested.iter().filter_map(|other| Some((kinship(open, other)?, other))).max_by_key(|(kin, _)| *kin) {
            Some((_, kin)) => (open.convention, open.ambiguous) = (kin.convention, false),
            None => open.convention = Convention::Mpdu,
        }
    }
}

/// Similarity of two groups: first the same direction, then the same PHY, then the number of pairs. A frame of
/// unknown direction was most likely received.
fn kinship(open: &GroupConvention, other: &GroupConvention) -> Option<(bool, bool, u32)> {
    let same_direction = open.direction == other.direction;
    let received = open.direction.is_none() && other.direction == Some(Direction::Rx);
    (same_direction || received).then_some((same_direction, open.phy == other.phy, other.pairs))
}
