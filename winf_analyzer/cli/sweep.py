"""`winf sweep`: many runs of congestion controllers, over worlds, parameters and seeds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_status
from winf_analyzer.cli.options import Engine, Force, Jobs, Shard


def sweep(
    grid: Annotated[Path, typer.Argument(metavar="GRID.toml", help="Worlds, controllers, parameters and seeds.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DATASET", help="The dataset to create, or to go on with.")
    ],
    jobs: Jobs = None,
    shard: Shard = None,
    engine: Engine = "local",
    force: Force = False,
) -> None:
    """Replay controllers at every point of a grid; run what the dataset lacks, and go on where it was killed."""
    import winf_analyzer

    dataset = winf_analyzer.sweep(
        grid,
        output,
        jobs=jobs,
        shard=shard,
        engine=engine,
        force=force,
        progress=lambda what, done, total: print_status(f"[{done}/{total}] {what}", style="dim", level=1),
    )
    counts = winf_analyzer.sql(dataset, "select count(*), count(error) from points").row(0)
    print_status(f"{output}: {counts[0]} points; `winf report` draws them")
    if counts[1]:
        print_status(f"winf: {counts[1]} points failed; the column error of the table points says why", always=True)
        raise typer.Exit(3)


COMMAND = Command(
    "sweep",
    sweep,
    ("winf sweep queues.toml -o queues.winf", "winf sweep queues.toml -o part3.winf --shard 3/8"),
)
