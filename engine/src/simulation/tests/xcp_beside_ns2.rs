//! XCP beside ns-2's where queues overflow.

use std::collections::BTreeMap;

use serde_json::json;

use crate::random::{Purpose, Stream};
use crate::request::{Choice, Request};
use crate::units::{MILLISECOND, SECOND};
use crate::world::{Change, ChangeKind, CongestionHeaders, LinkChange, QueueSpec, World};

use super::dumbbell::dumbbell;

/// What ns-2.35 delivered (Debian 2.35+dfsg-5), a line per run.
const RECORDED: &str = include_str!("../../../../benchmarks/replay/reference/xcp_overflow_ns2.csv");
/// Share by which what is delivered may differ.
const DELIVERED: f64 = 0.05;
/// The rate of the bottleneck is drawn anew so often, and differs by so much at most. Acknowledgements come at its pace:
/// without that a packet comes to a full queue at the very instant at which another one leaves.
const VARIES: (u64, f64) = (10 * MILLISECOND, 0.001);
/// Of the engine, for each setting; ns-2 has 200.
const SEEDS: u64 = 60;
/// IPv4, TCP, and the option of time stamps as ns-2 counts it.
const HEADER_BYTES: u32 = 50;

/// A bottleneck, and one flow per access delay.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Setting {
    rate_mbps: u64,
    delay_ms: u64,
    access_ms: Vec<u64>,
    spacing_s: u64,
    stop_s: u64,
    queue_packets: u32,
}

impl Setting {
    /// The setting of a line, and the segments that were delivered.
    fn read(line: &str) -> (Self, f64) {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |column: usize| fields[column].parse::<u64>().unwrap();
        let setting = Self {
            rate_mbps: number(0),
            delay_ms: number(1),
            access_ms: fields[2].split(' ').map(|text| text.parse().unwrap()).collect(),
            spacing_s: number(3),
            stop_s: number(4),
            queue_packets: number(5) as u32,
        };
        (setting, number(7) as f64)
    }

    /// Whether 200 runs tell the median to a fifteenth only. The study has this setting, too.
    fn scatters(&self) -> bool {
        self.access_ms.iter().any(|delay| *delay != self.access_ms[0])
    }

    /// The dumbbell of `xcp_ns2.tcl`.
    fn world(&self, seed: u64) -> World {
        // ns-2's queue of so many packets holds one less.
        let queue = QueueSpec::packets(self.queue_packets - 1);
        let mut world = dumbbell((self.rate_mbps, self.delay_ms), &self.access_ms, queue, |number, flow| {
            flow.start_ns = number * self.spacing_s * SECOND;
            flow.header_bytes = HEADER_BYTES;
            flow.transport.sack = false;
            flow.transport.partial_acks = false;
            flow.transport.timestamps = true;
        });
        world.duration_ns = self.stop_s * SECOND;
        world.congestion_headers = CongestionHeaders::Free;
        world.record.bin_ns = SECOND;
        world.changes = self.changes(seed);
        world
    }

    fn changes(&self, seed: u64) -> Vec<Change> {
        let mut random = Stream::new(seed, Purpose::Channel, 0);
        let (every, most) = VARIES;
        let mut change = |number: u64| {
            let share = 1.0 + most * (2.0 * random.unit() - 1.0);
            let rate_bps = Some((self.rate_mbps as f64 * 1e6 * share).round() as u64);
            let link = LinkChange { from: "left".into(), to: "right".into(), rate_bps, ..LinkChange::default() };
            Change { at_ns: number * every, change: ChangeKind::Link(link) }
        };
        (1..self.stop_s * SECOND / every).map(&mut change).collect()
    }

    /// Segments delivered.
    fn run(&self, seed: u64) -> f64 {
        let settings = json!({
            "router": { "first_interval_deviation": 0.2 },
            "host": { "feedback_of_duplicates": false },
        });
        let controllers = vec![Choice { settings, ..Choice::new("xcp") }];
        let outcome = Request { world: self.world(seed), controllers, seed }.run().unwrap();
        outcome.flows.delivered_bytes.iter().sum::<u64>() as f64 / 1000.0
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The settings of a rate deliver as much as ns-2's.
///
/// Medians: which packets a burst loses decides about seconds of silence, and one run in thirty gets away from them.
fn delivers_as_much(rate_mbps: u64, settings: usize) {
    let mut recorded: BTreeMap<Setting, Vec<f64>> = BTreeMap::new();
    let lines = RECORDED.lines().skip(1).map(Setting::read);
    for (setting, delivered) in lines.filter(|(setting, _)| setting.rate_mbps == rate_mbps && !setting.scatters()) {
        recorded.entry(setting).or_default().push(delivered);
    }
    assert_eq!(recorded.len(), settings);
    for (setting, ns2) in recorded {
        let (ours, ns2) = (median((1..=SEEDS).map(|seed| setting.run(seed)).collect()), median(ns2));
        assert!((ours / ns2 - 1.0).abs() <= DELIVERED, "{setting:?}: {ours}, in ns-2 {ns2}");
    }
}

#[test]
fn as_much_is_delivered_at_2_mbps() {
    delivers_as_much(2, 2);
}

#[test]
fn as_much_is_delivered_at_10_mbps() {
    delivers_as_much(10, 3);
}

#[test]
fn as_much_is_delivered_at_20_mbps() {
    delivers_as_much(20, 1);
}

#[test]
fn as_much_is_delivered_at_45_mbps() {
    delivers_as_much(45, 4);
}
