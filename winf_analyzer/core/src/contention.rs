//! How likely the backoffs of a histogram of slots come from a plateau: what `parameters.contention` weighs.

use pyo3::prelude::*;

/// Other contenders presumed for the slope of the plateau.
const RIVALS: [u8; 6] = [0, 1, 2, 3, 5, 8];

/// Shares of the gaps that come from a backlogged sender. None at all is among them: then no plateau is likelier.
const BACKLOGGED: [f64; 7] = [0.0, 0.1, 0.3, 0.6, 0.9, 0.98, 0.999];

/// Slots within which nine in ten of the gaps lie that are no backoff: nothing to send, or an exchange nobody heard.
const MOST_WITHIN: [i64; 3] = [32, 128, 512];

/// Log likelihood of a histogram (slot, count) under a plateau of each CWmin of `windows` (a list) from each slot of
/// `firsts` (a list of those), averaged over what else is not known.
///
/// Gaps that are no backoff lie within `slots`. `fresh`: all backoffs were drawn for their gap.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub fn plateau_evidence(
    teeth: Vec<(i64, u64)>,
    firsts: Vec<i64>,
    windows: Vec<u16>,
    slots: u32,
    fresh: bool,
) -> Vec<Vec<f64>> {
    let plateaus: Vec<_> = windows.iter().map(|&cw_min| Plateau::new(cw_min, f64::from(slots), fresh)).collect();
    let of_first = |&first: &i64| plateaus.iter().map(|plateau| plateau.log_evidence(&teeth, first)).collect();
    firsts.iter().map(of_first).collect()
}

/// A contention window, and how its backoffs fall for each number of [`RIVALS`].
struct Plateau {
    cw_min: u16,
    slots: f64,
    slopes: [Slope; RIVALS.len()],
}

#[derive(Clone, Copy)]
struct Slope {
    rivals: u8,
    /// What is shown of backoff 0: of a sender and those ahead of it, only the last may have drawn it for this gap.
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

    fn log_evidence(&self, teeth: &[(i64, u64)], first: i64) -> f64 {
        let last = first.saturating_add(i64::from(self.cw_min));
        let (inside, outside): (Vec<(i64, u64)>, Vec<_>) =
            teeth.iter().partition(|(tooth, _)| (first..=last).contains(tooth));
        let inside: Vec<(u16, f64)> =
            inside.into_iter().map(|(tooth, count)| ((tooth - first) as u16, count as f64)).collect();
        let shown = self.slopes.map(|slope| -> Vec<f64> {
            inside.iter().map(|&(backoff, _)| slope.probability(backoff, self.cw_min)).collect()
        });
        let mut scores = Vec::with_capacity(BACKLOGGED.len() * MOST_WITHIN.len() * RIVALS.len());
        for within in MOST_WITHIN {
            let other = |backoff: u16| self.spread(i64::from(backoff), within);
            let (near, far): (Vec<(i64, u64)>, Vec<_>) = outside.iter().partition(|(tooth, _)| *tooth < within);
            let [near, far] = [near, far].map(|teeth| teeth.into_iter().map(|(_, count)| count as f64).sum::<f64>());
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

    /// Probability of one slot for gaps that are no backoff.
    fn spread(&self, slot: i64, within: i64) -> f64 {
        0.1 / self.slots + if slot < within { 0.9 / within as f64 } else { 0.0 }
    }
}

impl Slope {
    /// Probability of a backoff of a sender that went first.
    fn probability(&self, backoff: u16, cw_min: u16) -> f64 {
        let weight = if backoff == 0 { self.at_zero } else { outlasting(backoff, cw_min, self.rivals) };
        weight / self.total
    }
}

/// Chance that none of the rivals drew less.
fn outlasting(backoff: u16, cw_min: u16, rivals: u8) -> f64 {
    (1.0 - f64::from(backoff) / (f64::from(cw_min) + 1.0)).powi(i32::from(rivals))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edge_of_a_plateau_is_likeliest() {
        let flat: Vec<_> = (2..=17).map(|slot| (slot, 20)).collect();
        let found = plateau_evidence(flat, vec![1, 2, 3], vec![7, 15, 31], 1024, true);
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
        let found = plateau_evidence(wild, vec![i64::MAX, 0, -5], vec![1, 65_535], 1024, false);
        assert!(found.iter().flatten().all(|score| score.is_finite()));
    }
}
