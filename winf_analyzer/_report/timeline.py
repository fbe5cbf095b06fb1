"""Chart kind ``timeline``: busy share over time, stacked by class of frame or by BSS, with events above it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from winf_analyzer._report.figure import Drawing, axis, base_layout, time_axis
from winf_analyzer._report.labels import CLASSES, class_colour, format_number
from winf_analyzer._report.sanitize import escape_controls, round_significant

if TYPE_CHECKING:
    from winf_analyzer._report.figure import ReportContext
    from winf_analyzer._report.panels import Panel

HEIGHT = 340

PARTS = 8
"""BSSs with an area of their own; the others are one."""

OTHERS = "other BSSs, or none known"


def timeline(panel: Panel, rows: pl.DataFrame, context: ReportContext) -> Drawing:
    """One figure by class, one by BSS; each window has a point at its centre."""
    if rows.is_empty():
        return Drawing()
    source = rows["source"][0]
    windows = _windows(rows, context)
    layout = base_layout(HEIGHT) | {
        "xaxis": time_axis(panel.x, context),
        "yaxis": axis(panel.y),
        "time": True,
        "showlegend": True,
        "events": [{"x": t, "text": escape_controls(text)} for t, text in context.events.get(source, [])],
    }
    by_class = rows.group_by("class", "t_s").agg(pl.col("busy_share").sum())
    classes = [name for name in CLASSES if name in set(by_class["class"])]
    bss = rows.group_by("bssid").agg(pl.col("busy_share").sum()).drop_nulls("bssid")
    largest = bss.sort("busy_share", "bssid", descending=[True, False])["bssid"].head(PARTS).to_list()
    named = rows.with_columns(part=pl.when(pl.col("bssid").is_in(largest)).then("bssid").otherwise(pl.lit("")))
    by_bss = named.group_by("part", "t_s").agg(pl.col("busy_share").sum())
    figures = [
        _stacked([(CLASSES[n], class_colour(n), by_class.filter(**{"class": n})) for n in classes], windows, context),
        _stacked(
            [(context.name(n), context.palette.colour(n), by_bss.filter(part=n)) for n in largest]
            + [(OTHERS, "#828282", by_bss.filter(part=""))],
            windows,
            context,
        ),
    ]
    notes = [f"Each point covers {format_number(context.window_s)} s and is plotted at its centre."]
    if context.recordings > 1:
        notes.append(f"Recording {escape_controls(source)}, which has the most airtime of {context.recordings}.")
    return Drawing(
        figures=[{"data": data, "layout": layout} for data in figures],
        switches=[("Stacked by", ["class of frame", "BSS"])],
        variants={"class of frame": 0, "BSS": 1},
        notes=notes,
    )


def _windows(rows: pl.DataFrame, context: ReportContext) -> list[float]:
    """Starts of all windows from the first to the last, s; there are at most 300 or so of them."""
    first, last = float(rows["t_s"].min()), float(rows["t_s"].max())  # type: ignore[arg-type]
    count = round((last - first) / context.window_s) + 1
    return [round(first + place * context.window_s, 9) for place in range(count)]


def _stacked(
    parts: list[tuple[str, str, pl.DataFrame]], windows: list[float], context: ReportContext
) -> list[dict[str, Any]]:
    origin_s = windows[0] if context.origins_s else 0.0
    xs = [round(start + context.window_s / 2 - origin_s, 6) for start in windows]
    base = [0.0] * len(windows)
    traces = []
    for name, colour, rows in parts:
        shares = dict(zip(rows["t_s"], rows["busy_share"], strict=True))
        ys = [100 * shares.get(start, 0.0) for start in windows]
        if any(ys):
            traces.append(
                {
                    "type": "scatter",
                    "name": escape_controls(name),
                    "x": xs,
                    "y": [round_significant(y) for y in ys],
                    "base": [round_significant(b) for b in base],
                    "line": {"color": colour},
                }
            )
            base = [below + y for below, y in zip(base, ys, strict=True)]
    return traces
