"""`winf reproduce`: figures and claims of the papers, made here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_progress, print_status
from winf_analyzer.cli.options import To
from winf_analyzer.cli.output import Format, write_table


def reproduce(
    items: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ITEM]...", help="Items of docs/papers: S000-fig10a, S000-fig-10, or S000 fig10."),
    ] = None,
    list_: Annotated[
        bool, typer.Option("--list", help="List what can be reproduced, and whether it holds; of ITEM in words.")
    ] = False,
    everything: Annotated[bool, typer.Option("--all", help="Everything that can be reproduced.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions and places, shorter runs.")] = False,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder for figures, rows and runs; runs it holds are not repeated.")
    ] = Path("reproductions"),
    to: To = Format.table,
) -> None:
    """Run the scenes of figures and claims of the papers, and draw them beside what the papers print."""
    import winf_analyzer
    from winf_analyzer._papers.reproductions import reproductions

    if list_:
        listed = reproductions(items or ())
        shown = ("item", "holds", "results", *(("kept", "kept_full") if items else ("title",)))
        write_table(listed.select(shown) if to is Format.table else listed, to)
        return
    rows = winf_analyzer.reproduce(
        items or (), everything=everything, quick=quick, output=output, progress=print_progress
    )
    for item, verdict in rows.select("item", "verdict").unique(maintain_order=True).iter_rows():
        print_status(f"{item}: {verdict}")
    write_table(rows.drop("verdict"), to)


COMMAND = Command(
    "reproduce",
    reproduce,
    ("winf reproduce --list", "winf reproduce S000 fig10 --quick -o figures"),
    needs_arguments=True,
)
