"""`winf repair`: what can be rebuilt of a damaged dataset."""

from __future__ import annotations

import typer

from winf_analyzer._util.format import printable
from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_status
from winf_analyzer.cli.options import DatasetPath


def repair(dataset: DatasetPath) -> None:
    """Rebuild what can be rebuilt: the manifest, derived tables. Exit code 1 if faults remain, one line for each."""
    import winf_analyzer

    repaired = winf_analyzer.repair(dataset)
    for sentence in repaired.done:
        print_status(f"repaired: {sentence}", always=True)
    for sentence in repaired.left:
        print(printable(sentence))
    if repaired.left:
        raise typer.Exit(1)
    print_status(f"{dataset}: whole")


COMMAND = Command("repair", repair, ("winf repair run.winf", "winf repair run.winf -q"))
