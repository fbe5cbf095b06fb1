"""`winf list`: the registries, and the columns of the tables."""

from __future__ import annotations

from typing import Annotated

import typer

from winf_analyzer import registry
from winf_analyzer.cli.command import Command
from winf_analyzer.cli.options import To
from winf_analyzer.cli.output import Format, write_table
from winf_analyzer.registry import Registry


def list_registry(
    what: Annotated[
        Registry,
        typer.Argument(
            metavar="WHAT", help="formats, estimators, controllers, topologies, queries, findings, exports or tables."
        ),
    ],
    to: To = Format.table,
) -> None:
    """List the formats, estimators, controllers, topologies, queries, findings, exports, or the tables' columns."""
    write_table(registry.rows(what) if to is Format.table else registry.list(what), to)


COMMAND = Command("list", list_registry, ("winf list queries", "winf list tables --to csv"), computes=False)
