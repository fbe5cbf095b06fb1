//! The transport against scripts of loss and reordering.

mod pipe;

use pipe::{run, Fate, DELAY};
use proptest::prelude::*;
use winf_engine::packet::{Packet, PacketKind};
use winf_engine::units::{seconds, MILLISECOND, SECOND};
use winf_engine::world::{FlowSpec, Source, WindowReduction};

fn flow(segments: u64, sack: bool) -> FlowSpec {
    let mut flow = FlowSpec::new("f", ["a", "b"]).with_source(Source::Bytes(segments * 1000));
    flow.transport.sack = sack;
    flow.transport.initial_window_segments = 10;
    flow
}

/// Loses the first copy of these segments.
fn lose(segments: &[u64]) -> impl FnMut(&Packet, usize) -> Fate + '_ {
    |packet, _| match packet.kind == PacketKind::Data && !packet.retransmitted && segments.contains(&packet.segment) {
        true => Fate::Lost,
        false => Fate::Arrives,
    }
}

#[test]
fn one_loss_costs_one_retransmission_and_no_timeout() {
    for sack in [true, false] {
        let seen = run("new_reno", &flow(200, sack), lose(&[40]));
        assert_eq!((seen.retransmissions, seen.fast_retransmits, seen.timeouts), (1, 1, 0), "sack {sack}");
        assert_eq!(seen.delivered_bytes, 200_000);
    }
}

#[test]
fn a_burst_is_repaired_in_one_round_trip_with_sack_and_one_by_one_without() {
    let span_of_repair = |sack| {
        let mut repairs = vec![];
        let mut lost = lose(&[40, 41, 43, 44, 45]);
        let seen = run("new_reno", &flow(200, sack), |packet, number| {
            repairs.extend((packet.kind == PacketKind::Data && packet.retransmitted).then_some(packet.sent_at));
            lost(packet, number)
        });
        assert_eq!((repairs.len(), seen.fast_retransmits, seen.timeouts), (5, 1, 0), "sack {sack}");
        repairs[4] - repairs[0]
    };
    let round_trip = 2 * DELAY;
    assert!(span_of_repair(true) < round_trip);
    assert!(span_of_repair(false) >= 4 * round_trip);
}

/// RFC 6675 waits until half of the flight has left the network; RFC 6937 sends for every second acknowledgement.
#[test]
fn a_proportional_recovery_sends_from_the_first_acknowledgements_on() {
    let recovered = |recovery| {
        let mut flow = flow(400, true);
        flow.transport.recovery = recovery;
        let (mut repaired_at, mut later) = (None, vec![]);
        let mut lost = lose(&[100]);
        let seen = run("new_reno", &flow, |packet, number| {
            if packet.kind == PacketKind::Data {
                repaired_at = repaired_at.or(packet.retransmitted.then_some(packet.sent_at));
                later.extend(repaired_at.filter(|&at| packet.sent_at < at + 2 * DELAY).map(|_| packet.sent_at));
            }
            lost(packet, number)
        });
        assert_eq!((seen.retransmissions, seen.timeouts, seen.delivered_bytes), (1, 0, 400_000));
        let soon = later.iter().filter(|&&at| at < repaired_at.unwrap() + 30 * MILLISECOND).count();
        (soon, *seen.windows.last().unwrap())
    };
    let (at_once, proportional) = (recovered(WindowReduction::Rfc6675), recovered(WindowReduction::Prr));
    assert_eq!(at_once.0, 1, "the retransmission alone: {at_once:?}");
    assert!((12..=18).contains(&proportional.0), "30 acknowledgements came: {proportional:?}");
    assert!((proportional.1 / at_once.1 - 1.0).abs() < 0.1, "{proportional:?}, {at_once:?}");
}

/// BBR has a window of its own in recovery, as in Linux and ns-3.
#[test]
fn without_a_threshold_recovery_stays_as_it_is() {
    let sent = |recovery| {
        let mut flow = flow(400, true);
        flow.transport.recovery = recovery;
        run("bbr", &flow, lose(&[100, 103])).sent
    };
    assert_eq!(sent(WindowReduction::Rfc6675), sent(WindowReduction::Prr));
}

#[test]
fn a_handshake_costs_a_round_trip_and_shows_it() {
    let plain = run("new_reno", &flow(50, true), lose(&[]));
    let mut opened = flow(50, true);
    opened.transport.handshake = true;
    let mut kinds = vec![];
    let seen = run("new_reno", &opened, |packet, _| {
        kinds.push((packet.kind, packet.size_bytes));
        Fate::Arrives
    });
    assert_eq!(kinds[..3], [(PacketKind::Probe, 40), (PacketKind::Answer, 40), (PacketKind::Data, 1040)]);
    assert_eq!(kinds.iter().filter(|(kind, _)| *kind == PacketKind::Probe).count(), 1);
    assert_eq!(seen.finished_at, plain.finished_at + 2 * DELAY);
    assert_eq!((seen.windows[0], seen.delivered_bytes), (1000.0, 50_000), "one packet until it is answered");
}

/// Over a wire that takes 1 ms for the SYN and 20 ms for a segment, only segments tell the least round-trip time.
#[test]
fn the_syn_is_not_the_least_round_trip_time() {
    for handshake in [false, true] {
        let mut opened = flow(50, true);
        opened.transport.handshake = handshake;
        let seen = run("vegas", &opened, |packet, _| match packet.kind {
            PacketKind::Data => Fate::ArrivesLate(19 * MILLISECOND),
            _ => Fate::Arrives,
        });
        let least = 2.0 * seconds(DELAY) + 0.019;
        assert!(seen.least_rtt_s.is_some_and(|rtt_s| (rtt_s - least).abs() < 1e-9), "{:?}", seen.least_rtt_s);
    }
}

#[test]
fn a_lost_syn_is_sent_again_and_costs_no_window() {
    let mut opened = flow(50, true);
    opened.transport.handshake = true;
    let lost_once = |packet: &Packet, number| match packet.kind == PacketKind::Probe && number == 0 {
        true => Fate::Lost,
        false => Fate::Arrives,
    };
    let seen = run("new_reno", &opened, lost_once);
    assert_eq!((seen.timeouts, seen.retransmissions, seen.fast_retransmits), (1, 1, 0));
    assert_eq!(seen.finished_at, run("new_reno", &opened, lose(&[])).finished_at + SECOND);
}

#[test]
fn slight_reordering_costs_nothing() {
    for sack in [true, false] {
        let seen = run("new_reno", &flow(100, sack), |packet, _| match packet.segment % 7 == 3 {
            true if packet.kind == PacketKind::Data => Fate::ArrivesLate(2 * MILLISECOND + MILLISECOND / 2),
            _ => Fate::Arrives,
        });
        assert_eq!((seen.retransmissions, seen.timeouts), (0, 0), "sack {sack}");
    }
}

#[test]
fn a_lost_retransmission_waits_for_the_timer() {
    for sack in [true, false] {
        let mut copies = 0;
        let seen = run("new_reno", &flow(200, sack), |packet, _| {
            let wanted = packet.kind == PacketKind::Data && packet.segment == 40;
            copies += usize::from(wanted);
            if wanted && copies <= 2 {
                Fate::Lost
            } else {
                Fate::Arrives
            }
        });
        assert_eq!(seen.timeouts, 1, "sack {sack}");
        assert_eq!(seen.delivered_bytes, 200_000);
    }
}

#[test]
fn cumulative_acknowledgements_make_up_for_lost_ones() {
    let seen = run("new_reno", &flow(100, true), |packet, number| {
        if packet.kind == PacketKind::Ack && number % 2 == 1 && packet.segment < 90 {
            Fate::Lost
        } else {
            Fate::Arrives
        }
    });
    assert_eq!((seen.retransmissions, seen.timeouts), (0, 0));
}

#[test]
fn the_timer_backs_off() {
    let lost_until = 30 * SECOND;
    let mut sent_at = vec![];
    run("new_reno", &flow(1, true), |packet, _| {
        if packet.kind == PacketKind::Data {
            sent_at.push(packet.sent_at);
        }
        if packet.sent_at < lost_until {
            Fate::Lost
        } else {
            Fate::Arrives
        }
    });
    assert_eq!(sent_at, [0, 1, 3, 7, 15, 31].map(|second| second * SECOND));
}

#[test]
fn a_window_of_marks_halves_the_window_once() {
    let seen = run("new_reno", &flow(60, true), |packet, _| match packet.kind {
        PacketKind::Data if packet.segment < 10 => Fate::Marked,
        _ => Fate::Arrives,
    });
    assert_eq!(seen.retransmissions, 0);
    let least = seen.windows.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(least, 4500.0, "half of the nine that are left");
}

#[test]
fn delayed_acknowledgements_answer_two_segments_or_wait() {
    let mut flow = flow(21, true);
    flow.transport.delayed_ack_ns = Some(200 * MILLISECOND);
    let mut acks = vec![];
    let seen = run("new_reno", &flow, |packet, _| {
        if packet.kind == PacketKind::Ack {
            acks.push(packet.cumulative);
        }
        Fate::Arrives
    });
    assert_eq!(acks, [2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 21]);
    assert!(seen.finished_at > 200 * MILLISECOND);
}

/// The second segment of a pair leaves 1 ms behind the first; both come back with the first one's time stamp.
#[test]
fn delayed_acknowledgements_echo_the_earliest_segment() {
    let mut flow = flow(20, true);
    flow.transport.delayed_ack_ns = Some(200 * MILLISECOND);
    let (mut sent_at, mut echoed) = (vec![], vec![]);
    run("new_reno", &flow, |packet, _| {
        match packet.kind.is_forward() {
            true => sent_at.push(packet.sent_at),
            false => echoed.push((packet.segment, packet.sent_at)),
        }
        Fate::Arrives
    });
    let pairs: Vec<_> = sent_at.chunks(2).zip(1..).map(|(pair, number)| (2 * number - 1, pair[0])).collect();
    assert_eq!(echoed, pairs);
    assert!(sent_at.chunks(2).any(|pair| pair[0] < pair[1]), "{sent_at:?}");
}

/// What arrives above a gap is acknowledged at once, with the time stamp of the segment that waits; what closes the gap,
/// with that of the segment that did, which was sent twice and gives no sample.
#[test]
fn a_gap_does_not_change_what_the_earliest_segment_is() {
    let mut flow = flow(30, true);
    flow.transport.delayed_ack_ns = Some(200 * MILLISECOND);
    let (mut sent_at, mut echoed) = (vec![0; 30], vec![]);
    let mut lost = lose(&[11]);
    run("new_reno", &flow, |packet, number| {
        match packet.kind.is_forward() {
            true => sent_at[packet.segment as usize] = packet.sent_at,
            false => echoed.push((packet.segment, packet.cumulative, packet.sent_at, packet.retransmitted)),
        }
        lost(packet, number)
    });
    assert!(echoed.contains(&(12, 11, sent_at[10], false)), "10 waits when 12 arrives: {echoed:?}");
    assert!(echoed.contains(&(11, 29, sent_at[11], true)), "{echoed:?}");
}

/// A late segment that fills a gap is acknowledged when it arrives, not after the delay (RFC 5681, sec. 4.2).
#[test]
fn what_closes_a_gap_is_acknowledged_at_once() {
    let mut flow = flow(30, true);
    flow.transport.delayed_ack_ns = Some(200 * MILLISECOND);
    let mut acks = vec![];
    run("new_reno", &flow, |packet, _| match packet.kind {
        PacketKind::Data if packet.segment == 12 => Fate::ArrivesLate(MILLISECOND + MILLISECOND / 2),
        PacketKind::Ack => {
            acks.push((packet.segment, packet.cumulative));
            Fate::Arrives
        }
        _ => Fate::Arrives,
    });
    let closing = acks.iter().position(|&(segment, _)| segment == 12);
    let above = acks.iter().position(|&(segment, _)| segment > 12);
    assert!(above < closing, "12 is late: {acks:?}");
    assert!(closing.is_some_and(|at| acks[at].1 > 13), "{acks:?}");
}

#[test]
fn the_receive_window_binds() {
    let mut flow = flow(50, true);
    flow.transport.receive_window_bytes = 3_500;
    let mut outstanding = [0_u64; 2];
    run("new_reno", &flow, |packet, _| {
        match packet.kind {
            PacketKind::Data => outstanding[0] = packet.segment + 1,
            PacketKind::Ack => outstanding[1] = packet.cumulative,
            PacketKind::Probe | PacketKind::Answer => {}
        }
        assert!(outstanding[0].saturating_sub(outstanding[1]) <= 3 + 3, "3 in flight, 3 acknowledgements");
        Fate::Arrives
    });
}

#[test]
fn datagrams_are_sent_once_and_on_time() {
    let mut flow = flow(100, true).unacknowledged();
    flow.source = Source::Bytes(100_000);
    let mut sent_at = vec![];
    let seen = run("cbr", &flow, |packet, number| {
        sent_at.push(packet.sent_at);
        if number % 3 == 0 {
            Fate::Lost
        } else {
            Fate::Arrives
        }
    });
    assert_eq!(seen.sent, (0..100).collect::<Vec<_>>());
    assert!(sent_at.windows(2).all(|pair| pair[1] - pair[0] == 125 * MILLISECOND));
}

fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let fate = prop_oneof![
        4 => Just(Fate::Arrives),
        1 => (1_u64..200).prop_map(|late| Fate::ArrivesLate(late * MILLISECOND)),
        1 => Just(Fate::Marked),
        2 => Just(Fate::Lost),
    ];
    proptest::collection::vec(fate, 0..120)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_is_lost_or_late_every_byte_arrives_once_and_in_order(
        controller in prop_oneof![Just("new_reno"), Just("cubic"), Just("vegas"), Just("westwood"), Just("c3tcp")],
        sack in any::<bool>(),
        delayed in any::<bool>(),
        handshake in any::<bool>(),
        proportional in any::<bool>(),
        window in 0_u32..40_000,
        bytes in 1_u64..80_000,
        (data, acks) in (fates(), fates()),
    ) {
        let mut flow = flow(0, sack).with_source(Source::Bytes(bytes));
        flow.transport.delayed_ack_ns = delayed.then_some(200 * MILLISECOND);
        flow.transport.receive_window_bytes = window;
        flow.transport.handshake = handshake;
        flow.transport.recovery = if proportional { WindowReduction::Prr } else { WindowReduction::Rfc6675 };
        let seen = run(controller, &flow, |packet, number| {
            let fates = if packet.kind.is_forward() { &data } else { &acks };
            fates.get(number).copied().unwrap_or(Fate::Arrives)
        });
        prop_assert_eq!(seen.delivered_bytes, bytes);
        prop_assert!(seen.windows.iter().all(|window| !window.is_nan() && *window >= 1000.0));
    }
}
