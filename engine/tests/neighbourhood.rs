//! WCP and WCPCap in the running world: Stack of S003, three flows of two hops, of which the middle one contends with
//! both others.

use std::sync::{Arc, Mutex};

use winf_engine::controller::{
    AirStamps, Controller, Endpoint, FlowSetup, Mode, NeighbourReport, NodeSetup, NodeView, OnAir, Receiver, Router,
    Sight,
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

#[test]
fn wcp_cap_gives_nearly_the_max_min_fair_rates() {
    let optimum = allocation(&stack()).unwrap().unwrap();
    let rates = settled(&run("wcp_cap"));
    for (rate, best) in rates.iter().zip(&optimum) {
        assert!((0.85..1.15).contains(&(rate / best)), "{rates:?} of {optimum:?}");
    }
}

/// Limits of utilisation as links had them: when, whose, and which.
type Limits = Arc<Mutex<Vec<(Nanos, NodeId, f64)>>>;

/// WCPCap, whose routers tell how much of the medium they let their first link use.
struct Watched {
    inner: WcpCap,
    limits: Limits,
}

impl Controller for Watched {
    fn name(&self) -> &str {
        self.inner.name()
    }
    fn mode(&self) -> Mode {
        self.inner.mode()
    }
    fn endpoint(&self, flow: &FlowSetup) -> Box<dyn Endpoint> {
        self.inner.endpoint(flow)
    }
    fn receiver(&self, flow: &FlowSetup) -> Box<dyn Receiver> {
        self.inner.receiver(flow)
    }
    fn router(&self, node: &NodeSetup) -> Option<Box<dyn Router>> {
        let inner = self.inner.router(node)?;
        Some(Box::new(WatchedRouter { inner, node: node.node, limits: Arc::clone(&self.limits) }))
    }
}

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
    let inner = WcpCap::new(Mode::Corrected, &serde_json::json!({})).unwrap();
    let controllers: Vec<Box<dyn Controller>> = vec![Box::new(Watched { inner, limits: Arc::clone(&limits) })];
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
