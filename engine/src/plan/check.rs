//! Numbers of a world that are out of their range.

use crate::units::{Nanos, SECOND};
use crate::world::{
    AirtimePoint, ChangeKind, FlowSpec, Hearing, LinkMedium, LinkSpec, MacParameters, NodeSpec, Place, QueueSpec,
    Source, World, WorldError,
};

use super::routes::FlowPlan;
use super::{links, routes};

/// Longest run: a week.
const LONGEST_RUN: Nanos = 7 * 86_400 * SECOND;
/// Most rows of the binned results.
const MOST_ROWS: u64 = 5_000_000;
/// Most changes over a run.
const MOST_CHANGES: u64 = 2_000_000;
/// Most packets that one source is told the instants of.
const MOST_SCHEDULED: u64 = 20_000_000;
/// Most distances between nodes that move.
const MOST_DISTANCES: u64 = 10_000_000_000;
/// Most nodes, links or flows.
const MOST_PARTS: u64 = 100_000;
/// Names of a queue and of its limits.
type QueueNames = [&'static str; 4];
const QUEUE: QueueNames = ["queue", "queue.packets", "queue.bytes", "queue.mark_average_weight"];
const INTERFACE_QUEUE: QueueNames =
    ["interface_queue", "interface_queue.packets", "interface_queue.bytes", "interface_queue.mark_average_weight"];
/// Rates that can be reckoned with, bit/s.
const RATES: std::ops::RangeInclusive<u64> = 1_000..=1_000_000_000_000;

/// Checks every number.
pub(super) fn world(world: &World) -> Result<(), WorldError> {
    let top = Place::world();
    within(&top, "duration_ns", world.duration_ns, 1, LONGEST_RUN, "at least 1 and at most a week")?;
    let record = Place::new("record", "record");
    within(&record, "bin_ns", world.record.bin_ns, 1, LONGEST_RUN, "at least 1")?;
    mac(&world.mac)?;
    for (what, count) in [("nodes", world.nodes.len()), ("links", world.links.len()), ("flows", world.flows.len())] {
        fits(&Place::new("", what), what, count as u64, MOST_PARTS)?;
    }
    let parts = (world.flows.len() + 2 * world.links.len()) as u64;
    let bins = world.duration_ns.div_ceil(world.record.bin_ns);
    fits(&record.key("bin_ns"), "rows of the binned results", bins.saturating_mul(parts.max(1)), MOST_ROWS)?;
    for (index, spec) in world.nodes.iter().enumerate() {
        node(&Place::new(format!("node {:?}", spec.name), "nodes").index(index), spec)?;
    }
    for (index, spec) in world.links.iter().enumerate() {
        link(&links::place(index, spec), spec)?;
    }
    for (index, spec) in world.flows.iter().enumerate() {
        flow(&routes::place(index, spec), spec)?;
    }
    let ordered = world.flows.is_sorted_by_key(|flow| flow.background);
    ensure(ordered, &top, "flows", "background before others", "in an order with those of the background last")?;
    hearing(world, &world.hearing, &Place::new("hearing", "hearing"))?;
    changes(world)?;
    background(world)
}

/// That flows name controllers by an index that there is, of so many.
pub(super) fn controllers(flows: &[FlowPlan], count: usize) -> Result<(), WorldError> {
    for (index, spec) in flows.iter().map(|flow| &flow.spec).enumerate() {
        if let Some(controller) = spec.controller {
            let place = routes::place(index, spec);
            ensure(controller < count, &place, "controller", controller, "the index of one of the run's controllers")?;
        }
    }
    Ok(())
}

fn node(place: &Place, node: &NodeSpec) -> Result<(), WorldError> {
    let metres = |place: &Place, position_m: &[f64; 2]| {
        position_m.iter().try_for_each(|&axis| real(place, "position_m", axis, -1e9, 1e9, "a number of metres"))
    };
    node.position_m.as_ref().map_or(Ok(()), |position_m| metres(place, position_m))?;
    for (index, point) in node.waypoints.iter().enumerate() {
        metres(&place.key("waypoints").index(index), &point.position_m)?;
    }
    let ordered = node.waypoints.windows(2).all(|pair| pair[0].at_ns < pair[1].at_ns);
    ensure(ordered, place, "waypoints", "unordered", "in order of time")?;
    node.interface_queue.map_or(Ok(()), |spec| queue(place, &INTERFACE_QUEUE, &spec))
}

fn mac(mac: &MacParameters) -> Result<(), WorldError> {
    let place = &Place::new("mac", "mac");
    let spans = [
        ("slot_ns", mac.slot_ns, 1),
        ("sifs_ns", mac.sifs_ns, 1),
        ("difs_ns", mac.difs_ns, mac.sifs_ns + 1),
        ("plcp_ns", mac.plcp_ns, 0),
        ("symbol_ns", mac.symbol_ns, 1),
        ("signal_extension_ns", mac.signal_extension_ns, 0),
    ];
    for (name, value, least) in spans {
        within(place, name, value, least, SECOND, "a span of time that a MAC can have, DIFS longer than SIFS")?;
    }
    within(place, "cw_min", mac.cw_min.into(), 0, mac.cw_max.into(), "no more than cw_max")?;
    within(place, "cw_max", mac.cw_max.into(), 0, 1 << 20, "at most 2^20")?;
    within(place, "short_retry_limit", mac.short_retry_limit.into(), 1, 255, "1 to 255")?;
    within(place, "long_retry_limit", mac.long_retry_limit.into(), 1, 255, "1 to 255")?;
    if let Some(limit) = mac.rts_retry_limit {
        within(place, "rts_retry_limit", limit.into(), 1, 255, "1 to 255")?;
    }
    within(place, "mac_header_bytes", mac.mac_header_bytes.into(), 0, 10_000, "at most 10000")?;
    within(place, "extra_bits", mac.extra_bits.into(), 0, 10_000, "at most 10000")?;
    if let Some(db) = mac.control_capture_db {
        real(place, "control_capture_db", db, -300.0, 300.0, "a ratio in decibels")?;
    }
    rate(place, "control_rate_bps", mac.control_rate_bps)
}

fn link(place: &Place, link: &LinkSpec) -> Result<(), WorldError> {
    queue(place, &QUEUE, &link.queue)?;
    match &link.medium {
        LinkMedium::Wireless(wireless) => {
            let place = place.key("medium").key("wireless");
            rate(&place, "rate_bps", wireless.rate_bps)?;
            wireless.control_rate_bps.map_or(Ok(()), |value| rate(&place, "control_rate_bps", value))?;
            wireless.ack_rate_bps.map_or(Ok(()), |value| rate(&place, "ack_rate_bps", value))?;
            probability(&place, "loss", wireless.loss)?;
            probability(&place, "control_loss", wireless.control_loss)?;
            airtimes(&place, &wireless.airtimes)
        }
        LinkMedium::Wired(wire) => {
            let place = place.key("medium").key("wired");
            rate(&place, "rate_bps", wire.rate_bps)?;
            within(&place, "delay_ns", wire.delay_ns, 0, 3600 * SECOND, "at most an hour")?;
            probability(&place, "loss", wire.loss)
        }
    }
}

fn flow(place: &Place, flow: &FlowSpec) -> Result<(), WorldError> {
    within(place, "payload_bytes", flow.payload_bytes.into(), 1, 65_535, "1 to 65535")?;
    within(place, "header_bytes", flow.header_bytes.into(), 0, 65_535, "at most 65535")?;
    within(place, "ack_bytes", flow.ack_bytes.into(), 0, 65_535, "at most 65535")?;
    let (transport, inner) = (&flow.transport, place.key("transport"));
    within(&inner, "initial_window_segments", transport.initial_window_segments.into(), 1, 1000, "1 to 1000")?;
    let (least, most) = (transport.minimum_timeout_ns, transport.maximum_timeout_ns);
    within(&inner, "minimum_timeout_ns", least, 1_000_000, most, "at least 1 ms and at most maximum_timeout_ns")?;
    within(&inner, "maximum_timeout_ns", most, least, 3600 * SECOND, "at most an hour")?;
    let inner = place.key("source");
    match &flow.source {
        Source::Cbr { rate_bps } => rate(&inner.key("cbr"), "rate_bps", *rate_bps)?,
        Source::Scheduled(packets) => {
            fits(&inner.key("scheduled"), "scheduled packets", packets.len() as u64, MOST_SCHEDULED)?;
            ensure(packets.is_sorted_by_key(|(at, _)| *at), &inner, "scheduled", "unordered", "in order of time")?;
            let sized = packets.iter().all(|(_, bytes)| (1..=65_535).contains(bytes));
            ensure(sized, &inner, "scheduled", "a packet of no or too many bytes", "packets of 1 to 65535 bytes")?;
        }
        _ => {}
    }
    let ordered = flow.stop_ns.is_none_or(|stop| stop >= flow.start_ns);
    ensure(ordered, place, "stop_ns", "before start_ns", "after it")
}

fn hearing(world: &World, hearing: &Hearing, place: &Place) -> Result<(), WorldError> {
    match hearing {
        Hearing::Everyone => Ok(()),
        Hearing::Graph(graph) => {
            let place = &place.key("graph");
            for (index, power) in graph.powers.iter().enumerate() {
                let place = place.key("powers").index(index);
                real(&place, "dbm", power.dbm, -300.0, 300.0, "a power in dBm")?;
            }
            graph.capture_db.map_or(Ok(()), |db| real(place, "capture_db", db, 0.0, 300.0, "0 or more decibels"))
        }
        Hearing::Range(range) => {
            let place = &place.key("range");
            let sense = range.sense_m.unwrap_or(range.decode_m);
            let corrupt = range.corrupt_m.unwrap_or(sense);
            real(place, "decode_m", range.decode_m, 0.0, 1e9, "a distance in metres")?;
            real(place, "sense_m", sense, range.decode_m, 1e9, "no less than decode_m")?;
            real(place, "corrupt_m", corrupt, sense, 1e9, "no less than sense_m")?;
            range.capture_db.map_or(Ok(()), |db| real(place, "capture_db", db, 0.0, 300.0, "0 or more decibels"))?;
            within(place, "update_ns", range.update_ns, 1_000_000, LONGEST_RUN, "at least 1 ms")?;
            let last = world.nodes.iter().filter_map(|node| node.waypoints.last()).map(|point| point.at_ns).max();
            let updates = last.unwrap_or(0).min(world.duration_ns) / range.update_ns;
            fits(&place.key("update_ns"), "updates of positions", updates, MOST_CHANGES)?;
            let pairs = (world.nodes.len() as u64).pow(2);
            fits(&place.key("update_ns"), "distances to reckon", updates.saturating_mul(pairs), MOST_DISTANCES)
        }
    }
}

fn changes(world: &World) -> Result<(), WorldError> {
    let reroutes: usize = world.flows.iter().map(|flow| flow.reroutes.len()).sum();
    fits(&Place::new("", "changes"), "changes", (world.changes.len() + reroutes) as u64, MOST_CHANGES)?;
    for (index, change) in world.changes.iter().enumerate() {
        let place = Place::new(format!("the change at {} ns", change.at_ns), "changes").index(index).key("change");
        match &change.change {
            ChangeKind::Hearing(new) => hearing(world, new, &place.key("hearing").told("hearing"))?,
            ChangeKind::Link(link) => {
                let place = place.key("link");
                link.rate_bps.map_or(Ok(()), |value| rate(&place, "rate_bps", value))?;
                link.loss.map_or(Ok(()), |value| probability(&place, "loss", value))?;
                link.control_loss.map_or(Ok(()), |value| probability(&place, "control_loss", value))?;
                link.airtimes.as_deref().map_or(Ok(()), |points| airtimes(&place, points))?;
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
        let place = Place::new(format!("the background of {:?}", background.node), "background").index(index);
        ensure(ordered, &place, "busy_ns", "unordered or overlapping", "in order of time and apart")?;
    }
    Ok(())
}

fn airtimes(place: &Place, points: &[AirtimePoint]) -> Result<(), WorldError> {
    let ordered = points.windows(2).all(|pair| pair[0].packet_bytes < pair[1].packet_bytes);
    ensure(ordered, place, "airtimes", "unordered", "in order of packet_bytes, each once")?;
    points.iter().enumerate().try_for_each(|(index, point)| {
        let place = place.key("airtimes").index(index);
        within(&place, "airtime_ns", point.airtime_ns, 1, SECOND, "1 ns to 1 s")
    })
}

fn queue(place: &Place, names: &QueueNames, queue: &QueueSpec) -> Result<(), WorldError> {
    let [whole, packets, bytes, weight] = *names;
    queue.packets.map_or(Ok(()), |value| within(place, packets, value.into(), 1, 1 << 24, "1 to 2^24"))?;
    queue.bytes.map_or(Ok(()), |value| within(place, bytes, value, 1, 1 << 40, "1 to 2^40"))?;
    if let Some(value) = queue.mark_average_weight {
        real(place, weight, value, f64::MIN_POSITIVE, 1.0, "above 0 and at most 1")?;
    }
    ensure(queue.packets.is_some() || queue.bytes.is_some(), place, whole, "unlimited", "limited in packets or bytes")
}

fn rate(place: &Place, name: &'static str, value: u64) -> Result<(), WorldError> {
    within(place, name, value, *RATES.start(), *RATES.end(), "1 kbit/s to 1 Tbit/s, in bit/s")
}

fn probability(place: &Place, name: &'static str, value: f64) -> Result<(), WorldError> {
    real(place, name, value, 0.0, 1.0, "a probability")
}

fn within(
    place: &Place,
    name: &'static str,
    value: u64,
    least: u64,
    most: u64,
    expected: &'static str,
) -> Result<(), WorldError> {
    ensure((least..=most).contains(&value), place, name, value, expected)
}

fn real(
    place: &Place,
    name: &'static str,
    value: f64,
    least: f64,
    most: f64,
    expected: &'static str,
) -> Result<(), WorldError> {
    ensure((least..=most).contains(&value), place, name, value, expected)
}

fn ensure(
    holds: bool,
    place: &Place,
    name: &'static str,
    value: impl ToString,
    expected: &'static str,
) -> Result<(), WorldError> {
    if holds {
        return Ok(());
    }
    Err(WorldError::Value { place: place.clone(), name, value: value.to_string(), expected })
}

fn fits(place: &Place, what: &'static str, count: u64, limit: u64) -> Result<(), WorldError> {
    if count > limit {
        return Err(WorldError::TooLarge { what, count, limit, place: place.clone() });
    }
    Ok(())
}
