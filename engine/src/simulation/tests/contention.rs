//! Rules of contention in which MACs differ, on worlds reckoned by hand.

use crate::record::Outcome;
use crate::simulation::Simulation;
use crate::units::{Nanos, MICROSECOND, SECOND};
use crate::world::{
    Access, AnswerWait, FlowSpec, Graph, Hearing, LinkMedium, LinkSpec, MacParameters, NodeSpec, Source, World,
};

const MBPS: u64 = 1_000_000;

/// A chain of nodes that hear their neighbours only, and packets along it, one every `every`.
fn chain(names: &[&str], every: Nanos, mac: MacParameters) -> World {
    let links = names.windows(2).map(|pair| LinkSpec::wireless(pair[0], pair[1], 11 * MBPS)).collect();
    let mut world = World::new("chain", names.iter().copied().map(NodeSpec::new).collect(), links);
    let packets = (0..10 * SECOND / every).map(|n| (SECOND + n * every, 1000)).collect();
    let mut flow = FlowSpec::new("f", names.iter().copied()).with_source(Source::Scheduled(packets)).unacknowledged();
    (flow.payload_bytes, flow.header_bytes) = (1000, 0);
    world.flows.push(flow);
    world.hearing = Hearing::Graph(Graph {
        decodes: names.windows(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect(),
        symmetric: true,
        ..Graph::default()
    });
    world.duration_ns = 12 * SECOND;
    world.mac = mac;
    world
}

fn run(world: &World) -> Outcome {
    Simulation::new(world, &[], 3).unwrap().run()
}

/// A pair whose CTS never arrive: every attempt is an RTS, repeated without backoffs.
fn unanswered(every: Nanos, mac: MacParameters) -> Outcome {
    let mut world = chain(&["a", "b"], every, MacParameters { cw_min: 0, cw_max: 0, ..mac.with_rts() });
    if let LinkMedium::Wireless(wireless) = &mut world.links[0].medium {
        wireless.control_loss = 1.0;
    }
    run(&world)
}

#[test]
fn rts_have_a_limit_of_their_own() {
    let per_packet = |rts_retry_limit| {
        let outcome = unanswered(SECOND, MacParameters { rts_retry_limit, ..MacParameters::dot11b() });
        (outcome.links.attempts[0], outcome.flows.lost_channel[0])
    };
    assert_eq!(per_packet(None), (70, 10), "as many as the short limit");
    assert_eq!(per_packet(Some(30)), (300, 10));
}

/// RTS, SIFS, CTS and a slot are 686 us, without the slot 666 us; RTS, SIFS, a PLCP header, a slot and DIFS 624 us.
#[test]
fn an_answer_is_waited_for_until_its_header_or_its_end() {
    for (answer_wait, period) in [(AnswerWait::Whole, 686), (AnswerWait::Bare, 666), (AnswerWait::Header, 624)] {
        let mac = MacParameters { answer_wait, rts_retry_limit: Some(255), ..MacParameters::dot11b() };
        let tried = unanswered(SECOND / 1000, mac).links.attempts[0];
        let expected = 11 * SECOND / (period * MICROSECOND);
        assert!(tried.abs_diff(expected) < expected / 200, "{answer_wait:?}: {tried} for {expected}");
    }
}

/// S001 sec. 4.3: who waits SIFS and the time of an ACK still takes every ACK, whichever end is named first.
#[test]
fn an_answer_that_ends_with_the_wait_counts() {
    for path in [["a", "b"], ["b", "a"]] {
        let mac = MacParameters { answer_wait: AnswerWait::Bare, ..MacParameters::dot11b().with_rts() };
        let mut world = chain(&["a", "b"], SECOND / 10, mac);
        world.flows[0].path = path.map(str::to_owned).to_vec();
        let outcome = run(&world);
        assert_eq!(outcome.flows.received_packets[0], 100);
        assert_eq!(outcome.links.attempts.iter().sum::<u64>(), 100);
    }
}

/// The first data frame follows DIFS after its packet came, the second DIFS after the acknowledgement of the first.
#[test]
fn what_was_just_received_is_passed_on_without_a_backoff() {
    let mac = MacParameters { access: Access::WhenTaken, ..MacParameters::dot11b() };
    let ack = mac.control_airtimes(MBPS).ack;
    let expected = 2 * (mac.difs_ns + mac.data_airtime(1000, 11 * MBPS)) + mac.sifs_ns + ack;
    let delays = |mac| run(&chain(&["a", "b", "c"], SECOND / 10, mac)).flows;
    let at_once = delays(mac);
    assert_eq!(at_once.delay_mean_ns, [Some(expected)]);
    assert_eq!(at_once.received_packets, [100]);
}

/// A packet that comes while another station sends backs off, though the station's last backoff ran out long ago.
#[test]
fn who_finds_the_medium_taken_backs_off() {
    let mut world =
        chain(&["a", "b"], SECOND / 100, MacParameters { access: Access::WhenTaken, ..MacParameters::dot11b() });
    let lag = 500 * MICROSECOND;
    let replies = (0..900).map(|n| (SECOND + n * SECOND / 100 + lag, 1000)).collect();
    let mut back = FlowSpec::new("back", ["b", "a"]).with_source(Source::Scheduled(replies)).unacknowledged();
    (back.payload_bytes, back.header_bytes) = (1000, 0);
    world.flows.push(back);
    let mac = world.mac.clone();
    let data = mac.data_airtime(1000, 11 * MBPS);
    let busy = mac.difs_ns + data + mac.sifs_ns + mac.control_airtimes(MBPS).ack - lag;
    let expected = busy + mac.difs_ns + mac.mean_backoff() + data;
    let delay = run(&world).flows.delay_mean_ns[1].unwrap();
    assert!(delay.abs_diff(expected) < 20 * MICROSECOND, "{delay} for {expected}");
}
