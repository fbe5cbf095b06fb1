"""Chart kind ``lines``: one line per series over time windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from winf_analyzer._report.charts.gaps import fill_gaps
from winf_analyzer._report.figure import (
    Drawing,
    axis,
    base_layout,
    full_result_hint,
    series_name,
    time_axis,
    window_note,
)
from winf_analyzer._report.labels import distinguishing_columns
from winf_analyzer._report.sanitize import escape_controls, round_significant

if TYPE_CHECKING:
    from winf_analyzer._report.figure import ReportContext
    from winf_analyzer._report.panels import Panel

HEIGHT = 320


def lines(panel: Panel, rows: pl.DataFrame, context: ReportContext) -> Drawing:
    """Draw the series with the largest sums of y; points are plotted at the window centres."""
    rows_with_values = rows.drop_nulls(panel.y.column)
    if rows_with_values.is_empty():
        return Drawing()
    groups = dict(rows_with_values.group_by(panel.series, maintain_order=True))
    ranked = sorted(groups, key=lambda key: -(groups[key][panel.y.column].sum()))
    shown = ranked[: panel.limit]
    name_columns = distinguishing_columns(panel.series, list(groups)) or [0]
    within_columns = [panel.series.index(name) for name in panel.zero_within]
    step_s = float(rows["window_s"][0]) if "window_s" in rows.columns else context.window_s
    data = []
    for key in shown:
        name = series_name(panel.series, key, name_columns, context)
        is_single = sum(all(other[index] == key[index] for index in within_columns) for other in groups) == 1
        origin_s = context.origins_s.get(dict(zip(panel.series, key, strict=True)).get("source", ""), 0.0)
        shifted = groups[key].with_columns(pl.col(panel.x.column) - origin_s)
        data.append(_line(panel, context, name, shifted, step_s, missing=0.0 if within_columns and is_single else None))
    layout = base_layout(HEIGHT) | {
        "xaxis": time_axis(panel.x, context),
        "yaxis": axis(panel.y),
        "showlegend": len(data) > 1 or bool(panel.y.low),
        "time": True,
    }
    notes = [window_note(step_s, context)]
    sources = {key[panel.series.index("source")] for key in shown} if "source" in panel.series else set()
    if context.origins_s and len(sources) == 1:
        notes.append(f"Recording {escape_controls(sources.pop())}.")
    if len(ranked) > len(shown):
        notes.append(f"The {len(shown)} busiest of {len(ranked)} lines. {full_result_hint(panel)}")
    return Drawing(figures=[{"data": data, "layout": layout}], notes=notes)


def _line(
    panel: Panel, context: ReportContext, name: str, rows: pl.DataFrame, step_s: float, *, missing: float | None
) -> dict[str, Any]:
    columns = [column for column in (panel.y.column, panel.y.low, panel.y.high) if column]
    gaps = (missing,) * len(columns)
    points = fill_gaps(rows.select(panel.x.column, *columns).iter_rows(), step_s, gaps)
    xs, *values = zip(*points, strict=True)
    y, *band = ([round_significant(None if v is None else v * panel.y.scale) for v in column] for column in values)
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": escape_controls(name),
        "x": [round(context.centre(x, step_s) * panel.x.scale, 6) for x in xs],
        "y": y,
        **(dict(zip(("low", "high"), band, strict=True)) if band else {}),
        "line": {"color": context.palette.colour(name), "dash": context.palette.dash(name), "width": 1.5},
        "marker": {"symbol": context.palette.symbol(name), "size": 3},
    }
