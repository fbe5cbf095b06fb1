"""What text formats cannot hold of a table: times that no calendar reaches, octets and keys inside other values."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from winf_analyzer._util.errors import UsageError

_YEARS = 260_000
"""Years from 1970 within which a time can be written; infinite ones of SQL are beyond."""

_YEARS_NESTED = (-1969, 8029)
"""The same of a time inside a list or a structure, which Python writes: from 1 to 9999."""

_SECONDS_OF_YEAR = 31_556_952


def check_text(frame: pl.DataFrame, *, holds_octets: bool) -> None:
    """Refuse columns that CSV and JSON cannot hold, before anything is written.

    Args:
        frame: the table.
        holds_octets: the format has a form for octets inside other values, as CSV has and JSON has not.

    Raises:
        UsageError: there is one, and how to ask for it.
    """
    for column in frame.iter_columns():
        for values, is_nested in _plain(column, is_nested=False):
            if what := _obstacle(values, is_nested=is_nested, holds_octets=holds_octets):
                name = column.name
                raise UsageError(f"column {name} holds {what}; cast it, as in {name}::varchar, or write parquet.")


def _obstacle(values: pl.Series, *, is_nested: bool, holds_octets: bool) -> str | None:
    if is_nested and not holds_octets and values.dtype == pl.Binary:
        return "octets inside other values"
    if not isinstance(values.dtype, pl.Date | pl.Datetime):
        return None
    count = values.to_physical()
    lowest, highest = count.min(), count.max()
    if not isinstance(lowest, int) or not isinstance(highest, int):
        return None
    per_year = _SECONDS_OF_YEAR * _PER_SECOND[values.dtype.time_unit] if isinstance(values.dtype, pl.Datetime) else 366
    first, last = _YEARS_NESTED if is_nested else (-_YEARS, _YEARS)
    is_written = first * per_year <= lowest and highest <= last * per_year
    return None if is_written else "times that are infinite or too far from now"


_PER_SECOND = {"ms": 10**3, "us": 10**6, "ns": 10**9}


def _plain(values: pl.Series, *, is_nested: bool) -> Iterator[tuple[pl.Series, bool]]:
    """The values that are inside others, and whether they are."""
    match values.dtype:
        case pl.Struct():
            for name in values.struct.fields:
                yield from _plain(values.struct.field(name), is_nested=True)
        case pl.List() | pl.Array():
            yield from _plain(values.explode(), is_nested=True)
        case pl.Map():
            yield from _plain(values.map.entries(), is_nested=True)
        case _:
            yield values, is_nested
