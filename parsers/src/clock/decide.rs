//! Chooses the conventions and offsets that explain most of the evidence.

use super::by_group::ByGroup;
use super::convention::{Convention, Group, GroupConvention};
use super::late::with_late_answers;
use super::model::ClockModel;
use super::offsets::{credit, Offsets, Samples};
use super::precision::{Precision, StampPrecision};
use super::speed::Speed;
use crate::frame::Direction;

const CONVENTIONS: usize = Convention::ALL.len();

/// Minimum number of explained pairs for a decision.
const MIN_PAIRS: u32 = 2;
/// A convention must explain at least this share of its group's pairs.
const MIN_SHARE: f64 = 0.5;
/// Minimum lead over the opposite convention, as a share of the credit of the group's pairs.
const MIN_LEAD: f64 = 0.1;
/// Conventions that explain this share of the pairs of every group need no free numbers.
const WELL_EXPLAINED: f64 = 0.95;
/// Share of neighbours whose overlap shows that the stamps are no times of frames.
const MANY_OVERLAPS: f64 = 0.2;
/// Fewer neighbours do not show it.
const MIN_NEIGHBOURS: usize = 20;
/// Answers to sent frames from which on it counts how many seem to be earlier than these.
const MIN_ANSWERED: u32 = 20;
/// Share of them that shows that the stamps of the sent frames are no times of theirs.
const NEARLY_ALL: f64 = 0.9;
/// The start of a frame and that of its MPDU are at most this far apart.
const PLAUSIBLE_ERROR_US: f64 = 192.0;

/// What the first frames of a source say.
#[derive(Clone, Debug)]
pub(super) struct Evidence {
    pub(super) samples: Samples,
    pub(super) precision: Precision,
    /// Frames of each group.
    pub(super) seen: ByGroup<u64>,
    /// Answers to the frames of each group of sent ones.
    pub(super) answered: ByGroup<Answered>,
    /// Frames stamped by the radio's clock.
    pub(super) radio_stamps: u64,
}

/// Answers to sent frames.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Answered {
    all: u32,
    /// Stamped before the frame that they answer.
    earlier: u32,
}

impl Answered {
    pub(super) fn count(&mut self, is_earlier: bool) {
        self.all += 1;
        self.earlier += u32::from(is_earlier);
    }

    /// True if the stamps mark no instant of the frames: none of an answer is before one of what it answers.
    ///
    /// radiotap defines TSFT for received frames alone. Drivers stamp what the radio sent when they hear that it was
    /// sent, after the BlockAck.
    fn are_no_times(self) -> bool {
        self.all >= MIN_ANSWERED && f64::from(self.earlier) >= NEARLY_ALL * f64::from(self.all)
    }
}

/// Chooses a convention and an offset for every group and rates their certainty.
///
/// A group that the evidence does not determine takes those of the best-supported group of the same direction. If
/// there is none, it takes radiotap's definition of TSFT and is marked ambiguous.
pub(super) fn decide(evidence: &Evidence, speed: Option<Speed>) -> ClockModel {
    let candidates = candidates(evidence);
    let best = candidates.iter().copied().reduce(|best, other| if other.score > best.score { other } else { best });
    let [preferred, ..] = preference(evidence);
    let mut winner = best.unwrap_or(Candidate { score: 0, offsets: Offsets::of(ByGroup::of(preferred)) });
    winner.offsets = with_late_answers(&evidence.samples, winner.offsets);
    let judge = Judge { evidence, candidates: &candidates, winner };
    let mut groups: Vec<GroupConvention> = Group::all().map(|group| judge.judge(group)).collect();
    let open: Vec<Group> =
        Group::all().zip(&groups).filter(|(_, known)| known.ambiguous).map(|(group, _)| group).collect();
    settle_open_groups(&mut groups);
    // What they took from others explains other pairs than what they were judged by.
    let settled = offsets_of(&groups);
    for (group, known) in Group::all().zip(&mut groups).filter(|(group, _)| open.contains(group)) {
        known.explained_share = share(evidence.samples.explained(group, &settled));
    }
    let is_decided = groups.iter().zip(evidence.seen.iter()).any(|(group, seen)| seen > 0 && !group.ambiguous);
    for (known, answered) in groups.iter_mut().zip(evidence.answered.iter()) {
        known.contradicted = answered.are_no_times();
        known.ambiguous &= !known.contradicted;
    }
    let precision = match evidence.precision.error_us() {
        _ if is_decided => StampPrecision::Exact,
        error_us if are_no_times(&evidence.samples, &winner.offsets, error_us) => StampPrecision::NoTimes,
        Some(error_us) => StampPrecision::Within(error_us),
        None => StampPrecision::Unknown,
    };
    ClockModel::new(groups, evidence.seen, precision, speed)
}

/// True if more frames overlap than the error of the stamps explains: they were stamped in batches, not one by one.
fn are_no_times(samples: &Samples, offsets: &Offsets, error_us: Option<f64>) -> bool {
    let deeper_than_us = error_us.unwrap_or(0.0) + PLAUSIBLE_ERROR_US;
    let overlaps = samples.neighbours.iter().filter(|sample| offsets.gap_us(sample) < -deeper_than_us).count();
    samples.neighbours.len() >= MIN_NEIGHBOURS && overlaps as f64 > MANY_OVERLAPS * samples.neighbours.len() as f64
}

/// A choice of conventions and offsets, and how well it explains the evidence.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    score: i64,
    offsets: Offsets,
}

/// One convention for sent and one for all other frames in every combination: a radio stamps all frames that it
/// receives at the same instant. Offsets from them are solved for only if no convention explains the evidence well.
fn candidates(evidence: &Evidence) -> Vec<Candidate> {
    let samples = &evidence.samples;
    let preference = preference(evidence);
    let has_sent = Group::all().any(|group| group.is_sent() && evidence.seen[group] > 0);
    let sent_choices = preference.iter().take(if has_sent { CONVENTIONS } else { 1 });
    let choices: Vec<ByGroup<Convention>> =
        sent_choices.flat_map(|&sent| preference.iter().map(move |&received| choice(sent, received))).collect();
    let rated = |offsets: Offsets| Candidate { score: samples.score(&offsets), offsets };
    let plain: Vec<Candidate> = choices.iter().map(|&choice| rated(Offsets::of(choice))).collect();
    if plain.iter().any(|candidate| is_good(samples, &candidate.offsets)) {
        return plain;
    }
    let solved = choices.iter().map(|&choice| rated(with_late_answers(samples, samples.solve(choice))));
    plain.iter().copied().chain(solved).collect()
}

fn choice(sent: Convention, received: Convention) -> ByGroup<Convention> {
    let mut choice = ByGroup::of(received);
    for group in Group::all().filter(|group| group.is_sent()) {
        choice[group] = sent;
    }
    choice
}

/// True if the pairs of every group are explained, and hardly any frames overlap.
fn is_good(samples: &Samples, offsets: &Offsets) -> bool {
    let overlaps = samples.overlaps(offsets) as f64;
    let explained = Group::all().map(|group| samples.explained(group, offsets));
    let well = |(pairs, explained): (u32, u32)| f64::from(explained) >= WELL_EXPLAINED * f64::from(pairs);
    overlaps <= (1.0 - WELL_EXPLAINED) * samples.neighbours.len() as f64 && explained.into_iter().all(well)
}

/// Order of preference among conventions that explain the evidence equally well. If all preambles are equally
/// long, the start of the MPDU cannot be distinguished from the start of the frame. A radio's clock is then
/// interpreted by radiotap's definition. A simulator's clock is taken to mark the event.
fn preference(evidence: &Evidence) -> [Convention; CONVENTIONS] {
    use Convention::{End, EndOfSymbols, Header, Mpdu, Start};
    let frames: u64 = evidence.seen.iter().sum();
    if evidence.radio_stamps > frames / 2 {
        [Mpdu, Header, Start, End, EndOfSymbols]
    } else {
        [Start, Mpdu, Header, End, EndOfSymbols]
    }
}

/// Rates the certainty of the best candidate, group by group.
struct Judge<'a> {
    evidence: &'a Evidence,
    candidates: &'a [Candidate],
    winner: Candidate,
}

impl Judge<'_> {
    fn judge(&self, group: Group) -> GroupConvention {
        let samples = &self.evidence.samples;
        let (pairs, explained) = samples.explained(group, &self.winner.offsets);
        let explained_share = share((pairs, explained));
        let overlaps = samples.overlaps(&self.winner.offsets) as f64;
        let are_times = overlaps <= MANY_OVERLAPS * samples.neighbours.len().max(1) as f64;
        let enough = explained >= MIN_PAIRS && explained_share >= MIN_SHARE && are_times;
        GroupConvention {
            direction: group.direction(),
            phy: group.phy(),
            convention: self.winner.offsets.conventions[group],
            shift_us: self.winner.offsets.shifts_us[group],
            late_answers_us: self.winner.offsets.late_us[group],
            pairs,
            explained_share,
            ambiguous: !(enough && self.beats_opposite(group)),
            contradicted: false,
        }
    }

    /// True if the score drops clearly when the stamps of the group mark the other end of the frame.
    fn beats_opposite(&self, group: Group) -> bool {
        let is_early = self.winner.offsets.conventions[group].is_early();
        let opposite = self.candidates.iter().filter(|other| other.offsets.conventions[group].is_early() != is_early);
        let rival = opposite.map(|other| other.score).max().unwrap_or(0).max(0);
        let of_group = |sample: &&super::sample::Sample| sample.first == group || sample.second == group;
        let pairs = self.evidence.samples.answers.iter().filter(of_group);
        let earned: u32 = pairs.map(|sample| credit(self.winner.offsets.gap_us(sample))).sum();
        (self.winner.score - rival) as f64 >= MIN_LEAD * f64::from(earned)
    }
}

/// Gives every undetermined group the convention of the most similar determined group.
fn settle_open_groups(groups: &mut [GroupConvention]) {
    let attested: Vec<GroupConvention> = groups.iter().filter(|group| !group.ambiguous).copied().collect();
    for open in groups.iter_mut().filter(|group| group.ambiguous) {
        match attested.iter().filter_map(|other| Some((kinship(open, other)?, other))).max_by_key(|(kin, _)| *kin) {
            Some(((_, same_phy, _), kin)) => {
                (open.convention, open.ambiguous) = (kin.convention, false);
                (open.shift_us, open.late_answers_us) =
                    if same_phy { (kin.shift_us, kin.late_answers_us) } else { (0.0, 0.0) };
            }
            None => (open.convention, open.shift_us, open.late_answers_us) = (Convention::Mpdu, 0.0, 0.0),
        }
    }
}

/// The conventions and offsets of all groups.
fn offsets_of(groups: &[GroupConvention]) -> Offsets {
    let mut offsets = Offsets::of(ByGroup::of(Convention::Mpdu));
    for (group, known) in Group::all().zip(groups) {
        offsets.conventions[group] = known.convention;
        offsets.shifts_us[group] = known.shift_us;
        offsets.late_us[group] = known.late_answers_us;
    }
    offsets
}

/// Of the pairs of a group, how many are explained.
fn share((pairs, explained): (u32, u32)) -> f64 {
    if pairs == 0 {
        0.0
    } else {
        f64::from(explained) / f64::from(pairs)
    }
}

/// Similarity of two groups: first the same direction, then the same PHY, then the number of pairs. A frame of
/// unknown direction was most likely received.
fn kinship(open: &GroupConvention, other: &GroupConvention) -> Option<(bool, bool, u32)> {
    let same_direction = open.direction == other.direction;
    let received = open.direction.is_none() && other.direction == Some(Direction::Rx);
    (same_direction || received).then_some((same_direction, open.phy == other.phy, other.pairs))
}
