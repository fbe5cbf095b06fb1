"""Every table of a dataset, stated once: one file in ``tables/`` for each.

The native module embeds and reads these files, so that Arrow schemas, Parquet files, ``winf list tables``,
``docs/tables.md`` and the Polars schemas follow from the same lines. A new column is a line and what fills it; a new
table is a file and the module that fills it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from winf_analyzer import _core

if TYPE_CHECKING:
    import polars as pl

FORMAT_VERSION = _core.FORMAT_VERSION
"""Version of a dataset's form; a reader refuses a newer one."""


class Column(NamedTuple):
    """One column of a table."""

    name: str
    """The name, with its unit."""
    type: str
    """Arrow's name of the type: ``utf8``, ``int32``, ``int64``, ``float64``, ``bool`` or ``list<int32>``."""
    unit: str
    """``ns``, ``bit/s``, ``1`` for counts and shares; empty where values have none."""
    meaning: str
    source: str
    """Where values come from: a field of a header, another table's column, a computation."""
    absent: str | None
    """Of a column added later: SQL over the older columns that gives it where a dataset lacks it."""


class Table(NamedTuple):
    """A table: what one row is, the commands that fill it, and its columns in order."""

    name: str
    row: str
    filled_by: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> list[str]:
        """Names of the columns in order."""
        return [column.name for column in self.columns]


@cache
def tables() -> tuple[Table, ...]:
    """Every table of a dataset, sorted by name."""
    return tuple(
        Table(name, row, filled_by, tuple(Column(*column) for column in columns))
        for name, row, filled_by, columns in _core.tables()
    )


def table(name: str) -> Table:
    """The table of that name.

    Raises:
        KeyError: there is none.
    """
    return _by_name()[name]


def schema(name: str) -> pl.Schema:
    """Names and Polars types of a table's columns, in order.

    Raises:
        KeyError: there is no such table.
    """
    import polars as pl

    return pl.Schema({column.name: _polars_types()[column.type] for column in table(name).columns})


def lacking(name: str, present: list[str]) -> dict[str, str]:
    """Columns of a table that an older dataset lacks, each with the SQL that gives its values.

    To be added one by one: columns of nulls come first, because the SQL of the others may name them.

    Args:
        name: the table; of one that is not stated here nothing is lacking.
        present: names of the columns that the dataset has.
    """
    stated = _by_name().get(name)
    columns = [column for column in stated.columns if column.name not in present] if stated else []
    columns.sort(key=lambda column: column.absent is not None)
    return {column.name: column.absent or _null(column) for column in columns}


def sql_columns(name: str) -> str:
    """Names and types of a table's columns as SQL, for `create table`.

    Raises:
        KeyError: there is no such table.
    """
    return ", ".join(f'"{column.name}" {_SQL_TYPES[column.type]}' for column in table(name).columns)


def ordered(name: str, present: list[str]) -> list[str]:
    """Columns in the order of the schema; those that are not stated there follow as they are."""
    stated = _by_name().get(name)
    rank = {column: place for place, column in enumerate(stated.names)} if stated else {}
    return sorted(present, key=lambda column: rank.get(column, len(rank)))


def complete(frame: pl.LazyFrame, name: str) -> pl.LazyFrame:
    """The rows of a table with the columns that it lacks, see :func:`lacking`, in the order of the schema."""
    import polars as pl

    present = frame.collect_schema().names()
    added = lacking(name, present)
    for column, sql in added.items():
        frame = frame.with_columns(pl.sql_expr(sql).alias(column))
    return frame.select(ordered(name, [*present, *added])) if added else frame


@cache
def _by_name() -> dict[str, Table]:
    return {table.name: table for table in tables()}


@cache
def _polars_types() -> dict[str, pl.DataType]:
    import polars as pl

    return {
        "utf8": pl.String(),
        "int32": pl.Int32(),
        "int64": pl.Int64(),
        "float64": pl.Float64(),
        "bool": pl.Boolean(),
        "list<int32>": pl.List(pl.Int32()),
    }


_SQL_TYPES = {
    "utf8": "varchar",
    "int32": "integer",
    "int64": "bigint",
    "float64": "double",
    "bool": "boolean",
    "list<int32>": "integer[]",
}


def _null(column: Column) -> str:
    return f"cast(null as {_SQL_TYPES[column.type]})"
