//! Capacity of a link, as a router that needs one takes it.

use serde::{Deserialize, Serialize};

use crate::controller::LinkSetup;
use crate::cross_layer::CrossLayer;
use crate::units::{Nanos, SECOND};

/// Where a router takes the capacity of its links from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CapacitySource {
    /// As configured: the rate of the wire or the PHY rate, as ns-2 hands it to `set-link-capacity`.
    #[default]
    Configured,
    /// As rt-Winf measured it; as configured on a wire and before the first measurement.
    Measured,
}

/// The capacity of one link over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capacity {
    source: CapacitySource,
    configured_bytes_per_s: f64,
}

impl Capacity {
    /// How long a measurement is valid without a new one; afterwards the link counts as down.
    pub const HOLD: Nanos = SECOND;

    /// Capacity of `link`; a wire's is always the configured one.
    #[must_use]
    pub fn new(source: CapacitySource, link: &LinkSetup) -> Self {
        let source = if link.wired { CapacitySource::Configured } else { source };
        Self { source, configured_bytes_per_s: link.rate_bps as f64 / 8.0 }
    }

    /// As configured, bytes/s.
    #[must_use]
    pub fn configured_bytes_per_s(&self) -> f64 {
        self.configured_bytes_per_s
    }

    /// Bytes/s; `None`: the link is down. A link that was not used in the last interval (`used` is false) is not
    /// down: its last measurement stays valid.
    #[must_use]
    pub fn bytes_per_s(&self, now: Nanos, link: &CrossLayer, used: bool) -> Option<f64> {
        let known = match (self.source, link.capacity_bytes_per_s) {
            (CapacitySource::Configured, _) | (CapacitySource::Measured, None) => Some(self.configured_bytes_per_s),
            (CapacitySource::Measured, measured) => measured.filter(|_| !used || is_fresh(now, link, Self::HOLD)),
        };
        known.filter(|&capacity| capacity > 0.0)
    }
}

/// Whether the last measurement is at most `hold` old; what has no time, as a wire's rate, is.
#[must_use]
pub fn is_fresh(now: Nanos, link: &CrossLayer, hold: Nanos) -> bool {
    link.age(now).is_none_or(|age| age <= hold)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::index::{LinkId, NodeId};

    pub(crate) fn link(rate_bps: u64, wired: bool) -> LinkSetup {
        LinkSetup {
            link: LinkId(0),
            to: NodeId(1),
            rate_bps,
            wired,
            queue_packets: Some(50),
            service_time: 1_000_000,
            loss: 0.0,
            airtimes: None,
        }
    }

    #[test]
    fn a_measurement_stands_for_a_second_on_a_link_in_use() {
        let capacity = Capacity::new(CapacitySource::Measured, &link(11_000_000, false));
        let mut store = CrossLayer::default();
        assert_eq!(capacity.bytes_per_s(0, &store, true), Some(1.375e6), "as configured before the first measurement");
        store.capacity_bytes_per_s = Some(5e5);
        store.measured_at = Some(0);
        assert_eq!(capacity.bytes_per_s(SECOND, &store, true), Some(5e5));
        assert_eq!(capacity.bytes_per_s(SECOND + 1, &store, true), None, "tried and nothing got through");
        assert_eq!(capacity.bytes_per_s(SECOND + 1, &store, false), Some(5e5), "nobody tried");
        store.capacity_bytes_per_s = Some(0.0);
        assert_eq!(capacity.bytes_per_s(0, &store, true), None);
    }

    #[test]
    fn a_wire_has_the_capacity_it_was_given() {
        let capacity = Capacity::new(CapacitySource::Measured, &link(8_000_000, true));
        let store = CrossLayer { capacity_bytes_per_s: Some(1.0), ..CrossLayer::default() };
        assert_eq!(capacity.bytes_per_s(0, &store, true), Some(1e6));
    }
}
