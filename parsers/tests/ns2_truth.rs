//! Rows of ns-2 traces against what ns-2 itself says: the end it logs for each transmission, and the
//! truth tables of the sample recordings.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use winf_parsers::frame::{Addr, Direction, Frame, Layer};
use winf_parsers::sources::ns2::Ns2Reader;
use winf_parsers::sources::Reader;

/// 802.11b at 11 and 1 Mb/s, long PLCP, RTS/CTS, AODV, 200 m; `x` lines are ends of transmission.
const LONG_PLCP_RTS: &str = "\
M 0.50000 0 (10.00, 10.00, 0.00), (11.00, 12.00), 1.00
s 1.000000000 _0_ AGT  --- 0 cbr 1000 [0 0 0 0] ------- [0:0 1:0 32 0] [0] 0 0
r 1.000000000 _0_ RTR  --- 0 cbr 1000 [0 0 0 0] ------- [0:0 1:0 32 0] [0] 0 0
s 1.000000000 _0_ RTR  --- 0 AODV 48 [0 0 0 0] ------- [0:255 -1:255 30 0] [0x2 1 1 [1 0] [0 4]] (REQUEST)
s 1.000535000 _0_ MAC  --- 0 AODV 106 [0 ffffffff 0 800] ------- [0:255 -1:255 30 0] [0x2 1 1 [1 0] [0 4]] (REQUEST)
x 1.001383000 _0_ MAC  --- 0 AODV 106 [0 ffffffff 0 800] ------- [0:255 -1:255 30 0] [0x2 1 1 [1 0] [0 4]] (REQUEST)
r 1.001383666 _1_ MAC  --- 0 AODV 48 [0 ffffffff 0 800] ------- [0:255 -1:255 30 0] [0x2 1 1 [1 0] [0 4]] (REQUEST)
r 1.001408666 _1_ RTR  --- 0 AODV 48 [0 ffffffff 0 800] ------- [0:255 -1:255 30 0] [0x2 1 1 [1 0] [0 4]] (REQUEST)
s 1.001408666 _1_ RTR  --- 0 AODV 44 [0 0 0 0] ------- [1:255 0:255 30 0] [0x4 1 [1 4] 10.000000] (REPLY)
s 1.002023666 _1_ MAC  --- 0 ARP 86 [0 ffffffff 1 806] ------- [REQUEST 1/1 0/0]
x 1.002711666 _1_ MAC  --- 0 ARP 86 [0 ffffffff 1 806] ------- [REQUEST 1/1 0/0]
r 1.002712332 _0_ MAC  --- 0 ARP 28 [0 ffffffff 1 806] ------- [REQUEST 1/1 0/0]
s 1.003087332 _0_ MAC  --- 0 RTS 44 [36b 1 0 0] 
x 1.003439332 _0_ MAC  --- 0 RTS 44 [36b 1 0 0] 
r 1.003439998 _1_ MAC  --- 0 RTS 44 [36b 1 0 0] 
s 1.003449998 _1_ MAC  --- 0 CTS 38 [231 0 0 0] 
x 1.003753998 _1_ MAC  --- 0 CTS 38 [231 0 0 0] 
r 1.003754664 _0_ MAC  --- 0 CTS 38 [231 0 0 0] 
s 1.003764664 _0_ MAC  --- 0 ARP 86 [13a 1 0 806] ------- [REPLY 0/0 1/1]
x 1.004001755 _0_ MAC  --- 0 ARP 86 [13a 1 0 806] ------- [REPLY 0/0 1/1]
r 1.004002421 _1_ MAC  --- 0 ARP 28 [13a 1 0 806] ------- [REPLY 0/0 1/1]
s 1.004012421 _1_ MAC  --- 0 ACK 38 [0 0 0 0] 
x 1.004316421 _1_ MAC  --- 0 ACK 38 [0 0 0 0] 
r 1.004317086 _0_ MAC  --- 0 ACK 38 [0 0 0 0] 
s 1.004366421 _1_ MAC  --- 0 RTS 44 [377 0 1 0] 
x 1.004718421 _1_ MAC  --- 0 RTS 44 [377 0 1 0] 
r 1.004719086 _0_ MAC  --- 0 RTS 44 [377 0 1 0] 
s 1.004729086 _0_ MAC  --- 0 CTS 38 [23d 1 0 0] 
x 1.005033086 _0_ MAC  --- 0 CTS 38 [23d 1 0 0] 
r 1.005033752 _1_ MAC  --- 0 CTS 38 [23d 1 0 0] 
s 1.005043752 _1_ MAC  --- 0 AODV 102 [13a 0 1 800] ------- [1:255 0:255 30 0] [0x4 1 [1 4] 10.000000] (REPLY)
x 1.005292480 _1_ MAC  --- 0 AODV 102 [13a 0 1 800] ------- [1:255 0:255 30 0] [0x4 1 [1 4] 10.000000] (REPLY)
r 1.005293146 _0_ MAC  --- 0 AODV 44 [13a 0 1 800] ------- [1:255 0:255 30 0] [0x4 1 [1 4] 10.000000] (REPLY)
s 1.005303146 _0_ MAC  --- 0 ACK 38 [0 1 0 0] 
r 1.005318146 _0_ RTR  --- 0 AODV 44 [13a 0 1 800] ------- [1:255 0:255 30 0] [0x4 1 [1 4] 10.000000] (REPLY)
s 1.005318146 _0_ RTR  --- 0 cbr 1020 [0 0 0 0] ------- [0:0 1:0 30 1] [0] 0 0
x 1.005607146 _0_ MAC  --- 0 ACK 38 [0 1 0 0] 
r 1.005607811 _1_ MAC  --- 0 ACK 38 [0 1 0 0] 
s 1.005817146 _0_ MAC  --- 0 RTS 44 [63d 1 0 0] 
x 1.006169146 _0_ MAC  --- 0 RTS 44 [63d 1 0 0] 
r 1.006169811 _1_ MAC  --- 0 RTS 44 [63d 1 0 0] 
s 1.006179811 _1_ MAC  --- 0 CTS 38 [503 0 0 0] 
x 1.006483811 _1_ MAC  --- 0 CTS 38 [503 0 0 0] 
r 1.006484477 _0_ MAC  --- 0 CTS 38 [503 0 0 0] 
s 1.006494477 _0_ MAC  --- 0 cbr 1078 [13a 1 0 800] ------- [0:0 1:0 30 1] [0] 0 0
x 1.007453023 _0_ MAC  --- 0 cbr 1078 [13a 1 0 800] ------- [0:0 1:0 30 1] [0] 0 0
r 1.007453689 _1_ MAC  --- 0 cbr 1020 [13a 1 0 800] ------- [0:0 1:0 30 1] [0] 1 0
s 1.007463689 _1_ MAC  --- 0 ACK 38 [0 0 0 0] 
r 1.007478689 _1_ AGT  --- 0 cbr 1020 [13a 1 0 800] ------- [0:0 1:0 30 1] [0] 1 0
x 1.007767689 _1_ MAC  --- 0 ACK 38 [0 0 0 0] 
r 1.007768355 _0_ MAC  --- 0 ACK 38 [0 0 0 0] 
";

/// 5.5 and 2 Mb/s, 15 octets of PLCP at 1 Mb/s, no RTS/CTS.
const SHORT_PLCP_BASIC: &str = "\
M 0.50000 0 (10.00, 10.00, 0.00), (11.00, 12.00), 1.00
s 1.000000000 _0_ AGT  --- 0 cbr 1000 [0 0 0 0] ------- [0:0 1:0 32 0] [0] 0 0
r 1.000000000 _0_ RTR  --- 0 cbr 1000 [0 0 0 0] ------- [0:0 1:0 32 0] [0] 0 0
s 1.000000000 _0_ RTR  --- 0 cbr 1000 [0 0 0 0] ------- [0:0 1:0 32 0] [0] 0 0
s 1.000515000 _0_ MAC  --- 0 ARP 77 [0 ffffffff 0 806] ------- [REQUEST 0/0 0/1]
x 1.000883000 _0_ MAC  --- 0 ARP 77 [0 ffffffff 0 806] ------- [REQUEST 0/0 0/1]
r 1.000883666 _1_ MAC  --- 0 ARP 28 [0 ffffffff 0 806] ------- [REQUEST 0/0 0/1]
s 1.001498666 _1_ MAC  --- 0 ARP 77 [ba 0 1 806] ------- [REPLY 1/1 0/0]
x 1.001708848 _1_ MAC  --- 0 ARP 77 [ba 0 1 806] ------- [REPLY 1/1 0/0]
r 1.001709514 _0_ MAC  --- 0 ARP 28 [ba 0 1 806] ------- [REPLY 1/1 0/0]
s 1.001719514 _0_ MAC  --- 0 ACK 29 [0 1 0 0] 
x 1.001895514 _0_ MAC  --- 0 ACK 29 [0 1 0 0] 
r 1.001896180 _1_ MAC  --- 0 ACK 29 [0 1 0 0] 
s 1.002245514 _0_ MAC  --- 0 cbr 1049 [ba 1 0 800] ------- [0:0 1:0 32 0] [0] 0 0
x 1.003869514 _0_ MAC  --- 0 cbr 1049 [ba 1 0 800] ------- [0:0 1:0 32 0] [0] 0 0
r 1.003870180 _1_ MAC  --- 0 cbr 1000 [ba 1 0 800] ------- [0:0 1:0 32 0] [0] 1 0
s 1.003880180 _1_ MAC  --- 0 ACK 29 [0 0 0 0] 
r 1.003895180 _1_ AGT  --- 0 cbr 1000 [ba 1 0 800] ------- [0:0 1:0 32 0] [0] 1 0
x 1.004056180 _1_ MAC  --- 0 ACK 29 [0 0 0 0] 
r 1.004056845 _0_ MAC  --- 0 ACK 29 [0 0 0 0] 
";

/// The simulator's clock and the rows' may differ by this much.
const TOLERANCE_NS: u64 = 1000;

fn read(trace: &[u8]) -> Vec<Frame> {
    let mut reader = Ns2Reader::new(trace, Path::new("test.tr"));
    let mut frames = Vec::new();
    while reader.read(&mut frames).unwrap() {}
    assert_eq!(reader.warnings(), []);
    frames
}

fn transmissions(frames: &[Frame]) -> impl Iterator<Item = &Frame> {
    frames.iter().filter(|frame| frame.layer == Layer::Mac && frame.direction == Some(Direction::Tx))
}

fn nanoseconds(seconds: &str) -> i64 {
    let (whole, fraction) = seconds.split_once('.').unwrap();
    format!("{whole}{fraction:0<9}").parse().unwrap()
}

#[test]
fn every_transmission_ends_when_the_simulator_says() {
    for trace in [LONG_PLCP_RTS, SHORT_PLCP_BASIC] {
        let mut ends: HashMap<Addr, Vec<i64>> = HashMap::new();
        for line in trace.lines().filter(|line| line.starts_with("x ")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let node = Addr::node(words[2].trim_matches('_').parse().unwrap());
            ends.entry(node).or_default().push(nanoseconds(words[1]));
        }
        let frames = read(trace.as_bytes());
        for frame in transmissions(&frames) {
            let end = ends.get_mut(&frame.observer.unwrap()).unwrap().remove(0);
            assert!(frame.end_ns.unwrap().abs_diff(end) <= 1, "{frame:?} ended at {end}");
            assert!(frame.assumptions.is_empty());
        }
        assert!(ends.values().all(Vec::is_empty));
    }
}

#[test]
fn a_reception_starts_one_propagation_after_its_transmission() {
    let frames = read(LONG_PLCP_RTS.as_bytes());
    let received = frames.iter().filter(|f| f.layer == Layer::Mac && f.direction == Some(Direction::Rx));
    for (sent, received) in transmissions(&frames).zip(received) {
        assert_eq!(
            (sent.kind, sent.length_bytes, sent.payload_bytes),
            (received.kind, received.length_bytes, received.payload_bytes)
        );
        let propagation = received.start_ns.unwrap() - sent.start_ns.unwrap();
        assert!((665..=668).contains(&propagation), "{propagation} ns over 200 m");
    }
}

#[test]
fn duration_fields_cover_the_airtimes_that_follow() {
    let frames = read(LONG_PLCP_RTS.as_bytes());
    let air: Vec<(f64, u16)> = transmissions(&frames).map(|f| (f.airtime_us.unwrap(), f.nav_us.unwrap())).collect();
    let [(_, rts_nav), (cts, cts_nav), (data, data_nav), (ack, ack_nav)] = air[air.len() - 4..] else { panic!() };
    let sifs = 10.0;
    assert_eq!(f64::from(rts_nav), (3.0 * sifs + cts + data + ack).ceil());
    assert_eq!(f64::from(cts_nav), (2.0 * sifs + data + ack).ceil());
    assert_eq!(f64::from(data_nav), sifs + ack);
    assert_eq!(ack_nav, 0);
}

#[test]
fn the_samples_hold_what_their_truth_tables_say() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sample_captures");
    for name in ["ns2_rts_link", "ns2_basic_link", "ns2_hidden", "ns2_chain3"] {
        let folder = samples.join(name);
        let Ok(truth) = fs::read_to_string(folder.join("truth_transmissions.csv")) else {
            eprintln!("skipped: no sample {name}");
            continue;
        };
        let trace = fs::read_dir(folder.join("recording")).unwrap().next().unwrap().unwrap();
        let frames = read(&fs::read(trace.path()).unwrap());
        let mut rows: Vec<&Frame> = transmissions(&frames).collect();
        rows.sort_by_key(|frame| (frame.start_ns, frame.observer));
        let mut expected: Vec<Vec<&str>> = truth.lines().skip(1).map(|line| line.split(',').collect()).collect();
        expected.sort_by_key(|row| (row[1].parse::<i64>().unwrap(), row[0].parse::<u32>().unwrap()));
        assert_eq!(rows.len(), expected.len(), "{name}");
        for (frame, truth) in rows.iter().zip(&expected) {
            let [node, start, duration, kind, length, receiver] = truth[..6] else { panic!("{name}: {truth:?}") };
            assert_eq!(frame.observer, Some(Addr::node(node.parse().unwrap())), "{name} {truth:?}");
            assert_eq!((frame.kind.name(), frame.length_bytes), (kind, length.parse().ok()), "{name} {truth:?}");
            let to = receiver.parse().map_or(Addr::BROADCAST, Addr::node);
            assert_eq!(frame.ra, Some(to), "{name} {truth:?}");
            assert!(frame.start_ns.unwrap().abs_diff(start.parse().unwrap()) <= TOLERANCE_NS, "{name} {truth:?}");
            let airtime_ns = (frame.airtime_us.unwrap() * 1000.0).round() as u64;
            assert!(airtime_ns.abs_diff(duration.parse().unwrap()) <= TOLERANCE_NS, "{name} {truth:?}");
        }
    }
}
