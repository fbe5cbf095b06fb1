//! What XCP-Winf's sources ask for (S000 alg. 1 and eq. 4).

use serde::{Deserialize, Serialize};

use super::super::capacity::{is_fresh, Capacity};
use super::super::collisions::{store_in, CollisionTerm};
use super::super::xcp::host::{Demand, Sending, ALL_THERE_IS};
use crate::controller::Mode;

/// What "if no additional capacity is needed, the desired throughput is zero" means (S000 sec. 4.1) for a source whose
/// application wants no more than the flow has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Satisfied {
    /// As printed: eq. (4) with a desired throughput of 0, a request to give everything up.
    #[default]
    DesiredIsZero,
    /// The change is 0: the flow keeps what it has.
    ChangeIsZero,
}

/// Request of a source that knows capacity and available bandwidth of its first hop.
#[derive(Clone, Copy, Debug)]
pub struct WinfDemand {
    mode: Mode,
    desired_bytes_per_s: Option<f64>,
    satisfied: Satisfied,
    collisions: CollisionTerm,
}

impl WinfDemand {
    /// A source whose application wants `desired_bytes_per_s`, or as much as possible.
    #[must_use]
    pub fn new(mode: Mode, desired_bytes_per_s: Option<f64>, satisfied: Satisfied, collisions: CollisionTerm) -> Self {
        Self { mode, desired_bytes_per_s, satisfied, collisions }
    }

    /// Capacity and available bandwidth of the first hop, bytes/s, AB at most C; its receiver has had its say in the
    /// store. `None`: one of them is unknown.
    fn first_hop(&self, sending: &Sending) -> Option<(f64, f64)> {
        let store = &store_in(self.mode, sending.first_hop);
        let capacity = store.capacity_bytes_per_s.filter(|_| is_fresh(sending.now, store, Capacity::HOLD))?;
        let available = (store.available_bytes_per_s? * self.collisions.factor(self.mode, store)).min(capacity);
        (capacity > 0.0).then_some((capacity, available))
    }
}

impl Demand for WinfDemand {
    fn delta_bytes_per_s(&mut self, sending: &Sending) -> f64 {
        let Some((capacity, available)) = self.first_hop(sending) else { return ALL_THERE_IS };
        if self.mode == Mode::Corrected {
            corrected(sending, capacity, available, self.desired_bytes_per_s)
        } else {
            paper(sending, capacity, available, self.desired_bytes_per_s, self.satisfied)
        }
    }
}

/// The flow's own throughput plus what is spare, at most the capacity; over one window no more than is spare.
fn corrected(sending: &Sending, capacity: f64, available: f64, desired: Option<f64>) -> f64 {
    let reachable = (sending.throughput_bytes_per_s() + available).min(capacity);
    let packets = sending.window_bytes / sending.mss_bytes;
    sending.change_to(desired.map_or(reachable, |desired| desired.min(reachable))).min(available / packets)
}

/// Eq. (4) in SI units, where its factor of 1000 is none: the link's capacity stands for the flow's throughput, and
/// what is desired is at most what is available.
fn paper(sending: &Sending, capacity: f64, available: f64, desired: Option<f64>, satisfied: Satisfied) -> f64 {
    let enough = desired.is_some_and(|desired| desired <= sending.throughput_bytes_per_s());
    let desired = match (enough, satisfied) {
        (true, Satisfied::ChangeIsZero) => return 0.0,
        (true, Satisfied::DesiredIsZero) => 0.0,
        (false, _) => desired.map_or(available, |desired| desired.min(available)),
    };
    let delta = (desired - capacity) / (capacity * sending.rtt_s / sending.mss_bytes);
    delta.min(available)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cross_layer::CrossLayer;

    fn store() -> CrossLayer {
        CrossLayer { capacity_bytes_per_s: Some(8e5), available_bytes_per_s: Some(3e5), ..CrossLayer::default() }
    }

    fn sending(first_hop: &CrossLayer) -> Sending<'_> {
        Sending { now: 0, window_bytes: 20_000.0, rtt_s: 0.1, mss_bytes: 1000.0, first_hop }
    }

    fn demand(mode: Mode) -> WinfDemand {
        WinfDemand::new(mode, None, Satisfied::default(), CollisionTerm::Off)
    }

    #[test]
    fn v_xw1_the_paper_asks_for_less_and_the_correction_for_what_is_spare() {
        let store = store();
        assert!((demand(Mode::Paper).delta_bytes_per_s(&sending(&store)) + 6250.0).abs() < 1e-6);
        assert!((demand(Mode::Corrected).delta_bytes_per_s(&sending(&store)) - 15_000.0).abs() < 1e-6);
    }

    #[test]
    fn no_more_is_available_than_the_capacity() {
        let store = CrossLayer { available_bytes_per_s: Some(9e5), ..store() };
        assert_eq!(demand(Mode::Corrected).first_hop(&sending(&store)), Some((8e5, 8e5)));
    }

    #[test]
    fn a_source_that_knows_nothing_asks_for_everything() {
        let nothing = CrossLayer::default();
        assert_eq!(demand(Mode::Paper).delta_bytes_per_s(&sending(&nothing)), ALL_THERE_IS);
    }

    #[test]
    fn a_modest_application_asks_for_no_more_than_it_wants() {
        let store = store();
        let mut demand = WinfDemand::new(Mode::Corrected, Some(2.1e5), Satisfied::default(), CollisionTerm::Off);
        assert!((demand.delta_bytes_per_s(&sending(&store)) - 500.0).abs() < 1e-6);
    }

    /// Of 300 kB/s that are spare a tenth collides: 270 kB/s over 20 packets. As printed, K of the last packet counts.
    #[test]
    fn collisions_lower_the_request_of_a_source() {
        let store = CrossLayer { collision_probability: 0.1, lost_to_backoff: Some(0.5), ..store() };
        let ask = |mode| {
            let mut demand = WinfDemand::new(mode, None, Satisfied::default(), CollisionTerm::On);
            demand.delta_bytes_per_s(&sending(&store))
        };
        assert!((ask(Mode::Corrected) - 13_500.0).abs() < 1e-6);
        assert!((ask(Mode::Paper) - (1.5e5 - 8e5) / 80.0).abs() < 1e-6);
    }

    /// S000 sec. 4.1: a change above AB is reduced to AB. With C = 1 kB/s, RTT 0.1 s and MSS 1000 bytes a desired 2 kB/s
    /// over-asks by 1 kB/s in a tenth of a packet: 10 kB/s.
    #[test]
    fn the_printed_request_is_cut_at_what_is_available() {
        let store = CrossLayer::default();
        assert_eq!(paper(&sending(&store), 1000.0, 2000.0, None, Satisfied::default()), 2000.0);
        assert_eq!(paper(&sending(&store), 1000.0, 20_000.0, Some(1100.0), Satisfied::default()), -10_000.0);
    }

    /// 20 kB per 0.1 s flow, 150 kB/s are wanted: eq. (4) with 0 asks for -8e5 / 80, the other reading for no change.
    #[test]
    fn nothing_more_is_wanted_in_two_readings() {
        let store = store();
        let ask = |desired, satisfied| {
            let mut demand = WinfDemand::new(Mode::Paper, Some(desired), satisfied, CollisionTerm::Off);
            demand.delta_bytes_per_s(&sending(&store))
        };
        assert!((ask(1.5e5, Satisfied::DesiredIsZero) + 10_000.0).abs() < 1e-6);
        assert_eq!(ask(1.5e5, Satisfied::ChangeIsZero), 0.0);
        assert!((ask(2.5e5, Satisfied::ChangeIsZero) + 6875.0).abs() < 1e-6, "more is wanted: eq. (4)");
    }
}
