//! Throughput of a backlogged station among stations with limited load: a fixed point of DCF and EDCA.
//!
//! After G. Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination function", IEEE JSAC 18(3), 2000,
//! with three changes.
//!
//! *Idle slots as the clock.* A backoff counter freezes while the medium is busy (10.3.3, 10.23.2.4), so time is
//! counted in the idle slots that all stations share. A backlogged station that draws b waits b of them. With f the
//! probability that an attempt fails and W_k = min(2^k W, CWmax+1), with CWmax of its access category, the mean over the
//! attempts of a packet is
//!
//! ```text
//! b(f) = sum(f^k (W_k - 1)/2) / sum(f^k)        z(f) = sum(f^k / W_k) / sum(f^k)
//! ```
//!
//! and a station attempts 1/b(f) times per idle slot. The share z of its attempts follows its own last one without an
//! idle slot between them and cannot collide; the rest, q = (1-z)/b, is the probability that it starts in a given slot.
//!
//! *Stations that are not backlogged.* Station i has lambda_i packets per second. It attempts as often as it takes to
//! deliver them, or as often as a backlogged one if that is less:
//!
//! ```text
//! a_i = min(1/b(f_i), lambda_i E / (k_i (1-f_i)))        E: time per idle slot, k_i: packets per access
//! ```
//!
//! *Aggregation.* A station that aggregates sends what arrived since its last access: k_i = lambda_i (1/lambda_i + D_i +
//! T_i) up to the limit of an A-MPDU, with D_i the wait for the medium.
//!
//! With p_i = (1-z_i)(1 - prod_{j != i}(1-q_j)) the probability of a collision, l_i that of a loss on the channel, r_i that
//! of the loss of an RTS, and 1-f = (1-p)(1-l)(1-r), the time per idle slot is
//!
//! ```text
//! E = slot + sum_i a_i (1-p_i) T_i + sum_i P(i is the longest of a collision) F_i
//! ```
//!
//! T: the exchange and the AIFS after it; F: what a collision occupies. A loss on the channel costs T like a success, that
//! of an RTS F like a collision.
//!
//! *Access categories.* AIFS in T and F is the shortest of the case. A station whose own is longer by d slots counts down
//! only in slots that follow d idle ones, which is the share (1-P)^d of all, P the chance that somebody starts in a slot.
//!
//! *Like stations.* A row may stand for `count` stations that are alike: some of them start with probability
//! 1 - (1-q)^count, and each collides with the others as well.

use rayon::prelude::*;

use super::{window_max, SHORT_RETRY_LIMIT};

/// Damped iterations, fewer where one changes nothing; the change of the last is below 1e-4 in every case of the tests.
const ROUNDS: usize = 80;

/// Weight of the last iterate.
const DAMPING: f64 = 0.5;

/// Most starts of one station per slot: keeps the cycle time of the others finite.
const START_MAX: f64 = 1.0 - 1e-9;

/// Starts per slot before the first round from which on it begins with an idle medium. Many stations with little load
/// have two solutions, one of which is that all their attempts collide for ever; that is reached from many starts, the
/// one that was recorded from few.
const STARTS_FIRST: f64 = 0.5;

/// Most slots by which an AIFS can be longer than another: AIFSN is a number of four bits (9.4.2.28).
const DEFERRED_MAX: f64 = 15.0;

/// Least packets delivered per attempt, against division by zero.
const DELIVERED_MIN: f64 = 1e-6;

/// Parameters of a station; times in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Station {
    /// Number of the case: stations of one case hear one another.
    pub case: i64,
    /// The station whose queue never runs empty.
    pub subject: bool,
    /// Packets per second that a station has to send.
    pub packets_per_s: f64,
    /// Most packets per access, at least 1.
    pub packets_max: f64,
    /// How many stations the row stands for; the subject is one.
    pub count: f64,
    /// Arbitration interframe space.
    pub aifs_s: f64,
    /// Fixed part of an exchange, AIFS included.
    pub access_s: f64,
    /// What every packet adds to it.
    pub packet_s: f64,
    /// Fixed part of what a collision occupies.
    pub first_s: f64,
    /// What every packet adds to it.
    pub first_packet_s: f64,
    /// The BlockAckReq that follows an aggregate without response; None: there is none.
    pub request_s: Option<f64>,
    /// Probability that the channel loses an attempt.
    pub loss: f64,
    /// Probability that it loses the RTS of an attempt.
    pub rts_loss: f64,
    /// Probability that a collision destroys an attempt.
    pub vulnerable: f64,
    /// CWmin + 1.
    pub window: f64,
    /// Slot time.
    pub slot_s: f64,
}

/// The result of a station.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Packets delivered per second.
    pub delivered_per_s: f64,
    /// Probability that an attempt collides.
    pub collision: f64,
    /// Packets per access.
    pub packets: f64,
}

/// Fewest cases per task of the thread pool.
const CASES_TOGETHER: usize = 64;

/// Solves every case; the outcomes are in the order of the stations.
pub fn solve(stations: &[Station]) -> Vec<Outcome> {
    let mut iterates: Vec<_> = stations.iter().enumerate().map(|(row, &it)| Iterate::new(it, row)).collect();
    iterates.sort_by_key(|iterate| iterate.station.case);
    let cases: Vec<_> = iterates.chunk_by_mut(|one, other| one.station.case == other.station.case).collect();
    cases.into_par_iter().with_min_len(CASES_TOGETHER).for_each(settle);
    iterates.sort_unstable_by_key(|iterate| iterate.row);
    iterates.iter().map(Iterate::outcome).collect()
}

/// Iterates over one case, whose stations it reorders.
fn settle(iterates: &mut [Iterate]) {
    let aifs_s = iterates.iter().map(|iterate| iterate.station.aifs_s).fold(f64::INFINITY, f64::min);
    iterates.iter_mut().for_each(|iterate| iterate.defer(aifs_s));
    let starts: f64 = iterates.iter().map(|iterate| iterate.station.count * iterate.start).sum();
    if starts > STARTS_FIRST {
        iterates.iter_mut().filter(|iterate| !iterate.station.subject).for_each(Iterate::begin_idle);
    }
    for _ in 0..ROUNDS {
        if !round(iterates) {
            break;
        }
    }
}

/// One round: collisions from starts, time from attempts, attempts from time. Returns whether anything changed.
fn round(iterates: &mut [Iterate]) -> bool {
    iterates.iter_mut().for_each(Iterate::cost);
    iterates.sort_unstable_by(|one, other| {
        one.collided_s.total_cmp(&other.collided_s).then(one.station.subject.cmp(&other.station.subject))
    });
    let (mut shared_s, mut residual_s, mut changed) = (0.0, 0.0, false);
    // Probability that some station of a shorter collision starts; then that some station of a longer one does.
    let mut shorter = 0.0;
    for iterate in iterates.iter_mut() {
        iterate.collision = shorter;
        shorter = either(shorter, iterate.any_starts());
    }
    let mut longer = 0.0;
    for iterate in iterates.iter_mut().rev() {
        let any = iterate.any_starts();
        let longest = (1.0 - longer) * (any - (1.0 - iterate.collision) * iterate.one_starts());
        let others = either(either(iterate.collision, longer), iterate.likes_start());
        iterate.collision = (1.0 - iterate.zero) * others;
        longer = either(longer, any);
        let Station { vulnerable, loss, rts_loss, .. } = iterate.station;
        let fail = 1.0 - (1.0 - iterate.collision * vulnerable) * (1.0 - loss) * (1.0 - rts_loss);
        changed |= fail != iterate.fail;
        iterate.fail = fail;
        iterate.busy_s = iterate.station.count * iterate.attempts * (1.0 - iterate.collision) * iterate.exchange_s;
        shared_s += iterate.busy_s + longest * iterate.collided_s;
        residual_s += iterate.busy_s * iterate.exchange_s / 2.0;
    }
    for iterate in iterates.iter_mut() {
        changed |= iterate.attempt(shared_s, residual_s, longer);
    }
    changed
}

/// A station and its iterate.
struct Iterate {
    station: Station,
    /// Its row among all stations.
    row: usize,
    /// (W_k - 1)/2 and 1/W_k of every attempt.
    slots: [f64; SHORT_RETRY_LIMIT],
    zeros: [f64; SHORT_RETRY_LIMIT],
    /// Slots by which its AIFS is longer than the shortest.
    deferred: f64,
    attempts: f64,
    start: f64,
    packets: f64,
    /// Share of its TXOPs that end with a frame that the channel lost.
    cut_short: f64,
    fail: f64,
    /// What follows from these in a round.
    data_share: f64,
    exchange_s: f64,
    collided_s: f64,
    mean: f64,
    zero: f64,
    collision: f64,
    busy_s: f64,
    cycle_s: f64,
}

impl Iterate {
    /// Before the first round.
    fn new(station: Station, row: usize) -> Self {
        let mut width = station.window;
        let widths = [(); SHORT_RETRY_LIMIT].map(|()| {
            let capped = width.min(window_max(station.window));
            width *= 2.0;
            capped
        });
        let guess = 2.0 / station.window * if station.subject { 1.0 } else { 0.1 };
        Self {
            row,
            slots: widths.map(|width| (width - 1.0) / 2.0),
            zeros: widths.map(|width| 1.0 / width),
            deferred: 0.0,
            attempts: guess,
            start: guess,
            packets: if station.subject { before_a_loss(station.packets_max, station.loss) } else { 1.0 },
            cut_short: if station.subject { 1.0 - power(1.0 - station.loss, station.packets_max - 1.0) } else { 0.0 },
            fail: 0.0,
            data_share: 1.0,
            exchange_s: 0.0,
            collided_s: 0.0,
            mean: 0.0,
            zero: 0.0,
            collision: 0.0,
            busy_s: 0.0,
            cycle_s: station.slot_s,
            station,
        }
    }

    /// Takes the shortest AIFS of its case for its own, and notes by how many slots its own is longer.
    fn defer(&mut self, aifs_s: f64) {
        let longer_s = (self.station.aifs_s - aifs_s).max(0.0);
        self.deferred = (longer_s / self.station.slot_s).round().min(DEFERRED_MAX);
        self.station.access_s = (self.station.access_s - longer_s).max(0.0);
        self.station.first_s = (self.station.first_s - longer_s).max(0.0);
    }

    /// Begins with the attempts that its load takes if the medium is idle and nothing collides.
    fn begin_idle(&mut self) {
        let Station { packets_per_s, slot_s, .. } = self.station;
        self.attempts = self.attempts.min(packets_per_s * slot_s);
        self.start = self.attempts;
    }

    /// Probability that it starts in a slot, or one like it.
    fn any_starts(&self) -> f64 {
        1.0 - power(1.0 - self.start.min(START_MAX), self.station.count)
    }

    /// Probability that exactly one of it and those like it starts.
    fn one_starts(&self) -> f64 {
        let count = self.station.count;
        count * self.start * power(1.0 - self.start.min(START_MAX), count - 1.0)
    }

    /// Probability that another like it starts.
    fn likes_start(&self) -> f64 {
        1.0 - power(1.0 - self.start.min(START_MAX), self.station.count - 1.0)
    }

    /// The result, after the last round.
    fn outcome(&self) -> Outcome {
        let per_slot = self.attempts * self.data_share * (1.0 - self.fail) * self.packets;
        Outcome { delivered_per_s: per_slot / self.cycle_s, collision: self.collision, packets: self.packets }
    }

    /// Durations of its exchanges and collisions, and its mean backoff, from the probability of failure.
    fn cost(&mut self) {
        let Station { access_s, packet_s, first_s, first_packet_s, request_s, rts_loss, vulnerable, .. } = self.station;
        self.data_share = if request_s.is_some() { 1.0 - self.fail } else { 1.0 };
        // Mean over its attempts, of which some are BlockAckReqs.
        let requests_s = (1.0 - self.data_share) * request_s.unwrap_or(0.0);
        let whole_s = access_s + (self.packets + self.cut_short) * packet_s;
        let unanswered_s = first_s + self.packets * first_packet_s;
        let attempt_s = (1.0 - rts_loss) * whole_s + rts_loss * unanswered_s;
        self.exchange_s = self.data_share * attempt_s + requests_s;
        let occupied_s = self.data_share * unanswered_s + requests_s;
        self.collided_s = vulnerable * occupied_s + (1.0 - vulnerable) * self.exchange_s;
        let weight = polynomial(&[1.0; SHORT_RETRY_LIMIT], self.fail);
        self.mean = polynomial(&self.slots, self.fail) / weight;
        self.zero = polynomial(&self.zeros, self.fail) / weight;
    }

    /// Attempts from the time per idle slot. Returns whether anything changed.
    fn attempt(&mut self, shared_s: f64, residual_s: f64, busy: f64) -> bool {
        let Station { subject, packets_per_s, packets_max, slot_s, .. } = self.station;
        self.cycle_s = slot_s + shared_s;
        let before = [self.attempts, self.packets];
        if !subject {
            let wait_s = self.cycle_s * self.mean + residual_s / self.cycle_s;
            let gathered = 1.0 + packets_per_s * (wait_s + self.exchange_s);
            self.packets = damped(self.packets, gathered.max(1.0).min(packets_max));
        }
        let backlogged = power(1.0 - busy, self.deferred) / self.mean;
        let per_attempt = self.packets * self.data_share * (1.0 - self.fail);
        let needed = packets_per_s * self.cycle_s / per_attempt.max(DELIVERED_MIN);
        self.attempts = damped(self.attempts, if subject { backlogged } else { backlogged.min(needed) });
        self.start = (self.attempts * (1.0 - self.zero)).clamp(0.0, 1.0);
        before != [self.attempts, self.packets]
    }
}

/// Frames of a TXOP that arrive if the first does, of at most `most`: it ends with one that the channel loses. Losses of
/// MPDUs do not end an aggregate, and are none here.
fn before_a_loss(most: f64, loss: f64) -> f64 {
    if loss > 0.0 && most > 1.0 {
        // Exact where hardly any is lost.
        -f64::exp_m1(most * f64::ln_1p(-loss)) / loss
    } else {
        most
    }
}

/// Probability of either of two independent events.
fn either(one: f64, other: f64) -> f64 {
    one + other * (1.0 - one)
}

/// `base` to the power of `exponent`; of most stations that is 0 or 1, and both are exact.
fn power(base: f64, exponent: f64) -> f64 {
    match exponent {
        0.0 => 1.0,
        1.0 => base,
        _ => base.powf(exponent),
    }
}

fn damped(before: f64, now: f64) -> f64 {
    DAMPING * before + (1.0 - DAMPING) * now
}

/// The sum of `coefficients[k]` x^k.
fn polynomial(coefficients: &[f64; SHORT_RETRY_LIMIT], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

#[cfg(test)]
mod tests;
