//! Exchanges of more than two stations, and what shares an access to the medium: every transmission in one row.

mod air;

use air::{end_us, frame, retry, timed, Band, A, B, C, D};
use winf_parsers::exchanges::{Exchange, ExchangeBuilder, ExchangeKind};
use winf_parsers::frame::ppdu::PpduFormat;
use winf_parsers::frame::{Addr, Frame, FrameKind, Phy};
use winf_parsers::ieee80211::airtime;

const SIFS: f64 = 10.0;
/// The access point in these tests.
const AP: Addr = D;

fn rebuild(frames: &[Frame]) -> Vec<Exchange> {
    let mut builder = ExchangeBuilder::new(None);
    let mut rows = Vec::new();
    for frame in frames {
        builder.push(frame, &mut rows);
    }
    builder.finish(&mut rows);
    rows.sort_by_key(|row| (row.start_ns, row.exchange_no));
    rows
}

/// Sender, kind of what was carried, MPDUs, and whether it was answered.
fn summary(rows: &[Exchange]) -> Vec<(Option<Addr>, Option<FrameKind>, u32, bool)> {
    rows.iter().map(|row| (row.sender, row.data_kind, row.mpdus, row.complete)).collect()
}

fn control(kind: FrameKind, ta: Option<Addr>, ra: Addr, start_us: f64) -> Frame {
    Frame { nav_us: Some(2000), ..timed(frame(Band::Erp, kind, ta, ra, start_us)) }
}

/// A data frame in an HE PPDU of a format.
fn he(format: PpduFormat, ta: Addr, ra: Addr, seq: u32, start_us: f64) -> Frame {
    let mut data = frame(Band::Erp, FrameKind::QosData, Some(ta), ra, start_us);
    (data.phy, data.mcs, data.nss, data.rate_mbps) = (Some(Phy::He), Some(5), Some(1), Some(61.2));
    (data.bandwidth_mhz, data.guard_ns, data.seq) = (Some(20), Some(1600), Some(seq));
    data.ppdu.format = Some(format);
    data.ppdu.l_sig_length = Some(if format == PpduFormat::HeMu { 299 } else { 298 }); // 424 us
    airtime::fill(&mut data);
    assert_eq!(data.airtime_us, Some(430.0));
    timed(data)
}

fn basic(ta: Addr, ra: Addr, seq: u32, start_us: f64) -> Frame {
    Frame { seq: Some(seq), nav_us: Some(44), ..timed(frame(Band::Erp, FrameKind::QosData, Some(ta), ra, start_us)) }
}

#[test]
fn stations_that_follow_a_trigger_are_acknowledged_together() {
    let trigger = control(FrameKind::Trigger, Some(AP), Addr::BROADCAST, 1000.0);
    let uplink = end_us(&trigger) + SIFS;
    let stations = [A, B, C].map(|station| he(PpduFormat::HeTb, station, AP, 7, uplink));
    let answer = control(FrameKind::BlockAck, Some(AP), Addr::BROADCAST, end_us(&stations[0]) + SIFS);
    let [a, b, c] = stations;
    let rows = rebuild(&[trigger, a, b, c, answer.clone()]);
    let data = Some(FrameKind::QosData);
    assert_eq!(
        summary(&rows),
        [
            (Some(AP), Some(FrameKind::Trigger), 0, true),
            (Some(A), data, 1, true),
            (Some(B), data, 1, true),
            (Some(C), data, 1, true)
        ]
    );
    assert_eq!(rows[0].end_ns, rows[0].data_ns, "the Trigger's row holds the Trigger alone");
    assert_eq!(rows.iter().filter(|row| row.ack_ns == answer.end_ns).count(), 1, "the BlockAck is in one row");
}

#[test]
fn a_trigger_that_nobody_follows_is_incomplete() {
    let trigger = control(FrameKind::Trigger, Some(AP), Addr::BROADCAST, 1000.0);
    let later = basic(A, AP, 1, end_us(&trigger) + 700.0);
    assert!(!rebuild(&[trigger, later])[0].complete);
}

#[test]
fn receivers_of_a_multi_user_ppdu_answer_at_once() {
    let downlink = [A, B].map(|station| he(PpduFormat::HeMu, AP, station, 7, 1000.0));
    let answers = [A, B].map(|station| {
        let start_us = end_us(&downlink[0]) + SIFS;
        let mut answer = control(FrameKind::BlockAck, Some(station), AP, start_us);
        answer.ppdu.format = Some(PpduFormat::HeTb);
        answer
    });
    let rows = rebuild(&[downlink, answers].concat());
    let data = Some(FrameKind::QosData);
    assert_eq!(summary(&rows), [(Some(AP), data, 1, true); 2]);
    assert_eq!(rows.iter().map(|row| row.receiver).collect::<Vec<_>>(), [Some(A), Some(B)]);
}

#[test]
fn receivers_of_a_multi_user_ppdu_are_asked_by_a_trigger() {
    let downlink = [A, B].map(|station| he(PpduFormat::HeMu, AP, station, 7, 1000.0));
    let request = control(FrameKind::Trigger, Some(AP), Addr::BROADCAST, end_us(&downlink[0]) + SIFS);
    let start_us = end_us(&request) + SIFS;
    let answers = [A, B].map(|station| control(FrameKind::BlockAck, Some(station), AP, start_us));
    let rows = rebuild(&[downlink.as_slice(), &[request], &answers].concat());
    assert_eq!(summary(&rows), [(Some(AP), Some(FrameKind::QosData), 1, true); 2]);
}

#[test]
fn receivers_of_a_multi_user_ppdu_are_asked_one_by_one() {
    let vht = |station| {
        let mut data = he(PpduFormat::HeMu, AP, station, 7, 1000.0);
        (data.ppdu.format, data.ppdu.multi_user) = (None, true);
        data
    };
    let downlink = [A, B].map(vht);
    let first = control(FrameKind::BlockAck, Some(A), AP, end_us(&downlink[0]) + SIFS);
    let request = control(FrameKind::BlockAckReq, Some(AP), B, end_us(&first) + SIFS);
    let second = control(FrameKind::BlockAck, Some(B), AP, end_us(&request) + SIFS);
    let rows = rebuild(&[downlink.as_slice(), &[first, request, second]].concat());
    assert_eq!(summary(&rows), [(Some(AP), Some(FrameKind::QosData), 1, true); 2]);
}

#[test]
fn a_trigger_that_cts_frames_answer_was_an_rts() {
    let trigger = control(FrameKind::Trigger, Some(AP), Addr::BROADCAST, 1000.0);
    let cts = control(FrameKind::Cts, None, AP, end_us(&trigger) + SIFS);
    let downlink = [A, B].map(|station| he(PpduFormat::HeMu, AP, station, 7, end_us(&cts) + SIFS));
    let start_us = end_us(&downlink[0]) + SIFS;
    let answers = [A, B].map(|station| control(FrameKind::BlockAck, Some(station), AP, start_us));
    let rows = rebuild(&[&[trigger.clone(), cts], downlink.as_slice(), &answers].concat());
    assert_eq!(summary(&rows), [(Some(AP), Some(FrameKind::QosData), 1, true); 2]);
    assert_eq!(rows.iter().map(|row| row.kind).collect::<Vec<_>>(), [ExchangeKind::Rts, ExchangeKind::Basic]);
    assert_eq!((rows[0].rts_start_ns, rows[0].heard_rts, rows[0].hidden), (trigger.start_ns, true, false));
}

#[test]
fn sounding_is_one_exchange_up_to_its_report() {
    let announcement = control(FrameKind::Ndpa, Some(AP), A, 1000.0);
    let mut ndp = frame(Band::Erp, FrameKind::Ndp, None, A, end_us(&announcement) + SIFS);
    (ndp.ra, ndp.phy, ndp.length_bytes, ndp.airtime_us) = (None, Some(Phy::He), Some(0), Some(60.0));
    let ndp = timed(ndp);
    let report = basic(A, AP, 9, end_us(&ndp) + SIFS);
    let report = Frame { kind: FrameKind::ActionNoAck, ..report };
    let poll = control(FrameKind::BeamformingPoll, Some(AP), B, end_us(&report) + SIFS);
    let second = Frame { ta: Some(B), ..report.clone() };
    let second = timed(Frame { ts_ns: poll.end_ns.unwrap() + 10_000, ..second });
    let frames = [announcement.clone(), ndp, report.clone(), poll, second];
    let rows = rebuild(&frames);
    let (ndpa, poll) = (Some(FrameKind::Ndpa), Some(FrameKind::BeamformingPoll));
    assert_eq!(summary(&rows), [(Some(AP), ndpa, 0, true), (Some(AP), poll, 0, true)]);
    assert_eq!((rows[0].start_ns, rows[0].end_ns), (announcement.start_ns, report.end_ns));

    let unheard = rebuild(&[announcement, report]);
    assert_eq!(summary(&unheard), [(Some(AP), ndpa, 0, true)], "the NDP was not heard");
}

#[test]
fn a_null_data_packet_out_of_nowhere_is_a_row() {
    let ndp = Frame { ra: None, ..timed(frame(Band::Erp, FrameKind::Ndp, None, A, 1000.0)) };
    assert_eq!(rebuild(&[ndp])[0].kind, ExchangeKind::Unknown);
}

#[test]
fn a_txop_holds_several_exchanges() {
    let rts = control(FrameKind::Rts, Some(A), B, 1000.0);
    let cts = control(FrameKind::Cts, None, A, end_us(&rts) + SIFS);
    let mut frames = vec![rts, cts];
    for seq in 0..3 {
        let data = basic(A, B, seq, end_us(frames.last().unwrap()) + SIFS);
        let answer = control(FrameKind::BlockAck, Some(B), A, end_us(&data) + SIFS);
        frames.extend([data, answer]);
    }
    frames.push(control(FrameKind::CfEnd, Some(A), Addr::BROADCAST, end_us(frames.last().unwrap()) + SIFS));
    let rows = rebuild(&frames);
    let data = (Some(A), Some(FrameKind::QosData), 1, true);
    assert_eq!(summary(&rows), [data, data, data, (Some(A), Some(FrameKind::CfEnd), 0, true)]);
    assert_eq!(rows[0].kind, ExchangeKind::Rts);
    assert!(rows[1..].iter().all(|row| row.idle_before_us == Some(SIFS) && row.backoff_us.is_none()));
    assert!(rows.iter().all(|row| row.attempt == 1));
}

#[test]
fn an_ampdu_of_several_tids_is_acknowledged_by_one_block_ack() {
    let ht = Frame { phy: Some(Phy::Ht), ampdu_ref: Some(4), ..basic(A, B, 100, 1000.0) };
    let subframes = [0, 5].map(|tid| Frame { tid: Some(tid), ..ht.clone() });
    let answer = Frame { tid: None, ..control(FrameKind::BlockAck, Some(B), A, end_us(&subframes[1]) + SIFS) };
    let rows = rebuild(&[subframes.as_slice(), &[answer]].concat());
    assert_eq!(summary(&rows), [(Some(A), Some(FrameKind::QosData), 2, true)]);
}

#[test]
fn a_lone_mpdu_may_be_acknowledged_by_a_block_ack_or_an_ack() {
    for kind in [FrameKind::BlockAck, FrameKind::Ack] {
        let data = basic(A, B, 1, 1000.0);
        let answer = control(kind, (kind == FrameKind::BlockAck).then_some(B), A, end_us(&data) + SIFS);
        assert_eq!(summary(&rebuild(&[data, answer])), [(Some(A), Some(FrameKind::QosData), 1, true)]);
    }
}

#[test]
fn fragments_are_attempted_one_by_one() {
    let mut frames = Vec::new();
    let mut now_us = 1000.0;
    // The second fragment's first attempt is not heard, the third one's first is not acknowledged.
    for (frag, is_retry, is_answered) in [(0, false, true), (1, true, true), (2, false, false), (2, true, true)] {
        let fragment = timed(Frame { frag: Some(frag), ..basic(A, B, 9, now_us) });
        let fragment = if is_retry { retry(fragment) } else { fragment };
        now_us = end_us(&fragment) + SIFS;
        frames.push(fragment);
        if is_answered {
            frames.push(control(FrameKind::Ack, None, A, now_us));
            now_us = end_us(frames.last().unwrap()) + SIFS;
        } else {
            now_us += 500.0;
        }
    }
    let attempts: Vec<u32> = rebuild(&frames).iter().map(|row| row.attempt).collect();
    assert_eq!(attempts, [1, 2, 1, 2]);
}
