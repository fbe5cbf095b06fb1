//! Tests of the rules by the papers' vectors and the Stack topology.

use std::sync::Arc;

use super::*;
use crate::controller::{LinkView, NodeView};
use crate::controllers::wcp::neighbourhood::tests::stack_hearing;
use crate::controllers::wcp::Reach;
use crate::index::LinkId;
use crate::packet::PacketKind;

const LINKS: [(u32, u32); 6] = [(0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (7, 8)];

fn stack() -> Vec<WcpRouter> {
    stack_with(WcpConfig::default())
}

/// Both ways of telling neighbours.
fn told() -> [WcpConfig; 2] {
    [Signals::OneLink, Signals::EveryLink].map(|signals| WcpConfig { signals: Some(signals), ..WcpConfig::default() })
}

fn stack_with(config: WcpConfig) -> Vec<WcpRouter> {
    let hearing = Arc::new(stack_hearing());
    // The links of the flows, then those of acknowledgements, which nobody uses.
    let ends: Vec<_> = LINKS.into_iter().chain(LINKS.map(|(from, to)| (to, from))).collect();
    let link = |(link, &(_, to)): (usize, &(u32, u32))| LinkSetup {
        link: LinkId(link as u32),
        to: NodeId(to),
        rate_bps: 11_000_000,
        wired: false,
        queue_packets: Some(64),
        service_time: 0,
        loss: 0.0,
        airtimes: None,
    };
    (0..9u32)
        .map(|node| {
            let setup = NodeSetup {
                node: NodeId(node),
                links: ends.iter().enumerate().filter(|(_, ends)| ends.0 == node).map(link).collect(),
                neighbours: hearing[NodeId(node)].clone(),
                hearing: Arc::clone(&hearing),
                mac: None,
                seed: 1,
            };
            WcpRouter::new(config.clone(), &setup)
        })
        .collect()
}

fn packet(flow: u32, rtt_s: f64) -> Packet {
    Packet {
        uid: 0,
        flow: FlowId(flow),
        kind: PacketKind::Data,
        segment: 0,
        size_bytes: 552,
        sent_at: 0,
        retransmitted: false,
        hop: 0,
        congestion_experienced: false,
        cumulative: 0,
        sack: [(0, 0); 3],
        receive_window_bytes: 0,
        header: Header::Wcp(WcpHeader { rtt_average_s: rtt_s, rtt_last_s: rtt_s, ..WcpHeader::default() }),
    }
}

/// Packets of one flow per link pass, finding `queues` packets; then all nodes report to their neighbours on every link.
fn share(routers: &mut [WcpRouter], queues: [u32; 6], rtts: [f64; 6]) {
    for (link, &(from, _)) in LINKS.iter().enumerate() {
        let view = [LinkView { queue_packets: queues[link], ..LinkView::default() }].into();
        for _ in 0..200 {
            let mut packet = packet(link as u32, rtts[link]);
            routers[from as usize].on_arrival(1, &NodeView { links: &view }, LocalLink(0), &mut packet);
            routers[from as usize].on_departure(1, &NodeView { links: &view }, LocalLink(0), &mut packet);
        }
    }
    for _ in 0..3 {
        for from in 0..9u32 {
            for link in 0..routers[from as usize].links.len() as u32 {
                let report = routers[from as usize].neighbour_report(LocalLink(link)).unwrap_or_default();
                for to in stack_hearing()[NodeId(from)].clone() {
                    routers[to.0 as usize].on_overheard(1, NodeId(from), &report);
                }
            }
        }
    }
}

#[test]
fn v_n4_the_slowest_link_of_a_neighbourhood_sets_the_pace() {
    for config in told() {
        let mut routers = stack_with(config);
        share(&mut routers, [0; 6], [0.05, 0.06, 0.20, 0.12, 0.05, 0.07]);
        for (from, _) in LINKS {
            assert_eq!(routers[from as usize].shared(LocalLink(0)).rtt_average_s, 0.20);
        }
    }
}

/// The header keeps the largest average and the largest last round-trip time of the neighbourhoods it has crossed.
#[test]
fn headers_collect_the_largest_shared_round_trip_times() {
    let mut routers = stack();
    let view = NodeView { links: &[LinkView::default()].into() };
    let mut slow = packet(0, 0.1);
    slow.header = Header::Wcp(WcpHeader { rtt_average_s: 0.2, rtt_last_s: 0.3, ..WcpHeader::default() });
    routers[0].on_arrival(1, &view, LocalLink(0), &mut slow);
    for (before, after) in [((0.0, 0.0), (0.2, 0.3)), ((0.25, 0.1), (0.25, 0.3)), ((0.1, 0.5), (0.2, 0.5))] {
        let mut passing = packet(0, 0.1);
        passing.header = Header::Wcp(WcpHeader {
            shared_rtt_average_s: before.0,
            shared_rtt_last_s: before.1,
            ..WcpHeader::default()
        });
        routers[0].on_departure(1, &view, LocalLink(0), &mut passing);
        let Header::Wcp(header) = passing.header else { unreachable!("the header stays what it is") };
        assert_eq!((header.shared_rtt_average_s, header.shared_rtt_last_s), after);
    }
}

/// S003 sec. III-A: two flows of 0.1 and 0.3 s on one link make 0.2 s.
#[test]
fn the_round_trip_time_of_a_link_is_the_mean_of_its_flows() {
    let mut routers = stack();
    let view = NodeView { links: &[LinkView::default()].into() };
    for (flow, rtt_s) in [(0, 0.1), (1, 0.3)] {
        routers[0].on_arrival(1, &view, LocalLink(0), &mut packet(flow, rtt_s));
    }
    let shared = routers[0].shared(LocalLink(0));
    assert!((shared.rtt_average_s - 0.2).abs() < 1e-12 && (shared.rtt_last_s - 0.2).abs() < 1e-12);
}

/// S003 table 1, K = 4 and w_q = 0.02: 10 (1 - 0.98^n) exceeds 4 at n = 26.
#[test]
fn the_26th_packet_that_finds_ten_waiting_congests() {
    let mut routers = stack();
    let view = [LinkView { queue_packets: 10, ..LinkView::default() }].into();
    let congested: Vec<bool> = (0..30)
        .map(|_| {
            routers[0].on_arrival(1, &NodeView { links: &view }, LocalLink(0), &mut packet(0, 0.1));
            routers[0].shared(LocalLink(0)).congested
        })
        .collect();
    assert_eq!(congested.iter().position(|&congested| congested), Some(25));
}

#[test]
fn congestion_is_told_until_it_expires() {
    let mut router = stack().remove(0);
    let view = [LinkView { queue_packets: 200, ..LinkView::default() }].into();
    let hold = nanos(WcpConfig::default().hold_s);
    router.on_arrival(1, &NodeView { links: &view }, LocalLink(0), &mut packet(0, 0.1));
    assert_eq!(router.is_congested(1, LocalLink(0)), Some(false), "0.02 of 200 packets are K");
    router.on_arrival(2, &NodeView { links: &view }, LocalLink(0), &mut packet(0, 0.1));
    assert_eq!([2 + hold, 3 + hold].map(|now| router.is_congested(now, LocalLink(0))), [Some(true), Some(false)]);
}

#[test]
fn a_report_is_numbered_by_what_changed_in_it() {
    let mut routers = stack();
    let number = |routers: &[WcpRouter]| routers[0].neighbour_report(LocalLink(0)).map(|report| report.links[0].number);
    assert_eq!([(); 2].map(|()| number(&routers)), [Some(1); 2]);
    routers[0].on_overheard(7, NodeId(1), &NeighbourReport::default());
    assert_eq!(number(&routers), Some(1), "only later");
    share(&mut routers, [20, 0, 0, 0, 0, 0], [0.05; 6]);
    assert_eq!([(); 2].map(|()| number(&routers)), [Some(2); 2], "congested");
}

#[test]
fn congestion_marks_its_neighbourhood_and_no_further() {
    for config in told() {
        let mut routers = stack_with(config);
        share(&mut routers, [20, 0, 0, 0, 0, 0], [0.05; 6]);
        let marked: Vec<_> =
            LINKS.iter().map(|&(from, _)| routers[from as usize].shared(LocalLink(0)).congested).collect();
        assert_eq!(marked, [true, true, true, true, false, false]);
    }
}

/// 5 -> 6 of Stack is in `L(1 -> 2)` and `L(7 -> 8)` because 2 and 8 hear 5, which 1 and 7 do not: signals to
/// one-hop neighbours miss both. From 1 -> 2 signals over two hops reach the bottom row, which does not share.
#[test]
fn the_reach_of_signals_decides_who_is_marked() {
    for (reach, from_5_to_6, from_1_to_2) in [
        (Reach::OneHop, [false, true, true, true, false, true], [true, true, true, true, false, false]),
        (Reach::Neighbourhood, [true; 6], [true, true, true, true, false, false]),
        (Reach::TwoHops, [true; 6], [true; 6]),
    ] {
        for (queues, expected) in [([0, 0, 0, 20, 0, 0], from_5_to_6), ([20, 0, 0, 0, 0, 0], from_1_to_2)] {
            for config in told() {
                let mut routers = stack_with(WcpConfig { reach, ..config.clone() });
                share(&mut routers, queues, [0.05; 6]);
                let marked: Vec<_> =
                    LINKS.iter().map(|&(from, _)| routers[from as usize].shared(LocalLink(0)).congested).collect();
                assert_eq!(marked, expected, "{reach:?}, {:?}", config.signals);
            }
        }
    }
}

/// S003 sec. III-A: the flow's times are those of the header of the packet that the frame carries.
#[test]
fn a_frame_tells_of_the_link_that_it_is_sent_on() {
    let [config, _] = told();
    let mut routers = stack_with(config);
    share(&mut routers, [0, 20, 0, 0, 0, 0], [0.05; 6]);
    let on = |link: u32| routers[1].summary(LocalLink(link)).expect("node 1 has it").link;
    assert_eq!(on(0), SentOn { to: NodeId(2), congested: true, flow: Some((FlowId(1), 0.05, 0.05)) });
    assert_eq!(on(1), SentOn { to: NodeId(0), congested: false, flow: None });
}

#[test]
fn a_queue_that_nobody_uses_any_more_congests_nobody() {
    for config in told() {
        let mut routers = stack_with(config);
        share(&mut routers, [20, 0, 0, 0, 0, 0], [0.05; 6]);
        let hold = nanos(WcpConfig::default().hold_s);
        for (later, congested) in [(1, true), (hold + 2, false)] {
            routers[0].on_overheard(later, NodeId(1), &NeighbourReport::default());
            assert_eq!(routers[0].shared(LocalLink(0)).congested, congested);
        }
        assert_eq!(routers[0].shared(LocalLink(0)).rtt_average_s, 0.0);
    }
}

#[test]
fn v_n2_the_average_queue_passes_the_threshold_at_the_26th_sample() {
    let mut queue = QueueAverage::default();
    let mut samples = 0;
    while queue.packets() <= 4.0 {
        queue.sample(10.0, 0.02);
        samples += 1;
    }
    assert_eq!(samples, 26);
    assert!((queue.packets() - 4.086_046).abs() < 1e-6);
}
