//! Likelihood of a contention window given a histogram of idle gaps in slots; `_mac.contention_fit` infers CWmin from it.
//!
//! The backoffs of a sender are uniform over [0, CWmin] (10.3.3), a plateau in the histogram. Other contenders tilt it:
//! large backoffs are rarely observed, since someone else transmits first. A sender whose queue ran empty sends when its
//! next packet has come, and not before the backoff that it drew after its last one is over (10.23.2.2): of both times the
//! longer, which rises to the edge of the plateau and falls from there on.

/// Numbers of other contenders assumed for the slope of the plateau; a half: one, every other time.
const RIVALS: [f64; 7] = [0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0];

/// Steps of expectation and maximization that find the share of gaps of a backlogged sender; the likelihood has one maximum.
const STEPS: usize = 12;

/// Greatest such share: any gap may be no backoff.
const MAX_BACKLOGGED: f64 = 0.999;

/// Mean slots until the next packet of a sender whose queue is empty: random arrivals, so that these are geometric.
const MEANS: [f64; 7] = [4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

/// Of gaps that are no backoff, the share of those that end before AIFS is over (timing), and that lie anywhere (exchanges
/// that were not recorded).
const EARLY: f64 = 0.05;
const ANYWHERE: f64 = 0.05;

/// Log evidence of a histogram (slot, count) for a plateau that starts at each slot of `firsts` (outer list) and is as
/// wide as each CWmin of `windows` (inner list), marginalized over contenders and the times until packets come, with the
/// likeliest backlog.
///
/// All gaps lie within `slots`. `fresh`: every gap follows the sender's own exchange, after which it draws a backoff; if not,
/// backoffs may be resumed, and senders with an empty queue have none left.
#[must_use]
pub fn plateau_evidence(
    histogram: &[(i64, u64)],
    firsts: &[i64],
    windows: &[u16],
    slots: u32,
    fresh: bool,
) -> Vec<Vec<f64>> {
    let plateaus: Vec<_> = windows.iter().map(|&cw_min| Plateau::new(cw_min, fresh)).collect();
    let of_first = |&first: &i64| {
        let others = MEANS.map(|mean| Others::new(mean, first, slots, histogram));
        plateaus.iter().map(|plateau| plateau.log_evidence(histogram, first, &others)).collect()
    };
    firsts.iter().map(of_first).collect()
}

/// Gaps of a sender with an empty queue and no backoff left: of the slots of a histogram, in its order.
struct Others {
    arrivals: Arrivals,
    /// Probability that a gap lies in a slot and is none of an arrival.
    elsewhere: f64,
    probabilities: Vec<f64>,
    /// Log probability of all gaps of a slot.
    evidence: Vec<f64>,
}

impl Others {
    fn new(mean: f64, first: i64, slots: u32, histogram: &[(i64, u64)]) -> Self {
        let arrivals = Arrivals { stays: mean / (mean + 1.0) };
        let elsewhere = ANYWHERE / f64::from(slots);
        let probability = |slot: i64| {
            let backoff = slot.saturating_sub(first);
            elsewhere + if backoff < 0 { EARLY / first.max(1) as f64 } else { arrivals.share() * arrivals.at(backoff) }
        };
        let probabilities: Vec<_> = histogram.iter().map(|&(slot, _)| probability(slot)).collect();
        let of_slot = |(&(_, count), probability): (&(i64, u64), &f64)| count as f64 * probability.ln();
        let evidence = histogram.iter().zip(&probabilities).map(of_slot).collect();
        Self { arrivals, elsewhere, probabilities, evidence }
    }

    /// Probability of `backoff` slots after AIFS, of which a backoff of up to `cw_min` slots was drawn: the longer of both
    /// times.
    fn behind_backoff(&self, backoff: u16, cw_min: u16) -> f64 {
        let drawn = |backoff: i64| ((backoff + 1) as f64 / (f64::from(cw_min) + 1.0)).min(1.0);
        let until = |backoff: i64| drawn(backoff) * self.arrivals.until(backoff);
        let backoff = i64::from(backoff);
        self.elsewhere + self.arrivals.share() * (until(backoff) - until(backoff - 1))
    }
}

/// Slots until the next packet comes.
#[derive(Clone, Copy)]
struct Arrivals {
    /// Probability that none comes in a slot.
    stays: f64,
}

impl Arrivals {
    fn share(self) -> f64 {
        1.0 - EARLY - ANYWHERE
    }

    fn at(self, slot: i64) -> f64 {
        (1.0 - self.stays) * self.stays.powf(slot as f64)
    }

    fn until(self, slot: i64) -> f64 {
        1.0 - self.stays.powf((slot + 1) as f64)
    }
}

/// A contention window and the distribution of its observed backoffs for each number of [`RIVALS`].
struct Plateau {
    cw_min: u16,
    fresh: bool,
    slopes: [Slope; RIVALS.len()],
}

#[derive(Clone, Copy)]
struct Slope {
    rivals: f64,
    /// Weight of backoff 0: of a sender and its rivals, only the last to transmit may have drawn it for this gap.
    at_zero: f64,
    /// Sum of the weights of all backoffs.
    total: f64,
}

impl Plateau {
    fn new(cw_min: u16, fresh: bool) -> Self {
        let slopes = RIVALS.map(|rivals| {
            let at_zero = if fresh { 1.0 } else { 1.0 / (rivals + 1.0) };
            let total = at_zero + (1..=cw_min).map(|backoff| outlasting(backoff, cw_min, rivals)).sum::<f64>();
            Slope { rivals, at_zero, total }
        });
        Self { cw_min, fresh, slopes }
    }

    fn log_evidence(&self, histogram: &[(i64, u64)], first: i64, others: &[Others]) -> f64 {
        let last = first.saturating_add(i64::from(self.cw_min));
        let (inside, outside): (Vec<usize>, Vec<_>) =
            (0..histogram.len()).partition(|&at| (first..=last).contains(&histogram[at].0));
        let count = |&at: &usize| histogram[at].1 as f64;
        let backoff = |at: usize| (histogram[at].0 - first) as u16;
        let shown = self.slopes.map(|slope| -> Vec<f64> {
            inside.iter().map(|&at| slope.probability(backoff(at), self.cw_min)).collect()
        });
        let beyond: f64 = outside.iter().map(count).sum();
        let all = (beyond + inside.iter().map(count).sum::<f64>()).max(1.0);
        let mut scores = Vec::with_capacity(others.len() * RIVALS.len());
        for other in others {
            let elsewhere: f64 = outside.iter().map(|&at| other.evidence[at]).sum();
            let within = |&at: &usize| match self.fresh {
                true => other.behind_backoff(backoff(at), self.cw_min),
                false => other.probabilities[at],
            };
            let within: Vec<f64> = inside.iter().map(within).collect();
            for shown in &shown {
                let gaps =
                    || inside.iter().zip(shown).zip(&within).map(|((at, shown), other)| (count(at), shown, other));
                let mut share = 0.5;
                for _ in 0..STEPS {
                    let backlogged = |(count, shown, other): (f64, &f64, &f64)| {
                        count * share * shown / (share * shown + (1.0 - share) * other)
                    };
                    share = (gaps().map(backlogged).sum::<f64>() / all).min(MAX_BACKLOGGED);
                }
                let density =
                    |(count, shown, other): (f64, &f64, &f64)| count * (share * shown + (1.0 - share) * other).ln();
                scores.push(elsewhere + beyond * (1.0 - share).ln() + gaps().map(density).sum::<f64>());
            }
        }
        let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = scores.iter().map(|score| (score - top).exp()).sum();
        top + (sum / scores.len() as f64).ln()
    }
}

impl Slope {
    /// Probability of a backoff, given that its sender won the contention.
    fn probability(&self, backoff: u16, cw_min: u16) -> f64 {
        let weight = if backoff == 0 { self.at_zero } else { outlasting(backoff, cw_min, self.rivals) };
        weight / self.total
    }
}

/// Probability that no rival drew a smaller backoff.
fn outlasting(backoff: u16, cw_min: u16, rivals: f64) -> f64 {
    (1.0 - f64::from(backoff) / (f64::from(cw_min) + 1.0)).powf(rivals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edge_of_a_plateau_is_likeliest() {
        let flat: Vec<_> = (2..=17).map(|slot| (slot, 20)).collect();
        let found = plateau_evidence(&flat, &[1, 2, 3], &[7, 15, 31], 1024, true);
        assert!(found[1][1] > found[1][0] && found[1][1] > found[1][2]);
        assert!(found[1][1] > found[0][1] && found[1][1] > found[2][1]);
    }

    #[test]
    fn probabilities_of_backoffs_sum_to_one() {
        for (fresh, cw_min) in [(true, 1), (false, 15), (false, 255)] {
            for slope in Plateau::new(cw_min, fresh).slopes {
                let sum: f64 = (0..=cw_min).map(|backoff| slope.probability(backoff, cw_min)).sum();
                assert!((sum - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn any_slots_are_read() {
        let wild = vec![(i64::MIN, 1), (i64::MAX, u64::MAX), (0, u64::MAX), (3, 2)];
        let found = plateau_evidence(&wild, &[i64::MAX, 0, -5], &[1, 65_535], 1024, false);
        assert!(found.iter().flatten().all(|score| score.is_finite()));
    }
}
