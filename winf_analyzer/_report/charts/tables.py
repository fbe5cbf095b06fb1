"""Chart kind ``table``: the rows of a panel as sortable cells, with optional bars."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from winf_analyzer._report.figure import Cell, Drawing, TableFigure, full_result_hint
from winf_analyzer._report.labels import STATIONS, display_text, format_number

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._report.figure import ReportContext
    from winf_analyzer._report.panels import Panel, Quantity

UNKNOWN = "–"

DIGITS = 3
"""Significant digits of a cell, as in sentences; counts have all of theirs."""

FREQUENCIES = frozenset({"channel_mhz", "bss_primary_mhz", "bss_centre_mhz"})
"""Columns of centre frequencies, which are written without a separator of thousands."""


def table(panel: Panel, rows: pl.DataFrame, context: ReportContext) -> Drawing:
    """The first rows; numbers are scaled to their display unit."""
    if rows.is_empty():
        return Drawing()
    shown = rows.head(panel.limit)
    quantities = tuple(
        q
        for q in panel.columns
        if (not q.optional or shown[q.column].count())
        and not (q.column == "source" and context.sources < 2 and shown["source"].n_unique() < 2)
    )
    columns = [_detailed(quantity, shown, _cells(quantity, shown, context)) for quantity in quantities]
    numeric = tuple(shown[quantity.column].dtype.is_numeric() for quantity in quantities)
    notes = []
    if rows.height > shown.height:
        notes.append(f"The first {shown.height} of {rows.height} rows. {full_result_hint(panel)}")
    return Drawing(
        table=TableFigure(quantities, numeric, [list(row) for row in zip(*columns, strict=True)]), notes=notes
    )


def _detailed(quantity: Quantity, rows: pl.DataFrame, cells: list[Cell]) -> list[Cell]:
    if not quantity.detail:
        return cells
    details = (display_text(quantity.detail, value, unknown="") for value in rows[quantity.detail])
    return [replace(cell, detail=detail) for cell, detail in zip(cells, details, strict=True)]


def _cells(quantity: Quantity, rows: pl.DataFrame, context: ReportContext) -> list[Cell]:
    values, bar_relative_to = rows[quantity.column], rows[quantity.bar_relative_to or quantity.column]
    if quantity.to:
        ends = zip(values, rows[quantity.to], strict=True)
        if quantity.column in STATIONS:
            return [Cell(f"{context.name(one)} → {context.name(other)}", sort=one) for one, other in ends]
        return [_interval(low, high, quantity.scale) for low, high in ends]
    if str(values.dtype) == "Boolean":
        return [Cell(UNKNOWN if value is None else ("no", "yes")[value], sort=value) for value in values]
    if quantity.column in STATIONS - {"station"}:  # the table of stations has names in columns of their own
        return [
            Cell(context.name(value) if value else display_text(quantity.column, None), sort=value) for value in values
        ]
    if quantity.column in FREQUENCIES:
        return [Cell(UNKNOWN if value is None else str(value), sort=value) for value in values]
    if not values.dtype.is_numeric():
        return [Cell(display_text(quantity.column, value, unknown=UNKNOWN), sort=value) for value in values]
    scaled = [None if value is None else value * quantity.scale for value in values]
    full = quantity.full or max((value * quantity.scale for value in bar_relative_to.drop_nulls()), default=0.0)

    def share(value: Any) -> float | None:
        return min(value / full, 1.0) if quantity.bar and value is not None and full > 0 else None

    return [
        Cell(UNKNOWN if value is None else format_number(value, DIGITS), sort=value, share=share(value))
        for value in scaled
    ]


def _interval(low: float | None, high: float | None, scale: float) -> Cell:
    if low is None or high is None:
        return Cell(UNKNOWN)
    return Cell(f"{format_number(low * scale, DIGITS)} to {format_number(high * scale, DIGITS)}", sort=low)
