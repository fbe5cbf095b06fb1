//! The collision term of S000 sec. 4.3: available bandwidth less what contention takes.

use serde::{Deserialize, Serialize};

use crate::controller::Mode;
use crate::cross_layer::CrossLayer;

/// Whether available bandwidth is corrected for collisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CollisionTerm {
    /// As measured.
    Off,
    /// `paper`: times 1 - K, where K is the share of DIFS and backoff in the time between two packets (eq. 7-9), which
    /// the paper calls a collision probability. `corrected`: times 1 - p, where p is the share of failed attempts; DIFS
    /// and backoff are in the capacity already (Sarr et al., ABE).
    #[default]
    On,
}

/// Largest collision probability that is believed.
const MOST: f64 = 0.99;

impl CollisionTerm {
    /// Factor on available bandwidth, 0 to 1.
    #[must_use]
    pub fn factor(self, mode: Mode, link: &CrossLayer) -> f64 {
        match (self, mode) {
            (CollisionTerm::Off, _) => 1.0,
            (CollisionTerm::On, Mode::Corrected) => 1.0 - link.collision_probability.clamp(0.0, MOST),
            (CollisionTerm::On, Mode::Paper | Mode::PaperGreedy) => 1.0 - paper_k(MEAN_BACKOFF_S),
        }
    }
}

/// Mean backoff without collisions, s: half of CWmin 31 slots of 20 us.
const MEAN_BACKOFF_S: f64 = 310e-6;

/// K of S000 eq. (7) and (8): (DIFS + backoff) / (2 DIFS + 3 SIFS + backoff + CTS + RTS + DATA), for 1500 bytes at
/// 11 Mbit/s with the long preamble of 802.11b, whose times the paper uses.
#[must_use]
pub fn paper_k(backoff_s: f64) -> f64 {
    const DIFS_S: f64 = 50e-6;
    const SIFS_S: f64 = 10e-6;
    const RTS_S: f64 = 352e-6;
    const CTS_S: f64 = 304e-6;
    const DATA_S: f64 = 192e-6 + 8.0 * 1528.0 / 11e6;
    (DIFS_S + backoff_s) / (2.0 * DIFS_S + 3.0 * SIFS_S + backoff_s + CTS_S + RTS_S + DATA_S)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// V-C1: K of the paper without, with mean, and with twice the mean backoff.
    #[test]
    fn v_c1_k_of_the_paper() {
        for (backoff_s, k) in [(0.0, 0.023_932), (310e-6, 0.150_045), (620e-6, 0.247_299)] {
            assert!((paper_k(backoff_s) - k).abs() < 1e-6);
        }
    }

    #[test]
    fn the_factor_is_a_share() {
        let mut link = CrossLayer { collision_probability: 0.3, ..CrossLayer::default() };
        assert_eq!(CollisionTerm::On.factor(Mode::Corrected, &link), 0.7);
        assert_eq!(CollisionTerm::Off.factor(Mode::Corrected, &link), 1.0);
        link.collision_probability = 7.0;
        assert!((CollisionTerm::On.factor(Mode::Corrected, &link) - 0.01).abs() < 1e-12);
    }
}
