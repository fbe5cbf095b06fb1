//! Range checks of the numbers of a world.

use crate::index::{FlowId, IndexVec};
use crate::units::{Nanos, SECOND};
use crate::world::{
    AirtimePoint, ChangeKind, Dsdv, FlowSpec, Hearing, LinkMedium, LinkSpec, Location, MacParameters, NodeSpec,
    QueueSpec, Source, WindowReduction, World, WorldError,
};

use super::routes::FlowPlan;
use super::{links, routes};

/// Longest run: a week.
const LONGEST_RUN: Nanos = 7 * 86_400 * SECOND;
/// Most rows of the binned results.
const MAX_ROWS: u64 = 5_000_000;
/// Most changes over a run.
const MAX_CHANGES: u64 = 2_000_000;
/// Most scheduled packets of one source.
const MAX_SCHEDULED: u64 = 20_000_000;
/// Most distances between nodes that move.
const MAX_DISTANCES: u64 = 10_000_000_000;
/// Longest A-MPDU that is defined: 2^23 - 1 octets of EHT (IEEE 802.11be sec. 9.4.2.313).
const MAX_AMPDU_BYTES: u64 = 1 << 23;
/// Most nodes, links or flows.
const MAX_PARTS: u64 = 100_000;
/// Names of a queue and of its limits.
type QueueNames = [&'static str; 5];
const QUEUE: QueueNames = ["queue", "queue.packets", "queue.bytes", "queue.mark_average_weight", "queue.lifetime_ns"];
const INTERFACE_QUEUE: QueueNames = [
    "interface_queue",
    "interface_queue.packets",
    "interface_queue.bytes",
    "interface_queue.mark_average_weight",
    "interface_queue.lifetime_ns",
];
/// Accepted rates, bit/s.
pub(crate) const RATES: std::ops::RangeInclusive<u64> = 1_000..=1_000_000_000_000;
/// The same for messages.
pub(crate) const RATES_IN_WORDS: &str = "1 kbit/s to 1 Tbit/s, in bit/s";

/// Checks every number.
pub(super) fn world(world: &World) -> Result<(), WorldError> {
    let top = Location::world();
    within(&top, "duration_ns", world.duration_ns, 1, LONGEST_RUN, "at least 1 and at most a week")?;
    let record = Location::new("record", "record");
    within(&record, "bin_ns", world.record.bin_ns, 1, LONGEST_RUN, "at least 1")?;
    mac(&world.mac)?;
    for (what, count) in [("nodes", world.nodes.len()), ("links", world.links.len()), ("flows", world.flows.len())] {
        fits(&Location::new("", what), what, count as u64, MAX_PARTS)?;
    }
    let broadcasting = if world.routing.is_some() { world.nodes.len() } else { 0 };
    let parts = (world.flows.len() + 2 * world.links.len() + broadcasting) as u64;
    let bins = world.duration_ns.div_ceil(world.record.bin_ns);
    fits(&record.key("bin_ns"), "rows of the binned results", bins.saturating_mul(parts.max(1)), MAX_ROWS)?;
    for (index, spec) in world.nodes.iter().enumerate() {
        node(&Location::new(format!("node {:?}", spec.name), "nodes").index(index), spec)?;
    }
    for (index, spec) in world.links.iter().enumerate() {
        link(&links::location(index, spec), spec)?;
    }
    for (index, spec) in world.flows.iter().enumerate() {
        flow(&routes::location(index, spec), spec)?;
    }
    let ordered = world.flows.is_sorted_by_key(|flow| flow.background);
    ensure(ordered, &top, "flows", "background before others", "in an order with those of the background last")?;
    if let Some(probing) = world.probing {
        let location = Location::new("probing", "probing");
        within(&location, "bytes", probing.bytes.into(), 1, 2304, "1 to 2304")?;
        within(&location, "interval_ns", probing.interval_ns, 1_000_000, LONGEST_RUN, "at least 1 ms")?;
    }
    hearing(world, &world.hearing, &Location::new("hearing", "hearing"))?;
    changes(world)?;
    background(world)
}

/// Checks that flows name controllers below `count`.
pub(super) fn controllers(flows: &IndexVec<FlowId, FlowPlan>, count: usize) -> Result<(), WorldError> {
    for (index, spec) in flows.iter().map(|flow| &flow.spec).enumerate() {
        if let Some(controller) = spec.controller {
            let location = routes::location(index, spec);
            ensure(
                controller < count,
                &location,
                "controller",
                controller,
                "the index of one of the run's controllers",
            )?;
        }
    }
    Ok(())
}

/// Checks that none of the flows is one that never sends.
pub(super) fn sources(
    flows: &IndexVec<FlowId, FlowPlan>,
    never_sends: impl Fn(FlowId) -> bool,
) -> Result<(), WorldError> {
    let silent = flows.enumerate().find(|(id, _)| never_sends(*id));
    silent.map_or(Ok(()), |(id, flow)| {
        let location = routes::location(id.0 as usize, &flow.spec);
        let expected = "above 0 where the source is greedy or has a number of bytes: without acknowledgements only a \
                        source with times of its own (cbr, voip, scheduled) or a controller with a rate of its own sends";
        ensure(false, &location, "ack_bytes", flow.spec.ack_bytes, expected)
    })
}

/// Checks the constants of DSDV.
pub(super) fn dsdv(location: &Location, dsdv: &Dsdv) -> Result<(), WorldError> {
    within(location, "period_ns", dsdv.period_ns, 1_000_000, LONGEST_RUN, "at least 1 ms")?;
    let spans = [
        ("settling_ns", dsdv.settling_ns),
        ("triggered_ns", dsdv.triggered_ns),
        ("startup_ns", dsdv.startup_ns),
        ("jitter_ns", dsdv.jitter_ns),
    ];
    spans.iter().try_for_each(|&(name, value)| within(location, name, value, 0, LONGEST_RUN, "at most a week"))?;
    probability(location, "settling_weight", dsdv.settling_weight)?;
    within(location, "silent_periods", dsdv.silent_periods.into(), 1, 1 << 20, "1 to 2^20")?;
    within(location, "entry_bytes", dsdv.entry_bytes.into(), 0, 1000, "at most 1000")?;
    within(location, "header_bytes", dsdv.header_bytes.into(), 0, 1000, "at most 1000")?;
    within(location, "held_packets", dsdv.held_packets.into(), 0, 1 << 20, "at most 2^20")?;
    within(location, "most_links", dsdv.most_links.into(), 1, 1000, "1 to 1000")?;
    dsdv.rate_bps.map_or(Ok(()), |value| rate(location, "rate_bps", value))?;
    for (index, outage) in dsdv.outages.iter().enumerate() {
        let location = location.key("outages").index(index);
        ensure(outage.from_ns < outage.until_ns, &location, "until_ns", outage.until_ns, "after from_ns")?;
    }
    Ok(())
}

fn node(location: &Location, node: &NodeSpec) -> Result<(), WorldError> {
    let metres = |location: &Location, position_m: &[f64; 2]| {
        position_m.iter().try_for_each(|&axis| real(location, "position_m", axis, -1e9, 1e9, "a number of metres"))
    };
    node.position_m.as_ref().map_or(Ok(()), |position_m| metres(location, position_m))?;
    for (index, point) in node.waypoints.iter().enumerate() {
        metres(&location.key("waypoints").index(index), &point.position_m)?;
    }
    let ordered = node.waypoints.windows(2).all(|pair| pair[0].at_ns < pair[1].at_ns);
    ensure(ordered, location, "waypoints", "unordered", "in order of time")?;
    node.interface_queue.map_or(Ok(()), |spec| queue(location, &INTERFACE_QUEUE, &spec))?;
    let Some(discipline) = node.fq_codel else { return Ok(()) };
    let alone = node.interface_queue.is_none();
    ensure(!alone, location, "fq_codel", "without an interface_queue", "above an interface_queue")?;
    within(location, "fq_codel.packets", discipline.packets.into(), 1, 1 << 24, "1 to 2^24")?;
    for (name, value) in
        [("fq_codel.target_ns", discipline.target_ns), ("fq_codel.interval_ns", discipline.interval_ns)]
    {
        within(location, name, value, 1, LONGEST_RUN, "1 ns to a week")?;
    }
    within(location, "fq_codel.quantum_bytes", discipline.quantum_bytes.into(), 1, 1 << 24, "1 to 2^24")
}

fn mac(mac: &MacParameters) -> Result<(), WorldError> {
    let location = &Location::new("mac", "mac");
    let spans = [
        ("slot_ns", mac.slot_ns, 1),
        ("sifs_ns", mac.sifs_ns, 1),
        ("difs_ns", mac.difs_ns, mac.sifs_ns + 1),
        ("plcp_ns", mac.plcp_ns, 0),
        ("symbol_ns", mac.symbol_ns, 1),
        ("signal_extension_ns", mac.signal_extension_ns, 0),
        ("survived_overlap_ns", mac.survived_overlap_ns, 0),
    ];
    for (name, value, least) in spans {
        within(location, name, value, least, SECOND, "a span of time that a MAC can have, DIFS longer than SIFS")?;
    }
    within(location, "cw_min", mac.cw_min.into(), 0, mac.cw_max.into(), "no more than cw_max")?;
    within(location, "cw_max", mac.cw_max.into(), 0, 1 << 20, "at most 2^20")?;
    within(location, "short_retry_limit", mac.short_retry_limit.into(), 1, 255, "1 to 255")?;
    within(location, "long_retry_limit", mac.long_retry_limit.into(), 1, 255, "1 to 255")?;
    if let Some(limit) = mac.rts_retry_limit {
        within(location, "rts_retry_limit", limit.into(), 1, 255, "1 to 255")?;
    }
    within(location, "mac_header_bytes", mac.mac_header_bytes.into(), 0, 10_000, "at most 10000")?;
    within(location, "extra_bits", mac.extra_bits.into(), 0, 10_000, "at most 10000")?;
    if let Some(db) = mac.control_capture_db {
        real(location, "control_capture_db", db, -300.0, 300.0, "a ratio in decibels")?;
    }
    if let Some(aggregation) = &mac.aggregation {
        let location = location.key("aggregation");
        let (bytes, ns) = (aggregation.max_ampdu_bytes, aggregation.max_ampdu_ns);
        within(
            &location,
            "max_ampdu_bytes",
            bytes.into(),
            0,
            MAX_AMPDU_BYTES,
            "at most 2^23, the longest that is defined",
        )?;
        within(&location, "max_ampdu_ns", ns, 1, SECOND, "1 ns to 1 s")?;
        within(&location, "block_ack_window", aggregation.block_ack_window.into(), 1, 1024, "1 to 1024")?;
        within(&location, "preamble_ns", aggregation.preamble_ns, 0, SECOND, "at most 1 s")?;
        if let Some(limit) = aggregation.retry_limit {
            within(&location, "retry_limit", limit.into(), 1, 255, "1 to 255")?;
        }
        if let Some(share) = aggregation.single_give_up {
            probability(&location, "single_give_up", share)?;
        }
    }
    rate(location, "control_rate_bps", mac.control_rate_bps)
}

fn link(location: &Location, link: &LinkSpec) -> Result<(), WorldError> {
    queue(location, &QUEUE, &link.queue)?;
    match &link.medium {
        LinkMedium::Wireless(wireless) => {
            let location = location.key("medium").key("wireless");
            rate(&location, "rate_bps", wireless.rate_bps)?;
            wireless.control_rate_bps.map_or(Ok(()), |value| rate(&location, "control_rate_bps", value))?;
            wireless.ack_rate_bps.map_or(Ok(()), |value| rate(&location, "ack_rate_bps", value))?;
            probability(&location, "loss", wireless.loss)?;
            probability(&location, "control_loss", wireless.control_loss)?;
            if let Some(bytes) = wireless.max_ampdu_bytes {
                let expected = "at most 2^23, the longest that is defined";
                within(&location, "max_ampdu_bytes", bytes.into(), 0, MAX_AMPDU_BYTES, expected)?;
            }
            airtimes(&location, &wireless.airtimes)
        }
        LinkMedium::Wired(wire) => {
            let location = location.key("medium").key("wired");
            rate(&location, "rate_bps", wire.rate_bps)?;
            within(&location, "delay_ns", wire.delay_ns, 0, 3600 * SECOND, "at most an hour")?;
            probability(&location, "loss", wire.loss)
        }
    }
}

fn flow(location: &Location, flow: &FlowSpec) -> Result<(), WorldError> {
    within(location, "payload_bytes", flow.payload_bytes.into(), 1, 65_535, "1 to 65535")?;
    within(location, "header_bytes", flow.header_bytes.into(), 0, 65_535, "at most 65535")?;
    within(location, "ack_bytes", flow.ack_bytes.into(), 0, 65_535, "at most 65535")?;
    let (transport, inner) = (&flow.transport, location.key("transport"));
    within(&inner, "initial_window_segments", transport.initial_window_segments.into(), 1, 1000, "1 to 1000")?;
    let (least, most) = (transport.minimum_timeout_ns, transport.maximum_timeout_ns);
    within(&inner, "minimum_timeout_ns", least, 1_000_000, most, "at least 1 ms and at most maximum_timeout_ns")?;
    within(&inner, "maximum_timeout_ns", most, least, 3600 * SECOND, "at most an hour")?;
    let repaired = transport.sack || transport.recovery == WindowReduction::Rfc6675;
    ensure(repaired, &inner, "recovery", "prr without sack", "sack = true with it")?;
    let inner = location.key("source");
    match &flow.source {
        Source::Cbr { rate_bps } => rate(&inner.key("cbr"), "rate_bps", *rate_bps)?,
        Source::Scheduled(packets) => {
            fits(&inner.key("scheduled"), "scheduled packets", packets.len() as u64, MAX_SCHEDULED)?;
            ensure(packets.is_sorted_by_key(|(at, _)| *at), &inner, "scheduled", "unordered", "in order of time")?;
            let sized = packets.iter().all(|(_, bytes)| (1..=65_535).contains(bytes));
            ensure(sized, &inner, "scheduled", "a packet of no or too many bytes", "packets of 1 to 65535 bytes")?;
        }
        _ => {}
    }
    let ordered = flow.stop_ns.is_none_or(|stop| stop >= flow.start_ns);
    ensure(ordered, location, "stop_ns", "before start_ns", "after it")
}

fn hearing(world: &World, hearing: &Hearing, location: &Location) -> Result<(), WorldError> {
    match hearing {
        Hearing::Everyone => Ok(()),
        Hearing::Graph(graph) => {
            let location = &location.key("graph");
            for (index, power) in graph.powers.iter().enumerate() {
                let location = location.key("powers").index(index);
                real(&location, "dbm", power.dbm, -300.0, 300.0, "a power in dBm")?;
            }
            graph.capture_db.map_or(Ok(()), |db| real(location, "capture_db", db, 0.0, 300.0, "0 or more decibels"))
        }
        Hearing::Range(range) => {
            let location = &location.key("range");
            let sense = range.sense_m.unwrap_or(range.decode_m);
            let corrupt = range.corrupt_m.unwrap_or(sense);
            real(location, "decode_m", range.decode_m, 0.0, 1e9, "a distance in metres")?;
            real(location, "sense_m", sense, range.decode_m, 1e9, "no less than decode_m")?;
            real(location, "corrupt_m", corrupt, sense, 1e9, "no less than sense_m")?;
            range.capture_db.map_or(Ok(()), |db| real(location, "capture_db", db, 0.0, 300.0, "0 or more decibels"))?;
            within(location, "update_ns", range.update_ns, 1_000_000, LONGEST_RUN, "at least 1 ms")?;
            let last = world.nodes.iter().filter_map(|node| node.waypoints.last()).map(|point| point.at_ns).max();
            let updates = last.unwrap_or(0).min(world.duration_ns) / range.update_ns;
            fits(&location.key("update_ns"), "updates of positions", updates, MAX_CHANGES)?;
            let pairs = (world.nodes.len() as u64).pow(2);
            fits(&location.key("update_ns"), "distances to reckon", updates.saturating_mul(pairs), MAX_DISTANCES)
        }
    }
}

fn changes(world: &World) -> Result<(), WorldError> {
    let reroutes: usize = world.flows.iter().map(|flow| flow.reroutes.len()).sum();
    fits(&Location::new("", "changes"), "changes", (world.changes.len() + reroutes) as u64, MAX_CHANGES)?;
    for (index, change) in world.changes.iter().enumerate() {
        let location =
            Location::new(format!("the change at {} ns", change.at_ns), "changes").index(index).key("change");
        match &change.change {
            ChangeKind::Hearing(new) => hearing(world, new, &location.key("hearing").described_as("hearing"))?,
            ChangeKind::Link(link) => {
                let location = location.key("link");
                link.rate_bps.map_or(Ok(()), |value| rate(&location, "rate_bps", value))?;
                link.loss.map_or(Ok(()), |value| probability(&location, "loss", value))?;
                link.control_loss.map_or(Ok(()), |value| probability(&location, "control_loss", value))?;
                link.airtimes.as_deref().map_or(Ok(()), |points| airtimes(&location, points))?;
            }
        }
    }
    Ok(())
}

fn background(world: &World) -> Result<(), WorldError> {
    for (index, background) in world.background.iter().enumerate() {
        let spans = &background.busy_ns;
        let ordered =
            spans.iter().all(|(start, end)| start < end) && spans.windows(2).all(|pair| pair[0].1 < pair[1].0);
        let location = Location::new(format!("the background of {:?}", background.node), "background").index(index);
        ensure(ordered, &location, "busy_ns", "unordered or overlapping", "in order of time and apart")?;
    }
    Ok(())
}

fn airtimes(location: &Location, points: &[AirtimePoint]) -> Result<(), WorldError> {
    let ordered = points.windows(2).all(|pair| pair[0].packet_bytes < pair[1].packet_bytes);
    ensure(ordered, location, "airtimes", "unordered", "in order of packet_bytes, each once")?;
    points.iter().enumerate().try_for_each(|(index, point)| {
        let location = location.key("airtimes").index(index);
        within(&location, "airtime_ns", point.airtime_ns, 1, SECOND, "1 ns to 1 s")
    })
}

fn queue(location: &Location, names: &QueueNames, queue: &QueueSpec) -> Result<(), WorldError> {
    let [whole, packets, bytes, weight, lifetime] = *names;
    queue.packets.map_or(Ok(()), |value| within(location, packets, value.into(), 1, 1 << 24, "1 to 2^24"))?;
    queue.bytes.map_or(Ok(()), |value| within(location, bytes, value, 1, 1 << 40, "1 to 2^40"))?;
    if let Some(value) = queue.mark_average_weight {
        real(location, weight, value, f64::MIN_POSITIVE, 1.0, "above 0 and at most 1")?;
    }
    queue.lifetime_ns.map_or(Ok(()), |value| within(location, lifetime, value, 1, LONGEST_RUN, "1 ns to a week"))?;
    ensure(
        queue.packets.is_some() || queue.bytes.is_some(),
        location,
        whole,
        "unlimited",
        "limited in packets or bytes",
    )
}

fn rate(location: &Location, name: &'static str, value: u64) -> Result<(), WorldError> {
    within(location, name, value, *RATES.start(), *RATES.end(), RATES_IN_WORDS)
}

fn probability(location: &Location, name: &'static str, value: f64) -> Result<(), WorldError> {
    real(location, name, value, 0.0, 1.0, "a probability")
}

fn within(
    location: &Location,
    name: &'static str,
    value: u64,
    least: u64,
    most: u64,
    expected: &'static str,
) -> Result<(), WorldError> {
    ensure((least..=most).contains(&value), location, name, value, expected)
}

fn real(
    location: &Location,
    name: &'static str,
    value: f64,
    least: f64,
    most: f64,
    expected: &'static str,
) -> Result<(), WorldError> {
    ensure((least..=most).contains(&value), location, name, value, expected)
}

fn ensure(
    holds: bool,
    location: &Location,
    name: &'static str,
    value: impl ToString,
    expected: &'static str,
) -> Result<(), WorldError> {
    if holds {
        return Ok(());
    }
    Err(WorldError::Value { location: location.clone(), name, value: value.to_string(), expected })
}

fn fits(location: &Location, what: &'static str, count: u64, limit: u64) -> Result<(), WorldError> {
    if count > limit {
        return Err(WorldError::TooLarge { what, count, limit, location: location.clone() });
    }
    Ok(())
}
