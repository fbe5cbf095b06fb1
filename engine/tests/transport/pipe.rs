//! Two ends of a flow and nothing but delay and a script between them.

use std::collections::BTreeMap;

use winf_engine::controller::{FlowSetup, Mode};
use winf_engine::controllers;
use winf_engine::cross_layer::CrossLayer;
use winf_engine::index::FlowId;
use winf_engine::packet::Packet;
use winf_engine::transport::{DataReceiver, Sender};
use winf_engine::units::{Nanos, MILLISECOND, SECOND};
use winf_engine::world::FlowSpec;

/// One way through the pipe.
pub const DELAY: Nanos = 50 * MILLISECOND;
/// Time between two packets that leave at once.
const SPACING: Nanos = MILLISECOND;
/// More events than there are packets and timers at one instant mean that time stands still.
const MAX_SIMULTANEOUS: u32 = 1000;
/// A run that takes longer has stalled.
const PATIENCE: Nanos = 3_000 * SECOND;

/// What happens to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Arrives,
    /// Later than those behind it.
    ArrivesLate(Nanos),
    Marked,
    Lost,
}

/// What was seen.
#[derive(Debug, Default)]
pub struct Seen {
    pub finished_at: Nanos,
    pub delivered_bytes: u64,
    /// Segments of data packets as they were sent.
    pub sent: Vec<u64>,
    pub retransmissions: u64,
    pub fast_retransmits: u64,
    pub timeouts: u64,
    pub least_rtt_s: Option<f64>,
    /// Window after every event, bytes.
    pub windows: Vec<f64>,
}

/// A run of one flow; `fate` is asked once per packet, with its number among those of its kind.
pub fn run(controller: &str, spec: &FlowSpec, mut fate: impl FnMut(&Packet, usize) -> Fate) -> Seen {
    let controller = controllers::make(controller, Mode::Corrected, &serde_json::Value::Null).unwrap();
    let setup = FlowSetup {
        mss_bytes: spec.payload_bytes,
        header_bytes: spec.header_bytes,
        hops: 1,
        initial_window_segments: spec.transport.initial_window_segments,
    };
    let mut sender = Sender::new(FlowId(0), spec, controller.endpoint(&setup));
    let mut receiver = DataReceiver::new(FlowId(0), spec, controller.receiver(&setup));
    let (mut seen, mut now, link) = (Seen::default(), 0, CrossLayer::default());
    let mut under_way: BTreeMap<(Nanos, usize), Packet> = BTreeMap::new();
    let (mut counts, mut free) = ([0; 2], [0; 2]);
    let mut enter = |now: Nanos, mut packet: Packet, under_way: &mut BTreeMap<_, _>| {
        let way = usize::from(!packet.kind.is_forward());
        let number = counts[way];
        counts[way] += 1;
        let fate = fate(&packet, number);
        packet.congestion_experienced |= fate == Fate::Marked;
        let leaves = now.max(free[way]);
        free[way] = leaves + SPACING;
        let late = if let Fate::ArrivesLate(late) = fate { late } else { 0 };
        if fate != Fate::Lost {
            under_way.insert((leaves + DELAY + late, counts[0] + counts[1]), packet);
        }
    };
    let mut simultaneous = 0;
    loop {
        while let Some(packet) = sender.poll(now, &link) {
            seen.sent.push(packet.segment);
            enter(now, packet, &mut under_way);
        }
        let stats = sender.stats();
        seen.windows.push(stats.window_bytes);
        if stats.completed_at.is_some() {
            seen.finished_at = now;
            seen.delivered_bytes = receiver.delivered_bytes();
            (seen.retransmissions, seen.timeouts) = (stats.retransmissions, stats.timeouts);
            seen.fast_retransmits = stats.fast_retransmits;
            seen.least_rtt_s = stats.least_rtt_s;
            return seen;
        }
        let arrival = under_way.keys().next().map(|key| key.0);
        let wakeups = [arrival, sender.next_wakeup(), receiver.next_wakeup()];
        let next = wakeups.into_iter().flatten().min().expect("something happens until the flow is complete");
        // An arrival goes before timers that are due at the same instant.
        simultaneous = if next > now { 0 } else { simultaneous + 1 };
        assert!(simultaneous < MAX_SIMULTANEOUS, "time stands still at {now} ns");
        now = next.max(now);
        assert!(now < PATIENCE, "the flow has stalled: {stats:?}");
        let ack = match under_way.first_entry().filter(|entry| entry.key().0 <= now).map(|entry| entry.remove()) {
            Some(packet) if packet.kind.is_forward() => receiver.on_data(now, &link, &packet),
            Some(packet) => {
                sender.on_ack(now, &packet, &link);
                None
            }
            None => {
                sender.on_timer(now, &link);
                receiver.on_timer(now)
            }
        };
        if let Some(ack) = ack {
            enter(now, ack, &mut under_way);
        }
    }
}
