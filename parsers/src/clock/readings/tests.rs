//! Made recordings of a radio that sends, and of one that only listens.

use super::*;
use crate::clock::Convention;
use crate::frame::{Addr, Direction, FrameKind};

const SIFS_US: f64 = 16.0;

/// A radio sends HE frames, every fifth time two together, and stamps what it sends at its start and what it
/// receives at its end; HE frames last as the reading has it.
fn recorded(reading: HeReading) -> Vec<Frame> {
    aggregating(reading, 1, |number| if number % 5 == 0 { 2 } else { 1 })
}

fn aggregating(reading: HeReading, streams: u8, mpdus: fn(u16) -> u16) -> Vec<Frame> {
    let (sender, receiver) = (Some(Addr::node(1)), Some(Addr::node(2)));
    let mut frames = Vec::new();
    for number in 0..60_u16 {
        let sent_us = 1000 * u64::from(number);
        let together = mpdus(number);
        for part in 0..together {
            let mut data = Frame {
                kind: FrameKind::QosData,
                phy: Some(Phy::He),
                mcs: Some(9),
                bandwidth_mhz: Some(80),
                guard_ns: Some(3200),
                channel_mhz: Some(5210),
                length_bytes: Some(1538),
                ampdu_ref: Some(number.into()),
                seq: Some((20 * number + part).into()),
                direction: Some(Direction::Tx),
                tsft_us: Some(sent_us),
                ta: sender,
                ra: receiver,
                ..Frame::new(1, 0)
            };
            airtime::fill(&mut data);
            frames.push(data);
        }
        let mut sent = read_as(frames.last().unwrap(), reading, streams);
        let octets = 1544 * u32::from(together - 1) + 1542;
        sent.airtime_us = airtime::ppdu_us(&sent, octets);
        let (kind, ta, length) = match together {
            1 => (FrameKind::Ack, None, 14),
            _ => (FrameKind::BlockAck, receiver, 32),
        };
        let mut answer = Frame {
            kind,
            ta,
            ra: sender,
            phy: Some(Phy::Ofdm),
            rate_mbps: Some(24.0),
            channel_mhz: Some(5210),
            length_bytes: Some(length),
            direction: Some(Direction::Rx),
            ..Frame::new(1, 0)
        };
        airtime::fill(&mut answer);
        let later_us = sent.airtime_us.unwrap() + SIFS_US + answer.airtime_us.unwrap();
        answer.tsft_us = Some(sent_us + later_us.round() as u64);
        frames.push(answer);
    }
    frames
}

#[test]
fn the_reading_is_the_one_that_block_acks_agree_with_as_well() {
    for reading in [HeReading::Padded, HeReading::Simulated] {
        let (found, clock) = infer(&recorded(reading));
        assert_eq!(found, HeLengths { reading, streams: 1, is_confirmed: true });
        for group in clock.describe() {
            let end = group.direction == Some(Direction::Rx);
            assert_eq!(group.convention, if end { Convention::End } else { Convention::Start }, "{group:?}");
            assert!(group.explained_share >= CONFIRMED, "{group:?}");
        }
    }
}

/// The same radio also sends and hears frames of another PHY, whose length is known. That those are stamped at their
/// start does not say so of the HE frames, which a free number explains as well.
#[test]
fn the_reading_is_not_explained_by_frames_of_another_phy() {
    let mut frames = aggregating(HeReading::Simulated, 1, |number| if number % 60 == 0 { 2 } else { 1 });
    let ack = frames[frames.len() - 1].clone();
    let mut known = |sent_us: u64, direction, ta| {
        let mut data = Frame {
            kind: FrameKind::Data,
            phy: Some(Phy::Ofdm),
            rate_mbps: Some(24.0),
            channel_mhz: Some(5210),
            length_bytes: Some(400),
            direction: Some(direction),
            ta: Some(ta),
            ra: Some(Addr::node(2)),
            ..Frame::new(1, 0)
        };
        airtime::fill(&mut data);
        let data_us = data.airtime_us.unwrap();
        let ends_us = sent_us + data_us.round() as u64;
        data.tsft_us = Some(if direction == Direction::Tx { sent_us } else { ends_us });
        let later_us = data_us + SIFS_US + ack.airtime_us.unwrap();
        let tsft_us = Some(sent_us + later_us.round() as u64);
        frames.extend([data, Frame { ra: Some(ta), tsft_us, ..ack.clone() }]);
    };
    (0..6).for_each(|number| known(300 + 10_000 * number, Direction::Tx, Addr::node(1)));
    (0..60).for_each(|number| known(700 + 1_000 * number, Direction::Rx, Addr::node(3)));
    frames.sort_by_key(|frame| frame.tsft_us);
    let (found, clock) = infer(&frames);
    assert_eq!(found.reading, HeReading::Simulated, "{:?}", clock.describe());
}

#[test]
fn a_rate_is_inferred_only_where_answers_confirm_it() {
    let mut frame = recorded(HeReading::Padded).swap_remove(3);
    HeLengths::default().apply(&mut frame);
    assert_eq!(frame.ppdu.inferred_rate_kbps, None);
    HeLengths { is_confirmed: true, ..HeLengths::default() }.apply(&mut frame);
    // 6533 bits in 16 us.
    assert_eq!(frame.ppdu.inferred_rate_kbps, Some(408_312));
    // Where streams are not alike answers come at other times, as many as there are lengths.
    let mut otherwise = recorded(HeReading::Padded);
    for (number, frame) in otherwise.iter_mut().enumerate() {
        let is_answer = frame.direction == Some(Direction::Rx);
        frame.tsft_us = frame.tsft_us.map(|us| us + if is_answer { 9 * (number as u64 % 5) } else { 0 });
    }
    assert!(!infer(&otherwise).0.is_confirmed);
}

#[test]
fn as_many_streams_were_sent_as_answers_agree_with() {
    for reading in [HeReading::Padded, HeReading::Simulated] {
        for streams in SEVERAL {
            let mut frames = aggregating(reading, streams, |number| 1 + number % 19);
            let found = infer(&frames).0;
            assert_eq!((found.streams, found.is_confirmed), (streams, true), "{reading:?}: {found:?}");
            found.apply(&mut frames[3]);
            let symbol_bits = 6533.0 * f64::from(streams);
            let rate_kbps = f64::from(frames[3].ppdu.inferred_rate_kbps.unwrap());
            assert!((rate_kbps - symbol_bits / 16e-3).abs() < 1e-3 * rate_kbps, "{rate_kbps} of {streams}");
        }
    }
}

/// A third station's radio stamps the end of all; the sender waits for AIFS and a backoff behind each answer.
fn contended(reading: HeReading, streams: u8, mpdus: fn(u16) -> u16) -> Vec<Frame> {
    let (mut frames, mut idle_us) = (Vec::new(), 1_000.0);
    for (number, frame) in aggregating(reading, streams, mpdus).chunk_by(may_join).enumerate() {
        let is_answer = frame[0].kind != FrameKind::QosData;
        let slots = 3.0 + ((7 * number) % 16) as f64;
        let waited_us = if is_answer { SIFS_US } else { SIFS_US + 9.0 * slots };
        let last = read_as(frame.last().unwrap(), reading, streams);
        let octets = 1544 * (frame.len() as u32 - 1) + 1542;
        let airtime_us = if is_answer { last.airtime_us } else { airtime::ppdu_us(&last, octets) };
        idle_us += waited_us + airtime_us.unwrap();
        let stamped = |frame: &Frame| Frame {
            direction: Some(Direction::Rx),
            tsft_us: Some(idle_us.round() as u64),
            ..frame.clone()
        };
        frames.extend(frame.iter().map(stamped));
    }
    frames
}

fn may_join(one: &Frame, other: &Frame) -> bool {
    one.kind == FrameKind::QosData && one.ampdu_ref == other.ampdu_ref && other.kind == FrameKind::QosData
}

#[test]
fn where_all_stamps_mark_ends_starts_in_the_slots_of_contention_tell_the_length() {
    for reading in [HeReading::Padded, HeReading::Unpadded, HeReading::Simulated] {
        for streams in [1, 2, 4] {
            let found = infer(&contended(reading, streams, |number| 1 + number % 19)).0;
            assert_eq!((found.reading, found.streams), (reading, streams), "{found:?}");
        }
    }
}

#[test]
fn numbers_of_streams_that_starts_agree_with_alike_are_not_told_apart() {
    // Up to 7 MPDUs take four symbols with four streams, and two with eight.
    assert_eq!(infer(&contended(HeReading::Padded, 4, |number| 1 + number % 7)).0.streams, 1);
}

#[test]
fn starts_that_are_not_in_slots_tell_nothing() {
    let mut frames = contended(HeReading::Simulated, 1, |number| 1 + number % 19);
    let mut late_us = 0;
    for (number, frame) in frames.iter_mut().enumerate() {
        late_us += if frame.kind == FrameKind::QosData && number % 2 == 0 { (5 * number as u64) % 9 } else { 0 };
        frame.tsft_us = frame.tsft_us.map(|us| us + late_us);
    }
    assert_eq!(infer(&frames).0.reading, HeReading::default());
}

#[test]
fn simulators_send_fewer_symbols() {
    // ns-3.37: 44 us and two symbols of 16 us for one MPDU, four for two.
    let mut frame = recorded(HeReading::Padded).swap_remove(3);
    airtime::read_as(&mut frame, HeReading::Simulated, 1);
    assert_eq!((frame.airtime_us, airtime::ppdu_us(&frame, 3086)), (Some(76.0), Some(108.0)));
    assert!(frame.assumptions.text().contains("simulated_he"), "{}", frame.assumptions.text());
    assert!(!frame.assumptions.text().contains("packet_padding_16_us"));
}
