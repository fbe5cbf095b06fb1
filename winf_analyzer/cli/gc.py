"""`winf gc`: removal of a dataset's history."""

from __future__ import annotations

from typing import Annotated

import typer

from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_status
from winf_analyzer.cli.options import DatasetPath


def gc(
    dataset: DatasetPath,
    keep: Annotated[int, typer.Option(metavar="N", help="Number of earlier versions to keep.")] = 0,
) -> None:
    """Remove the earlier versions of a dataset, and what killed commands left in it."""
    import winf_analyzer

    removed = winf_analyzer.gc(dataset, keep=keep)
    print_status(f"{dataset}: removed {removed.manifests} versions, {removed.parts} parts, {removed.bytes} bytes")


COMMAND = Command("gc", gc, ("winf gc run.winf", "winf gc run.winf --keep 2"))
