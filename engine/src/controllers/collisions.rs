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
    /// the paper calls a collision probability; of the last packet, with the backoff that was drawn for it. `corrected`: times 1 - p, where p is the share of failed attempts; DIFS
    /// and backoff are in the capacity already (Sarr et al., ABE).
    #[default]
    On,
}

/// Octets of what rt-Winf's receiver tells with an ACK, capacity and available bandwidth, four each; S000 prints no
/// layout, and the ACK of IEEE 802.11 has no room for them.
pub const TOLD_OCTETS: u32 = 8;

/// Largest collision probability that is believed.
const MAX: f64 = 0.99;

impl CollisionTerm {
    /// Factor on available bandwidth, 0 to 1.
    #[must_use]
    pub fn factor(self, mode: Mode, link: &CrossLayer) -> f64 {
        match (self, mode) {
            (CollisionTerm::Off, _) => 1.0,
            (CollisionTerm::On, Mode::Corrected) => 1.0 - link.collision_probability.clamp(0.0, MAX),
            (CollisionTerm::On, Mode::Paper | Mode::PaperGreedy) => 1.0 - link.lost_to_backoff.unwrap_or(0.0),
        }
    }
}

/// The store as a mode reads it: S000's printed values, or the unbiased ones.
#[must_use]
pub fn store_in(mode: Mode, link: &CrossLayer) -> CrossLayer {
    match mode {
        Mode::Corrected => *link,
        Mode::Paper | Mode::PaperGreedy => link.as_printed(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S000 eq. (9): 1 - K of the last packet; nothing on wires and before the first packet, where no backoff is known.
    #[test]
    fn the_printed_factor_is_that_of_the_last_packet() {
        let link = |lost_to_backoff| CrossLayer { lost_to_backoff, ..CrossLayer::default() };
        for mode in [Mode::Paper, Mode::PaperGreedy] {
            assert_eq!(CollisionTerm::On.factor(mode, &link(Some(0.25))), 0.75);
            assert_eq!(CollisionTerm::On.factor(mode, &link(None)), 1.0);
            assert_eq!(CollisionTerm::Off.factor(mode, &link(Some(0.25))), 1.0);
        }
        assert_eq!(CollisionTerm::On.factor(Mode::Corrected, &link(Some(0.25))), 1.0);
    }

    #[test]
    fn the_printed_values_are_read_in_paper_mode_only() {
        use crate::cross_layer::Printed;
        let printed = Printed { capacity_bytes_per_s: Some(7e5), available_bytes_per_s: Some(6e5) };
        let link = CrossLayer {
            capacity_bytes_per_s: Some(5e5),
            available_bytes_per_s: Some(4e5),
            printed: Some(printed),
            ..CrossLayer::default()
        };
        let read = |mode| {
            let store = store_in(mode, &link);
            (store.capacity_bytes_per_s, store.available_bytes_per_s)
        };
        assert_eq!(read(Mode::Paper), (Some(7e5), Some(6e5)));
        assert_eq!(read(Mode::Corrected), (Some(5e5), Some(4e5)));
        assert_eq!(store_in(Mode::Paper, &CrossLayer { printed: None, ..link }).capacity_bytes_per_s, Some(5e5));
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
