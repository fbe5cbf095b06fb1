"""Scores: how far values lie from the truth, in the measures that the field uses."""

from collections.abc import Sequence

import polars as pl

SCORES = (
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
"""What :func:`score` adds to the keys, in order."""


def score(pairs: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Score every group of windows.

    Args:
        pairs: `estimate_bps` and `truth_bps` of a window, and `upper_bps`, the most that is possible; rows without
            one of the first two are left out.
        keys: columns that tell the groups apart, null among them.

    Returns:
        One row per group, in the order of their first row: the keys, then :data:`SCORES`. With e the estimates, t the
        truth and d = e - t over the windows: the means of e and t; bias mean(d); MAE mean|d|; RMSE sqrt(mean(d^2));
        MAPE mean(|d| / t) over windows with t > 0, as a share; Pearson's correlation of e and t, null where one of them
        never changes or with less than three windows; and the share of windows with t <= e <= upper, of those whose
        upper bound is known (the bounds of Barreto, sec. 3: iperf's UDP throughput and the theoretical maximum).
    """
    difference = pl.col("estimate_bps") - pl.col("truth_bps")
    varies = (pl.len() > 2) & (pl.col("estimate_bps").std() > 0) & (pl.col("truth_bps").std() > 0)
    bounded = pl.col("upper_bps").is_not_null()
    within = pl.col("estimate_bps").is_between(pl.col("truth_bps"), pl.col("upper_bps"))
    return (
        pairs.drop_nulls(["estimate_bps", "truth_bps"])
        .group_by(keys, maintain_order=True)
        .agg(
            windows=pl.len().cast(pl.Int64),
            mean_estimate=pl.col("estimate_bps").mean(),
            mean_truth=pl.col("truth_bps").mean(),
            bias_bps=difference.mean(),
            mae_bps=difference.abs().mean(),
            rmse_bps=difference.pow(2).mean().sqrt(),
            mape=(difference.abs() / pl.col("truth_bps")).filter(pl.col("truth_bps") > 0).mean(),
            correlation=pl.when(varies).then(pl.corr("estimate_bps", "truth_bps")),
            within_bounds=within.filter(bounded).mean(),
        )
        .rename({"mean_estimate": "estimate_bps", "mean_truth": "truth_bps"})
        .select(*keys, *SCORES)
    )
