"""Chart kind ``points``: values with confidence intervals, over a category or another value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winf_analyzer._report.figure import Drawing, axis, base_layout, full_result_hint, series_name
from winf_analyzer._report.labels import display_text, distinguishing_columns
from winf_analyzer._report.sanitize import escape_controls, round_significant

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._report.figure import ReportContext
    from winf_analyzer._report.panels import Panel, Quantity

HEIGHT = 340


def points(panel: Panel, rows: pl.DataFrame, context: ReportContext) -> Drawing:
    """Draw one point per row, coloured by series; x is a category if it is text."""
    rows_with_values = rows.drop_nulls([panel.x.column, panel.y.column])
    if rows_with_values.is_empty():
        return Drawing()
    groups = dict(rows_with_values.group_by(panel.series, maintain_order=True))
    shown = list(groups)[: panel.limit]
    name_columns = distinguishing_columns(panel.series, list(groups)) or [0]
    data = []
    for key in shown:
        name = series_name(panel.series, key, name_columns, context)
        data.append(_points(panel, name, groups[key], context))
    numeric = rows_with_values[panel.x.column].dtype.is_numeric()
    x_axis = axis(panel.x) if numeric else {"type": "category", "title": {"text": panel.x.title}, "automargin": True}
    layout = base_layout(HEIGHT)
    layout |= {"xaxis": x_axis, "yaxis": axis(panel.y), "showlegend": len(data) > 1}
    if not numeric:
        layout["scattermode"] = "group"
    notes = []
    if len(groups) > len(shown):
        notes.append(f"{len(shown)} of {len(groups)} series. {full_result_hint(panel)}")
    return Drawing(figures=[{"data": data, "layout": layout}], notes=notes)


def _points(panel: Panel, name: str, rows: pl.DataFrame, context: ReportContext) -> dict[str, Any]:
    numeric = rows[panel.x.column].dtype.is_numeric()
    x_axis = rows[panel.x.column].to_list()
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers",
        "name": escape_controls(name),
        "x": [
            round_significant(x * panel.x.scale) if numeric else escape_controls(display_text(panel.x.column, x))
            for x in x_axis
        ],
        "y": [round_significant(y * panel.y.scale) for y in rows[panel.y.column].to_list()],
        "marker": {"color": context.palette.colour(name), "symbol": context.palette.symbol(name), "size": 8},
    }
    for letter, quantity in (("x", panel.x), ("y", panel.y)):
        if quantity.error and rows[quantity.error].count():
            trace[f"error_{letter}"] = _error(quantity, rows)
        elif quantity.low and rows[quantity.low].count():
            trace[f"error_{letter}"] = _interval(quantity, rows)
    return trace


def _interval(quantity: Quantity, rows: pl.DataFrame) -> dict[str, Any]:
    """From the value up and down to the ends of its interval."""

    def widths(upper: str, lower: str) -> list[float | None]:
        pairs = zip(rows[upper].to_list(), rows[lower].to_list(), strict=True)
        return [round_significant(0.0 if a is None or b is None else max(a - b, 0) * quantity.scale) for a, b in pairs]

    return {
        "type": "data",
        "array": widths(quantity.high, quantity.column),
        "arrayminus": widths(quantity.column, quantity.low),
    }


def _error(quantity: Quantity, rows: pl.DataFrame) -> dict[str, Any]:
    widths = rows[quantity.error].to_list()
    array = [round_significant((width or 0.0) * quantity.scale) for width in widths]
    return {"type": "data", "array": array, "thickness": 1.2, "width": 4}
