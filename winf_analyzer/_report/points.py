"""Chart kind ``points``: values with their confidence intervals, over a category or over another value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winf_analyzer._report.figure import Drawing, axis, base_layout, legend_height, more
from winf_analyzer._report.labels import varying, worded
from winf_analyzer._report.sanitize import label, rounded

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._report.figure import Setting
    from winf_analyzer._report.panels import Panel, Quantity

HEIGHT = 340


def points(panel: Panel, rows: pl.DataFrame, setting: Setting) -> Drawing:
    """Draw one point per row, coloured by series; x is a category where it is text."""
    known = rows.drop_nulls([panel.x.column, panel.y.column])
    if known.is_empty():
        return Drawing()
    groups = dict(known.group_by(panel.series, maintain_order=True))
    drawn = list(groups)[: panel.limit]
    said = varying(panel.series, list(groups)) or [0]
    data = []
    for key in drawn:
        name = " · ".join(worded(panel.series[place], key[place]) for place in said)
        data.append(_points(panel, name, groups[key], setting))
    numeric = known[panel.x.column].dtype.is_numeric()
    across = axis(panel.x) if numeric else {"type": "category", "title": {"text": panel.x.title}, "automargin": True}
    layout = base_layout(HEIGHT + legend_height(len(data)))
    layout |= {"xaxis": across, "yaxis": axis(panel.y), "showlegend": len(data) > 1}
    if not numeric:
        layout["scattermode"] = "group"
    notes = []
    if len(groups) > len(drawn):
        notes.append(f"{len(drawn)} of {len(groups)} series. {more(panel)}")
    return Drawing(figures=[{"data": data, "layout": layout}], notes=notes)


def _points(panel: Panel, name: str, rows: pl.DataFrame, setting: Setting) -> dict[str, Any]:
    numeric = rows[panel.x.column].dtype.is_numeric()
    across = rows[panel.x.column].to_list()
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers",
        "name": label(name),
        "x": [rounded(x * panel.x.scale) if numeric else label(worded(panel.x.column, x)) for x in across],
        "y": [rounded(y * panel.y.scale) for y in rows[panel.y.column].to_list()],
        "marker": {"color": setting.palette.colour(name), "symbol": setting.palette.symbol(name), "size": 8},
        "hovertemplate": "%{x}: %{y:.5g}<extra>%{fullData.name}</extra>",
    }
    for letter, quantity in (("x", panel.x), ("y", panel.y)):
        if quantity.error and rows[quantity.error].count():
            trace[f"error_{letter}"] = _error(quantity, rows)
    return trace


def _error(quantity: Quantity, rows: pl.DataFrame) -> dict[str, Any]:
    widths = rows[quantity.error].to_list()
    array = [rounded((width or 0.0) * quantity.scale) for width in widths]
    return {"type": "data", "array": array, "thickness": 1.2, "width": 4}
