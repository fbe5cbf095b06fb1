"""Tables on standard output, in the chosen format."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, BinaryIO, Literal, Protocol, cast

from winf_analyzer._util.errors import UsageError, WinfError
from winf_analyzer._util.format import format_value, printable
from winf_analyzer._util.os_errors import as_os_error
from winf_analyzer.cli.console import finish_line
from winf_analyzer.cli.layout import TableColumn, fit
from winf_analyzer.cli.streams import print_utf8
from winf_analyzer.cli.wrap import wrapped

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console

    from winf_analyzer._util.rows import Rows


class _Kind(Protocol):
    """Type of a column, of Polars or of `Rows`."""

    def is_numeric(self) -> bool: ...


class Format(StrEnum):
    """Output formats of a table."""

    table = "table"
    csv = "csv"
    json = "json"
    ndjson = "ndjson"
    parquet = "parquet"
    arrow = "arrow"


UNLIMITED = 1 << 20
"""A width into which every table fits."""

MAX_PRINTED_ROWS = 200
"""Rows of a printed table; the other formats are complete."""

_wide = False


def set_wide(wide: bool) -> None:
    """Let printed tables show all columns, however narrow the terminal is."""
    global _wide  # one process, one terminal
    _wide = wide


def write_table(
    frame: pl.DataFrame | Rows,
    form: Format,
    *,
    title: str | None = None,
    decimals: int | None = None,
    least: Sequence[str] = (),
) -> None:
    """Write a table to standard output.

    Args:
        frame: the table; `Rows` for `Format.table` only, without ``decimals``.
        form: its format.
        title: printed above it; `Format.table` only.
        decimals: digits after the decimal point; `Format.table` only, by default 6 significant digits.
        least: columns that a narrow terminal leaves out first; `Format.table` only.
    """
    finish_line()
    if sys.stdout is None:
        raise WinfError("standard output is closed; nothing was printed.")
    try:
        if form is not Format.table:
            _write(cast("pl.DataFrame", frame), form, sys.stdout.buffer)
        else:
            _print(frame if decimals is None else _rounded(cast("pl.DataFrame", frame), decimals), title, least)
        sys.stdout.flush()
    except Exception as error:
        if failed := as_os_error(error):
            raise failed from None
        raise


def _write(frame: pl.DataFrame, form: Format, binary: BinaryIO) -> None:
    import polars as pl

    if form not in (Format.parquet, Format.arrow):
        from winf_analyzer.cli.writable import check_text

        check_text(frame, holds_octets=form is Format.csv)
    try:
        _write_checked(frame, form, binary)
    except (pl.exceptions.ComputeError, pl.exceptions.InvalidOperationError) as error:
        sentence = str(error).partition("\n")[0].rstrip(".")
        raise UsageError(f"{form.value}: {sentence}. Cast that column, as in x::varchar, or write parquet.") from None


def _write_checked(frame: pl.DataFrame, form: Format, binary: BinaryIO) -> None:
    match form:
        case Format.csv:
            from winf_analyzer._util.spreadsheet import for_csv

            for_csv(frame).write_csv(binary)
        case Format.json:
            from winf_analyzer._util.json_values import for_json

            print_utf8(for_json(frame).write_json())
        case Format.ndjson:
            from winf_analyzer._util.json_values import for_json

            for_json(frame).write_ndjson(binary)
        case Format.parquet:
            frame.write_parquet(binary)
        case Format.arrow:
            frame.write_ipc_stream(binary)


def in_mbps(frame: pl.DataFrame) -> pl.DataFrame:
    """The table with its `_bps` columns in Mb/s, rounded to 3 decimals, without that suffix."""
    import polars as pl

    rates = [name for name in frame.columns if name.endswith("_bps")]
    scaled = frame.with_columns((pl.col(name) / 1e6).round(3) for name in rates)
    return scaled.rename({name: name.removesuffix("_bps") for name in rates})


def in_percent(frame: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """The table with these shares in percent, rounded to 1 decimal, and `_%` appended to their names."""
    import polars as pl

    scaled = frame.with_columns((pl.col(name) * 100).round(1) for name in columns)
    return scaled.rename({name: f"{name}_%" for name in columns})


def _rounded(frame: pl.DataFrame, decimals: int) -> pl.DataFrame:
    import polars.selectors as cs

    return frame.with_columns(cs.float().round(decimals))


def _print(frame: pl.DataFrame | Rows, title: str | None, least: Sequence[str]) -> None:
    from rich import box
    from rich.console import ConsoleDimensions
    from rich.table import Table
    from rich.text import Text

    console = output_console()
    rows = [[format_value(value) for value in row] for row in frame.head(MAX_PRINTED_ROWS).iter_rows()]
    kinds: Mapping[str, _Kind] = frame.schema
    columns = [
        TableColumn(printable(name), [row[place] for row in rows], breaks=not kind.is_numeric())
        for place, (name, kind) in enumerate(kinds.items())
    ]
    # Where output is no terminal, nothing is broken or left out.
    terminal_width = console.width
    layout = fit(columns, terminal_width if console.is_terminal and not _wide else UNLIMITED, least)

    def say(text: str, style: str) -> None:
        console.print(
            Text(wrapped(text, terminal_width - 1) if console.is_terminal else text, style=style), soft_wrap=True
        )

    # The layout has given every column its width; Rich would take from each what a narrower console lacks.
    console.size = ConsoleDimensions(UNLIMITED, console.height)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column, kind in zip(columns, kinds.values(), strict=True):
        if width := layout.widths.get(column.name):
            is_broken = width < column.width
            heading = Text(column.heading(width))
            justify: Literal["left", "right"] = "right" if kind.is_numeric() else "left"
            table.add_column(heading, justify=justify, no_wrap=not is_broken, width=width, overflow="fold")
    places = [place for place, column in enumerate(columns) if column.name in layout.widths]
    for row in rows:
        table.add_row(*(Text(row[place]) for place in places))
    if title is not None:
        say(printable(title), "bold")
    console.print(table)
    if frame.height > MAX_PRINTED_ROWS:
        console.print(f"… {frame.height - MAX_PRINTED_ROWS} more rows; --to csv prints all", style="dim")
    if layout.hidden:
        say(f"--wide shows also: {', '.join(layout.hidden)}", "dim")


def output_console() -> Console:
    """A console on standard output whose broken pipe is an exception like that of any other output."""
    from rich.console import Console

    finish_line()

    class OutputConsole(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return OutputConsole(highlight=False)
