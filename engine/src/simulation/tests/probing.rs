//! rt-Winf's probes: a link is measured before anything is sent on it, and as long as nothing is.

use crate::controller::Mode;
use crate::controllers;
use crate::record::Outcome;
use crate::simulation::Simulation;
use crate::units::{MILLISECOND, SECOND};
use crate::world::{FlowSpec, LinkMedium, LinkSpec, NodeSpec, Probing, Source, World};

/// A flow of datagrams from the fifth second on, `rate_bps` of 1000 bytes each, in ten seconds.
fn world(probing: Option<Probing>, rate_bps: u64) -> World {
    let nodes = ["a", "b"].map(NodeSpec::new).to_vec();
    let mut world = World::new("pair", nodes, vec![LinkSpec::wireless("a", "b", 11_000_000)]);
    let mut flow = FlowSpec::new("f", ["a", "b"]).with_source(Source::Cbr { rate_bps }).unacknowledged();
    (flow.payload_bytes, flow.header_bytes, flow.start_ns) = (1000, 0, 5 * SECOND);
    world.flows.push(flow);
    world.duration_ns = 10 * SECOND;
    world.record.bin_ns = 100 * MILLISECOND;
    world.probing = probing;
    world
}

fn run(world: &World) -> Outcome {
    Simulation::new(world, &[], 1).unwrap().run()
}

/// When the capacity of the link is first known.
fn first_known(outcome: &Outcome) -> Option<u64> {
    outcome.link_bins.rows().find(|bin| bin.link == 0 && bin.capacity_bps.is_some()).map(|bin| bin.t_ns)
}

#[test]
fn a_link_is_measured_before_the_first_packet() {
    assert_eq!(first_known(&run(&world(None, 800_000))), Some(5 * SECOND));
    let probed = run(&world(Some(Probing::default()), 800_000));
    assert_eq!(first_known(&probed), Some(0));
    assert_eq!(probed.flows.received_packets, run(&world(None, 800_000)).flows.received_packets);
    assert_eq!(probed.links.attempts[1], 0, "nobody sends the other way");
}

/// One a second, counted from the last measurement, until a packet comes every 10 ms; where packets are further apart than
/// what they measure serves, probes go on between them.
#[test]
fn probes_are_sent_until_data_gives_values() {
    let probes = |rate_bps, interval_ns| {
        let outcome = run(&world(Some(Probing { bytes: 1000, interval_ns }), rate_bps));
        outcome.links.attempts[0] - outcome.flows.sent_packets[0]
    };
    assert_eq!(probes(800_000, SECOND), 5);
    assert_eq!(probes(800_000, SECOND / 2), 10);
    assert_eq!(probes(4_000, SECOND / 2), 17, "ten before, three in each pause of two seconds, and one in the last");
}

/// S000 eq. 1: the size over the time from the start of the data to the end of its ACK.
#[test]
fn a_probe_gives_the_printed_capacity() {
    let mut world = world(Some(Probing { bytes: 500, ..Probing::default() }), 8_000);
    world.flows[0].ack_bytes = 40;
    world.flows[0].start_ns = 9 * SECOND;
    let settings = serde_json::Value::Object(serde_json::Map::new());
    let winf = controllers::make("xcp_winf", Mode::Paper, &settings).unwrap();
    let outcome = Simulation::new(&world, &[winf], 1).unwrap().run();
    let capacity = outcome.link_bins.rows().find(|bin| bin.link == 0).and_then(|bin| bin.capacity_bps).unwrap();
    // ACKs of xcp_winf are eight octets longer, which tell the sender its receiver's values.
    let span_s = 192e-6 + 8.0 * 528.0 / 11e6 + 10e-6 + 304e-6 + 64e-6;
    assert!((capacity / (8.0 * 500.0 / span_s) - 1.0).abs() < 1e-6, "{capacity}");
}

#[test]
fn a_probe_that_is_lost_loses_no_packet_and_breaks_no_route() {
    let mut world = world(Some(Probing::default()), 800_000);
    let LinkMedium::Wireless(wireless) = &mut world.links[0].medium else { unreachable!("as made above") };
    wireless.loss = 1.0;
    world.route_repair_ns = Some(3600 * SECOND);
    world.flows[0].start_ns = 20 * SECOND;
    let outcome = run(&world);
    assert!(outcome.links.failed_channel[0] >= 40);
    assert_eq!(outcome.links.attempts[0], outcome.links.failed_channel[0], "none ended well");
    assert_eq!((outcome.conservation.dropped_channel, first_known(&outcome)), (0, None));
}

#[test]
fn probes_have_a_size_and_a_time() {
    for (probing, key) in [
        (Probing { bytes: 0, ..Probing::default() }, "bytes"),
        (Probing { interval_ns: 0, ..Probing::default() }, "interval_ns"),
    ] {
        let error = Simulation::new(&world(Some(probing), 8_000), &[], 1).err().map(|error| error.to_string());
        assert!(error.as_ref().is_some_and(|error| error.contains("probing") && error.contains(key)), "{error:?}");
    }
}
