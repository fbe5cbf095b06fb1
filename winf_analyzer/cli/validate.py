"""`winf validate`: predictions of what backlogged stations of recordings delivered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_status, report_damage
from winf_analyzer.cli.options import Inputs, To
from winf_analyzer.cli.output import Format, in_percent, write_table

if TYPE_CHECKING:
    from winf_analyzer import Validation


def validate(
    inputs: Inputs,
    window: Annotated[
        str, typer.Option(metavar="TIME", help="Width of the windows that are backlogged or not.")
    ] = "100ms",
    to: To = Format.table,
) -> None:
    """Predict what backlogged stations delivered from the rest of the recording, and score it; --to csv prints spells.

    While a station is backlogged, what it delivers is what a saturating flow gets.
    """
    import winf_analyzer

    result = winf_analyzer.validate(inputs, window=window, progress=lambda source: print_status(f"Reading {source}"))
    for problem in result.problems:
        print_status(f"skipped: {problem}", style="yellow")
    if to is Format.table:
        _print(result)
    else:
        write_table(result.spells, to)
    damage = report_damage(result.read)
    raise typer.Exit(3 if result.problems else damage)


def _print(result: Validation) -> None:
    """The summary by recorder, and why recordings without a spell have none."""
    import polars as pl

    shares = ("median", "p90", "bias", "coverage")
    title = "Backlogged spells: prediction against what was delivered, %"
    write_table(in_percent(result.summary, *shares), Format.table, title=title, decimals=1)
    reasons = result.recordings.filter(pl.col("reason").is_not_null())
    for source, reason in reasons.select("source", "reason").iter_rows():
        print_status(f"{source}: nothing to validate: {reason}.")


COMMAND = Command(
    "validate",
    validate,
    ("winf validate capture.pcap", "winf validate captures/ --to csv > spells.csv"),
)
