"""Whether stations that seem hidden explain what is lost beside them, or the channel loses it."""

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum

UNEXPLAINED = 1.75
"""How many times as much must have been lost as frames of stations that seem hidden overlap, to be lost on the channel:
repetitions bring the ratio of such stations up to 1.5."""

NEGLIGIBLE = 0.01
"""Share of the subject's attempts that frames of stations that seem hidden overlap, below which these do not matter."""

MAX_LOSS = 0.5
"""Loss that is nothing unusual: a sender of which more is lost is believed to be beside hidden stations."""

_EXPOSED = {"loss": pl.col("loss"), "exchange_s": pl.col("access_s") + pl.col("packet_s")}


def is_explained(loss: pl.Expr, overlapping: pl.Expr) -> pl.Expr:
    """Whether frames that overlap so often may have destroyed a good part of what was lost."""
    return (loss <= UNEXPLAINED * overlapping) | (loss > MAX_LOSS)


def are_apart(one: pl.Expr, other: pl.Expr) -> pl.Expr:
    """These two senders do not hear each other: they share a bit of `unaware` of :mod:`.hidden_senders`."""
    return (one & other) > 0


def explained_by_hidden() -> pl.Expr:
    """The frames that stations which seem hidden sent may have destroyed a good part of the subject's that were lost.

    Where far more were lost, on the channel, failures do not tell whether such a station is hidden, and it matters
    little. Nor does one of a few frames, unless most is lost: what it sends may be answered rarely.
    """
    exchange_s = pl.col("access_s") + pl.col("packet_s")
    of_subject = {name: value.filter("subject").first().over("case") for name, value in _EXPOSED.items()}
    expected = pl.col("packets_per_s") * pl.col("count") * (exchange_s + of_subject["exchange_s"])
    overlapping = 1 - (-ordered_sum(expected.filter(pl.col("hidden"))).over("case")).exp()
    behind_cts = pl.col("rts").filter("subject").first().over("case")
    loss = of_subject["loss"].fill_null(0.0)
    matters = (overlapping >= NEGLIGIBLE) | (loss > MAX_LOSS)
    return (matters & (behind_cts | is_explained(loss, overlapping))).fill_null(True)
