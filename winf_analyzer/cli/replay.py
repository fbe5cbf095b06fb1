"""`winf replay`: congestion controllers in one world, and the table that compares them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from winf_analyzer.cli import completion
from winf_analyzer.cli.command import Command
from winf_analyzer.cli.console import print_status
from winf_analyzer.cli.options import Again, Shard, To, changes_and_settings, names
from winf_analyzer.cli.output import Format, write_table

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer import Replayed


def replay(
    dataset: Annotated[
        Path | None,
        typer.Argument(metavar="[DATASET]", help="Replay against its recording, and write the tables into it."),
    ] = None,
    topology: Annotated[
        str | None,
        typer.Option(
            autocompletion=completion.topologies,
            metavar="NAME|FILE.toml",
            help="A declared world: a name of `winf list topologies`, or a file.",
        ),
    ] = None,
    controllers: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            autocompletion=completion.controllers,
            help="Comma-separated names of `winf list controllers`; default: all.",
        ),
    ] = None,
    mode: Annotated[
        str,
        typer.Option(metavar="paper|corrected|both|paper_greedy", help="Controllers as published, corrected, or both."),
    ] = "corrected",
    flows: Annotated[
        str | None, typer.Option(metavar="LIST", help="Comma-separated flows under study; default: all.")
    ] = None,
    transfers: Annotated[
        bool,
        typer.Option(
            "--transfers",
            help="Replace UDP flows, and TCP flows that waited for their application, with bulk transfers.",
        ),
    ] = False,
    without: Annotated[
        list[str] | None, typer.Option("--without", metavar="FLOW", help="Leave this flow out; repeatable.")
    ] = None,
    add_flow: Annotated[
        list[str] | None,
        typer.Option(
            "--add-flow",
            metavar="FROM>TO[,..]",
            help="Add a bulk TCP flow, or UDP with rate=: A>B,rate=1M,size=1000,start=1s,stop=9s,name=N; repeatable.",
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(metavar="N", help="Number of seeds per controller.")] = 1,
    draws: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Worlds drawn over what the recording leaves open, for 90 % intervals; default: 10, 0: none.",
        ),
    ] = None,
    duration: Annotated[str | None, typer.Option(metavar="TIME", help="Length of a run; default: the world's.")] = None,
    bin_width: Annotated[
        str | None, typer.Option("--bin", metavar="TIME", help="Bin width of the tables; default: 100ms.")
    ] = None,
    constants: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change the world (queue=20, link.rate=2x, link.A>B.loss=0.1, mac.cw_min=31) or a controller's "
            "constant (cbr.rate_bps=500000); repeatable.",
        ),
    ] = None,
    save_world: Annotated[
        Path | None,
        typer.Option(metavar="FILE.toml", help="Write the world to a new file, which --topology replays."),
    ] = None,
    replay_id: Annotated[
        str | None,
        typer.Option(
            "--id",
            metavar="NAME",
            help="Name of the replay in the tables, where it replaces one of that name; default: the world's.",
        ),
    ] = None,
    threads: Annotated[int, typer.Option(metavar="N", min=0, help="Parallel runs; 0: one per core.")] = 0,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="Without DATASET: the dataset to create.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing DIR.")] = False,
    again: Again = False,
    shard: Shard = None,
    to: To = Format.table,
) -> None:
    """Run congestion controllers against a recording or in a declared world, and compare them."""
    import winf_analyzer

    changes, settings = changes_and_settings(constants or [])
    result = winf_analyzer.replay(
        dataset,
        topology=topology,
        controllers=names("--controllers", controllers),
        mode=mode,
        flows=names("--flows", flows),
        transfers=transfers,
        without=without or [],
        add_flows=add_flow or [],
        changes=changes,
        seeds=seeds,
        draws=draws,
        duration=duration,
        bin_width=bin_width,
        settings=settings,
        save_world=save_world,
        replay_id=replay_id,
        output=output,
        force=force,
        threads=threads,
        again=again,
        shard=shard,
        progress=lambda run, number, total: print_status(f"[{number}/{total}] {run}", style="dim", level=1),
    )
    for note in result.notes:
        print_status(note)
    if to is Format.table:
        several = result.summary["flow"].n_unique() > 1
        _print_overview(result, result.overview if several else result.totals)
    else:
        write_table(result.overview, to)
    if result.dataset is not None:
        print_status(
            f"{result.dataset.path}: replay {result.replay_id!r} is in replay_flows, replay_links, replay_summary"
        )


def print_totals(result: Replayed) -> None:
    """Print one row per controller and mode, over all flows."""
    _print_overview(result, result.totals)


def _print_overview(result: Replayed, rows: pl.DataFrame) -> None:
    seeds = result.summary["seed"].n_unique()
    title = f"Replay {result.replay_id}: {seeds} seed{'s' * (seeds != 1)}" + (f"; {result.cut}" if result.cut else "")
    write_table(_formatted(rows), Format.table, title=title)


def _formatted(rows: pl.DataFrame) -> pl.DataFrame:
    """The overview in units for the terminal, without columns that are empty or count no loss."""
    import polars as pl

    def rounded(value: pl.Expr, digits: int) -> pl.Expr:
        """To so many decimal places, and small values to two figures: none that is there looks like 0."""
        return pl.when(value.abs() < 10.0 ** (1 - digits)).then(value.round_sig_figs(2)).otherwise(value.round(digits))

    def with_interval(mean: pl.Expr, half_width: pl.Expr, digits: int) -> pl.Expr:
        text = pl.format("{} ± {}", rounded(mean, digits), rounded(half_width, digits))
        return pl.when(half_width.is_not_null()).then(text).otherwise(rounded(mean, digits).cast(pl.String))

    def between(figure: str, unit: float, digits: int, name: str) -> list[pl.Expr]:
        ends = [column for column in rows.columns if column.startswith((f"{figure}_low_", f"{figure}_high_"))]
        texts = [rounded(pl.col(end) / unit, digits) for end in ends]
        return [pl.format("{} to {}", *texts).alias(name)] if ends else []

    mbps = with_interval(pl.col("throughput_bps") / 1e6, pl.col("throughput_ci_bps") / 1e6, 3)
    jain = with_interval(pl.col("jain_index"), pl.col("jain_index_ci"), 3)
    counts = ("received_packets", "lost_queue", "lost_retry", "lost_channel", "lost_route", "timeouts")
    table = rows.select(
        "controller",
        "mode",
        "flow",
        mbps.alias("throughput_mbps"),
        jain.alias("jain"),
        *between("throughput", 1e6, 2, "throughput_90%"),
        pl.col("delay_ms").round(1),
        pl.col("rtt_ms").round(1),
        *between("rtt", 1.0, 1, "rtt_90%"),
        pl.col("completion_ms").round(1),
        pl.col("queue_packets").round(2).alias("queue"),
        (100 * pl.col("utilisation")).round(1).alias("busy_%"),
        pl.col("normalised_deviation").round(3).alias("deviation"),
        *(pl.col(name).round(1).alias(name.removesuffix("_packets")) for name in counts),
    )
    empty = {name for name in table.columns if table[name].null_count() == table.height}
    without_loss = {name for name in table.columns if name.startswith("lost_") and not table[name].sum()}
    return table.drop(empty | without_loss)


COMMAND = Command(
    "replay",
    replay,
    (
        "winf replay --topology stack --controllers new_reno,wcp,wcp_cap --seeds 10",
        "winf replay run.winf --controllers new_reno,cubic --set link.rate=2x --save-world faster.toml",
    ),
)
