"""`winf list`: the registries, and the columns of the tables."""

from __future__ import annotations

from typing import Annotated

import typer

from winf_analyzer.cli.command import Command
from winf_analyzer.cli.options import To
from winf_analyzer.cli.output import Format, write_table
from winf_analyzer.registry import Registry


def list_registry(
    what: Annotated[
        Registry,
        typer.Argument(
            metavar="WHAT", help="formats, estimators, controllers, topologies, queries, findings or tables."
        ),
    ],
    to: To = Format.table,
) -> None:
    """List the supported formats, estimators, controllers, topologies, queries, findings, or the tables' columns."""
    import winf_analyzer

    write_table(winf_analyzer.list(what), to)


COMMAND = Command("list", list_registry, ("winf list queries", "winf list tables --to csv"), computes=False)
