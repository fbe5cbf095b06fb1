"""SQL over datasets: DuckDB with one view per table, read-only, bounded, without access to other files."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from winf_analyzer import _schema
from winf_analyzer._dataset.dataset import Dataset, damaged
from winf_analyzer._dataset.reading import reads_dataset
from winf_analyzer._sql.datasets import Datasets, open_datasets
from winf_analyzer._sql.named_queries import NamedQuery, ParameterValue
from winf_analyzer._util.errors import UsageError, WinfError
from winf_analyzer._util.interrupts import interrupting
from winf_analyzer._util.memory import memory_limit, share
from winf_analyzer._util.scratch import process_scratch_folder, scratch_folder

if TYPE_CHECKING:
    import polars as pl

DATASET_COLUMN = "dataset"
"""Name of the column that says which of several datasets a row is from."""

_SPILL_BYTES = 32 * 2**30
"""Most of what a query may write to the temporary folder."""


class DamagedTableWarning(UserWarning):
    """A table cannot be read; queries do without it."""


@reads_dataset
def sql(
    dataset: Datasets,
    query: str | NamedQuery,
    *,
    parameters: Mapping[str, ParameterValue] | None = None,
) -> pl.DataFrame:
    """Run a query over the tables of a dataset, or of several.

    Of several datasets every table holds the rows of all, with a column ``dataset`` behind the others: the path of
    the row's dataset below the folder that all have in common.

    Args:
        dataset: a dataset or its path; or several, a folder of them, or a glob.
        query: one SELECT statement, or a `NamedQuery` of the registry.
        parameters: values of the query's ``$name`` parameters; by default those of the `NamedQuery`.

    Raises:
        UsageError: not a single SELECT statement, an unknown parameter, or an error in the SQL.
        DatasetError: there is no dataset at this path.
        WinfError: the query failed while running, for instance because it needs more memory than allowed.
    """
    if isinstance(query, NamedQuery):
        parameters = query.parameter_values(parameters or {})
        query = query.sql
    with connected(dataset) as connection:
        return run(connection, query, parameters)


@contextmanager
def connected(dataset: Datasets) -> Iterator[duckdb.DuckDBPyConnection]:
    """`connect` for a block; Ctrl-C interrupts a query in it, and what it spilled to disk is gone afterwards."""
    datasets, several = open_datasets(dataset)  # held until the end of the block: what they show stays readable
    with (
        scratch_folder() as spill,
        _connect(datasets, several=several, spill=spill) as connection,
        interrupting(connection.interrupt),
    ):
        yield connection


def connect(dataset: Datasets, *, names_sources: bool = False) -> duckdb.DuckDBPyConnection:
    """An in-memory DuckDB with one view per table of the dataset, or of all datasets.

    Its locked configuration restricts queries to the datasets' Parquet parts and to a share of the memory limit, and
    disables extensions and access to Python variables. `run` rejects everything but SELECT, so the parts cannot be
    overwritten.

    Args:
        dataset: a dataset, or several.
        names_sources: of several datasets put the dataset's name before the names of its recordings.
    """
    datasets, several = open_datasets(dataset)
    spill = process_scratch_folder()
    return _connect(datasets, several=several, spill=spill, names_sources=names_sources)


def _connect(
    datasets: Sequence[Dataset], *, several: bool, spill: Path, names_sources: bool = False
) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:")
    files = []
    for table in sorted({name for each in datasets for name in each.tables}):
        parts = [str(path.resolve()) for each in datasets for path in each.parts(table)]
        try:
            _view(connection, table, parts, datasets if several else [], names_sources=names_sources)
        except duckdb.Error as error:
            warnings.warn(damaged(datasets[0].path, table, error), DamagedTableWarning, stacklevel=2)
            continue
        files += parts
    connection.execute("set temp_directory = ?", [str(spill)])
    connection.execute(f"set max_temp_directory_size = '{_SPILL_BYTES >> 20}MiB'")
    # Half: the result is held once by DuckDB, and once as the table that is returned.
    connection.execute(f"set memory_limit = '{share(1, 2, at_most=memory_limit()) >> 20}MiB'")
    connection.execute("set python_enable_replacements = false")
    connection.execute("set allowed_paths = ?", [files])
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
    return connection


def _view(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    parts: list[str],
    several: Sequence[Dataset],
    *,
    names_sources: bool,
) -> None:
    """Create the view of a table; of several datasets with :data:`DATASET_COLUMN`."""
    if not several:
        rows = connection.read_parquet(parts)
        added = _schema.lacking(table, rows.columns)
    else:
        common = len(os.path.commonpath([each.path.resolve().parent for each in several]).rstrip("/")) + 2
        listed = ", ".join("'" + part.replace("'", "''") + "'" for part in parts)
        rows = connection.sql(f"from read_parquet([{listed}], union_by_name = true, filename = '{_FILE}')")
        added = _schema.lacking(table, rows.columns)
        added[DATASET_COLUMN] = f"regexp_replace(substr({_FILE}, {common}), '(/[.][^/]+)?/[^/]+/[^/]+$', '')"
    for name, expression in added.items():
        rows = rows.project(f"*, {expression} as {name}")
    if several:
        named = names_sources and "source" in rows.columns
        source = f" replace ({DATASET_COLUMN} || '/' || source as source)" if named else ""
        rows = rows.project(f"* exclude ({_FILE}){source}")
    if added:
        rows = rows.select(*(f'"{name}"' for name in _schema.ordered(table, rows.columns)))
    rows.create_view(table)


_FILE = "winf_part_path"


def run(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Mapping[str, ParameterValue] | None = None
) -> pl.DataFrame:
    """Run one SELECT on a connection from `connect`."""
    try:
        statements = connection.extract_statements(query)
    except duckdb.Error as error:
        raise UsageError(f"SQL: {error}") from None
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise UsageError("SQL: one SELECT statement is expected (the dataset is read-only).")
    import polars as pl

    try:
        rows = connection.sql(statements[0], params=dict(parameters) if parameters else None)
        _refuse_intervals(rows)
        # Through the Arrow PyCapsule interface, because DuckDB's own conversion requires pyarrow.
        return pl.DataFrame(rows)
    except pl.exceptions.DuplicateError as error:
        raise UsageError(f"SQL: two columns of the result have the same name; rename one with AS ({error}).") from None
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except RuntimeError as error:  # how DuckDB reports a signal
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None
        raise
    except (duckdb.ProgrammingError, duckdb.PermissionException, duckdb.NotSupportedError) as error:
        raise UsageError(f"SQL: {error}") from None
    except (duckdb.OutOfMemoryException, MemoryError) as error:
        limit = f"{memory_limit() >> 20}M"
        raise WinfError(
            f"SQL: the query needs more memory than --memory {limit} allows ({_first_line(error)})."
        ) from None
    except duckdb.Error as error:
        raise WinfError(f"SQL: {error}") from None


def _refuse_intervals(rows: duckdb.DuckDBPyRelation | None) -> None:
    for name, kind in zip(rows.columns, rows.types, strict=True) if rows is not None else ():
        if "INTERVAL" in str(kind):
            raise UsageError(
                f"SQL: column {name} holds intervals of months, days and seconds; cast it, as in x::varchar."
            )


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0].rstrip(".")
