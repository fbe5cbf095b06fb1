"""Tables on standard output, in the form the user asks for."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING

from winf_analyzer._util.format import show

if TYPE_CHECKING:
    import polars as pl


class Format(StrEnum):
    """Forms of a table on standard output."""

    table = "table"
    csv = "csv"
    json = "json"
    ndjson = "ndjson"
    parquet = "parquet"
    arrow = "arrow"


WIDEST = 1000
"""Letters in a line of a table for reading, at the most."""

TABLE_ROWS = 200
"""A table for reading ends here; the other forms are complete."""


def write_table(frame: pl.DataFrame, form: Format, *, title: str | None = None) -> None:
    """Write ``frame`` to standard output."""
    binary = sys.stdout.buffer
    match form:
        case Format.table:
            _print(frame, title)
        case Format.csv:
            frame.write_csv(binary)
        case Format.json:
            print(frame.write_json())
        case Format.ndjson:
            frame.write_ndjson(binary)
        case Format.parquet:
            frame.write_parquet(binary)
        case Format.arrow:
            frame.write_ipc_stream(binary)
    sys.stdout.flush()


def _print(frame: pl.DataFrame, title: str | None) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold", pad_edge=False)
    for name, kind in frame.schema.items():
        table.add_column(Text(name), justify="right" if kind.is_numeric() else "left", no_wrap=True)
    for row in frame.head(TABLE_ROWS).iter_rows():
        table.add_row(*(Text(show(value)) for value in row))
    console = Console(highlight=False)
    # A table wider than the terminal wraps there as text does: cells cut into columns of letters help nobody.
    console.width = max(console.width, WIDEST)
    console.print(table)
    if frame.height > TABLE_ROWS:
        console.print(f"… {frame.height - TABLE_ROWS} more rows; --to csv has them all", style="dim")
