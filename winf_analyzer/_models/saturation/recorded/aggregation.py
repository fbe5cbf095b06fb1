"""Whether a sender that could aggregate does, from what it put into one PPDU though more was waiting.

A sender that aggregates sends what came since its last access: the stations as they were recorded, simulated, say how
many MPDUs that is on average (:mod:`.expected_collisions`). In light traffic it is hardly more than one, but a sender
that waits long, for others or for its own AIFS, should have had some. Where it should have been many and was one every
time, the sender does not aggregate: its driver, its queue, or the access category does not. Where it was more than of
packets that come at random, they come in batches.
"""

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum, quotient

MIN_EXPECTED = 20.0
"""MPDUs beyond the first of an access that must be expected."""

MAX_SHARE = 0.05
"""Share of these that may have been seen of a sender that does not aggregate."""


def told(links: pl.DataFrame, simulated: pl.DataFrame, rates: pl.DataFrame) -> pl.DataFrame:
    """Sums per window and link with `one_by_one`, `batch`, `burst_per_s` and `uneven` of their sender's queue.

    `batch`: how many times as many MPDUs went together as of packets that come at random; `uneven` follows from it.

    Args:
        links: with :func:`.completeness.with_shares`.
        simulated: `medium sender queue carried mpdus aggregates packets` of :func:`.expected_collisions.as_recorded`.
        rates: `medium sender burst_per_s` of :func:`.bursts.rates`.
    """
    queue = ["medium", "sender", "queue"]
    more = pl.col("carried") * (pl.col("packets").fill_null(1.0) - 1).clip(0)
    sums = (
        simulated.filter("aggregates")
        .group_by(queue)
        .agg(pl.col("carried").sum(), expected=ordered_sum(more), seen=(pl.col("mpdus") - pl.col("carried")).sum())
    )
    found = sums.select(
        *queue,
        told=(pl.col("expected") > MIN_EXPECTED) & (pl.col("seen") < MAX_SHARE * pl.col("expected")),
        together=quotient(pl.col("carried") + pl.col("seen"), pl.col("carried") + pl.col("expected")).clip(1),
    )
    links = links.drop("burst_per_s").join(found, on=queue, how="left", nulls_equal=True)
    links = links.join(rates, on=["medium", "sender"], how="left", nulls_equal=True)
    links = links.with_columns(one_by_one=pl.col("told").fill_null(False), batch=pl.col("together").fill_null(1.0))
    # Times between exchanges do not show it where packets come at once and go together.
    uneven = pl.max_horizontal("uneven", 1 - 1 / pl.col("batch"))
    # Packets of bursts are spread over the sender's queues as all are.
    of_queue = quotient(pl.col("mpdus").sum().over(queue), pl.col("mpdus").sum().over("medium", "sender").clip(1))
    burst = (pl.col("burst_per_s") * of_queue / pl.col("heard_share")).fill_null(0.0)
    return links.with_columns(uneven=uneven, burst_per_s=burst).drop("told", "together")
