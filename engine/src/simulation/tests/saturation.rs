//! Saturated stations that hear each other, against Bianchi's model (IEEE JSAC 2000).

use crate::record::Outcome;
use crate::simulation::Simulation;
use crate::units::SECOND;
use crate::world::{Eifs, FlowSpec, LinkSpec, MacParameters, NodeSpec, Source, World};

const PAYLOAD: u32 = 1500;

/// `stations` send 1500-byte packets to one receiver as fast as they can.
fn saturated(stations: usize, mac: MacParameters) -> World {
    let name = |index: usize| format!("s{index}");
    let mut nodes = vec![NodeSpec::new("sink")];
    nodes.extend((0..stations).map(|index| NodeSpec::new(name(index))));
    let links = (0..stations).map(|index| LinkSpec::wireless(name(index), "sink", 11_000_000)).collect();
    let mut world = World::new("saturated", nodes, links);
    world.mac = mac;
    world.duration_ns = 10 * SECOND;
    for index in 0..stations {
        let source = Source::Cbr { rate_bps: 8_000_000 };
        let mut flow =
            FlowSpec::new(name(index), [name(index), "sink".to_owned()]).with_source(source).unacknowledged();
        (flow.payload_bytes, flow.header_bytes) = (PAYLOAD, 0);
        world.flows.push(flow);
    }
    world
}

fn run(world: &World) -> (f64, f64) {
    let outcome: Outcome = Simulation::new(world, &[], 11).unwrap().run();
    let failed: u64 = outcome.links.failed_collision.iter().sum();
    let attempts: u64 = outcome.links.attempts.iter().sum();
    (outcome.flows.throughput_bps.iter().sum::<f64>() / 1e6, failed as f64 / attempts as f64)
}

/// Throughput in Mbit/s and probability of a collision, given the time that a successful exchange and a collision
/// take, in slots of 20 us; W = 32, m = 5.
fn bianchi(stations: i32, success_us: f64, collision_us: f64) -> (f64, f64) {
    const W: f64 = 32.0;
    let tau = |p: f64| {
        let doubling = p * W * (1.0 - (2.0 * p).powi(5));
        2.0 * (1.0 - 2.0 * p) / ((1.0 - 2.0 * p) * (W + 1.0) + doubling)
    };
    let (mut low, mut high) = (0.0, 0.499_999);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        let implied = 1.0 - (1.0 - tau(middle)).powi(stations - 1);
        if implied > middle {
            low = middle;
        } else {
            high = middle;
        }
    }
    let t = tau(low);
    let idle = (1.0 - t).powi(stations);
    let good = f64::from(stations) * t * (1.0 - t).powi(stations - 1);
    let slot = idle * 20.0 + good * success_us + (1.0 - idle - good) * collision_us;
    (good * 8.0 * f64::from(PAYLOAD) / slot, low)
}

fn check(stations: i32, mac: MacParameters, success_us: f64, collision_us: f64, within: f64) {
    let (throughput, collisions) = run(&saturated(stations as usize, mac));
    let (expected, expected_collisions) = bianchi(stations, success_us, collision_us);
    let error = throughput / expected - 1.0;
    assert!(error.abs() < within, "{stations}: {throughput} for {expected} Mbit/s");
    assert!((collisions - expected_collisions).abs() < 0.015, "{stations}: {collisions} for {expected_collisions}");
}

/// V-B1 and V-B2. Frames that collide begin together, so that nobody decodes a PLCP header and waits EIFS; the model
/// knows none either. It also lets counters run on through busy slots, which costs the real protocol just under 1 %.
#[test]
fn throughput_and_collisions_are_those_of_bianchis_model() {
    for stations in [1, 2, 5, 10, 20] {
        let mac = MacParameters::dot11b();
        check(stations, mac.clone(), 1617.273 + 50.0, 1303.273 + 50.0, 0.025);
        check(stations, mac.with_rts(), 2293.273 + 50.0, 352.0 + 50.0, 0.025);
    }
}

/// Where collisions make stations wait EIFS, each costs the time of the acknowledgement, or CTS, that does not come.
#[test]
fn with_eifs_a_collision_costs_the_response_too() {
    for stations in [5, 20] {
        let mac = MacParameters { eifs: Eifs::Sensed, ..MacParameters::dot11b() };
        check(stations, mac.clone(), 1667.273, 1303.273 + 10.0 + 304.0 + 50.0, 0.025);
        check(stations, mac.with_rts(), 2343.273, 352.0 + 10.0 + 304.0 + 50.0, 0.025);
    }
}
