//! The simulation against what can be computed.

use super::*;

const T_X: f64 = 2293.273e-6;
const RTS: f64 = 352e-6;
const CTS: f64 = 304e-6;
const DIFS: f64 = 50e-6;
const SIFS: f64 = 10e-6;

/// RTS/CTS, 1500 octets at 11 Mb/s.
fn station() -> Station {
    Station {
        subject: false,
        hidden: false,
        rts: true,
        backlogged: false,
        packets_per_s: 0.0,
        variation: 1.0,
        burst_s: 0.0,
        pause_s: 0.0,
        packets_max: 1.0,
        access_s: T_X + DIFS,
        packet_s: 0.0,
        first_s: RTS + SIFS + CTS + DIFS,
        first_packet_s: 0.0,
        tail_s: SIFS + CTS + DIFS,
        sifs_s: SIFS,
        txop_s: 0.0,
        aifs_s: DIFS,
        request_s: None,
        loss: 0.0,
        rts_loss: 0.0,
        vulnerable: 1.0,
        persistent: false,
        window: 32.0,
        slot_s: 20e-6,
        first_destroyed: 1.0,
        answered_destroyed: 1.0,
        late_destroyed: 1.0,
    }
}

fn subject() -> Station {
    Station { subject: true, backlogged: true, ..station() }
}

/// The same without RTS, in MPDUs that travel together, 40 us each.
fn aggregating() -> Station {
    Station {
        rts: false,
        packets_max: 40.0,
        access_s: 150e-6,
        packet_s: 40e-6,
        first_s: 150e-6,
        first_packet_s: 40e-6,
        tail_s: 90e-6,
        request_s: Some(120e-6),
        ..station()
    }
}

/// One of many in 802.11n, 1500 octets at 58.5 Mb/s in an MPDU.
fn crowded() -> Station {
    Station {
        packets_max: 25.0,
        access_s: 124e-6,
        packet_s: 211e-6,
        first_s: 124e-6,
        first_packet_s: 211e-6,
        tail_s: 91e-6,
        sifs_s: 16e-6,
        aifs_s: 43e-6,
        window: 16.0,
        slot_s: 9e-6,
        ..aggregating()
    }
}

/// The result of the first of the stations.
fn of_first(stations: &[Station], seed: u64) -> Outcome {
    simulate(stations, seed)[0]
}

#[test]
fn a_sender_alone_gets_the_theoretical_maximum() {
    let alone = of_first(&[subject()], 1);
    assert!((alone.delivered_per_s * 12e-3 / 4.5227 - 1.0).abs() < 0.005, "{alone:?}");
    assert_eq!((alone.first_failed, alone.answered_failed), (0.0, 0.0));
}

#[test]
fn the_same_seed_gives_the_same_result() {
    let stations = [subject(), Station { packets_per_s: 150.0, ..station() }];
    assert_eq!(simulate(&stations, 1), simulate(&stations, 1));
    assert_ne!(simulate(&stations, 1), simulate(&stations, 2));
}

#[test]
fn two_backlogged_stations_share_the_medium() {
    let shared = of_first(&[subject(), Station { backlogged: true, ..station() }], 1);
    assert!((shared.delivered_per_s * 12e-3 / 2.38 - 1.0).abs() < 0.03, "{shared:?}");
}

#[test]
fn packets_that_find_the_medium_idle_collide_within_the_time_of_a_preamble() {
    let light = Station {
        rts: false,
        packets_per_s: 400.0,
        access_s: 100e-6 + DIFS,
        first_s: 100e-6 + DIFS,
        tail_s: 40e-6 + DIFS,
        window: 16.0,
        ..station()
    };
    // Each meets a start of the other within 4 us before or after it, while the medium is idle for 88 % of the time. Of
    // packets that come during AIFS, after 800 exchanges a second, two collide at its end.
    let expected = 0.88 * 400.0 * 8e-6 + 800.0 / 400.0 * (400.0 * DIFS).powi(2);
    for slot_s in [20e-6, 10e-6] {
        let both = [Station { slot_s, ..light }; 2];
        let collided = of_first(&both, 1).first_failed;
        assert!((collided / expected - 1.0).abs() < 0.2, "{slot_s} {collided} {expected}");
    }
}

#[test]
fn the_channel_loses_rts() {
    let share = 0.3_f64;
    let lossy = of_first(&[Station { rts_loss: share, ..subject() }], 1);
    assert!((lossy.first_failed - share).abs() < 0.01 && lossy.answered_failed == 0.0, "{lossy:?}");
    // The wait for a CTS and a larger window each, nothing of the data.
    let slots: f64 =
        (0..7).map(|attempt| share.powi(attempt) * (f64::from(32 << attempt) - 1.0).min(1023.0) / 2.0).sum();
    let failed: f64 = (1..7).map(|attempt| share.powi(attempt)).sum();
    let packet_s = slots * 20e-6 + failed * station().first_s + station().access_s;
    assert!((lossy.delivered_per_s * packet_s - 1.0).abs() < 0.01, "{lossy:?}");
}

#[test]
fn a_lost_rts_ends_no_txop() {
    let five = Station { rts: true, ..five_at_a_time(12e-3, 0.0) };
    let [whole, lossy] = [0.0, 0.3].map(|rts_loss| of_first(&[Station { rts_loss, ..five }], 1));
    let each = |found: &Outcome| found.exchanges_per_s / (found.attempts_per_s * (1.0 - found.first_failed));
    assert!((each(&lossy) / each(&whole) - 1.0).abs() < 0.01, "{lossy:?} {whole:?}");
}

#[test]
fn the_channel_loses_data_after_the_cts() {
    let lossy = of_first(&[Station { loss: 0.2, ..subject() }], 1);
    assert!((lossy.answered_failed - 0.2).abs() < 0.01 && lossy.first_failed == 0.0, "{lossy:?}");
}

#[test]
fn frames_of_hidden_stations_are_lost_when_they_overlap() {
    let hidden = Station { hidden: true, packets_per_s: 150.0, ..station() };
    let survived = |first, answered| {
        let chances = Station { first_destroyed: first, answered_destroyed: answered, ..subject() };
        of_first(&[chances, hidden], 1)
    };
    assert_eq!(survived(0.0, 0.0).answered_failed, 0.0);
    assert!(survived(0.0, 1.0).answered_failed > 0.02);
    assert!(survived(1.0, 1.0).first_failed > survived(0.0, 1.0).first_failed + 0.05);
}

#[test]
fn a_station_whose_receiver_hears_nothing_of_the_subject_loses_nothing_to_it() {
    let basic = Station { rts: false, first_s: T_X, ..station() };
    let subject = Station { subject: true, backlogged: true, ..basic };
    let hidden = Station { hidden: true, packets_per_s: 100.0, ..basic };
    let apart = Station { first_destroyed: 0.0, late_destroyed: 0.0, ..hidden };
    let of_both = |other| {
        let found = simulate(&[subject, other], 1);
        (found[0].delivered_per_s, found[1].delivered_per_s, found[1].first_failed)
    };
    let ((beside, _, repeated), (better, whole, unrepeated)) = (of_both(hidden), of_both(apart));
    assert!(repeated > 0.2 && unrepeated < 0.02, "{repeated} {unrepeated}");
    assert!((whole / 100.0 - 1.0).abs() < 0.05, "{whole}");
    assert!(better > 1.1 * beside, "{better} {beside}");
}

#[test]
fn packets_in_bursts_are_as_many_and_leave_pauses_to_a_station_that_does_not_hear_them() {
    let basic = Station { rts: false, first_s: T_X, ..station() };
    let subject = Station { subject: true, backlogged: true, ..basic };
    let hidden = Station { hidden: true, packets_per_s: 100.0, ..basic };
    let bursts = Station { burst_s: 0.05, pause_s: 0.15, ..hidden };
    let alone = of_first(&[bursts], 1).delivered_per_s;
    assert!((alone / 100.0 - 1.0).abs() < 0.05, "{alone}");
    let [at_random, in_bursts] = [hidden, bursts].map(|other| of_first(&[subject, other], 1).delivered_per_s);
    assert!(in_bursts > 1.2 * at_random, "{at_random} {in_bursts}");
    // A source that is never off sends at random.
    let never_off = Station { burst_s: 0.05, pause_s: 0.0, ..hidden };
    assert_eq!(of_first(&[subject, never_off], 1), of_first(&[subject, hidden], 1));
}

#[test]
fn a_burst_for_which_the_queue_has_no_room_ends_in_time() {
    // 3000 packets in a second, of which the medium takes 430 and the queue 500.
    let bursts = Station { packets_per_s: 300.0, burst_s: 1.0, pause_s: 9.0, ..station() };
    let delivered = of_first(&[bursts], 1).delivered_per_s;
    assert!(delivered < 0.5 * 300.0, "{delivered}");
}

#[test]
fn of_an_aggregate_beside_a_hidden_station_only_what_overlaps_is_lost() {
    let subject = Station { subject: true, backlogged: true, ..aggregating() };
    let hidden = Station { hidden: true, packets_per_s: 200.0, packets_max: 1.0, ..aggregating() };
    let alone = of_first(&[subject], 1).delivered_per_s;
    let beside = of_first(&[subject, hidden], 1).delivered_per_s;
    // A frame of 190 us overlaps five to six of 40 MPDUs of 40 us.
    assert!(beside > 0.6 * alone && beside < 0.95 * alone, "{alone} {beside}");
}

#[test]
fn an_aggregate_that_collides_costs_a_request_and_its_whole_length() {
    let subject = Station { subject: true, backlogged: true, ..aggregating() };
    let crowd: Vec<_> =
        std::iter::once(subject).chain((0..7).map(|_| Station { backlogged: true, ..aggregating() })).collect();
    let share = of_first(&crowd, 1);
    let alone = of_first(&[subject], 1);
    assert!(share.first_failed > 0.2, "{share:?}");
    assert!(share.delivered_per_s * 8.0 < 0.95 * alone.delivered_per_s, "{share:?} {alone:?}");
}

#[test]
fn an_answer_to_a_request_ends_a_row_of_failures() {
    // 24 stations with half of what the medium carries, beside one that is backlogged: half of their attempts fail, and
    // as many of their BlockAckReqs. That seven in a row do is rare.
    let subject = Station { subject: true, backlogged: true, ..crowded() };
    let others = (0..24).map(|_| Station { packets_per_s: 70.0, ..crowded() });
    let crowd: Vec<_> = std::iter::once(subject).chain(others).collect();
    let found = simulate(&crowd, 1);
    let delivered = found[1..].iter().map(|other| other.delivered_per_s).sum::<f64>() / 24.0;
    assert!(found[0].first_failed > 0.4, "{:?}", found[0]);
    assert!(delivered > 0.92 * 70.0, "{delivered}");
}

#[test]
fn a_station_with_a_longer_aifs_collides_less_often() {
    let shorter =
        Station { packets_per_s: 1000.0, access_s: 350e-6 + DIFS, first_s: 350e-6 + DIFS, rts: false, ..station() };
    let longer_s = 80e-6;
    let longer = Station {
        aifs_s: DIFS + longer_s,
        access_s: shorter.access_s + longer_s,
        first_s: shorter.first_s + longer_s,
        tail_s: shorter.tail_s + longer_s,
        ..shorter
    };
    let subject = Station { subject: true, backlogged: true, ..aggregating() };
    let [like, later] = [shorter, longer].map(|other| of_first(&[subject, other, other], 1));
    assert!(later.first_failed < 0.8 * like.first_failed, "{like:?} {later:?}");
    assert!(later.delivered_per_s > like.delivered_per_s, "{like:?} {later:?}");
}

#[test]
fn voice_comes_again_at_once_where_it_is_not_heard() {
    let attempts = |window| of_first(&[Station { window, loss: 0.9, rts: false, ..subject() }], 1).attempts_per_s;
    // Of seven attempts the mean backoff is 2.9 slots with CW 3 and 7; with CW to 1023 it would be 35, as much as a frame.
    let alone_s = T_X + DIFS;
    assert!(attempts(4.0) > 0.95 / (alone_s + 3.3 * 20e-6), "{}", attempts(4.0));
    assert!(attempts(16.0) < 0.7 / alone_s, "{}", attempts(16.0));
}

/// Bianchi's fixed point without retry limits: tau and p of n stations with CW from 31 to 1023.
fn bianchi(count: i32) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let p: f64 = f64::midpoint(low, high);
        let doubled: f64 = (0..5).map(|stage| (2.0 * p).powi(stage)).sum();
        let tau = 2.0 / (1.0 + 32.0 + p * 32.0 * doubled);
        if 1.0 - (1.0 - tau).powi(count - 1) > p {
            low = p;
        } else {
            high = p;
        }
    }
    low
}

#[test]
fn backlogged_stations_collide_as_often_as_bianchi_has_it() {
    for count in [2, 3, 5, 10, 20] {
        let crowd = vec![Station { backlogged: true, ..station() }; count];
        let found = simulate(&crowd, 1);
        let attempts: f64 = found.iter().map(|outcome| outcome.attempts_per_s).sum();
        let failed = found.iter().map(|outcome| outcome.first_failed * outcome.attempts_per_s).sum::<f64>() / attempts;
        let expected = bianchi(count as i32);
        assert!((failed / expected - 1.0).abs() < 0.12, "{count}: {failed} {expected}");
    }
}

#[test]
fn every_station_has_its_result() {
    let [busy, quiet] = [40.0, 10.0].map(|packets_per_s| Station { packets_per_s, ..station() });
    let found = simulate(&[quiet, busy, busy], 1);
    assert!((found[0].delivered_per_s / 10.0 - 1.0).abs() < 0.05, "{found:?}");
    assert!((found[2].delivered_per_s / 40.0 - 1.0).abs() < 0.05, "{found:?}");
    // Each meets the others: the quiet one two busy ones, a busy one another and the quiet one.
    assert!(found[0].first_failed > found[1].first_failed, "{found:?}");
}

#[test]
fn packets_that_come_during_an_exchange_do_not_all_start_after_it() {
    // An exchange of 2.3 ms, of which the RTS is 0.35 ms: most packets come while the data is on the air.
    let light = Station { packets_per_s: 30.0, ..station() };
    let found = simulate(&[light; 6], 1);
    // 5 others x 30/s: 0.35 of the time is busy, where 0.25 of them come; two that wait meet in 1 of 32 slots or so.
    assert!(found.iter().all(|outcome| outcome.first_failed < 0.03), "{found:?}");
}

#[test]
fn packets_at_even_intervals_queue_less_and_collide_less() {
    let [random, even] = [1.0, 0.05].map(|variation| {
        let found = simulate(&[Station { packets_per_s: 100.0, variation, ..station() }; 3], 1);
        assert!((found[0].delivered_per_s / 100.0 - 1.0).abs() < 0.03, "{found:?}");
        found.iter().map(|outcome| outcome.first_failed).sum::<f64>()
    });
    assert!(even < 0.8 * random, "{even} {random}");
}

#[test]
fn attempts_that_waited_for_the_subject_grow_with_its_load() {
    let heard = Station { packets_per_s: 60.0, ..station() };
    let behind = |packets_per_s| {
        let unheard = Station { subject: true, packets_per_s, ..station() };
        simulate(&[unheard, heard, heard], 1)[1]
    };
    let [none, some, more] = [0.0, 30.0, 100.0].map(behind);
    assert_eq!((none.behind, none.behind_slots), (0.0, 0.0));
    assert!(some.behind > 0.01 && more.behind > 2.0 * some.behind, "{some:?} {more:?}");
    // Two backoffs of 0 to 31 slots, of which the first is the smaller one.
    assert!((10.0..40.0).contains(&more.behind_slots), "{more:?}");
}

#[test]
fn no_station_or_nothing_to_send_ends_at_once() {
    assert_eq!(simulate(&[], 1), []);
    assert_eq!(simulate(&[station()], 1), [Outcome::default()]);
    assert_eq!(simulate(&[Station { backlogged: false, ..subject() }], 1), [Outcome::default()]);
}

#[test]
fn impossible_stations_end_as_well() {
    let broken = Station { packets_per_s: 1e9, access_s: 1e-6, first_s: 10.0, tail_s: 1.0, ..station() };
    let outcome = of_first(&[subject(), broken, Station { hidden: true, ..broken }], 1);
    assert!(outcome.delivered_per_s.is_finite());
}

#[test]
fn what_comes_during_a_txop_goes_out_in_it() {
    let busy = |txop_s| Station { packets_per_s: 3_000.0, txop_s, aifs_s: DIFS - 20e-6, window: 8.0, ..aggregating() };
    let backlogged = || Station { backlogged: true, ..aggregating() };
    let [once, txop] = [0.0, 4e-3].map(|txop_s| simulate(&[busy(txop_s), busy(txop_s), backlogged()], 1));
    // The same packets in fewer accesses, each with more exchanges, of which none but the first is contended for.
    assert!((txop[0].delivered_per_s / once[0].delivered_per_s - 1.0).abs() < 0.03, "{once:?} {txop:?}");
    assert!(txop[0].attempts_per_s < 0.8 * once[0].attempts_per_s, "{once:?} {txop:?}");
    assert!(txop[0].exchanges_per_s > 1.3 * txop[0].attempts_per_s, "{txop:?}");
    assert!(txop[2].first_failed < once[2].first_failed, "{once:?} {txop:?}");
    assert!(txop[2].delivered_per_s > 1.02 * once[2].delivered_per_s, "{once:?} {txop:?}");
}

#[test]
fn a_txop_ends_at_its_limit() {
    let short = Station { txop_s: 200e-6, backlogged: true, packets_max: 1.0, ..aggregating() };
    let found = of_first(&[short], 1);
    assert_eq!(found.exchanges_per_s, found.attempts_per_s, "{found:?}");
}

/// Frames of 1 ms, five at a time, in a TXOP of this length.
fn five_at_a_time(txop_s: f64, loss: f64) -> Station {
    Station { txop_s, packets_max: 5.0, packet_s: 1e-3, loss, rts: false, ..subject() }
}

/// Of five frames that begin with one that arrives, 1 + 0.8 + ... + 0.8^4 do, if a fifth is lost.
const ARRIVE: f64 = 3.3616;
/// Share of these accesses that hold a frame that is lost.
const CUT: f64 = 0.5904;

#[test]
fn a_loss_ends_a_txop() {
    let lossy = five_at_a_time(4e-3, 0.2);
    let found = of_first(&[lossy], 1);
    assert!((found.delivered_per_s / found.exchanges_per_s - ARRIVE).abs() < 0.03, "{found:?}");
    // The window is larger after a loss, of the first frame (which takes as long) or of a later one.
    let after = [0.8 * (1.0 - CUT), 0.8 * CUT];
    let mut stages = vec![after[0], after[1] + 0.2 * after[0]];
    (0..6).for_each(|stage| stages.push(0.2 * stages[stage + 1]));
    let slots = |(stage, share): (usize, &f64)| share * (32.0 * f64::powi(2.0, stage.min(5) as i32) - 1.0) / 2.0;
    let backoff_s = 20e-6 * stages.iter().enumerate().map(slots).sum::<f64>();
    let access_s = backoff_s + lossy.access_s + (ARRIVE + CUT) * 1e-3;
    assert!((found.attempts_per_s * access_s - 1.0).abs() < 0.005, "{} {access_s}", 1.0 / found.attempts_per_s);
}

#[test]
fn after_a_loss_no_txop_goes_on() {
    let [whole, lossy] = [0.0, 0.2].map(|loss| of_first(&[five_at_a_time(12e-3, loss)], 1));
    assert_eq!(whole.exchanges_per_s, 2.0 * whole.attempts_per_s, "{whole:?}");
    let each = lossy.exchanges_per_s / (0.8 * lossy.attempts_per_s);
    assert!((each - (2.0 - CUT)).abs() < 0.02, "{each}");
}
