"""`winf list`: the registries, and the columns of the tables."""

from __future__ import annotations

from typing import Annotated

import typer

from winf_analyzer.cli.output import Format
from winf_analyzer.cli.verbosity import speaking
from winf_analyzer.registry import Registry


def list_registry(
    what: Annotated[
        Registry,
        typer.Argument(metavar="WHAT", help="formats, estimators, controllers, topologies, queries or tables."),
    ],
    to: Annotated[Format, typer.Option("--to", help="Form of the table on standard output.")] = Format.table,
) -> None:
    """List what winf knows: formats, estimators, controllers, topologies, queries, and the tables' columns."""
    import winf_analyzer
    from winf_analyzer.cli.output import write_table

    write_table(winf_analyzer.list(what), to)


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    from winf_analyzer.cli.commands import example_text

    epilog = example_text("winf list queries", "winf list tables --to csv")
    app.command("list", epilog=epilog, no_args_is_help=True)(speaking(list_registry))
