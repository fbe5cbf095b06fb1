//! RCP-Winf (Barreto, "XCP-Winf and RCP-Winf", S000 sec. 4.2, algorithms 6 and 7): RCP that takes capacity and
//! available bandwidth from rt-Winf, at routers and at sources.
//!
//! Modes. `paper` is alg. 7 as printed, in the units of the RCP draft it copies, bytes/ms and ms: the term in alpha and
//! beta is not divided by eta C, and the available bandwidth, which is spare, is in the place of the traffic, so that
//! rates rise when the channel fills. `corrected` divides, and takes the traffic from what came in or from capacity
//! less available bandwidth ([`Traffic`]). In both, sources pace at the lower of the rate of the path and the first
//! hop's capacity.

use serde::{Deserialize, Serialize};

use super::capacity::{Capacity, CapacitySource};
use super::collisions::TOLD_OCTETS;
use super::collisions::{store_in, CollisionTerm};
use super::rcp::rate::{Gains, Slot};
use super::rcp::router::{RateLaw, RcpRouter};
use super::rcp::source::{Pacing, RcpSource, Return};
use super::rcp::{RcpConfig, HEADER_OCTETS};
use super::settings::Settings;
use crate::controller::{
    Controller, Endpoint, FlowSetup, LinkSetup, LinkView, Mode, NodeSetup, Octets, Receiver, Router,
};
use crate::units::Nanos;

/// What counts as the traffic of a link in `corrected`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Traffic {
    /// Capacity less available bandwidth: everybody's use of the channel, as a mean over the last second.
    #[default]
    Channel,
    /// What came into this queue since the last update.
    Input,
}

/// Constants of RCP-Winf.
#[derive(Default, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RcpWinfConfig {
    /// As RCP's; where capacity comes from is rt-Winf.
    pub router: RcpConfig,
    /// What counts as traffic in `corrected`.
    pub traffic: Traffic,
    /// How available bandwidth is corrected for collisions (S000 sec. 4.3).
    pub collisions: CollisionTerm,
}

impl Settings for RcpWinfConfig {
    fn check(&self) -> Result<(), String> {
        self.router.check()
    }
}

/// RCP-Winf.
#[derive(Clone, Copy, Debug)]
pub struct RcpWinf {
    config: RcpWinfConfig,
    mode: Mode,
}

impl RcpWinf {
    /// With these constants.
    #[must_use]
    pub fn new(mode: Mode, config: RcpWinfConfig) -> Self {
        Self { config, mode }
    }
}

impl Controller for RcpWinf {
    fn name(&self) -> &str {
        "rcp_winf"
    }

    fn mode(&self) -> Mode {
        self.mode
    }

    fn reads_printed(&self) -> bool {
        self.mode != Mode::Corrected
    }

    fn endpoint(&self, flow: &FlowSetup) -> Box<dyn Endpoint> {
        let pacing = if self.mode == Mode::Corrected { Pacing::Winf } else { Pacing::WinfPayload };
        Box::new(RcpSource::new(flow, pacing))
    }

    fn receiver(&self, _flow: &FlowSetup) -> Box<dyn Receiver> {
        Box::new(Return)
    }

    /// RCP's header, and what the receiver of every hop tells with its ACK (S000 sec. 3.1).
    fn octets(&self) -> Octets {
        Octets { mac_ack: TOLD_OCTETS, ..Octets::header(HEADER_OCTETS) }
    }

    fn router(&self, node: &NodeSetup) -> Option<Box<dyn Router>> {
        let law = |link: &LinkSetup| WinfLaw {
            gains: self.config.router.gains(),
            mode: self.mode,
            traffic: self.config.traffic,
            collisions: self.config.collisions,
            capacity: Capacity::new(CapacitySource::Measured, link),
        };
        Some(Box::new(RcpRouter::new(self.config.router, &node.links, law)))
    }
}

/// The law of RCP-Winf on one link.
#[derive(Clone, Copy, Debug)]
struct WinfLaw {
    gains: Gains,
    mode: Mode,
    traffic: Traffic,
    collisions: CollisionTerm,
    capacity: Capacity,
}

impl RateLaw for WinfLaw {
    fn capacity_bytes_per_s(&self, now: Nanos, used: bool, link: &LinkView) -> Option<f64> {
        self.capacity.bytes_per_s(now, &store_in(self.mode, &link.cross_layer), used)
    }

    fn ratio(&self, slot: &Slot, link: &LinkView) -> f64 {
        let capacity = slot.capacity_bytes_per_s;
        let store = store_in(self.mode, &link.cross_layer);
        let factor = self.collisions.factor(self.mode, &store);
        let available = store.available_bytes_per_s.map(|spare| (spare * factor).clamp(0.0, capacity));
        match (self.mode, self.traffic, available) {
            (Mode::Corrected, Traffic::Channel, Some(available)) => {
                self.gains.ratio(&Slot { input_bytes_per_s: capacity - available, ..*slot })
            }
            (Mode::Corrected, _, _) => self.gains.ratio(slot),
            (Mode::Paper | Mode::PaperGreedy, _, available) => {
                printed_ratio(&self.gains, slot, available.unwrap_or(capacity))
            }
        }
    }
}

/// S000 alg. 7 in bytes/ms and ms: not divided by eta C, the spare bandwidth for the traffic.
fn printed_ratio(gains: &Gains, slot: &Slot, available_bytes_per_s: f64) -> f64 {
    let spare = gains.spare(gains.eta * slot.capacity_bytes_per_s, available_bytes_per_s, slot);
    1.0 + slot.length_s / slot.average_rtt_s * spare / 1000.0
}

#[cfg(test)]
mod tests {
    use super::super::capacity::tests::link;
    use super::*;
    use crate::cross_layer::CrossLayer;

    fn law(mode: Mode, gains: (f64, f64, f64)) -> WinfLaw {
        WinfLaw {
            gains: Gains { alpha: gains.0, beta: gains.1, eta: gains.2 },
            mode,
            traffic: Traffic::Channel,
            collisions: CollisionTerm::Off,
            capacity: Capacity::new(CapacitySource::Measured, &link(11_000_000, false)),
        }
    }

    fn view(capacity: f64, available: f64) -> LinkView {
        let cross_layer = CrossLayer {
            capacity_bytes_per_s: Some(capacity),
            available_bytes_per_s: Some(available),
            ..CrossLayer::default()
        };
        LinkView { cross_layer, ..LinkView::default() }
    }

    #[test]
    fn v_rw1_the_printed_equation_is_not_normalised() {
        let slot = Slot {
            length_s: 0.01,
            capacity_bytes_per_s: 1.375e6,
            input_bytes_per_s: 1.2e6,
            queue_bytes: 20_000.0,
            average_rtt_s: 0.1,
        };
        let gains = (0.5, 0.25, 0.95);
        assert!((law(Mode::Paper, gains).ratio(&slot, &view(1.375e6, 1.2e6)) - 1.3125).abs() < 1e-9);
        let corrected = law(Mode::Corrected, gains).ratio(&slot, &view(1.375e6, 0.175e6));
        assert!((corrected - 1.000_239_234_449_760_8).abs() < 1e-12);
    }

    /// Of 300 kB/s that are spare a tenth collides, so that 530 kB/s of 800 count as traffic; in `paper` half of it is lost to
    /// backoff, and 150 kB/s stand in the place of the traffic.
    #[test]
    fn collisions_count_as_traffic() {
        let slot = Slot {
            length_s: 0.1,
            capacity_bytes_per_s: 8e5,
            input_bytes_per_s: 0.0,
            queue_bytes: 0.0,
            average_rtt_s: 0.1,
        };
        let mut view = view(8e5, 3e5);
        view.cross_layer.collision_probability = 0.1;
        view.cross_layer.lost_to_backoff = Some(0.5);
        let ratio = |mode| {
            let law = WinfLaw { collisions: CollisionTerm::On, ..law(mode, (1.0, 0.4, 0.95)) };
            law.ratio(&slot, &view)
        };
        assert!((0.95 * 8e5 * (ratio(Mode::Corrected) - 1.0) - (760_000.0 - 530_000.0)).abs() < 1e-6);
        assert!((1000.0 * (ratio(Mode::Paper) - 1.0) - (760_000.0 - 150_000.0)).abs() < 1e-6);
    }

    #[test]
    fn v_rw2_what_is_spare_is_not_what_is_used() {
        let slot = Slot {
            length_s: 0.1,
            capacity_bytes_per_s: 8e5,
            input_bytes_per_s: 0.0,
            queue_bytes: 0.0,
            average_rtt_s: 0.1,
        };
        let (gains, view) = ((1.0, 0.4, 0.95), view(8e5, 3e5));
        assert!((1000.0 * (law(Mode::Paper, gains).ratio(&slot, &view) - 1.0) - 460_000.0).abs() < 1e-6);
        let spare = 0.95 * 8e5 * (law(Mode::Corrected, gains).ratio(&slot, &view) - 1.0);
        assert!((spare - 260_000.0).abs() < 1e-6);
    }
}
