"""Recordings in which the load changed: of which the windows say more than the sums of all.

What a flow gets is no straight line in the load of others: beside half of the load all the time it gets less, or more,
than the mean of what it gets beside all of it and beside none. Where the windows' answers are further apart than each
is unsure, the interval for the recording reaches to their mean; where twice as far, their mean is the answer.
"""

import polars as pl

from winf_analyzer._recommended.evidence import LINK

WINDOW_NS = 1_000_000_000
"""Windows as long tell of a change, whatever windows were asked for; shorter ones of bursts, that go on from one to
the next."""

MIN_WINDOWS = 4

MIN_PERHAPS = 16
"""Fewest windows from which scatter of the answers is told from chance: beside hidden stations they are simulated."""

MIN_ANSWERED = 0.95
"""Share of the recorded time whose windows must have an answer."""

APART = 2.0
"""How many times half the width of their intervals windows must be from their mean, as a root mean square."""

APART_PERHAPS = 1.0
"""The same from which on the interval holds both readings: chance and a model that is off alike in all windows leave
them nearer together."""


def with_changes(whole: pl.DataFrame, windows: pl.DataFrame) -> pl.DataFrame:
    """`whole` with `load_changes`, and the mean of the windows' answers where that applies.

    The interval reaches from the lower end of that by the windows or by the sums to the higher one.

    Args:
        whole: a row per :data:`.evidence.LINK` with `available_bps available_low_bps available_high_bps`.
        windows: the same of windows of :data:`WINDOW_NS`, with `covered_ns`.
    """
    value, weight = pl.col("available_bps"), pl.col("covered_ns")
    answered = windows.filter(value.is_not_null(), weight > 0)
    half = ((pl.col("available_high_bps") - pl.col("available_low_bps")) / 2).clip(1)
    means = answered.group_by(LINK).agg(
        mean_bps=_sum(value * weight) / weight.sum(),
        apart=(_sum(((value - _sum(value) / pl.len()) / half) ** 2) / pl.len()).sqrt(),
        answered_ns=weight.sum(),
        answered=pl.len(),
    )
    rows = whole.join(means, on=list(LINK), how="left", nulls_equal=True, maintain_order="left")
    told = (
        (pl.col("answered") >= MIN_WINDOWS) & (pl.col("answered_ns") >= MIN_ANSWERED * weight) & value.is_not_null()
    ).fill_null(value=False)
    changes = told & (pl.col("apart") > APART)
    perhaps = told & (pl.col("apart") > APART_PERHAPS) & (pl.col("answered") >= MIN_PERHAPS)
    rows = rows.with_columns(
        load_changes=changes,
        shift=pl.when(changes | perhaps).then(pl.col("mean_bps") - value).otherwise(0.0),
    )
    low, high, shift = pl.col("available_low_bps"), pl.col("available_high_bps"), pl.col("shift")
    rows = rows.with_columns(
        available_bps=value + pl.when("load_changes").then(shift).otherwise(0.0),
        available_low_bps=low + shift.clip(upper_bound=0),
        available_high_bps=high + shift.clip(0),
    )
    return rows.drop("mean_bps", "apart", "answered_ns", "answered", "shift")


def _sum(value: pl.Expr) -> pl.Expr:
    """From the least to the greatest: the same bits in whatever order the windows come."""
    return value.sort().cum_sum().last()
