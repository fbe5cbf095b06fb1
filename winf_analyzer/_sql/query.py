"""SQL over datasets: DuckDB with one view per table, read-only, bounded, without access to other files."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from winf_analyzer import _schema
from winf_analyzer._dataset.alike import alike
from winf_analyzer._dataset.dataset import Dataset, damaged
from winf_analyzer._dataset.reading import reads_dataset
from winf_analyzer._sql.datasets import Datasets, open_datasets
from winf_analyzer._sql.failures import in_utf8, of_duckdb, told
from winf_analyzer._sql.macros import MACROS, PAUSES, words_of
from winf_analyzer._sql.named_queries import NamedQuery, ParameterValue
from winf_analyzer._sql.views import held, pauses, rows_of, stated_height
from winf_analyzer._util.errors import UsageError, WinfError
from winf_analyzer._util.interrupts import interrupting
from winf_analyzer._util.memory import memory_limit, share
from winf_analyzer._util.os_errors import out_of_files
from winf_analyzer._util.parquet import pattern
from winf_analyzer._util.rows import Kind, Rows
from winf_analyzer._util.scratch import process_scratch_folder, scratch_folder

if TYPE_CHECKING:
    import polars as pl

_SPILL_BYTES = 32 * 2**30
"""Most of what a query may write to the temporary folder."""

SHORT = 20_000
"""Rows of a table up to which it is read once, where many queries follow; each takes a third less than of a view."""


NEEDED = ("filter_pushdown", "filter_pullup", "join_order")
"""Steps of DuckDB's optimizer without which a join by `where` would be a product. Where all tables are held, the others
take longer than they save."""

_shared: ContextVar[dict[Path, tuple[duckdb.DuckDBPyConnection, dict[str, list[str]]]] | None] = ContextVar(
    "_shared", default=None
)
"""In a block of :func:`one_database`: by folder of a dataset its database, and the parts that each table is made of."""


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
    the row's dataset below the folder that all have in common. For a `NamedQuery` that path is also in front of the
    names of recordings, logs, replays and sweeps, which it groups by: of two datasets they may be the same.

    Args:
        dataset: a dataset or its path; or several, a folder of them, or a glob.
        query: one SELECT statement, or a `NamedQuery` of the registry.
        parameters: values of the query's ``$name`` parameters; by default those of the `NamedQuery`.

    Raises:
        UsageError: not a single SELECT statement, an unknown parameter, or an error in the SQL.
        DatasetError: there is no dataset at this path.
        WinfError: the query failed while running, for instance because it needs more memory than allowed.
    """
    is_named = isinstance(query, NamedQuery)
    if isinstance(query, NamedQuery):
        parameters = query.parameter_values(parameters or {})
        query = query.sql
    with connected(dataset, query, names_sources=is_named) as connection:
        return run(connection, query, parameters)


@reads_dataset
def sql_rows(
    dataset: Datasets, query: str | NamedQuery, most: int, *, parameters: Mapping[str, ParameterValue] | None = None
) -> Rows:
    """The first rows of a query, as `sql` runs it, without Polars, which takes longer to load than most queries take.

    Args:
        dataset: as for `sql`.
        query: as for `sql`.
        most: rows that are given; the others are counted.
        parameters: as for `sql`.
    """
    is_named = isinstance(query, NamedQuery)
    if isinstance(query, NamedQuery):
        parameters = query.parameter_values(parameters or {})
        query = query.sql
    with connected(dataset, query, names_sources=is_named) as connection, told():
        return _first_rows(_relation(connection, query, parameters), most)


@contextmanager
def connected(
    dataset: Datasets,
    query: str | None = None,
    *,
    tables: Collection[str] | None = None,
    names_sources: bool = False,
) -> Iterator[duckdb.DuckDBPyConnection]:
    """`connect` for a block; Ctrl-C interrupts a query in it, and what it spilled to disk is gone afterwards.

    Args:
        dataset: one or several.
        query: the only one that will be run: tables that it does not name have no view.
        tables: the only tables and functions of ours that queries will name, many of them; all by default.
        names_sources: as for `connect`.
    """
    datasets, several = open_datasets(dataset)  # held until the end of the block: what they show stays readable
    with (
        scratch_folder() as spill,
        _connect(
            datasets,
            several=several,
            spill=spill,
            query=query,
            tables=tables,
            names_sources=names_sources,
            holds_short=tables is not None,
        ) as connection,
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
        names_sources: of several datasets put the dataset's name before names that may be the same in another one.

    Tables of up to :data:`SHORT` rows are held in memory.
    """
    datasets, several = open_datasets(dataset)
    spill = process_scratch_folder()
    return _connect(datasets, several=several, spill=spill, names_sources=names_sources, holds_short=True)


def _connect(
    datasets: Sequence[Dataset],
    *,
    several: bool,
    spill: Path,
    query: str | None = None,
    tables: Collection[str] | None = None,
    names_sources: bool = False,
    holds_short: bool = False,
) -> duckdb.DuckDBPyConnection:
    present = {name for each in datasets for name in each.tables}
    words = words_of(query) if tables is None else set(tables)
    named = _named(present if tables is None else present.intersection(tables), words)
    heights = {table: stated_height(datasets[0], table) if holds_short and not several else None for table in named}
    all_held = all(height is not None and height <= SHORT for height in heights.values())
    alike_parts = {table: alike(part for each in datasets for part in each.fingerprinted(table)) for table in named}
    groups = {table: [[str(part.resolve()) for part in group] for group in alike_parts[table]] for table in named}
    parts = {table: [part for group in groups[table] for part in group] for table in named}
    made: dict[str, list[str]] = {}
    databases = _shared.get() if all_held and not several else None
    if databases is None:
        connection = _opened(spill, all_held=all_held, files=[file for each in parts.values() for file in each])
    else:
        folder = datasets[0].path.resolve()
        if folder not in databases:
            databases[folder] = _opened(process_scratch_folder(), all_held=True, folders=[str(folder)]), made
        opened, made = databases[folder]
        connection = opened.cursor()
    viewed = set()
    for table, height in heights.items():
        if made.get(table) != parts[table]:
            try:
                if height == 0:  # like most tables of a short recording: to open a file takes longer
                    connection.execute(f"create or replace table {table} ({_schema.sql_columns(table)})")
                elif height is None or height > SHORT or not held(connection, table, parts[table]):
                    read = datasets if several else []
                    rows = rows_of(connection, table, groups[table], read, names_sources=names_sources)
                    rows.create_view(table)
            except duckdb.Error as error:
                if sentence := out_of_files(error):
                    raise WinfError(sentence) from None
                warnings.warn(damaged(datasets[0].path, table, error), DamagedTableWarning, stacklevel=2)
                continue
            made[table] = parts[table]
        viewed.add(table)
    for name, (statement, reads) in MACROS.items():
        if (words is None or name in words) and viewed.issuperset(reads):
            if PAUSES in statement:
                statement = statement.replace(PAUSES, pauses(datasets, names_sources=several and names_sources))
            connection.execute(statement)
    return connection


def _opened(
    spill: Path, *, all_held: bool, files: Sequence[str] = (), folders: Sequence[str] = ()
) -> duckdb.DuckDBPyConnection:
    """An empty database that can read these files, and those in these folders, and nothing else."""
    # Of tables that are held, each query is too short to be shared: to wake other threads takes longer.
    connection = duckdb.connect(":memory:", config={"threads": 1} if all_held else {})
    # DuckDB prints its progress to standard output, among the rows, where it takes the process for a notebook.
    connection.execute("set enable_progress_bar = false")
    connection.execute("set temp_directory = ?", [str(spill)])
    connection.execute(f"set max_temp_directory_size = '{_SPILL_BYTES >> 20}MiB'")
    # Half: the result is held once by DuckDB, and once as the table that is returned.
    connection.execute(f"set memory_limit = '{share(1, 2, at_most=memory_limit()) >> 20}MiB'")
    if all_held:
        steps = connection.execute("select name from duckdb_optimizers()").fetchall()
        connection.execute("set disabled_optimizers = ?", [",".join(name for (name,) in steps if name not in NEEDED)])
    # Without: as a join by the inequality, of all pairs, wherever few rows are expected and many come.
    connection.execute("set asof_loop_join_threshold = 0")
    connection.execute("set python_enable_replacements = false")
    connection.execute("set allowed_paths = ?", [[*files, *map(pattern, files)]])
    connection.execute("set allowed_directories = ?", [[*folders, *map(pattern, folders)]])
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
    return connection


@contextmanager
def one_database() -> Iterator[None]:
    """In this block short tables are read once, for all that connect to their dataset."""
    databases: dict[Path, tuple[duckdb.DuckDBPyConnection, dict[str, list[str]]]] = {}
    before = _shared.set(databases)
    try:
        yield
    finally:
        _shared.reset(before)
        for opened, _ in databases.values():
            opened.close()


def _named(tables: Iterable[str], words: set[str] | None) -> list[str]:
    """The tables whose names are among these words, or all tables where none is."""
    return sorted((words or set()).intersection(tables) or tables)


def run(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Mapping[str, ParameterValue] | None = None
) -> pl.DataFrame:
    """Run one SELECT on a connection from `connect`."""
    import polars as pl

    with told():
        relation = _as_text(_relation(connection, query, parameters), _UNKNOWN_TO_ARROW)
        try:
            # Through the Arrow PyCapsule interface, because DuckDB's own conversion requires pyarrow.
            return pl.DataFrame(_with_signs(relation))
        except pl.exceptions.DuplicateError:
            raise UsageError(SAME_NAME) from None
        except pl.exceptions.ComputeError as error:  # of DuckDB, where the first rows went well
            raise of_duckdb(str(error)) from None


def short_table(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Mapping[str, ParameterValue] | None = None
) -> pl.DataFrame:
    """What `run` returns of a query of this package that gives few rows: it is parsed and planned once, not twice."""
    import polars as pl

    types: dict[str, pl.DataType] = {
        **{"BOOLEAN": pl.Boolean(), "INTEGER": pl.Int32(), "BIGINT": pl.Int64(), "DOUBLE": pl.Float64()},
        "VARCHAR": pl.String(),
    }
    with told():
        found = connection.execute(query, dict(parameters) if parameters else None)
        stated = [(name, str(kind)) for name, kind, *_ in found.description or ()]
        rows = found.fetchall()
    if not types.keys() >= {kind for _, kind in stated}:
        return run(connection, query, parameters)
    return pl.DataFrame(rows, schema=[(name, types[kind]) for name, kind in stated], orient="row")


def records(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Mapping[str, ParameterValue] | None = None
) -> list[dict[str, Any]]:
    """The few rows of a query of this package, in half the time that `run` takes for its table."""
    with told():
        found = connection.execute(query, dict(parameters) if parameters else None)
        names = [name for name, *_ in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


SAME_NAME = "SQL: two columns of the result have the same name; rename one with AS."

_NUMBER = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?(INT|INTEGER)|DOUBLE|FLOAT|DECIMAL\(.*\)")


def _first_rows(relation: duckdb.DuckDBPyRelation, most: int) -> Rows:
    kinds = {
        name: Kind(numeric=bool(_NUMBER.fullmatch(str(kind))))
        for name, kind in zip(relation.columns, relation.types, strict=True)
    }
    if len(kinds) < len(relation.columns):
        raise UsageError(SAME_NAME)
    rows = _as_text(relation.limit(most + 1), _ZONED).fetchall()
    height = len(rows) if len(rows) <= most else relation.aggregate("count(*)").fetchall()[0][0]
    return Rows(kinds, rows[:most], height)


_ZONED = re.compile(r"^TIMESTAMP WITH TIME ZONE$")
"""Types that DuckDB hands to Python by a package that nothing else here needs."""

_UNKNOWN_TO_ARROW = re.compile(r"\b(UNION\(|VARIANT\b|BIGNUM\b)")
"""Types, also inside others, of which Polars makes nothing, or octets that say nothing."""


def _with_signs(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """Unsigned numbers of 128 bits as signed ones: in Arrow they would wrap, and the cast says which is too large."""
    kinds = zip(relation.columns, map(str, relation.types), strict=True)
    return _cast(relation, {name: kind.replace("UHUGEINT", "HUGEINT") for name, kind in kinds if "UHUGEINT" in kind})


def _as_text(relation: duckdb.DuckDBPyRelation, kinds: re.Pattern[str]) -> duckdb.DuckDBPyRelation:
    """The relation with columns of these types as text."""
    found = zip(relation.columns, map(str, relation.types), strict=True)
    return _cast(relation, {name: "varchar" for name, kind in found if kinds.search(kind)})


def _cast(relation: duckdb.DuckDBPyRelation, types: Mapping[str, str]) -> duckdb.DuckDBPyRelation:
    """The relation with these columns in other types."""
    if types and len(set(relation.columns)) < len(relation.columns):
        raise UsageError(SAME_NAME)
    quoted = {name.replace('"', '""'): kind for name, kind in types.items()}
    casts = ", ".join(f'"{name}"::{kind} as "{name}"' for name, kind in quoted.items())
    return relation.project(f"* replace ({casts})") if types else relation


def _relation(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Mapping[str, ParameterValue] | None
) -> duckdb.DuckDBPyRelation:
    query, parameters = in_utf8(query), {name: in_utf8(value) for name, value in (parameters or {}).items()}
    try:
        statements = connection.extract_statements(query)
    except duckdb.Error as error:
        raise UsageError(f"SQL: {error}") from None
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise UsageError("SQL: one SELECT statement is expected (the dataset is read-only).")
    rows = connection.sql(statements[0], params=parameters or None)
    for name, kind in zip(rows.columns, rows.types, strict=True):
        if "INTERVAL" in str(kind):
            raise UsageError(
                f"SQL: column {name} holds intervals of months, days and seconds; cast it, as in x::varchar."
            )
    return rows
