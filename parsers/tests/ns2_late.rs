//! What shows only late in an ns-2 trace, after many rows have been given out.

use std::fmt::Write;
use std::path::Path;

use winf_parsers::base::{Warning, WarningCode};
use winf_parsers::frame::{Addr, Assumptions, Direction, Frame, FrameKind};
use winf_parsers::sources::ns2::Ns2Reader;
use winf_parsers::sources::Reader;

/// Octets that the reader parses at once; a trace must be longer for its rows to be given out before its end.
const STRETCH_BYTES: usize = 512 * 1024;

fn read(trace: &str) -> (Vec<Frame>, Vec<Warning>) {
    let mut reader = Ns2Reader::new(trace.as_bytes(), Path::new("test.tr"));
    let mut frames = Vec::new();
    while reader.read(&mut frames).unwrap() {}
    (frames, reader.warnings())
}

/// Simulated time, and the trace.
struct Simulation {
    now_ns: i64,
    trace: String,
}

impl Simulation {
    /// Data from the first node at this rate and the answer at 1 Mb/s; MAC addresses are `shift` above the nodes.
    fn exchange(&mut self, [from, to]: [u32; 2], shift: u32, mbps: f64, arrives: bool) {
        let [ta, ra] = [from + shift, to + shift];
        let airtime_us = 192.0 + 8.0 * 1054.0 / mbps;
        let network = "------- [0:0 1:0 32 1] [0] 0 0";
        self.line('s', from, &format!("0 cbr 1078 [13a {ra:x} {ta:x} 800] {network}"));
        self.now_ns += (airtime_us * 1000.0).round() as i64 + 67;
        if arrives {
            self.line('r', to, &format!("0 cbr 1020 [13a {ra:x} {ta:x} 800] {network}"));
            self.now_ns += 10_000;
            self.line('s', to, &format!("0 ACK 38 [0 {ta:x} 0 0] "));
            self.now_ns += 304_067;
            self.line('r', from, &format!("0 ACK 38 [0 {ta:x} 0 0] "));
        }
        self.now_ns += 50_000;
    }

    fn line(&mut self, operation: char, node: u32, rest: &str) {
        let (seconds, nanos) = (self.now_ns / 1_000_000_000, self.now_ns % 1_000_000_000);
        writeln!(self.trace, "{operation} {seconds}.{nanos:09} _{node}_ MAC  --- {rest}").unwrap();
    }
}

/// Data between nodes 0 and 1 at 11 Mb/s, longer than what is parsed at once.
fn long() -> Simulation {
    let mut simulation = Simulation { now_ns: 1_000_000_000, trace: String::new() };
    while simulation.trace.len() < 2 * STRETCH_BYTES {
        simulation.exchange([0, 1], 0, 11.0, true);
    }
    simulation
}

fn data_of(frames: &[Frame], node: u32) -> Vec<&Frame> {
    let is_sent = |frame: &&Frame| frame.kind == FrameKind::Data && frame.direction == Some(Direction::Tx);
    frames.iter().filter(is_sent).filter(|frame| frame.observer == Some(Addr::node(node))).collect()
}

#[test]
fn a_late_sender_has_its_own_data_rate() {
    let mut simulation = long();
    simulation.exchange([2, 3], 0, 2.0, true);
    simulation.exchange([0, 1], 0, 11.0, true);
    let (frames, warnings) = read(&simulation.trace);
    assert_eq!(warnings, []);
    for (node, mbps) in [(0, 11.0), (2, 2.0)] {
        let data = data_of(&frames, node);
        assert!(!data.is_empty());
        assert!(data.iter().all(|frame| frame.rate_mbps == Some(mbps) && frame.assumptions.is_empty()), "{mbps}");
    }
}

#[test]
fn the_rate_of_a_sender_whose_data_never_arrives_is_assumed() {
    let mut simulation = long();
    simulation.exchange([2, 3], 0, 2.0, false);
    simulation.exchange([0, 1], 0, 11.0, true);
    let (frames, _) = read(&simulation.trace);
    let assumed: Vec<_> = data_of(&frames, 2).iter().map(|frame| frame.assumptions).collect();
    assert_eq!(assumed, [Assumptions::SIMULATOR_RATE]);
    assert!(data_of(&frames, 0).iter().all(|frame| frame.assumptions.is_empty()));
}

#[test]
fn mac_addresses_that_turn_out_late_not_to_be_nodes_are_replaced_and_told() {
    let mut simulation = long();
    simulation.exchange([3, 4], 1, 11.0, true);
    let (frames, warnings) = read(&simulation.trace);
    let data = data_of(&frames, 3);
    let [frame] = data[..] else { panic!("{data:?}") };
    assert_eq!((frame.ta, frame.ra), (Some(Addr::node(3)), Some(Addr::node(4))));
    assert_eq!((frame.rate_mbps, frame.assumptions), (Some(11.0), Assumptions::default()));
    let told: Vec<_> = warnings.iter().map(|warning| (warning.code, warning.frame_no)).collect();
    assert_eq!(told, [(WarningCode::NodesUncertain, Some(frame.frame_no))]);
    assert!(!WarningCode::NodesUncertain.is_damage());
}

#[test]
fn nodes_that_are_mac_addresses_from_the_start_need_no_warning() {
    let (frames, warnings) = read(&long().trace);
    assert_eq!(warnings, []);
    assert!(data_of(&frames, 0).iter().all(|frame| frame.ra == Some(Addr::node(1))));
}
