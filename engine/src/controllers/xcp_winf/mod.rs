//! XCP-Winf (Barreto, "XCP-Winf and RCP-Winf", S000 sec. 4.1, algorithms 1-5): XCP that takes capacity C and available
//! bandwidth AB from rt-Winf, at routers and at hosts.
//!
//! Modes.
//! - `paper`: algorithms 1-5 as printed, in SI units. Alg. 1 asks for AB less C, which is never positive, so flows
//!   cannot grow. Alg. 2 uses C instead of each flow's throughput, so positive feedback goes by bytes instead of by
//!   flow. Eq. (5) takes the spare bandwidth for the traffic, so F falls when spare bandwidth grows.
//! - `paper_greedy`: the same routers; sources ask for all there is, as ns-2's do, so that flows can grow.
//! - `corrected`: throughput and inter-packet time are the flow's, F = alpha AB - beta Q / d, sources ask for their
//!   throughput plus AB and at most for C. A link nothing is known of is left to XCP-b.

use serde::{Deserialize, Serialize};

use self::host::{Satisfied, WinfDemand};
use self::law::{Measured, PaperLaw, PoolCharging, SpareMeasured};
use super::collisions::CollisionTerm;
use super::collisions::TOLD_OCTETS;
use super::settings::Settings;
use super::xcp::host::{Demand, Desired, Host, HostConfig, Sum};
use super::xcp::interface::RouterConfig;
use super::xcp::router::XcpRouter;
use super::xcp::HEADER_OCTETS;
use super::xcp_b::{QueueConfig, QueueLaw};
use crate::controller::{Controller, Endpoint, FlowSetup, LinkSetup, Mode, NodeSetup, Octets, Receiver, Router};

pub mod host;
pub mod law;

/// Constants of XCP-Winf.
#[derive(Default, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct XcpWinfConfig {
    /// At routers, as XCP's (S000 alg. 3: a = 0.4, b = 0.226).
    pub router: RouterConfig,
    /// At sources.
    pub host: HostConfig,
    /// Of the law for links nothing is known of.
    pub queue: QueueConfig,
    /// How available bandwidth is corrected for collisions (S000 sec. 4.3).
    pub collisions: CollisionTerm,
    /// How `paper` reads the lines of alg. 4 that charge the pools.
    pub pool_charging: PoolCharging,
    /// How `paper` reads "if no additional capacity is needed".
    pub satisfied: Satisfied,
}

/// MIN_INTERVAL of S000 alg. 3, "propagation delay on link, value between 5 and 10 ms", s.
const PRINTED_MIN_INTERVAL_S: f64 = 0.005;

impl XcpWinfConfig {
    /// The routers' constants as `mode` reads them. In `paper` an interval lasts 5 ms at least (alg. 3), allotments are not
    /// limited to the pools (alg. 4), and the queue is looked at when packets leave (alg. 5).
    fn router_in(&self, mode: Mode) -> RouterConfig {
        match mode {
            Mode::Corrected => self.router,
            Mode::Paper | Mode::PaperGreedy => RouterConfig {
                min_interval_s: self.router.min_interval_s.max(PRINTED_MIN_INTERVAL_S),
                limit_to_pools: false,
                ..self.router
            },
        }
    }
}

impl Settings for XcpWinfConfig {
    fn check(&self) -> Result<(), String> {
        self.router.check()?;
        self.host.check()?;
        self.queue.check()
    }
}

/// XCP-Winf.
#[derive(Clone, Copy, Debug)]
pub struct XcpWinf {
    config: XcpWinfConfig,
    mode: Mode,
}

impl XcpWinf {
    /// With these constants.
    #[must_use]
    pub fn new(mode: Mode, config: XcpWinfConfig) -> Self {
        Self { config, mode }
    }
}

impl Controller for XcpWinf {
    fn name(&self) -> &str {
        "xcp_winf"
    }

    fn mode(&self) -> Mode {
        self.mode
    }

    fn reads_printed(&self) -> bool {
        self.mode != Mode::Corrected
    }

    fn endpoint(&self, flow: &FlowSetup) -> Box<dyn Endpoint> {
        let XcpWinfConfig { host, collisions, satisfied, .. } = self.config;
        let demand: Box<dyn Demand> = match self.mode {
            Mode::PaperGreedy => Box::new(Desired { bytes_per_s: None }),
            mode => Box::new(WinfDemand::new(mode, host.desired_bytes_per_s, satisfied, collisions)),
        };
        Box::new(Host::new(host, flow, demand))
    }

    fn receiver(&self, _flow: &FlowSetup) -> Box<dyn Receiver> {
        Box::new(Sum::default())
    }

    /// XCP's header, and what the receiver of every hop tells with its ACK (S000 sec. 3.1).
    fn octets(&self) -> Octets {
        Octets { mac_ack: TOLD_OCTETS, ..Octets::header(HEADER_OCTETS) }
    }

    fn router(&self, node: &NodeSetup) -> Option<Box<dyn Router>> {
        let XcpWinfConfig { queue, collisions, pool_charging, .. } = self.config;
        let router = self.config.router_in(self.mode);
        let measured = |link: &LinkSetup| Measured::new(self.mode, collisions, link);
        let corrected = |link: &LinkSetup| {
            SpareMeasured::new(&router, measured(link), QueueLaw::new(&router, &queue, self.mode, link))
        };
        let paper = |link: &LinkSetup| PaperLaw::new(&router, pool_charging, measured(link));
        Some(match self.mode {
            Mode::Corrected => Box::new(XcpRouter::new(router, node, corrected)),
            Mode::Paper | Mode::PaperGreedy => Box::new(XcpRouter::new(router, node, paper)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S000 alg. 3 against ns-2's 1 ms, and alg. 4, which has no limit to the pools.
    #[test]
    fn intervals_of_the_paper_are_five_milliseconds_at_least() {
        let config = XcpWinfConfig::default();
        assert_eq!(config.router_in(Mode::Corrected), RouterConfig::default());
        for mode in [Mode::Paper, Mode::PaperGreedy] {
            let router = config.router_in(mode);
            assert_eq!((router.min_interval_s, router.limit_to_pools), (0.005, false));
            assert!(router.sample_at_departures);
        }
        let longer = RouterConfig { min_interval_s: 0.01, ..RouterConfig::default() };
        assert_eq!(XcpWinfConfig { router: longer, ..config }.router_in(Mode::Paper).min_interval_s, 0.01);
    }
}
