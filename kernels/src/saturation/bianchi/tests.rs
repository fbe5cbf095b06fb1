//! Cases with known solutions.

use super::*;

const SLOT: f64 = 20e-6;
const DIFS: f64 = 50e-6;
const HANDSHAKE: f64 = 352e-6 + 10e-6 + 304e-6;

/// With RTS/CTS, 1500 octets at 11 Mb/s.
const PLAIN: Station = Station {
    case: 0,
    subject: false,
    packets_per_s: 0.0,
    packets_max: 1.0,
    count: 1.0,
    aifs_s: DIFS,
    access_s: 2293.273e-6 + DIFS,
    packet_s: 0.0,
    first_s: HANDSHAKE + DIFS,
    first_packet_s: 0.0,
    request_s: None,
    loss: 0.0,
    rts_loss: 0.0,
    vulnerable: 1.0,
    window: 32.0,
    slot_s: SLOT,
};

/// Up to 28 MPDUs in an A-MPDU.
const AGGREGATING: Station = Station {
    packets_max: 28.0,
    access_s: 200e-6,
    packet_s: 190e-6,
    first_s: 180e-6,
    first_packet_s: 190e-6,
    request_s: Some(150e-6),
    window: 16.0,
    slot_s: 9e-6,
    ..PLAIN
};

const BACKLOGGED: f64 = 1e9;

fn cases() -> Vec<Station> {
    let subject = Station { subject: true, ..PLAIN };
    let busy = |packets_per_s| Station { packets_per_s, ..PLAIN };
    let case = |case, stations: &[Station]| {
        stations.iter().map(move |&station| Station { case, ..station }).collect::<Vec<_>>()
    };
    [
        case(0, &[subject]),
        case(1, &[subject, busy(100.0), busy(BACKLOGGED)]),
        case(
            2,
            &[
                Station { subject: true, ..AGGREGATING },
                Station { packets_per_s: 500.0, ..AGGREGATING },
                Station { packets_per_s: 2000.0, loss: 0.1, vulnerable: 0.4, ..AGGREGATING },
            ],
        ),
        case(
            3,
            &[Station { loss: 0.2, vulnerable: 0.5, ..subject }, busy(0.0), Station { first_s: 2e-3, ..busy(40.0) }],
        ),
    ]
    .concat()
}

/// `delivered_per_s`, `collision` and `packets` of [`cases`], as eighty rounds over a table of all stations gave them.
const SOLVED: [[f64; 3]; 10] = [
    [376.8929921647715, 0.0, 1.0],
    [148.2628336161704, 0.08992366308095777, 1.0],
    [100.0, 0.10607740870594043, 1.0],
    [148.2628336161704, 0.08992366308095777, 1.0],
    [1885.2428968871438, 0.1750871158720117, 28.0],
    [500.0000000000015, 0.17750511657758863, 7.693026370702828],
    [1991.8575605483845, 0.17299783393850773, 28.0],
    [262.052629219458, 0.005759199233929417, 1.0],
    [3.365109096353363e-23, 0.05064277018004439, 1.0],
    [40.0, 0.04516295046113711, 1.0],
];

fn values(outcome: &Outcome) -> [f64; 3] {
    [outcome.delivered_per_s, outcome.collision, outcome.packets]
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-12 * other.abs()
}

#[test]
fn every_case_has_its_solution() {
    let solved = solve(&cases());
    for (outcome, expected) in solved.iter().zip(SOLVED) {
        assert!(values(outcome).iter().zip(expected).all(|(&one, other)| near(one, other)), "{outcome:?} {expected:?}");
    }
    assert_eq!(solved.len(), SOLVED.len());
}

#[test]
fn neither_the_order_of_stations_nor_other_cases_matter() {
    let (stations, solved) = (cases(), solve(&cases()));
    let reversed: Vec<_> = stations.iter().rev().copied().collect();
    for (outcome, expected) in solve(&reversed).iter().rev().zip(&solved) {
        assert!(values(outcome).iter().zip(values(expected)).all(|(&one, other)| near(one, other)));
    }
    let alone: Vec<_> = stations.iter().filter(|station| station.case == 2).copied().collect();
    assert_eq!(values(&solve(&alone)[0]), values(&solved[4]));
}

#[test]
fn a_row_stands_for_stations_that_are_alike() {
    let subject = Station { subject: true, ..PLAIN };
    let neighbour = Station { packets_per_s: 40.0, ..PLAIN };
    let each = [subject, neighbour, neighbour, neighbour, neighbour];
    let together = [subject, Station { count: 4.0, ..neighbour }];
    for (packets_per_s, within) in [(20.0, 1e-6), (40.0, 1e-6), (BACKLOGGED, 0.02)] {
        let load = |stations: &[Station]| {
            let loaded = stations.iter().map(|&it| Station { packets_per_s, ..it }).collect::<Vec<_>>();
            solve(&loaded)[0].delivered_per_s
        };
        let (one, other) = (load(&each), load(&together));
        assert!((one / other - 1.0).abs() < within, "{packets_per_s}: {one} {other}");
    }
}

#[test]
fn many_stations_with_little_to_send_deliver_it() {
    let crowd = Station { count: 2000.0, packets_per_s: 0.1, ..PLAIN };
    let solved = solve(&[Station { subject: true, ..PLAIN }, crowd]);
    assert!((solved[1].delivered_per_s - 0.1).abs() < 1e-4, "{solved:?}");
}

#[test]
fn a_longer_aifs_yields_to_a_backlogged_station() {
    let subject = Station { subject: true, ..PLAIN };
    let neighbour = Station { packets_per_s: BACKLOGGED, ..PLAIN };
    let background = Station { aifs_s: DIFS + 5.0 * SLOT, access_s: neighbour.access_s + 5.0 * SLOT, ..neighbour };
    let fair = solve(&[subject, neighbour]);
    let first = solve(&[subject, background]);
    assert!(first[0].delivered_per_s > 1.2 * fair[0].delivered_per_s, "{fair:?} {first:?}");
    assert!(first[1].delivered_per_s < 0.8 * fair[1].delivered_per_s, "{fair:?} {first:?}");
}

#[test]
fn voice_comes_again_at_once_where_it_collides() {
    let delivered = |window| {
        let station = Station { window, ..PLAIN };
        let crowd = Station { packets_per_s: BACKLOGGED, count: 4.0, ..station };
        solve(&[Station { subject: true, ..station }, crowd])[0]
    };
    // CWmax of voice is 7: five stations never spread over more slots, as they would with 1023 (0.42).
    let [voice, best_effort] = [4.0, 32.0].map(delivered);
    assert!(voice.collision > 0.55, "{voice:?}");
    assert!(best_effort.collision < 0.3, "{best_effort:?}");
}

#[test]
fn a_station_alone_gets_the_theoretical_maximum() {
    let delivered = solve(&[Station { subject: true, ..PLAIN }])[0].delivered_per_s;
    assert!((delivered * 12_000.0 - 4.522716e6).abs() < 1.0);
}

#[test]
fn nonsense_is_no_panic() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0, f64::MAX] {
        let nonsense = Station { packets_per_s: value, window: value, access_s: value, loss: value, ..PLAIN };
        assert_eq!(solve(&[nonsense, AGGREGATING, nonsense]).len(), 3);
    }
    assert!(solve(&[]).is_empty());
}

#[test]
fn a_lost_rts_costs_what_a_collision_costs_and_ends_no_txop() {
    let frames = Station { subject: true, packets_max: 5.0, packet_s: 1e-3, rts_loss: 0.2, ..PLAIN };
    let found = &solve(&[frames])[0];
    assert_eq!(found.packets, 5.0);
    let sums = |values: fn(i32) -> f64| (0..7).map(|attempt| 0.2_f64.powi(attempt) * values(attempt)).sum::<f64>();
    let slots = sums(|attempt| (f64::from(32 << attempt) - 1.0).min(1023.0) / 2.0) / sums(|_| 1.0);
    let attempt_s = 0.8 * (frames.access_s + 5e-3) + 0.2 * frames.first_s + slots * SLOT;
    assert!((found.delivered_per_s / (0.8 * 5.0 / attempt_s) - 1.0).abs() < 1e-9, "{found:?}");
}

#[test]
fn a_loss_ends_a_txop() {
    let frames = Station { subject: true, packets_max: 5.0, packet_s: 1e-3, loss: 0.2, ..PLAIN };
    let found = &solve(&[frames])[0];
    assert!((found.packets - 3.3616).abs() < 1e-9, "{found:?}");
    // The frames that arrive and, in 59 % of the cases, the one that does not; an access whose first is lost takes as long.
    let exchange_s = frames.access_s + (3.3616 + 1.0 - 0.8_f64.powi(4)) * 1e-3;
    let alone = 0.8 * found.packets / (exchange_s + 15.5 * SLOT);
    assert!(found.delivered_per_s < alone && found.delivered_per_s > 0.95 * alone, "{found:?} {alone}");
    let few = Station { loss: 1e-100, ..frames };
    let [few, none] = [few, Station { loss: 0.0, ..frames }].map(|station| solve(&[station])[0].delivered_per_s);
    assert!((few / none - 1.0).abs() < 1e-9, "{few} {none}");
}
