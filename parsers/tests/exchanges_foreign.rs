//! Frames of other stations between those of an exchange, and data that is heard damaged.

mod air;

use air::{end_us, frame, timed, Band, Dice, A, B, C, D};
use winf_parsers::exchanges::{Exchange, ExchangeBuilder, ExchangeKind};
use winf_parsers::frame::{Addr, Direction, Frame, FrameKind, ParseError, Phy};

const SIFS_US: f64 = 10.0;
/// A slot, the delay of a receiver, and the preamble that a stamp may lie behind (IEEE 802.11-2020, 10.3.2.9).
const LATEST_ANSWER_NS: i64 = 10_000 + 20_000 + 192_000;
const PPDU_MAX_NS: i64 = 5_484_000;
/// SIFS and a BlockAckReq at 1 Mb/s, with the tolerance of 8 us.
const REQUEST_NS: i64 = 10_000 + 8_000 + 384_000;

fn rebuild(frames: &[Frame]) -> Vec<Exchange> {
    let mut builder = ExchangeBuilder::new(None);
    let mut rows = Vec::new();
    frames.iter().for_each(|frame| builder.push(frame, &mut rows));
    builder.finish(&mut rows);
    rows.sort_by_key(|row| row.start_ns);
    rows
}

fn heard(kind: FrameKind, ta: Option<Addr>, ra: Addr, start_us: f64) -> Frame {
    timed(frame(Band::Dsss, kind, ta, ra, start_us))
}

fn cts(ra: Addr, nav_us: u16, start_us: f64) -> Frame {
    Frame { nav_us: Some(nav_us), ..heard(FrameKind::Cts, None, ra, start_us) }
}

fn damaged(frame: Frame) -> Frame {
    let (kind, ta, ra) = (FrameKind::Unknown, None, None);
    Frame { fcs_ok: Some(false), parse_error: Some(ParseError::BadFcs), kind, ta, ra, nav_us: None, ..frame }
}

fn parts(rows: &[Exchange]) -> Vec<(ExchangeKind, bool)> {
    rows.iter().map(|row| (row.kind, row.complete)).collect()
}

#[test]
fn a_frame_of_another_station_ends_what_a_cts_protects() {
    let first = cts(A, 30_000, 1000.0);
    let probe = heard(FrameKind::ProbeReq, Some(C), Addr::BROADCAST, 5000.0);
    let answer = heard(FrameKind::Ack, None, A, end_us(&probe) + 2000.0);
    let rows = rebuild(&[first.clone(), probe.clone(), answer.clone()]);
    let expected = [(ExchangeKind::Rts, false), (ExchangeKind::Broadcast, true), (ExchangeKind::Basic, true)];
    assert_eq!(parts(&rows), expected);
    assert_eq!(rows[0].end_ns, first.end_ns);
    let without = rebuild(&[first.clone(), answer.clone()]);
    assert_eq!(parts(&without), [(ExchangeKind::Rts, true)], "its data was not heard");
    let data = heard(FrameKind::Data, Some(A), B, end_us(&probe) + 2000.0);
    assert_eq!(rebuild(&[first.clone(), probe.clone(), data]).len(), 3);
    // The times of what the recorder sent may be late: it may have answered before.
    let late = Frame { direction: Some(Direction::Tx), ..answer };
    assert_eq!(rebuild(&[first, probe, late]).len(), 2);
}

#[test]
fn a_block_ack_does_not_come_after_others_have_sent() {
    let mut data = heard(FrameKind::QosData, Some(A), B, 1000.0);
    (data.phy, data.ampdu_ref, data.seq, data.tid) = (Some(Phy::Ht), Some(1), Some(5), Some(0));
    let beacon = heard(FrameKind::Beacon, Some(C), Addr::BROADCAST, end_us(&data) + 300.0);
    let at_us = end_us(&beacon) + 300.0;
    let answer = heard(FrameKind::BlockAck, Some(B), A, at_us);
    assert_eq!(rebuild(&[data.clone(), answer.clone()]).len(), 1, "subframes in between were not heard");
    let rows = rebuild(&[data, beacon, answer]);
    assert_eq!(rows.iter().map(|row| row.complete).collect::<Vec<_>>(), [false, true, true]);
}

#[test]
fn damaged_data_behind_a_cts_is_of_its_exchange() {
    let first = cts(A, 2000, 1000.0);
    let data = damaged(heard(FrameKind::Data, Some(A), B, end_us(&first) + SIFS_US));
    let answer = heard(FrameKind::Ack, None, A, end_us(&data) + SIFS_US);
    let rows = rebuild(&[first.clone(), data.clone(), answer.clone()]);
    assert_eq!(parts(&rows), [(ExchangeKind::Rts, true)]);
    let row = &rows[0];
    assert_eq!((row.heard_data, row.mpdus, row.hidden, row.receiver), (false, 0, true, None));
    let unanswered = rebuild(&[first.clone(), data.clone()]);
    assert_eq!((parts(&unanswered), unanswered[0].end_ns), (vec![(ExchangeKind::Rts, false)], data.end_ns));
    // What begins later is not what the CTS was sent for.
    let later = damaged(heard(FrameKind::Data, Some(A), B, end_us(&first) + 60.0));
    assert_eq!(rebuild(&[first, later.clone()]).len(), 2);
    assert_eq!(rebuild(&[later, answer]).len(), 2);
}

#[test]
fn damaged_data_behind_a_cts_that_was_not_heard_is_of_its_exchange() {
    let rts = Frame { nav_us: Some(2500), ..heard(FrameKind::Rts, Some(A), B, 1000.0) };
    let at_us = end_us(&rts) + SIFS_US + 304.0 + SIFS_US;
    let data = damaged(heard(FrameKind::Data, Some(A), B, at_us));
    let answer = heard(FrameKind::Ack, None, A, end_us(&data) + SIFS_US);
    let rows = rebuild(&[rts.clone(), data.clone(), answer.clone()]);
    assert_eq!((parts(&rows), rows[0].heard_data), (vec![(ExchangeKind::Rts, true)], false));
    assert_eq!(parts(&rebuild(&[rts.clone(), data.clone()])), [(ExchangeKind::Rts, false)], "the RTS did not fail");
    let cts = damaged(heard(FrameKind::Cts, None, A, end_us(&rts) + SIFS_US));
    assert_eq!(parts(&rebuild(&[rts.clone(), cts.clone(), data, answer])), [(ExchangeKind::Rts, true)]);
    assert_eq!(parts(&rebuild(&[rts.clone(), cts])), [(ExchangeKind::RtsFailed, false)]);
    let later = damaged(heard(FrameKind::Data, Some(A), B, at_us + 60.0));
    assert_eq!(rebuild(&[rts, later]).len(), 2);
}

#[test]
fn damaged_subframes_behind_a_cts_are_of_its_exchange() {
    let first = cts(A, 4000, 1000.0);
    let subframe =
        |start_us: f64| Frame { phy: Some(Phy::Ht), ..damaged(heard(FrameKind::Data, Some(A), B, start_us)) };
    let at_us = end_us(&first) + 200.0;
    let (one, two) = (subframe(at_us), subframe(end_us(&subframe(at_us))));
    let answer = heard(FrameKind::BlockAck, Some(B), A, end_us(&two) + SIFS_US);
    let rows = rebuild(&[first, one, two, answer]);
    assert_eq!(parts(&rows), [(ExchangeKind::Rts, true)]);
}

/// A frame of any kind and any stations behind the last one: a SIFS, or an access, or a pause behind it.
fn next_frame(dice: &mut Dice, now_us: &mut f64) -> Frame {
    use FrameKind as K;
    let stations = [A, B, C, D];
    let [ta, ra] = [0, 1].map(|_| stations[dice.roll(4) as usize]);
    let kinds = [K::Rts, K::Cts, K::Cts, K::Data, K::QosData, K::Ack, K::Ack, K::BlockAck, K::BlockAckReq, K::Beacon];
    let kind = kinds[dice.roll(10) as usize];
    let start_us = *now_us + [SIFS_US, SIFS_US, 50.0, 300.0, 3000.0][dice.roll(5) as usize];
    let mut next = timed(frame(Band::Dsss, kind, (!matches!(kind, K::Cts | K::Ack)).then_some(ta), ra, start_us));
    if kind == K::Beacon {
        next.ra = Some(Addr::BROADCAST);
    }
    next.seq = matches!(kind, K::Data | K::QosData).then(|| dice.roll(4096) as u32);
    next.nav_us = Some([0, 314, 2000, 30_000][dice.roll(4) as usize]);
    *now_us = end_us(&next);
    next
}

#[test]
fn where_one_radio_sends_at_once_exchanges_do_not_overlap() {
    for seed in 1..400 {
        let mut dice = Dice(seed * 7919);
        let mut now_us = 1000.0;
        let frames: Vec<Frame> = (0..300).map(|_| next_frame(&mut dice, &mut now_us)).collect();
        let rows = rebuild(&frames);
        for pair in rows.windows(2) {
            assert!(pair[0].end_ns <= pair[1].start_ns, "seed {seed}: {:#?}", pair);
        }
        rows.iter().for_each(|row| assert_gaps(row, seed));
    }
}

/// A CTS comes within the timeout of an RTS, and an answer within that of the data, or of a request behind it; data behind
/// a CTS within a PPDU, as subframes may not have been heard.
fn assert_gaps(row: &Exchange, seed: u64) {
    let gap = |from: Option<i64>, to: Option<i64>| from.zip(to).map_or(0, |(from, to)| to - from);
    assert!(gap(row.rts_ns, row.cts_start_ns) <= LATEST_ANSWER_NS, "seed {seed}: {row:#?}");
    assert!(gap(row.cts_ns, row.data_start_ns) <= LATEST_ANSWER_NS + PPDU_MAX_NS, "seed {seed}: {row:#?}");
    assert!(gap(row.data_ns, row.ack_start_ns) <= LATEST_ANSWER_NS + REQUEST_NS, "seed {seed}: {row:#?}");
}
