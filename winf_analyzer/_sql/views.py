"""How the tables of datasets become tables and views of DuckDB."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress

import duckdb

from winf_analyzer import _schema
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.sequence_numbers import heard_in
from winf_analyzer._sql.completing import reading
from winf_analyzer._sql.macros import MACROS
from winf_analyzer._util.errors import DatasetError
from winf_analyzer._util.parquet import in_sql

DATASET_COLUMN = "dataset"
"""Name of the column that says which of several datasets a row is from."""

_NAMES = ("source", "log", "replay_id", "point", "sweep")
"""Columns with names that are unique in a dataset: rows of one name are of one recording, log, replay or sweep."""

_FILE = "winf_part_path"


def stated_height(dataset: Dataset, table: str) -> int | None:
    """How many rows a table has that the manifest names the parts of, and whose columns are stated."""
    parts = dataset.metadata.get("tables", {}).get(table)
    is_stated = table in {each.name for each in _schema.tables()}
    return sum(part["rows"] for part in parts) if is_stated and parts is not None else None


def held(connection: duckdb.DuckDBPyConnection, table: str, parts: list[str]) -> bool:
    """Whether the stated columns could be read into a table; one that lacks some, or is damaged, gets a view."""
    columns = ", ".join(f'"{name}"' for name in _schema.table(table).names)
    query = f"select {columns} from {in_sql(parts)}"  # noqa: S608 (names of the schema, and quoted)
    try:
        connection.execute(f"create or replace table {table} as {query}")
    except duckdb.Error:
        with suppress(duckdb.Error):  # where it is a view already, which is replaced
            connection.execute(f"drop table if exists {table}")
        return False
    return True


def rows_of(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    groups: Sequence[Sequence[str]],
    several: Sequence[Dataset],
    *,
    names_sources: bool,
) -> duckdb.DuckDBPyRelation:
    """The rows of a table, as for :func:`reading`; of several datasets with :data:`DATASET_COLUMN`."""
    if not several:
        return connection.sql("from " + reading(connection, table, groups))
    common = len(os.path.commonpath([each.path.resolve().parent for each in several]).rstrip("/")) + 2
    path = f"regexp_replace(substr({_FILE}, {common}), '(/[.][^/]+)?/[^/]+/[^/]+$', '')"
    rows = connection.sql("from " + reading(connection, table, groups, f"filename = '{_FILE}'"))
    rows = rows.project(f"* exclude ({_FILE}), {path} as {DATASET_COLUMN}")
    named = [name for name in _NAMES if names_sources and name in rows.columns]
    names = ", ".join(f"{DATASET_COLUMN} || '/' || {name} as {name}" for name in named)
    return rows.project(f"* replace ({names})") if names else rows


def pauses(datasets: Sequence[Dataset], *, names_sources: bool) -> str:
    """The pauses of the recorders as rows of SQL: recording, first and last instants; none of what cannot be read."""
    rows = ["(null::varchar, null::varchar, null::varchar)"]
    common = os.path.commonpath([each.path.resolve().parent for each in datasets])
    for each in datasets:
        before = f"{os.path.relpath(each.path.resolve(), common)}/" if names_sources else ""
        of_source: dict[str, list[tuple[int, int]]] = {}
        with suppress(OSError, DatasetError):
            for source, first, last in heard_in(each).pauses():
                of_source.setdefault(f"{before}{source}", []).append((first, last))
        for name, found in of_source.items():
            firsts, lasts = (list(instants) for instants in zip(*found, strict=True))
            quoted = name.replace("'", "''")
            rows.append(f"('{quoted}', '{firsts}', '{lasts}')")
    return ", ".join(rows)


_ABSENT = re.compile(r"Table (?:Function )?with name (\w+) does not exist")
"""How DuckDB says that there is no such table, or function that makes one."""


def absent_table(error: duckdb.Error) -> str | None:
    """A sentence about the table that a query lacks, itself or for a function of winf; None of any other error."""
    found = _ABSENT.search(str(error))
    name = found[1].lower() if found else ""
    _, reads = MACROS.get(name, ("", (name,)))
    for table in _schema.tables():
        if table.name in reads:
            commands = " or ".join(f"`{command}`" for command in table.filled_by.split(", "))
            return f"SQL: no table {table.name!r} can be read here; {commands} fills it."
    return None
