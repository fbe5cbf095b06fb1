"""Grouping of Parquet parts in memory that does not grow with them."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

_MEMORY = "256MB"


def grouped(query: str, **parts: Sequence[Path]) -> pl.DataFrame:
    """The answer of a SELECT over files given as ``$name`` lists, one per keyword: ``from read_parquet($frames)``.

    DuckDB reads a row group at a time and spills beyond a fixed limit; Polars prefetches files, and its memory grows
    with them.
    """
    import duckdb  # slow to import, and most who import this module group nothing

    files: Mapping[str, list[str]] = {name: [str(path) for path in paths] for name, paths in parts.items()}
    with tempfile.TemporaryDirectory(prefix="winf-group-") as spill, duckdb.connect(":memory:") as connection:
        connection.execute("set temp_directory = ?", [spill])
        connection.execute(f"set memory_limit = '{_MEMORY}'")
        connection.execute("set preserve_insertion_order = false")
        return pl.DataFrame(connection.sql(query, params=files))
