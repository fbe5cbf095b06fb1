"""`winf check`: whether a dataset is what its manifest says."""

from __future__ import annotations

from typing import Annotated

import typer

from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_status
from winf_analyzer.cli.options import DatasetPath, To
from winf_analyzer.cli.output import Format, write_table


def check(
    dataset: DatasetPath,
    public: Annotated[
        bool, typer.Option("--public", help="Check as well that nothing in it names a station, host, network or file.")
    ] = False,
    to: To = Format.table,
) -> None:
    """Verify size, SHA-256, rows and columns of every part. One line per fault, and exit code 1 if there is any."""
    import polars as pl

    import winf_analyzer

    faults = winf_analyzer.check(dataset)
    if public:
        told = [problem.partition(": ")[::2] for problem in winf_analyzer.check_public(dataset)]
        faults = pl.concat([faults, pl.DataFrame(told, faults.schema, orient="row")])
    if to != Format.table:
        write_table(faults, to)
    else:
        for path, fault in faults.iter_rows():
            print(f"{path}: {fault}")
    if faults.height:
        raise typer.Exit(1)
    print_status(f"{dataset}: whole{', and fit to be published' if public else ''}")


COMMAND = Command("check", check, ("winf check run.winf", "winf check public.winf --public"))
