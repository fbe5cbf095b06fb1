//! Worlds that cannot be run, and what is said about them.

use super::Plan;
use crate::index::FlowId;
use crate::units::SECOND;
use crate::world::{
    Background, FlowSpec, Graph, Hearing, LinkMedium, LinkSpec, NodeSpec, QueueSpec, Range, RecordSpec, Reroute,
    TransportSpec, WindowReduction, World,
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

fn without_sack(recovery: WindowReduction) -> TransportSpec {
    TransportSpec { sack: false, recovery, ..TransportSpec::default() }
}

#[test]
fn a_valid_world_resolves() {
    let plan = Plan::new(&valid()).unwrap();
    assert_eq!(plan.links.len(), 4);
    assert_eq!(plan.flows[FlowId(0)].routes[0].forward.len(), 2);
    assert_eq!(plan.flows[FlowId(0)].routes[0].backward.len(), 2);
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
        (complaint(|world| world.flows[0].transport = without_sack(WindowReduction::Prr)), "recovery"),
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
    assert!(plan.audibility.decodes(crate::index::NodeId(0), crate::index::NodeId(1)));
    assert!(!plan.audibility.decodes(crate::index::NodeId(0), crate::index::NodeId(2)));
}

const DOCUMENT: &str = r#"duration_ns = 5_000_000_000
route_repair_ns = 1
nodes = [
    { name = "a", position_m = [0, 0] },
    { name = "b", position_m = [1, 0], waypoints = [{ at_ns = 5, position_m = [0, 0] }] },
    { name = "c", position_m = [2, 0], interface_queue = { packets = 9 }, fq_codel = { quantum_bytes = 300 } },
]

[mac]
preset = "802.11b"
slot_ns = 20_000

[record]
bin_ns = 100_000_000

[[links]]
from = "a"
to = "b"
duplex = true
queue = { packets = 50 }
medium.wireless = { rate_bps = 11_000_000,
  loss = 0.1, airtimes = [
  { packet_bytes = 100, airtime_ns = 1000 }] }

[[links]]
from = "b"
to = "c"
duplex = true
[links.medium.wired]
rate_bps = 1_000_000
delay_ns = 5

[hearing.graph]
decodes = [
  ["a", "b"],
  ["b", "a"],
]
powers = [
  { from = "a", to = "b", dbm = -50 },
]

[[flows]]
name = "f"
path = ["a", "b",
  "c"]
reverse_path = ["c", "b", "a"]
payload_bytes = 512
start_ns = 3
stop_ns = 4
controller = 0
source.cbr.rate_bps = 64_000
transport.minimum_timeout_ns = 1_000_000_000

[[flows.reroutes]]
at_ns = 9
path = ["a", "b", "c"]

[[flows]]
name = "g"
path = ["a", "b"]

[[changes]]
at_ns = 1
[changes.change.link]
from = "a"
to = "b"
loss = 0.5

[[changes]]
at_ns = 2
[changes.change.hearing.range]
decode_m = 50

[[background]]
node = "a"
busy_ns = [[1, 2]]
"#;

/// What is said about the document with something replaced, and the line that it names.
#[track_caller]
fn complaint_and_line(right: &str, wrong: &str) -> (String, Option<usize>) {
    let text = DOCUMENT.replacen(right, wrong, 1);
    assert_ne!(text, DOCUMENT, "{right} is not in the document");
    let world = World::from_toml(&text).unwrap();
    let planned = Plan::new(&world).and_then(|plan| plan.check_controllers(1));
    planned.map_or_else(|error| (error.to_string(), error.line(&text)), |()| ("nothing".to_owned(), None))
}

#[test]
fn errors_of_meaning_have_the_line_of_what_is_wrong() {
    let plan = Plan::new(&World::from_toml(DOCUMENT).unwrap());
    assert!(plan.is_ok(), "{plan:?}");
    // What is wrong stands in the line of what it replaces, unless said otherwise.
    let replaced = [
        ("duration_ns = 5_000_000_000", "duration_ns = 0", "duration_ns is 0"),
        ("{ name = \"b\"", "{ name = \"a\"", "two nodes"),
        ("at_ns = 5, position_m = [0, 0]", "at_ns = 5, position_m = [inf, 0]", "position_m is inf"),
        ("packets = 9", "packets = 0", "interface_queue.packets is 0"),
        ("interface_queue = { packets = 9 }, ", "", "fq_codel is without an interface_queue"),
        ("quantum_bytes = 300", "quantum_bytes = 0", "fq_codel.quantum_bytes is 0"),
        ("quantum_bytes = 300", "target_ns = 0", "fq_codel.target_ns is 0"),
        ("slot_ns = 20_000", "slot_ns = 0", "slot_ns is 0"),
        ("bin_ns = 100_000_000", "bin_ns = 0", "bin_ns is 0"),
        ("bin_ns = 100_000_000", "bin_ns = 1", "rows of the binned results"),
        ("packets = 50", "packets = 0", "queue.packets is 0"),
        ("rate_bps = 11_000_000", "rate_bps = 11", "rate_bps is 11"),
        ("  loss = 0.1", "  loss = 1.1", "loss is 1.1"),
        ("airtime_ns = 1000", "airtime_ns = 0", "airtime_ns is 0"),
        ("rate_bps = 1_000_000", "rate_bps = 1", "rate_bps is 1"),
        ("  [\"b\", \"a\"]", "  [\"b\", \"x\"]", "names the node \"x\""),
        ("  { from = \"a\"", "  { from = \"x\"", "names the node \"x\""),
        ("dbm = -50", "dbm = 999", "dbm is 999"),
        ("to = \"c\"", "to = \"x\"", "names the node \"x\""),
        ("  \"c\"]\n", "  \"x\"]\n", "names the node \"x\""),
        ("reverse_path = [\"c\", \"b\", \"a\"]", "reverse_path = [\"b\", \"a\"]", "from the flow's end"),
        ("payload_bytes = 512", "payload_bytes = 0", "payload_bytes is 0"),
        ("stop_ns = 4", "stop_ns = 2", "stop_ns is before"),
        ("controller = 0", "controller = 1", "controller is 1"),
        ("source.cbr.rate_bps = 64_000", "source.cbr.rate_bps = 64", "rate_bps is 64"),
        ("source.cbr.rate_bps = 64_000", "source.scheduled = [[2, 9], [1, 9]]", "scheduled is unordered"),
        ("minimum_timeout_ns = 1_000_000_000", "minimum_timeout_ns = 1", "minimum_timeout_ns is 1"),
        ("path = [\"a\", \"b\", \"c\"]", "path = [\"a\", \"b\"]", "a path with the flow's ends"),
        ("path = [\"a\", \"b\"]", "path = [\"a\", \"c\"]", "there is no such link"),
        ("loss = 0.5", "loss = -0.5", "loss is -0.5"),
        ("decode_m = 50", "decode_m = nan", "decode_m is NaN"),
        ("node = \"a\"\nb", "node = \"x\"\nb", "names the node \"x\""),
        ("busy_ns = [[1, 2]]", "busy_ns = [[2, 1]]", "busy_ns is unordered"),
    ];
    for (right, wrong, about) in replaced {
        let (said, line) = complaint_and_line(right, wrong);
        assert!(said.contains(about), "{said} does not speak of {about}");
        let location = DOCUMENT.find(right).map(|at| DOCUMENT[..at].matches('\n').count() + 1);
        assert_eq!(line, location, "{said}");
    }
}

#[test]
fn errors_about_what_is_left_out_have_the_line_of_what_it_belongs_to() {
    let line_of = |part: &str| DOCUMENT.find(part).map(|at| DOCUMENT[..at].matches('\n').count() + 1);
    let rows = [
        ("name = \"g\"", "name = \"f\"", "two flows", "[[flows]]\nname = \"g\""),
        ("from = \"b\"\nto = \"c\"", "from = \"b\"\nto = \"a\"", "two links", "[[links]]\nfrom = \"b\""),
        ("to = \"b\"\nloss", "to = \"c\"\nloss", "there is no such link", "to = \"b\"\nloss"),
        (", position_m = [2, 0]", "", "nothing", ""),
        ("preset = \"802.11b\"", "difs_ns = 1", "difs_ns is 1", "preset"),
    ];
    for (right, wrong, about, at) in rows {
        let (said, line) = complaint_and_line(right, wrong);
        assert!(said.contains(about), "{said} does not speak of {about}");
        assert_eq!(line, line_of(at).filter(|_| !at.is_empty()), "{said}");
    }
    let deaf = DOCUMENT.replacen("  [\"b\", \"a\"],\n", "", 1);
    let deaf = deaf.split("[[flows]]").next().unwrap_or_default();
    let error = Plan::new(&World::from_toml(deaf).unwrap()).unwrap_err();
    assert!(error.to_string().contains("cannot work"), "{error}");
    assert_eq!(error.line(deaf), line_of("[[links]]"));
}
