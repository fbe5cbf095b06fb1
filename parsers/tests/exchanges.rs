//! Every form of exchange, from frames made by hand.

mod air;

use air::{end_us, frame, retry, timed, Band, A, B, C, D, DATA_OCTETS};
use winf_parsers::exchanges::{Exchange, ExchangeBuilder, ExchangeKind};
use winf_parsers::frame::{Addr, Direction, Frame, FrameKind, Phy, Preamble};

const START_US: f64 = 1000.0;
const T_RTS: f64 = 352.0;
const T_CTS: f64 = 304.0;
const T_ACK: f64 = 304.0;
const SIFS: f64 = 10.0;

fn rebuild(frames: &[Frame]) -> Vec<Exchange> {
    rebuild_for(None, frames)
}

fn rebuild_for(observer: Option<Addr>, frames: &[Frame]) -> Vec<Exchange> {
    let mut builder = ExchangeBuilder::new(observer);
    let mut rows = Vec::new();
    for frame in frames {
        builder.push(frame, &mut rows);
    }
    builder.finish(&mut rows);
    rows
}

fn only(rows: Vec<Exchange>) -> Exchange {
    assert_eq!(rows.len(), 1, "{rows:#?}");
    rows.into_iter().next().unwrap()
}

fn dsss(kind: FrameKind, ta: Option<Addr>, ra: Addr, start_us: f64) -> Frame {
    timed(frame(Band::Dsss, kind, ta, ra, start_us))
}

fn rts(ta: Addr, ra: Addr, start_us: f64) -> Frame {
    Frame { nav_us: Some(1942), ..dsss(FrameKind::Rts, Some(ta), ra, start_us) }
}

fn cts(ra: Addr, start_us: f64) -> Frame {
    Frame { nav_us: Some(1628), ..dsss(FrameKind::Cts, None, ra, start_us) }
}

fn data(ta: Addr, ra: Addr, seq: u32, start_us: f64) -> Frame {
    Frame { nav_us: Some(314), seq: Some(seq), ..dsss(FrameKind::Data, Some(ta), ra, start_us) }
}

fn ack(ra: Addr, start_us: f64) -> Frame {
    Frame { nav_us: Some(0), ..dsss(FrameKind::Ack, None, ra, start_us) }
}

/// RTS, CTS, data, ACK from A to B.
fn protected(start_us: f64) -> [Frame; 4] {
    let rts = rts(A, B, start_us);
    let cts = cts(A, end_us(&rts) + SIFS);
    let data = data(A, B, 7, end_us(&cts) + SIFS);
    let ack = ack(A, end_us(&data) + SIFS);
    [rts, cts, data, ack]
}

/// Data and ACK.
fn unprotected(ta: Addr, ra: Addr, seq: u32, start_us: f64) -> [Frame; 2] {
    let data = data(ta, ra, seq, start_us);
    let ack = ack(ta, end_us(&data) + SIFS);
    [data, ack]
}

/// DSSS has no A-MPDU, whatever number the capture gives its frames: a PPDU that begins within another of its sender is
/// none of its subframes. One that begins a SIFS after it may be.
#[test]
fn overlapping_frames_of_a_phy_without_ampdu_are_two_exchanges() {
    let first = data(A, B, 7, START_US);
    let end_us = end_us(&first);
    for (start_us, expected) in
        [(START_US, vec![1, 1]), (START_US + 100.0, vec![1, 1]), (end_us - 20.0, vec![1, 1]), (end_us + SIFS, vec![2])]
    {
        for reference in [None, Some(9)] {
            let numbered = |frame: Frame| Frame { ampdu_ref: reference, preamble: Some(Preamble::Long), ..frame };
            let rows = rebuild(&[numbered(first.clone()), numbered(data(A, B, 8, start_us))]);
            let mpdus: Vec<u32> = rows.iter().map(|row| row.mpdus).collect();
            assert_eq!(mpdus, expected, "{start_us} {reference:?}");
        }
    }
}

#[test]
fn rts_cts_data_ack() {
    let row = only(rebuild(&protected(START_US)));
    let at = |us: f64| Some((us * 1000.0).round() as i64);
    // The worked example of the reference algorithms, moved to START_US: ends 352, 666, 1979.273, 2293.273 us.
    let expected = Exchange {
        exchange_no: 1,
        sender: Some(A),
        receiver: Some(B),
        direct: Some(true),
        data_kind: Some(FrameKind::Data),
        start_ns: at(START_US),
        rts_start_ns: at(START_US),
        rts_ns: at(START_US + 352.0),
        cts_start_ns: at(START_US + 362.0),
        cts_ns: at(START_US + 666.0),
        data_start_ns: at(START_US + 676.0),
        data_ns: at(START_US + 1979.273),
        ack_start_ns: at(START_US + 1989.273),
        ack_ns: at(START_US + 2293.273),
        end_ns: at(START_US + 2293.273),
        nav_rts_us: Some(1942),
        nav_cts_us: Some(1628),
        nav_data_us: Some(314),
        data_airtime_us: row.data_airtime_us,
        ack_airtime_us: Some(T_ACK),
        payload_bytes: Some(1500),
        length_bytes: Some(DATA_OCTETS),
        mpdus: 1,
        complete: true,
        heard_rts: true,
        heard_data: true,
        phy: Some(Phy::HrDsss),
        preamble: Some(Preamble::Long),
        rate_mbps: Some(11.0),
        channel_mhz: Some(2437),
        seq: Some(7),
        ..Exchange::new(None, ExchangeKind::Rts)
    };
    assert_eq!(row, expected);
    assert!((row.data_airtime_us.unwrap() - 1303.2727).abs() < 1e-3);
}

#[test]
fn data_ack() {
    let row = only(rebuild(&unprotected(A, B, 1, START_US)));
    assert_eq!((row.kind, row.complete, row.heard_rts, row.mpdus), (ExchangeKind::Basic, true, false, 1));
    assert_eq!((row.sender, row.receiver), (Some(A), Some(B)));
    assert_eq!(row.end_ns.unwrap() - row.start_ns.unwrap(), 1_617_273);
}

#[test]
fn management_and_null_frames_are_told_by_their_kind() {
    for kind in [FrameKind::Null, FrameKind::QosNull, FrameKind::Auth, FrameKind::PsPoll, FrameKind::Action] {
        let frame = dsss(kind, Some(A), B, START_US);
        let ack = ack(A, end_us(&frame) + SIFS);
        let row = only(rebuild(&[frame, ack]));
        assert_eq!((row.kind, row.data_kind, row.complete), (ExchangeKind::Basic, Some(kind), true));
    }
}

#[test]
fn data_without_ack_is_incomplete() {
    let frames = [data(A, B, 1, START_US), dsss(FrameKind::Beacon, Some(C), Addr::BROADCAST, 9000.0)];
    let rows = rebuild(&frames);
    assert_eq!((rows[0].kind, rows[0].complete, rows[0].ack_ns), (ExchangeKind::Basic, false, None));
    assert_eq!((rows[1].kind, rows[1].complete), (ExchangeKind::Broadcast, true));
    assert_eq!((rows[1].sender, rows[1].receiver), (Some(C), Some(Addr::BROADCAST)));
}

#[test]
fn an_ack_that_comes_too_late_answers_something_unheard() {
    let data = data(A, B, 1, START_US);
    let late = ack(A, end_us(&data) + 300.0);
    let rows = rebuild(&[data, late]);
    assert_eq!(rows.len(), 2);
    assert!(!rows[0].complete);
    assert!(rows[1].complete && !rows[1].heard_data);
}

#[test]
fn rts_without_cts_failed() {
    let row = only(rebuild(&[rts(A, B, START_US)]));
    assert_eq!((row.kind, row.complete, row.heard_rts), (ExchangeKind::RtsFailed, false, true));
    assert_eq!((row.sender, row.receiver, row.mpdus), (Some(A), Some(B), 0));
    assert_eq!(row.end_ns.unwrap() - row.start_ns.unwrap(), 352_000);
}

#[test]
fn a_cts_that_comes_too_late_answers_another_rts() {
    let rts = rts(A, B, START_US);
    let late = cts(A, end_us(&rts) + 700.0);
    let rows = rebuild(&[rts, late]);
    assert_eq!(rows.iter().map(|row| row.kind).collect::<Vec<_>>(), [ExchangeKind::RtsFailed, ExchangeKind::Rts]);
    assert!(rows[1].hidden);
}

#[test]
fn a_cts_may_come_a_preamble_late_only_if_its_start_is_unknown() {
    let rts = rts(A, B, START_US);
    let late = cts(A, end_us(&rts) + 100.0);
    let unknown = Frame { start_ns: None, end_ns: None, ..late.clone() };
    assert_eq!(rebuild(&[rts.clone(), late]).len(), 2);
    assert!(only(rebuild(&[rts, unknown])).cts_ns.is_none());
}

#[test]
fn a_beacon_is_not_the_data_that_an_rts_cleared_the_medium_for() {
    let [rts, cts, ..] = protected(START_US);
    let beacon = dsss(FrameKind::Beacon, Some(A), Addr::BROADCAST, end_us(&cts) + SIFS + 20.0);
    let rows = rebuild(&[rts, cts, beacon]);
    let found: Vec<_> = rows.iter().map(|row| (row.kind, row.receiver, row.complete, row.heard_data)).collect();
    let to_all = (ExchangeKind::Broadcast, Some(Addr::BROADCAST), true, true);
    assert_eq!(found, [(ExchangeKind::Rts, Some(B), false, false), to_all]);
}

#[test]
fn rts_data_ack_with_the_cts_unheard_is_protected_all_the_same() {
    let [rts, _, data, ack] = protected(START_US);
    let row = only(rebuild(&[rts, data, ack]));
    assert_eq!((row.kind, row.complete, row.cts_ns), (ExchangeKind::Rts, true, None));
}

#[test]
fn unheard_data_is_timed_by_the_duration_field() {
    let [rts, cts, _, ack] = protected(START_US);
    let row = only(rebuild(&[rts.clone(), cts, ack.clone()]));
    assert_eq!((row.kind, row.complete, row.heard_data, row.mpdus), (ExchangeKind::Rts, true, false, 0));
    assert_eq!((row.data_start_ns, row.data_ns, row.data_kind), (None, None, None));
    // 1628 - 2 * 10 - 304 us: the Duration field is rounded up.
    assert_eq!(row.data_airtime_us, Some(1304.0));

    // 1942 - 3 * 10 - 304 - 304 us, from the RTS alone.
    let row = only(rebuild(&[rts, ack]));
    assert_eq!((row.kind, row.data_airtime_us), (ExchangeKind::Rts, Some(1304.0)));
}

#[test]
fn data_of_unknown_airtime_is_timed_by_the_duration_field() {
    let [rts, cts, mut data, ack] = protected(START_US);
    (data.phy, data.airtime_us, data.end_ns) = (Some(Phy::He), None, None);
    let row = only(rebuild(&[rts, cts, data, ack]));
    assert_eq!((row.heard_data, row.data_ns, row.data_airtime_us), (true, None, Some(1304.0)));
}

#[test]
fn a_duration_field_that_reaches_beyond_the_answer_times_nothing() {
    let [rts, mut cts, _, ack] = protected(START_US);
    cts.nav_us = Some(5000);
    let row = only(rebuild(&[rts, cts, ack]));
    assert_eq!((row.complete, row.data_airtime_us), (true, None));
}

#[test]
fn cts_without_rts_is_hidden() {
    let [_, cts, _, ack] = protected(START_US);
    let frames = [cts, ack];
    for observer in [None, Some(D)] {
        let row = only(rebuild_for(observer, &frames));
        assert_eq!((row.kind, row.hidden, row.heard_rts), (ExchangeKind::Rts, true, false));
        assert_eq!((row.sender, row.receiver, row.complete), (Some(A), None, true));
        assert_eq!(row.data_airtime_us, Some(1304.0));
        assert_eq!(row.backoff_us, None, "the CTS's transmitter did not contend");
    }
    let row = only(rebuild_for(Some(A), &frames));
    assert!(!row.hidden, "the CTS is addressed to the observer");
}

#[test]
fn a_receiver_is_not_hidden_from_by_its_own_cts() {
    let [_, mut cts, data, mut ack] = protected(START_US);
    (cts.direction, ack.direction) = (Some(Direction::Tx), Some(Direction::Tx));
    let row = only(rebuild_for(Some(B), &[cts, data, ack]));
    assert_eq!((row.kind, row.hidden, row.receiver, row.complete), (ExchangeKind::Rts, false, Some(B), true));
}

#[test]
fn cts_to_self() {
    let [_, cts, data, ack] = protected(START_US);
    let row = only(rebuild(&[cts, data, ack]));
    assert_eq!((row.kind, row.hidden, row.complete), (ExchangeKind::CtsSelf, false, true));
    assert_eq!((row.sender, row.receiver, row.heard_rts), (Some(A), Some(B), false));
}

#[test]
fn cts_to_self_before_a_broadcast() {
    let cts = cts(A, START_US);
    let group = dsss(FrameKind::Data, Some(A), Addr::BROADCAST, end_us(&cts) + SIFS);
    let row = only(rebuild(&[cts, group]));
    assert_eq!((row.kind, row.complete, row.receiver), (ExchangeKind::CtsSelf, true, Some(Addr::BROADCAST)));
}

#[test]
fn lone_ack() {
    let row = only(rebuild(&[ack(A, START_US)]));
    assert_eq!((row.kind, row.sender, row.receiver), (ExchangeKind::Basic, Some(A), None));
    assert_eq!((row.heard_data, row.complete, row.data_kind, row.data_airtime_us), (false, true, None, None));
    assert_eq!(row.ack_airtime_us, Some(T_ACK));
}

#[test]
fn undecodable_frame() {
    let damaged = Frame { fcs_ok: Some(false), ..data(A, B, 1, START_US) };
    let row = only(rebuild(&[damaged]));
    assert_eq!((row.kind, row.sender, row.receiver, row.complete), (ExchangeKind::Unknown, None, None, false));
    assert_eq!(row.end_ns.unwrap() - row.start_ns.unwrap(), 1_303_273);
}

#[test]
fn a_damaged_frame_of_another_does_not_disturb() {
    let [data, ack] = unprotected(A, B, 1, START_US);
    let damaged = Frame { fcs_ok: Some(false), ..dsss(FrameKind::Ack, None, A, START_US + 700.0) };
    let rows = rebuild(&[data, damaged, ack]);
    assert_eq!(rows.iter().map(|row| row.kind).collect::<Vec<_>>(), [ExchangeKind::Unknown, ExchangeKind::Basic]);
    assert!(rows[1].complete);
}

#[test]
fn block_ack_request_and_block_ack() {
    let request = dsss(FrameKind::BlockAckReq, Some(A), B, START_US);
    let block_ack = dsss(FrameKind::BlockAck, Some(B), A, end_us(&request) + SIFS);
    let row = only(rebuild(&[request, block_ack]));
    assert_eq!((row.kind, row.data_kind), (ExchangeKind::Basic, Some(FrameKind::BlockAckReq)));
    assert_eq!((row.complete, row.mpdus, row.payload_bytes), (true, 0, None));
}

#[test]
fn a_poll_is_answered_by_data() {
    let poll = dsss(FrameKind::PsPoll, Some(A), B, START_US);
    let data = data(B, A, 3, end_us(&poll) + SIFS);
    let ack = ack(B, end_us(&data) + SIFS);
    let rows = rebuild(&[poll, data, ack]);
    assert_eq!(rows.iter().map(|row| row.complete).collect::<Vec<_>>(), [true, true]);
    assert_eq!((rows[0].data_kind, rows[1].sender), (Some(FrameKind::PsPoll), Some(B)));
}

#[test]
fn two_stations_hidden_from_one_another_interleave() {
    let [rts, cts, data, ack] = protected(START_US);
    let [other_data, other_ack] = unprotected(C, D, 5, START_US + 400.0);
    let mut frames = vec![rts, cts, data, ack, other_data, other_ack];
    frames.sort_by_key(|frame| frame.start_ns);
    let rows = rebuild(&frames);
    assert_eq!(rows.len(), 2);
    assert_eq!((rows[0].sender, rows[0].kind, rows[0].complete), (Some(C), ExchangeKind::Basic, true));
    assert_eq!((rows[1].sender, rows[1].kind, rows[1].complete), (Some(A), ExchangeKind::Rts, true));
    assert_eq!((rows[0].idle_before_us, rows[0].backoff_us), (Some(0.0), None));
}

#[test]
fn fragments_are_exchanges_one_sifs_apart() {
    let mut frames = Vec::new();
    let mut now = START_US;
    for number in 0..3 {
        let fragment = Frame { frag: Some(number), ..data(A, B, 9, now) };
        let ack = ack(A, end_us(&fragment) + SIFS);
        now = end_us(&ack) + SIFS;
        frames.extend([fragment, ack]);
    }
    let rows = rebuild(&frames);
    assert_eq!(rows.iter().map(|row| (row.complete, row.attempt)).collect::<Vec<_>>(), [(true, 1); 3]);
    assert_eq!(rows.iter().map(|row| row.idle_before_us).collect::<Vec<_>>(), [None, Some(10.0), Some(10.0)]);
    assert!(rows.iter().all(|row| row.backoff_us.is_none()));
}

#[test]
fn idle_time_less_difs_is_the_backoff_of_whoever_contended() {
    let [data_a, ack_a] = unprotected(A, B, 1, START_US);
    // DIFS is 50 us: 7 slots of 20 us before the second exchange, 0 before the third.
    let [data_c, ack_c] = unprotected(C, B, 1, end_us(&ack_a) + 190.0);
    let [data_a2, ack_a2] = unprotected(A, B, 2, end_us(&ack_c) + 50.0);
    let frames = [data_a, ack_a, data_c, ack_c, data_a2, ack_a2];
    let figures = |observer| -> Vec<_> {
        rebuild_for(observer, &frames).iter().map(|row| (row.idle_before_us, row.backoff_us)).collect()
    };
    assert_eq!(figures(None), [(None, None), (Some(190.0), Some(140.0)), (Some(50.0), Some(0.0))]);
    assert_eq!(figures(Some(A)), [(None, None), (Some(190.0), None), (Some(50.0), Some(0.0))]);
    assert_eq!(figures(Some(B)), [(None, None), (Some(190.0), None), (Some(50.0), None)]);
}

#[test]
fn attempts_are_counted_per_link() {
    let mut frames = Vec::new();
    let mut now = START_US;
    let mut sequence = |frame: Frame, answered: bool, frames: &mut Vec<Frame>| {
        let frame = timed(Frame { ts_ns: (now * 1000.0) as i64, ..frame });
        now = end_us(&frame) + SIFS;
        let ta = frame.ta.unwrap();
        frames.push(frame);
        if answered {
            frames.push(ack(ta, now));
            now += T_ACK;
        }
        now += 700.0;
    };
    sequence(data(A, B, 1, 0.0), false, &mut frames); // 1
    sequence(retry(data(A, B, 1, 0.0)), false, &mut frames); // 2
    sequence(data(C, B, 1, 0.0), true, &mut frames); // 1: another link
    sequence(retry(data(A, B, 1, 0.0)), true, &mut frames); // 3, whose ACK A does not hear
    sequence(retry(data(A, B, 1, 0.0)), true, &mut frames); // 4
    sequence(data(A, B, 2, 0.0), true, &mut frames); // 1
    sequence(rts(A, B, 0.0), false, &mut frames); // 1
    sequence(rts(A, B, 0.0), false, &mut frames); // 2
    sequence(data(A, B, 3, 0.0), false, &mut frames); // 3
    sequence(rts(A, B, 0.0), false, &mut frames); // 4
    sequence(retry(data(A, B, 3, 0.0)), true, &mut frames); // 5
    sequence(retry(data(D, B, 1, 0.0)), true, &mut frames); // 2 at least: its first attempt was not heard
    let attempts: Vec<u32> = rebuild(&frames).iter().map(|row| row.attempt).collect();
    assert_eq!(attempts, [1, 2, 1, 3, 4, 1, 1, 2, 3, 4, 5, 2]);
}

#[test]
fn an_msdu_whose_data_is_unheard_has_no_more_attempts_than_its_retry_limit() {
    let protected = |number: u32| {
        let rts = rts(A, B, START_US + 5000.0 * f64::from(number));
        let cts = cts(A, end_us(&rts) + SIFS);
        [rts, cts]
    };
    let attempts = |frames: Vec<Frame>| rebuild(&frames).iter().map(|row| row.attempt).collect::<Vec<_>>();
    let expected = [1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 1, 2];
    assert_eq!(attempts((0..16).flat_map(protected).collect()), expected);
    assert_eq!(attempts((0..16).map(|number| protected(number)[0].clone()).collect()), expected);
}

#[test]
fn a_repetition_that_is_stamped_at_once_is_another_attempt() {
    let first = data(A, B, 94, START_US);
    let again = retry(data(A, B, 94, end_us(&first) + SIFS));
    let ack = ack(A, end_us(&again) + SIFS);
    let rows = rebuild(&[first, again, ack]);
    let seen: Vec<_> = rows.iter().map(|row| (row.mpdus, row.attempt, row.complete)).collect();
    assert_eq!(seen, [(1, 1, false), (1, 2, true)]);
}

#[test]
fn requests_are_no_attempts_at_the_data() {
    let request = |start_us| dsss(FrameKind::BlockAckReq, Some(A), B, start_us);
    let again = |start_us| retry(data(A, B, 100, start_us));
    let first = data(A, B, 100, START_US);
    let asked_again = retry(request(30_000.0));
    let frames = [first, again(10_000.0), request(20_000.0), request(25_000.0), asked_again, again(40_000.0)];
    let attempts: Vec<u32> = rebuild(&frames).iter().map(|row| row.attempt).collect();
    assert_eq!(attempts, [1, 2, 1, 1, 2, 3]); // the Retry bit tells
}

#[test]
fn what_wants_no_acknowledgment_is_complete_without() {
    let frame = Frame { no_ack: true, ..data(A, B, 1, START_US) };
    let row = only(rebuild(&[frame]));
    assert_eq!((row.kind, row.complete, row.receiver), (ExchangeKind::Broadcast, true, Some(B)));
}

#[test]
fn a_cts_protects_what_follows_it_at_once() {
    let cts = Frame { nav_us: Some(30_000), ..cts(A, START_US) };
    let late = data(A, B, 1, end_us(&cts) + 20_000.0);
    let rows = rebuild(&[cts.clone(), late]);
    assert_eq!(rows.iter().map(|row| row.kind).collect::<Vec<_>>(), [ExchangeKind::Rts, ExchangeKind::Basic]);
    let soon = data(A, B, 1, end_us(&cts) + SIFS);
    assert_eq!(only(rebuild(&[cts, soon])).kind, ExchangeKind::CtsSelf);
}

#[test]
fn a_frame_recorded_as_sent_and_as_received_counts_once() {
    let [data, ack] = unprotected(A, B, 1, START_US);
    let sent = Frame { direction: Some(Direction::Tx), ts_ns: data.ts_ns + 300_000, ..data.clone() };
    let row = only(rebuild(&[data, sent, ack]));
    assert_eq!((row.mpdus, row.complete), (1, true));
}

#[test]
fn events_that_are_no_transmissions_are_passed_over() {
    let dropped = Frame { direction: Some(Direction::Drop), ..data(A, B, 1, START_US) };
    let routed = Frame { layer: winf_parsers::frame::Layer::Router, ..data(A, B, 1, START_US) };
    assert_eq!(rebuild(&[dropped, routed]), []);
}

#[test]
fn frames_without_airtime_are_grouped_by_their_order_and_stamps() {
    let bare =
        |frame: Frame| Frame { phy: None, rate_mbps: None, airtime_us: None, end_ns: None, channel_mhz: None, ..frame };
    let row = only(rebuild(&protected(START_US).map(bare)));
    assert_eq!((row.kind, row.complete, row.data_airtime_us), (ExchangeKind::Rts, true, None));
    let rows = rebuild(&[bare(data(A, B, 1, START_US)), bare(ack(A, START_US + 50_000.0))]);
    assert_eq!(rows.len(), 2, "50 ms is longer than any frame");
}

#[test]
fn the_worked_example_spans_the_four_frames() {
    let row = only(rebuild(&protected(START_US)));
    let span = T_RTS + T_CTS + T_ACK + 3.0 * SIFS + 1303.273;
    assert_eq!(row.end_ns.unwrap() - row.start_ns.unwrap(), (span * 1000.0) as i64);
}
