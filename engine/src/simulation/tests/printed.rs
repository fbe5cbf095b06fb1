//! rt-Winf as printed, in a running network.

use std::sync::{Arc, Mutex};

use crate::controller::{Controller, Endpoint, FlowSetup, Mode, NodeSetup, NodeView, Router, Sight};
use crate::controllers;
use crate::cross_layer::CrossLayer;
use crate::index::LocalLink;
use crate::packet::Packet;
use crate::record::Outcome;
use crate::simulation::Simulation;
use crate::units::{Nanos, SECOND};
use crate::world::{FlowSpec, LinkSpec, NodeSpec, Source, World};

/// Routers that keep what they last read of the link that a packet takes.
struct Reading {
    mode: Mode,
    read: Arc<Mutex<CrossLayer>>,
}

impl Controller for Reading {
    fn name(&self) -> &str {
        "reading"
    }

    fn mode(&self) -> Mode {
        self.mode
    }

    fn reads_printed(&self) -> bool {
        self.mode != Mode::Corrected
    }

    fn endpoint(&self, flow: &FlowSetup) -> Box<dyn Endpoint> {
        controllers::make("new_reno", Mode::Corrected, &serde_json::Value::Null).unwrap().endpoint(flow)
    }

    fn router(&self, _node: &NodeSetup) -> Option<Box<dyn Router>> {
        Some(Box::new(Reader(Arc::clone(&self.read))))
    }
}

struct Reader(Arc<Mutex<CrossLayer>>);

impl Router for Reader {
    fn look(&self, _now: Nanos, link: Option<LocalLink>, see: &mut dyn FnMut(LocalLink)) -> Sight {
        link.into_iter().for_each(see);
        Sight::Named
    }

    fn on_arrival(&mut self, _now: Nanos, view: &NodeView, link: LocalLink, _packet: &mut Packet) {
        *self.0.lock().unwrap() = view.links[link].cross_layer;
    }
}

/// The store at the sender after 100 seconds with 100 packets of 1500 bytes in each, and what the run left behind.
fn run(link: LinkSpec, mode: Mode) -> (CrossLayer, Outcome) {
    let mut world = World::new("pair", vec![NodeSpec::new("a"), NodeSpec::new("b")], vec![link]);
    let mut flow = FlowSpec::new("f", ["a", "b"]).with_source(Source::Cbr { rate_bps: 1_200_000 }).unacknowledged();
    (flow.payload_bytes, flow.header_bytes) = (1500, 0);
    world.flows.push(flow);
    world.mac = world.mac.with_rts();
    world.duration_ns = 100 * SECOND;
    let read = Arc::new(Mutex::new(CrossLayer::default()));
    let controller: Box<dyn Controller> = Box::new(Reading { mode, read: Arc::clone(&read) });
    let outcome = Simulation::new(&world, &[controller], 1).unwrap().run();
    assert!(outcome.conservation.holds());
    let last = *read.lock().unwrap();
    (last, outcome)
}

fn read(link: LinkSpec, mode: Mode) -> CrossLayer {
    run(link, mode).0
}

/// V-W2 and V-W9: the sender's capacity of 7.466063 Mbit/s; and 6.054365 Mbit/s available, which its receiver told it with
/// the ACK and is lower than its own 6.251131.
#[test]
fn v_w9_a_sender_reads_what_its_hop_measured_as_printed() {
    let printed = read(LinkSpec::wireless("a", "b", 11_000_000), Mode::Paper).printed.expect("rt-Winf runs");
    let mbps = |value: Option<f64>| value.map_or(f64::NAN, |bytes_per_s| bytes_per_s * 8e-6);
    let (capacity, available) = (mbps(printed.capacity_bytes_per_s), mbps(printed.available_bytes_per_s));
    assert!((capacity - 7.466_063).abs() < 1e-3, "{capacity}");
    assert!((available - 6.054_365).abs() < 5e-3, "{available}");
}

/// Tables have what the controllers of the run were told: in `paper` the values of the test above, in `corrected` those of
/// the whole access cycle, 4.522716 Mbit/s in the mean (V-W1).
#[test]
fn the_tables_say_what_controllers_were_told() {
    let told = |mode| {
        let (store, outcome) = run(LinkSpec::wireless("a", "b", 11_000_000), mode);
        let last = outcome.link_bins.rows().filter(|bin| bin.link == 0).last().expect("bins");
        (store.as_printed(), last.capacity_bps.expect("measured"), last.available_bps.expect("measured"))
    };
    let (store, capacity, available) = told(Mode::Paper);
    assert!((capacity - 7_466_063.0).abs() < 1e3, "{capacity}");
    assert!((available - 6_054_365.0).abs() < 5e3, "{available}");
    assert!((store.capacity_bytes_per_s.expect("measured") * 8.0 - capacity).abs() < 1e-3);
    let (_, capacity, _) = told(Mode::Corrected);
    assert!((capacity / 4_522_716.0 - 1.0).abs() < 0.06, "{capacity}");
}

/// K of the last packet is between that without a backoff and that with 31 slots of it (V-C1).
#[test]
fn the_sender_knows_the_backoff_of_its_last_packet() {
    let k = read(LinkSpec::wireless("a", "b", 11_000_000), Mode::Paper).lost_to_backoff.expect("packets were sent");
    assert!((0.0239..=0.2473).contains(&k), "{k}");
}

#[test]
fn wires_and_corrected_runs_have_no_printed_values() {
    assert_eq!(read(LinkSpec::wireless("a", "b", 11_000_000), Mode::Corrected).printed, None);
    let wire = read(LinkSpec::wired("a", "b", 11_000_000, 1_000_000), Mode::Paper);
    assert_eq!((wire.printed, wire.lost_to_backoff), (None, None));
}
