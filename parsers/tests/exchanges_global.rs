//! A trace with the events of every node: each node's own view, and its queue.

mod air;

use air::{end_us, frame, timed, Band};
use winf_parsers::exchanges::{Exchange, ExchangeKind, GlobalExchangeBuilder};
use winf_parsers::frame::network::{Host, Network, Protocol};
use winf_parsers::frame::{Addr, Direction, DropReason, Frame, FrameKind, Layer};

const SIFS: f64 = 10.0;

fn node(number: u32) -> Addr {
    Addr::node(number)
}

/// Node 0 sends a packet to node 1 by RTS, CTS, data and ACK: the events at both nodes.
fn delivery(uid: u64, start_us: f64) -> Vec<Frame> {
    let (a, b) = (node(0), node(1));
    let dsss = |kind, ta, ra, start| timed(frame(Band::Dsss, kind, ta, ra, start));
    let rts = dsss(FrameKind::Rts, Some(a), b, start_us);
    let cts = Frame { nav_us: Some(1628), ..dsss(FrameKind::Cts, None, a, end_us(&rts) + SIFS) };
    let data =
        Frame { packet_uid: Some(uid), network: Some(cbr()), ..dsss(FrameKind::Data, Some(a), b, end_us(&cts) + SIFS) };
    let ack = dsss(FrameKind::Ack, None, a, end_us(&data) + SIFS);
    let mut events = Vec::new();
    for (sent, sender, receiver) in [(rts, a, b), (cts, b, a), (data, a, b), (ack, b, a)] {
        events.push(Frame { observer: Some(sender), direction: Some(Direction::Tx), ..sent.clone() });
        events.push(Frame { observer: Some(receiver), direction: Some(Direction::Rx), ..sent });
    }
    events
}

fn cbr() -> Network {
    let host = |number| Host::Node(number);
    Network {
        src: host(0),
        dst: host(1),
        proto: Protocol::new(b"cbr"),
        src_port: Some(0),
        dst_port: Some(0),
        transport_seq: None,
        tcp: None,
    }
}

/// The routing agent of node 0 hands a packet down.
fn routed(uid: u64, at_us: f64) -> Frame {
    Frame {
        layer: Layer::Router,
        direction: Some(Direction::Tx),
        observer: Some(node(0)),
        packet_uid: Some(uid),
        ..Frame::new(1, (at_us * 1000.0) as i64)
    }
}

fn rebuild(events: &[Frame]) -> Vec<Exchange> {
    let mut builder = GlobalExchangeBuilder::new();
    let mut rows = Vec::new();
    for event in events {
        builder.push(event, &mut rows);
    }
    builder.finish(&mut rows);
    rows
}

#[test]
fn each_node_has_its_own_view_of_an_exchange() {
    let rows = rebuild(&delivery(5, 1000.0));
    assert_eq!(rows.len(), 2);
    for row in &rows {
        assert_eq!((row.kind, row.complete, row.heard_rts, row.hidden), (ExchangeKind::Rts, true, true, false));
        assert_eq!((row.sender, row.receiver, row.exchange_no), (Some(node(0)), Some(node(1)), 1));
    }
    let mut observers: Vec<_> = rows.iter().map(|row| row.observer).collect();
    observers.sort();
    assert_eq!(observers, [Some(node(0)), Some(node(1))]);
}

#[test]
fn packets_wait_for_those_before_them_and_then_for_the_medium() {
    // The second packet comes while the first is in service, which ends at 1000 + 2293.273 us.
    let mut events = vec![routed(5, 900.0)];
    events.extend(delivery(5, 1000.0));
    events.insert(3, routed(6, 1100.0));
    events.extend(delivery(6, 3500.0));
    let rows = rebuild(&events);
    let own: Vec<_> = rows.iter().filter(|row| row.observer == Some(node(0))).collect();
    assert_eq!((own[0].queue_ns, own[0].access_ns), (Some(0), Some(2_393_273)), "from 900 us");
    assert_eq!((own[1].queue_ns, own[1].access_ns), (Some(2_193_273), Some(2_500_000)), "from 3293.273 us");
    assert!(rows.iter().filter(|row| row.observer == Some(node(1))).all(|row| row.queue_ns.is_none()));
}

#[test]
fn attempts_share_the_instant_at_which_their_packet_came_to_the_head() {
    let mut events = vec![routed(5, 900.0)];
    let mut first = delivery(5, 1000.0);
    first.truncate(5); // the data is sent, but neither received nor acknowledged
    events.extend(first);
    events.extend(delivery(5, 6000.0));
    let rows = rebuild(&events);
    let own: Vec<_> = rows.iter().filter(|row| row.observer == Some(node(0))).collect();
    assert_eq!(own.iter().map(|row| row.complete).collect::<Vec<_>>(), [false, true]);
    assert_eq!((own[1].queue_ns, own[1].access_ns), (Some(0), Some(6_000_000 + 2_293_273 - 900_000)));
}

#[test]
fn packets_without_a_number_wait_for_nobody_knows_how_long_and_are_repeated() {
    let mut events = vec![routed(5, 900.0)];
    let mut first = delivery(5, 1000.0);
    first.truncate(5);
    events.extend(first);
    events.extend(delivery(5, 6000.0));
    events.extend(delivery(5, 12_000.0));
    let unnumbered: Vec<Frame> = events.into_iter().map(|event| Frame { packet_uid: None, ..event }).collect();
    let rows = rebuild(&unnumbered);
    let own: Vec<_> = rows.iter().filter(|row| row.observer == Some(node(0))).collect();
    assert!(own.iter().all(|row| row.queue_ns.is_none() && row.access_ns.is_none()));
    assert_eq!(own.iter().map(|row| row.attempt).collect::<Vec<_>>(), [1, 2, 1], "the second was answered");
}

#[test]
fn a_packet_that_is_given_up_frees_the_queue() {
    let mut events = vec![routed(5, 900.0), routed(6, 950.0)];
    events.extend(delivery(5, 1000.0).into_iter().take(1)); // its RTS
    events.push(Frame {
        direction: Some(Direction::Drop),
        drop_reason: DropReason::new(b"RET"),
        observer: Some(node(0)),
        packet_uid: Some(5),
        ..Frame::new(1, 4_000_000)
    });
    events.extend(delivery(6, 5000.0));
    let rows = rebuild(&events);
    let own: Vec<_> = rows.iter().filter(|row| row.observer == Some(node(0))).collect();
    assert_eq!((own[0].kind, own[0].queue_ns), (ExchangeKind::RtsFailed, None));
    assert_eq!((own[1].queue_ns, own[1].access_ns), (Some(3_050_000), Some(3_293_273)), "at the head from 4000 us");
}

#[test]
fn a_node_that_overhears_nothing_but_the_cts_is_hidden_from_the_sender() {
    let events: Vec<Frame> = delivery(5, 1000.0)
        .into_iter()
        .filter(|event| matches!(event.kind, FrameKind::Cts | FrameKind::Ack) && event.direction == Some(Direction::Rx))
        .map(|event| Frame { observer: Some(node(2)), ..event })
        .collect();
    let rows = rebuild(&events);
    assert_eq!((rows.len(), rows[0].hidden, rows[0].complete, rows[0].observer), (1, true, true, Some(node(2))));
}

#[test]
fn more_nodes_than_are_followed_lose_no_exchange() {
    let events = (0..40_000).map(|number| Frame {
        observer: Some(node(number)),
        ..timed(frame(Band::Dsss, FrameKind::Data, Some(node(1_000_000)), node(1_000_001), f64::from(number)))
    });
    let rows = rebuild(&events.collect::<Vec<_>>());
    assert_eq!(rows.len(), 40_000);
}
