"""Aggregation of Parquet parts with DuckDB in bounded memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from winf_analyzer._util.interrupts import interrupting
from winf_analyzer._util.memory import share
from winf_analyzer._util.scratch import scratch_folder

_MAX_MEMORY = 256 * 2**20


def grouped(query: str, **parts: Sequence[Path]) -> pl.DataFrame:
    """The result of a SELECT over lists of files, one ``$name`` per keyword: ``from read_parquet($frames)``.

    DuckDB reads a row group at a time and spills to disk beyond a fixed limit. Polars prefetches files, so its memory
    grows with their number.
    """
    import duckdb  # slow to import, and most importers of this module never call this function

    files: Mapping[str, list[str]] = {name: [str(path) for path in paths] for name, paths in parts.items()}
    with scratch_folder() as spill, duckdb.connect(":memory:") as connection:
        connection.execute("set temp_directory = ?", [str(spill)])
        connection.execute(f"set memory_limit = '{share(1, 4, at_most=_MAX_MEMORY) >> 20}MiB'")
        connection.execute("set preserve_insertion_order = false")
        with interrupting(connection.interrupt):
            try:
                return pl.DataFrame(connection.sql(query, params=files))
            except duckdb.InterruptException:
                raise KeyboardInterrupt from None
