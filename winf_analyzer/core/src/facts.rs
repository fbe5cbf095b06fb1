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
    json!({
        "observer": summary.observer.map(|address| address.to_string()),
        "container": container,
        "counts": counts,
        "clock": summary.clock.iter().map(convention).collect::<Vec<_>>(),
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
