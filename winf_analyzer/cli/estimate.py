"""`winf estimate`: the estimators over a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from winf_analyzer.cli import completion
from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_status
from winf_analyzer.cli.options import Again, DatasetPath, Mac, To, Window, names
from winf_analyzer.cli.output import Format, in_mbps, write_table

if TYPE_CHECKING:
    import polars as pl


def estimate(
    dataset: DatasetPath,
    estimators: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            autocompletion=completion.estimators,
            help="Comma-separated names of `winf list estimators`; default: all.",
        ),
    ] = None,
    mode: Annotated[
        str,
        typer.Option(
            metavar="paper|corrected|both",
            autocompletion=completion.modes,
            help="The published formulas, the corrected ones, or both.",
        ),
    ] = "both",
    window: Window = "1s",
    step: Annotated[str | None, typer.Option(metavar="TIME", help="Slide step; default: tumbling windows.")] = None,
    per_exchange: Annotated[
        bool, typer.Option("--per-exchange", help="One row per exchange, over the window that ends with it.")
    ] = False,
    running: Annotated[
        bool, typer.Option("--running", help="Cumulative windows from the first exchange on, as in the paper.")
    ] = False,
    node: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Print only the rows of this node.")] = None,
    cooperate: Annotated[
        bool, typer.Option(help="The sender reports the lower of its own and the receiver's values, or only its own.")
    ] = True,
    mac: Mac = None,
    probe: Annotated[
        str,
        typer.Option(
            metavar="any|subtype_1001",
            help="What rt_winf measures without RTS/CTS: any DATA/ACK, or only the paper's probe frames.",
        ),
    ] = "any",
    again: Again = False,
    every: Annotated[
        bool, typer.Option("--all", help="Print the medians of every estimator besides the recommended answers.")
    ] = False,
    recommended: Annotated[
        bool, typer.Option("--recommended", help="With --to: print the recommended table instead of the estimates.")
    ] = False,
    to: To = Format.table,
) -> None:
    """Estimate capacity and available bandwidth; write the tables, and print the recommended answers."""
    from winf_analyzer._dataset.dataset import Dataset
    from winf_analyzer.cli.recommended import print_recommended
    from winf_analyzer.estimators._write import write_estimates

    before = _held(dataset)
    estimates = write_estimates(
        dataset,
        estimators=names("--estimators", estimators),
        mode=mode,
        window=window,
        step=step,
        per_exchange=per_exchange,
        running=running,
        node=node,
        cooperate=cooperate,
        probe=probe,
        mac=mac,
        again=again,
    )
    _tell_of_dropped(before, _held(dataset), dataset)
    if to is not Format.table:
        table = Dataset.open(dataset).scan("recommended") if recommended else estimates
        write_table(table.collect(), to)
        return
    print_recommended(Dataset.open(dataset))
    if every or estimators is not None or node is not None:
        print_medians(estimates)
    else:
        print_status("--all prints the medians of every estimator; --recommended --to csv prints the answers.")


def _held(dataset: Path) -> tuple[set[str], bool]:
    """The estimators that a dataset has rows of, and whether it has been compared with ground truth."""
    from winf_analyzer._dataset.dataset import Dataset

    opened = Dataset.open(dataset)
    names: set[str] = set()
    if opened.parts("estimates"):
        names = set(opened.scan("estimates").select("estimator").unique().collect(engine="streaming")["estimator"])
    compared = bool(opened.parts("scores")) and not opened.scan("scores").limit(1).collect().is_empty()
    return names, compared


def _tell_of_dropped(before: tuple[set[str], bool], after: tuple[set[str], bool], dataset: Path) -> None:
    """Say which rows of earlier commands are gone, because they were of other windows or of other estimates."""
    if gone := sorted(before[0] - after[0]):
        print_status(
            f"The estimates of {', '.join(gone)} were of other windows or settings and are gone; `winf undo {dataset}`"
            " brings them back.",
            style="yellow",
        )
    if before[1] and not after[1]:
        print_status(
            "The comparison with ground truth rested on the estimates before and is gone; run `winf compare` again.",
            style="yellow",
        )


def print_medians(estimates: pl.LazyFrame) -> None:
    """Print medians over the windows per link or path, and how many rows the table has."""
    import polars as pl

    from winf_analyzer._evaluate.medians import link_medians

    title = "Medians over the windows: capacity and available bandwidth, Mb/s"
    write_table(in_mbps(link_medians(estimates)), Format.table, title=title)
    rows = estimates.select(pl.len()).collect().item()
    print_status(f"The estimates table has {rows} rows, one per window; --to csv prints them.")


COMMAND = Command(
    "estimate",
    estimate,
    ("winf estimate run.winf --recommended --to json", "winf estimate run.winf --window 1s --step 100ms --all"),
)
