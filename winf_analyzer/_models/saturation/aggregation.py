"""Whether a sender that could aggregate does, from what it put into one PPDU though more was waiting.

A sender that aggregates sends what came since its last access: the fixed point says how many MPDUs that is on
average, at the load that was recorded. With A of them, max(1, Poisson(A)) travel together, A + e^-A on average: in
light traffic hardly more than one. Where it should have been many and was one every time, the sender does not
aggregate: its driver, its queue, or the access category does not.
"""

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum

MIN_EXPECTED = 20.0
"""MPDUs beyond the first of an access that must be expected."""

MAX_SHARE = 0.05
"""Share of these that may have been seen of a sender that does not aggregate."""


def told(links: pl.DataFrame, solved: pl.DataFrame) -> pl.DataFrame:
    """Sums per window and link with `one_by_one` of their sender.

    Args:
        links: with :func:`.completeness.with_shares`.
        solved: `medium sender carried mpdus aggregates packets` of the senders of each window, from the fixed point.
    """
    # As many come per access on the average; of those a queue that was found empty sends the first alone.
    came = (pl.col("packets") - 1).clip(0)
    more = pl.col("carried") * (came - 1 + (-came).exp())
    sums = (
        solved.filter("aggregates")
        .group_by("medium", "sender")
        .agg(expected=ordered_sum(more), seen=(pl.col("mpdus") - pl.col("carried")).sum())
    )
    found = sums.select(
        "medium", "sender", told=(pl.col("expected") > MIN_EXPECTED) & (pl.col("seen") < MAX_SHARE * pl.col("expected"))
    )
    links = links.join(found, on=["medium", "sender"], how="left", nulls_equal=True)
    return links.with_columns(one_by_one=pl.col("told").fill_null(False)).drop("told")
