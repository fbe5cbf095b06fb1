//! RCP, the rate control protocol (Dukkipati and McKeown; ns-2's `rcp.cc`; the NetFPGA rate daemon; S002 eq. 3).
//!
//! Every router keeps one rate per link that it offers to all flows; a packet brings back the least of its path, and
//! the source paces at it. [`rate`] has the equations, [`router`] the hooks around them, [`source`] the other end.
//!
//! The rate is asked for by the SYN where the transport has a handshake, otherwise by the first data packet, and one
//! segment is in flight until it is known. Where packets are further apart than a round trip, REF packets without
//! payload ask in between, so that the rate does not grow old (ns-2).
//!
//! What differs from ns-2: a REF follows the last packet of any kind, not the last REF, and a packet at the end of a
//! slot counts in one slot.
//!
//! Modes. `corrected` updates every 10 ms and leaves 5 % of the link empty, as the published implementations do.
//! `paper` is S002 eq. (3): an update per mean round-trip time, and all of the link.

use serde::{Deserialize, Serialize};

use self::rate::Gains;
use self::router::{RateLaw, RcpRouter};
use self::source::{Pacing, RcpSource};
use super::capacity::{Capacity, CapacitySource};
use super::settings::{not_negative, positive, Settings};
use crate::controller::{
    Controller, Endpoint, FlowSetup, LinkSetup, LinkView, Mode, NodeSetup, Octets, Receiver, Router,
};
use crate::units::Nanos;

pub mod rate;
pub mod router;
pub mod source;

/// Constants of RCP's routers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RcpConfig {
    /// Share of the spare bandwidth handed out per round trip (ns-2 0.4; S000 0.4 to 0.6).
    pub alpha: f64,
    /// Share of the queue taken back per round trip (ns-2 0.4; S000 0.2 to 0.6).
    pub beta: f64,
    /// Utilisation aimed at (NetFPGA 0.95; S000 0.95 to 1).
    pub eta: f64,
    /// First rate offered, as a share of the capacity (ns-2 `init_rate_fact_`).
    pub initial_share: f64,
    /// Mean round-trip time until flows report theirs, s (ns-2).
    pub initial_rtt_s: f64,
    /// Longest time between updates, s (ns-2 `upd_timeslot_`); an update per mean round-trip time where that is less.
    pub slot_s: f64,
    /// Least rate offered: this share of a packet of `mtu_bytes` per round trip (S000 eq. 6).
    pub least_packets: f64,
    /// Size of that packet, bytes (NetFPGA 1500; ns-2 1000).
    pub mtu_bytes: f64,
    /// Where routers take capacity from.
    pub capacity: CapacitySource,
}

impl Default for RcpConfig {
    fn default() -> Self {
        Self {
            alpha: 0.4,
            beta: 0.4,
            eta: 0.95,
            initial_share: 0.05,
            initial_rtt_s: 0.2,
            slot_s: 0.010,
            least_packets: 0.1,
            mtu_bytes: 1500.0,
            capacity: CapacitySource::Configured,
        }
    }
}

impl Settings for RcpConfig {
    fn check(&self) -> Result<(), String> {
        not_negative(&[("alpha", self.alpha), ("beta", self.beta), ("initial_share", self.initial_share)])?;
        positive(&[
            ("eta", self.eta),
            ("initial_rtt_s", self.initial_rtt_s),
            ("slot_s", self.slot_s),
            ("least_packets", self.least_packets),
            ("mtu_bytes", self.mtu_bytes),
        ])
    }
}

impl RcpConfig {
    /// As `mode` reads it: S002 eq. (3) in `paper`.
    #[must_use]
    fn in_mode(self, mode: Mode) -> Self {
        match mode {
            Mode::Paper => Self { eta: 1.0, slot_s: f64::INFINITY, ..self },
            Mode::PaperGreedy | Mode::Corrected => self,
        }
    }

    /// alpha, beta and eta.
    #[must_use]
    pub fn gains(&self) -> Gains {
        Gains { alpha: self.alpha, beta: self.beta, eta: self.eta }
    }
}

/// Octets of RCP's header as the NetFPGA implementation has it: forward and reverse rate, four each, round-trip time, two,
/// protocol, and one that is not used.
pub const HEADER_OCTETS: u32 = 12;

/// RCP.
#[derive(Clone, Copy, Debug)]
pub struct Rcp {
    config: RcpConfig,
    mode: Mode,
}

impl Rcp {
    /// With these constants.
    #[must_use]
    pub fn new(mode: Mode, config: RcpConfig) -> Self {
        Self { config: config.in_mode(mode), mode }
    }
}

impl Controller for Rcp {
    fn name(&self) -> &str {
        "rcp"
    }

    fn mode(&self) -> Mode {
        self.mode
    }

    fn endpoint(&self, flow: &FlowSetup) -> Box<dyn Endpoint> {
        Box::new(RcpSource::new(flow, Pacing::Rate))
    }

    fn receiver(&self, _flow: &FlowSetup) -> Box<dyn Receiver> {
        Box::new(source::Return)
    }

    fn octets(&self) -> Octets {
        Octets::header(HEADER_OCTETS)
    }

    fn router(&self, node: &NodeSetup) -> Option<Box<dyn Router>> {
        let law = |link: &LinkSetup| MeasuredInput {
            gains: self.config.gains(),
            capacity: Capacity::new(self.config.capacity, link),
        };
        Some(Box::new(RcpRouter::new(self.config, &node.links, law)))
    }
}

/// RCP's law: the traffic is what came in.
#[derive(Clone, Copy, Debug)]
struct MeasuredInput {
    gains: Gains,
    capacity: Capacity,
}

impl RateLaw for MeasuredInput {
    fn capacity_bytes_per_s(&self, now: Nanos, used: bool, link: &LinkView) -> Option<f64> {
        self.capacity.bytes_per_s(now, &link.cross_layer, used)
    }

    fn ratio(&self, slot: &rate::Slot, _link: &LinkView) -> f64 {
        self.gains.ratio(slot)
    }
}

/// First rate of a link, bytes/s.
fn initial_rate(config: &RcpConfig, link: &LinkSetup) -> f64 {
    config.initial_share * link.rate_bps as f64 / 8.0
}

#[cfg(test)]
mod tests {
    use super::super::capacity::tests::link;
    use super::super::test_flow::node;
    use super::*;
    use crate::units::MILLISECOND;

    /// S002 eq. (3): R(t) = R(t - d0) + (alpha (C - y) - beta q / d0) / N with N = C / R, once per mean round-trip time.
    #[test]
    fn equation_3_of_s002_is_an_update_per_round_trip() {
        let rcp = Rcp::new(Mode::Paper, RcpConfig::default());
        let router = rcp.router(&node([link(11_000_000, true)])).expect("RCP has routers");
        assert_eq!(router.next_timer(), Some(200 * MILLISECOND), "the first round-trip time stands for d0");
        let (capacity, rate, input, queue, rtt) = (1.375e6, 3e5, 1.2e6, 20_000.0, 0.1);
        let slot = rate::Slot {
            length_s: rtt,
            capacity_bytes_per_s: capacity,
            input_bytes_per_s: input,
            queue_bytes: queue,
            average_rtt_s: rtt,
        };
        let flows = capacity / rate;
        let printed = rate + (0.4 * (capacity - input) - 0.4 * queue / rtt) / flows;
        let found = rate * rcp.config.gains().ratio(&slot);
        assert!((found - printed).abs() < 1e-6, "{found} is not {printed}");
    }
}
