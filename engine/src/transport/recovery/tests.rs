//! Recovery against scripts of acknowledgements.

use super::*;

const NONE: &[(u64, u64)] = &[];

/// Twenty outstanding segments of 1000 bytes after ten that were acknowledged.
fn twenty(repair: Repair) -> (Recovery, Scoreboard) {
    let mut board = Scoreboard::default();
    for _ in 0..30 {
        board.send_new();
    }
    board.acknowledge(10, NONE);
    (Recovery::new(repair, 1000), board)
}

fn ack(recovery: &mut Recovery, board: &mut Scoreboard, cumulative: u64) -> Verdict {
    let duplicate = cumulative == board.unacknowledged();
    let progress = board.acknowledge(cumulative, NONE);
    recovery.on_ack(board, progress, duplicate)
}

#[test]
fn v_tcp2_inflation_follows_rfc_6582() {
    let (mut recovery, mut board) = twenty(Repair::NewReno);
    for _ in 0..2 {
        assert_eq!(ack(&mut recovery, &mut board, 10).event, None);
    }
    assert_eq!(recovery.flight(&board), 18, "limited transmit");
    let third = ack(&mut recovery, &mut board, 10);
    assert_eq!(third.event, Some(Congestion::FastRetransmit { flight_bytes: 20_000 }));
    let window = |recovery: &Recovery| 10_000 + recovery.inflation;
    assert_eq!((window(&recovery), board.next_lost()), (13_000, Some(10)));
    for _ in 0..2 {
        assert_eq!(ack(&mut recovery, &mut board, 10).event, Some(Congestion::DuplicateAck));
    }
    assert_eq!(window(&recovery), 15_000);
    let partial = ack(&mut recovery, &mut board, 14);
    assert_eq!(partial.event, Some(Congestion::PartialAck { acked_bytes: 4_000 }));
    assert_eq!((window(&recovery), board.next_lost(), partial.restart_timer), (12_000, Some(14), true));
    assert!(!ack(&mut recovery, &mut board, 15).restart_timer, "only the first");
    let full = ack(&mut recovery, &mut board, 30);
    assert_eq!(full.event, Some(Congestion::FullAck { flight_bytes: 0 }));
    assert_eq!((window(&recovery), recovery.repairs()), (10_000, false));
}

#[test]
fn reno_repairs_one_loss_of_a_window() {
    let (mut recovery, mut board) = twenty(Repair::Reno);
    for _ in 0..3 {
        ack(&mut recovery, &mut board, 10);
    }
    assert!(recovery.is_fast());
    board.sent_again(10);
    let first = ack(&mut recovery, &mut board, 14);
    assert!(matches!(first.event, Some(Congestion::FullAck { .. })), "{:?}", first.event);
    assert_eq!((recovery.repairs(), recovery.inflation, board.next_lost()), (false, 0, None));
    for _ in 0..9 {
        assert_eq!(ack(&mut recovery, &mut board, 14).event, None, "duplicates up to the point are of this window");
    }
    assert_eq!(recovery.on_timeout(&mut board), Congestion::Timeout { flight_bytes: 16_000 });
}

/// As ns-2's does.
#[test]
fn reno_transmits_for_two_duplicates_after_a_timeout() {
    for (repair, flights) in [(Repair::Reno, [3, 2, 1, 1]), (Repair::NewReno, [3; 4])] {
        let (mut recovery, mut board) = twenty(repair);
        recovery.on_timeout(&mut board);
        (10..13).for_each(|segment| board.sent_again(segment));
        let found = [(); 4].map(|()| {
            let flight = recovery.flight(&board);
            ack(&mut recovery, &mut board, 10);
            flight
        });
        assert_eq!(found, flights, "{repair:?}");
        ack(&mut recovery, &mut board, 12);
        assert_eq!(recovery.flight(&board), 1);
    }
}

#[test]
fn repeated_timeouts_report_the_flight_of_the_first() {
    let (mut recovery, mut board) = twenty(Repair::Selective);
    for _ in 0..3 {
        assert_eq!(recovery.on_timeout(&mut board), Congestion::Timeout { flight_bytes: 20_000 });
        assert_eq!(board.in_flight(), 0);
        board.sent_again(10);
    }
    ack(&mut recovery, &mut board, 12);
    board.sent_again(12);
    assert_eq!(recovery.on_timeout(&mut board), Congestion::Timeout { flight_bytes: 1_000 });
}

/// Duplicates let new segments out while the cumulative number stands still: none of them makes the flight larger.
#[test]
fn a_timeout_in_recovery_reports_what_is_in_the_network() {
    let (mut recovery, mut board) = twenty(Repair::NewReno);
    for _ in 0..19 {
        ack(&mut recovery, &mut board, 10);
    }
    // The window is 10 segments and 19 of inflation.
    for _ in 0..9 {
        board.send_new();
    }
    assert_eq!((board.outstanding(), recovery.inflation), (29, 19_000));
    assert_eq!(recovery.on_timeout(&mut board), Congestion::Timeout { flight_bytes: 10_000 });
}

/// A retransmission that is lost too holds the cumulative number while new segments leave (RFC 6675, pipe).
#[test]
fn a_timeout_in_selective_recovery_reports_the_pipe() {
    let (mut recovery, mut board) = twenty(Repair::Selective);
    let progress = board.acknowledge(10, &[(11, 30)]);
    recovery.on_ack(&mut board, progress, true);
    board.sent_again(10);
    for _ in 0..100 {
        let segment = board.send_new();
        let progress = board.acknowledge(10, &[(11, segment)]);
        recovery.on_ack(&mut board, progress, true);
    }
    assert_eq!((board.outstanding(), board.in_flight()), (120, 2));
    assert_eq!(recovery.on_timeout(&mut board), Congestion::Timeout { flight_bytes: 2_000 });
}

/// What was lost before a timeout is not in the network after it.
#[test]
fn a_timeout_after_a_timeout_reports_what_was_sent_since() {
    let (mut recovery, mut board) = twenty(Repair::NewReno);
    recovery.on_timeout(&mut board);
    board.sent_again(10);
    ack(&mut recovery, &mut board, 11);
    board.sent_again(11);
    board.sent_again(12);
    assert_eq!(recovery.on_timeout(&mut board), Congestion::Timeout { flight_bytes: 2_000 });
}

#[test]
fn duplicates_of_what_was_sent_twice_start_nothing() {
    let (mut recovery, mut board) = twenty(Repair::NewReno);
    recovery.on_timeout(&mut board);
    ack(&mut recovery, &mut board, 30);
    board.send_new();
    for _ in 0..5 {
        assert_eq!(ack(&mut recovery, &mut board, 30).event, None);
    }
}

#[test]
fn selective_recovery_begins_once_per_window() {
    let (mut recovery, mut board) = twenty(Repair::Selective);
    let mut events = vec![];
    for to in 12..=20 {
        let progress = board.acknowledge(10, &[(11, to)]);
        events.extend(recovery.on_ack(&mut board, progress, true).event);
    }
    assert_eq!(events, [Congestion::FastRetransmit { flight_bytes: 20_000 }]);
    assert_eq!(recovery.flight(&board), 10, "20 to 29; 10 is lost and not yet sent again");
}

/// RFC 6937: the window goes down by what arrives; recovery ends with the threshold, however little is in flight then.
#[test]
fn a_proportional_recovery_goes_down_to_the_threshold_and_on_with_it() {
    let (mut recovery, mut board) = twenty(Repair::Proportional { wraps: false });
    let mut windows = vec![];
    for to in 12..=29 {
        let progress = board.acknowledge(10, &[(11, to)]);
        recovery.on_ack(&mut board, progress, true);
        recovery.reduce(&board, progress, recovery.is_fast().then_some(10_000.0));
        windows.push(recovery.window_bytes(7.0) as u64);
        while recovery.is_fast() && board.next_lost().is_some() {
            board.sent_again(10);
            recovery.sent();
        }
    }
    // Three arrived, one is lost: 16 are in flight, and the retransmission. Nothing else leaves here.
    assert_eq!(windows[..5], [7, 7, 17_000, 16_000, 15_500]);
    assert_eq!(windows[17], 3_000, "below the threshold what arrives is replaced");
    let progress = board.acknowledge(30, NONE);
    let verdict = recovery.on_ack(&mut board, progress, false);
    assert_eq!(verdict.event, Some(Congestion::FullAck { flight_bytes: 10_000 }));
    assert_eq!(recovery.window_bytes(7.0), 7.0, "the endpoint's again");
}

#[test]
fn without_a_threshold_the_window_is_the_endpoints() {
    for (repair, threshold) in [(Repair::Proportional { wraps: false }, None), (Repair::Selective, Some(10_000.0))] {
        let (mut recovery, mut board) = twenty(repair);
        let progress = board.acknowledge(10, &[(11, 14)]);
        recovery.on_ack(&mut board, progress, true);
        recovery.reduce(&board, progress, threshold);
        assert!(recovery.is_fast());
        assert_eq!(recovery.window_bytes(7.0), 7.0, "{repair:?}");
    }
}

/// The impatient variant of RFC 6582, which ns-3 follows with selective acknowledgements, too.
#[test]
fn only_the_first_partial_acknowledgement_restarts_the_timer_as_in_ns3() {
    for (repair, restarts) in [
        (Repair::Proportional { wraps: true }, [true, false]),
        (Repair::Proportional { wraps: false }, [true, true]),
        (Repair::Selective, [true, true]),
    ] {
        let (mut recovery, mut board) = twenty(repair);
        let progress = board.acknowledge(10, &[(11, 14)]);
        recovery.on_ack(&mut board, progress, true);
        assert!(recovery.is_fast());
        let found = [15, 16].map(|to| {
            let progress = board.acknowledge(to, NONE);
            recovery.on_ack(&mut board, progress, false).restart_timer
        });
        assert_eq!(found, restarts, "{repair:?}");
    }
}
