"""SQL over a dataset: DuckDB with one view per table, read-only and shut off from the file system."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._sql.named_queries import NamedQuery, Value
from winf_analyzer._util.errors import UsageError, WinfError

if TYPE_CHECKING:
    import polars as pl


def sql(
    dataset: Dataset | str | os.PathLike[str],
    query: str | NamedQuery,
    *,
    parameters: Mapping[str, Value] | None = None,
) -> pl.DataFrame:
    """Answer a query over the dataset's tables.

    Args:
        dataset: a dataset or its path.
        query: one SELECT statement, or a `NamedQuery` of the registry.
        parameters: values of the query's ``$name`` parameters; a question's defaults are filled in.

    Raises:
        UsageError: not one SELECT statement, an unknown parameter, or a mistake in the SQL.
        DatasetError: no dataset there.
        WinfError: the query failed while running.
    """
    if isinstance(query, NamedQuery):
        parameters = query.values(parameters or {})
        query = query.sql
    with connect(dataset) as connection:
        return run(connection, query, parameters)


def connect(dataset: Dataset | str | os.PathLike[str]) -> duckdb.DuckDBPyConnection:
    """An in-memory DuckDB with one view per table of the dataset.

    The configuration is locked so that a query reads the dataset's Parquet parts and no other file, neither loads
    extensions nor sees Python variables. `run` refuses everything but SELECT, so the parts cannot be overwritten.
    """
    dataset = dataset if isinstance(dataset, Dataset) else Dataset.open(dataset)
    connection = duckdb.connect(":memory:")
    files = []
    for table in dataset.tables:
        parts = [str(path.resolve()) for path in dataset.parts(table)]
        files += parts
        connection.read_parquet(parts).create_view(table)
    spill = Path(tempfile.gettempdir()) / f"winf-sql-{os.getpid()}"
    connection.execute("set temp_directory = ?", [str(spill)])
    connection.execute("set python_enable_replacements = false")
    connection.execute("set allowed_paths = ?", [files])
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
    return connection


def run(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Mapping[str, Value] | None = None
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
        # Through the Arrow PyCapsule interface: DuckDB's own conversion wants pyarrow.
        return pl.DataFrame(connection.sql(statements[0], params=dict(parameters) if parameters else None))
    except pl.exceptions.DuplicateError as error:
        raise UsageError(f"SQL: two columns of the answer have the same name; rename one with AS ({error}).") from None
    except (duckdb.ProgrammingError, duckdb.PermissionException, duckdb.NotSupportedError) as error:
        raise UsageError(f"SQL: {error}") from None
    except duckdb.Error as error:
        raise WinfError(f"SQL: {error}") from None
