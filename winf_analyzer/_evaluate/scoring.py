"""Error measures of estimates against ground truth."""

from collections.abc import Sequence

import polars as pl

MEASURES = (
    "windows",
    "estimate_bps",
    "truth_bps",
    "bias_bps",
    "mae_bps",
    "rmse_bps",
    "mape",
    "correlation",
    "within_bounds",
)
"""Columns that :func:`score` adds to the keys, in order."""


def score(windows: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Score every group of windows.

    Args:
        windows: `estimate_bps` and `truth_bps` of a window, and `upper_bps`, its upper bound; rows without one of the
            first two are left out.
        keys: the grouping columns; null is a value.

    Returns:
        One row per group, in the order of their first row: the keys, then :data:`MEASURES`. With e the estimates, t the
        truth and d = e - t over the windows: the means of e and t; bias mean(d); MAE mean|d|; RMSE sqrt(mean(d^2));
        MAPE mean(|d| / t) over windows with t > 0, as a share; Pearson's correlation of e and t, null if one of them
        is constant or there are fewer than three windows; and the share of windows with t <= e <= upper, among those
        with an upper bound (the bounds of Barreto, sec. 3: iperf's UDP throughput and the theoretical maximum).
    """
    error = pl.col("estimate_bps") - pl.col("truth_bps")
    varies = (pl.len() > 2) & (pl.col("estimate_bps").std() > 0) & (pl.col("truth_bps").std() > 0)
    bounded = pl.col("upper_bps").is_not_null()
    within = pl.col("estimate_bps").is_between(pl.col("truth_bps"), pl.col("upper_bps"))
    return (
        windows.drop_nulls(["estimate_bps", "truth_bps"])
        .group_by(keys, maintain_order=True)
        .agg(
            windows=pl.len().cast(pl.Int64),
            mean_estimate=pl.col("estimate_bps").mean(),
            mean_truth=pl.col("truth_bps").mean(),
            bias_bps=error.mean(),
            mae_bps=error.abs().mean(),
            rmse_bps=error.pow(2).mean().sqrt(),
            mape=(error.abs() / pl.col("truth_bps")).filter(pl.col("truth_bps") > 0).mean(),
            correlation=pl.when(varies).then(pl.corr("estimate_bps", "truth_bps")),
            within_bounds=within.filter(bounded).mean(),
        )
        .rename({"mean_estimate": "estimate_bps", "mean_truth": "truth_bps"})
        .select(*keys, *MEASURES)
    )


OVERVIEW_KEYS = ("log", "sender", "receiver", "quantity", "estimator", "mode")
"""Columns that tell the rows of :func:`overview` apart."""


def overview(scores: pl.DataFrame) -> pl.DataFrame:
    """One view per log, link, quantity, estimator and mode, see :func:`nearest`.

    Args:
        scores: the `scores` table.

    Returns:
        `log`, `sender`, `receiver`, `quantity`, `estimator` and `mode`, by which the rows are sorted (the recommended
        answers first), and the measures: rates in bit/s, `mape`, `within_bounds` and `sender_idle_share` as shares.
    """
    rates = ("truth_bps", "estimate_bps", "bias_bps", "mae_bps", "rmse_bps")
    first = pl.col("estimator") != "recommended"
    return (
        nearest(scores)
        .sort(*OVERVIEW_KEYS[:3], first, *OVERVIEW_KEYS[3:], maintain_order=True)
        .select(*OVERVIEW_KEYS, "windows", *rates, "mape", "within_bounds", "correlation", "sender_idle_share")
    )


def nearest(scores: pl.DataFrame) -> pl.DataFrame:
    """The rows of the sender's view, else the receiver's, else an onlooker's; of several the one with most windows."""
    distance = pl.col("state").replace_strict({"sender": 0, "receiver": 1, "onlooker": 2}, default=3)
    ordered = scores.sort(distance, pl.col("windows"), descending=[False, True], maintain_order=True)
    return ordered.unique(OVERVIEW_KEYS, keep="first", maintain_order=True)
