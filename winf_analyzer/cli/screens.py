"""What the commands print for reading: summaries that fit a screen."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from winf_analyzer.cli.output import Format, write_table
from winf_analyzer.inspection import described

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer.analysis import Analysis


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


def estimates(frame: pl.DataFrame, to: Format) -> None:
    """The table itself, or for reading its medians per link and state."""
    if to is not Format.table:
        write_table(frame, to)
        return
    write_table(medians(frame), to, title="Medians over the windows, Mb/s")
    print(
        f"{frame.height} rows, one per window, are in the dataset's estimates table; --to csv prints them.",
        file=sys.stderr,
    )


def medians(frame: pl.DataFrame) -> pl.DataFrame:
    """Medians over the windows of every link (sender to receiver), state, estimator and mode."""
    import polars as pl

    keys = ["sender", "receiver", "state", "observer", "estimator", "mode"]
    mbps = [(pl.col(f"{name}_bps").median() / 1e6).round(3).alias(f"{name}_mbps") for name in ("capacity", "available")]
    linked = frame.filter(pl.col("sender").is_not_null(), pl.col("exchanges") > 0)
    rows = linked.group_by(keys).agg(
        *mbps, pl.col("idle_ratio").median().round(4), pl.col("exchanges").sum(), pl.len().alias("windows")
    )
    return rows.sort(pl.col("exchanges"), *keys, descending=[True, *[False] * len(keys)], nulls_last=True)


def analysis(result: Analysis) -> None:
    """What an analysis found, and where its report is."""
    import polars as pl

    for entry in result.dataset.metadata["inputs"]:
        _recording(entry)
    busiest = medians(result.estimates.filter(pl.col("mode") == "corrected")).head(12)
    write_table(busiest.drop("mode"), Format.table, title="Busiest links, corrected estimates, medians in Mb/s")
    print(f"dataset  {result.dataset.path}\nreport   {result.report}")
