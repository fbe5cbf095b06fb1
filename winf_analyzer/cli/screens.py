"""What the commands print for reading: summaries that fit a screen."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from winf_analyzer.cli.output import Format, show, write_table

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


def described(entry: dict[str, Any]) -> list[tuple[str, str]]:
    """A recording's facts as label and text, for the terminal and the report."""
    counts = entry["counts"]
    frames = counts["frames"]
    span_s = (counts["last_ns"] - counts["first_ns"]) / 1e9 if frames else 0.0

    def share(count: int) -> str:
        return f"{count} ({100 * count / frames:.1f} %)" if frames else "0"

    def listed(members: dict[str, int]) -> str:
        ordered = sorted(members.items(), key=lambda member: -member[1])
        return "  ".join(f"{name} {count}" for name, count in ordered) or "none"

    lines = [
        ("container", "  ".join(f"{key} {show(value)}" for key, value in entry["container"].items())),
        ("frames", f"{frames} in {span_s:.3f} s"),
        ("kinds", listed(counts["kinds"])),
        ("PHYs", listed(counts["phys"])),
        ("channels", listed({f"{channel} MHz:": count for channel, count in counts["channels"].items()})),
        ("MAC time (TSFT)", share(counts["with_tsft"])),
        ("FCS checked", f"{share(counts['with_fcs'])}, bad {counts['bad_fcs']}"),
        ("airtime known", share(counts["with_airtime"])),
        ("recorded by", entry["observer"] or "an anonymous sniffer, or a simulator's global trace"),
        *(("time stamps", convention(group)) for group in entry["clock"]),
        ("exchanges", f"{counts['exchanges']}, complete {counts['complete_exchanges']}, hidden {counts['hidden_exchanges']}"),
    ]
    if counts["assumptions"]:
        lines.append(("assumed", listed(counts["assumptions"])))
    lines += [("damage" if warning["damage"] else "doubt", warning["message"]) for warning in entry["warnings"]]
    return lines


def convention(group: dict[str, Any]) -> str:
    """A clock convention as a phrase."""
    who = {"tx": "sent", "rx": "received"}.get(group["direction"], "recorded")
    which = f"{who} {group['phy'] or 'other'} frames: {group['convention'].replace('_', ' ')}"
    if group["ambiguous"]:
        return f"{which} (presumed: no SIFS-spaced neighbours decide it)"
    return f"{which} ({100 * group['explained_share']:.1f} % of {group['pairs']} SIFS-spaced pairs agree)"


def estimates(frame: pl.DataFrame, to: Format) -> None:
    """The table itself, or for reading its medians per link and state."""
    if to is not Format.table:
        write_table(frame, to)
        return
    write_table(medians(frame), to, title="Medians over the windows, Mb/s")
    print(f"{frame.height} rows, one per window, are in the dataset's estimates table; --to csv prints them.", file=sys.stderr)


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
