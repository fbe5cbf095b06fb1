//! The clock against recordings whose stamps were moved on purpose.

mod air;

use air::{frame, Band, Dice, A, B, C};
use winf_parsers::base::WarningCode;
use winf_parsers::clock::{ClockAnalysis, ClockModel, Convention, GroupConvention};
use winf_parsers::frame::{Addr, Direction, Frame, FrameKind, Phy};
use winf_parsers::ieee80211::airtime;

/// RTS, CTS, data and ACK between A (whose recording it is) and B in turns, stamped with the start.
fn recording(band: Band, exchanges: usize) -> Vec<Frame> {
    let mut frames = Vec::new();
    let mut now = 1000.0;
    for number in 0..exchanges {
        let (from, to) = if number % 2 == 0 { (A, B) } else { (B, A) };
        let sequence: [(FrameKind, Option<Addr>, Addr, Addr); 4] = [
            (FrameKind::Rts, Some(from), to, from),
            (FrameKind::Cts, None, from, to),
            (FrameKind::Data, Some(from), to, from),
            (FrameKind::Ack, None, from, to),
        ];
        for (kind, ta, ra, sender) in sequence {
            let mut frame = frame(band, kind, ta, ra, now);
            frame.direction = Some(if sender == A { Direction::Tx } else { Direction::Rx });
            now += frame.airtime_us.unwrap() + 10.0;
            frames.push(frame);
        }
        now += 400.0;
    }
    frames
}

/// The same recording with stamps that mark another instant of sent and of received frames.
fn restamped(frames: &[Frame], sent: Convention, received: Convention) -> Vec<Frame> {
    let mut frames = frames.to_vec();
    for frame in &mut frames {
        let convention = if frame.direction == Some(Direction::Tx) { sent } else { received };
        let offset_us = match convention {
            Convention::Start => 0.0,
            Convention::Mpdu => airtime::preamble_us(frame).unwrap(),
            Convention::Header if frame.phy == Some(Phy::Ht) => 28.0,
            Convention::Header => 20.0,
            Convention::End => frame.airtime_us.unwrap(),
            Convention::EndOfSymbols => frame.airtime_us.unwrap() - 6.0,
        };
        frame.ts_ns += (offset_us * 1000.0).round() as i64;
    }
    frames
}

fn model(frames: &[Frame]) -> ClockModel {
    let mut analysis = ClockAnalysis::default();
    for frame in frames {
        analysis.observe(frame);
    }
    analysis.decide()
}

fn conventions(frames: &[Frame]) -> Vec<GroupConvention> {
    model(frames).describe()
}

fn of_direction(groups: &[GroupConvention], direction: Direction) -> Vec<Convention> {
    groups.iter().filter(|group| group.direction == Some(direction)).map(|group| group.convention).collect()
}

/// Applies the model found from the frames themselves and checks every start against the truth.
fn assert_starts_recovered(truth: &[Frame], stamped: &[Frame], tolerance_ns: u64) {
    let mut model = model(stamped);
    for (true_frame, stamped) in truth.iter().zip(stamped) {
        let mut timed = stamped.clone();
        model.apply(&mut timed);
        let start = timed.start_ns.unwrap();
        assert!(start.abs_diff(true_frame.ts_ns) <= tolerance_ns, "{start} is not {}", true_frame.ts_ns);
        let airtime = timed.end_ns.unwrap() - start;
        assert!((airtime as f64 / 1000.0 - timed.airtime_us.unwrap()).abs() < 0.001);
    }
    assert_eq!(model.warnings(), []);
}

#[test]
fn all_four_combinations_of_start_and_end_are_told_apart() {
    for band in [Band::Dsss, Band::Erp] {
        let truth = recording(band, 20);
        for sent in [Convention::Start, Convention::End] {
            for received in [Convention::Start, Convention::End] {
                let stamped = restamped(&truth, sent, received);
                let groups = conventions(&stamped);
                assert!(of_direction(&groups, Direction::Tx).iter().all(|c| *c == sent), "{groups:?}");
                assert!(of_direction(&groups, Direction::Rx).iter().all(|c| *c == received), "{groups:?}");
                assert!(groups.iter().all(|group| group.explained_share == 1.0 && !group.ambiguous));
                assert_starts_recovered(&truth, &stamped, 1);
            }
        }
    }
}

#[test]
fn an_end_before_the_signal_extension_is_found() {
    let truth = recording(Band::Erp, 20);
    let stamped = restamped(&truth, Convention::Start, Convention::EndOfSymbols);
    assert_eq!(of_direction(&conventions(&stamped), Direction::Rx), [Convention::EndOfSymbols]);
    assert_starts_recovered(&truth, &stamped, 1);
}

#[test]
fn mixed_directions_tell_the_start_of_the_mpdu_from_the_start_of_the_frame() {
    let truth = recording(Band::Dsss, 20);
    for (sent, received) in [(Convention::Mpdu, Convention::End), (Convention::Start, Convention::Mpdu)] {
        let stamped = restamped(&truth, sent, received);
        let groups = conventions(&stamped);
        assert!(of_direction(&groups, Direction::Tx).iter().all(|c| *c == sent), "{groups:?}");
        assert!(of_direction(&groups, Direction::Rx).iter().all(|c| *c == received), "{groups:?}");
        assert_starts_recovered(&truth, &stamped, 1);
    }
}

#[test]
fn unequal_preambles_tell_the_conventions_at_the_start_of_a_frame_apart() {
    let mut truth = recording(Band::Erp, 20);
    let mut moved_ns = 0;
    for frame in &mut truth {
        frame.direction = None;
        frame.ts_ns += moved_ns;
        if frame.kind == FrameKind::Data {
            let before = frame.airtime_us.unwrap();
            (frame.phy, frame.mcs, frame.bandwidth_mhz, frame.guard_ns) = (Some(Phy::Ht), Some(7), Some(20), Some(800));
            airtime::fill(frame);
            moved_ns += ((frame.airtime_us.unwrap() - before) * 1000.0) as i64;
        }
    }
    for convention in [Convention::Mpdu, Convention::Start, Convention::Header] {
        let stamped = restamped(&truth, convention, convention);
        let groups = conventions(&stamped);
        let ht = groups.iter().find(|group| group.phy == Some(Phy::Ht)).unwrap();
        assert_eq!((ht.convention, ht.explained_share, ht.ambiguous), (convention, 1.0, false));
        assert_starts_recovered(&truth, &stamped, 1);
    }
}

#[test]
fn with_equal_preambles_a_radio_clock_marks_the_mpdu_and_a_simulator_the_frame() {
    let mut frames = recording(Band::Erp, 20);
    for frame in &mut frames {
        frame.direction = None;
    }
    assert!(conventions(&frames).iter().all(|group| group.convention == Convention::Start && !group.ambiguous));
    for frame in &mut frames {
        frame.tsft_us = Some(frame.ts_ns as u64 / 1000 + 77_000);
    }
    assert!(conventions(&frames).iter().all(|group| group.convention == Convention::Mpdu && !group.ambiguous));
}

#[test]
fn the_radio_clock_is_taken_before_the_hosts() {
    let truth = recording(Band::Dsss, 20);
    let mut dice = Dice(7);
    let mut stamped = restamped(&truth, Convention::End, Convention::End);
    for frame in &mut stamped[1..] {
        frame.tsft_us = Some((frame.ts_ns as f64 / 1000.0).round() as u64 + 5_000_000);
        frame.ts_ns += dice.roll(300_000) as i64;
    }
    stamped[0].tsft_us = Some((stamped[0].ts_ns as f64 / 1000.0).round() as u64 + 5_000_000);
    assert_starts_recovered(&truth, &stamped, 1_000);
}

#[test]
fn noise_of_three_microseconds_and_whole_microseconds_do_no_harm() {
    let truth = recording(Band::Erp, 200);
    let mut dice = Dice(42);
    let mut stamped = restamped(&truth, Convention::Start, Convention::End);
    for frame in &mut stamped {
        // Two stamps are compared, so each is off by half of it.
        frame.ts_ns = (frame.ts_ns + dice.roll(3_000) as i64 - 1_500).div_euclid(1000) * 1000;
    }
    let groups = conventions(&stamped);
    assert_eq!(of_direction(&groups, Direction::Tx), [Convention::Start]);
    assert_eq!(of_direction(&groups, Direction::Rx), [Convention::End]);
    assert!(groups.iter().all(|group| group.explained_share > 0.9 && !group.ambiguous), "{groups:?}");
    assert_starts_recovered(&truth, &stamped, 3_000);
}

#[test]
fn stamps_of_a_slow_host_are_ambiguous() {
    let mut dice = Dice(3);
    let mut stamped = recording(Band::Erp, 200);
    for frame in &mut stamped {
        frame.ts_ns += dice.roll(2_000_000) as i64;
    }
    let model = model(&stamped);
    assert!(model.describe().iter().all(|group| group.ambiguous && group.convention == Convention::Mpdu));
    assert_eq!(model.warnings()[0].code, WarningCode::ClockAmbiguous);
}

#[test]
fn without_pairs_the_source_is_ambiguous_and_taken_as_radiotap_defines_it() {
    let mut frames = recording(Band::Dsss, 20);
    frames.retain(|frame| frame.kind == FrameKind::Data);
    let mut model = model(&frames);
    let groups = model.describe();
    assert!(groups.iter().all(|group| group.ambiguous && group.pairs == 0 && group.convention == Convention::Mpdu));
    assert_eq!(model.warnings()[0].code, WarningCode::ClockAmbiguous);
    let mut frame = frames[0].clone();
    model.apply(&mut frame);
    assert_eq!(frame.start_ns, Some(frame.ts_ns - 192_000));
}

#[test]
fn a_phy_without_pairs_follows_the_others_of_its_direction() {
    let mut frames = restamped(&recording(Band::Dsss, 20), Convention::Start, Convention::End);
    let beacon = Frame {
        kind: FrameKind::Beacon,
        phy: Some(Phy::He),
        direction: Some(Direction::Rx),
        ..Frame::new(1, 1_000_000_000)
    };
    frames.push(beacon.clone());
    let mut model = model(&frames);
    let he = model.describe().into_iter().find(|group| group.phy == Some(Phy::He)).unwrap();
    assert_eq!((he.convention, he.pairs, he.ambiguous), (Convention::End, 0, false));
    let mut timed = beacon;
    model.apply(&mut timed);
    assert_eq!((timed.start_ns, timed.end_ns), (None, Some(1_000_000_000)), "no airtime: only the end is known");
}

#[test]
fn damaged_frames_prove_nothing() {
    let mut frames = restamped(&recording(Band::Dsss, 20), Convention::Start, Convention::End);
    for frame in &mut frames {
        frame.fcs_ok = Some(false);
    }
    assert!(conventions(&frames).iter().all(|group| group.pairs == 0));
}

#[test]
fn other_stations_frames_in_between_are_no_pairs() {
    let mut frames = Vec::new();
    for data in recording(Band::Dsss, 20).into_iter().filter(|frame| frame.kind == FrameKind::Data) {
        let end = data.ts_ns as f64 / 1000.0 + data.airtime_us.unwrap();
        frames.push(data);
        frames.push(frame(Band::Dsss, FrameKind::Ack, None, C, end + 10.0));
    }
    assert!(conventions(&frames).iter().all(|group| group.pairs == 0));
}

#[test]
fn times_that_the_format_gives_are_kept() {
    let mut frame = frame(Band::Dsss, FrameKind::Data, Some(A), B, 50.0);
    frame.end_ns = Some(77);
    ClockAnalysis::default().decide().apply(&mut frame);
    assert_eq!((frame.start_ns, frame.end_ns), (None, Some(77)));
}

#[test]
fn no_stamp_panics() {
    let mut dice = Dice(99);
    let mut frames = recording(Band::Erp, 500);
    for frame in &mut frames {
        if dice.roll(2) == 0 {
            frame.ts_ns = [i64::MIN, i64::MAX, 0, -1][dice.roll(4) as usize];
        }
        if dice.roll(2) == 0 {
            frame.tsft_us = Some([0, u64::MAX, 1 << 53, dice.roll(u64::MAX)][dice.roll(4) as usize]);
        }
        if dice.roll(4) == 0 {
            frame.airtime_us = Some([f64::NAN, f64::INFINITY, -1.0, 1e300][dice.roll(4) as usize]);
        }
    }
    let mut model = model(&frames);
    for frame in &mut frames {
        model.apply(frame);
    }
    model.warnings();
}

#[test]
fn sent_frames_stamped_after_their_answers_have_no_start() {
    let mut dice = Dice(7);
    let mut frames = recording(Band::Erp, 60);
    for place in 0..frames.len() {
        if frames[place].direction == Some(Direction::Tx) && frames[place].kind == FrameKind::Data {
            // When the radio reports that it was sent: after the ACK.
            let answer = &frames[place + 1];
            let reported_us = answer.ts_ns as f64 / 1000.0 + answer.airtime_us.unwrap() + dice.roll(40) as f64;
            frames[place].ts_ns = (reported_us * 1000.0) as i64;
            // An unknown rate, and another channel of the same radio: then no pair tells anything.
            (frames[place].airtime_us, frames[place].channel_mhz) = (None, Some(2462));
        }
    }
    frames.retain(|frame| frame.direction == Some(Direction::Rx) || frame.kind == FrameKind::Data);
    // What two others say to one another is stamped as it should be.
    let mut now = frames.last().unwrap().ts_ns as f64 / 1000.0;
    for _ in 0..60 {
        now += 2000.0;
        let mut data = frame(Band::Erp, FrameKind::Data, Some(B), C, now);
        data.direction = Some(Direction::Rx);
        let mut answer = frame(Band::Erp, FrameKind::Ack, None, B, now + data.airtime_us.unwrap() + 10.0);
        answer.direction = Some(Direction::Rx);
        frames.extend([data, answer]);
    }
    let mut model = model(&frames);
    let groups = model.describe();
    assert!(groups.iter().all(|group| group.contradicted == (group.direction == Some(Direction::Tx))), "{groups:?}");
    assert_eq!(model.warnings().iter().map(|warning| warning.code).collect::<Vec<_>>(), [WarningCode::ClockAmbiguous]);
    for frame in &frames {
        let mut timed = frame.clone();
        model.apply(&mut timed);
        assert_eq!(timed.start_ns.is_some(), frame.direction == Some(Direction::Rx));
    }
}
