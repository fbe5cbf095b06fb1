"""Whether chance decides what flows get: runs of one world that differ in their seed alone."""

from __future__ import annotations

import polars as pl

from winf_analyzer._replay import sentences

SCATTER = 0.1
"""Standard deviation of a flow's throughput, as a share of its mean, from which chance decides it."""

STARVED = 0.05
"""A flow with less than this share of the fastest one starves, and its few packets scatter always."""

SEEDS = 5
"""Runs from which scatter is told."""

_RUN = ["controller", "mode"]
_FLOW = [*_RUN, "flow"]


def scattered(rows: pl.DataFrame) -> pl.DataFrame:
    """The flows whose throughput scatters: ``controller mode flow runs low_bps high_bps``, least and most of a run.

    Args:
        rows: of ``replay_summary``; of each flow one per run.
    """
    rate = pl.col("throughput_bps")
    flows = rows.group_by(_FLOW, maintain_order=True).agg(
        mean=rate.mean(), deviation=rate.std(), runs=pl.len(), low_bps=rate.min(), high_bps=rate.max()
    )
    return flows.filter(
        pl.col("mean") >= STARVED * pl.col("mean").max().over(_RUN),
        pl.col("deviation") > SCATTER * pl.col("mean"),
    ).select(*_FLOW, "runs", "low_bps", "high_bps")


def suspects(draws: pl.DataFrame) -> pl.DataFrame:
    """Controllers of which it is worth to run more seeds: ``controller mode``.

    Every drawn world has a seed of its own: where flows get the same in all of them, they do with any seed.

    Args:
        draws: rows like those of ``replay_summary``, a seed per world.
    """
    return scattered(draws).select(_RUN).unique(maintain_order=True)


def further(seeds: list[int]) -> list[int]:
    """Seeds besides these with which scatter is told."""
    others = (seed for seed in range(1, SEEDS + len(seeds) + 1) if seed not in seeds)
    return [next(others) for _ in range(SEEDS - len(seeds))]


def notes(found: pl.DataFrame) -> list[str]:
    """A sentence per controller and mode.

    Args:
        found: rows of :func:`scattered`, of runs that differ in their seed alone.
    """
    return [
        f"{controller} ({mode}): chance decides; {rows['runs'][0]} runs of this world that differ in their seed alone "
        f"give {flows}; intervals are those of a single run, and more --seeds tell the mean"
        for controller, mode, rows, flows in sentences.by_run(found, "low_bps", "high_bps")
    ]
