//! How fast the engine is: Stack (S003) for 60 s, three NewReno flows, 512-byte packets, RTS and CTS.
//!
//! `cargo run --release -p winf-engine --example speed [SECONDS] [CONTROLLER]`

use std::time::Instant;

use winf_engine::request::{Choice, Request};
use winf_engine::units::SECOND;
use winf_engine::world::{FlowSpec, Graph, Hearing, LinkSpec, NodeSpec, QueueSpec, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let seconds: u64 = arguments.next().map_or(Ok(60), |text| text.parse())?;
    let controller = arguments.next().unwrap_or_else(|| "new_reno".to_owned());
    let mut world = stack();
    world.duration_ns = seconds * SECOND;
    let request = Request { world, controllers: vec![Choice::new(controller)], seed: 1 };

    let start = Instant::now();
    let outcome = request.run()?;
    let elapsed = start.elapsed().as_secs_f64();

    for flow in outcome.flows.rows() {
        println!("{}: {:.1} kbit/s", flow.name, flow.throughput_bps / 1e3);
    }
    let hops: u64 = outcome.links.carried_packets.iter().sum();
    let attempts: u64 = outcome.links.attempts.iter().sum();
    println!("{seconds} s in {elapsed:.3} s: {:.0} times real time", seconds as f64 / elapsed);
    let per_second = |events: u64| events as f64 / elapsed / 1e6;
    println!("{:.2} million packet events per second", per_second(outcome.packet_events));
    println!("{:.2} million events of the loop per second", per_second(outcome.loop_events));
    println!("{} steps of packets", outcome.packet_events);
    println!("{hops} packets carried over a hop in {attempts} attempts");
    Ok(())
}

/// Three rows of three nodes; a flow along each; only vertical neighbours of neighbouring rows hear each other.
fn stack() -> World {
    let name = |number: usize| number.to_string();
    let nodes = (1..=9).map(|number| NodeSpec::new(name(number))).collect();
    let mut links = Vec::new();
    let mut decodes = Vec::new();
    for number in 1..=9 {
        if number % 3 != 0 {
            links.push(
                LinkSpec::wireless(name(number), name(number + 1), 11_000_000).with_queue(QueueSpec::packets(64)),
            );
            decodes.push((name(number), name(number + 1)));
        }
        if number <= 6 {
            decodes.push((name(number), name(number + 3)));
        }
    }
    let mut world = World::new("stack", nodes, links);
    world.mac = world.mac.with_rts();
    world.hearing = Hearing::Graph(Graph { decodes, symmetric: true, ..Graph::default() });
    for first in [1, 4, 7] {
        let mut flow = FlowSpec::new(format!("{first}-{}", first + 2), [name(first), name(first + 1), name(first + 2)]);
        flow.payload_bytes = 512;
        world.flows.push(flow);
    }
    world
}
