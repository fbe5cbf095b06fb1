//! XCP-b (Abrantes and Ricardo, "A Simulation Study of XCP-b Performance in Wireless Multi-hop Networks", S004): XCP
//! for media of unknown capacity. The queue is kept at a few packets and its changes give the spare bandwidth;
//! while it is empty they give none, and a fixed amount is granted. Hosts, pools and the split are XCP's.
//!
//! Modes. The paper gives kappa in packets and everything else in bytes. `corrected` takes the size of a data packet, so
//! that kappa of them wait; `paper` the mean of data and acknowledgement with which the paper turns its queue limit into
//! bytes. The paper's windows are those of the second: the first keeps twice the queue at every hop.
//!
//! The weight of the moving average is not in the paper: its sweep of tau in powers of 0.75 over "control intervals the
//! queue may be empty" says that an empty interval leaves 0.75 of it. The persistent queue is the least one of the last d
//! seconds (sec. 3.1), which `paper` follows. XCP's own rule, half a round trip less the time in the queue, needs a
//! capacity; without one ns-2's formula gives the shortest span, 2 ms, which `corrected` takes: it is that span, and not
//! the printed one, that gives about the paper's windows over one to ten hops ([`QueueSpan`]).

use serde::{Deserialize, Serialize};

use super::settings::{not_negative, positive, Settings};
use super::xcp::host::{Desired, Host, HostConfig, Sum};
use super::xcp::interface::{Interval, RouterConfig};
use super::xcp::router::{Grant, Law, XcpRouter};
use super::xcp::HEADER_OCTETS;
use crate::controller::{
    Controller, Endpoint, FlowSetup, LinkSetup, LinkView, Mode, NodeSetup, Octets, Receiver, Router,
};
use crate::units::Nanos;

/// Constants of XCP-b.
#[derive(Default, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct XcpBConfig {
    /// At routers, as XCP's.
    pub router: RouterConfig,
    /// At sources.
    pub host: HostConfig,
    /// How queues are read.
    pub queue: QueueConfig,
    /// Unit of the feedback that receivers return as a number of 16 bits (S004 sec. 4), bytes/s; none: it is returned
    /// exactly. S004 prints no unit.
    pub feedback_unit_bytes_per_s: Option<f64>,
}

/// Constants of the law of XCP-b (S004 sec. 3.3 and 5.4).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QueueConfig {
    /// chi: share of the largest queue granted per interval while the queue is empty.
    pub chi: f64,
    /// tau: share of kappa below which the smoothed queue counts as empty.
    pub tau: f64,
    /// kappa: queue to keep, packets.
    pub kappa_packets: f64,
    /// Size of a data packet, bytes (S004 sec. 5.1).
    pub packet_bytes: f64,
    /// Mean size of data packets and acknowledgements, bytes: what turns a limit in packets into Qmax (S004 sec. 5.1).
    pub mean_packet_bytes: f64,
    /// Qmax: largest queue, bytes; none: the queue's limit in packets of mean size, or 16 kB where it has none.
    pub largest_bytes: Option<f64>,
    /// Of which packet kappa counts the size, bytes; none: of a data packet in `corrected`, of the mean packet in `paper`.
    pub kappa_packet_bytes: Option<f64>,
    /// Over which time the persistent queue is the least one; none: the control interval in `paper`, as S004 sec. 3.1 says,
    /// the shortest span in `corrected`.
    pub least_over: Option<QueueSpan>,
    /// w: weight of a new queue length in the smoothed one.
    pub weight: f64,
}

/// The time over which the persistent queue is the least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueSpan {
    /// The control interval d (S004 sec. 3.1, S002 eq. 1).
    Interval,
    /// Half of the mean round-trip time, as XCP takes it where it knows no capacity.
    HalfRoundTrip,
    /// The shortest span, 2 ms, while anything waits: what ns-2's formula gives without a capacity.
    Shortest,
}

impl Default for QueueConfig {
    fn default() -> Self {
        Self {
            chi: 0.228,
            tau: 0.178,
            kappa_packets: 3.0,
            packet_bytes: 1300.0,
            mean_packet_bytes: 650.0,
            largest_bytes: None,
            kappa_packet_bytes: None,
            least_over: None,
            weight: 0.25,
        }
    }
}

impl QueueConfig {
    /// Whether the constants make sense.
    ///
    /// # Errors
    ///
    /// Names the first that does not.
    pub fn check(&self) -> Result<(), String> {
        not_negative(&[("chi", self.chi), ("tau", self.tau), ("kappa_packets", self.kappa_packets)])?;
        positive(&[
            ("packet_bytes", self.packet_bytes),
            ("mean_packet_bytes", self.mean_packet_bytes),
            ("largest_bytes", self.largest_bytes.unwrap_or(1.0)),
            ("kappa_packet_bytes", self.kappa_packet_bytes.unwrap_or(1.0)),
            ("weight", self.weight),
        ])?;
        if self.weight > 1.0 {
            return Err(format!("weight must be at most 1, not {}", self.weight));
        }
        Ok(())
    }
}

impl Settings for XcpBConfig {
    fn check(&self) -> Result<(), String> {
        self.router.check()?;
        self.host.check()?;
        positive(&[("feedback_unit_bytes_per_s", self.feedback_unit_bytes_per_s.unwrap_or(1.0))])?;
        self.queue.check()
    }
}

/// XCP-b.
#[derive(Clone, Copy, Debug)]
pub struct XcpB {
    name: &'static str,
    config: XcpBConfig,
    mode: Mode,
}

impl XcpB {
    /// With these constants, under this name.
    #[must_use]
    pub fn new(name: &'static str, mode: Mode, config: XcpBConfig) -> Self {
        Self { name, config, mode }
    }
}

impl Controller for XcpB {
    fn name(&self) -> &str {
        self.name
    }

    fn mode(&self) -> Mode {
        self.mode
    }

    fn endpoint(&self, flow: &FlowSetup) -> Box<dyn Endpoint> {
        let demand = Desired { bytes_per_s: self.config.host.desired_bytes_per_s };
        Box::new(Host::new(self.config.host, flow, Box::new(demand)))
    }

    fn receiver(&self, _flow: &FlowSetup) -> Box<dyn Receiver> {
        Box::new(Sum::in_units_of(self.config.feedback_unit_bytes_per_s))
    }

    /// S004 sec. 3: XCP's header.
    fn octets(&self) -> Octets {
        Octets::header(HEADER_OCTETS)
    }

    fn router(&self, node: &NodeSetup) -> Option<Box<dyn Router>> {
        let router = self.config.router;
        let law = |link: &LinkSetup| QueueLaw::new(&router, &self.config.queue, self.mode, link);
        Some(Box::new(XcpRouter::new(router, node, law)))
    }
}

/// The law of XCP-b on one link, S004 eq. (5).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueueLaw {
    alpha: f64,
    beta: f64,
    chi: f64,
    weight: f64,
    least_over: QueueSpan,
    kappa_bytes: f64,
    threshold_bytes: f64,
    largest_bytes: f64,
    smoothed_bytes: f64,
    previous_bytes: f64,
}

impl QueueLaw {
    /// Qmax where neither the configuration nor the queue says one, bytes (S004 sec. 5.1).
    const LARGEST_BYTES: f64 = 16_000.0;

    /// What drains the queue is not known and counts as next to nothing, bytes/s: a queue that holds anything is then
    /// looked at again after the shortest interval, as ns-2's formula does without a capacity.
    const UNKNOWN_DRAIN_BYTES_PER_S: f64 = 1.0;

    /// For a link, with an empty queue.
    #[must_use]
    pub fn new(router: &RouterConfig, queue: &QueueConfig, mode: Mode, link: &LinkSetup) -> Self {
        let (packet_bytes, least_over) = match mode {
            Mode::Paper => (queue.mean_packet_bytes, QueueSpan::Interval),
            Mode::PaperGreedy | Mode::Corrected => (queue.packet_bytes, QueueSpan::Shortest),
        };
        let kappa_bytes = queue.kappa_packets * queue.kappa_packet_bytes.unwrap_or(packet_bytes);
        let limit = link.queue_packets.map(|packets| f64::from(packets) * queue.mean_packet_bytes);
        Self {
            alpha: router.alpha,
            beta: router.beta,
            chi: queue.chi,
            weight: queue.weight,
            least_over: queue.least_over.unwrap_or(least_over),
            kappa_bytes,
            threshold_bytes: queue.tau * kappa_bytes,
            largest_bytes: queue.largest_bytes.or(limit).unwrap_or(Self::LARGEST_BYTES),
            smoothed_bytes: 0.0,
            previous_bytes: 0.0,
        }
    }

    /// F after an interval of `interval_s` that ended with a persistent queue of `queue_bytes`, bytes/s.
    pub fn aggregate(&mut self, queue_bytes: f64, interval_s: f64) -> f64 {
        self.smoothed_bytes += self.weight * (queue_bytes - self.smoothed_bytes);
        let change = queue_bytes - std::mem::replace(&mut self.previous_bytes, queue_bytes);
        if self.smoothed_bytes < self.threshold_bytes {
            self.chi * self.largest_bytes / interval_s
        } else {
            -self.alpha * change / interval_s - self.beta * (queue_bytes - self.kappa_bytes) / interval_s
        }
    }
}

impl Law for QueueLaw {
    fn grant(&mut self, _now: Nanos, interval: &Interval, _link: &LinkView) -> Option<Grant> {
        Some(Grant {
            aggregate_bytes_per_s: self.aggregate(interval.persistent_queue_bytes, interval.length_s),
            traffic_bytes_per_s: interval.input_bytes_per_s,
        })
    }

    fn drain_bytes_per_s(&self, _now: Nanos, _used: bool, _link: &LinkView) -> Option<f64> {
        (self.least_over == QueueSpan::Shortest).then_some(Self::UNKNOWN_DRAIN_BYTES_PER_S)
    }

    fn measures_per_interval(&self) -> bool {
        self.least_over == QueueSpan::Interval
    }
}

#[cfg(test)]
mod changes;

#[cfg(test)]
mod tests {
    use super::super::capacity::tests::link;
    use super::*;

    fn law(kappa_packets: f64) -> QueueLaw {
        let queue = QueueConfig { kappa_packets, largest_bytes: Some(16_000.0), ..QueueConfig::default() };
        QueueLaw::new(&RouterConfig::default(), &queue, Mode::Corrected, &link(11_000_000, false))
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-6 * b.abs(), "{a} is not {b}");
    }

    #[test]
    fn v_y1_six_empty_intervals_lead_to_the_fixed_grant() {
        let mut law = QueueLaw { smoothed_bytes: 3900.0, ..law(3.0) };
        for interval in 1..=6 {
            let fixed = law.aggregate(0.0, 0.1) == 0.228 * 16_000.0 / 0.1;
            assert_eq!(fixed, interval == 6, "interval {interval}");
        }
        near(law.smoothed_bytes / 3900.0, 0.177_978_515_625);
    }

    #[test]
    fn v_y2_an_empty_queue_gets_the_fixed_grant() {
        near(law(3.0).aggregate(0.0, 0.1), 36_480.0);
    }

    /// V-Y3 and V-Y4: the smoothed queue is the vector's after the step.
    #[test]
    fn v_y3_v_y4_a_queue_tells_spare_bandwidth() {
        let mut falling = QueueLaw { smoothed_bytes: 3900.0, previous_bytes: 5200.0, weight: 0.0, ..law(3.0) };
        near(falling.aggregate(2600.0, 0.1), 13_338.0);
        let mut rising = QueueLaw { smoothed_bytes: 3900.0, previous_bytes: 3900.0, weight: 0.0, ..law(3.0) };
        near(rising.aggregate(7800.0, 0.1), -24_414.0);
    }

    #[test]
    fn v_y5_one_interval_at_kappa_ends_the_fixed_grant() {
        let mut law = law(3.0);
        law.aggregate(3900.0, 0.1);
        near(law.smoothed_bytes, 975.0);
        near(law.threshold_bytes, 694.2);
        assert!(law.smoothed_bytes > law.threshold_bytes);
    }

    /// V-Y7: a fluid queue whose feedback is `delay` intervals late peaks near Qmax with kappa = 0, and above it with
    /// kappa = 3 packets. With kappa = 0 the fixed grant is for the empty queue itself.
    #[test]
    fn v_y7_peaks_of_the_fluid_queue() {
        let cases = [
            (0.0, 0, [0.3101, 0.2528, 0.273, 0.2931, 0.3133]),
            (0.0, 1, [0.9919, 0.8655, 0.8457, 0.8898, 0.9425]),
            (0.0, 2, [2.107, 2.0001, 2.0244, 2.1081, 1.9901]),
            (3.0, 0, [0.4215, 0.7357, 0.6241, 0.5242, 0.4244]),
            (3.0, 1, [1.1345, 1.5907, 1.4112, 1.2652, 1.1388]),
            (3.0, 2, [2.2722, 2.8291, 2.6457, 2.4622, 2.2788]),
        ];
        for (kappa, delay, peaks) in cases {
            for (start, peak) in [0.01, 0.25, 0.5, 0.75, 1.0].into_iter().zip(peaks) {
                let found = fluid_peak(law(kappa), delay, start);
                assert!((found - peak).abs() < 5e-5, "kappa {kappa}, delay {delay}, start {start}: {found}");
            }
        }
    }

    fn fluid_peak(mut law: QueueLaw, delay: usize, start: f64) -> f64 {
        const CAPACITY: f64 = 1.25e5;
        const INTERVAL: f64 = 0.1;
        let fixed = law.chi * law.largest_bytes / INTERVAL;
        let mut rates = vec![CAPACITY - start * fixed + 1e-6; delay + 1];
        let (mut queue, mut peak) = (0.0_f64, 0.0_f64);
        for _ in 0..400 {
            let rate = rates[rates.len() - 1 - delay];
            queue = (queue + (rate - CAPACITY) * INTERVAL).max(0.0);
            let told = law.aggregate(queue, INTERVAL);
            let feedback = if law.kappa_bytes == 0.0 && queue == 0.0 { fixed } else { told };
            rates.push((rates[rates.len() - 1] + feedback).max(0.0));
            peak = peak.max(queue);
        }
        peak / law.largest_bytes
    }

    /// S004 sec. 3.1: q is the least queue of the last d seconds. 5000 bytes wait at the first departure, 2000 at the second,
    /// 7000 at the end of the interval.
    #[test]
    fn the_queue_of_the_paper_is_the_least_of_the_control_interval() {
        use crate::controller::NodeView;
        use crate::controllers::test_flow::{node, packet};
        use crate::controllers::xcp::router::Grant;
        use crate::index::LocalLink;
        use crate::packet::{Header, PacketKind};
        use std::sync::mpsc::{channel, Sender};

        /// Tells the queue of every control interval.
        struct Telling(QueueLaw, Sender<f64>);
        impl Law for Telling {
            fn grant(&mut self, now: Nanos, interval: &Interval, link: &LinkView) -> Option<Grant> {
                self.1.send(interval.persistent_queue_bytes).ok();
                self.0.grant(now, interval, link)
            }
            fn drain_bytes_per_s(&self, now: Nanos, used: bool, link: &LinkView) -> Option<f64> {
                self.0.drain_bytes_per_s(now, used, link)
            }
            fn measures_per_interval(&self) -> bool {
                self.0.measures_per_interval()
            }
        }

        let seen_in = |mode: Mode, least_over: Option<QueueSpan>| {
            let (tell, told) = channel();
            let setup = link(11_000_000, false);
            let queue = QueueConfig { least_over, ..QueueConfig::default() };
            let law =
                |link: &LinkSetup| Telling(QueueLaw::new(&RouterConfig::default(), &queue, mode, link), tell.clone());
            let mut router = XcpRouter::new(RouterConfig::default(), &node([setup.clone()]), law);
            let view = |queue_bytes: u64| [LinkView { queue_bytes, ..LinkView::default() }].into();
            // The first interval of 50 ms leaves 9000 bytes as the least of the second.
            router.on_timer(50_000_000, &NodeView { links: &view(9000) });
            for (at, waiting) in [(51_000_000, 5000), (52_000_000, 2000), (60_000_000, 7000)] {
                let mut passing = packet(PacketKind::Data, 1300, Header::None);
                router.on_departure(at, &NodeView { links: &view(waiting) }, LocalLink(0), &mut passing);
                router.on_timer(at, &NodeView { links: &view(waiting) });
            }
            router.on_timer(100_000_000, &NodeView { links: &view(7000) });
            told.try_iter().last()
        };
        assert_eq!(seen_in(Mode::Paper, None), Some(2000.0));
        assert_eq!(seen_in(Mode::Corrected, None), Some(7000.0), "the least of the last 2 ms and later");
        assert_eq!(seen_in(Mode::Corrected, Some(QueueSpan::Interval)), Some(2000.0));
    }

    #[test]
    fn the_largest_queue_comes_from_the_limit() {
        let law = QueueLaw::new(&RouterConfig::default(), &QueueConfig::default(), Mode::Paper, &link(1, false));
        near(law.largest_bytes, 50.0 * 650.0);
        near(law.kappa_bytes, 3.0 * 650.0);
    }
}
