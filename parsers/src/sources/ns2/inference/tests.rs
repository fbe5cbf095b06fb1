use super::super::{event, line};
use super::*;

/// Rows of a synthetic simulation: an exchange and a broadcast in each direction between two nodes 200 m apart.
fn rows(plcp_us: f64, basic: f64, data: f64, with_rts: bool, with_broadcast: bool) -> Vec<Frame> {
    let mut rows = Vec::new();
    let mut now = 1_000_000_000i64;
    let mut exchange = |kind: &str, printed: u32, received: u32, ra: &str, ta: u8, rate: f64, rest: &str| {
        let airtime = plcp_us + f64::from(printed - 24) * 8.0 / rate;
        let arrival = now + (airtime * 1000.0 + 667.0).round() as i64;
        let receiver = 1 - ta;
        for (op, at, node, size) in [("s", now, ta, printed), ("r", arrival, receiver, received)] {
            let seconds = format!("{}.{:09}", at / 1_000_000_000, at % 1_000_000_000);
            let line = format!("{op} {seconds} _{node}_ MAC  --- 0 {kind} {size} [0 {ra} {ta} 800] {rest}");
            rows.push(line::parse(line.as_bytes(), 0));
        }
        now = arrival + 10_000;
    };
    for size in [1078, 1078, 98] {
        if with_rts {
            exchange("RTS", 44, 44, "1", 0, basic, "");
            exchange("CTS", 38, 38, "0", 1, basic, "");
        }
        exchange("cbr", size, size - 58, "1", 0, data, "------- [0:0 1:0 32 1]");
        exchange("ACK", 38, 38, "0", 1, basic, "");
    }
    if with_broadcast {
        exchange("message", 90, 32, "ffffffff", 0, basic, "------- [0:255 -1:255 32 0]");
    }
    assert!(rows.iter().all(|row| row.parse_error.is_none()));
    rows
}

#[test]
fn rates_are_found_from_any_mix_of_frames() {
    let cases = [
        (192.0, 1.0, 11.0),
        (192.0, 1.0, 1.0),
        (96.0, 2.0, 11.0),
        (32.0, 6.0, 54.0),
        (192.0, 2.0, 22.0),
        (192.0, 1.0, 7.3),
    ];
    for (plcp_us, basic, data) in cases {
        for (with_rts, with_broadcast) in [(true, true), (true, false), (false, true), (false, false)] {
            let mut inference = Inference::default();
            inference.observe(&rows(plcp_us, basic, data, with_rts, with_broadcast));
            let expected = Settings {
                coding: Coding::Serial { plcp_us },
                basic_mbps: Some(basic),
                data_mbps: Some(data),
                checked: Arc::new(BTreeSet::from([event::station(0)])),
                ..Settings::default()
            };
            assert_eq!(inference.settings(), expected, "RTS {with_rts}, broadcast {with_broadcast}");
        }
    }
}

/// The tagged format prints neither number nor size of ARP, and AODV has no number.
#[test]
fn what_arrives_is_not_taken_for_an_earlier_packet_without_a_number() {
    let aodv = "-Is 0.255 -Id -1.255 -It AODV -Il 106 -If 0 -Ii 0 -Iv 30 -P aodv ";
    let arp = "-P arp -Po REQUEST -Pms 0 -Ps 0 -Pmd 0 -Pd 1 ";
    let events = [
        ("s", "2.000000000", 0, aodv), // 192 us and 82 octets at 1 Mb/s, 200 m
        ("r", "2.000848667", 1, aodv),
        ("s", "2.020000000", 0, arp),
        ("r", "2.020688667", 1, arp),
    ];
    let mut seen = rows(192.0, 1.0, 11.0, true, true);
    seen.extend(events.map(|(operation, at, node, packet)| {
        let mac = "-Nl MAC -Nw --- -Ma 0 -Md ffffffff -Ms 0 -Mt 800";
        line::parse(format!("{operation} -t {at} -Hs {node} -Hd -2 -Ni {node} {mac} {packet}").as_bytes(), 0)
    }));
    assert!(seen.iter().all(|row| row.parse_error.is_none()));
    let mut inference = Inference::default();
    inference.observe(&seen);
    assert_eq!((inference.settings().basic_mbps, inference.settings().data_mbps), (Some(1.0), Some(11.0)));
}

/// Rows of two senders of unicast data at 11 Mb/s and at `other`, each with an answer at 1 Mb/s.
fn rows_of_two(other: f64) -> Vec<Frame> {
    let mut rows = Vec::new();
    let mut now = 1_000_000_000i64;
    for uid in 0..8 {
        for (ta, rate) in [(0, 11.0), (2, other)] {
            for (kind, printed, received, from, mbps) in [("cbr", 1078, 1020, ta, rate), ("ACK", 38, 38, ta + 1, 1.0)] {
                let arrival = now + ((192.0 + f64::from(printed - 24) * 8.0 / mbps) * 1000.0 + 67.0).round() as i64;
                let (to, ta) = (if from == ta { ta + 1 } else { ta }, if kind == "ACK" { 0 } else { ta });
                for (op, at, node, size) in [("s", now, from, printed), ("r", arrival, to, received)] {
                    let time = format!("{}.{:09}", at / 1_000_000_000, at % 1_000_000_000);
                    let rest = if kind == "ACK" { "" } else { "------- [0:0 1:0 32 1]" };
                    let line = format!("{op} {time} _{node}_ MAC  --- {uid} {kind} {size} [0 {to} {ta} 800] {rest}");
                    rows.push(line::parse(line.as_bytes(), 0));
                }
                now = arrival + 10_000;
            }
        }
    }
    rows
}

#[test]
fn nodes_with_data_rates_of_their_own_are_told_apart() {
    for other in [2.0, 1.0, 5.5] {
        let mut rows = rows_of_two(other);
        let mut inference = Inference::default();
        inference.observe(&rows);
        let found = inference.settings();
        assert_eq!((found.coding, found.basic_mbps), (Coding::Serial { plcp_us: 192.0 }, Some(1.0)));
        for row in &mut rows {
            found.complete(row);
            let expected = if row.kind != FrameKind::Data { 1.0 } else { [11.0, other][usize::from(is_second(row))] };
            assert_eq!(row.rate_mbps, Some(expected as f32), "{row:?}");
            assert!(row.assumptions.is_empty());
        }
    }
    let mut inference = Inference::default();
    inference.observe(&rows_of_two(11.0));
    assert!(inference.settings().data_of.is_empty());
}

fn is_second(row: &Frame) -> bool {
    row.ta == Some(event::station(2))
}

#[test]
fn what_was_not_seen_stays_unknown() {
    let mut inference = Inference::default();
    assert_eq!(inference.settings(), Settings::default());
    let broadcast: Vec<_> = rows(192.0, 2.0, 11.0, false, true).split_off(12);
    inference.observe(&broadcast);
    let found = inference.settings();
    assert_eq!((found.basic_mbps, found.data_mbps), (Some(2.0), None));
    assert!(!inference.is_settled());
}
