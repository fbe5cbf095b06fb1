//! Likelihood of a contention window given a histogram of idle gaps in slots; `parameters.contention` infers CWmin from it.
//!
//! The backoffs of a sender are uniform over [0, CWmin] (10.3.3), a plateau in the histogram. Other contenders tilt it:
//! large backoffs are rarely observed, since someone else transmits first.

/// Numbers of other contenders assumed for the slope of the plateau.
const RIVALS: [u8; 6] = [0, 1, 2, 3, 5, 8];

/// Shares of the gaps that follow from a backlogged sender; 0 covers recordings without one.
const BACKLOGGED: [f64; 7] = [0.0, 0.1, 0.3, 0.6, 0.9, 0.98, 0.999];

/// Of the gaps that are no backoff (empty queues, exchanges that were not recorded), 90 % lie within so many slots.
const NINE_IN_TEN_WITHIN: [i64; 3] = [32, 128, 512];

/// Log evidence of a histogram (slot, count) for a plateau that starts at each slot of `firsts` (outer list) and is as
/// wide as each CWmin of `windows` (inner list), marginalized over contenders, backlog and the spread of other gaps.
///
/// Gaps that are no backoff lie within `slots`. `fresh`: every backoff was drawn for the gap it is seen in, none resumed.
#[must_use]
pub fn plateau_evidence(
    histogram: &[(i64, u64)],
    firsts: &[i64],
    windows: &[u16],
    slots: u32,
    fresh: bool,
) -> Vec<Vec<f64>> {
    let plateaus: Vec<_> = windows.iter().map(|&cw_min| Plateau::new(cw_min, f64::from(slots), fresh)).collect();
    let of_first = |&first: &i64| plateaus.iter().map(|plateau| plateau.log_evidence(histogram, first)).collect();
    firsts.iter().map(of_first).collect()
}

/// A contention window and the distribution of its observed backoffs for each number of [`RIVALS`].
struct Plateau {
    cw_min: u16,
    slots: f64,
    slopes: [Slope; RIVALS.len()],
}

#[derive(Clone, Copy)]
struct Slope {
    rivals: u8,
    /// Weight of backoff 0: of a sender and its rivals, only the last to transmit may have drawn it for this gap.
    at_zero: f64,
    /// Sum of the weights of all backoffs.
    total: f64,
}

impl Plateau {
    fn new(cw_min: u16, slots: f64, fresh: bool) -> Self {
        let slopes = RIVALS.map(|rivals| {
            let at_zero = if fresh { 1.0 } else { 1.0 / f64::from(rivals + 1) };
            let total = at_zero + (1..=cw_min).map(|backoff| outlasting(backoff, cw_min, rivals)).sum::<f64>();
            Slope { rivals, at_zero, total }
        });
        Self { cw_min, slots, slopes }
    }

    fn log_evidence(&self, histogram: &[(i64, u64)], first: i64) -> f64 {
        let last = first.saturating_add(i64::from(self.cw_min));
        let (inside, outside): (Vec<(i64, u64)>, Vec<_>) =
            histogram.iter().partition(|(slot, _)| (first..=last).contains(slot));
        let inside: Vec<(u16, f64)> =
            inside.into_iter().map(|(slot, count)| ((slot - first) as u16, count as f64)).collect();
        let shown = self.slopes.map(|slope| -> Vec<f64> {
            inside.iter().map(|&(backoff, _)| slope.probability(backoff, self.cw_min)).collect()
        });
        let mut scores = Vec::with_capacity(BACKLOGGED.len() * NINE_IN_TEN_WITHIN.len() * RIVALS.len());
        for within in NINE_IN_TEN_WITHIN {
            let other = |backoff: u16| self.spread(i64::from(backoff), within);
            let (near, far): (Vec<(i64, u64)>, Vec<_>) = outside.iter().partition(|(slot, _)| *slot < within);
            let [near, far] = [near, far].map(|gaps| gaps.into_iter().map(|(_, count)| count as f64).sum::<f64>());
            for share in BACKLOGGED {
                let idle = 1.0 - share;
                let elsewhere =
                    near * (idle * self.spread(0, within)).ln() + far * (idle * self.spread(within, within)).ln();
                scores.extend(shown.iter().map(|shown| {
                    let density = |(&(backoff, count), probability): (&(u16, f64), &f64)| {
                        count * (share * probability + idle * other(backoff)).ln()
                    };
                    elsewhere + inside.iter().zip(shown).map(density).sum::<f64>()
                }));
            }
        }
        let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = scores.iter().map(|score| (score - top).exp()).sum();
        top + (sum / scores.len() as f64).ln()
    }

    /// Probability of one slot for a gap that is no backoff.
    fn spread(&self, slot: i64, within: i64) -> f64 {
        0.1 / self.slots + if slot < within { 0.9 / within as f64 } else { 0.0 }
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
fn outlasting(backoff: u16, cw_min: u16, rivals: u8) -> f64 {
    (1.0 - f64::from(backoff) / (f64::from(cw_min) + 1.0)).powi(i32::from(rivals))
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
            for slope in Plateau::new(cw_min, 1024.0, fresh).slopes {
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
