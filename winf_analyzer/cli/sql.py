"""`winf sql`: a query from the command line, the registry, standard input or a prompt."""

from __future__ import annotations

import sys
from pathlib import Path

from winf_analyzer._util.errors import UsageError, WinfError
from winf_analyzer.cli.console import tell
from winf_analyzer.cli.output import Format, write_table


def ask(dataset: Path, query: str | None, name: str | None, parameters: list[str], to: Format) -> None:
    """Answer one query, or prompt for queries where none is given and a person is there to type."""
    from winf_analyzer._sql.named_queries import question
    from winf_analyzer._sql.query import sql

    if query is not None and name is not None:
        raise UsageError("give a query or --query NAME, not both.")
    if name is not None:
        asked = question(name)
        write_table(sql(dataset, asked, parameters=_values(parameters)), to, title=asked.title)
        return
    if query is None and sys.stdin.isatty():
        _prompt(dataset, to)
        return
    text = sys.stdin.read() if query in (None, "-") else query
    write_table(sql(dataset, text or "", parameters=_values(parameters)), to)


def _values(parameters: list[str]) -> dict[str, str | int | float]:
    values: dict[str, str | int | float] = {}
    for given in parameters:
        name, equals, text = given.partition("=")
        if not equals:
            raise UsageError(f"--param {given}: write NAME=VALUE.")
        values[name] = _number(text)
    return values


def _number(text: str) -> str | int | float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _prompt(dataset: Path, to: Format) -> None:
    """Read queries line by line until the end of input; a query ends with a semicolon."""
    import contextlib

    from winf_analyzer._sql.query import connect, run

    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - line editing and history
    with connect(dataset) as connection:
        tell("Tables: " + ", ".join(row[0] for row in connection.execute("show tables").fetchall()))
        tell("One SELECT per query, ended by a semicolon. Leave with Ctrl-D.")
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
                    tell(str(error), style="red")
                lines = []
