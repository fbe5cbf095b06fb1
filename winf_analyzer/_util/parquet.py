"""Parquet files by their paths, to the letter.

Left to themselves DuckDB and Polars take `*`, `?` and `[` in a path for a pattern, and DuckDB takes a folder named
`source=7` for a column. A path of the user's may hold any of these, so that every reading of files goes through here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from winf_analyzer._util.errors import DatasetError

if TYPE_CHECKING:
    import polars as pl

_MAGIC = re.compile(r"[*?[]")


def scan(files: Path | list[Path]) -> pl.LazyFrame:
    """The rows of files as a lazy frame.

    Raises:
        polars.exceptions.PolarsError: here or when it is collected: one cannot be read.
    """
    import polars as pl

    return pl.scan_parquet(files, glob=False, hive_partitioning=False)


def in_sql(files: Iterable[str | os.PathLike[str]], *more: str) -> str:
    """The rows of files as DuckDB has them behind FROM; `more` are further arguments of its function."""
    listed = ", ".join("'" + pattern(os.fspath(file)).replace("'", "''") + "'" for file in files)
    return f"read_parquet({', '.join([f'[{listed}]', 'hive_partitioning = false', *more])})"


def pattern(path: str) -> str:
    """What DuckDB takes for this path and no other; where it may read few files, this and the path must be allowed.

    Raises:
        DatasetError: there is no such pattern.
    """
    if "\\" in path and _MAGIC.search(path):  # DuckDB cuts a pattern into names of folders there
        raise DatasetError(f"{path}: DuckDB reads no path with a backslash beside *, ? or [. Rename that folder.")
    return _MAGIC.sub(lambda found: f"[{found[0]}]", path)
