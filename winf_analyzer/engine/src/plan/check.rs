//! Numbers of a world that are out of their range.

use crate::units::{Nanos, SECOND};
use crate::world::{
    AirtimePoint, ChangeKind, Hearing, LinkMedium, LinkSpec, MacParameters, QueueSpec, Source, World, WorldError,
};

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
/// Rates that can be reckoned with, bit/s.
const RATES: std::ops::RangeInclusive<u64> = 1_000..=1_000_000_000_000;

/// Checks every number.
pub(super) fn world(world: &World) -> Result<(), WorldError> {
    within("the world", "duration_ns", world.duration_ns, 1, LONGEST_RUN, "at least 1 and at most a week")?;
    within("record", "bin_ns", world.record.bin_ns, 1, LONGEST_RUN, "at least 1")?;
    mac(&world.mac)?;
    for (what, count) in [("nodes", world.nodes.len()), ("links", world.links.len()), ("flows", world.flows.len())] {
        fits(what, count as u64, MOST_PARTS)?;
    }
    let parts = (world.flows.len() + 2 * world.links.len()) as u64;
    let bins = world.duration_ns.div_ceil(world.record.bin_ns);
    fits("rows of the binned results", bins.saturating_mul(parts.max(1)), MOST_ROWS)?;
    for node in &world.nodes {
        let place = format!("node {:?}", node.name);
        let places = node.position_m.iter().chain(node.waypoints.iter().map(|point| &point.position_m));
        for coordinate in places.flatten() {
            real(&place, "position_m", *coordinate, -1e9, 1e9, "a number of metres")?;
        }
        let ordered = node.waypoints.windows(2).all(|pair| pair[0].at_ns < pair[1].at_ns);
        ensure(ordered, &place, "waypoints", "unordered", "in order of time")?;
        node.interface_queue.map_or(Ok(()), |spec| queue(&place, &spec))?;
    }
    world.links.iter().try_for_each(link)?;
    world.flows.iter().try_for_each(flow)?;
    let ordered = world.flows.is_sorted_by_key(|flow| flow.background);
    ensure(ordered, "the world", "flows", "background before others", "in an order with those of the background last")?;
    hearing(world, &world.hearing)?;
    changes(world)
}

fn mac(mac: &MacParameters) -> Result<(), WorldError> {
    let place = "mac";
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

fn link(link: &LinkSpec) -> Result<(), WorldError> {
    let place = format!("the link from {:?} to {:?}", link.from, link.to);
    queue(&place, &link.queue)?;
    match &link.medium {
        LinkMedium::Wireless(wireless) => {
            rate(&place, "rate_bps", wireless.rate_bps)?;
            wireless.control_rate_bps.map_or(Ok(()), |value| rate(&place, "control_rate_bps", value))?;
            wireless.ack_rate_bps.map_or(Ok(()), |value| rate(&place, "ack_rate_bps", value))?;
            probability(&place, "loss", wireless.loss)?;
            probability(&place, "control_loss", wireless.control_loss)?;
            airtimes(&place, &wireless.airtimes)
        }
        LinkMedium::Wired(wire) => {
            rate(&place, "rate_bps", wire.rate_bps)?;
            within(&place, "delay_ns", wire.delay_ns, 0, 3600 * SECOND, "at most an hour")?;
            probability(&place, "loss", wire.loss)
        }
    }
}

fn flow(flow: &crate::world::FlowSpec) -> Result<(), WorldError> {
    let place = format!("flow {:?}", flow.name);
    within(&place, "payload_bytes", flow.payload_bytes.into(), 1, 65_535, "1 to 65535")?;
    within(&place, "header_bytes", flow.header_bytes.into(), 0, 65_535, "at most 65535")?;
    within(&place, "ack_bytes", flow.ack_bytes.into(), 0, 65_535, "at most 65535")?;
    let transport = &flow.transport;
    within(&place, "initial_window_segments", transport.initial_window_segments.into(), 1, 1000, "1 to 1000")?;
    let (least, most) = (transport.minimum_timeout_ns, transport.maximum_timeout_ns);
    within(&place, "minimum_timeout_ns", least, 1_000_000, most, "at least 1 ms and at most maximum_timeout_ns")?;
    within(&place, "maximum_timeout_ns", most, least, 3600 * SECOND, "at most an hour")?;
    match &flow.source {
        Source::Cbr { rate_bps } => rate(&place, "rate_bps", *rate_bps)?,
        Source::Scheduled(packets) => {
            fits("scheduled packets", packets.len() as u64, MOST_SCHEDULED)?;
            ensure(packets.is_sorted_by_key(|(at, _)| *at), &place, "scheduled", "unordered", "in order of time")?;
            let sized = packets.iter().all(|(_, bytes)| (1..=65_535).contains(bytes));
            ensure(sized, &place, "scheduled", "a packet of no or too many bytes", "packets of 1 to 65535 bytes")?;
        }
        _ => {}
    }
    let ordered = flow.stop_ns.is_none_or(|stop| stop >= flow.start_ns);
    ensure(ordered, &place, "stop_ns", "before start_ns", "after it")
}

fn hearing(world: &World, hearing: &Hearing) -> Result<(), WorldError> {
    match hearing {
        Hearing::Everyone => Ok(()),
        Hearing::Graph(graph) => {
            for power in &graph.powers {
                real("hearing", "dbm", power.dbm, -300.0, 300.0, "a power in dBm")?;
            }
            graph.capture_db.map_or(Ok(()), |db| real("hearing", "capture_db", db, 0.0, 300.0, "0 or more decibels"))
        }
        Hearing::Range(range) => {
            let sense = range.sense_m.unwrap_or(range.decode_m);
            let corrupt = range.corrupt_m.unwrap_or(sense);
            real("hearing", "decode_m", range.decode_m, 0.0, 1e9, "a distance in metres")?;
            real("hearing", "sense_m", sense, range.decode_m, 1e9, "no less than decode_m")?;
            real("hearing", "corrupt_m", corrupt, sense, 1e9, "no less than sense_m")?;
            range
                .capture_db
                .map_or(Ok(()), |db| real("hearing", "capture_db", db, 0.0, 300.0, "0 or more decibels"))?;
            within("hearing", "update_ns", range.update_ns, 1_000_000, LONGEST_RUN, "at least 1 ms")?;
            let last = world.nodes.iter().filter_map(|node| node.waypoints.last()).map(|point| point.at_ns).max();
            let updates = last.unwrap_or(0).min(world.duration_ns) / range.update_ns;
            fits("updates of positions", updates, MOST_CHANGES)?;
            let pairs = (world.nodes.len() as u64).pow(2);
            fits("distances to reckon", updates.saturating_mul(pairs), MOST_DISTANCES)
        }
    }
}

fn changes(world: &World) -> Result<(), WorldError> {
    let reroutes: usize = world.flows.iter().map(|flow| flow.reroutes.len()).sum();
    fits("changes", (world.changes.len() + reroutes) as u64, MOST_CHANGES)?;
    for change in &world.changes {
        let place = format!("the change at {} ns", change.at_ns);
        match &change.change {
            ChangeKind::Hearing(new) => hearing(world, new)?,
            ChangeKind::Link(link) => {
                link.rate_bps.map_or(Ok(()), |value| rate(&place, "rate_bps", value))?;
                link.loss.map_or(Ok(()), |value| probability(&place, "loss", value))?;
                link.control_loss.map_or(Ok(()), |value| probability(&place, "control_loss", value))?;
                link.airtimes.as_deref().map_or(Ok(()), |points| airtimes(&place, points))?;
            }
        }
    }
    for background in &world.background {
        let spans = &background.busy_ns;
        let ordered =
            spans.iter().all(|(start, end)| start < end) && spans.windows(2).all(|pair| pair[0].1 < pair[1].0);
        let place = format!("the background of {:?}", background.node);
        ensure(ordered, &place, "busy_ns", "unordered or overlapping", "in order of time and apart")?;
    }
    Ok(())
}

fn airtimes(place: &str, points: &[AirtimePoint]) -> Result<(), WorldError> {
    let ordered = points.windows(2).all(|pair| pair[0].packet_bytes < pair[1].packet_bytes);
    ensure(ordered, place, "airtimes", "unordered", "in order of packet_bytes, each once")?;
    points.iter().try_for_each(|point| within(place, "airtime_ns", point.airtime_ns, 1, SECOND, "1 ns to 1 s"))
}

fn queue(place: &str, queue: &QueueSpec) -> Result<(), WorldError> {
    queue.packets.map_or(Ok(()), |packets| within(place, "queue.packets", packets.into(), 1, 1 << 24, "1 to 2^24"))?;
    queue.bytes.map_or(Ok(()), |bytes| within(place, "queue.bytes", bytes, 1, 1 << 40, "1 to 2^40"))?;
    if let Some(weight) = queue.mark_average_weight {
        real(place, "queue.mark_average_weight", weight, f64::MIN_POSITIVE, 1.0, "above 0 and at most 1")?;
    }
    ensure(queue.packets.is_some() || queue.bytes.is_some(), place, "queue", "unlimited", "limited in packets or bytes")
}

fn rate(place: &str, name: &'static str, value: u64) -> Result<(), WorldError> {
    within(place, name, value, *RATES.start(), *RATES.end(), "1 kbit/s to 1 Tbit/s, in bit/s")
}

fn probability(place: &str, name: &'static str, value: f64) -> Result<(), WorldError> {
    real(place, name, value, 0.0, 1.0, "a probability")
}

fn within(
    place: &str,
    name: &'static str,
    value: u64,
    least: u64,
    most: u64,
    expected: &'static str,
) -> Result<(), WorldError> {
    ensure((least..=most).contains(&value), place, name, value, expected)
}

fn real(
    place: &str,
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
    place: &str,
    name: &'static str,
    value: impl ToString,
    expected: &'static str,
) -> Result<(), WorldError> {
    if holds {
        return Ok(());
    }
    Err(WorldError::Value { place: place.to_owned(), name, value: value.to_string(), expected })
}

fn fits(what: &'static str, count: u64, limit: u64) -> Result<(), WorldError> {
    if count > limit {
        return Err(WorldError::TooLarge { what, count, limit });
    }
    Ok(())
}
