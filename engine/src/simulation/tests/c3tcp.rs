//! C3TCP in the running world.

use crate::record::Outcome;
use crate::request::{Choice, Request};
use crate::units::{MICROSECOND, MILLISECOND, SECOND};
use crate::world::{Dsdv, FlowSpec, Hearing, LinkSpec, NodeSpec, Range, Routing, Source, World};

/// Nodes 200 m apart, which hear 250 m; a flow from the first to the last.
fn line(nodes: usize, seconds: u64) -> World {
    let nodes: Vec<_> = (0..nodes).map(|index| NodeSpec::at(format!("n{index}"), 200.0 * index as f64, 0.0)).collect();
    let links = nodes.windows(2).map(|pair| LinkSpec::wireless(&pair[0].name, &pair[1].name, 11_000_000)).collect();
    let mut flow = FlowSpec::new("f", nodes.iter().map(|node| node.name.clone()));
    (flow.payload_bytes, flow.transport.receive_window_bytes) = (1000, 20_000);
    let mut world = World::new("line", nodes, links);
    world.hearing = Hearing::Range(Range { sense_m: Some(500.0), corrupt_m: Some(500.0), ..Range::new(250.0) });
    world.flows.push(flow);
    world.duration_ns = seconds * SECOND;
    world
}

fn run(world: &World, settings: serde_json::Value) -> Outcome {
    let choice = Choice { settings, ..Choice::new("c3tcp") };
    Request { world: world.clone(), controllers: vec![choice], seed: 1 }.run().unwrap()
}

/// S001 sec. 4.4: the window that stands in the field holds the source as the lesser window does.
#[test]
fn the_field_holds_the_source_as_the_lesser_window_does() {
    let world = line(3, 20);
    let lesser = run(&world, serde_json::json!({}));
    let field = run(&world, serde_json::json!({"steering": "window_field"}));
    assert_eq!(lesser.conservation.dropped_retry + lesser.conservation.dropped_queue, 0);
    assert_eq!(field.flows, lesser.flows);
    assert_eq!(field.flow_bins.received_packets, lesser.flow_bins.received_packets);
    let free = run(&world, serde_json::json!({"steering": "window_field", "window_scale": 14}));
    assert_ne!(free.flows, lesser.flows, "units of 16 KiB hold no such window");
}

/// S001 sec. 5.1: two packets back to back, two hundred times. The second waits for the transmission of the first, which
/// TCP's round-trip time sees; what the hops add up has only that the acknowledgement of the first contends with it. They
/// are of two flows, as one has no window for a pair where the product is a segment.
#[test]
fn a_pair_raises_the_round_trip_time_of_tcp_and_not_the_delay_of_the_hops() {
    const TIMES: u64 = 200;
    let of_last = |flows: usize| {
        let mut world = line(2, TIMES / 2);
        world.flows[0].source = Source::Scheduled((0..TIMES).map(|turn| (turn * SECOND / 2, 1000)).collect());
        let second = FlowSpec { name: "g".to_owned(), ..world.flows[0].clone() };
        world.flows.push(second);
        world.flows.truncate(flows);
        world.record.bin_ns = SECOND / 2;
        let outcome = run(&world, serde_json::json!({"gain": 1.0}));
        let last = flows - 1;
        assert_eq!(outcome.flows.received_packets[last], TIMES);
        let delays = outcome.flow_bins.rows().filter(|bin| bin.flow as usize == last).map(|bin| bin.path_delay_ns);
        let delay = delays.map(|delay| delay.unwrap() as f64).sum::<f64>() / TIMES as f64;
        (outcome.flows.rtt_mean_ns[last].unwrap() as f64, delay)
    };
    let ((rtt, delay), (rtt_of_second, delay_of_second)) = (of_last(1), of_last(2));
    let mac = line(2, 1).mac;
    let transmission = (mac.data_airtime(1040 + 13, 11_000_000) + mac.sifs_ns + 304 * MICROSECOND) as f64;
    let (by_tcp, by_hops) = (rtt_of_second - rtt, delay_of_second - delay);
    assert!(((by_tcp - by_hops) / transmission - 1.0).abs() < 0.02, "{by_tcp} and {by_hops} for {transmission}");
    assert!(by_hops < transmission, "{by_hops} for {transmission}");
}

/// S001 sec. 4.3: a node learns of its neighbour's support from a bit of that one's routing messages; no frame is dropped to
/// find out.
#[test]
fn routing_messages_tell_who_has_support() {
    let mut world = line(2, 50);
    world.routing = Some(Routing::Dsdv(Dsdv { startup_ns: 2 * SECOND, ..Dsdv::default() }));
    world.record.bin_ns = SECOND;
    // Packets so far apart that no acknowledgement meets the next one.
    let times = (0..900).map(|number| (40 * SECOND + number * 10 * MILLISECOND, 1000));
    world.flows[0].source = Source::Scheduled(times.collect());
    let found = |without: &[u32], told_by_messages: bool| {
        let legacy = serde_json::json!({"without_support": without, "told_by_messages": told_by_messages});
        let outcome = run(&world, serde_json::json!({"legacy": legacy}));
        assert_eq!(outcome.flows.received_packets[0], 900);
        let measured = outcome.flow_bins.rows().any(|bin| bin.path_bandwidth_bps.is_some());
        (outcome.links.attempts[0] - 900, measured)
    };
    assert_eq!(found(&[], true), (0, true));
    assert_eq!(found(&[1], false), (1, false), "the first frame is dropped");
    assert_eq!(found(&[1], true), (0, false));
    assert_eq!(found(&[0], true), (0, false), "the node itself has no support");
}
