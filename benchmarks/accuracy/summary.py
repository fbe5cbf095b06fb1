"""From scores per window to what the document shows."""

from __future__ import annotations

import math

import polars as pl

from benchmarks.accuracy.scoring import RECOMMENDED

KEYS = ("estimator", "mode", "context")
GRID = {
    "pair": "one or two links, b and g",
    "contention": "three to eight links, b and g",
    "hidden": "hidden terminals",
    "loss": "lossy link, b, g and n",
    "rates": "mixed rates, b and g",
    "n": "802.11n",
    "ac": "802.11ac",
}
"""Groups of the grid, recorded by the sender, without a frame missing."""

REAL_USE = {
    "sniffer": "a third party's sniffer, near and far",
    "ns2": "ns-2",
    "clocks": "clocks without TSFT",
    "missed": "frames missed by the recorder",
    "pauses": "a recorder that pauses for moments",
    "unheard": "links the recorder does not hear",
    "hidden_aggregates": "hidden terminals with A-MPDUs",
    "ax": "802.11ax",
    "rate_control": "Minstrel and MinstrelHt",
    "edca": "access categories mixed",
    "crowd": "20 to 50 stations",
    "infrastructure": "up- and downlink through an AP",
    "neighbours": "bursty, TCP and mixed neighbours",
    "tcp_probe": "truth by TCP",
    "short": "short recordings",
    "combined": "combined conditions",
    "adhoc_aggregates": "pairs in range with A-MPDUs",
    "drawn": "conditions drawn at random",
}
"""Groups of real use."""

GROUPS = GRID | REAL_USE
"""What each group of runs is."""

GOALS = dict.fromkeys(GROUPS, (0.05, 0.15)) | {"pair": (0.02, 0.05)}
"""Median and 90th percentile of the absolute relative error that are aimed at."""

COVERAGE_GOAL = (0.85, 0.97)
"""Share of the truths that the 90 % intervals of a group should hold."""

SIGNIFICANCE = 0.05
"""Of a coverage that is said to miss the goal: few intervals can be 50 or 100 % by chance."""

DECLINED_GOAL = 0.3
"""Share of the windows of a group that may go without an answer."""


def runs(scores: pl.DataFrame) -> pl.DataFrame:
    """One row per run, estimator, mode and context: means over windows of 1 s, `error` (relative, signed).

    The recommended answer has a row for the whole recording, which is taken as it is.
    """
    whole = pl.col("estimator") == RECOMMENDED
    shown = scores.filter(pl.col("window") == pl.when(whole).then(pl.lit("whole")).otherwise(pl.lit("1s")))
    known = shown.filter(pl.col("available_bps").is_not_null(), pl.col("truth_bps") > 0)
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


def answers(scores: pl.DataFrame) -> pl.DataFrame:
    """Per part, group, estimator, mode, context and length of windows, with parts and groups together as `all`.

    Columns: `windows` (with and without answer), `answered`, `median` and `p90` of the absolute error, `coverage`
    (share of the
    answers whose interval holds the truth; one without an interval does not), `width` (median, over the truth),
    `declined` (share of the windows without an answer). A truth of 0 counts for coverage alone.
    """
    low, high = pl.col("available_low_bps"), pl.col("available_high_bps")
    given = pl.col("available_bps").is_not_null()
    error = pl.when(pl.col("truth_bps") > 0).then((pl.col("available_bps") / pl.col("truth_bps") - 1).abs())
    inside = pl.col("truth_bps").is_between(low, high).fill_null(value=False)
    together = scores.with_columns(group=pl.lit("all"))
    return (
        pl.concat([scores, together])
        .group_by("part", "group", "window", *KEYS)
        .agg(
            windows=pl.len(),
            answered=given.sum(),
            median=error.median(),
            p90=error.quantile(0.9, "linear"),
            coverage=inside.filter(given).mean(),
            width=((high - low) / pl.col("truth_bps")).filter(given, pl.col("truth_bps") > 0).median(),
            declined=(~given).mean(),
        )
    )


def misses_coverage(covered: int, answered: int) -> bool:
    """Whether so many intervals that hold the truth are too few or too many, at a significance of 5 %, for the goal."""
    low, high = COVERAGE_GOAL
    too_few = _at_most(covered, answered, low)
    too_many = _at_most(answered - covered, answered, 1 - high)
    return min(too_few, too_many) < SIGNIFICANCE


def _at_most(successes: int, trials: int, probability: float) -> float:
    """Chance of at most so many successes: the binomial distribution.

    By logarithms: the number of ways to choose among some thousand windows is no float.
    """
    log, log_otherwise = math.log(probability), math.log1p(-probability)
    ways = (math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1) for k in range(successes + 1))
    terms = [log_ways + k * log + (trials - k) * log_otherwise for k, log_ways in enumerate(ways)]
    return min(1.0, math.fsum(math.exp(term) for term in terms))
