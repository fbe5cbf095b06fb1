"""Aggregation of Parquet parts with DuckDB in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from winf_analyzer._util.interrupts import interrupting
from winf_analyzer._util.memory import share
from winf_analyzer._util.parquet import in_sql
from winf_analyzer._util.scratch import scratch_folder

if TYPE_CHECKING:
    import duckdb

_MAX_MEMORY = 256 * 2**20


_shared: ContextVar[duckdb.DuckDBPyConnection | None] = ContextVar("shared", default=None)


def grouped(query: str, **parts: Sequence[Path]) -> pl.DataFrame:
    """The result of a SELECT over Parquet files, one ``$name`` per keyword: ``from $frames``.

    DuckDB reads a row group at a time and spills to disk beyond a fixed limit. Polars prefetches files, so its memory
    grows with their number.
    """
    import duckdb  # slow to import, and most importers of this module never call this function

    for name, paths in parts.items():
        query = query.replace(f"${name}", in_sql(paths))
    with one_database() as connection, interrupting(connection.interrupt):
        try:
            return pl.DataFrame(connection.sql(query))
        except duckdb.InterruptException:
            raise KeyboardInterrupt from None


@contextmanager
def one_database() -> Iterator[duckdb.DuckDBPyConnection]:
    """A database for the calls of :func:`grouped` in a block, which takes as long to make as several short queries."""
    import duckdb

    if (shared := _shared.get()) is not None:
        yield shared
        return
    with scratch_folder() as spill, duckdb.connect(":memory:") as connection:
        connection.execute("set enable_progress_bar = false")
        connection.execute("set temp_directory = ?", [str(spill)])
        connection.execute(f"set memory_limit = '{share(1, 4, at_most=_MAX_MEMORY) >> 20}MiB'")
        connection.execute("set preserve_insertion_order = false")
        token = _shared.set(connection)
        try:
            yield connection
        finally:
            _shared.reset(token)
