"""The prompt of `winf sql`: queries, and a few words that are none."""

from __future__ import annotations

import atexit
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from winf_analyzer._util.errors import UsageError, WinfError
from winf_analyzer.cli.console import finish_line, print_status
from winf_analyzer.cli.output import Format, write_table

if TYPE_CHECKING:
    import duckdb
    import polars as pl

HISTORY_LINES = 1000

WORDS = ("help", "?", "\\d", "show tables")
"""Commands without a dot."""

HELP = """\
SELECT ...;         a query, which may have several lines and ends with a semicolon
.tables             the tables and what a row of each is
.columns TABLE      the columns of a table, with units and meanings
.queries            the queries of the registry
.run NAME           one of them, with its default parameters
help, quit          also .help, .quit, exit, Ctrl-D"""


def read_queries(datasets: list[str], to: Format) -> None:
    """Read queries line by line until the end of input; a semicolon ends a query."""
    from winf_analyzer._sql.query import connected

    finish_line()
    _keep_history()
    with connected(datasets) as connection:
        print_status("Tables: " + ", ".join(_names(connection)))
        print_status("End each SELECT with a semicolon. help: what else there is. quit, or Ctrl-D: the end.")
        _complete_names(connection)
        lines: list[str] = []
        while True:
            try:
                line = input("winf> " if not lines else "  ... ")
            except EOFError:
                return
            if not lines and not line.strip():
                continue
            word = line.strip().rstrip(";").lower()
            if not lines and word in ("quit", "exit", ".quit", ".exit", "\\q"):
                return
            lines.append(line)
            command = len(lines) == 1 and is_command(line)
            if not (command or line.rstrip().endswith(";")):
                continue
            text, lines = "\n".join(lines), []
            try:
                _answer(datasets, connection, text, to, is_command=command)
            except WinfError as error:
                print_status(str(error), style="red")


def is_command(text: str) -> bool:
    """Whether this is a command of the prompt, or several, and no query."""
    return text.lstrip().startswith(".") or text.strip().rstrip(";").lower() in WORDS


def answer_commands(datasets: list[str], text: str, to: Format) -> None:
    """Answer commands of the prompt, one per line, that came without a prompt.

    Raises:
        UsageError: an unknown command, or a line that is none.
    """
    from winf_analyzer._sql.query import connected

    lines = [line for line in text.splitlines() if line.strip()]
    for line in lines:
        if not is_command(line):
            raise UsageError(f"{line.strip()}: no command; without the prompt, give commands or one query, not both.")
    with connected(datasets) as connection:
        for line in lines:
            _answer(datasets, connection, line, to, is_command=True)


def _answer(
    datasets: list[str], connection: duckdb.DuckDBPyConnection, text: str, to: Format, *, is_command: bool
) -> None:
    from winf_analyzer._sql.query import run
    from winf_analyzer._util.allocations import limited_allocations

    if not is_command:
        with limited_allocations():
            rows = run(connection, text)
        write_table(rows, to)
        return
    word, *arguments = text.strip().rstrip(";").split()
    match word.lower().lstrip("."):
        case "help" | "?":
            print(HELP)
        case "tables" | "\\d" | "show":
            write_table(_tables(connection), to)
        case "columns" | "schema":
            write_table(_columns(arguments), to)
        case "queries":
            import winf_analyzer

            write_table(winf_analyzer.list("queries"), to)
        case "run":
            import winf_analyzer
            from winf_analyzer._sql.named_queries import named_query

            if len(arguments) != 1:
                raise UsageError("write .run NAME; .queries lists the names.")
            known = named_query(arguments[0])
            with limited_allocations():
                rows = winf_analyzer.sql(datasets, known)  # in which the names of several datasets are apart
            write_table(rows, to, title=known.title)
        case other:
            raise UsageError(f"no command .{other}; help lists them.")


def _names(connection: duckdb.DuckDBPyConnection) -> list[str]:
    return [row[0] for row in connection.execute("show tables").fetchall()]


def _tables(connection: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    import polars as pl

    from winf_analyzer._schema import tables

    rows = {table.name: table.row for table in tables()}
    names = _names(connection)
    return pl.DataFrame({"table": names, "row": [rows.get(name) for name in names]})


def _columns(arguments: list[str]) -> pl.DataFrame:
    import polars as pl

    import winf_analyzer

    listed = winf_analyzer.list("tables")
    if len(arguments) != 1 or arguments[0] not in listed["table"]:
        raise UsageError("write .columns TABLE; .tables lists the names.")
    return listed.filter(pl.col("table") == arguments[0]).select("column", "type", "unit", "meaning")


def _complete_names(connection: duckdb.DuckDBPyConnection) -> None:
    """Let the tab key complete names of tables, columns and queries."""
    with suppress(ImportError):
        import readline

        from winf_analyzer._schema import tables
        from winf_analyzer._sql.named_queries import named_queries

        names = _names(connection)
        columns = {column for table in tables() if table.name in names for column in table.names}
        words = sorted({*names, *columns, *named_queries(), ".tables", ".columns", ".queries", ".run", "help", "quit"})

        def complete(text: str, number: int) -> str | None:
            found = [word for word in words if word.startswith(text)]
            return found[number] if number < len(found) else None

        readline.set_completer(complete)
        readline.set_completer_delims(" \t\n(),;=<>")
        readline.parse_and_bind("tab: complete")


def history_file() -> Path:
    """Where the lines of former prompts are kept."""
    state = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(state).expanduser() / "winf" / "sql_history"


def _keep_history() -> None:
    """Let former lines be recalled, and keep those of this prompt, for this user alone."""
    try:
        import readline
    except ImportError:
        return
    path = history_file()
    with suppress(OSError):
        readline.read_history_file(path)
    readline.set_history_length(HISTORY_LINES)

    def keep() -> None:
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)
            readline.write_history_file(path)

    atexit.register(keep)
