"""What a dataset without recordings says first: what was replayed or swept, and which controller did best."""

from __future__ import annotations

import json
from typing import Any

import polars as pl

from winf_analyzer._report.charts.ranking import ranking
from winf_analyzer._report.labels import format_number, format_rate


def sentences(replays: pl.DataFrame | None, sweeps: pl.DataFrame | None) -> list[str]:
    """Sentences about replays and sweeps.

    Args:
        replays: rows of the panel `replay_throughput`; None without them.
        sweeps: rows of the query `sweep_response`; None without them.
    """
    said = []
    if replays is not None and not replays.is_empty():
        said += [_replay(name, group) for (name,), group in replays.group_by(["replay_id"], maintain_order=True)]
        said += [*ranking(replays), *_shares(replays)]
    if sweeps is not None and not sweeps.is_empty():
        for (name, varied), group in sweeps.group_by(["sweep", "varied"], maintain_order=True):
            said += _sweep(str(name), str(varied), group)
    return said


def _replay(name: Any, rows: pl.DataFrame) -> str:
    flows, run_s = rows["flow"].n_unique(), rows["run_s"].max()
    were = "was" if rows["controller"].n_unique() == 1 else "were"
    with_flows = f"with {flows} flow{'' if flows == 1 else 's'} for {format_number(run_s)} s"  # type: ignore[arg-type]
    return f"{_joined(rows['controller'])} {were} replayed in {name} {with_flows}."


def _shares(rows: pl.DataFrame) -> list[str]:
    """Of each replay with several flows which controller shares most evenly, and which least."""
    several = rows["replay_id"].n_unique() > 1
    indices = (
        rows.filter(pl.col("controller") != "max_min")
        .group_by("replay_id", "mode", "controller", maintain_order=True)
        .agg(
            jain=pl.col("throughput_mbps").sum() ** 2 / (pl.len() * (pl.col("throughput_mbps") ** 2).sum()),
            flows=pl.len(),
        )
        .filter((pl.col("flows") > 1) & pl.col("jain").is_finite())
        .sort("jain", descending=True, maintain_order=True)
    )
    said = []
    for (replay, _), group in indices.group_by(["replay_id", "mode"], maintain_order=True):
        if group.height > 1:
            best, worst = group.row(0, named=True), group.row(-1, named=True)
            head = f"In replay {replay} " if several else ""
            said.append(
                f"{head}{best['controller']} shares most evenly between the flows (Jain's index {best['jain']:.2f}), "
                f"{worst['controller']} least ({worst['jain']:.2f})."
            )
    return said


def _sweep(name: str, varied: str, rows: pl.DataFrame) -> list[str]:
    values = rows["value"].drop_nulls()
    over = f", {varied} {format_number(values.min())} to {format_number(values.max())}" if values.len() else ""  # type: ignore[arg-type]
    said = [f"Sweep {name}: {_joined(rows['controller'])} in {_joined(rows['world'])}{over}, {_seeds(rows)} per point."]
    known = rows.drop_nulls("throughput_mbps")
    if known.height < 2:
        return said
    most = known.sort("throughput_mbps", descending=True, maintain_order=True).row(0, named=True)
    half = most["throughput_ci_mbps"]
    low_high = [max(most["throughput_mbps"] - half, 0.0), most["throughput_mbps"] + half] if half is not None else []
    interval = f" (95 % interval {format_rate(low_high[0])} to {format_rate(low_high[1])})" if low_high else ""
    said.append(
        f"{_point(most, varied)} delivered most, {format_rate(most['throughput_mbps'])}{interval}{_delay(most)}."
    )
    if not (timed := known.drop_nulls("delay_ms")).is_empty():
        least = timed.sort("delay_ms", maintain_order=True).row(0, named=True)
        if least != most:
            said.append(
                f"{_point(least, varied)} delayed least: {format_rate(least['throughput_mbps'])}{_delay(least)}."
            )
    return said


def _seeds(rows: pl.DataFrame) -> str:
    least, most = int(rows["seeds"].min()), int(rows["seeds"].max())  # type: ignore[arg-type]
    return f"{most} seed{'' if most == 1 else 's'}" if least == most else f"{least} to {most} seeds"


def _point(row: dict[str, Any], varied: str) -> str:
    values = {} if row["value"] is None else {varied: row["value"]}
    values |= json.loads(row["others"] or "{}")
    shown = ", ".join(
        f"{key} {value:g}" if isinstance(value, float) else f"{key} {value}" for key, value in values.items()
    )
    return f"{row['controller']}{f' with {shown}' if shown else ''}"


def _delay(row: dict[str, Any]) -> str:
    return "" if row["delay_ms"] is None else f" with a mean delay of {format_number(row['delay_ms'])} ms"


def _joined(names: pl.Series) -> str:
    *first, last = [str(name) for name in names.unique(maintain_order=True)]
    return f"{', '.join(first)} and {last}" if first else last
