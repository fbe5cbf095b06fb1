"""`winf report`: the HTML report of a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_status
from winf_analyzer.cli.options import DatasetPaths, Force


def report(
    datasets: DatasetPaths,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE.html", help="The report to write.")],
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="New folder for each panel's rows (Parquet, CSV) and each figure (SVG)."),
    ] = None,
    force: Force = False,
) -> None:
    """Write the report of a dataset, or of several: one HTML file that needs no network connection."""
    import winf_analyzer

    path = winf_analyzer.report(datasets, output, data=data, force=force)
    print_status(f"report: {path}", always=True)


COMMAND = Command(
    "report",
    report,
    (
        "winf report run.winf -o run.html --data run-data",
        "winf report 'campaign/*.winf' -o campaign.html",
    ),
)
