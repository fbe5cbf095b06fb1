"""Tables: a panel's rows as cells that sort and compare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winf_analyzer._report.figure import Cell, Drawing, Table, more
from winf_analyzer._report.labels import number, worded

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._report.figure import Setting
    from winf_analyzer._report.panels import Panel, Quantity

UNKNOWN = "–"


def table(panel: Panel, rows: pl.DataFrame, setting: Setting) -> Drawing:
    """Show the first rows; columns of numbers are scaled to their shown unit."""
    if rows.is_empty():
        return Drawing()
    shown = rows.head(panel.limit)
    columns = [
        _cells(quantity, shown[quantity.column], shown[quantity.against or quantity.column])
        for quantity in panel.columns
    ]
    numeric = tuple(shown[quantity.column].dtype.is_numeric() for quantity in panel.columns)
    notes = []
    if rows.height > shown.height:
        notes.append(f"The first {shown.height} of {rows.height} rows. {more(panel)}")
    return Drawing(table=Table(panel.columns, numeric, [list(row) for row in zip(*columns, strict=True)]), notes=notes)


def _cells(quantity: Quantity, values: pl.Series, against: pl.Series) -> list[Cell]:
    if not values.dtype.is_numeric():
        return [Cell(worded(quantity.column, value, unknown=UNKNOWN), sort=value) for value in values]
    scaled = [None if value is None else value * quantity.scale for value in values]
    full = quantity.full or max((value * quantity.scale for value in against.drop_nulls()), default=0.0)

    def share(value: Any) -> float | None:
        return min(value / full, 1.0) if quantity.bar and value is not None and full > 0 else None

    return [Cell(UNKNOWN if value is None else number(value), sort=value, share=share(value)) for value in scaled]
