"""What the commands print for reading: summaries that fit a screen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from winf_analyzer._ingest.inspection import described
from winf_analyzer.cli.console import tell
from winf_analyzer.cli.output import Format, write_table

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._dataset.dataset import Dataset
    from winf_analyzer._evaluate import Comparison
    from winf_analyzer._replay import Replayed
    from winf_analyzer.pipeline import Analysis


def info(facts: list[dict[str, Any]], to: Format) -> None:
    """One screen per recording; the machine-readable forms hold the facts whole."""
    match to:
        case Format.table:
            for entry in facts:
                _recording(entry)
        case Format.json:
            print(json.dumps(facts, indent=1, ensure_ascii=False))
        case Format.ndjson:
            for entry in facts:
                print(json.dumps(entry, ensure_ascii=False))
        case _:
            import polars as pl

            rows = [{"source": e["source"], "error": e.get("error"), **_flat(e.get("counts", {}))} for e in facts]
            write_table(pl.DataFrame(rows, infer_schema_length=None), to)


def _flat(counts: dict[str, Any]) -> dict[str, Any]:
    return {name: json.dumps(value) if isinstance(value, dict) else value for name, value in counts.items()}


def _recording(entry: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    console.print(Text(entry["source"], style="bold"))
    if "error" in entry:
        console.print(Text(f"  {entry['error']}\n", style="red"))
        return
    grid = Table.grid(padding=(0, 2))
    for label, text in described(entry):
        grid.add_row(Text(f"  {label}", style="dim"), Text(text))
    console.print(grid)
    console.print()


def merge(dataset: Dataset) -> None:
    """How the clock of each recording's radios was aligned, and what came of the merge."""
    import polars as pl

    from winf_analyzer._ingest.merging import radios

    shown = ("offset_us", "drift_ppm", "drift_error_ppm", "spread_us", "shared_frames", "pieces")
    rows = [
        {"source": radio["source"], "frames": radio["frames"]} | {name: radio["alignment"][name] for name in shown}
        for entry in dataset.metadata["inputs"]
        for radio in radios(entry)
    ]
    decimals = [pl.col(name).round(3) for name in ("offset_us", "drift_ppm", "drift_error_ppm", "spread_us")]
    write_table(pl.DataFrame(rows).with_columns(decimals), Format.table, title="Clocks against the first recording's")
    merged = dataset.metadata["parameters"]["merged"]
    print(f"{dataset.path}: {merged['frames']} transmissions, {merged['exchanges']} exchanges")


def estimates(table: pl.LazyFrame, to: Format) -> None:
    """The table itself, or for reading its medians per link or path, and state."""
    import polars as pl

    if to is not Format.table:
        write_table(table.collect(), to)
        return
    write_table(medians(table), to, title="Medians over the windows: capacity and available bandwidth, Mb/s")
    rows = table.select(pl.len()).collect().item()
    tell(f"{rows} rows, of every window, are in the dataset's estimates table; --to csv prints them.")


def medians(table: pl.LazyFrame) -> pl.DataFrame:
    """Medians over the windows of every link or path, state and estimator, the modes side by side."""
    import polars as pl

    keys = ["link", "state", "observer", "estimator"]
    asked = table.select("estimator", "mode").unique().collect(engine="streaming")
    link = pl.coalesce("path", pl.format("{} > {}", "sender", "receiver"))
    measures = {"capacity_bps": "capacity", "available_bps": "available"}
    mbps = [
        (pl.col(column).filter(pl.col("mode") == mode).median() / 1e6).round(3).alias(f"{mode}_{name}")
        for mode in asked["mode"].unique().sort()
        for column, name in measures.items()
    ]
    linked = table.with_columns(link=link).filter(pl.col("link").is_not_null(), pl.col("exchanges") > 0)
    samples = pl.col("exchanges").filter(pl.col("mode") == pl.col("mode").first()).sum().alias("samples")
    # One estimator at a time: medians need all values at once.
    each = [
        linked.filter(estimator=name)
        .select(*keys, "mode", *measures, "exchanges")
        .collect()
        .group_by(keys)
        .agg(*mbps, samples)
        for name in asked["estimator"].unique().sort()
    ]
    rows = pl.concat(each) if each else linked.group_by(keys).agg(*mbps, samples).collect()
    rows = rows.sort(samples.meta.output_name(), *keys, descending=[True, *[False] * len(keys)], nulls_last=True)
    columns = [*keys, "samples", *(column.meta.output_name() for column in mbps)]
    rows = rows.select(columns)
    empty = [name for name in rows.columns if rows[name].null_count() == rows.height]
    return rows.drop(empty)


def comparison(result: Comparison, to: Format) -> None:
    """The scores table itself, or for reading one row per estimator, and how the logs were found."""
    for note in result.notes:
        tell(note)
    for problem in result.problems:
        tell(f"winf: {problem}", style="yellow", always=True)
    if to is not Format.table:
        write_table(result.scores, to)
        return
    write_table(best_views(result.scores), to, title="Against ground truth: means over the windows, Mb/s and %")
    tell("One view per link is shown, the sender's where there is one; --to csv prints all.")


def best_views(scores: pl.DataFrame) -> pl.DataFrame:
    """Of each estimator, mode, quantity, log and link the view nearest to the sender, in the units people read."""
    import polars as pl

    keys = ["log", "sender", "receiver", "quantity", "estimator", "mode"]
    nearness = pl.col("state").replace_strict({"sender": 0, "receiver": 1, "onlooker": 2}, default=3)
    best = scores.sort(nearness, pl.col("windows"), descending=[False, True], maintain_order=True)
    best = best.unique(keys, keep="first", maintain_order=True).sort("log", "sender", "receiver", maintain_order=True)
    rates = ["truth", "estimate", "bias", "mae", "rmse"]
    shares = {"mape": "mape_%", "within_bounds": "within_bounds_%"}
    link = pl.format("{} > {}", "sender", "receiver").alias("link")
    return best.sort("log", "sender", "receiver", "quantity", "estimator", "mode").select(
        "log",
        link,
        "quantity",
        "estimator",
        "mode",
        "windows",
        *((pl.col(f"{name}_bps") / 1e6).round(3).alias(name) for name in rates),
        *((100 * pl.col(name)).round(1).alias(shown) for name, shown in shares.items()),
        pl.col("correlation").round(3),
    )


def analysis(result: Analysis) -> None:
    """What an analysis found, and where its report is."""
    import polars as pl

    for entry in result.dataset.metadata["inputs"]:
        _recording(entry)
    own = result.estimates.filter(pl.col("state") != "onlooker", pl.col("estimator") == "rt_winf")
    title = "rt-Winf at the ends of the busiest links: medians over the windows, Mb/s"
    write_table(medians(own.lazy()).head(12), Format.table, title=title)
    for problem in result.problems:
        tell(f"winf: {problem}", style="yellow", always=True)
    if result.replayed is not None:
        replayed(result.replayed, together=True)
    if result.comparison is not None and result.dataset.metadata["truth"]:
        comparison(result.comparison, Format.table)
    print(f"dataset  {result.dataset.path}\nreport   {result.report}")


def replayed(result: Replayed, *, together: bool = False) -> None:
    """What every controller gave to the flows, means over the seeds; ``together``: to all of them only."""
    import polars as pl

    from winf_analyzer._replay.overview import TOTAL

    seeds = result.summary["seed"].n_unique()
    title = f"Replay {result.replay_id}: {seeds} seed{'s' * (seeds != 1)}"
    rows = result.overview
    if together and result.summary["flow"].n_unique() > 1:
        rows = rows.filter(pl.col("flow") == TOTAL)
    write_table(_overview(rows), Format.table, title=title)


def _overview(rows: pl.DataFrame) -> pl.DataFrame:
    """The overview in the units and with the digits that people read, without columns that say nothing."""
    import polars as pl

    def with_interval(mean: pl.Expr, width: pl.Expr, digits: int) -> pl.Expr:
        said = pl.format("{} ± {}", mean.round(digits), width.round(digits))
        return pl.when(width.is_not_null()).then(said).otherwise(mean.round(digits).cast(pl.String))

    mbps = with_interval(pl.col("throughput_bps") / 1e6, pl.col("throughput_ci_bps") / 1e6, 3)
    jain = with_interval(pl.col("jain_index"), pl.col("jain_index_ci"), 3)
    counts = ("received_packets", "lost_queue", "lost_retry", "lost_channel", "lost_route", "timeouts")
    table = rows.select(
        "controller",
        "mode",
        "flow",
        mbps.alias("throughput_mbps"),
        jain.alias("jain"),
        *(pl.col(name).round(1) for name in ("delay_ms", "rtt_ms", "completion_ms")),
        pl.col("queue_packets").round(2).alias("queue"),
        (100 * pl.col("utilisation")).round(1).alias("busy_%"),
        pl.col("normalised_deviation").round(3).alias("deviation"),
        *(pl.col(name).round(1).alias(name.removesuffix("_packets")) for name in counts),
    )
    empty = [name for name in table.columns if table[name].null_count() == table.height]
    unlost = [name for name in table.columns if name.startswith("lost_") and not table[name].sum()]
    return table.drop({*empty, *unlost})
