"""`winf check`: whether a dataset is what its manifest says."""

from __future__ import annotations

import typer

from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_status
from winf_analyzer.cli.options import DatasetPath, To
from winf_analyzer.cli.output import Format, write_table


def check(dataset: DatasetPath, to: To = Format.table) -> None:
    """Verify size, SHA-256, rows and columns of every part. One line per fault, and exit code 1 if there is any."""
    import winf_analyzer

    faults = winf_analyzer.check(dataset)
    if to != Format.table:
        write_table(faults, to)
    else:
        for path, fault in faults.iter_rows():
            print(f"{path}: {fault}")
    if faults.height:
        raise typer.Exit(1)
    print_status(f"{dataset}: whole")


COMMAND = Command("check", check, ("winf check run.winf", "winf check run.winf --to json"))
