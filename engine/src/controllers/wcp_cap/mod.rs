//! WCPCap: explicit rates from the capacity that a model finds left in every neighbourhood.
//!
//! Source: S003 sec. III-B and its Fig. 4. Every epoch a link computes by how much all flows of its neighbourhood
//! could grow for their rates to stay achievable ([`achievable`]), moves its rate per flow by a part of that, and
//! tells it; packets collect the least rate of the neighbourhoods they cross.
//!
//! Rates are packets/s per flow, so that a link that carries acknowledgements shares them with the link that carries
//! the data: flows are taken to send packets of like size.

pub mod achievable;
mod router;
mod source;
mod utilization;

use serde::Deserialize;

use super::wcp::WcpConfig;
use crate::controller::{Controller, Endpoint, FlowSetup, Mode, NodeSetup, Octets, Router};
pub use router::{next_rate, WcpCapRouter};
pub use source::WcpCapSource;
pub use utilization::UtilizationSearch;

/// Constants of WCPCap: S003 Table I where the paper gives them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WcpCapConfig {
    /// An epoch lasts `k` shared round-trip times.
    pub epoch_rtts: f64,
    /// A link whose epoch saw fewer packets goes on for another, unless it has lasted a second: so few do not tell its
    /// rate. S003 speaks of about 30.
    pub least_epoch_packets: u64,
    /// Part rho of a possible increase that is taken.
    pub increase_share: f64,
    /// Part beta of the queue that is to drain within a shared round-trip time; where an epoch waited for packets and
    /// lasted longer than `epoch_rtts` of them, within that part of it.
    pub drain_share: f64,
    /// Weight of the average queue.
    pub queue_weight: f64,
    /// Length of the first epoch, before a round-trip time is known, seconds. Not in the paper.
    pub first_epoch_s: f64,
    /// Rate a flow starts with, packets/s. Not in the paper.
    pub initial_packets_per_s: f64,
    /// Least rate that is granted, packets/s. Not in the paper.
    pub least_packets_per_s: f64,
    /// Bounds of the search for the utilisation U. The paper only says "binary search".
    pub least_utilization: f64,
    /// See `least_utilization`.
    pub greatest_utilization: f64,
    /// How long a node keeps a report of a link, seconds. Not in the paper.
    pub hold_s: f64,
    /// Whether what a link tells its neighbourhood takes its [`control_bytes`], with the first packet after an epoch. In
    /// S003's simulations it takes none.
    pub counts_control: bool,
    /// Whether nodes read the reports of their neighbourhoods from a central store without delay, as in S003's simulations
    /// (sec. IV-A), and not from the frames that they overhear.
    pub central_store: bool,
    /// As [`WcpConfig::control_rate_bps`].
    pub control_rate_bps: Option<u64>,
}

impl Default for WcpCapConfig {
    fn default() -> Self {
        Self {
            epoch_rtts: 10.0,
            least_epoch_packets: 30,
            increase_share: 0.3,
            drain_share: 0.1,
            queue_weight: 0.02,
            first_epoch_s: 0.5,
            initial_packets_per_s: 1.0,
            least_packets_per_s: 1.0,
            least_utilization: 0.5,
            greatest_utilization: 1.0,
            hold_s: 5.0,
            counts_control: false,
            central_store: false,
            control_rate_bps: None,
        }
    }
}

/// What a link tells its neighbourhood every epoch, bytes: its round-trip time, its rate, its number of flows and the
/// rate it grants, one byte each for every link of `L(i -> j)` (S003 sec. III-B).
#[must_use]
pub fn control_bytes(links: usize) -> usize {
    4 * links
}

/// WCPCap with its constants.
#[derive(Clone, Debug)]
pub struct WcpCap {
    mode: Mode,
    config: WcpCapConfig,
}

impl WcpCap {
    /// `settings`: a JSON object with fields of [`WcpCapConfig`].
    ///
    /// # Errors
    ///
    /// A field that does not exist, or a constant outside its range.
    pub fn new(mode: Mode, settings: &serde_json::Value) -> Result<Self, String> {
        let config = WcpCapConfig::deserialize(settings).map_err(|error| error.to_string())?;
        let positive = [
            ("epoch_rtts", config.epoch_rtts),
            ("increase_share", config.increase_share),
            ("first_epoch_s", config.first_epoch_s),
            ("initial_packets_per_s", config.initial_packets_per_s),
            ("least_packets_per_s", config.least_packets_per_s),
            ("least_utilization", config.least_utilization),
            ("hold_s", config.hold_s),
        ];
        for (name, value) in positive {
            if !(value > 0.0 && value.is_finite()) {
                return Err(format!("{name} must be positive, not {value}"));
            }
        }
        if !(config.greatest_utilization >= config.least_utilization && config.greatest_utilization.is_finite()) {
            return Err("greatest_utilization must not be less than least_utilization".to_owned());
        }
        if config.control_rate_bps == Some(0) {
            return Err("control_rate_bps must be positive".to_owned());
        }
        if !(config.drain_share >= 0.0 && config.queue_weight > 0.0 && config.queue_weight <= 1.0) {
            return Err("drain_share must not be negative, and queue_weight must lie in (0, 1]".to_owned());
        }
        Ok(Self { mode, config })
    }
}

impl WcpCapConfig {
    /// The queues and round-trip times are measured and reported as in WCP.
    fn wcp(&self) -> WcpConfig {
        WcpConfig { queue_weight: self.queue_weight, hold_s: self.hold_s, ..WcpConfig::default() }
    }
}

impl Controller for WcpCap {
    fn tells_interferers(&self) -> bool {
        self.config.control_rate_bps.is_some()
    }

    fn name(&self) -> &str {
        "wcp_cap"
    }

    fn mode(&self) -> Mode {
        self.mode
    }

    fn endpoint(&self, flow: &FlowSetup) -> Box<dyn Endpoint> {
        Box::new(WcpCapSource::new(self.config.initial_packets_per_s, flow))
    }

    /// One byte for each variable: round-trip times as WCP's, and the rate, which acknowledgements return. What links
    /// tell their neighbourhoods is free, as in S003's simulations (sec. III-B), unless
    /// [`WcpCapConfig::counts_control`] asks for it.
    fn octets(&self) -> Octets {
        Octets { data_header: 5, ack_header: 1, ..Octets::default() }
    }

    fn router(&self, node: &NodeSetup) -> Option<Box<dyn Router>> {
        Some(Box::new(WcpCapRouter::new(self.config.clone(), node)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S003 sec. III-B: 4 |L| bytes.
    #[test]
    fn control_takes_four_bytes_per_link_and_epoch() {
        assert_eq!([1, 6, 20].map(control_bytes), [4, 24, 80]);
    }
}
