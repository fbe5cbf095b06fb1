"""`winf collect`: the datasets of all shards into one."""

from __future__ import annotations

from typing import Annotated

import typer

from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_status, report_damage
from winf_analyzer.cli.options import DatasetOutput, Force


def collect(
    shards: Annotated[
        list[str], typer.Argument(metavar="PART...", help="Datasets made with --shard, folders of them, or globs.")
    ],
    output: DatasetOutput,
    force: Force = False,
) -> None:
    """Join the datasets of all shards, in any order, into the one that a single process makes."""
    import winf_analyzer

    dataset = winf_analyzer.collect(shards, output, force=force)
    code = report_damage(dataset.metadata)
    rows = sum(part["rows"] for entries in dataset.metadata["tables"].values() for part in entries)
    print_status(f"{output}: {rows} rows in all tables")
    raise typer.Exit(code)


COMMAND = Command(
    "collect", collect, ("winf collect part*.winf -o run.winf", "winf collect 'parts/*.winf' -o sweep.winf")
)
