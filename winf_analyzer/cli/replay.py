"""`winf replay`: controllers in one world, and the table that compares them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from winf_analyzer._util.errors import UsageError
from winf_analyzer.cli.commands import example_text, names
from winf_analyzer.cli.console import tell
from winf_analyzer.cli.output import Format, write_table
from winf_analyzer.cli.verbosity import speaking

Controllers = Annotated[
    str | None, typer.Option(metavar="LIST", help="Comma-separated names of `winf list controllers`; all by default.")
]
Modes = Annotated[
    str, typer.Option(metavar="paper|corrected|both|paper_greedy", help="Which reading of the controllers' papers.")
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="CONTROLLER.CONSTANT=VALUE", help="Replace a controller's constant; repeatable."),
]


def replay(
    dataset: Annotated[
        Path | None,
        typer.Argument(metavar="[DATASET]", help="Replay against its recording, and keep the tables there."),
    ] = None,
    topology: Annotated[
        str | None, typer.Option(metavar="NAME|FILE.toml", help="A declared world: `winf list topologies`, or a file.")
    ] = None,
    controllers: Controllers = None,
    mode: Modes = "corrected",
    flows: Annotated[
        str | None, typer.Option(metavar="LIST", help="Comma-separated flows under study; all by default.")
    ] = None,
    transfers: Annotated[
        bool, typer.Option("--transfers", help="Replace recorded datagram flows with transfers under the controller.")
    ] = False,
    seeds: Annotated[int, typer.Option(metavar="N", help="How many seeds every controller runs with.")] = 1,
    duration: Annotated[
        str | None, typer.Option(metavar="TIME", help="Length of a run; the world's by default.")
    ] = None,
    bin_width: Annotated[
        str | None, typer.Option("--bin", metavar="TIME", help="Width of the tables' bins; 100ms by default.")
    ] = None,
    constants: Set = None,
    replay_id: Annotated[
        str | None, typer.Option("--id", metavar="NAME", help="Name in the tables; the world's by default.")
    ] = None,
    threads: Annotated[int, typer.Option(metavar="N", min=0, help="Runs at a time; 0: one per core.")] = 0,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="Without DATASET: make one of the tables.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing DIR.")] = False,
    to: Annotated[Format, typer.Option("--to", help="Form of the table on standard output.")] = Format.table,
) -> None:
    """Run congestion controllers against a recording or in a declared world, and compare them."""
    import winf_analyzer
    from winf_analyzer.cli import render

    result = winf_analyzer.replay(
        dataset,
        topology=topology,
        controllers=names(controllers),
        mode=mode,
        flows=names(flows),
        transfers=transfers,
        seeds=seeds,
        duration=duration,
        bin_width=bin_width,
        settings=settings(constants or []),
        replay_id=replay_id,
        output=output,
        force=force,
        threads=threads,
        progress=lambda run, number, total: tell(f"[{number}/{total}] {run}", style="dim", level=1),
    )
    for note in result.notes:
        tell(note)
    if to is Format.table:
        render.replayed(result)
    else:
        write_table(result.overview, to)
    if result.dataset is not None:
        tell(f"{result.dataset.path}: replay {result.replay_id!r} is in replay_flows, replay_links, replay_summary")


def settings(constants: list[str]) -> dict[str, dict[str, Any]]:
    """Constants by controller, of ``xcp.router.alpha=0.4``; values are JSON, or text."""
    found: dict[str, dict[str, Any]] = {}
    for given in constants:
        path, equals, text = given.partition("=")
        controller, *constant = path.split(".")
        if not (equals and controller and constant and all(constant)):
            raise UsageError(f"--set {given}: write CONTROLLER.CONSTANT=VALUE, for example cbr.rate_bps=500000.")
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        place = found.setdefault(controller, {})
        for part in constant[:-1]:
            place = place.setdefault(part, {})
            if not isinstance(place, dict):
                raise UsageError(f"--set {given}: {part} was given a value already.")
        place[constant[-1]] = value
    return found


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    epilog = example_text(
        "winf replay --topology stack --controllers new_reno,wcp,wcp_cap --seeds 10",
        "winf replay run.winf --controllers xcp_winf,rcp_winf --mode both",
    )
    app.command(epilog=epilog, no_args_is_help=True)(speaking(replay))
