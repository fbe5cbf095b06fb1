"""Chart kind ``timeline``: busy share over time, stacked by class of frame or by BSS, with events above it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from winf_analyzer._report.figure import Drawing, axis, base_layout, shown_view_note, time_axis, window_note
from winf_analyzer._report.labels import CLASSES, class_colour
from winf_analyzer._report.sanitize import escape_controls, round_significant

if TYPE_CHECKING:
    from collections.abc import Callable

    from winf_analyzer._report.figure import ReportContext
    from winf_analyzer._report.panels import Panel

HEIGHT = 340

Part = tuple[str, str, pl.DataFrame]
"""Name, colour and busy shares of an area."""

PARTS = 8
"""BSSs with an area of their own; the others are one."""

OTHERS = "other BSSs, or none known"


def timeline(panel: Panel, rows: pl.DataFrame, context: ReportContext) -> Drawing:
    """One figure by class, one by BSS, and one by radio if any has several; windows have a point at their centre."""
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
    by_class = _added(rows, "class", "t_s")
    classes = [name for name in CLASSES if name in set(by_class["class"])]
    stacks = {"class of frame": [(CLASSES[n], class_colour(n), by_class.filter(**{"class": n})) for n in classes]}
    if context.name.radios:
        of_radio = rows.with_columns(bssid=pl.col("bssid").replace(context.name.radio_of))
        stacks["radio"] = _largest(of_radio, context, context.name.of_radio)
    stacks["BSS"] = _largest(rows, context, context.name)
    notes = [window_note(context.window_s, context), *shown_view_note(source, rows["observer"][0], context)]
    return Drawing(
        figures=[{"data": _stacked(parts, windows, context), "layout": layout} for parts in stacks.values()],
        switches=[("Stacked by", list(stacks))],
        variants={name: place for place, name in enumerate(stacks)},
        notes=notes,
    )


def _largest(rows: pl.DataFrame, context: ReportContext, name: Callable[[str], str]) -> list[Part]:
    """The BSSs with most busy time, and the others as one."""
    bss = _added(rows, "bssid").drop_nulls("bssid")
    largest = bss.sort("busy_share", "bssid", descending=[True, False])["bssid"].head(PARTS).to_list()
    named = rows.with_columns(part=pl.when(pl.col("bssid").is_in(largest)).then("bssid").otherwise(pl.lit("")))
    shares = _added(named, "part", "t_s")
    parts: list[Part] = [(name(bssid), context.palette.colour(bssid), shares.filter(part=bssid)) for bssid in largest]
    return [*parts, (OTHERS, "#828282", shares.filter(part=""))]


def _added(rows: pl.DataFrame, *by: str) -> pl.DataFrame:
    """The busy time of each group, added up in the order of the rows, on which the last digit depends."""
    return rows.group_by(*by, maintain_order=True).agg(pl.col("busy_share").sum())


def _windows(rows: pl.DataFrame, context: ReportContext) -> list[float]:
    """Starts of all windows from the first to the last, s; there are at most 300 or so of them."""
    first, last = float(rows["t_s"].min()), float(rows["t_s"].max())  # type: ignore[arg-type]
    count = round((last - first) / context.window_s) + 1
    return [round(first + place * context.window_s, 9) for place in range(count)]


def _stacked(parts: list[Part], windows: list[float], context: ReportContext) -> list[dict[str, Any]]:
    origin_s = windows[0] if context.origins_s else 0.0
    xs = [round(context.centre(start - origin_s, context.window_s), 6) for start in windows]
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
