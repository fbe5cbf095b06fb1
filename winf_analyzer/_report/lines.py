"""Chart kind ``lines``: one line per series over windows of time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from winf_analyzer._report.figure import Drawing, axis, base_layout, more, time_axis
from winf_analyzer._report.gaps import filled
from winf_analyzer._report.labels import number, varying, worded
from winf_analyzer._report.sanitize import label, rounded

if TYPE_CHECKING:
    from winf_analyzer._report.figure import Setting
    from winf_analyzer._report.panels import Panel

HEIGHT = 320


def lines(panel: Panel, rows: pl.DataFrame, setting: Setting) -> Drawing:
    """Draw the series with most of y; each point stands in the middle of its window."""
    known = rows.drop_nulls(panel.y.column)
    if known.is_empty():
        return Drawing()
    groups = dict(known.group_by(panel.series, maintain_order=True))
    ranked = sorted(groups, key=lambda key: -(groups[key][panel.y.column].sum()))
    drawn = ranked[: panel.limit]
    said = varying(panel.series, list(groups))
    within = [panel.series.index(name) for name in panel.zero_within]
    data = []
    for key in drawn:
        name = " · ".join(worded(panel.series[place], key[place]) for place in said)
        alone = sum(all(other[place] == key[place] for place in within) for other in groups) == 1
        origin_s = setting.origins_s.get(dict(zip(panel.series, key, strict=True)).get("source", ""), 0.0)
        moved = groups[key].with_columns(pl.col(panel.x.column) - origin_s)
        data.append(_line(panel, setting, name, moved, missing=0.0 if within and alone else None))
    layout = base_layout(HEIGHT) | {
        "xaxis": time_axis(panel.x, setting),
        "yaxis": axis(panel.y),
        "showlegend": len(data) > 1,
    }
    notes = [f"Each point covers {number(setting.window_s)} s and stands in its middle."]
    if len(ranked) > len(drawn):
        notes.append(f"The {len(drawn)} busiest of {len(ranked)} lines. {more(panel)}")
    return Drawing(figures=[{"data": data, "layout": layout}], notes=notes)


def _line(panel: Panel, setting: Setting, name: str, rows: pl.DataFrame, *, missing: float | None) -> dict[str, Any]:
    points = filled(rows.select(panel.x.column, panel.y.column).iter_rows(), setting.window_s, (missing,))
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": label(name),
        "x": [round((x + setting.window_s / 2) * panel.x.scale, 6) for x, _ in points],
        "y": [rounded(None if y is None else y * panel.y.scale) for _, y in points],
        "line": {"color": setting.palette.colour(name), "dash": setting.palette.dash(name), "width": 1.5},
        "marker": {"size": 3},
        "hovertemplate": "%{y:.4g} at %{x:.4g} s<extra>%{fullData.name}</extra>",
    }
