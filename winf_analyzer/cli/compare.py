"""`winf compare`: estimates against ground truth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from winf_analyzer._util.format import printable
from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_status
from winf_analyzer.cli.options import Again, Iperf, To, link_ends
from winf_analyzer.cli.output import Format, in_mbps, in_percent, write_table

if TYPE_CHECKING:
    from winf_analyzer import Comparison


def compare(
    dataset: Annotated[
        str, typer.Argument(metavar="DATASET...", help="Datasets, folders of datasets, or globs.", show_default=False)
    ],
    more: Annotated[list[Path] | None, typer.Argument(metavar="FILE", hidden=True)] = None,
    iperf: Iperf = None,
    offset: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="What is added to the logs' times, such as -2.5s, default: found by alignment. Where the log or the"
            " recording has no absolute time: from the first exchange to the start of the log.",
        ),
    ] = None,
    link: Annotated[
        str | None,
        typer.Option(metavar="SENDER,RECEIVER", help="The link of the flow, if the recording does not show it."),
    ] = None,
    again: Again = False,
    every: Annotated[bool, typer.Option("--all", help="Print the scores of every estimator.")] = False,
    to: To = Format.table,
) -> None:
    """Score every estimate against ground truth; write the scores and comparison tables and print the scores.

    Without --iperf the ground truth is each dataset's own truth table.
    """
    import winf_analyzer
    from winf_analyzer._sql.datasets import datasets_at

    datasets = [dataset, *(str(path) for path in more or () if datasets_at(path))]
    logs = [*(iperf or []), *(path for path in more or () if str(path) not in datasets)]
    given = datasets[0] if len(datasets) == 1 else datasets
    result = winf_analyzer.compare(given, logs, offset=offset, link=link_ends(link), again=again)
    if to is Format.table:
        print_scores(result, every=every)
    else:
        _print_messages(result)
        write_table(result.scores, to)
    raise typer.Exit(3 if result.problems else 0)


def print_scores(result: Comparison, *, every: bool = False) -> None:
    """Print how flows were found, and the scores of the recommended answers and replays, or of every estimator."""
    _print_messages(result)
    import polars as pl

    link = pl.format("{} > {}", "sender", "receiver").alias("link")
    rows = result.ranking
    own = pl.col("estimator").is_in(["recommended", "recording"]) | (pl.col("quantity") == "replayed")
    hint = "Each link is scored from one node's view, the sender's if there is one; --to csv prints all views."
    if not every and not (shown := rows.filter(own)).is_empty():
        rows = shown
        hint += " --all prints the scores of every estimator."
    rows = in_percent(
        in_mbps(rows.select("log", link, pl.exclude("log", "sender", "receiver", "sender_idle_share"))),
        "mape",
        "within_bounds",
    )
    title = "Against ground truth, least error first: means over the windows, Mb/s and %"
    least = ("log", "mode", "correlation", "within_bounds_%", "rmse", "mae", "windows", "bias")
    write_table(rows, Format.table, title=title, decimals=3, least=least)
    for sentence in result.verdict:
        print(printable(sentence))
    print_status(hint)


def _print_messages(result: Comparison) -> None:
    for note in result.notes:
        print_status(note)
    for problem in result.problems:
        print_status(f"winf: {problem}", style="yellow", always=True)


COMMAND = Command(
    "compare",
    compare,
    (
        "winf compare run.winf --iperf client.json server.json",
        "winf compare 'campaign/*.winf' --to json",
    ),
)
