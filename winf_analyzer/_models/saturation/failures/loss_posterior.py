"""Posterior of a link's channel loss, given how many attempts failed that collisions may explain as well."""

import polars as pl

from winf_analyzer._aggregate import windows
from winf_analyzer._aggregate.exchange_columns import ordered_sum
from winf_analyzer._util.float_sums import sum_in_order

STEPS = 10
"""Shares of collisions that destroy are weighed in as many steps."""

FEW = (0.01, 0.02, 0.04, 0.07)
"""Shares that are weighed besides, as far as a sender's packets come at equal intervals: such may hardly collide at
all, and then all failures, though they are rare, may be collisions."""

LOSSLESS_LINKS = 0.8
"""Part of the links that is presumed to lose nothing."""

LOSSES = pl.DataFrame({"loss": [0.0, *(0.005 * 1.2**step for step in range(28))]}).with_columns(
    prior=pl.when(pl.col("loss") == 0).then(LOSSLESS_LINKS).otherwise((1 - LOSSLESS_LINKS) / (pl.len() - 1))
)
"""Losses that are weighed: none, or 0.5 to 69 %, each 1.2 times the last."""

NEGLIGIBLE = 1e-3
"""Failures that happen for no reason the model knows."""

PIECE = 5_000
"""Links whose loss is found at a time: each takes a row for every value of :data:`LOSSES`."""


def posterior(rows: pl.DataFrame) -> pl.DataFrame:
    """`medium sender receiver loss doubt`: mean and standard deviation of :data:`LOSSES`.

    Each is weighted with its prior and its likelihood.

    Args:
        rows: per link, of two kinds of attempts (`quiet` and `busy`): how many, how many failed (`quiet_failed`,
            `busy_missed`), and which share of them collisions destroy at most (`quiet_collides`, `busy_collides`);
            of both the share whose answer only the recorder missed (`answer_missed`); and the `regularity` of its
            packets.

    Failures are Poisson. The likelihood of each kind is the mean over the shares that collisions destroy, all equally
    likely.
    """
    if rows.is_empty():
        return rows.select("medium", *windows.LINK, loss=pl.lit(None, pl.Float64), doubt=pl.lit(None, pl.Float64))
    return pl.concat([_posterior(some) for some in rows.iter_slices(PIECE)])


def _posterior(rows: pl.DataFrame) -> pl.DataFrame:
    link = ["medium", *windows.LINK]
    fits = rows.join(LOSSES, how="cross")
    log = _log_likelihood(fits, "quiet", "quiet_failed", "quiet_collides")
    log += _log_likelihood(fits, "busy", "busy_missed", "busy_collides")
    fits = fits.with_columns(log=log)
    fits = fits.with_columns(weight=pl.col("prior") * (pl.col("log") - pl.col("log").max().over(link)).exp())
    weight = pl.col("weight")
    moments = (ordered_sum(weight * pl.col("loss") ** power) / ordered_sum(weight) for power in (1, 2))
    found = fits.group_by(link).agg(value.alias(name) for name, value in zip(("loss", "square"), moments, strict=True))
    doubt = (pl.col("square") - pl.col("loss") ** 2).clip(0).sqrt()
    return found.select(*link, "loss", doubt=doubt)


def _log_likelihood(fits: pl.DataFrame, tried: str, failed: str, most: str) -> pl.Series:
    """But for a constant."""
    usual = [(pl.lit(0.0), step / STEPS) for step in range(STEPS + 1)]
    few = [(pl.col("regularity").clip(1e-30).log(), share) for share in FEW]
    base = pl.col("loss") + pl.col("answer_missed")
    terms = [
        (log_weight, pl.col(tried) * (base + pl.col(most) * share) + NEGLIGIBLE) for log_weight, share in usual + few
    ]
    # One step after the other: planned as one expression it holds every term eleven times.
    logs = fits.select(
        (log_weight + pl.col(failed) * mean.log() - mean).alias(f"{step}")
        for step, (log_weight, mean) in enumerate(terms)
    )
    sums = logs.with_columns(highest=pl.max_horizontal(logs.columns))
    sums = sums.with_columns((pl.col(logs.columns) - pl.col("highest")).exp())
    return sums.select(pl.col("highest") + sum_in_order(logs.columns).log()).to_series()
