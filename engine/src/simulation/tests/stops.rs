//! Flows that stop before the run ends.

use crate::simulation::Simulation;
use crate::units::SECOND;
use crate::world::{FlowSpec, LinkSpec, NodeSpec, QueueSpec, Source, World};

/// A link of 1 Mbit/s is offered 10 Mbit/s for a second, and its queue delivers for longer than that: what it delivers
/// then counts, but not as throughput of the flow's second.
#[test]
fn what_is_delivered_after_a_flow_has_stopped_is_no_throughput() {
    let link = LinkSpec::wired("a", "b", 1_000_000, 0).with_queue(QueueSpec::packets(200));
    let mut world = World::new("stop", vec![NodeSpec::new("a"), NodeSpec::new("b")], vec![link]);
    let mut flow = FlowSpec::new("f", ["a", "b"]).with_source(Source::Cbr { rate_bps: 10_000_000 }).unacknowledged();
    (flow.payload_bytes, flow.header_bytes) = (1000, 0);
    world.flows.push(flow.between(SECOND, 2 * SECOND));
    world.duration_ns = 10 * SECOND;
    let outcome = Simulation::new(&world, &[], 3).unwrap().run();
    let throughput = outcome.flows.throughput_bps[0];
    assert!((0.98e6..=1e6).contains(&throughput), "{throughput}");
    assert!(outcome.flows.delivered_bytes[0] > 300_000, "{:?}", outcome.flows.delivered_bytes);
    assert_eq!(outcome.flows.end_ns[0], 2 * SECOND);
}
