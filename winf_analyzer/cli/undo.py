"""`winf undo`: back to an earlier version of a dataset."""

from __future__ import annotations

from typing import Annotated

import typer

from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_status
from winf_analyzer.cli.options import DatasetPath


def undo(
    dataset: DatasetPath,
    version: Annotated[
        int | None, typer.Option(metavar="N", help="Version, as `winf history` has it; default: the last one.")
    ] = None,
) -> None:
    """Publish an earlier version of a dataset again. Undo can be undone: nothing is removed."""
    import winf_analyzer

    restored = winf_analyzer.undo(dataset, version=version)
    print_status(f"{dataset}: version {restored.metadata['version']}, {restored.metadata['action']}")


COMMAND = Command("undo", undo, ("winf undo run.winf", "winf undo run.winf --version 3"))
