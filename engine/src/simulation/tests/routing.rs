//! Routing by DSDV: messages contend, wait and are lost, and packets take the routes that they tell of.

use crate::controller::Mode;
use crate::controllers;
use crate::record::Outcome;
use crate::simulation::Simulation;
use crate::units::{Nanos, MILLISECOND, SECOND};
use crate::world::{
    Dsdv, FlowSpec, Hearing, LinkMedium, LinkSpec, NodeSpec, Outage, QueueSpec, Range, Routing, Source, Waypoint, World,
};

/// Nodes 200 m apart, which hear 250 m; a flow of datagrams from the first to the last.
fn line(nodes: usize, rate_bps: u64, seconds: u64) -> World {
    let name = |index: usize| format!("n{index}");
    let nodes: Vec<_> = (0..nodes).map(|index| NodeSpec::at(name(index), 200.0 * index as f64, 0.0)).collect();
    let links = nodes.windows(2).map(|pair| LinkSpec::wireless(&pair[0].name, &pair[1].name, 11_000_000)).collect();
    let path: Vec<_> = nodes.iter().map(|node| node.name.clone()).collect();
    let mut world = World::new("line", nodes, links);
    world.hearing = Hearing::Range(Range { sense_m: Some(500.0), corrupt_m: Some(500.0), ..Range::new(250.0) });
    let source = Source::Cbr { rate_bps };
    world.flows.push(FlowSpec::new("f", path).with_source(source).unacknowledged());
    world.flows[0].start_ns = 60 * SECOND;
    world.duration_ns = seconds * SECOND;
    world.routing = Some(Routing::Dsdv(Dsdv::default()));
    world
}

fn dsdv(world: &mut World) -> &mut Dsdv {
    let Some(Routing::Dsdv(dsdv)) = &mut world.routing else { unreachable!("as made above") };
    dsdv
}

fn run(world: &World) -> Outcome {
    Simulation::new(world, &[], 1).unwrap().run()
}

/// Of the broadcasts of all nodes: messages sent and their bytes, dropped for want of room.
fn messages(outcome: &Outcome) -> (u64, u64, u64) {
    let broadcasts = outcome.links.rows().filter(|link| link.to == "*");
    broadcasts.fold((0, 0, 0), |sum, link| {
        (sum.0 + link.carried_packets, sum.1 + link.carried_bytes, sum.2 + link.dropped_queue)
    })
}

#[test]
fn packets_take_the_routes_that_messages_told_of() {
    let outcome = run(&line(4, 100_000, 100));
    assert_eq!(outcome.flows.received_packets[0], outcome.flows.sent_packets[0]);
    assert_eq!(outcome.conservation.dropped_route, 0);
    let (sent, bytes, dropped) = messages(&outcome);
    // A full update each 11 to 15 s and node, and what routes of three lengths trigger.
    assert!((28..=80).contains(&sent), "{sent}");
    assert!(bytes >= sent * 32 && bytes <= sent * (20 + 4 * 12), "{bytes}");
    assert_eq!(dropped, 0);
}

#[test]
fn packets_wait_for_a_route_and_the_oldest_make_room() {
    let mut world = line(3, 100_000, 120);
    world.flows[0].start_ns = 0;
    let outcome = run(&world);
    let early: u64 =
        outcome.flow_bins.rows().take_while(|bin| bin.t_ns < 10 * SECOND).map(|bin| bin.received_packets).sum();
    assert_eq!(early, 0, "two hops are told of after twice the settling time");
    assert!(outcome.conservation.dropped_route > 100);
    let lost = outcome.flows.sent_packets[0] - outcome.flows.received_packets[0];
    assert_eq!(outcome.conservation.dropped_route, lost);
}

/// A message takes air and is heard by who is in range: 1 Mbit/s, 192 us of preamble, 28 octets of MAC, 32 of message.
#[test]
fn a_message_takes_its_airtime() {
    let mut world = line(2, 1_000, 3);
    dsdv(&mut world).startup_ns = SECOND;
    world.record.bin_ns = SECOND;
    let outcome = run(&world);
    let broadcast = outcome.links.rows().find(|link| link.from == "n0" && link.to == "*").unwrap();
    assert_eq!((broadcast.carried_packets, broadcast.carried_bytes), (1, 20 + 12));
    let airtime = 192e3 + 8e3 * f64::from(28 + 20 + 12);
    let busy = broadcast.utilisation * 3e9;
    assert!(busy >= airtime && busy <= airtime + 50e3 + 31.0 * 20e3, "{busy} ns for {airtime}");
}

/// With the first and the last node out of one another's hearing and busy, updates meet at the one in the middle.
#[test]
fn load_loses_messages() {
    let lost = |rate_bps: u64| {
        let mut world = line(3, rate_bps, 160);
        world.hearing = Hearing::Range(Range::new(250.0));
        world.flows = [("left", ["n0", "n1"]), ("right", ["n2", "n1"])]
            .map(|(name, path)| FlowSpec::new(name, path).with_source(Source::Cbr { rate_bps }).unacknowledged())
            .to_vec();
        dsdv(&mut world).silent_periods = 1;
        let outcome = run(&world);
        outcome.conservation.dropped_route
    };
    assert_eq!(lost(10_000), 0);
    assert!(lost(4_000_000) > 0, "neighbours are taken for gone whose messages collide");
}

/// A full interface drops the data that came last for a message that goes first.
#[test]
fn messages_go_first_or_wait_behind_the_data() {
    let waits = |messages_first: bool| {
        let mut world = line(2, 8_000_000, 120);
        world.flows[0].start_ns = 0;
        world.nodes[0].interface_queue = Some(QueueSpec::packets(50));
        dsdv(&mut world).messages_first = messages_first;
        let outcome = run(&world);
        let broadcast = outcome.links.rows().find(|link| link.from == "n0" && link.to == "*").unwrap();
        (broadcast.queue_packets_mean * 120e9 / broadcast.carried_packets as f64, broadcast.dropped_queue)
    };
    let ((first_ns, none), (behind_ns, dropped)) = (waits(true), waits(false));
    assert!(first_ns < 3e6, "one exchange at most: {first_ns} ns");
    assert_eq!(none, 0);
    assert!(dropped > 0 || behind_ns > 20e6, "behind fifty packets: {behind_ns} ns, {dropped} dropped");
}

/// Twenty seconds in, the last node moves to the other end: the route is late by a period or more, then follows.
#[test]
fn routes_follow_a_node_that_moves_after_its_next_update() {
    let mut world = line(4, 50_000, 200);
    world.flows[0].path = vec!["n0".into(), "n1".into(), "n2".into(), "n3".into()];
    let mobile = &mut world.nodes[3];
    let at = |at_ns: Nanos, x: f64| Waypoint { at_ns, position_m: [x, 0.0] };
    mobile.waypoints = vec![at(0, 600.0), at(100 * SECOND, 600.0), at(100 * SECOND + MILLISECOND, 100.0)];
    world.links.push(LinkSpec::wireless("n0", "n3", 11_000_000));
    world.links.push(LinkSpec::wireless("n1", "n3", 11_000_000));
    let outcome = run(&world);
    let received = |from: u64, to: u64| -> u64 {
        let bins = outcome.flow_bins.rows().filter(|bin| (from * SECOND..to * SECOND).contains(&bin.t_ns));
        bins.map(|bin| bin.received_packets).sum()
    };
    let whole = received(80, 100);
    assert!(whole > 100);
    assert!(received(100, 120) < whole, "some are sent where the node is no more");
    assert_eq!(received(180, 200), whole, "and then all arrive");
}

#[test]
fn a_node_out_of_service_is_silent_and_forwards_nothing() {
    let mut world = line(3, 50_000, 160);
    let outage = Outage { node: "n1".into(), from_ns: 100 * SECOND, until_ns: 130 * SECOND };
    dsdv(&mut world).outages.push(outage);
    let outcome = run(&world);
    let received = |from: u64, to: u64| -> u64 {
        let bins = outcome.flow_bins.rows().filter(|bin| (from * SECOND..to * SECOND).contains(&bin.t_ns));
        bins.map(|bin| bin.received_packets).sum()
    };
    assert_eq!(received(101, 130), 0);
    assert!(received(131, 160) > 100);
    let sent: u64 = outcome
        .link_bins
        .rows()
        .filter(|bin| bin.link == 4 + 1 && (101 * SECOND..130 * SECOND).contains(&bin.t_ns))
        .map(|bin| bin.attempts)
        .sum();
    assert_eq!(sent, 0);
}

/// An acknowledged flow over a wire and a radio path: the way back ends at the wire's node.
#[test]
fn wires_are_taken_as_declared() {
    let mut world = line(3, 50_000, 320);
    world.nodes.push(NodeSpec::new("host"));
    world.links.push(LinkSpec::wired("host", "n0", 100_000_000, MILLISECOND));
    world.flows[0] = FlowSpec::new("f", ["host", "n0", "n1", "n2"]);
    // Routes of two hops take their time: what is new is not told for longer than it takes to become old.
    world.flows[0].start_ns = 300 * SECOND;
    assert!(matches!(world.links[2].medium, LinkMedium::Wired(_)));
    let controller = controllers::make("new_reno", Mode::Corrected, &serde_json::json!({})).unwrap();
    let outcome = Simulation::new(&world, &[controller], 1).unwrap().run();
    assert!(outcome.flows.throughput_bps[0] > 1e6, "{:?}", outcome.flows.throughput_bps);
}
