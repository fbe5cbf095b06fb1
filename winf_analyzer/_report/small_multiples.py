"""Chart kind ``strips``: several quantities over time, one below the other with one time axis; one line per series."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winf_analyzer._report.figure import Drawing, axis, base_layout, legend_height, more
from winf_analyzer._report.labels import varying, worded
from winf_analyzer._report.sanitize import label, rounded

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._report.figure import Setting
    from winf_analyzer._report.panels import Panel, Quantity

STRIP_HEIGHT = 150
GAP = 0.05
"""Between two strips, as a share of the height."""


def strips(panel: Panel, rows: pl.DataFrame, setting: Setting) -> Drawing:
    """Draw a strip per column that has values; a line breaks where a value is unknown."""
    shown = [quantity for quantity in panel.columns if rows[quantity.column].count()]
    if not shown:
        return Drawing()
    groups = dict(rows.group_by(panel.series, maintain_order=True))
    drawn = list(groups)[: panel.limit]
    said = varying(panel.series, list(groups)) or [0]
    names = {key: " · ".join(worded(panel.series[place], key[place]) for place in said) for key in drawn}
    height = (1 - GAP * (len(shown) - 1)) / len(shown)
    layout = base_layout(60 + STRIP_HEIGHT * len(shown) + legend_height(len(drawn))) | {"showlegend": len(drawn) > 1}
    layout["xaxis"] = {"title": {"text": panel.x.title}, "anchor": _axis("y", len(shown) - 1), "rangemode": "tozero"}
    data = []
    for place, quantity in enumerate(shown):
        top = 1 - place * (height + GAP)
        # The last strip reaches down to 0 whatever the sum of shares was rounded to.
        layout[f"yaxis{place + 1 if place else ''}"] = axis(quantity) | {"domain": [max(top - height, 0.0), top]}
        data += [_line(panel, quantity, place, names[key], groups[key], setting) for key in drawn]
    notes = []
    if len(groups) > len(drawn):
        notes.append(f"{len(drawn)} of {len(groups)} lines. {more(panel)}")
    return Drawing(figures=[{"data": data, "layout": layout}], notes=notes)


def _line(
    panel: Panel, quantity: Quantity, place: int, name: str, rows: pl.DataFrame, setting: Setting
) -> dict[str, Any]:
    values = rows[quantity.column].to_list()
    return {
        "type": "scatter",
        "mode": "lines",
        "name": label(name),
        "legendgroup": label(name),
        "showlegend": place == 0,
        "xaxis": "x",
        "yaxis": _axis("y", place),
        "x": [rounded(x * panel.x.scale) for x in rows[panel.x.column].to_list()],
        "y": [rounded(None if y is None else y * quantity.scale) for y in values],
        "line": {"color": setting.palette.colour(name), "dash": setting.palette.dash(name), "width": 1.5},
        "hovertemplate": "%{y:.4g} at %{x:.4g} s<extra>%{fullData.name}</extra>",
    }


def _axis(letter: str, place: int) -> str:
    return f"{letter}{place + 1 if place else ''}"
