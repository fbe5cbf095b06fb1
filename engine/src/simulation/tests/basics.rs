//! Worlds small enough to be reckoned by hand.

use crate::record::{Outcome, Step};
use crate::request::{Choice, Request};
use crate::simulation::Simulation;
use crate::units::{MICROSECOND, MILLISECOND, SECOND};
use crate::world::{
    Access, Background, Change, ChangeKind, FlowSpec, FqCodelSpec, Graph, Hearing, LinkChange, LinkSpec, NodeSpec,
    QueueSpec, Range, Reroute, Source, Waypoint, World,
};

fn pair(link: LinkSpec, rate_bps: u64, payload: u32) -> World {
    let nodes = vec![NodeSpec::new("a"), NodeSpec::new("b")];
    let mut world = World::new("pair", nodes, vec![link]);
    world.flows.push(datagrams("f", &["a", "b"], rate_bps, payload));
    world.duration_ns = 10 * SECOND;
    world
}

fn datagrams(name: &str, path: &[&str], rate_bps: u64, payload: u32) -> FlowSpec {
    let mut flow = FlowSpec::new(name, path.iter().copied()).with_source(Source::Cbr { rate_bps }).unacknowledged();
    (flow.payload_bytes, flow.header_bytes) = (payload, 0);
    flow
}

fn run(world: &World) -> Outcome {
    Simulation::new(world, &[], 3).unwrap().run()
}

/// V-T2: a saturated sender alone gets the theoretical maximum throughput, and measures it.
#[test]
fn one_saturated_link_carries_the_theoretical_maximum() {
    for (payload, rts, expected) in [(1500, false, 6.068_966e6), (1500, true, 4.522_716e6), (512, false, 3.2541e6)] {
        let mut world = pair(LinkSpec::wireless("a", "b", 11_000_000), 8_000_000, payload);
        world.duration_ns = 100 * SECOND;
        if rts {
            world.mac = world.mac.with_rts();
        }
        let outcome = run(&world);
        let throughput = outcome.flows.throughput_bps[0];
        assert!((throughput / expected - 1.0).abs() < 0.003, "{payload} {rts}: {throughput} for {expected}");
        // Rows of the link from a to b are every second one.
        let bins: Vec<_> = outcome.link_bins.rows().filter(|bin| bin.link == 0).collect();
        let times: f64 = bins.iter().filter_map(|bin| bin.capacity_bps).map(f64::recip).sum();
        let capacity = bins.len() as f64 / times;
        assert!((capacity / expected - 1.0).abs() < 0.01, "{capacity} for {expected}");
        assert!(bins.iter().skip(20).all(|bin| bin.available_bps < Some(0.02 * expected)));
    }
}

/// Three datagrams a second apart, the last shorter, of which a lossy second loses the middle one: each that arrives
/// counts with its own size.
#[test]
fn datagrams_of_different_sizes_count_with_their_own() {
    let mut world = pair(LinkSpec::wireless("a", "b", 11_000_000), 1000, 125);
    (world.flows[0].source, world.flows[0].ack_bytes) = (Source::Bytes(280), 40);
    let lossy = |loss| LinkChange { from: "a".into(), to: "b".into(), loss: Some(loss), ..LinkChange::default() };
    world.changes = [(500, 1.0), (1500, 0.0)]
        .map(|(at_ms, loss)| Change { at_ns: at_ms * MILLISECOND, change: ChangeKind::Link(lossy(loss)) })
        .to_vec();
    let paced = Choice { settings: serde_json::json!({"rate_bps": 1000.0}), ..Choice::new("cbr") };
    let outcome = Request { world, controllers: vec![paced], seed: 1 }.run().unwrap();
    assert_eq!((outcome.flows.received_packets[0], outcome.flows.delivered_bytes[0]), (2, 155));
}

/// V-W9, corrected: what 100 exchanges of 1500 bytes a second leave, with RTS and CTS.
#[test]
fn available_bandwidth_is_capacity_less_the_load() {
    let mut world = pair(LinkSpec::wireless("a", "b", 11_000_000), 1_200_000, 1500);
    world.mac = world.mac.with_rts();
    world.duration_ns = 100 * SECOND;
    let bins: Vec<_> = run(&world).link_bins.rows().filter(|bin| bin.link == 0).skip(20).collect();
    let available = bins.iter().filter_map(|bin| bin.available_bps).sum::<f64>() / bins.len() as f64;
    assert!((available / 3_322_716.0 - 1.0).abs() < 0.02, "{available}");
}

/// 1500 bytes at 10 Mbit/s take 1.2 ms, then 5 ms of propagation; ten packets fit behind the one on the wire.
#[test]
fn a_wire_serializes_delays_and_drops() {
    let link = LinkSpec::wired("a", "b", 10_000_000, 5 * MILLISECOND).with_queue(QueueSpec::packets(10));
    let outcome = run(&pair(link.clone(), 1_000_000, 1500));
    assert_eq!(outcome.flows.delay_mean_ns, [Some(6_200 * MICROSECOND)]);
    assert_eq!(outcome.flows.lost_queue, [0]);

    let outcome = run(&pair(link, 20_000_000, 1500));
    assert_eq!(outcome.links.queue_packets_max[0], 10);
    assert!((outcome.flows.throughput_bps[0] / 10e6 - 1.0).abs() < 0.001);
    assert!(outcome.flows.lost_queue[0] > 8000);
    assert!((outcome.links.utilisation[0] - 1.0).abs() < 0.001);
    // The eleventh packet waits for ten before it and for the rest of the one on the wire.
    let full = outcome.flows.delay_p95_ns[0].unwrap();
    assert!((17_600 * MICROSECOND..18_500 * MICROSECOND).contains(&full), "{full}");
}

#[test]
fn a_full_queue_of_bytes_drops_too() {
    let queue = QueueSpec { packets: None, bytes: Some(4000), ..QueueSpec::default() };
    let outcome = run(&pair(LinkSpec::wired("a", "b", 1_000_000, 0).with_queue(queue), 5_000_000, 1500));
    assert_eq!(outcome.links.queue_packets_max[0], 2);
}

/// A queue of 50 would hold packets for 60 ms. With a lifetime of 6 ms none waits longer, which leaves five or six, and
/// the link is as busy as before: what is dropped is what came first.
#[test]
fn packets_that_have_waited_too_long_are_dropped() {
    let lifetime = |lifetime_ns| QueueSpec { lifetime_ns, ..QueueSpec::packets(50) };
    let queue = lifetime(Some(6 * MILLISECOND));
    let outcome = run(&pair(LinkSpec::wired("a", "b", 10_000_000, 0).with_queue(queue), 20_000_000, 1500));
    assert!((outcome.flows.throughput_bps[0] / 10e6 - 1.0).abs() < 0.001);
    let longest = outcome.flows.delay_p95_ns[0].unwrap();
    assert!((6 * MILLISECOND..=7_200 * MICROSECOND).contains(&longest), "{longest}");
    assert!(outcome.links.queue_packets_max[0] <= 11, "{:?}", outcome.links.queue_packets_max);
    assert_eq!(outcome.links.dropped_queue[0], outcome.flows.lost_queue[0]);

    // The same at an interface, whose lifetime holds for its radio's links, and not for its wires.
    let delay = |link: LinkSpec, own, shared| {
        let mut world = pair(link.with_queue(lifetime(own)), 20_000_000, 1500);
        world.nodes[0].interface_queue = Some(lifetime(shared));
        run(&world).flows.delay_p95_ns[0].unwrap()
    };
    let (wire, radio) = (LinkSpec::wired("a", "b", 10_000_000, 0), LinkSpec::wireless("a", "b", 11_000_000));
    let (short, long) = (Some(6 * MILLISECOND), Some(12 * MILLISECOND));
    assert!(delay(wire, None, short) > 50 * MILLISECOND);
    assert!(delay(radio.clone(), None, None) > 50 * MILLISECOND);
    for (own, shared) in [(None, short), (short, None), (short, long), (long, short)] {
        assert!((6 * MILLISECOND..10 * MILLISECOND).contains(&delay(radio.clone(), own, shared)));
    }
}

/// Slow start overshoots: an interface that has room for 20 packets drops a part of the window that it cannot hold; what
/// waits above it has one packet dropped at a time, and none expires there.
#[test]
fn what_an_interface_has_no_room_for_waits_above_it() {
    let outcome = |discipline, lifetime_ns| {
        let mut world = pair(LinkSpec::wireless("a", "b", 11_000_000).with_queue(QueueSpec::packets(100)), 1, 1);
        world.flows = vec![FlowSpec::new("f", ["a", "b"])];
        world.nodes[0].interface_queue = Some(QueueSpec { lifetime_ns, ..QueueSpec::packets(20) });
        world.nodes[0].fq_codel = discipline;
        world.duration_ns = 20 * SECOND;
        Request { world, controllers: vec![Choice::new("new_reno")], seed: 1 }.run().unwrap()
    };
    let (without, above) = (outcome(None, None), outcome(Some(FqCodelSpec::default()), None));
    assert!(above.flows.throughput_bps[0] > 0.99 * without.flows.throughput_bps[0]);
    assert_eq!((above.links.queue_packets_max[0], without.links.queue_packets_max[0]), (20, 20));
    let (most, least) = (without.flows.lost_queue[0], above.flows.lost_queue[0]);
    assert!(least > 0 && 2 * least < most, "{least} of {most}");
    let delay = |outcome: &Outcome| outcome.flows.delay_p95_ns[0].unwrap();
    assert!(delay(&above) > delay(&without) + 5 * MILLISECOND, "{} and {}", delay(&above), delay(&without));
    // Twenty packets take some 40 ms to leave: a lifetime begins when a packet leaves the discipline.
    let (rtt, lifetime) = (above.flows.rtt_p95_ns[0].unwrap(), 75 * MILLISECOND);
    assert!(rtt > lifetime + 10 * MILLISECOND, "{rtt}");
    assert_eq!(outcome(Some(FqCodelSpec::default()), Some(lifetime)).flows.lost_queue, above.flows.lost_queue);
}

#[test]
fn queues_mark_rather_than_drop() {
    let queue = QueueSpec { mark_from_packets: Some(5), ..QueueSpec::packets(50) };
    let mut world = pair(LinkSpec::wired("a", "b", 10_000_000, 5 * MILLISECOND).with_queue(queue), 1, 1);
    let mut flow = FlowSpec::new("f", ["a", "b"]);
    flow.transport.ecn = true;
    world.flows = vec![flow];
    let mut request = Request { world, controllers: vec![Choice::new("new_reno")], seed: 1 };
    let marking = request.run().unwrap();
    assert_eq!(marking.flows.lost_queue, [0]);
    assert!(marking.links.queue_packets_max[0] < 40);
    request.world.flows[0].transport.ecn = false;
    assert!(request.run().unwrap().flows.lost_queue[0] > 0);
}

/// The channel loses every second data frame: a packet is given up after the seventh attempt.
#[test]
fn lost_frames_are_sent_again_until_the_retry_limit() {
    let mut link = LinkSpec::wireless("a", "b", 11_000_000);
    if let crate::world::LinkMedium::Wireless(wireless) = &mut link.medium {
        wireless.loss = 0.5;
    }
    let mut world = pair(link, 1_000_000, 1000);
    world.duration_ns = 100 * SECOND;
    let outcome = run(&world);
    let failed = outcome.links.failed_channel[0] as f64 / outcome.links.attempts[0] as f64;
    assert!((failed - 0.5).abs() < 0.01, "{failed}");
    assert_eq!(outcome.links.failed_collision[0], 0);
    let given_up = outcome.flows.lost_channel[0] as f64 / outcome.flows.sent_packets[0] as f64;
    assert!((given_up - 0.5_f64.powi(7)).abs() < 0.003, "{given_up}");
}

/// A packet every 100 ms; that of 1 s is given up, and the route takes 250 ms. From the break on, those of 1.1 and
/// 1.2 s find none. Where what begins at the node waits, they go when the first of them has a route; what comes from
/// elsewhere is dropped until then.
#[test]
fn packets_wait_for_a_route_where_they_begin() {
    let lost = |path: &[&str], broken: usize, holds| {
        let links = vec![LinkSpec::wireless("a", "b", 11_000_000), LinkSpec::wireless("b", "c", 11_000_000)];
        let mut world = World::new("breaks", ["a", "b", "c"].map(NodeSpec::new).to_vec(), links);
        world.flows.push(datagrams("f", path, 80_000, 1000));
        world.duration_ns = 3 * SECOND;
        (world.route_repair_ns, world.route_repair_holds) = (Some(250 * MILLISECOND), holds);
        let (from, to) = (path[broken].to_owned(), path[broken + 1].to_owned());
        let lossy = |loss| LinkChange { from: from.clone(), to: to.clone(), loss: Some(loss), ..LinkChange::default() };
        world.changes = [(950, 1.0), (1099, 0.0)]
            .map(|(at_ms, loss)| Change { at_ns: at_ms * MILLISECOND, change: ChangeKind::Link(lossy(loss)) })
            .to_vec();
        let outcome = run(&world);
        assert_eq!(outcome.flows.lost_channel, [1]);
        (outcome.flows.lost_route[0], outcome.flows.delay_p95_ns[0].unwrap() > 100 * MILLISECOND)
    };
    assert_eq!(lost(&["a", "b"], 0, false), (2, false));
    assert_eq!(lost(&["a", "b"], 0, true), (0, true));
    assert_eq!(lost(&["a", "b", "c"], 0, true), (0, true));
    assert_eq!(lost(&["a", "b", "c"], 1, true), (3, false));
}

/// A packet that finds the medium idle goes at once; under ns-2's rule it waits for DIFS and a backoff.
#[test]
fn an_idle_medium_is_taken_at_once() {
    let mut world = pair(LinkSpec::wireless("a", "b", 11_000_000), 80_000, 1000);
    world.duration_ns = 100 * SECOND;
    world.flows[0].start_ns = SECOND;
    let airtime = world.mac.data_airtime(1000, 11_000_000);
    assert_eq!(run(&world).flows.delay_mean_ns, [Some(airtime)]);
    world.mac.access = Access::AlwaysBackOff;
    let delay = run(&world).flows.delay_mean_ns[0].unwrap();
    let expected = airtime + world.mac.difs_ns + world.mac.mean_backoff();
    assert!(delay.abs_diff(expected) < 20 * MICROSECOND, "{delay} for {expected}");
}

#[test]
fn background_takes_its_share_of_the_medium() {
    let mut world = pair(LinkSpec::wireless("a", "b", 11_000_000), 8_000_000, 1500);
    let free = run(&world).flows.throughput_bps[0];
    let busy_ns =
        (0..1000).map(|index| (index * 10 * MILLISECOND, index * 10 * MILLISECOND + 5 * MILLISECOND)).collect();
    world.background.push(Background { node: "a".to_owned(), busy_ns, corrupts: false });
    // Half of the time, and what was on the air when a busy interval began.
    let shared = run(&world).flows.throughput_bps[0];
    assert!((0.5..0.65).contains(&(shared / free)), "{shared} of {free}");
}

#[test]
fn background_may_corrupt_what_is_received() {
    let mut world = pair(LinkSpec::wireless("a", "b", 11_000_000), 1_000_000, 1500);
    let busy_ns =
        (0..1000).map(|index| (index * 10 * MILLISECOND, index * 10 * MILLISECOND + 5 * MILLISECOND)).collect();
    world.background.push(Background { node: "b".to_owned(), busy_ns, corrupts: true });
    let outcome = run(&world);
    let failed = outcome.links.failed_collision[0] as f64 / outcome.links.attempts[0] as f64;
    assert!((0.4..0.9).contains(&failed), "{failed}");
}

/// b walks away from a and comes back.
#[test]
fn links_break_where_nodes_go_out_of_range() {
    let mut world = pair(LinkSpec::wireless("a", "b", 11_000_000), 100_000, 1000);
    world.nodes = vec![NodeSpec::at("a", 0.0, 0.0), NodeSpec::at("b", 100.0, 0.0)];
    let at = |seconds: u64, x: f64| Waypoint { at_ns: seconds * SECOND, position_m: [x, 0.0] };
    world.nodes[1].waypoints = vec![at(2, 100.0), at(4, 400.0), at(6, 400.0), at(8, 100.0)];
    world.hearing = Hearing::Range(Range::new(250.0));
    let received = |outcome: &Outcome, from: u64, to: u64| -> u64 {
        let bins = outcome.flow_bins.rows().filter(|bin| (from * SECOND..to * SECOND).contains(&bin.t_ns));
        bins.map(|bin| bin.received_packets).sum()
    };
    let outcome = run(&world);
    // 12.5 packets a second.
    assert_eq!(received(&outcome, 4, 6), 0);
    assert!(received(&outcome, 0, 3) >= 36 && received(&outcome, 8, 10) >= 24);
    assert!(outcome.flows.lost_retry[0] > 30);
}

#[test]
fn a_flow_takes_its_new_route() {
    let nodes = ["a", "b", "c", "d"].map(NodeSpec::new).to_vec();
    let links =
        [("a", "b"), ("b", "d"), ("a", "c"), ("c", "d")].map(|(from, to)| LinkSpec::wired(from, to, 1_000_000, 0));
    let mut world = World::new("two ways", nodes, links.to_vec());
    world.duration_ns = 2 * SECOND;
    let mut flow = datagrams("f", &["a", "b", "d"], 80_000, 1000);
    let path = ["a", "c", "d"].map(str::to_owned).to_vec();
    flow.reroutes.push(Reroute { at_ns: SECOND, path, reverse_path: None });
    world.flows.push(flow);
    let outcome = run(&world);
    let carried = |from: &str, to: &str| {
        let link = outcome.links.rows().find(|link| link.from == from && link.to == to);
        link.map_or(0, |link| link.carried_packets)
    };
    assert_eq!((carried("a", "b"), carried("a", "c")), (10, 10));
}

#[test]
fn a_link_changes_its_rate_on_the_way() {
    let mut world = pair(LinkSpec::wired("a", "b", 1_000_000, 0), 5_000_000, 1000);
    let link =
        LinkChange { from: "a".to_owned(), to: "b".to_owned(), rate_bps: Some(3_000_000), ..LinkChange::default() };
    world.changes.push(Change { at_ns: 5 * SECOND, change: ChangeKind::Link(link) });
    let throughput = run(&world).flows.throughput_bps[0];
    assert!((throughput / 2e6 - 1.0).abs() < 0.01, "{throughput}");
}

/// Two senders hidden from each other; where the nearer is 20 dB stronger, its frames survive.
#[test]
fn a_stronger_sender_captures_the_receiver() {
    let nodes = ["far", "sink", "near"].map(NodeSpec::new).to_vec();
    let links = ["far", "near"].map(|from| LinkSpec::wireless(from, "sink", 11_000_000)).to_vec();
    let mut world = World::new("capture", nodes, links);
    world.flows = vec![
        datagrams("far", &["far", "sink"], 3_000_000, 1500),
        datagrams("near", &["near", "sink"], 3_000_000, 1500),
    ];
    world.duration_ns = 10 * SECOND;
    let decodes = ["far", "near"].map(|from| (from.to_owned(), "sink".to_owned())).to_vec();
    let mut graph = Graph { decodes, symmetric: true, ..Graph::default() };
    world.hearing = Hearing::Graph(graph.clone());
    let without = run(&world).flows.throughput_bps;
    graph.capture_db = Some(10.0);
    graph.powers = [("far", -80.0), ("near", -60.0)]
        .map(|(from, dbm)| crate::world::ReceivedPower { from: from.to_owned(), to: "sink".to_owned(), dbm })
        .to_vec();
    world.hearing = Hearing::Graph(graph);
    let with = run(&world).flows.throughput_bps;
    assert!(with[1] > 2.9e6 && with[1] > 1.5 * without[1], "{with:?}, {without:?}");
    assert!(with[0] < with[1] / 2.0);
}

#[test]
fn steps_tell_the_story_of_a_packet() {
    let mut world = pair(LinkSpec::wireless("a", "b", 11_000_000), 8_000, 1000);
    world.duration_ns = SECOND;
    world.record.events = true;
    let steps: Vec<_> = run(&world).events.rows().map(|row| (row.step, row.node)).collect();
    let expected = [
        (Step::Sent, 0),
        (Step::Enqueued, 0),
        (Step::Dequeued, 0),
        (Step::Attempt, 0),
        (Step::Forwarded, 0),
        (Step::Delivered, 1),
    ];
    assert_eq!(steps, expected);
}

/// Without a handshake every packet is data or an acknowledgement, and every segment that arrives is answered.
#[test]
fn acknowledgements_are_counted_where_they_are_sent() {
    let mut world = pair(LinkSpec::wireless("a", "b", 11_000_000).with_queue(QueueSpec::packets(5)), 1_000_000, 1000);
    world.flows = vec![FlowSpec::new("f", ["a", "b"])];
    let lossy = LinkChange { from: "a".into(), to: "b".into(), loss: Some(0.6), ..LinkChange::default() };
    world.changes.push(Change { at_ns: SECOND, change: ChangeKind::Link(lossy) });
    let outcome = Request { world, controllers: vec![Choice::new("new_reno")], seed: 1 }.run().unwrap();
    let acks: u64 = outcome.flow_bins.sent_acks.iter().sum();
    assert_eq!(acks, outcome.flows.received_packets[0]);
    assert!(outcome.flow_bins.received_acks.iter().sum::<u64>() <= acks);
    assert_eq!(outcome.flows.sent_packets[0] + acks, outcome.conservation.sent);
    assert!(outcome.conservation.dropped_channel > 0);
}

#[test]
fn a_finite_flow_completes() {
    let mut world = pair(LinkSpec::wireless("a", "b", 11_000_000), 1, 1);
    world.flows = vec![FlowSpec::new("f", ["a", "b"]).with_source(Source::Bytes(100_500)).between(SECOND, 10 * SECOND)];
    let outcome = Request { world, controllers: vec![Choice::new("new_reno")], seed: 1 }.run().unwrap();
    assert_eq!(outcome.flows.delivered_bytes, [100_500]);
    let completion = outcome.flows.completion_ns[0].unwrap();
    assert!((200 * MILLISECOND..SECOND).contains(&completion), "{completion}");
}

/// Two senders, 200 m from the node between them, hidden from each other. Where 1 Mbit/s withstands a frame that is as
/// strong, the first of two RTS that overlap is answered, and the other sender misses the answer: fewer RTS fail, and
/// more data frames.
#[test]
fn spread_control_frames_survive_equals() {
    let nodes = vec![NodeSpec::at("a", 0.0, 0.0), NodeSpec::at("b", 200.0, 0.0), NodeSpec::at("c", 400.0, 0.0)];
    let links = ["a", "c"].map(|from| LinkSpec::wireless(from, "b", 11_000_000)).to_vec();
    let mut world = World::new("hidden", nodes, links);
    world.flows = ["a", "c"].map(|from| datagrams(from, &[from, "b"], 3_000_000, 1000)).to_vec();
    world.hearing = Hearing::Range(Range { capture_db: Some(10.0), ..Range::new(250.0) });
    world.mac = world.mac.with_rts();
    world.record.events = true;
    let failures = |world: &World| {
        let outcome = run(world);
        let failed: u64 = outcome.links.failed_collision.iter().sum();
        let data = outcome.events.step.iter().filter(|&&step| step == Step::Attempt).count() as u64;
        let carried: u64 = outcome.links.carried_packets.iter().sum();
        (failed - (data - carried), data - carried)
    };
    let (rts, data) = failures(&world);
    world.mac.control_capture_db = Some(-10.0);
    let (fewer_rts, more_data) = failures(&world);
    assert!(fewer_rts < rts && more_data > 3 * data, "{rts} and {data}, then {fewer_rts} and {more_data}");
}

/// The same without RTS: of two data frames at 1 Mbit/s that overlap the first arrives, at 2 Mbit/s neither.
#[test]
fn spread_data_frames_survive_equals() {
    let nodes = vec![NodeSpec::at("a", 0.0, 0.0), NodeSpec::at("b", 200.0, 0.0), NodeSpec::at("c", 400.0, 0.0)];
    let carried = |rate, control_capture_db| {
        let links = ["a", "c"].map(|from| LinkSpec::wireless(from, "b", rate)).to_vec();
        let mut world = World::new("hidden", nodes.clone(), links);
        world.flows = ["a", "c"].map(|from| datagrams(from, &[from, "b"], 1_000_000, 500)).to_vec();
        world.hearing = Hearing::Range(Range { capture_db: Some(10.0), ..Range::new(250.0) });
        world.mac.control_rate_bps = 1_000_000;
        world.mac.control_capture_db = control_capture_db;
        run(&world).links.carried_packets.iter().sum::<u64>()
    };
    assert!(carried(1_000_000, Some(0.0)) > 2 * carried(1_000_000, None));
    assert!(carried(2_000_000, Some(0.0)) < 2 * carried(2_000_000, None));
}

/// Hidden stations that send frames of 1.8 ms: few packets are given up where an overlap of most of a frame is survived.
#[test]
fn overlaps_may_be_survived() {
    let nodes = vec![NodeSpec::at("a", 0.0, 0.0), NodeSpec::at("b", 200.0, 0.0), NodeSpec::at("c", 400.0, 0.0)];
    let links = ["a", "c"].map(|from| LinkSpec::wireless(from, "b", 5_500_000)).to_vec();
    let mut world = World::new("hidden", nodes, links);
    world.flows = ["a", "c"].map(|from| datagrams(from, &[from, "b"], 1_000_000, 1000)).to_vec();
    world.hearing = Hearing::Range(Range { capture_db: Some(10.0), ..Range::new(250.0) });
    let dropped = [0, 1_500_000].map(|span| {
        world.mac.survived_overlap_ns = span;
        run(&world).links.dropped_retry.iter().sum::<u64>()
    });
    assert!(3 * dropped[1] < dropped[0], "{dropped:?}");
}

/// What others send at given instants takes its part of the medium, and no row of the results but the link's.
#[test]
fn flows_of_the_background_contend_and_are_not_reported() {
    let packets: Vec<_> = (0..2000).map(|n| (n * 5 * MILLISECOND, 1500)).collect();
    let mut world = World::new(
        "others",
        ["a", "b", "c", "d"].map(NodeSpec::new).to_vec(),
        vec![LinkSpec::wireless("a", "b", 11_000_000), LinkSpec::wireless("c", "d", 11_000_000)],
    );
    world.duration_ns = 10 * SECOND;
    world.flows.push(datagrams("f", &["a", "b"], 8_000_000, 1500));
    let alone = run(&world).flows.throughput_bps[0];
    let mut others = datagrams("others", &["c", "d"], 0, 1500).with_source(Source::Scheduled(packets));
    others.background = true;
    world.flows.push(others.clone());

    let outcome = run(&world);
    assert_eq!(outcome.flows.name, ["f"]);
    assert!(outcome.conservation.holds());
    assert!(outcome.links.carried_packets[2] >= 1999, "{:?}", outcome.links);
    // Each of its packets takes a fifth and more of its 5 ms: 1.6 ms with the backoffs of both, less what they share.
    let share = outcome.flows.throughput_bps[0] / alone;
    assert!((0.60..0.75).contains(&share), "{share}");

    world.flows = vec![others, datagrams("f", &["a", "b"], 8_000_000, 1500)];
    assert!(Simulation::new(&world, &[], 1).is_err(), "the background comes last");
}

/// Without acknowledgements nothing opens a window: such a world was silent for its whole run.
#[test]
fn a_source_that_nothing_drives_is_an_error() {
    let mut world = pair(LinkSpec::wireless("a", "b", 11_000_000), 100_000, 1000);
    world.flows[0].source = Source::Cbr { rate_bps: 100_000 };
    for source in [Source::Greedy, Source::Bytes(50_000)] {
        let mut silent = datagrams("silent", &["a", "b"], 1, 1000);
        silent.source = source;
        let world = World { flows: vec![world.flows[0].clone(), silent], ..world.clone() };
        for name in ["new_reno", "xcp", "rcp"] {
            let request = Request { world: world.clone(), controllers: vec![Choice::new(name)], seed: 1 };
            let text = request.run().unwrap_err().to_string();
            assert!(text.contains("flow \"silent\": ack_bytes is 0"), "{name}: {text}");
        }
        assert!(Simulation::new(&world, &[], 1).is_err());
    }
}

/// A run's controller that makes datagrams needs no acknowledgements.
#[test]
fn datagrams_of_a_controller_leave_without_acknowledgements() {
    for (source, delivered_bytes) in [(Source::Greedy, 80_000..=81_000), (Source::Bytes(5_000), 5_000..=5_000)] {
        let mut world = pair(LinkSpec::wireless("a", "b", 11_000_000), 100_000, 1000);
        world.flows[0].source = source;
        let request = Request { world, controllers: vec![Choice::new("cbr")], seed: 1 };
        let outcome = request.run().unwrap();
        let delivered = outcome.flows.delivered_bytes[0];
        assert!(delivered_bytes.contains(&delivered), "{delivered} bytes in 10 s of 64 kbit/s");
    }
}

/// What has times of its own stays as it is declared, whatever controller runs.
#[test]
fn declared_datagrams_keep_their_rate_under_another_source_s_controller() {
    let world = pair(LinkSpec::wireless("a", "b", 11_000_000), 200_000, 1000);
    let request = Request { world, controllers: vec![Choice::new("cbr")], seed: 1 };
    let delivered = request.run().unwrap().flows.delivered_bytes[0];
    assert!((249_000..=251_000).contains(&delivered), "{delivered}");
}
