//! A-MPDUs: what they carry, in which order, and what they lose.

use crate::record::{Outcome, Step};
use crate::simulation::Simulation;
use crate::units::{Nanos, MICROSECOND, MILLISECOND, SECOND};
use crate::world::{
    Aggregation, FlowSpec, Graph, Hearing, LinkMedium, LinkSpec, MacParameters, NodeSpec, QueueSpec, Source, World,
};

const RATE_BPS: u64 = 65_000_000;
const PAYLOAD: u32 = 1470;

/// HT at 2.4 GHz: QoS data of 30 octets of header and FCS.
fn mac(aggregation: Option<Aggregation>) -> MacParameters {
    MacParameters { aggregation, mac_header_bytes: 30, ..MacParameters::dot11g() }
}

/// `senders` send as fast as they can to one sink, all over links that lose this share of packets.
fn saturated(senders: usize, loss: f64, mac: MacParameters) -> World {
    let name = |index: usize| format!("s{index}");
    let mut nodes = vec![NodeSpec::new("sink")];
    nodes.extend((0..senders).map(|index| NodeSpec::new(name(index))));
    let links = (0..senders).map(|index| {
        // Packets in service take room in the queue: it holds more than an A-MPDU beside them.
        let mut link = LinkSpec::wireless(name(index), "sink", RATE_BPS).with_queue(QueueSpec::packets(200));
        if let LinkMedium::Wireless(wireless) = &mut link.medium {
            wireless.loss = loss;
        }
        link
    });
    let mut world = World::new("saturated", nodes, links.collect());
    world.mac = mac;
    world.duration_ns = 5 * SECOND;
    for index in 0..senders {
        let source = Source::Cbr { rate_bps: RATE_BPS };
        let path = [name(index), "sink".to_owned()];
        let mut flow = FlowSpec::new(name(index), path).with_source(source).unacknowledged();
        (flow.payload_bytes, flow.header_bytes) = (PAYLOAD, 0);
        world.flows.push(flow);
    }
    world
}

fn run(world: &World) -> Outcome {
    Simulation::new(world, &[], 5).unwrap().run()
}

fn throughput(outcome: &Outcome) -> f64 {
    outcome.flows.throughput_bps.iter().sum()
}

/// Packets of an A-MPDU over DIFS, the mean backoff, A-MPDU, SIFS and BlockAck of 32 octets at 24 Mbit/s. Of packets of
/// 1504 octets, as subframes, 29 fit into 5.484 ms at 65 Mbit/s, and 16 384 octets hold 10.
#[test]
fn one_saturated_link_carries_what_the_airtimes_allow() {
    let all = Aggregation::default();
    let of = |packets: u64, data: Nanos| {
        let (difs, backoff, sifs, block_ack) = (28_000, 67_500, 10_000, (20 + 4 * 3 + 6) * MICROSECOND);
        let cycle = difs + backoff + data + sifs + block_ack;
        packets as f64 * f64::from(PAYLOAD) * 8e9 / cycle as f64
    };
    let long = of(29, (36 + 4 * 1343 + 6) * MICROSECOND);
    let short = of(10, (36 + 4 * 463 + 6) * MICROSECOND);
    for (aggregation, expected) in [(all, long), (Aggregation { max_ampdu_bytes: 16_384, ..all }, short)] {
        let outcome = run(&saturated(1, 0.0, mac(Some(aggregation))));
        let found = throughput(&outcome);
        assert!((found / expected - 1.0).abs() < 0.005, "{found} for {expected}");
        let capacity = outcome.link_bins.rows().filter(|bin| bin.link == 0).filter_map(|bin| bin.capacity_bps).last();
        assert!((capacity.unwrap() / expected - 1.0).abs() < 0.03, "{capacity:?} for {expected}");
    }
}

/// A block acknowledgement window of one packet, under the MAC's own preamble, is the protocol without A-MPDUs: every
/// figure of the run is the same, under loss and collisions, with and without RTS.
#[test]
fn a_window_of_one_packet_is_no_aggregation() {
    let one = |mac: MacParameters| {
        let aggregation = Aggregation { block_ack_window: 1, preamble_ns: mac.plcp_ns, ..Aggregation::default() };
        MacParameters { aggregation: Some(aggregation), ..mac }
    };
    for plain in [mac(None), mac(None).with_rts()] {
        let same = MacParameters { long_retry_limit: plain.short_retry_limit, ..plain };
        let (single, aggregated) = (run(&saturated(4, 0.3, same.clone())), run(&saturated(4, 0.3, one(same))));
        assert_eq!(single.flows, aggregated.flows);
        assert_eq!(single.links, aggregated.links);
        assert!(single.links.failed_channel[0] > 100 && single.links.failed_collision[0] > 100);
    }
}

/// Lost packets are sent again in the next A-MPDU, and what came behind them waits for them at the receiver.
#[test]
fn packets_stay_in_order_under_loss() {
    let mut world = saturated(1, 0.2, mac(Some(Aggregation::default())));
    world.record.events = true;
    world.duration_ns = SECOND;
    let outcome = run(&world);
    let forwarded: Vec<_> =
        outcome.events.rows().filter(|row| row.step == Step::Forwarded).map(|row| row.segment).collect();
    assert!(forwarded.len() > 1000 && forwarded.is_sorted());
    assert!(outcome.conservation.holds());
    let failed = outcome.links.failed_channel[0] as f64 / outcome.links.attempts[0] as f64;
    assert!((failed - 0.2).abs() < 0.01, "{failed}");
    // A fifth of every A-MPDU is repeated; what waits at the receiver at the end of the run has not been handed on.
    let lossless = run(&World { links: saturated(1, 0.0, world.mac.clone()).links, ..world });
    let share = throughput(&outcome) / throughput(&lossless);
    assert!((share - 0.8).abs() < 0.03, "{share}");
}

#[test]
fn a_packet_that_fails_too_often_is_given_up_and_those_behind_it_go_on() {
    let mut world = saturated(1, 0.5, mac(Some(Aggregation::default())));
    world.mac.short_retry_limit = 2;
    let outcome = run(&world);
    let given_up = outcome.flows.lost_channel[0] as f64;
    let all = given_up + outcome.flows.received_packets[0] as f64;
    assert!((given_up / all - 0.25).abs() < 0.01, "{given_up} of {all}");
    assert!(outcome.conservation.holds());
}

/// A limit of A-MPDUs is one of its own, of what the channel loses and of what nobody answers.
#[test]
fn a_mpdus_have_a_retry_limit_of_their_own() {
    let lost = |retry_limit| {
        let mut world = saturated(1, 0.5, mac(Some(Aggregation { retry_limit, ..Aggregation::default() })));
        world.mac.short_retry_limit = 2;
        let outcome = run(&world);
        assert!(outcome.conservation.holds());
        outcome.flows.lost_channel[0] as f64 / outcome.flows.received_packets[0] as f64
    };
    assert!((lost(Some(4)) - 1.0 / 15.0).abs() < 0.01);
    assert!(lost(Some(255)) < 0.002, "but for MPDUs that are alone");
    assert_eq!(lost(Some(2)), lost(None));
    let given_up = |retry_limit| {
        let aggregation = Aggregation { retry_limit, block_ack_request: true, ..Aggregation::default() };
        let mut world = saturated(20, 0.0, mac(Some(aggregation)));
        world.mac.short_retry_limit = 2;
        run(&world).links.dropped_retry.iter().sum::<u64>()
    };
    assert!(given_up(None) > 100);
    assert_eq!(given_up(Some(255)), 0);
}

/// MPDUs that were alone and failed are given up with a probability, however seldom they were sent.
#[test]
fn a_share_of_the_mpdus_that_fail_alone_is_given_up() {
    let lost = |single_give_up| {
        let aggregation = Aggregation { single_give_up, block_ack_window: 1, ..Aggregation::default() };
        let outcome = run(&saturated(1, 0.3, mac(Some(aggregation))));
        assert!(outcome.conservation.holds());
        outcome.flows.lost_channel[0] as f64 / outcome.links.failed_channel[0] as f64
    };
    assert!((lost(Some(0.2)) - 0.2).abs() < 0.02, "{}", lost(Some(0.2)));
    assert_eq!(lost(Some(0.0)), 0.0);
    assert!(lost(None) < 0.001, "seven attempts, {}", lost(None));
}

/// Where senders collide, whole A-MPDUs are lost. A BlockAckReq costs another channel access, but no second collision of
/// the A-MPDU's length.
#[test]
fn collisions_cost_whole_a_mpdus() {
    let alone = throughput(&run(&saturated(1, 0.0, mac(Some(Aggregation::default())))));
    for block_ack_request in [false, true] {
        let aggregation = Aggregation { block_ack_request, ..Aggregation::default() };
        let outcome = run(&saturated(5, 0.0, mac(Some(aggregation))));
        let failed: u64 = outcome.links.failed_collision.iter().sum();
        let attempts: u64 = outcome.links.attempts.iter().sum();
        let share = failed as f64 / attempts as f64;
        assert!((0.1..0.35).contains(&share), "{share} with {block_ack_request}");
        let efficiency = throughput(&outcome) / alone;
        assert!((0.7..0.95).contains(&efficiency), "{efficiency} with {block_ack_request}");
        assert!(outcome.conservation.holds());
    }
}

/// A station that does not hear the sender disturbs the receiver with short frames: each costs the packets that it
/// overlaps, not the whole A-MPDU.
#[test]
fn a_hidden_frame_costs_the_packets_that_it_overlaps() {
    let mut world = saturated(1, 0.0, mac(Some(Aggregation::default())));
    world.nodes.extend(["hidden", "peer"].map(NodeSpec::new));
    world.links.push(LinkSpec::wireless("hidden", "peer", RATE_BPS));
    let decodes = [("s0", "sink"), ("hidden", "peer")].map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec();
    let corrupts = vec![("hidden".to_owned(), "sink".to_owned())];
    world.hearing = Hearing::Graph(Graph { decodes, corrupts, symmetric: true, ..Graph::default() });
    let packets = (0..1000).map(|index| (index * 5 * MILLISECOND, 200)).collect();
    let mut flow = FlowSpec::new("hidden", ["hidden", "peer"]).with_source(Source::Scheduled(packets)).unacknowledged();
    (flow.payload_bytes, flow.header_bytes) = (200, 0);
    world.flows.push(flow);
    let outcome = run(&world);
    let share = outcome.links.failed_collision[0] as f64 / outcome.links.attempts[0] as f64;
    // A frame of 66 us every 5 ms costs one packet of 29 or two, and the whole A-MPDU only where it is on the air when
    // that begins, or overlaps its preamble or its BlockAck: about one in twenty times.
    assert!((0.03..0.1).contains(&share), "{share}");
}
