"""Chart kind ``switched_bars``: who used the medium, by a grouping and a measure that the reader chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from winf_analyzer._report.figure import Drawing, base_layout
from winf_analyzer._report.labels import CLASSES, class_colour, display_text
from winf_analyzer._report.sanitize import escape_controls, round_significant

if TYPE_CHECKING:
    from winf_analyzer._report.figure import ReportContext
    from winf_analyzer._report.panels import Panel

GROUPS = {"network name": "ssid", "radio": "radio", "BSS": "bssid", "station": "station", "class of frame": "class"}
"""What a bar is, and its column; radios only where one has several BSSIDs."""

MEASURES = {
    "time": ("airtime_ms", 1e-3, "Airtime (s)"),
    "packets": ("packets", 1.0, "Packets"),
    "octets": ("bytes", 1e-6, "Octets (MB)"),
}
"""How long a bar is: column, scale, title."""

BARS = 16
"""Bars of a figure; the others are summed into one more."""


def switched_bars(panel: Panel, rows: pl.DataFrame, context: ReportContext) -> Drawing:
    """One figure for each grouping and measure, stacked by class."""
    del panel
    if rows.is_empty():
        return Drawing()
    # A name that is announced as zeros is hidden, as an empty one is.
    name, radio = pl.col("ssid").cast(pl.String), pl.col("bssid")
    rows = rows.with_columns(
        ssid=name.str.strip_chars("\0").replace("", None), radio=radio.replace(context.name.radio_of)
    )
    useful = {"ssid": rows["ssid"].count(), "bssid": rows["bssid"].count(), "radio": len(context.name.radios)}
    groups = {name: column for name, column in GROUPS.items() if useful.get(column, 1)}
    figures: list[dict[str, Any]] = []
    variants: dict[str, int] = {}
    for group, column in groups.items():
        for measure, (value, scale, title) in MEASURES.items():
            known = rows.drop_nulls(value)
            if known.is_empty() or not known[value].sum():
                continue
            variants[f"{group}|{measure}"] = len(figures)
            figures.append(_figure(known, column, (value, scale, title), context))
    measures = [name for name in MEASURES if f"class of frame|{name}" in variants]
    return Drawing(figures=figures, switches=[("By", list(groups)), ("Measure", measures)], variants=variants)


def _figure(rows: pl.DataFrame, column: str, measure: tuple[str, float, str], context: ReportContext) -> dict[str, Any]:
    value, scale, title = measure
    sums = rows.group_by(pl.col(column).alias("bar"), "class", maintain_order=True).agg(pl.col(value).sum())
    totals = sums.group_by("bar").agg(pl.col(value).sum()).sort(value, "bar", descending=[True, False])
    keys = totals["bar"].to_list()
    labels = {key: _label(column, key, context) for key in keys[:BARS]}
    others = f"others ({len(keys) - BARS})"
    lengths: dict[str, dict[str, float]] = {name: {} for name in CLASSES}
    for key, kind, total in sums.select("bar", "class", value).iter_rows():
        parts = lengths.setdefault(kind, {})
        label = labels.get(key, others)
        parts[label] = parts.get(label, 0.0) + total * scale
    names = [*labels.values(), *([others] if len(keys) > BARS else [])]
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": CLASSES.get(kind, escape_controls(kind)),
            "y": [name for name in names if name in parts],
            "x": [round_significant(parts[name]) for name in names if name in parts],
            "marker": {"color": class_colour(kind)},
        }
        for kind, parts in lengths.items()
        if parts
    ]
    return {"data": data, "layout": base_layout(0) | {"xaxis": {"title": {"text": title}}, "order": names}}


def _label(column: str, key: str | None, context: ReportContext) -> str:
    if column == "class":
        return CLASSES.get(key or "", str(key))
    if column == "ssid":
        return "no name known" if key is None else escape_controls(display_text(column, key))
    if key is None:
        return "no BSS known" if column in ("bssid", "radio") else "unknown station"
    return escape_controls(context.name.of_radio(key) if column == "radio" else context.name(key))
