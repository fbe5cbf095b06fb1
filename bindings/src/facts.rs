//! A recording's summary as JSON: what `winf info` prints and `dataset.json` keeps.

use serde_json::{json, Map, Value};
use winf_parsers::base::Warning;
use winf_parsers::clock::GroupConvention;
use winf_parsers::frame::Addr;
use winf_parsers::merge::Alignment;
use winf_parsers::pipeline::{AuditRow, Network, Overheard, RadioSummary, Summary};

use crate::merge::{Member, Outcome, Sniffer};

/// The summary as one JSON object; keys are stable.
pub fn to_json(summary: &Summary) -> Value {
    let container: Map<String, Value> =
        summary.facts.iter().map(|(key, value)| ((*key).to_owned(), json!(value))).collect();
    let counts = serde_json::to_value(&summary.counts).unwrap_or_default();
    let by_radio = summary.warnings_by_radio();
    let warnings = by_radio.iter().zip(0..).flat_map(|(rows, number)| rows.iter().map(move |row| (row, number)));
    let facts = json!({
        "container": container,
        "counts": counts,
        "warnings": warnings.map(|(row, number)| warning(row, number)).collect::<Vec<_>>(),
        "damaged": by_radio.iter().flatten().any(|warning| warning.code.is_damage()),
    });
    let input = summary
        .input
        .as_ref()
        .map_or_else(Value::default, |input| json!({ "bytes": input.bytes, "sha256": input.sha256 }));
    let first = radio(summary.radios.first().unwrap_or(&RadioSummary::default()));
    let others = summary.radios.iter().zip(0..).skip(1).map(|(other, number)| {
        let numbered = json!({ "radio": number, "frames": other.frames });
        joined([numbered, radio(other)])
    });
    match summary.radios.len() {
        0 | 1 => joined([input, facts, first]),
        _ => joined([input, facts, first, json!({ "other_radios": others.collect::<Vec<_>>() })]),
    }
}

/// Networks and stations that are listed, those with most frames; all are counted.
const MAX_LISTED: usize = 1000;

/// The summary of a survey with the networks and stations of the recording.
pub fn surveyed_to_json(summary: &Summary, overheard: &Overheard) -> Value {
    let (networks, stations) = (overheard.networks(), overheard.stations());
    let station = |&(address, frames): &(Addr, u64)| json!({ "address": address.to_string(), "frames": frames });
    let heard = json!({
        "networks": networks.iter().take(MAX_LISTED).map(network).collect::<Vec<_>>(),
        "number_of_networks": networks.len(),
        "stations": stations.iter().take(MAX_LISTED).map(station).collect::<Vec<_>>(),
        "number_of_stations": stations.len(),
    });
    joined([to_json(summary), heard])
}

fn network(&(bssid, network): &(Addr, &Network)) -> Value {
    let spread = |[minimum, median, maximum]: [f64; 3]| json!({ "min": minimum, "median": median, "max": maximum });
    let stations = network.associated.summary().map(|values| spread(values.map(f64::from)));
    let channel = network.channel();
    let span = channel.and_then(|channel| channel.span);
    let utilization = network.utilization.summary().map(|values| spread(values.map(|value| f64::from(value) / 255.0)));
    json!({
        "bssid": bssid.to_string(),
        "ssid": network.ssid.map(|ssid| ssid.text()),
        "channel_mhz": network.channel_mhz(),
        "bss_primary_mhz": channel.map(|channel| channel.primary_mhz),
        "bss_width_mhz": span.map(|span| span.width_mhz),
        "bss_centre_mhz": span.map(|span| span.centre_mhz),
        "bss_second_centre_mhz": span.and_then(|span| span.second_centre_mhz),
        "frames": network.frames,
        "beacons": network.beacons,
        "country": network.country.map(|code| String::from_utf8_lossy(&code).into_owned()),
        "bss_load": stations.zip(utilization).map(|(s, u)| json!({ "stations": s, "utilization": u })),
    })
}

/// The observer of a radio, and the conventions of its clock.
fn radio(radio: &RadioSummary) -> Value {
    let scale = &radio.time_scale;
    let drift = scale.drift;
    json!({
        "observer": radio.observer.map(|address| address.to_string()),
        "clock": radio.clock.iter().map(convention).collect::<Vec<_>>(),
        "audit": radio.audit.iter().map(audited).collect::<Vec<_>>(),
        "clock_drift_ppm": drift.map(|drift| drift.ppm),
        "clock_drift_error_ppm": drift.map(|drift| drift.error_ppm),
        "clock_spread_us": drift.map(|drift| drift.spread_us),
        "clock_span_s": drift.map(|drift| drift.span_s),
        "timed_by_mac": scale.by_radio,
        "timed_by_host": scale.by_host,
        "clock_wraps": scale.wraps,
        "clock_jumps": scale.jumps,
        "host_clock_jumps": scale.host_jumps,
    })
}

/// The members of several objects as one.
fn joined<const N: usize>(objects: [Value; N]) -> Value {
    let members = objects.into_iter().filter_map(|object| match object {
        Value::Object(members) => Some(members),
        _ => None,
    });
    Value::Object(members.flatten().collect())
}

/// A merge as one JSON object: each recording's summary with the alignments of its radios, and the merged stream's.
pub fn merge_to_json(outcome: &Outcome) -> Value {
    json!({
        "members": outcome.members.iter().map(member).collect::<Vec<_>>(),
        "merged": to_json(&outcome.merged),
    })
}

fn member(member: &Member) -> Value {
    let aligned = |sniffer: &Sniffer| sniffer.alignment.as_ref().map(|found| alignment(found, sniffer.span_ns));
    match &member.summary {
        Ok(summary) => json!({
            "facts": to_json(summary),
            "alignments": member.radios.iter().map(aligned).collect::<Vec<_>>(),
        }),
        Err(error) => json!({ "error": error.to_string() }),
    }
}

/// `offset_us` is what the source's clock is ahead of the common one at its first frame.
fn alignment(alignment: &Alignment, span_ns: Option<(i64, i64)>) -> Value {
    let (first_ns, last_ns) = span_ns.unwrap_or_default();
    json!({
        "shared_frames": alignment.shared,
        "agreeing_frames": alignment.inliers,
        "spread_us": alignment.spread_us,
        "offset_us": alignment.map.offset_ns(first_ns).saturating_neg() as f64 / 1e3,
        "drift_ppm": alignment.drift_ppm,
        "drift_error_ppm": alignment.drift_error_ppm,
        "pieces": alignment.map.pieces().len(),
        "first_ns": alignment.map.apply(first_ns),
        "last_ns": alignment.map.apply(last_ns),
    })
}

fn convention(group: &GroupConvention) -> Value {
    json!({
        "direction": group.direction.map(|direction| direction.name()),
        "phy": group.phy.map(|phy| phy.name()),
        "convention": group.convention.name(),
        "shift_us": group.shift_us,
        "late_answers_us": group.late_answers_us,
        "pairs": group.pairs,
        "explained_share": group.explained_share,
        "ambiguous": group.ambiguous,
        "contradicted": group.contradicted,
    })
}

fn audited(row: &AuditRow) -> Value {
    json!({
        "check": row.check.name(),
        "value": row.value,
        "expected": row.expected,
        "pairs": row.pairs,
        "verdict": row.verdict.name(),
        "consequence": row.consequence,
    })
}

fn warning(warning: &Warning, radio: u8) -> Value {
    json!({
        "radio": radio,
        "frame_no": warning.frame_no,
        "offset": warning.offset,
        "code": warning.code.name(),
        "damage": warning.code.is_damage(),
        "message": warning.message,
    })
}
