use crate::simulation::Simulation;
use crate::units::SECOND;
use crate::world::{FlowSpec, LinkSpec, NodeSpec, Source, World};

fn pair(rate_bps: u64, payload: u32) -> World {
    let nodes = vec![NodeSpec::new("a"), NodeSpec::new("b")];
    let mut world = World::new("pair", nodes, vec![LinkSpec::wireless("a", "b", 11_000_000)]);
    let mut flow = FlowSpec::new("f", ["a", "b"]).with_source(Source::Cbr { rate_bps }).unacknowledged();
    flow.payload_bytes = payload;
    flow.header_bytes = 0;
    world.flows.push(flow);
    world
}

/// V-T2: a saturated sender alone gets the theoretical maximum throughput.
#[test]
fn one_saturated_link_carries_the_theoretical_maximum() {
    for (payload, rts, expected) in [(1500, false, 6.068_966e6), (1500, true, 4.522_716e6), (512, false, 3.2541e6)] {
        let mut world = pair(8_000_000, payload);
        world.duration_ns = 100 * SECOND;
        if rts {
            world.mac = world.mac.with_rts();
        }
        let outcome = Simulation::new(&world, &[], 3).unwrap().run();
        let throughput = outcome.flows.throughput_bps[0];
        assert!((throughput / expected - 1.0).abs() < 0.003, "{payload} {rts}: {throughput} for {expected}");
        let capacity = outcome.link_bins.capacity_bps.iter().flatten().sum::<f64>() / 1000.0;
        assert!((capacity / expected / 2.0 - 1.0).abs() < 0.6, "{capacity}");
    }
}
