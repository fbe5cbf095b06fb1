//! The laws of XCP-Winf's routers.

use serde::{Deserialize, Serialize};

use super::super::capacity::{is_fresh, Capacity, CapacitySource};
use super::super::collisions::{store_in, CollisionTerm};
use super::super::xcp::aggregate;
use super::super::xcp::interface::{Allotment, Interface, Interval, RouterConfig};
use super::super::xcp::router::{Grant, Law};
use super::super::xcp_b::QueueLaw;
use crate::controller::{LinkSetup, LinkView, Mode};
use crate::cross_layer::CrossLayer;
use crate::packet::XcpHeader;
use crate::units::{nanos, Nanos, SECOND};

/// Capacity and available bandwidth of one link as routers read them from the cross-layer store.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    mode: Mode,
    collisions: CollisionTerm,
    capacity: Capacity,
}

impl Measured {
    /// Of `link`.
    #[must_use]
    pub fn new(mode: Mode, collisions: CollisionTerm, link: &LinkSetup) -> Self {
        Self { mode, collisions, capacity: Capacity::new(CapacitySource::Measured, link) }
    }

    /// Bytes/s; as configured before the first measurement.
    fn capacity_or_configured(&self, now: Nanos, used: bool, link: &CrossLayer) -> Option<f64> {
        self.capacity.bytes_per_s(now, link, used)
    }

    /// AB, bytes/s, corrected for collisions and never above the capacity; `None`: not measured.
    fn available(&self, capacity: f64, link: &CrossLayer) -> Option<f64> {
        let factor = self.collisions.factor(self.mode, link);
        link.available_bytes_per_s.map(|available| (available * factor).clamp(0.0, capacity))
    }
}

/// `corrected`: F = alpha AB - beta Q / d; AB is C less the input where only C is known; XCP-b where neither is, or
/// both are older than a second and ten intervals.
#[derive(Clone, Copy, Debug)]
pub struct SpareMeasured {
    alpha: f64,
    beta: f64,
    measured: Measured,
    unknown: QueueLaw,
}

impl SpareMeasured {
    /// For the link that `measured` reads.
    #[must_use]
    pub fn new(router: &RouterConfig, measured: Measured, unknown: QueueLaw) -> Self {
        Self { alpha: router.alpha, beta: router.beta, measured, unknown }
    }

    fn known(&self, now: Nanos, link: &LinkView, interval_s: f64) -> Option<f64> {
        let hold = SECOND.max(nanos(10.0 * interval_s));
        let fresh = is_fresh(now, &link.cross_layer, hold);
        link.cross_layer.capacity_bytes_per_s.filter(|&capacity| fresh && capacity > 0.0)
    }
}

impl Law for SpareMeasured {
    fn grant(&mut self, now: Nanos, interval: &Interval, link: &LinkView) -> Option<Grant> {
        let fallback = self.unknown.grant(now, interval, link);
        let Some(capacity) = self.known(now, link, interval.length_s) else { return fallback };
        let input = interval.input_bytes_per_s;
        let spare = self.measured.available(capacity, &link.cross_layer).unwrap_or(capacity - input);
        Some(Grant {
            aggregate_bytes_per_s: aggregate(self.alpha, self.beta, spare, interval),
            traffic_bytes_per_s: input,
        })
    }

    fn drain_bytes_per_s(&self, now: Nanos, used: bool, link: &LinkView) -> Option<f64> {
        self.measured.capacity_or_configured(now, used, &link.cross_layer)
    }
}

/// `paper`: algorithms 2-5 as printed.
#[derive(Clone, Copy, Debug)]
pub struct PaperLaw {
    alpha: f64,
    beta: f64,
    measured: Measured,
    charging: PoolCharging,
    configured_bytes_per_s: f64,
}

/// What algorithms 2 to 5 read: the store as S000 fills it.
fn printed(link: &LinkView) -> CrossLayer {
    store_in(Mode::Paper, &link.cross_layer)
}

impl PaperLaw {
    /// For the link that `measured` reads.
    #[must_use]
    pub fn new(router: &RouterConfig, charging: PoolCharging, measured: Measured) -> Self {
        let configured_bytes_per_s = measured.capacity.configured_bytes_per_s();
        Self { alpha: router.alpha, beta: router.beta, measured, charging, configured_bytes_per_s }
    }

    fn capacity(&self, link: &CrossLayer) -> f64 {
        link.capacity_bytes_per_s.filter(|&capacity| capacity > 0.0).unwrap_or(self.configured_bytes_per_s)
    }

    fn available(&self, link: &CrossLayer) -> f64 {
        let capacity = self.capacity(link);
        self.measured.available(capacity, link).unwrap_or(capacity)
    }
}

impl Law for PaperLaw {
    /// Alg. 3: `input_bw` is the available bandwidth.
    fn grant(&mut self, now: Nanos, interval: &Interval, link: &LinkView) -> Option<Grant> {
        self.drain_bytes_per_s(now, interval.used(), link)?;
        let available = self.available(&printed(link));
        let spare = self.capacity(&printed(link)) - available;
        Some(Grant {
            aggregate_bytes_per_s: aggregate(self.alpha, self.beta, spare, interval),
            traffic_bytes_per_s: available,
        })
    }

    fn drain_bytes_per_s(&self, now: Nanos, used: bool, link: &LinkView) -> Option<f64> {
        self.measured.capacity_or_configured(now, used, &printed(link))
    }

    /// Alg. 2 and 4: packet size over the link's capacity instead of the flow's throughput.
    fn inter_packet_s(&self, _header: &XcpHeader, size_bytes: f64, link: &LinkView) -> f64 {
        size_bytes / self.capacity(&printed(link))
    }

    fn allot(&self, interface: &Interface, delta: f64, offer: (f64, f64), link: &LinkView) -> Allotment {
        paper_allot(self.charging, delta, offer, interface.negative_pool(), self.available(&printed(link)))
    }
}

/// How algorithm 4 of S000 charges the pools. Its two lines `neg_fbk = ...` and `pos_fbk = ...` stand there twice, and
/// which branch of `if Delta > feedback` the second pair belongs to hangs on an indentation that no brace confirms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PoolCharging {
    /// As indented: within the branch of requests above the feedback. A smaller request is charged what was offered.
    #[default]
    Indented,
    /// After the branch, so that every packet is charged what it got, as the draft has it for smaller requests.
    AfterBranch,
    /// Both pairs for every request above the feedback, the second also for smaller ones: braces left out.
    Twice,
}

/// S000 alg. 4: what a packet gets is compared with the available bandwidth of the link.
fn paper_allot(
    charging: PoolCharging,
    delta: f64,
    (positive, negative): (f64, f64),
    pool: f64,
    available: f64,
) -> Allotment {
    let feedback = positive - negative;
    let above = delta > feedback;
    let delta = if above { feedback.min(available) } else { delta };
    let charged = |before: f64| pool.min(before + (feedback - delta));
    let negative = match charging {
        PoolCharging::Indented if !above => return Allotment { delta, positive, negative },
        PoolCharging::Twice if above => charged(charged(negative)),
        PoolCharging::Indented | PoolCharging::AfterBranch | PoolCharging::Twice => charged(negative),
    };
    Allotment { delta, positive: delta + negative, negative }
}

#[cfg(test)]
mod tests {
    use super::super::super::capacity::tests::link;
    use super::super::super::xcp_b::QueueConfig;
    use super::*;

    const INTERVAL: Interval =
        Interval { length_s: 0.1, input_bytes_per_s: 4e5, average_rtt_s: 0.1, persistent_queue_bytes: 5000.0 };

    fn view() -> LinkView {
        let cross_layer = CrossLayer {
            capacity_bytes_per_s: Some(8e5),
            available_bytes_per_s: Some(3e5),
            measured_at: Some(0),
            ..CrossLayer::default()
        };
        LinkView { queue_bytes: 5000, queue_packets: 5, cross_layer }
    }

    fn paper() -> PaperLaw {
        let measured = Measured::new(Mode::Paper, CollisionTerm::Off, &link(11_000_000, false));
        PaperLaw::new(&RouterConfig::default(), PoolCharging::default(), measured)
    }

    fn corrected() -> SpareMeasured {
        let link = link(11_000_000, false);
        let unknown = QueueLaw::new(&RouterConfig::default(), &QueueConfig::default(), Mode::Corrected, &link);
        SpareMeasured::new(&RouterConfig::default(), Measured::new(Mode::Corrected, CollisionTerm::On, &link), unknown)
    }

    fn granted(law: &mut dyn Law, interval: &Interval, view: &LinkView) -> f64 {
        law.grant(0, interval, view).expect("the link is up").aggregate_bytes_per_s
    }

    #[test]
    fn v_xw2_spare_bandwidth_is_taken_for_traffic_in_the_paper() {
        assert!((granted(&mut paper(), &INTERVAL, &view()) - 188_700.0).abs() < 1e-6);
        assert!((granted(&mut corrected(), &INTERVAL, &view()) - 108_700.0).abs() < 1e-6);
        let mut full = view();
        full.cross_layer.available_bytes_per_s = Some(0.0);
        let standing = Interval { persistent_queue_bytes: 141_592.920_353_982_34, ..INTERVAL };
        assert!(granted(&mut paper(), &standing, &full).abs() < 1e-6);
    }

    #[test]
    fn v_xw3_the_paper_shares_by_bytes_and_averages_by_bytes() {
        let (view, law) = (view(), paper());
        for (flows, share, average) in [(true, 0.5, 0.125), (false, 2.0 / 3.0, 0.1)] {
            let mut interface = Interface::new(RouterConfig { initial_interval_s: 0.1, ..RouterConfig::default() });
            let mut per_flow = [0.0, 0.0];
            for (flow, packets, rate, rtt_s) in [(0, 50, 5e5, 0.05), (1, 25, 2.5e5, 0.2)] {
                let header = XcpHeader { inter_packet_s: 1000.0 / rate, ..XcpHeader::default() };
                let x = if flows { header.inter_packet_s } else { law.inter_packet_s(&header, 1000.0, &view) };
                (0..packets).for_each(|_| interface.arrive(1000.0, x, rtt_s));
                per_flow[flow] = f64::from(packets) * x;
            }
            assert!((per_flow[0] / (per_flow[0] + per_flow[1]) - share).abs() < 1e-9);
            assert!((interface.interval().average_rtt_s - average).abs() < 1e-9);
        }
    }

    #[test]
    fn v_xw4_the_paper_charges_the_pools_twice() {
        let allotment = paper_allot(PoolCharging::Twice, 1e9, (2000.0, 300.0), 50_000.0, 1000.0);
        assert_eq!(allotment, Allotment { delta: 1000.0, positive: 2700.0, negative: 1700.0 });
        let usual = paper_allot(PoolCharging::Twice, 1e9, (2000.0, 300.0), 50_000.0, 3e5);
        assert_eq!(usual, Allotment { delta: 1700.0, positive: 2000.0, negative: 300.0 });
        let reference = Interface::new(RouterConfig::default()).allot(1e9, (2000.0, 300.0));
        assert_eq!(reference, Allotment { delta: 1700.0, positive: 2000.0, negative: 300.0 });
    }

    /// Feedback is 1700. A request of 1000 that AB cuts from above costs 700 more of the negative pool once; one of 1000
    /// that was asked for costs that only where the lines stand after the branch.
    #[test]
    fn the_two_readings_of_algorithm_4() {
        let allot = |charging, asked, available| {
            let got = paper_allot(charging, asked, (2000.0, 300.0), 50_000.0, available);
            (got.delta, got.positive, got.negative)
        };
        assert_eq!(allot(PoolCharging::Indented, 1e9, 1000.0), (1000.0, 2000.0, 1000.0));
        assert_eq!(allot(PoolCharging::AfterBranch, 1e9, 1000.0), (1000.0, 2000.0, 1000.0));
        assert_eq!(allot(PoolCharging::Indented, 1000.0, 3e5), (1000.0, 2000.0, 300.0));
        assert_eq!(allot(PoolCharging::AfterBranch, 1000.0, 3e5), (1000.0, 2000.0, 1000.0));
        assert_eq!(paper().charging, PoolCharging::Indented);
    }

    #[test]
    fn what_is_unknown_is_left_to_the_queue() {
        let unknown = LinkView { cross_layer: CrossLayer::default(), ..view() };
        let empty = Interval { persistent_queue_bytes: 0.0, ..INTERVAL };
        let fixed = 0.228 * 50.0 * 650.0 / 0.1;
        assert!((granted(&mut corrected(), &empty, &unknown) - fixed).abs() < 1e-6);
        let stale = corrected().grant(2 * SECOND, &empty, &view()).map(|grant| grant.aggregate_bytes_per_s);
        assert!(stale.is_some_and(|stale| (stale - fixed).abs() < 1e-6));
    }

    #[test]
    fn collisions_take_their_share_of_what_is_spare() {
        let mut view = view();
        view.cross_layer.collision_probability = 0.1;
        assert!((granted(&mut corrected(), &INTERVAL, &view) - (0.4 * 2.7e5 - 11_300.0)).abs() < 1e-6);
    }
}
