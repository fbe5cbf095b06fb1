"""Whether a prediction has settled within the replayed time."""

from __future__ import annotations

import polars as pl

from winf_analyzer._replay import sentences

MIN_CHANGE = 0.1
"""Least change from the third to the fourth quarter of a run, as a share of the larger, that counts."""

MIN_ERRORS = 2.0
"""Least number of standard errors of that change."""

_PARTS = 8
"""Parts of a quarter, whose scatter tells the standard error."""

_KEYS = ["controller", "mode", "flow"]


def quarters(flows: pl.DataFrame, summary: pl.DataFrame) -> pl.DataFrame:
    """Throughput of one run in each part of its second half: ``controller mode flow part throughput_bps``.

    Flows that begin in the second half, or end before the run does, are left out.

    Args:
        flows: rows of ``replay_flows`` of one run.
        summary: rows of ``replay_summary`` of the same run.
    """
    lasting = summary.filter(pl.col("start_ns") * 2 <= pl.col("duration_ns"), pl.col("end_ns") >= pl.col("duration_ns"))
    span = pl.col("duration_ns") / 2
    return (
        flows.join(lasting.select(*_KEYS, "duration_ns"), on=_KEYS, how="inner", maintain_order="left")
        .with_columns(part=((pl.col("t_ns") - span) / (span / (2 * _PARTS))).floor().cast(pl.Int64))
        .filter(pl.col("part").is_between(0, 2 * _PARTS - 1))
        .group_by(*_KEYS, "part", maintain_order=True)
        .agg(pl.col("throughput_bps").mean())
    )


def unconverged(parts: pl.DataFrame) -> pl.DataFrame:
    """The flows whose throughput still changes: ``controller mode flow third_bps fourth_bps``.

    Args:
        parts: rows of :func:`quarters` of all runs; runs of several seeds are averaged.
    """
    late = pl.col("part") >= _PARTS
    rate = pl.col("throughput_bps")
    means = parts.group_by(*_KEYS, "part", maintain_order=True).agg(rate.mean()).sort("part", maintain_order=True)
    halves = means.group_by(_KEYS, maintain_order=True).agg(
        third_bps=rate.filter(~late).mean(),
        fourth_bps=rate.filter(late).mean(),
        error_bps=((rate.filter(~late).var() + rate.filter(late).var()) / _PARTS).sqrt(),
        known=pl.len(),
    )
    change = (pl.col("fourth_bps") - pl.col("third_bps")).abs()
    return halves.filter(
        pl.col("known") == 2 * _PARTS,
        change > MIN_CHANGE * pl.max_horizontal("third_bps", "fourth_bps"),
        change > MIN_ERRORS * pl.col("error_bps"),
    ).select(*_KEYS, "third_bps", "fourth_bps")


def notes(found: pl.DataFrame, duration_ns: int) -> list[str]:
    """A sentence per controller and mode with flows that have not converged."""
    return [
        f"{controller} ({mode}) has not converged in {duration_ns / 1e9:g} s: from the third to the fourth quarter of "
        f"the run {flows}; --duration runs longer"
        for controller, mode, _, flows in sentences.by_run(found, "third_bps", "fourth_bps")
    ]
