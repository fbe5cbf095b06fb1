//! Two links that hear each other in part. Expected values are those of an independent event simulator of the same
//! medium (RTS and CTS, no EIFS, a backoff for every packet): coordinated stations, near hidden, asymmetric, far hidden.

use crate::controller::{Ack, Controller, Endpoint, FlowSetup, FlowView, Mode};
use crate::packet::Packet;
use crate::random::{Purpose, Stream};
use crate::record::Outcome;
use crate::simulation::Simulation;
use crate::units::{Nanos, SECOND};
use crate::world::{Access, Eifs, FlowSpec, Graph, Hearing, LinkSpec, MacParameters, NodeSpec, QueueSpec, World};

/// Poisson arrivals.
struct Poisson {
    packets_per_s: f64,
}

struct PoissonEndpoint {
    mean_s: f64,
    gap_s: f64,
    random: Stream,
}

impl Controller for Poisson {
    fn name(&self) -> &str {
        "poisson"
    }

    fn mode(&self) -> Mode {
        Mode::Corrected
    }

    fn endpoint(&self, flow: &FlowSetup) -> Box<dyn Endpoint> {
        // Both flows have a path of one hop: their segments' headers tell them apart.
        let random = Stream::new(5, Purpose::Channel, flow.header_bytes);
        let mean_s = 1.0 / self.packets_per_s;
        Box::new(PoissonEndpoint { mean_s, gap_s: mean_s, random })
    }
}

impl Endpoint for PoissonEndpoint {
    fn on_send(&mut self, _now: Nanos, _flow: &FlowView, _packet: &mut Packet) {
        let uniform = (f64::from(self.random.up_to(u32::MAX - 1)) + 1.0) / f64::from(u32::MAX);
        self.gap_s = -self.mean_s * uniform.ln();
    }

    fn on_ack(&mut self, _now: Nanos, _flow: &FlowView, _ack: &Ack) {}

    fn window_bytes(&self) -> f64 {
        f64::INFINITY
    }

    fn pacing_bytes_per_s(&self) -> Option<f64> {
        Some(512.0 / self.gap_s.max(1e-9))
    }
}

/// Links a -> b and c -> d; `hears` are further pairs that hear each other.
fn two_links(hears: &[(&str, &str)]) -> World {
    let nodes = ["a", "b", "c", "d"].map(NodeSpec::new).to_vec();
    let queue = QueueSpec::packets(1_000_000);
    let link = |from: &str, to: &str| LinkSpec::wireless(from, to, 11_000_000).with_queue(queue);
    let mut world = World::new("two links", nodes, vec![link("a", "b"), link("c", "d")]);
    let all = [("a", "b"), ("c", "d")].iter().chain(hears);
    let decodes = all.map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect();
    world.hearing = Hearing::Graph(Graph { decodes, symmetric: true, ..Graph::default() });
    world.mac = MacParameters {
        eifs: Eifs::Off,
        access: Access::AlwaysBackOff,
        long_retry_limit: 7,
        ..MacParameters::dot11b().with_rts()
    };
    for (index, (from, to)) in [("a", "b"), ("c", "d")].into_iter().enumerate() {
        let mut flow = FlowSpec::new(from, [from, to]).unacknowledged();
        flow.header_bytes = index as u32;
        flow.payload_bytes = 512 - flow.header_bytes;
        flow.controller = Some(0);
        world.flows.push(flow);
    }
    world
}

fn run(hears: &[(&str, &str)], packets_per_s: f64, seconds: u64) -> Outcome {
    let mut world = two_links(hears);
    world.duration_ns = seconds * SECOND;
    Simulation::new(&world, &[Box::new(Poisson { packets_per_s })], 7).unwrap().run()
}

/// Share of failed attempts of the link with this index.
fn failures(outcome: &Outcome, link: usize) -> f64 {
    outcome.links.failed_collision[link] as f64 / outcome.links.attempts[link] as f64
}

const COORDINATED: &[(&str, &str)] = &[("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")];
const NEAR_HIDDEN: &[(&str, &str)] = &[("b", "c"), ("a", "d")];
const ASYMMETRIC: &[(&str, &str)] = &[("b", "c")];
const FAR_HIDDEN: &[(&str, &str)] = &[("b", "d")];

/// V-Q4: collisions at 100 packets/s per link.
#[test]
fn unsaturated_links_collide_as_often_as_expected() {
    let classes = [
        (COORDINATED, 0.0039, 0.0038),
        (NEAR_HIDDEN, 0.1981, 0.1970),
        (ASYMMETRIC, 0.2169, 0.0),
        (FAR_HIDDEN, 0.1874, 0.1877),
    ];
    for (hears, first, second) in classes {
        let outcome = run(hears, 100.0, 60);
        for (link, expected) in [(0, first), (2, second)] {
            let failed = failures(&outcome, link);
            assert!((failed - expected).abs() < 0.015, "{hears:?}: {failed} for {expected}");
        }
    }
}

/// V-Q4: throughput in kbit/s when both links have more to send than they can.
#[test]
fn saturated_links_share_as_expected() {
    let classes = [
        (COORDINATED, 1128.5, 1121.8, 0.03),
        // The two take turns in starving each other for a while: their sum is steadier than their shares.
        (NEAR_HIDDEN, 946.2, 946.2, 0.10),
        (ASYMMETRIC, 160.2, 2011.3, 0.10),
        (FAR_HIDDEN, 1075.4, 1075.4, 0.10),
        (&[][..], 2115.2, 2118.2, 0.01),
    ];
    for (hears, first, second, within) in classes {
        let outcome = run(hears, 2000.0, 60);
        for (flow, expected) in [(0, first), (1, second)] {
            let throughput = outcome.flows.throughput_bps[flow] / 1e3;
            assert!((throughput / expected - 1.0).abs() < within, "{hears:?}: {throughput} for {expected}");
        }
    }
}

#[test]
fn hidden_links_carry_less_than_coordinated_ones() {
    let sum = |hears| run(hears, 2000.0, 20).flows.throughput_bps.iter().sum::<f64>();
    let (independent, coordinated, near_hidden) = (sum(&[]), sum(COORDINATED), sum(NEAR_HIDDEN));
    assert!(independent > coordinated && coordinated > near_hidden);
}

/// Three pairs in a row, saturated, of which the middle one senses the frames of both others and decodes none; those do not
/// sense each other. Longest time without a packet of the first link of each pair, ms.
fn silences(pairs: &[&str]) -> Vec<u64> {
    let names = ["a", "b", "c", "d", "e", "f"];
    let links = [("a", "b"), ("c", "d"), ("e", "f")];
    let own = |(from, to): (&str, &str)| (from.to_owned(), to.to_owned());
    let links_specs = links.map(|(from, to)| LinkSpec::wireless(from, to, 11_000_000)).to_vec();
    let mut world = World::new("three pairs", names.map(NodeSpec::new).to_vec(), links_specs);
    let senses = ["c", "d"].iter().flat_map(|middle| ["a", "b", "e", "f"].map(|outer| own((middle, outer)))).collect();
    let decodes = links.map(own).to_vec();
    world.hearing = Hearing::Graph(Graph { decodes, senses, symmetric: true, ..Graph::default() });
    world.mac = MacParameters { eifs: Eifs::Sensed, ..MacParameters::dot11b() };
    world.duration_ns = 30 * SECOND;
    world.record.bin_ns = SECOND / 1000;
    for (from, to) in links.into_iter().filter(|(from, _)| pairs.contains(from)) {
        let source = crate::world::Source::Cbr { rate_bps: 11_000_000 };
        let mut flow = FlowSpec::new(from, [from, to]).with_source(source).unacknowledged();
        (flow.payload_bytes, flow.header_bytes) = (1000, 0);
        world.flows.push(flow);
    }
    let outcome = Simulation::new(&world, &[], 3).unwrap().run();
    let longest = |flow: usize| {
        let bins = outcome.flow_bins.rows().filter(|bin| bin.flow as usize == flow && bin.t_ns > SECOND);
        let (_, longest) = bins.fold((0, 0), |(now, most): (u64, u64), bin| {
            let now = if bin.received_packets == 0 { now + 1 } else { 0 };
            (now, most.max(now))
        });
        longest
    };
    (0..world.flows.len()).map(longest).collect()
}

/// S004 sec. 4: talk at interference range inhibits a station for long. One pair that is only sensed leaves it short pauses;
/// two that do not sense each other, and are seldom silent together, hold it for half a second, which is 400 packets.
#[test]
fn talk_at_interference_range_silences_a_station_for_long() {
    let (alone, beside_one, between_two) = (silences(&["c"]), silences(&["a", "c"]), silences(&["a", "c", "e"]));
    assert!(alone[0] <= 3, "{alone:?}");
    assert!(beside_one.iter().all(|longest| (10..60).contains(longest)), "{beside_one:?}");
    assert!(between_two[1] > 300, "{between_two:?}");
    assert!(between_two[0] < 60 && between_two[2] < 60, "{between_two:?}");
}
