//! How often the law changes between the fixed grant and the one by the queue, in a running network.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use super::{QueueConfig, QueueLaw, XcpB, XcpBConfig};
use crate::controller::{Controller, Endpoint, FlowSetup, LinkSetup, LinkView, Mode, NodeSetup, Receiver, Router};
use crate::controllers::xcp::interface::{Interval, RouterConfig};
use crate::controllers::xcp::router::{Grant, Law, XcpRouter};
use crate::simulation::Simulation;
use crate::units::{Nanos, SECOND};
use crate::world::{FlowSpec, LinkSpec, NodeSpec, World};

/// XCP-b whose laws count their changes.
struct Counting {
    inner: XcpB,
    queue: QueueConfig,
    changes: Arc<AtomicU64>,
}

impl Controller for Counting {
    fn name(&self) -> &str {
        "counting"
    }

    fn mode(&self) -> Mode {
        self.inner.mode()
    }

    fn endpoint(&self, flow: &FlowSetup) -> Box<dyn Endpoint> {
        self.inner.endpoint(flow)
    }

    fn receiver(&self, flow: &FlowSetup) -> Box<dyn Receiver> {
        self.inner.receiver(flow)
    }

    fn router(&self, node: &NodeSetup) -> Option<Box<dyn Router>> {
        let config = RouterConfig::default();
        let law = |link: &LinkSetup| Counted {
            law: QueueLaw::new(&config, &self.queue, self.mode(), link),
            fixed: None,
            changes: Arc::clone(&self.changes),
        };
        Some(Box::new(XcpRouter::new(config, node, law)))
    }
}

struct Counted {
    law: QueueLaw,
    fixed: Option<bool>,
    changes: Arc<AtomicU64>,
}

impl Law for Counted {
    fn grant(&mut self, now: Nanos, interval: &Interval, link: &LinkView) -> Option<Grant> {
        let grant = self.law.grant(now, interval, link);
        let fixed = self.law.smoothed_bytes < self.law.threshold_bytes;
        if self.fixed.replace(fixed).is_some_and(|before| before != fixed) {
            self.changes.fetch_add(1, Ordering::Relaxed);
        }
        grant
    }

    fn drain_bytes_per_s(&self, now: Nanos, used: bool, link: &LinkView) -> Option<f64> {
        self.law.drain_bytes_per_s(now, used, link)
    }

    fn measures_per_interval(&self) -> bool {
        self.law.measures_per_interval()
    }
}

/// Changes in 100 s, of all routers of a chain of three hops and one flow.
fn changes(queue: QueueConfig) -> u64 {
    let names = ["a", "b", "c", "d"];
    let links = names.windows(2).map(|ends| LinkSpec::wireless(ends[0], ends[1], 11_000_000)).collect();
    let mut world = World::new("chain", names.map(NodeSpec::new).to_vec(), links);
    let mut flow = FlowSpec::new("f", names);
    flow.payload_bytes = 1260;
    world.flows.push(flow);
    world.duration_ns = 100 * SECOND;
    let changes = Arc::new(AtomicU64::new(0));
    let config = XcpBConfig { queue, ..XcpBConfig::default() };
    let inner = XcpB::new("xcp_b", Mode::Corrected, config);
    let controller: Box<dyn Controller> = Box::new(Counting { inner, queue, changes: Arc::clone(&changes) });
    assert!(Simulation::new(&world, &[controller], 1).unwrap().run().conservation.holds());
    changes.load(Ordering::Relaxed)
}

/// S004 sec. 5.4.1: with a larger kappa the law changes less often between its two kinds of feedback.
#[test]
fn a_larger_kappa_changes_the_feedback_less_often() {
    let of = |kappa_packets: f64| changes(QueueConfig { kappa_packets, ..QueueConfig::default() });
    let found = [1.0, 3.0, 9.0].map(of);
    assert_eq!(found, [1533, 424, 84], "docs/papers names these numbers");
}

/// S004 sec. 5.4.3: with a larger tau more often.
#[test]
fn a_larger_tau_changes_the_feedback_more_often() {
    let of = |tau: f64| changes(QueueConfig { tau, ..QueueConfig::default() });
    let found = [0.056, 0.178, 0.563].map(of);
    assert_eq!(found, [304, 424, 454], "docs/papers names these numbers");
}
