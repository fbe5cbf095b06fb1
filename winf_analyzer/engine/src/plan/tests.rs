//! Worlds that cannot be run, and what is said about them.

use super::Plan;
use crate::units::SECOND;
use crate::world::{
    Background, FlowSpec, Graph, Hearing, LinkMedium, LinkSpec, NodeSpec, QueueSpec, Range, RecordSpec, Reroute, World,
};

fn valid() -> World {
    let nodes = ["a", "b", "c"].map(NodeSpec::new).to_vec();
    let links = vec![LinkSpec::wireless("a", "b", 11_000_000), LinkSpec::wireless("b", "c", 11_000_000)];
    let mut world = World::new("chain", nodes, links);
    world.flows.push(FlowSpec::new("f", ["a", "b", "c"]));
    world
}

/// What is said about a world that was valid before `spoil`.
fn complaint(spoil: impl FnOnce(&mut World)) -> String {
    let mut world = valid();
    spoil(&mut world);
    Plan::new(&world).map(|_| "nothing".to_owned()).unwrap_or_else(|error| error.to_string())
}

#[test]
fn a_valid_world_resolves() {
    let plan = Plan::new(&valid()).unwrap();
    assert_eq!(plan.links.len(), 4);
    assert_eq!(plan.flows[0].routes[0].forward.len(), 2);
    assert_eq!(plan.flows[0].routes[0].backward.len(), 2);
}

#[test]
fn names_are_checked() {
    assert_eq!(
        complaint(|world| world.nodes[1].name = "a".to_owned()),
        "two nodes are called \"a\"; names must differ"
    );
    let unknown = complaint(|world| world.links[1].to = "d".to_owned());
    assert_eq!(unknown, "the link from \"b\" to \"d\" names the node \"d\", which does not exist");
    let gap = complaint(|world| world.flows[0].path = vec!["a".to_owned(), "c".to_owned()]);
    assert_eq!(gap, "the path of flow \"f\" goes from \"a\" to \"c\", but there is no such link");
    let twice = complaint(|world| world.links.push(LinkSpec::wireless("b", "a", 1_000_000)));
    assert!(twice.contains("b -> a"), "{twice}");
    let circle = complaint(|world| world.flows[0].path = ["a", "b", "a"].map(str::to_owned).to_vec());
    assert!(circle.contains("each at most once"), "{circle}");
}

#[test]
fn numbers_are_checked() {
    let complaints = [
        (complaint(|world| world.duration_ns = 0), "duration_ns"),
        (complaint(|world| world.record = RecordSpec { bin_ns: 1, events: false }), "rows"),
        (complaint(|world| world.mac.slot_ns = 0), "slot_ns"),
        (complaint(|world| world.mac.difs_ns = 1), "difs_ns"),
        (complaint(|world| world.mac.cw_min = 5000), "cw_min"),
        (complaint(|world| world.mac.short_retry_limit = 0), "short_retry_limit"),
        (complaint(|world| world.links[0].queue.packets = Some(0)), "queue.packets"),
        (complaint(|world| world.links[0].queue = QueueSpec { packets: None, ..world.links[0].queue }), "queue"),
        (complaint(|world| world.flows[0].payload_bytes = 0), "payload_bytes"),
        (complaint(|world| world.flows[0].stop_ns = Some(0)), "nothing"),
        (complaint(|world| world.flows[0] = world.flows[0].clone().between(5, 3)), "stop_ns"),
        (complaint(|world| world.hearing = Hearing::Range(Range::new(f64::NAN))), "decode_m"),
        (complaint(|world| world.hearing = Hearing::Range(Range::new(10.0))), "position_m"),
    ];
    for (said, about) in complaints {
        assert!(said.contains(about), "{said} does not speak of {about}");
    }
}

#[test]
fn probabilities_and_rates_are_checked() {
    for (loss, rate_bps, about) in [(1.5, 11_000_000, "loss"), (f64::NAN, 11_000_000, "loss"), (0.0, 0, "rate_bps")] {
        let said = complaint(|world| {
            if let LinkMedium::Wireless(wireless) = &mut world.links[0].medium {
                (wireless.loss, wireless.rate_bps) = (loss, rate_bps);
            }
        });
        assert!(said.contains(about), "{said} does not speak of {about}");
    }
}

#[test]
fn links_need_ears() {
    let decodes =
        vec![("a".to_owned(), "b".to_owned()), ("b".to_owned(), "a".to_owned()), ("b".to_owned(), "c".to_owned())];
    let said = complaint(|world| world.hearing = Hearing::Graph(Graph { decodes, ..Graph::default() }));
    assert!(said.contains("\"b\" to \"c\" cannot work"), "{said}");
}

#[test]
fn time_goes_forward() {
    let reroute = |at_ns| Reroute { at_ns, path: ["a", "b", "c"].map(str::to_owned).to_vec(), reverse_path: None };
    let said = complaint(|world| world.flows[0].reroutes = vec![reroute(SECOND), reroute(0)]);
    assert!(said.contains("in order of time"), "{said}");
    let busy_ns = vec![(5, 10), (10, 20)];
    let background = Background { node: "a".to_owned(), busy_ns, corrupts: false };
    let said = complaint(|world| world.background.push(background));
    assert!(said.contains("apart"), "{said}");
}

#[test]
fn nodes_without_a_radio_hear_nothing_and_need_no_place() {
    let mut world = valid();
    world.nodes.extend((0..2500).map(|index| NodeSpec::new(format!("server {index}"))));
    world.links.extend((0..2500).map(|index| LinkSpec::wired("a", format!("server {index}"), 1_000_000, 0)));
    assert!(Plan::new(&world).is_ok());
    for (node, x) in world.nodes.iter_mut().zip([0.0, 10.0, 20.0]) {
        node.position_m = Some([x, 0.0]);
    }
    world.hearing = Hearing::Range(Range::new(15.0));
    let plan = Plan::new(&world).unwrap();
    assert!(plan.audibility.decodes(crate::packet::NodeId(0), crate::packet::NodeId(1)));
    assert!(!plan.audibility.decodes(crate::packet::NodeId(0), crate::packet::NodeId(2)));
}
