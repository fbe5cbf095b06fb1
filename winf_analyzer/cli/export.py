"""`winf export`: a dataset for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from winf_analyzer.cli import completion
from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_progress, print_status
from winf_analyzer.cli.options import DatasetPath, Force


def export(
    dataset: DatasetPath,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="FORMAT",
            autocompletion=completion.exports,
            help="mahimahi, netem, csv, arrow, duckdb or perfetto.",
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="OUT", help="The file or folder to create.")],
    force: Force = False,
) -> None:
    """Write a dataset for another tool: traces of links, tables, a database, or a trace for the Perfetto viewer.

    `winf list exports` describes the formats. mahimahi, csv and arrow make a folder, the others a file.
    """
    import winf_analyzer

    exported = winf_analyzer.export(dataset, output, to=to, force=force, progress=print_progress)
    for note in exported.notes:
        print_status(note)
    print_status(f"{to}: {exported.path}", always=True)


COMMAND = Command(
    "export",
    export,
    ("winf export run.winf --to perfetto -o run.pftrace", "winf export run.winf --to csv -o tables/"),
)
