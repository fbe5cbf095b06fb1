"""`winf export`: a dataset for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from winf_analyzer._util.errors import UsageError, WinfError
from winf_analyzer.cli import completion
from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_progress, print_status
from winf_analyzer.cli.options import DatasetPaths, Force


def export(
    datasets: DatasetPaths,
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

    `winf list exports` describes the formats. mahimahi, csv and arrow make a folder, the others a file. Of several
    datasets OUT is a folder with an export of each, under the dataset's name.
    """
    import winf_analyzer

    for dataset, place in _places(datasets, output, to):
        exported = winf_analyzer.export(dataset, place, to=to, force=force, progress=print_progress)
        for note in exported.notes:
            print_status(note)
        print_status(f"{to}: {exported.path}", always=True)


def _places(datasets: list[str], output: Path, to: str) -> list[tuple[Path, Path]]:
    """Each dataset, and where its export is written."""
    from winf_analyzer._export.targets import target
    from winf_analyzer._sql.datasets import paths_of_datasets

    ending = target(to).ending
    paths, several = paths_of_datasets(datasets)
    if not several:
        return [(paths[0], output)]
    places = [output / f"{path.resolve().name.removesuffix('.winf')}{ending}" for path in paths]
    if len(set(places)) < len(places):
        raise UsageError("Two of the datasets have the same name: export them one by one.")
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WinfError(f"{output}: cannot be written: {error.strerror or error}.") from error
    return list(zip(paths, places, strict=True))


COMMAND = Command(
    "export",
    export,
    ("winf export run.winf --to perfetto -o run.pftrace", "winf export run.winf --to csv -o tables/"),
)
