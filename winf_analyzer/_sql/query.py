"""SQL over a dataset: DuckDB with one view per table, read-only, without access to other files."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from winf_analyzer import _schema
from winf_analyzer._dataset.dataset import Dataset, damaged
from winf_analyzer._dataset.reading import reads_dataset
from winf_analyzer._sql.named_queries import NamedQuery, ParameterValue
from winf_analyzer._util.errors import UsageError, WinfError

if TYPE_CHECKING:
    import polars as pl


class DamagedTableWarning(UserWarning):
    """A table cannot be read; queries do without it."""


@reads_dataset
def sql(
    dataset: Dataset | str | os.PathLike[str],
    query: str | NamedQuery,
    *,
    parameters: Mapping[str, ParameterValue] | None = None,
) -> pl.DataFrame:
    """Run a query over the dataset's tables.

    Args:
        dataset: a dataset or its path.
        query: one SELECT statement, or a `NamedQuery` of the registry.
        parameters: values of the query's ``$name`` parameters; by default those of the `NamedQuery`.

    Raises:
        UsageError: not a single SELECT statement, an unknown parameter, or an error in the SQL.
        DatasetError: there is no dataset at this path.
        WinfError: the query failed while running.
    """
    if isinstance(query, NamedQuery):
        parameters = query.parameter_values(parameters or {})
        query = query.sql
    dataset = dataset if isinstance(dataset, Dataset) else Dataset.open(dataset)  # kept until the query has ended
    with connect(dataset) as connection:
        return run(connection, query, parameters)


def connect(dataset: Dataset | str | os.PathLike[str]) -> duckdb.DuckDBPyConnection:
    """An in-memory DuckDB with one view per table of the dataset.

    Its locked configuration restricts queries to the dataset's Parquet parts and disables extensions and access to
    Python variables. `run` rejects everything but SELECT, so the parts cannot be overwritten.
    """
    dataset = dataset if isinstance(dataset, Dataset) else Dataset.open(dataset)
    connection = duckdb.connect(":memory:")
    files = []
    for table in dataset.tables:
        parts = [str(path.absolute()) for path in dataset.parts(table)]
        try:
            rows = connection.read_parquet(parts)
        except duckdb.Error as error:
            warnings.warn(damaged(dataset.path, table, error), DamagedTableWarning, stacklevel=2)
            continue
        files += parts
        for name, expression in _schema.lacking(table, rows.columns).items():
            rows = rows.project(f"*, {expression} as {name}")
        rows.create_view(table)
    spill = Path(tempfile.gettempdir()) / f"winf-sql-{os.getpid()}"
    connection.execute("set temp_directory = ?", [str(spill)])
    connection.execute("set python_enable_replacements = false")
    connection.execute("set allowed_paths = ?", [files])
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
    return connection


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
        # Through the Arrow PyCapsule interface, because DuckDB's own conversion requires pyarrow.
        return pl.DataFrame(connection.sql(statements[0], params=dict(parameters) if parameters else None))
    except pl.exceptions.DuplicateError as error:
        raise UsageError(f"SQL: two columns of the result have the same name; rename one with AS ({error}).") from None
    except (duckdb.ProgrammingError, duckdb.PermissionException, duckdb.NotSupportedError) as error:
        raise UsageError(f"SQL: {error}") from None
    except duckdb.Error as error:
        raise WinfError(f"SQL: {error}") from None
