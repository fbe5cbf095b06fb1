"""The parts of a table as SQL reads them, with the columns that those of an older winf lack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from winf_analyzer import _schema
from winf_analyzer._util.parquet import in_sql

if TYPE_CHECKING:
    import duckdb


def reading(connection: duckdb.DuckDBPyConnection, table: str, groups: Sequence[Sequence[str]], *more: str) -> str:
    """SQL for the rows of a table, which may stand behind FROM; columns that parts lack are added.

    Args:
        connection: reads which columns there are.
        table: its name.
        groups: its parts, those together that have the same columns.
        more: further arguments of DuckDB's reader.
    """
    selects, present = [], dict[str, None]()
    for group in groups:
        rows = in_sql(group, *more)
        columns = connection.sql(f"from {rows}").columns
        lacking = _schema.lacking(table, columns)
        added = "".join(f', {expression} as "{name}"' for name, expression in lacking.items())
        if not added and len(groups) == 1:
            return rows
        present |= dict.fromkeys((*columns, *lacking))
        selects.append(f"select *{added} from {rows}")  # noqa: S608 (of the schema)
    ordered = ", ".join(quoted(name) for name in _schema.ordered(table, list(present)))
    return f"(select {ordered} from ({' union all by name '.join(selects)}))"  # noqa: S608 (of the schema, and quoted)


def quoted(name: str) -> str:
    """A name as SQL has it, whatever it consists of."""
    return '"' + name.replace('"', '""') + '"'
