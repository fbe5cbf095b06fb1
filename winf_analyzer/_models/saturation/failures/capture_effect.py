"""The capture effect: whether a frame survives one that a hidden station begins while it is being received.

That is a matter of powers, rates and distances, which one recording does not show; but it shows what came of it: how
often the first frame of an attempt (RTS, or data without one) found no answer, and how often the data after a CTS. Both
shares follow from the two chances of not surviving. What was recorded is simulated at their four extremes; in
between the shares are taken to be linear in each; and the chances are those that fit the recorded shares best.

An RTS is a short frame at a rate that decodes at 0 dB, data is not: that is what is presumed beforehand.
"""

from itertools import product

import polars as pl

from winf_analyzer._aggregate.exchange_columns import quotient
from winf_analyzer._models.saturation.solvers import dcf_monte_carlo
from winf_analyzer._util.float_sums import sum_in_order

EXTREMES = tuple(product((0.0, 1.0), repeat=2))
"""Chances of first frames and of answered data that are simulated."""

STEPS = 20
"""The best fit is sought in as many steps between the extremes."""

REPEATS = 4
"""Simulations of each, of which the mean is taken: the best fit jumps from one chance to another."""

PRIOR_ERROR = 0.5
"""Standard deviation of the presumed chances."""

SHARE_ERROR = 0.03
"""Standard deviation of a simulated share, besides that of the recorded one."""


def chances(stations: pl.DataFrame, recorded: pl.DataFrame) -> pl.DataFrame:
    """`case first_destroyed answered_destroyed` of every case.

    Args:
        stations: :data:`.dcf_monte_carlo.CONTENDERS` in rows, as recorded.
        recorded: per `case`: `attempts`, `unanswered` of them, `answered`, and `unacknowledged` of those.
    """
    simulated = [_failed(stations, first, answered) for first, answered in EXTREMES]
    rows = recorded.join(stations.filter("subject").select("case", "rts"), on="case")
    for outcome in simulated:
        rows = rows.join(outcome, on="case")
    steps = [step / STEPS for step in range(STEPS + 1)]
    tried = pl.DataFrame(
        list(product(steps, steps)),
        schema={"first_destroyed": pl.Float64, "answered_destroyed": pl.Float64},
        orient="row",
    )
    fits = rows.join(tried, how="cross").with_columns(misfit=_misfit())
    best = fits.sort("case", "misfit", "first_destroyed", "answered_destroyed").unique(
        "case", keep="first", maintain_order=True
    )
    return best.select("case", "first_destroyed", "answered_destroyed")


def _failed(stations: pl.DataFrame, first: float, answered: float) -> pl.DataFrame:
    """`case` and the shares that fail at these chances, named after them: means of :data:`REPEATS` simulations."""
    runs = [
        dcf_monte_carlo.of_subject(
            stations, backlogged=False, first_destroyed=pl.lit(first), answered_destroyed=pl.lit(answered), seed=seed
        )
        for seed in range(dcf_monte_carlo.SEED, dcf_monte_carlo.SEED + REPEATS)
    ]
    shares = pl.col("first_failed", "answered_failed").mean().name.suffix(f"_{first:.0f}{answered:.0f}")
    return pl.concat(runs).group_by("case", maintain_order=True).agg(shares)


def _misfit() -> pl.Expr:
    presumed = pl.when("rts").then(0.0).otherwise(1.0)
    prior = (pl.col("first_destroyed") - presumed) ** 2 + (pl.col("answered_destroyed") - 1) ** 2
    return (
        _squared_error("first_failed", "unanswered", "attempts")
        + _squared_error("answered_failed", "unacknowledged", "answered")
        + prior / PRIOR_ERROR**2
    )


def _squared_error(share: str, part: str, whole: str) -> pl.Expr:
    """In variances: of the recorded share (Laplace's rule keeps it from 0), and of the simulated one."""
    recorded = pl.col(part) / pl.col(whole).clip(1)
    careful = (pl.col(part) + 1) / (pl.col(whole) + 2)
    variance = careful * (1 - careful) / pl.col(whole).clip(1) + SHARE_ERROR**2
    return pl.when(pl.col(whole) > 0).then(quotient((_between(share) - recorded) ** 2, variance)).otherwise(0.0)


def _between(share: str) -> pl.Expr:
    first, answered = pl.col("first_destroyed"), pl.col("answered_destroyed")
    weights = {"00": (1 - first) * (1 - answered), "01": (1 - first) * answered}
    weights |= {"10": first * (1 - answered), "11": first * answered}
    return sum_in_order(weight * pl.col(f"{share}_{place}") for place, weight in weights.items())
