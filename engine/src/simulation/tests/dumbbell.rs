//! The dumbbell of the scripts that recorded ns-2: sources and destinations on either side of one bottleneck.

use crate::units::MILLISECOND;
use crate::world::{FlowSpec, LinkSpec, NodeSpec, QueueSpec, World};

/// A flow per access delay over wires of 100 Mbit/s and the bottleneck: SYN, initial window 2, a window that never binds.
///
/// `declare` adds what else a flow has, by its number.
pub(super) fn dumbbell(
    (rate_mbps, delay_ms): (u64, u64),
    access_ms: &[u64],
    queue: QueueSpec,
    declare: impl Fn(u64, &mut FlowSpec),
) -> World {
    let wire = |from: &str, to: &str, rate_mbps: u64, delay_ms: u64| {
        LinkSpec::wired(from, to, rate_mbps * 1_000_000, delay_ms * MILLISECOND).with_queue(queue)
    };
    let mut nodes = vec![NodeSpec::new("left"), NodeSpec::new("right")];
    let mut links = vec![wire("left", "right", rate_mbps, delay_ms)];
    let mut flows = Vec::new();
    for (number, &access_ms) in (0..).zip(access_ms) {
        let [source, target] = ["source", "target"].map(|end| format!("{end} {number}"));
        links.extend([wire(&source, "left", 100, access_ms), wire("right", &target, 100, 1)]);
        nodes.extend([NodeSpec::new(source.clone()), NodeSpec::new(target.clone())]);
        let mut flow = FlowSpec::new(number.to_string(), [&source[..], "left", "right", &target]);
        flow.transport.handshake = true;
        flow.transport.initial_window_segments = 2;
        flow.transport.receive_window_bytes = 10_000_000;
        declare(number, &mut flow);
        flows.push(flow);
    }
    let mut world = World::new("wire", nodes, links);
    world.flows = flows;
    world
}
