"""A DuckDB database with one view per table over the dataset's Parquet parts, and the meaning of every column.

The views name the parts by absolute paths: the database holds no rows, and reads what the dataset held when it was
made. After `winf gc` or a move of the dataset, make it again.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from winf_analyzer._dataset.alike import alike
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._schema import tables
from winf_analyzer._sql.completing import quoted, reading
from winf_analyzer._util.errors import WinfError
from winf_analyzer._util.progress import Progress
from winf_analyzer._util.scratch import scratch_folder

if TYPE_CHECKING:
    import duckdb

MARK = "winf_export"
"""Table with one row: the dataset, and the version of winf that made the database."""


def write_duckdb(dataset: Dataset, path: Path, progress: Progress) -> list[str]:
    """Write the database.

    Raises:
        WinfError: the disk refuses, of which DuckDB tells in several ways.
    """
    import duckdb

    from winf_analyzer._core import __version__

    try:
        with _named_for_duckdb(path) as file, duckdb.connect(str(file)) as connection:
            connection.execute(f"create table {MARK} (dataset varchar, winf_version varchar)")
            connection.execute(f"insert into {MARK} values (?, ?)", [str(dataset.path.resolve()), __version__])  # noqa: S608
            for number, name in enumerate(dataset.tables, 1):
                progress(name, number, len(dataset.tables))
                _create_view(connection, name, alike(dataset.fingerprinted(name)))
            connection.execute("checkpoint")  # closing would do it too, and not tell that the disk refused
    except (duckdb.IOException, duckdb.TransactionException, duckdb.FatalException) as error:
        raise WinfError(f"{path.name}: cannot be written: {str(error).splitlines()[0]}") from error
    return ["The views name the dataset's parts by absolute paths; make the file again after `winf gc` or a move."]


@contextmanager
def _named_for_duckdb(path: Path) -> Iterator[Path]:
    """Where DuckDB makes the file: elsewhere if there is a `?` in its path, in front of which it would put a suffix."""
    if "?" not in str(path.resolve()):
        yield path
        return
    with scratch_folder() as scratch:
        yield scratch / "export.duckdb"
        shutil.copyfile(scratch / "export.duckdb", path)


def _create_view(connection: duckdb.DuckDBPyConnection, name: str, groups: Sequence[Sequence[Path]]) -> None:
    rows = reading(connection, name, [[str(part.resolve()) for part in group] for group in groups])
    connection.execute(f"create view {quoted(name)} as from {rows}")
    for table in tables():
        if table.name == name:
            connection.execute(f"comment on view {quoted(name)} is {_text(table.row)}")
            for column in table.columns:
                meaning = f"{column.meaning} ({column.unit})" if column.unit else column.meaning
                connection.execute(f"comment on column {quoted(name)}.{quoted(column.name)} is {_text(meaning)}")


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
