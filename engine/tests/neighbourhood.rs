//! WCP and WCPCap in the running world: Stack of S003, three flows of two hops, of which the middle one contends with
//! both others.

use std::sync::{Arc, Mutex};

use winf_engine::controller::{
    AirStamps, Controller, Endpoint, FlowSetup, Mode, NeighbourReport, NodeSetup, NodeView, OnAir, Router, Sight,
};
use winf_engine::controllers::wcp_cap::WcpCap;
use winf_engine::index::{LocalLink, NodeId};
use winf_engine::packet::Packet;
use winf_engine::record::Outcome;
use winf_engine::reference::allocation::allocation;
use winf_engine::request::{Choice, Request};
use winf_engine::simulation::Simulation;
use winf_engine::units::{Nanos, SECOND};
use winf_engine::world::World;

const STACK: &str = r#"
duration_ns = 40_000_000_000
record.bin_ns = 1_000_000_000
nodes = [
    { name = "1" }, { name = "2" }, { name = "3" },
    { name = "4" }, { name = "5" }, { name = "6" },
    { name = "7" }, { name = "8" }, { name = "9" },
]
links = [
    { from = "1", to = "2", duplex = true, medium.wireless = {}, queue.packets = 64 },
    { from = "2", to = "3", duplex = true, medium.wireless = {}, queue.packets = 64 },
    { from = "4", to = "5", duplex = true, medium.wireless = {}, queue.packets = 64 },
    { from = "5", to = "6", duplex = true, medium.wireless = {}, queue.packets = 64 },
    { from = "7", to = "8", duplex = true, medium.wireless = {}, queue.packets = 64 },
    { from = "8", to = "9", duplex = true, medium.wireless = {}, queue.packets = 64 },
]
flows = [
    { name = "1-3", path = ["1", "2", "3"], payload_bytes = 512 },
    { name = "4-6", path = ["4", "5", "6"], payload_bytes = 512 },
    { name = "7-9", path = ["7", "8", "9"], payload_bytes = 512 },
]

[mac]
preset = "802.11b"
rts_threshold_bytes = 0

[hearing.graph]
symmetric = true
decodes = [
    ["1", "2"], ["2", "3"], ["4", "5"], ["5", "6"], ["7", "8"], ["8", "9"],
    ["1", "4"], ["2", "5"], ["3", "6"], ["4", "7"], ["5", "8"], ["6", "9"],
]
"#;

/// Seconds until rates have settled.
const WARM_UP: usize = 10;

fn stack() -> World {
    World::from_toml(STACK).unwrap()
}

fn run(controller: &str) -> Outcome {
    run_with(Choice::new(controller))
}

fn run_with(choice: Choice) -> Outcome {
    Request { world: stack(), controllers: vec![choice], seed: 3 }.run().unwrap()
}

/// Goodputs of the flows once rates have settled, bit/s.
fn settled(outcome: &Outcome) -> Vec<f64> {
    let of = |flow: u32| {
        let bins = outcome.flow_bins.rows().filter(|bin| bin.flow == flow && bin.t_ns >= WARM_UP as u64 * SECOND);
        let rates: Vec<_> = bins.map(|bin| bin.throughput_bps).collect();
        rates.iter().sum::<f64>() / rates.len() as f64
    };
    (0..3).map(of).collect()
}

#[test]
fn tcp_starves_the_middle_flow() {
    let rates = settled(&run("new_reno"));
    assert!(rates[1] < 0.25 * rates[0].min(rates[2]), "{rates:?}");
}

#[test]
fn wcp_shares_the_medium() {
    let told = |signals: &str| Choice { settings: serde_json::json!({"signals": signals}), ..Choice::new("wcp") };
    let [every, one] = ["every_link", "one_link"].map(|signals| settled(&run_with(told(signals))));
    assert_eq!(every, settled(&run("wcp")));
    assert_ne!(every, one);
    for rates in [every, one] {
        let (least, most) = (rates[0].min(rates[1]).min(rates[2]), rates[0].max(rates[1]).max(rates[2]));
        assert!(least > 0.85 * most, "{rates:?}");
        assert!(least > 100e3, "{rates:?}");
    }
}

/// Of the bins of every link the mean share of time in which its controller takes it for congested.
fn congested(outcome: &Outcome) -> Vec<(String, Option<f64>)> {
    let of = |index: usize| {
        let bins = outcome.link_bins.rows().filter(|bin| bin.link as usize == index);
        let shares: Option<Vec<_>> = bins.map(|bin| bin.congested_share).collect();
        shares.map(|shares| shares.iter().sum::<f64>() / shares.len() as f64)
    };
    let names = outcome.links.rows().map(|link| format!("{} > {}", link.from, link.to));
    names.enumerate().map(|(index, name)| (name, of(index))).collect()
}

/// S003 fig. 1 draws the queue of 4 -> 5; the acknowledgements of its flow wait as well.
#[test]
fn wcp_takes_links_of_the_middle_row_alone_for_congested() {
    let shares = congested(&run("wcp"));
    let found: Vec<_> = shares.iter().filter(|(_, share)| *share > Some(0.0)).map(|(name, _)| name.as_str()).collect();
    assert!(found.contains(&"4 > 5"), "{shares:?}");
    assert!(found.iter().all(|name| ["4 > 5", "5 > 6", "6 > 5", "5 > 4"].contains(name)), "{shares:?}");
    assert!(congested(&run("wcp_cap")).iter().all(|(_, share)| share.is_none()), "it has no such rule");
}

#[test]
fn wcp_cap_gives_nearly_the_max_min_fair_rates() {
    let optimum = allocation(&stack()).unwrap().unwrap().rates_bps;
    let rates = settled(&run("wcp_cap"));
    for (rate, best) in rates.iter().zip(&optimum) {
        assert!((0.85..1.15).contains(&(rate / best)), "{rates:?} of {optimum:?}");
    }
}

/// WCPCap's ends with other routers.
struct WithRouters<F>(WcpCap, F);

impl<F: Fn(&WcpCap, &NodeSetup) -> Box<dyn Router> + Send + Sync> Controller for WithRouters<F> {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn mode(&self) -> Mode {
        self.0.mode()
    }
    fn endpoint(&self, flow: &FlowSetup) -> Box<dyn Endpoint> {
        self.0.endpoint(flow)
    }
    fn router(&self, node: &NodeSetup) -> Option<Box<dyn Router>> {
        Some(self.1(&self.0, node))
    }
}

fn with_routers(
    router: impl Fn(&WcpCap, &NodeSetup) -> Box<dyn Router> + Send + Sync + 'static,
) -> Vec<Box<dyn Controller>> {
    let ends = WcpCap::new(Mode::Corrected, &serde_json::json!({})).unwrap();
    vec![Box::new(WithRouters(ends, router))]
}

/// Limits of utilisation as links had them: when, whose, and which.
type Limits = Arc<Mutex<Vec<(Nanos, NodeId, f64)>>>;

/// A router of WCPCap that tells how much of the medium it lets its first link use.
struct WatchedRouter {
    inner: Box<dyn Router>,
    node: NodeId,
    limits: Limits,
}

impl Router for WatchedRouter {
    fn look(&self, now: Nanos, link: Option<LocalLink>, see: &mut dyn FnMut(LocalLink)) -> Sight {
        self.inner.look(now, link, see)
    }
    fn on_arrival(&mut self, now: Nanos, view: &NodeView, link: LocalLink, packet: &mut Packet) {
        self.inner.on_arrival(now, view, link, packet);
    }
    fn on_departure(&mut self, now: Nanos, view: &NodeView, link: LocalLink, packet: &mut Packet) {
        self.inner.on_departure(now, view, link, packet);
    }
    fn on_air(&mut self, view: &NodeView, link: LocalLink, stamps: AirStamps, packet: &mut Packet) -> OnAir {
        self.inner.on_air(view, link, stamps, packet)
    }
    fn next_timer(&self) -> Option<Nanos> {
        self.inner.next_timer()
    }
    fn on_timer(&mut self, now: Nanos, view: &NodeView) {
        self.inner.on_timer(now, view);
        let limit = self.inner.utilization(LocalLink(0)).expect("WCPCap has a limit");
        self.limits.lock().unwrap().push((now, self.node, limit));
    }
    fn neighbour_report(&self, link: LocalLink) -> Option<NeighbourReport> {
        self.inner.neighbour_report(link)
    }
    fn on_overheard(&mut self, now: Nanos, from: NodeId, report: &NeighbourReport) {
        self.inner.on_overheard(now, from, report);
    }
}

/// S003 sec. III-B has U = 0.85 in Stack for queues of a packet. Here the queue of 4 -> 5 stays shorter than that at the
/// greatest U, so the search has nothing to lower.
#[test]
fn the_utilization_of_wcp_cap_stays_at_its_greatest_in_the_stack() {
    let limits = Limits::default();
    let watched = Arc::clone(&limits);
    let controllers = with_routers(move |inner, node| {
        let inner = inner.router(node).expect("WCPCap has routers");
        Box::new(WatchedRouter { inner, node: node.node, limits: Arc::clone(&watched) })
    });
    let mut world = stack();
    world.duration_ns = 100 * SECOND;
    assert!(Simulation::new(&world, &controllers, 3).unwrap().run().conservation.holds());
    let seen = limits.lock().unwrap();
    let of_4_to_5 = seen.iter().filter(|(at, node, _)| *at > 30 * SECOND && *node == NodeId(3));
    let late: Vec<f64> = of_4_to_5.map(|(_, _, limit)| *limit).collect();
    assert!(late.len() > 30, "{}", late.len());
    let mean = late.iter().sum::<f64>() / late.len() as f64;
    assert!(mean > 0.95, "{mean}");
}

/// A router that reports nothing but its node, and notes of whom it knows when a packet departs.
struct Known {
    node: NodeId,
    neighbours: Vec<NodeId>,
    reads: bool,
    known: Vec<NodeId>,
    first: Arc<Mutex<Vec<Vec<NodeId>>>>,
}

impl Router for Known {
    fn on_departure(&mut self, _now: Nanos, _view: &NodeView, _link: LocalLink, _packet: &mut Packet) {
        self.known.sort_unstable();
        self.first.lock().unwrap().push(self.known.clone());
    }
    fn reads_reports_of(&self) -> &[NodeId] {
        if self.reads {
            &self.neighbours
        } else {
            &[]
        }
    }
    fn neighbour_report(&self, _link: LocalLink) -> Option<NeighbourReport> {
        Some(NeighbourReport::default())
    }
    fn on_overheard(&mut self, _now: Nanos, from: NodeId, _report: &NeighbourReport) {
        if from != self.node && !self.known.contains(&from) {
            self.known.push(from);
        }
    }
}

/// Before the first packet of all departs, nothing was overheard; the store already has every neighbour's report.
#[test]
fn a_central_store_knows_at_once_what_would_be_overheard_later() {
    let first_of = |reads| {
        let first = Arc::<Mutex<Vec<_>>>::default();
        let noted = Arc::clone(&first);
        let controllers = with_routers(move |_, node| {
            let (neighbours, first) = (node.neighbours.clone(), Arc::clone(&noted));
            Box::new(Known { node: node.node, neighbours, reads, known: Vec::new(), first })
        });
        let mut world = stack();
        world.duration_ns = SECOND;
        let _ = Simulation::new(&world, &controllers, 3).unwrap().run();
        let known = first.lock().unwrap().remove(0);
        known
    };
    assert_eq!(first_of(false), []);
    assert_eq!(first_of(true), [NodeId(1), NodeId(3)], "the first packet leaves node 1, which hears 2 and 4");
}

/// Stack whose rows sense each other and decode their own frames alone.
fn interferers() -> World {
    let mut world = stack();
    let winf_engine::world::Hearing::Graph(graph) = &mut world.hearing else { unreachable!("as declared") };
    graph.senses = graph.decodes.split_off(6);
    world
}

/// S003 sec. IV-C: what neighbours tell at a lower rate reaches those that only sense them, and the middle flow keeps up.
#[test]
fn control_at_a_lower_rate_keeps_wcp_fair_among_interferers() {
    let least = |settings: serde_json::Value| {
        let choice = Choice { settings, ..Choice::new("wcp") };
        let outcome = Request { world: interferers(), controllers: vec![choice], seed: 3 }.run().unwrap();
        let rates = settled(&outcome);
        3.0 * rates[1] / rates.iter().sum::<f64>()
    };
    let (same, lower) = (least(serde_json::json!({})), least(serde_json::json!({"control_rate_bps": 1_000_000})));
    assert!(same < 0.6 && lower > 0.85, "{same} and {lower} of the mean");
}

/// A router whose every packet tells so many octets.
struct Telling(u32);

impl Router for Telling {
    fn control_octets(&mut self, _link: LocalLink) -> u32 {
        self.0
    }
}

/// 1100 octets at 11 Mbit/s are 800 us; a world whose headers are free has no such octets.
#[test]
fn what_routers_tell_takes_air() {
    let busy = |octets: u32, free: bool| {
        let mut world = stack();
        let source = winf_engine::world::Source::Cbr { rate_bps: 81_920 };
        let mut flow = world.flows.remove(0).with_source(source).unacknowledged();
        flow.controller = Some(0);
        world.flows = vec![flow];
        world.mac.cw_min = 0;
        if free {
            world.congestion_headers = winf_engine::world::CongestionHeaders::Free;
        }
        let controllers = with_routers(move |_, _| Box::new(Telling(octets)));
        let outcome = Simulation::new(&world, &controllers, 3).unwrap().run();
        let link = outcome.links.rows().next().unwrap();
        link.utilisation * 40e6 / link.carried_packets as f64
    };
    let (none, some) = (busy(0, false), busy(1100, false));
    assert!((some - none - 800.0).abs() < 5.0, "{some} and {none} us a packet");
    assert_eq!(busy(1100, true), busy(0, true));
}
