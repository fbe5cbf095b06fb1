//! Constants of the papers that a controller has by default, seen in what it does.

use std::sync::Arc;

use winf_engine::controller::{
    Ack, Controller, FlowSetup, FlowView, LinkAirtimes, LinkSetup, LinkView, MacSetup, Mode, NodeSetup, NodeView,
    Router,
};
use winf_engine::controllers::vegas::{vegas, VegasConfig};
use winf_engine::controllers::wcp_cap::achievable::{Load, Region};
use winf_engine::controllers::wcp_cap::{UtilizationSearch, WcpCap};
use winf_engine::cross_layer::CrossLayer;
use winf_engine::index::{FlowId, IndexVec, LinkId, LocalLink, NodeId};
use winf_engine::packet::{Header, Packet, PacketKind, WcpHeader};
use winf_engine::units::{Nanos, SECOND};
use winf_engine::world::{FlowSpec, MacParameters};

const PACKET_BYTES: u32 = 552;
const RTT_S: f64 = 0.1;

/// 802.11b with RTS/CTS.
const MAC: MacSetup = MacSetup {
    slot_s: 20e-6,
    sifs_s: 10e-6,
    difs_s: 50e-6,
    plcp_s: 192e-6,
    cw_min: 31,
    backoff_stages: 5,
    retries: 6,
    rts_threshold_bytes: 0,
};

const AIRTIMES: LinkAirtimes = LinkAirtimes {
    rts_s: 352e-6,
    cts_s: 304e-6,
    ack_s: 304e-6,
    data_overhead_s: 192e-6 + 8.0 * 28.0 / 11e6,
    data_rate_bps: 11e6,
};

fn hearing() -> IndexVec<NodeId, Vec<NodeId>> {
    IndexVec::from(vec![vec![NodeId(1)], vec![NodeId(0)]])
}

/// WCPCap at node 0 of the link 0 -> 1.
fn wcp_cap() -> Box<dyn Router> {
    let link = LinkSetup {
        link: LinkId(0),
        to: NodeId(1),
        rate_bps: 11_000_000,
        wired: false,
        queue_packets: Some(64),
        service_time: 0,
        loss: 0.0,
        airtimes: Some(AIRTIMES),
    };
    let node = NodeSetup {
        node: NodeId(0),
        links: [link].into(),
        neighbours: vec![NodeId(1)],
        hearing: Arc::new(hearing()),
        mac: Some(MAC),
        seed: 1,
    };
    let controller = WcpCap::new(Mode::Corrected, &serde_json::json!({})).expect("defaults");
    controller.router(&node).expect("WCPCap has routers")
}

fn packet() -> Packet {
    Packet {
        uid: 0,
        flow: FlowId(0),
        kind: PacketKind::Data,
        segment: 0,
        size_bytes: PACKET_BYTES,
        sent_at: 0,
        retransmitted: false,
        hop: 0,
        congestion_experienced: false,
        cumulative: 0,
        sack: [(0, 0); 3],
        receive_window_bytes: 0,
        header: Header::Wcp(WcpHeader {
            rtt_average_s: RTT_S,
            rtt_last_s: RTT_S,
            rate_packets_per_s: f64::INFINITY,
            ..WcpHeader::default()
        }),
    }
}

/// So many packets pass at `now`; returns the rate that the last of them was granted.
fn pass(router: &mut dyn Router, now: Nanos, packets: usize) -> f64 {
    let links = [LinkView::default()].into();
    let view = NodeView { links: &links };
    let mut rate = f64::NAN;
    for _ in 0..packets {
        let mut passing = packet();
        router.on_arrival(now, &view, LocalLink(0), &mut passing);
        router.on_departure(now, &view, LocalLink(0), &mut passing);
        if let Header::Wcp(header) = passing.header {
            rate = header.rate_packets_per_s;
        }
    }
    rate
}

/// The timer that is due, with so many packets waiting; returns when it was.
fn fire(router: &mut dyn Router, queue_packets: u32) -> Nanos {
    let at = router.next_timer().expect("an epoch is under way");
    let links = [LinkView { queue_packets, ..LinkView::default() }].into();
    router.on_timer(at, &NodeView { links: &links });
    at
}

/// S003 table 1, k = 10: ten shared round-trip times of 0.1 s.
#[test]
fn an_epoch_of_wcp_cap_is_ten_round_trips() {
    let mut router = wcp_cap();
    pass(&mut *router, 0, 40);
    let first = fire(&mut *router, 0);
    assert_eq!(router.next_timer(), Some(first + SECOND));
}

/// S003 sec. III-B: about thirty packets; an epoch with fewer goes on and has counted nothing yet.
#[test]
fn an_epoch_of_wcp_cap_has_thirty_packets() {
    for (packets, flows) in [(29, 0), (30, 1)] {
        let mut router = wcp_cap();
        pass(&mut *router, 0, packets);
        fire(&mut *router, 0);
        assert_eq!(router.neighbour_report(LocalLink(0)).expect("a report").links[0].flows, flows, "{packets} packets");
    }
}

/// S003 fig. 4 and table 1: from 0, R grows by rho = 0.3 of delta, less beta = 0.1 of the queue over the round-trip time.
#[test]
fn the_rate_of_wcp_cap_moves_by_rho_and_beta() {
    for queue in [0, 50] {
        let mut router = wcp_cap();
        pass(&mut *router, 0, 40);
        let first = fire(&mut *router, 0);
        pass(&mut *router, first, 100);
        let second = fire(&mut *router, queue);
        let rate = pass(&mut *router, second, 1);
        let carried = 100.0 * 1e9 / (second - first) as f64;
        let load = Load {
            from: NodeId(0),
            to: NodeId(1),
            packet_bytes: f64::from(PACKET_BYTES),
            loss: 0.0,
            airtimes: AIRTIMES,
        };
        let growth = Region::new(MAC, &hearing(), vec![load]).greatest(&[carried], &[1.0], 1.0, 5e-3);
        assert!(growth > 100.0, "there is room: {growth}");
        let expected = 0.3 * growth - 0.1 * f64::from(queue) / RTT_S;
        assert!((rate - expected).abs() < 1e-6, "{rate} is not {expected}");
    }
}

#[test]
fn a_link_of_wcp_cap_that_carries_nothing_grants_nothing() {
    let mut router = wcp_cap();
    pass(&mut *router, 0, 40);
    let first = fire(&mut *router, 0);
    pass(&mut *router, first, 100);
    fire(&mut *router, 0);
    let granted =
        |router: &dyn Router| router.neighbour_report(LocalLink(0)).expect("a report").links[0].granted_packets_per_s;
    assert!(granted(&*router).is_finite());
    // An epoch without a packet waits as long as reports are kept, and then ends.
    for _ in 0..10 {
        if router.next_timer().is_some() {
            fire(&mut *router, 0);
        }
    }
    assert_eq!(granted(&*router), f64::INFINITY);
}

/// The source sends at the rate of its last acknowledgement, headers included.
#[test]
fn packets_bring_back_the_rate_of_wcp_cap() {
    let controller = WcpCap::new(Mode::Corrected, &serde_json::json!({})).expect("defaults");
    let mut source =
        controller.endpoint(&FlowSetup { mss_bytes: 512, header_bytes: 40, hops: 2, initial_window_segments: 1 });
    let header = WcpHeader { rate_packets_per_s: 70.0, ..WcpHeader::default() };
    source.on_ack(0, &view(512, 0.1), &Ack { header: Header::Wcp(header), ..ack(0.1) });
    assert_eq!(source.pacing_bytes_per_s(), Some(70.0 * 552.0));
}

/// S003 sec. III-B: U falls when the average queue is above one packet; one packet is not.
#[test]
fn one_packet_is_no_long_queue_for_wcp_cap() {
    for (queue, utilization) in [(1.0, 1.0), (1.01, 0.75)] {
        let mut search = UtilizationSearch::new(0.5, 1.0);
        search.on_epoch(queue);
        assert_eq!(search.value(), utilization);
    }
}

/// gamma = 1 as in ns-2: slow start ends once more than one segment waits in queues.
#[test]
fn slow_start_ends_once_more_than_gamma_wait() {
    for (waiting, over) in [(0.95, false), (1.05, true)] {
        let controller = vegas("vegas_linux", VegasConfig::linux(), &serde_json::Value::Null).expect("defaults");
        let flow = FlowSetup { mss_bytes: 1000, header_bytes: 40, hops: 1, initial_window_segments: 10 };
        let mut source = controller.endpoint(&flow);
        let seen = FlowView { least_rtt_s: Some(0.1), next_segment: 3, ..view(1000, 0.1) };
        // A window that is not filled does not grow, so that ten segments stay ten; three samples make a round.
        let slower = 0.1 / (1.0 - waiting / 10.0);
        for (segment, rtt_s) in [(0, 0.1), (1, slower), (2, slower), (3, slower)] {
            source.on_ack(0, &seen, &Ack { newly_acked_bytes: 1000, segment, ..ack(rtt_s) });
        }
        assert_eq!(source.slow_start_threshold_bytes().is_some(), over, "{waiting}");
    }
}

/// S001 table 1: slot 20 us, SIFS 10 us, DIFS 50 us, preamble and PLCP header 192 us, basic rate 1 Mbit/s.
#[test]
fn the_mac_of_802_11b_is_table_1_of_s001() {
    let mac = MacParameters::dot11b();
    assert_eq!((mac.slot_ns, mac.sifs_ns, mac.difs_ns, mac.plcp_ns), (20_000, 10_000, 50_000, 192_000));
    assert_eq!(mac.control_rate_bps, 1_000_000);
}

/// S004 sec. 5.1: transport acknowledgements of 40 bytes, and 40 bytes of headers in a data packet.
#[test]
fn an_acknowledgement_has_40_bytes() {
    let flow = FlowSpec::new("f", ["a", "b"]);
    assert_eq!((flow.ack_bytes, flow.header_bytes), (40, 40));
}

/// IEEE 802.11 and S004 sec. 4: seven attempts of short frames, four of long ones.
#[test]
fn the_retry_limits_are_those_of_802_11() {
    let mac = MacParameters::dot11b();
    assert_eq!((mac.short_retry_limit, mac.long_retry_limit), (7, 4));
}

fn view(mss_bytes: u32, rtt_s: f64) -> FlowView {
    FlowView {
        mss_bytes,
        header_bytes: 40,
        flight_bytes: 0,
        smoothed_rtt_s: Some(rtt_s),
        last_rtt_s: Some(rtt_s),
        least_rtt_s: Some(rtt_s),
        retransmission_timeout: SECOND,
        next_segment: 0,
        first_hop: CrossLayer::default(),
    }
}

fn ack(rtt_s: f64) -> Ack {
    Ack {
        newly_acked_bytes: 0,
        advanced: true,
        segment: 0,
        rtt_s: Some(rtt_s),
        in_recovery: false,
        congestion_echo: false,
        header: Header::None,
    }
}
