//! Controllers with explicit feedback end to end: flows that share a bottleneck, wired and on the air.

use winf_engine::record::Outcome;
use winf_engine::request::{Choice, Request};
use winf_engine::units::{MILLISECOND, SECOND};
use winf_engine::world::{FlowSpec, LinkSpec, NodeSpec, World};

const FLOWS: usize = 4;

#[test]
fn flows_share_a_wire() {
    let goodput = 10e6 * 1000.0 / 1040.0;
    for (name, mode) in [
        ("xcp", "corrected"),
        ("xcp", "paper"),
        ("xcp_b", "corrected"),
        ("xcp_b", "paper"),
        ("xcp_b_nl", "corrected"),
        ("xcp_winf", "corrected"),
        ("rcp", "corrected"),
        ("rcp", "paper"),
        ("rcp_winf", "corrected"),
    ] {
        let found = Shared::run(wire(), name, mode, ("left", "right"));
        assert!(found.jain > 0.99, "{name} {mode}: {found:?}");
        assert!((0.88..=1.01).contains(&(found.total_bps / goodput)), "{name} {mode}: {found:?}");
        assert!(found.queue_packets < 8.0 && found.dropped == 0, "{name} {mode}: {found:?}");
    }
}

#[test]
fn flows_share_the_air() {
    for (name, mode) in [("xcp_b", "paper"), ("xcp_winf", "corrected"), ("rcp_winf", "corrected")] {
        let found = Shared::run(air(), name, mode, ("0", "hub"));
        assert!(found.jain > 0.8, "{name} {mode}: {found:?}");
        assert!(found.total_bps > 2.5e6, "{name} {mode}: {found:?}");
        assert!(found.queue_packets < 6.0, "{name} {mode}: {found:?}");
    }
}

/// ns-2's REF packets: four flows on 100 kbit/s send a packet every third of a second, six times less often than once
/// per round trip.
#[test]
fn slow_rcp_flows_ask_between_their_packets() {
    let beyond_data = |bottleneck_bps| {
        let mut world = wire();
        world.links[1] = LinkSpec::wired("left", "right", bottleneck_bps, 20 * MILLISECOND);
        let request = Request { world, controllers: vec![Choice::new("rcp")], seed: 1 };
        let outcome = request.run().expect("the world can be run");
        assert!(outcome.conservation.holds() && outcome.fault.is_none());
        let data: u64 = outcome.flows.rows().map(|flow| flow.sent_packets).sum();
        outcome.conservation.sent.saturating_sub(2 * data)
    };
    assert_eq!(beyond_data(10_000_000), 0);
    // A REF and its answer per least round trip of 44 ms and two serializations, of each flow for 12 s at most.
    let asked = beyond_data(100_000);
    assert!((500..2 * 4 * 12 * 23).contains(&asked), "{asked}");
}

#[test]
fn the_printed_sender_of_xcp_winf_starves_on_a_long_wire() {
    let found = Shared::run(wire(), "xcp_winf", "paper", ("left", "right"));
    assert!(found.total_bps < 2e6, "{found:?}");
}

#[test]
fn v_y6_jains_index() {
    assert_eq!(jain(&[1.0, 1.0, 1.0, 1.0]), 1.0);
    assert_eq!(jain(&[4.0, 0.0, 0.0, 0.0]), 0.25);
    assert_eq!(jain(&[300.0, 250.0, 250.0, 100.0]), 0.9);
}

/// Four flows through one wire of 10 Mbit/s and 44 ms round trip.
fn wire() -> World {
    let names = ["source", "left", "right", "target"];
    let links = vec![
        LinkSpec::wired("source", "left", 100_000_000, MILLISECOND),
        LinkSpec::wired("left", "right", 10_000_000, 20 * MILLISECOND),
        LinkSpec::wired("right", "target", 100_000_000, MILLISECOND),
    ];
    let mut world = World::new("wire", names.into_iter().map(NodeSpec::new).collect(), links);
    world.duration_ns = 12 * SECOND;
    world.flows = (0..FLOWS).map(|number| FlowSpec::new(number.to_string(), names)).collect();
    world
}

/// Four stations that all hear each other, each with a flow to the hub.
fn air() -> World {
    let stations = || (0..FLOWS).map(|number| number.to_string());
    let nodes = stations().chain(["hub".to_owned()]).map(NodeSpec::new).collect();
    let links = stations().map(|station| LinkSpec::wireless(station, "hub", 11_000_000)).collect();
    let mut world = World::new("air", nodes, links);
    world.duration_ns = 20 * SECOND;
    world.flows = stations().map(|station| FlowSpec::new(station.clone(), [station, "hub".to_owned()])).collect();
    world
}

/// What became of the flows once they had settled.
#[derive(Debug)]
struct Shared {
    jain: f64,
    total_bps: f64,
    queue_packets: f64,
    dropped: u64,
}

impl Shared {
    fn run(world: World, name: &str, mode: &str, bottleneck: (&str, &str)) -> Self {
        let choice = Choice { mode: Some(mode.to_owned()), ..Choice::new(name) };
        let outcome = Request { world, controllers: vec![choice], seed: 1 }.run().expect("the world can be run");
        assert!(outcome.conservation.holds() && outcome.fault.is_none());
        let rates: Vec<f64> = (0..FLOWS).map(|flow| settled(&outcome.flow_bins.throughput_bps, FLOWS, flow)).collect();
        let link = link(&outcome, bottleneck);
        Self {
            jain: jain(&rates),
            total_bps: rates.iter().sum(),
            queue_packets: settled(&outcome.link_bins.queue_packets_mean, outcome.links.len(), link),
            dropped: settled_drops(&outcome, link),
        }
    }
}

/// Jain's fairness index, S004 eq. (6).
fn jain(rates: &[f64]) -> f64 {
    let squares: f64 = rates.iter().map(|rate| rate * rate).sum();
    rates.iter().sum::<f64>().powi(2) / (rates.len() as f64 * squares)
}

fn link(outcome: &Outcome, (from, to): (&str, &str)) -> usize {
    outcome.links.rows().position(|link| link.from == from && link.to == to).expect("the link exists")
}

/// Mean over the second half of the run.
fn settled(column: &[f64], rows: usize, row: usize) -> f64 {
    let values: Vec<f64> = second_half(column, rows, row).copied().collect();
    values.iter().sum::<f64>() / values.len() as f64
}

fn settled_drops(outcome: &Outcome, link: usize) -> u64 {
    second_half(&outcome.link_bins.dropped_queue, outcome.links.len(), link).sum()
}

fn second_half<T>(column: &[T], rows: usize, row: usize) -> impl Iterator<Item = &T> {
    column.iter().skip(row).step_by(rows).skip(column.len() / rows / 2)
}
