//! TCP beside ns-2's own agents on a wire.

use crate::record::FlowTotals;
use crate::request::{Choice, Request};
use crate::units::{MILLISECOND, SECOND};
use crate::world::{FlowSpec, LinkSpec, NodeSpec, QueueSpec, World};

/// One greedy flow for 40 s over 10 Mbit/s with `delay` each way, between accesses of 100 Mbit/s and 1 ms, and with
/// the constants of `Agent/TCP/Newreno`: SYN, initial window 2, least timeout 1 s, 1040-byte packets, a window that
/// never binds.
fn one_flow(delay_ms: u64, queue_packets: u32) -> FlowTotals {
    let wire = |from: &str, to: &str, rate_bps, delay_ms: u64| {
        let link = LinkSpec::wired(from, to, rate_bps, delay_ms * MILLISECOND);
        let mut link = link.with_queue(QueueSpec::packets(queue_packets));
        link.duplex = true;
        link
    };
    let links = vec![
        wire("source", "left", 100_000_000, 1),
        wire("left", "right", 10_000_000, delay_ms),
        wire("right", "target", 100_000_000, 1),
    ];
    let path = ["source", "left", "right", "target"];
    let mut world = World::new("wire", path.map(NodeSpec::new).to_vec(), links);
    world.duration_ns = 40 * SECOND;
    let mut flow = FlowSpec::new("f", path);
    flow.transport.sack = false;
    flow.transport.handshake = true;
    flow.transport.initial_window_segments = 2;
    flow.transport.receive_window_bytes = 10_000_000;
    world.flows.push(flow);
    Request { world, controllers: vec![Choice::new("new_reno")], seed: 1 }.run().unwrap().flows
}

/// Slow start overshoots, recovery without selective acknowledgements takes a round trip per loss and ends in a
/// timeout; what follows depends on the slow-start threshold that the timeout sets.
///
/// The packets are ns-2's: ns 2.35 (Debian 2.35+dfsg-5), `Agent/TCP/Newreno` to `Agent/TCPSink`, `packetSize_ 1000`,
/// `window_ 10000`, `minrto_ 1.0`, DropTail, FTP from 0 s; `ack_` + 1 at 40 s.
#[test]
fn timeouts_in_recovery_leave_the_threshold_that_ns2_has() {
    for (delay_ms, queue_packets, ns2_packets) in [(20, 20, 43_237.0), (60, 60, 32_863.0)] {
        let flows = one_flow(delay_ms, queue_packets);
        assert!((1..=2).contains(&flows.timeouts[0]), "{delay_ms} ms: {} timeouts", flows.timeouts[0]);
        let packets = flows.delivered_bytes[0] as f64 / 1000.0;
        assert!((packets / ns2_packets - 1.0).abs() < 0.05, "{delay_ms} ms: {packets} for {ns2_packets}");
    }
}
