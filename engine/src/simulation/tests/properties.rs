//! What holds in any world.

use proptest::prelude::*;

use crate::controllers::CONTROLLERS;
use crate::record::{FlowBin, Outcome};
use crate::request::{Choice, Request};
use crate::units::{MILLISECOND, SECOND};
use crate::world::{
    Access, AnswerWait, Background, Change, ChangeKind, Eifs, FlowSpec, FqCodelSpec, Graph, Hearing, LinkChange,
    LinkMedium, LinkSpec, MacParameters, NodeSpec, QueueSpec, Source, WirelessSpec, World,
};

prop_compose! {
    fn mac()(
        rts in prop::option::of(0_u32..1500),
        g in any::<bool>(),
        eifs in prop::sample::select(vec![Eifs::Off, Eifs::Corrupted, Eifs::Sensed]),
        access in prop::sample::select(vec![Access::Immediate, Access::AlwaysBackOff, Access::WhenTaken]),
        answer_wait in prop::sample::select(vec![AnswerWait::Whole, AnswerWait::Bare, AnswerWait::Header]),
        nav_reset in any::<bool>(),
        limits in (1_u32..8, 1_u32..8, prop::option::of(1_u32..40)),
    ) -> MacParameters {
        let preset = if g { MacParameters::dot11g() } else { MacParameters::dot11b() };
        MacParameters {
            rts_threshold_bytes: rts,
            eifs,
            access,
            answer_wait,
            nav_reset,
            short_retry_limit: limits.0,
            long_retry_limit: limits.1,
            rts_retry_limit: limits.2,
            ..preset
        }
    }
}

fn source() -> impl Strategy<Value = Source> {
    prop_oneof![
        Just(Source::Greedy),
        (1_u64..200_000).prop_map(Source::Bytes),
        (10_000_u64..20_000_000).prop_map(|rate_bps| Source::Cbr { rate_bps }),
        Just(Source::Voip),
    ]
}

prop_compose! {
    /// A chain of three to six nodes whose links are wireless but for some wires, with hearing beyond neighbours,
    /// losses, short queues, and up to three flows.
    fn world()(
        nodes in 3_usize..7,
        wires in prop::collection::vec(prop::bool::weighted(0.2), 6),
        further in prop::collection::vec((0_usize..6, 0_usize..6, 0_u8..3), 0..8),
        losses in prop::collection::vec((0.0..0.4, 0.0..0.2), 6),
        queue in 1_u32..20,
        marking in (prop::option::of(0_u32..5), prop::option::of(0.01..1.0)),
        lifetime in prop::option::of(1_u64..50),
        mac in mac(),
        flows in prop::collection::vec((source(), any::<bool>(), 0_usize..6, 1_usize..6, 40_u32..1500, 0_u64..1000), 1..4),
        change in (0_u64..2000, 1_000_000_u64..11_000_000, 0.0..1.0),
        shared in any::<bool>(),
        above in 0_u32..40,
        capture in any::<bool>(),
    ) -> World {
        let name = |index: usize| format!("n{index}");
        let mut specs: Vec<_> = (0..nodes).map(|index| NodeSpec::new(name(index))).collect();
        specs[1].interface_queue = shared.then(|| QueueSpec::packets(queue));
        specs[1].fq_codel = (shared && above > 0).then(|| FqCodelSpec { packets: above, ..FqCodelSpec::default() });
        let links = (1..nodes).map(|to| {
            let mut link = if wires[to - 1] {
                LinkSpec::wired(name(to - 1), name(to), 2_000_000, MILLISECOND)
            } else {
                LinkSpec::wireless(name(to - 1), name(to), 11_000_000)
            };
            if let LinkMedium::Wireless(wireless) = &mut link.medium {
                *wireless = WirelessSpec { loss: losses[to - 1].0, control_loss: losses[to - 1].1, ..wireless.clone() };
            }
            link.with_queue(QueueSpec {
                bytes: Some(1 << 16),
                mark_from_packets: marking.0,
                mark_average_weight: marking.1,
                per_flow: marking.0.is_some(),
                lifetime_ns: lifetime.map(|ms| ms * MILLISECOND),
                ..QueueSpec::packets(queue)
            })
        });
        let mut world = World::new("random", specs, links.collect());
        let mut graph = Graph { symmetric: true, capture_db: capture.then_some(10.0), ..Graph::default() };
        graph.decodes = (1..nodes).map(|to| (name(to - 1), name(to))).collect();
        for (from, to, kind) in further {
            let list = match kind {
                0 => &mut graph.decodes,
                1 => &mut graph.senses,
                _ => &mut graph.corrupts,
            };
            list.push((name(from % nodes), name(to % nodes)));
        }
        world.hearing = Hearing::Graph(graph);
        world.mac = mac;
        world.duration_ns = 2 * SECOND;
        world.record.events = true;
        for (index, (source, acknowledged, start, hops, payload, at)) in flows.into_iter().enumerate() {
            let first = start % (nodes - 1);
            let last = (first + hops).min(nodes - 1);
            let mut flow = FlowSpec::new(format!("f{index}"), (first..=last).map(name)).with_source(source.clone());
            // A source that nothing times, paces nor answers never sends, which is an error.
            if !acknowledged && source.is_timed() {
                flow = flow.unacknowledged();
            }
            flow.payload_bytes = payload;
            flow.transport.ecn = capture;
            flow.start_ns = at * MILLISECOND;
            world.flows.push(flow);
        }
        let link = LinkChange { from: name(0), to: name(1), rate_bps: Some(change.1), loss: Some(change.2), ..LinkChange::default() };
        world.changes.push(Change { at_ns: change.0 * MILLISECOND, change: ChangeKind::Link(link) });
        let busy_ns = (0..20).map(|index| (index * 90 * MILLISECOND, index * 90 * MILLISECOND + 7 * MILLISECOND)).collect();
        world.background.push(Background { node: name(1), busy_ns, corrupts: capture });
        world
    }
}

fn check(world: &World, outcome: &Outcome) {
    assert_eq!(outcome.fault, None);
    assert!(outcome.conservation.holds(), "{:?}", outcome.conservation);
    assert!(outcome.events.t_ns.is_sorted(), "time ran backwards");
    assert!(outcome.events.t_ns.iter().all(|&at| at <= world.duration_ns));
    for link in outcome.link_bins.rows() {
        let spec = &world.links[link.link as usize / 2];
        assert!(spec.queue.packets.is_none_or(|limit| link.queue_packets_max <= limit));
        assert!(spec.queue.bytes.is_none_or(|limit| link.queue_bytes_max <= limit));
        assert!((0.0..=1.0).contains(&link.utilisation), "{link:?}");
        assert!(link.queue_packets_mean.is_finite() && link.queue_packets_mean <= f64::from(link.queue_packets_max));
        assert!(link.capacity_bps.is_none_or(|capacity| capacity.is_finite() && capacity > 0.0), "{link:?}");
        assert!(link.available_bps.is_none_or(|available| available >= 0.0), "{link:?}");
        assert!(link.available_bps <= link.capacity_bps, "{link:?}");
        assert!((0.0..=1.0).contains(&link.collision_probability));
    }
    for flow in outcome.flow_bins.rows() {
        assert!(flow.throughput_bps.is_finite() && flow.throughput_bps >= 0.0);
        assert!(flow.window_bytes.is_none_or(f64::is_finite) && flow.pacing_bps.is_none_or(f64::is_finite));
    }
    for (index, total) in outcome.flows.rows().enumerate() {
        let bins = || outcome.flow_bins.rows().filter(move |bin| bin.flow as usize == index);
        assert_eq!(bins().map(|bin| bin.sent_packets).sum::<u64>(), total.sent_packets);
        assert_eq!(bins().map(|bin| bin.received_packets).sum::<u64>(), total.received_packets);
        assert!(total.received_packets <= total.sent_packets);
        let acks = |get: fn(FlowBin) -> u64| bins().map(get).sum::<u64>();
        assert!(acks(|bin| bin.received_acks) <= acks(|bin| bin.sent_acks));
        assert!(total.delivered_bytes <= total.received_bytes);
        if let Source::Bytes(bytes) = world.flows[index].source {
            assert!(total.delivered_bytes <= bytes);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn packets_are_conserved_and_runs_repeat(world in world(), controller in 0..CONTROLLERS.len(), seed in any::<u64>()) {
        let request = Request { world, controllers: vec![Choice::new(CONTROLLERS[controller].name)], seed };
        let outcome = request.run().unwrap();
        check(&request.world, &outcome);
        prop_assert_eq!(&outcome, &request.run().unwrap());
    }
}
