"""Chart kind ``small_multiples``: one plot per quantity, stacked on a common time axis; one line per series."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winf_analyzer._report.figure import Drawing, axis, base_layout, full_result_hint, series_name
from winf_analyzer._report.labels import distinguishing_columns
from winf_analyzer._report.sanitize import escape_controls, round_significant

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._report.figure import ReportContext
    from winf_analyzer._report.panels import Panel, Quantity

PLOT_HEIGHT = 150
GAP = 0.05
"""Between two plots, as a share of the height."""


def small_multiples(panel: Panel, rows: pl.DataFrame, context: ReportContext) -> Drawing:
    """Draw a plot per column that has values; a line is broken at null values."""
    quantities = [quantity for quantity in panel.columns if rows[quantity.column].count()]
    if not quantities:
        return Drawing()
    groups = dict(rows.group_by(panel.series, maintain_order=True))
    shown = list(groups)[: panel.limit]
    name_columns = distinguishing_columns(panel.series, list(groups)) or [0]
    names = {key: series_name(panel.series, key, name_columns, context) for key in shown}
    height = (1 - GAP * (len(quantities) - 1)) / len(quantities)
    layout = base_layout(60 + PLOT_HEIGHT * len(quantities))
    layout |= {"showlegend": len(shown) > 1}
    bottom = _axis("y", len(quantities) - 1)
    times = sorted(rows[panel.x.column].drop_nulls().to_list())
    # Where nothing runs for most of the time, only the rest is drawn.
    mode = "normal" if times and 2 * times[0] > times[-1] > times[0] else "tozero"
    layout["xaxis"] = {"title": {"text": panel.x.title}, "anchor": bottom, "rangemode": mode}
    data = []
    for index, quantity in enumerate(quantities):
        top = 1 - index * (height + GAP)
        # Rounding must not put the lower end of the last plot below 0.
        layout[f"yaxis{index + 1 if index else ''}"] = axis(quantity) | {"domain": [max(top - height, 0.0), top]}
        data += [_line(panel, quantity, index, names[key], groups[key], context) for key in shown]
    notes = []
    if len(groups) > len(shown):
        notes.append(f"{len(shown)} of {len(groups)} lines. {full_result_hint(panel)}")
    return Drawing(figures=[{"data": data, "layout": layout}], notes=notes)


def _line(
    panel: Panel, quantity: Quantity, index: int, name: str, rows: pl.DataFrame, context: ReportContext
) -> dict[str, Any]:
    values = rows[quantity.column].to_list()
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": escape_controls(name),
        "legendgroup": escape_controls(name),
        "showlegend": index == 0,
        "xaxis": "x",
        "yaxis": _axis("y", index),
        "x": [round_significant(x * panel.x.scale) for x in rows[panel.x.column].to_list()],
        "y": [round_significant(None if y is None else y * quantity.scale) for y in values],
        "line": {"color": context.palette.colour(name), "dash": context.palette.dash(name), "width": 1.5},
        # As thin as the line: seen only where a point has no neighbour, which is drawn larger.
        "marker": {"symbol": context.palette.symbol(name), "size": 1.5},
    }


def _axis(letter: str, index: int) -> str:
    return f"{letter}{index + 1 if index else ''}"
