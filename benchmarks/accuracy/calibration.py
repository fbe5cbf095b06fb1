"""Would a factor that widens or narrows all intervals hold for kinds of runs that it was not made from?

For each group of development the others give the factor with which 91 % of their intervals would hold, each group
counted alike; it is tried on the group that was left out. A factor near 1 says that the intervals are as wide as they
should be; a coverage within the goal says that this holds for a kind of network that had no part in it.
"""

from __future__ import annotations

import polars as pl

from benchmarks.accuracy.scoring import RECOMMENDED
from benchmarks.accuracy.summary import COVERAGE_GOAL

PART = "development"
WANTED = sum(COVERAGE_GOAL) / 2
"""Share of intervals that should hold: the middle of the goal."""

WINDOWS = ("100ms", "1s")
"""Windows of which runs have enough to count."""


def left_out(scores: pl.DataFrame) -> pl.DataFrame:
    """Per group and window: `windows`, `coverage`, `factor` of the others, and `scaled`, the coverage with that.

    Args:
        scores: what :func:`.scoring.score_all` returns.
    """
    given = scores.filter(
        pl.col("part") == PART,
        pl.col("estimator") == RECOMMENDED,
        pl.col("window").is_in(WINDOWS),
        pl.col("available_low_bps").is_not_null(),
    )
    rows = given.select("group", "window", needed=_needed())
    found = []
    for (window,), of_window in rows.group_by("window", maintain_order=True):
        for (group,), own in of_window.group_by("group", maintain_order=True):
            others = of_window.filter(pl.col("group") != group)
            if others.is_empty():
                continue
            factor = _factor(others)
            coverage, scaled = ((own["needed"] <= most).mean() for most in (1.0, factor))
            found.append(
                {
                    "group": group,
                    "window": window,
                    "windows": own.height,
                    "factor": factor,
                    "coverage": coverage,
                    "scaled": scaled,
                }
            )
    return pl.DataFrame(found)


def _needed() -> pl.Expr:
    """The factor by which an interval must be wider to reach the truth; below 1 where it holds it."""
    value, truth = pl.col("available_bps"), pl.col("truth_bps")
    high, low = pl.col("available_high_bps") - value, value - pl.col("available_low_bps")
    off = pl.when(truth > value).then((truth - value) / high).otherwise((value - truth) / low)
    return pl.when(truth == value).then(0.0).otherwise(off)


def _factor(rows: pl.DataFrame) -> float:
    """The least factor with which :data:`WANTED` of the intervals hold, groups weighted alike."""
    weighted = rows.with_columns(weight=1 / pl.len().over("group") / pl.col("group").n_unique()).sort("needed")
    enough = weighted.filter(pl.col("weight").cum_sum() >= WANTED - 1e-9)
    return float(enough["needed"][0])
