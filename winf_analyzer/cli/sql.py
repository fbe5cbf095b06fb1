"""`winf sql`: a query from the command line, the registry, standard input or a prompt."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from winf_analyzer._util.errors import UsageError, WinfError
from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_status
from winf_analyzer.cli.options import DatasetPath, To, query_parameters
from winf_analyzer.cli.output import Format, write_table


def sql(
    dataset: DatasetPath,
    query: Annotated[
        str | None, typer.Argument(metavar="[QUERY|-]", help="One SELECT, or - for standard input.")
    ] = None,
    name: Annotated[str | None, typer.Option("--query", metavar="NAME", help="A query of `winf list queries`.")] = None,
    parameter: Annotated[
        list[str] | None, typer.Option("--param", "-p", metavar="NAME=VALUE", help="Value of a query's parameter.")
    ] = None,
    to: To = Format.table,
) -> None:
    """Query the dataset with SQL (DuckDB, read-only). Without a query: an interactive prompt."""
    import winf_analyzer
    from winf_analyzer._sql.named_queries import named_query

    values = query_parameters(parameter or [])
    if query is not None and name is not None:
        raise UsageError("give a query or --query NAME, not both.")
    if name is not None:
        known = named_query(name)
        write_table(winf_analyzer.sql(dataset, known, parameters=values), to, title=known.title)
    elif query is None and sys.stdin.isatty():
        _prompt(dataset, to)
    else:
        text = sys.stdin.read() if query in (None, "-") else query
        write_table(winf_analyzer.sql(dataset, text or "", parameters=values), to)


def _prompt(dataset: Path, to: Format) -> None:
    """Read queries line by line until the end of input; a semicolon ends a query."""
    import contextlib

    from winf_analyzer import Dataset
    from winf_analyzer._sql.query import connect, run

    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - line editing and history
    opened = Dataset.open(dataset)  # kept while the connection is in use
    with connect(opened) as connection:
        print_status("Tables: " + ", ".join(row[0] for row in connection.execute("show tables").fetchall()))
        print_status("End each SELECT with a semicolon. Exit with Ctrl-D.")
        lines: list[str] = []
        while True:
            try:
                lines.append(input("winf> " if not lines else "  ... "))
            except EOFError:
                return
            if lines[-1].rstrip().endswith(";"):
                try:
                    write_table(run(connection, "\n".join(lines)), to)
                except WinfError as error:
                    print_status(str(error), style="red")
                lines = []


COMMAND = Command(
    "sql",
    sql,
    (
        'winf sql run.winf "select kind, count(*) from frames group by kind"',
        "winf sql run.winf --query channel_busy",
    ),
)
