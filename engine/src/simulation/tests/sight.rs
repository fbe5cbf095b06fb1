//! What an event costs does not grow with the links of its node.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use crate::controller::{Controller, Endpoint, FlowSetup, Mode, NodeSetup, NodeView, Router, Sight};
use crate::controllers;
use crate::index::LocalLink;
use crate::packet::Packet;
use crate::simulation::Simulation;
use crate::units::{Nanos, MILLISECOND, SECOND};
use crate::world::{FlowSpec, LinkSpec, NodeSpec, World};

/// NewReno, and routers that look at `sight` and count the links of which they know a capacity.
struct Onlooker {
    sight: Sight,
    known: Arc<AtomicUsize>,
}

struct Counting {
    sight: Sight,
    known: Arc<AtomicUsize>,
}

impl Controller for Onlooker {
    fn name(&self) -> &str {
        "onlooker"
    }

    fn mode(&self) -> Mode {
        Mode::Corrected
    }

    fn endpoint(&self, flow: &FlowSetup) -> Box<dyn Endpoint> {
        controllers::make("new_reno", Mode::Corrected, &serde_json::Value::Null).unwrap().endpoint(flow)
    }

    fn router(&self, _node: &NodeSetup) -> Option<Box<dyn Router>> {
        Some(Box::new(Counting { sight: self.sight, known: Arc::clone(&self.known) }))
    }
}

impl Router for Counting {
    fn look(&self, _now: Nanos, link: Option<LocalLink>, see: &mut dyn FnMut(LocalLink)) -> Sight {
        link.into_iter().for_each(see);
        self.sight
    }

    fn on_arrival(&mut self, _now: Nanos, view: &NodeView, link: LocalLink, _packet: &mut Packet) {
        let knows = |link| view.links.get(link).is_some_and(|link| link.cross_layer.capacity_bytes_per_s.is_some());
        assert!(knows(link));
        self.known.fetch_max(view.links.ids().filter(|&link| knows(link)).count(), Ordering::Relaxed);
    }
}

/// A hub that sends to the first of ten spokes: the most links of which a router ever knew something.
fn known_links(sight: Sight) -> usize {
    let spokes: Vec<_> = (0..10).map(|spoke| spoke.to_string()).collect();
    let link = |spoke: &String| LinkSpec::wired("hub", spoke.as_str(), 10_000_000, MILLISECOND);
    let links = spokes.iter().map(|spoke| LinkSpec { duplex: true, ..link(spoke) }).collect();
    let nodes = spokes.iter().map(String::as_str).chain(["hub"]).map(NodeSpec::new).collect();
    let mut world = World::new("hub", nodes, links);
    world.duration_ns = SECOND;
    world.flows.push(FlowSpec::new("f", ["hub", "0"]));
    let known = Arc::new(AtomicUsize::new(0));
    let controller: Box<dyn Controller> = Box::new(Onlooker { sight, known: Arc::clone(&known) });
    assert!(Simulation::new(&world, &[controller], 1).unwrap().run().conservation.holds());
    known.load(Ordering::Relaxed)
}

#[test]
fn only_links_that_a_router_looks_at_are_measured_for_it() {
    assert_eq!(known_links(Sight::All), 10);
    assert_eq!(known_links(Sight::Named), 1);
}
