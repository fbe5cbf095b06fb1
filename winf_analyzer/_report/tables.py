"""Chart kind ``table``: the rows of a panel as sortable cells, with optional bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winf_analyzer._report.figure import Cell, Drawing, Table, full_result_hint
from winf_analyzer._report.labels import STATIONS, display_text, format_number

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._report.figure import ReportContext
    from winf_analyzer._report.panels import Panel, Quantity

UNKNOWN = "–"


def table(panel: Panel, rows: pl.DataFrame, context: ReportContext) -> Drawing:
    """The first rows; numbers are scaled to their display unit."""
    if rows.is_empty():
        return Drawing()
    shown = rows.head(panel.limit)
    columns = [
        _cells(quantity, shown[quantity.column], shown[quantity.bar_relative_to or quantity.column], context)
        for quantity in panel.columns
    ]
    numeric = tuple(shown[quantity.column].dtype.is_numeric() for quantity in panel.columns)
    notes = []
    if rows.height > shown.height:
        notes.append(f"The first {shown.height} of {rows.height} rows. {full_result_hint(panel)}")
    return Drawing(table=Table(panel.columns, numeric, [list(row) for row in zip(*columns, strict=True)]), notes=notes)


def _cells(quantity: Quantity, values: pl.Series, bar_relative_to: pl.Series, context: ReportContext) -> list[Cell]:
    if quantity.column in STATIONS - {"station"}:  # the table of stations has names in columns of their own
        return [
            Cell(context.name(value) if value else display_text(quantity.column, None), sort=value) for value in values
        ]
    if not values.dtype.is_numeric():
        return [Cell(display_text(quantity.column, value, unknown=UNKNOWN), sort=value) for value in values]
    scaled = [None if value is None else value * quantity.scale for value in values]
    full = quantity.full or max((value * quantity.scale for value in bar_relative_to.drop_nulls()), default=0.0)

    def share(value: Any) -> float | None:
        return min(value / full, 1.0) if quantity.bar and value is not None and full > 0 else None

    return [
        Cell(UNKNOWN if value is None else format_number(value), sort=value, share=share(value)) for value in scaled
    ]
