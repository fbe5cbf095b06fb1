//! XCP, the explicit control protocol (Katabi, Handley, Rohrs, SIGCOMM 2002; draft-falk-xcp-spec; ns-2's `Queue/XCP`).
//!
//! Every data packet carries its flow's round-trip time and inter-packet time and asks for a change of throughput;
//! routers lower the request to what they can grant; the receiver sends the sum back. What a router can grant in all,
//! the aggregate feedback F, is the only thing in which XCP, XCP-b and XCP-Winf differ: [`Law`]. The rest is shared:
//!
//! - [`interface`]: one outgoing interface, its counters, pools, and the split of F over packets,
//! - [`router`]: the hooks and timers of a node around its interfaces,
//! - [`host`]: window, header and reaction to losses at the source; the sum of feedback at the destination.
//!
//! Modes. `corrected` is ns-2's: allotments never exceed the pools, the persistent queue is sampled at departures.
//! `paper` is Katabi's text and the draft's listing: no such limit, sampled at arrivals.

use serde::{Deserialize, Serialize};

use super::capacity::{Capacity, CapacitySource};
use super::settings::Settings;
use crate::controller::{
    Controller, Endpoint, FlowSetup, LinkSetup, LinkView, Mode, NodeSetup, Octets, Receiver, Router,
};
use crate::units::Nanos;
use host::{Demand, Desired, Host, HostConfig, Sum};
use interface::{Interval, RouterConfig};
use router::{Grant, Law, XcpRouter};

pub mod host;
pub mod interface;
pub mod router;

/// Constants of XCP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct XcpConfig {
    /// At routers.
    pub router: RouterConfig,
    /// At sources.
    pub host: HostConfig,
    /// Where routers take capacity from.
    pub capacity: CapacitySource,
}

impl Settings for XcpConfig {
    fn check(&self) -> Result<(), String> {
        self.router.check()?;
        self.host.check()
    }
}

/// XCP.
#[derive(Clone, Copy, Debug)]
pub struct Xcp {
    config: XcpConfig,
    mode: Mode,
}

impl Xcp {
    /// With these constants.
    #[must_use]
    pub fn new(mode: Mode, config: XcpConfig) -> Self {
        Self { config, mode }
    }
}

/// Octets of XCP's header (draft-falk-xcp-spec-03, sec. 3.1): format, round-trip time, inter-packet time, and the
/// change asked for and returned.
pub const HEADER_OCTETS: u32 = 20;

impl Controller for Xcp {
    fn name(&self) -> &str {
        "xcp"
    }

    fn mode(&self) -> Mode {
        self.mode
    }

    fn endpoint(&self, flow: &FlowSetup) -> Box<dyn Endpoint> {
        let demand: Box<dyn Demand> = Box::new(Desired { bytes_per_s: self.config.host.desired_bytes_per_s });
        Box::new(Host::new(self.config.host, flow, demand))
    }

    fn receiver(&self, _flow: &FlowSetup) -> Box<dyn Receiver> {
        Box::new(Sum::default())
    }

    fn octets(&self) -> Octets {
        Octets::header(HEADER_OCTETS)
    }

    fn router(&self, node: &NodeSetup) -> Option<Box<dyn Router>> {
        let config = self.config.router.in_mode(self.mode);
        let law = |link: &LinkSetup| SpareCapacity {
            alpha: config.alpha,
            beta: config.beta,
            capacity: Capacity::new(self.config.capacity, link),
        };
        Some(Box::new(XcpRouter::new(config, node, law)))
    }
}

/// XCP's law: capacity less input, less the persistent queue over the round-trip time.
#[derive(Clone, Copy, Debug)]
struct SpareCapacity {
    alpha: f64,
    beta: f64,
    capacity: Capacity,
}

impl Law for SpareCapacity {
    fn grant(&mut self, now: Nanos, interval: &Interval, link: &LinkView) -> Option<Grant> {
        let capacity = self.drain_bytes_per_s(now, interval.used(), link)?;
        let spare = capacity - interval.input_bytes_per_s;
        Some(Grant {
            aggregate_bytes_per_s: aggregate(self.alpha, self.beta, spare, interval),
            traffic_bytes_per_s: interval.input_bytes_per_s,
        })
    }

    fn drain_bytes_per_s(&self, now: Nanos, used: bool, link: &LinkView) -> Option<f64> {
        self.capacity.bytes_per_s(now, &link.cross_layer, used)
    }
}

/// Aggregate feedback, bytes/s: F = alpha * spare - beta * Q / d (Katabi eq. 1 over d, S004 eq. 1), where d is the
/// mean round-trip time.
#[must_use]
pub fn aggregate(alpha: f64, beta: f64, spare_bytes_per_s: f64, interval: &Interval) -> f64 {
    alpha * spare_bytes_per_s - beta * interval.persistent_queue_bytes / interval.average_rtt_s
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(input_bytes_per_s: f64, persistent_queue_bytes: f64, average_rtt_s: f64) -> Interval {
        Interval { length_s: average_rtt_s, input_bytes_per_s, average_rtt_s, persistent_queue_bytes }
    }

    /// S004 eq. (3): each round trip that the queue adds makes the queue longer by alpha/beta eps/C. The series ends at
    /// eq. (4) while that is below 1, and beyond eps = beta/alpha C = 0.565 C it has no end.
    #[test]
    fn an_overestimate_beyond_beta_over_alpha_never_settles() {
        let (capacity, rtt) = (1.375e6, 0.1);
        let settled = |share: f64| {
            let mut queue = 0.0;
            for _ in 0..2_000 {
                // The queue at which F is 0 over the round-trip time that the last one gave.
                queue =
                    share * capacity / -aggregate(0.0, 0.226 / 0.4, 0.0, &at(capacity, 1.0, rtt + queue / capacity));
            }
            queue
        };
        for share in [0.05, 0.2, 0.5, 0.56] {
            let full = share / 0.565 * capacity * rtt / (1.0 - share / 0.565);
            assert!((settled(share) / full - 1.0).abs() < 1e-6, "{share}: {} is not {full}", settled(share));
        }
        assert!(settled(0.57) > 1e12);
    }

    /// V-X7: the queue at which an overestimated capacity is compensated, S004 eq. (2) and (4).
    #[test]
    fn v_x7_an_overestimate_is_paid_with_a_queue() {
        let (capacity, rtt) = (1.375e6, 0.1);
        for (share, first, full) in [(0.05, 12168.1, 13349.5), (0.2, 48672.6, 75342.5), (0.5, 121_681.0, 1_057_692.0)] {
            let spare = share * capacity;
            let near = aggregate(0.4, 0.226, spare, &at(capacity, first, rtt));
            let far = aggregate(0.4, 0.226, spare, &at(capacity, full, rtt + full / capacity));
            assert!(near.abs() < 1.0 && far.abs() < 1.0, "{share}: {near} {far}");
        }
    }
}
