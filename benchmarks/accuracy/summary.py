"""From scores per window to what the document shows."""

from __future__ import annotations

import polars as pl

KEYS = ("estimator", "mode", "context")
GROUPS = {
    "pair": "one or two links, b and g",
    "contention": "three to eight links, b and g",
    "hidden": "hidden terminals",
    "loss": "lossy link, b, g and n",
    "rates": "mixed rates, b and g",
    "n": "802.11n",
    "ac": "802.11ac",
}
"""What each group of scenarios is."""

GOALS = {"pair": (0.02, 0.05)} | dict.fromkeys(("contention", "hidden", "loss", "rates", "n", "ac"), (0.05, 0.15))
"""Median and 90th percentile of the absolute relative error that are aimed at."""


def runs(scores: pl.DataFrame) -> pl.DataFrame:
    """One row per scenario, estimator, mode and context: means over the windows, `error` (relative, signed)."""
    known = scores.filter(pl.col("available_bps").is_not_null())
    means = known.group_by("part", "group", "scenario", *KEYS).agg(
        pl.col("truth_bps", "available_bps", "capacity_bps").mean(), windows=pl.len()
    )
    return means.with_columns(error=pl.col("available_bps") / pl.col("truth_bps") - 1)


def errors(rows: pl.DataFrame) -> pl.DataFrame:
    """Median and 90th percentile of the absolute `error` per part, group, estimator, mode and context."""
    absolute = pl.col("error").abs()
    return rows.group_by("part", "group", *KEYS).agg(
        pl.len().alias("runs"),
        median=absolute.median(),
        p90=absolute.quantile(0.9, "linear"),
        bias=pl.col("error").median(),
    )


def windows(scores: pl.DataFrame) -> pl.DataFrame:
    """The same of single windows of a second."""
    known = scores.filter(pl.col("available_bps").is_not_null())
    return errors(known.with_columns(error=pl.col("available_bps") / pl.col("truth_bps") - 1))


def coverage(scores: pl.DataFrame) -> pl.DataFrame:
    """Share of windows whose interval holds the truth, and its median width over the truth."""
    low, high = pl.col("available_low_bps"), pl.col("available_high_bps")
    known = scores.filter(low.is_not_null(), high.is_not_null())
    inside = pl.col("truth_bps").is_between(low, high)
    width = ((high - low) / pl.col("truth_bps")).median()
    totals = known.with_columns(group=pl.lit("all"))
    return (
        pl.concat([known, totals.select(known.columns)])
        .group_by("part", "group", *KEYS)
        .agg(windows=pl.len(), coverage=inside.mean(), width=width)
    )
