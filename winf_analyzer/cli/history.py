"""`winf history`: the versions of a dataset."""

from __future__ import annotations

from winf_analyzer.cli.command import Command
from winf_analyzer.cli.options import DatasetPath, To
from winf_analyzer.cli.output import Format, write_table


def history(dataset: DatasetPath, to: To = Format.table) -> None:
    """List the versions of a dataset, the present one first: when, by which command, how much."""
    import winf_analyzer

    write_table(winf_analyzer.history(dataset), to)


COMMAND = Command("history", history, ("winf history run.winf", "winf history run.winf --to json"))
