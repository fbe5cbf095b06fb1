"""`winf sql`: a query from the command line, the registry, standard input or a prompt."""

from __future__ import annotations

import glob
import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from winf_analyzer._util.allocations import limited_allocations
from winf_analyzer._util.errors import UsageError
from winf_analyzer.cli import completion
from winf_analyzer.cli.command import Command
from winf_analyzer.cli.options import To, query_parameters
from winf_analyzer.cli.output import MAX_PRINTED_ROWS, Format, write_table

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._util.rows import Rows


def sql(
    context: typer.Context,
    datasets: Annotated[
        list[str],
        typer.Argument(
            metavar="DATASET... [QUERY|-]",
            help="Datasets, folders of datasets or globs; then one SELECT, or - for standard input.",
        ),
    ],
    name: Annotated[
        str | None,
        typer.Option(
            "--query", metavar="NAME", autocompletion=completion.queries, help="A query of `winf list queries`."
        ),
    ] = None,
    parameter: Annotated[
        list[str] | None, typer.Option("--param", "-p", metavar="NAME=VALUE", help="Value of a query's parameter.")
    ] = None,
    to: To = Format.table,
) -> None:
    """Query datasets with SQL (DuckDB, read-only). Without a query: an interactive prompt.

    Of several datasets every table has the rows of all, and a column `dataset`. In place of a query: .tables,
    .columns TABLE, .queries, or .run NAME, as at the prompt; from standard input also several, one per line.
    """
    import winf_analyzer
    from winf_analyzer._sql.named_queries import named_query
    from winf_analyzer._sql.query import sql_rows

    values = query_parameters(parameter or [])
    paths, query = _split(datasets)
    if query is not None and (source := context.get_parameter_source("name")) and source.name != "COMMANDLINE":
        name = None  # a default, and what is written on the command line counts first
    if query is not None and name is not None:
        raise UsageError("give a query or --query NAME, not both.")
    if sys.stdin is None and name is None and query in (None, "-"):
        raise UsageError("standard input is closed; give a query.")
    if query is None and name is None and sys.stdin.isatty():
        from winf_analyzer.cli.prompt import read_queries

        read_queries(paths, to)
        return
    known = named_query(name) if name is not None else None
    asked = _text(query) if known is None else known
    if isinstance(asked, str):
        from winf_analyzer.cli.prompt import answer_commands, is_command

        if is_command(asked):
            answer_commands(paths, asked, to)
            return
    rows: pl.DataFrame | Rows
    with limited_allocations():
        if to is Format.table:
            rows = sql_rows(paths, asked, MAX_PRINTED_ROWS, parameters=values)
        else:
            rows = winf_analyzer.sql(paths, asked, parameters=values)
    write_table(rows, to, title=None if known is None else known.title)


def _text(query: str | None) -> str:
    """The query, or what standard input holds in its place."""
    text = query if query not in (None, "-") else sys.stdin.read(MAX_QUERY + 1)
    if len(text) > MAX_QUERY:
        raise UsageError(f"SQL: the query is longer than {MAX_QUERY} characters.")
    return text


MAX_QUERY = 1 << 20
"""Characters of a query."""


def _split(arguments: list[str]) -> tuple[list[str], str | None]:
    """Datasets and query: the last of several arguments is the query, unless it names datasets."""
    *paths, last = arguments
    exists = os.path.exists(last)  # noqa: PTH110 (a query may be too long for a path)
    names_datasets = exists or last.endswith(".winf") or _is_glob_of_datasets(last)
    if paths and (last == "-" or not names_datasets):
        return paths, last
    return arguments, None


def _is_glob_of_datasets(text: str) -> bool:
    return glob.has_magic(text) and bool(glob.glob(text))  # noqa: PTH207 (Path.glob takes no absolute patterns)


COMMAND = Command(
    "sql",
    sql,
    (
        'winf sql run.winf "select kind, count(*) from frames group by kind"',
        "winf sql 'campaign/*.winf' --query channel_busy",
    ),
)
