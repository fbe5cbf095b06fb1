//! A recording's summary as JSON: what `winf info` prints and `dataset.json` keeps.

use serde_json::{json, Map, Value};
use winf_parsers::clock::GroupConvention;
use winf_parsers::summary::Summary;
use winf_parsers::warning::Warning;

/// The summary as one JSON object; keys are stable.
pub fn to_json(summary: &Summary) -> Value {
    let container: Map<String, Value> =
        summary.facts.iter().map(|(key, value)| ((*key).to_owned(), json!(value))).collect();
    let counts = serde_json::to_value(&summary.counts).unwrap_or_default();
    let scale = &summary.time_scale;
    let drift = scale.drift;
    json!({
        "observer": summary.observer.map(|address| address.to_string()),
        "container": container,
        "counts": counts,
        "clock": summary.clock.iter().map(convention).collect::<Vec<_>>(),
        "clock_drift_ppm": drift.map(|drift| drift.ppm),
        "clock_drift_error_ppm": drift.map(|drift| drift.error_ppm),
        "clock_spread_us": drift.map(|drift| drift.spread_us),
        "clock_span_s": drift.map(|drift| drift.span_s),
        "timed_by_mac": scale.by_radio,
        "timed_by_host": scale.by_host,
        "clock_wraps": scale.wraps,
        "clock_jumps": scale.jumps,
        "host_clock_jumps": scale.host_jumps,
        "warnings": summary.warnings.iter().map(warning).collect::<Vec<_>>(),
        "damaged": summary.warnings.iter().any(|warning| warning.code.is_damage()),
    })
}

fn convention(group: &GroupConvention) -> Value {
    json!({
        "direction": group.direction.map(|direction| direction.name()),
        "phy": group.phy.map(|phy| phy.name()),
        "convention": group.convention.name(),
        "pairs": group.pairs,
        "explained_share": group.explained_share,
        "ambiguous": group.ambiguous,
    })
}

fn warning(warning: &Warning) -> Value {
    json!({
        "frame_no": warning.frame_no,
        "offset": warning.offset,
        "code": warning.code.name(),
        "damage": warning.code.is_damage(),
        "message": warning.message,
    })
}
