//! A-MPDUs: one PPDU, heard MPDU by MPDU.

mod air;

use air::{end_us, frame, timed, Band, A, B, DATA_OCTETS};
use winf_parsers::exchanges::{Exchange, ExchangeBuilder, ExchangeKind};
use winf_parsers::frame::{BlockAckBitmap, Frame, FrameKind, Phy};
use winf_parsers::ieee80211::airtime;

/// Three subframes of 1532 octets at 65 Mb/s: 36 + 142 * 4 us, and the 6 us of signal extension.
const THREE_SUBFRAMES_US: f64 = 36.0 + 142.0 * 4.0 + 6.0;
const SIFS: f64 = 10.0;

fn rebuild(frames: &[Frame]) -> Vec<Exchange> {
    let mut builder = ExchangeBuilder::new(None);
    let mut rows = Vec::new();
    for frame in frames {
        builder.push(frame, &mut rows);
    }
    builder.finish(&mut rows);
    rows
}

/// The airtimes of the subframes: 48, 47 and 47 symbols, after the preamble and before the signal extension.
const PARTS_US: [f64; 3] = [36.0 + 48.0 * 4.0, 47.0 * 4.0, 47.0 * 4.0 + 6.0];

/// The subframes of a PPDU that starts at `start_us`.
fn ampdu(start_us: f64) -> Vec<Frame> {
    let parts = PARTS_US.iter().zip(0..).scan(start_us, |start_us, (part_us, seq)| {
        let subframe = timed(Frame { airtime_us: Some(*part_us), ..subframe(seq, *start_us) });
        *start_us += part_us;
        Some(subframe)
    });
    parts.collect()
}

/// A subframe of an A-MPDU of which nothing else was heard.
fn subframe(seq: u32, start_us: f64) -> Frame {
    let mut subframe = frame(Band::Erp, FrameKind::QosData, Some(A), B, start_us);
    (subframe.phy, subframe.mcs, subframe.rate_mbps) = (Some(Phy::Ht), Some(7), Some(65.0));
    (subframe.bandwidth_mhz, subframe.guard_ns, subframe.ampdu_ref) = (Some(20), Some(800), Some(77));
    (subframe.seq, subframe.tid, subframe.nav_us) = (Some(seq), Some(0), Some(48));
    airtime::fill(&mut subframe);
    timed(subframe)
}

fn block_ack(start_us: f64) -> Frame {
    timed(frame(Band::Erp, FrameKind::BlockAck, Some(B), A, start_us))
}

fn assert_is_one_ppdu(row: &Exchange, start_us: f64) {
    assert_eq!((row.mpdus, row.complete, row.data_kind), (3, true, Some(FrameKind::QosData)));
    assert_eq!((row.length_bytes, row.payload_bytes), (Some(3 * DATA_OCTETS), Some(4500)));
    assert_eq!(row.data_airtime_us, Some(THREE_SUBFRAMES_US));
    assert_eq!(row.data_start_ns, Some((start_us * 1000.0) as i64));
    assert_eq!(row.data_ns, Some(((start_us + THREE_SUBFRAMES_US) * 1000.0) as i64));
}

#[test]
fn subframes_are_one_transmission() {
    let beacon = timed(frame(Band::Erp, FrameKind::Beacon, Some(B), winf_parsers::frame::Addr::BROADCAST, 0.0));
    let start = end_us(&beacon) + 28.0 + 45.0;
    let mut frames = vec![beacon];
    frames.extend(ampdu(start));
    frames.push(block_ack(start + THREE_SUBFRAMES_US + SIFS));
    let rows = rebuild(&frames);
    assert_eq!((rows.len(), rows[1].kind), (2, ExchangeKind::Basic));
    assert_is_one_ppdu(&rows[1], start);
    assert_eq!((rows[1].start_ns, rows[1].idle_before_us), (rows[1].data_start_ns, Some(73.0)));
    assert_eq!(rows[1].backoff_us, Some(45.0));
}

#[test]
fn subframes_without_a_reference_are_told_by_their_times() {
    let mut frames: Vec<Frame> = ampdu(1000.0).into_iter().map(|frame| Frame { ampdu_ref: None, ..frame }).collect();
    frames.push(block_ack(1000.0 + THREE_SUBFRAMES_US + SIFS));
    let rows = rebuild(&frames);
    assert_eq!(rows.len(), 1);
    assert_is_one_ppdu(&rows[0], 1000.0);
}

#[test]
fn a_reference_that_repetitions_share_joins_none_of_them() {
    let apart = |number: u32| Frame { seq: Some(9), ..subframe(9, 1000.0 + 700.0 * f64::from(number)) };
    let mut frames: Vec<Frame> = (0..3).map(apart).collect();
    frames.push(block_ack(end_us(&frames[2]) + SIFS));
    let rows = rebuild(&frames);
    let seen: Vec<_> = rows.iter().map(|row| (row.mpdus, row.payload_bytes, row.complete)).collect();
    assert_eq!(seen, [(1, Some(1500), false), (1, Some(1500), false), (1, Some(1500), true)]);
    let another = rebuild(&[subframe(9, 1000.0), subframe(10, 1700.0)]);
    assert_eq!(another.len(), 2, "a gap");
}

#[test]
fn a_damaged_subframe_counts_as_airtime_only() {
    let mut frames = ampdu(1000.0);
    frames[1] = Frame { fcs_ok: Some(false), ta: None, ra: None, kind: FrameKind::Unknown, ..frames[1].clone() };
    frames.push(block_ack(1000.0 + THREE_SUBFRAMES_US + SIFS));
    let rows = rebuild(&frames);
    assert_eq!((rows.len(), rows[0].mpdus, rows[0].complete), (1, 2, true));
    assert_eq!(rows[0].data_airtime_us, Some(THREE_SUBFRAMES_US));
}

#[test]
fn a_block_ack_finds_its_data_when_the_last_subframes_were_lost() {
    let frames = [subframe(0, 1000.0), block_ack(1000.0 + 3000.0)];
    let rows = rebuild(&frames);
    assert_eq!((rows.len(), rows[0].complete, rows[0].mpdus), (1, true, 1));
}

#[test]
fn two_ppdus_one_sifs_apart_share_a_block_ack() {
    let first = subframe(0, 1000.0);
    let second = Frame { ampdu_ref: Some(78), ..subframe(1, end_us(&first) + SIFS) };
    let answer = block_ack(end_us(&second) + SIFS);
    let airtime_us = first.airtime_us.unwrap() + second.airtime_us.unwrap();
    let rows = rebuild(&[first, second, answer]);
    assert_eq!((rows.len(), rows[0].mpdus, rows[0].complete), (1, 2, true));
    assert_eq!(rows[0].data_airtime_us, Some(airtime_us));
}

#[test]
fn a_request_in_the_same_access_belongs_to_the_data() {
    let data = subframe(0, 1000.0);
    let request = timed(frame(Band::Erp, FrameKind::BlockAckReq, Some(A), B, end_us(&data) + SIFS));
    let answer = block_ack(end_us(&request) + SIFS);
    let airtime_us = data.airtime_us;
    let rows = rebuild(&[data, request, answer]);
    assert_eq!((rows.len(), rows[0].mpdus, rows[0].complete), (1, 1, true));
    assert_eq!((rows[0].data_kind, rows[0].data_airtime_us), (Some(FrameKind::QosData), airtime_us));
}

#[test]
fn a_block_ack_alone_tells_the_newest_number_that_arrived() {
    let mut answer = block_ack(1000.0);
    answer.block_ack = Some(BlockAckBitmap::new(4090, &[0b1111_1111, 0b0000_0011, 0, 0, 0, 0, 0, 0]));
    answer.tid = Some(5);
    let rows = rebuild(&[answer.clone()]);
    assert_eq!((rows[0].heard_data, rows[0].seq, rows[0].tid), (false, Some(3), Some(5)));
    // Where data was heard, its number stands.
    let mut data = subframe(0, 1000.0);
    data.seq = Some(7);
    let late = Frame { block_ack: answer.block_ack, tid: answer.tid, ..block_ack(end_us(&data) + SIFS) };
    let rows = rebuild(&[data, late]);
    assert_eq!((rows[0].heard_data, rows[0].seq), (true, Some(7)));
}

#[test]
fn rts_cts_unheard_data_block_ack() {
    let rts = Frame { nav_us: Some(700), ..timed(frame(Band::Erp, FrameKind::Rts, Some(A), B, 1000.0)) };
    let mut cts = timed(frame(Band::Erp, FrameKind::Cts, None, A, end_us(&rts) + SIFS));
    let answer = block_ack(end_us(&cts) + SIFS + THREE_SUBFRAMES_US + SIFS);
    let nav_us = end_us(&answer) - end_us(&cts);
    cts.nav_us = Some(nav_us as u16);
    let rows = rebuild(&[rts, cts, answer]);
    assert_eq!((rows.len(), rows[0].kind, rows[0].complete), (1, ExchangeKind::Rts, true));
    assert_eq!((rows[0].heard_data, rows[0].receiver), (false, Some(B)));
    assert!((rows[0].data_airtime_us.unwrap() - THREE_SUBFRAMES_US).abs() < 1.0);
}
