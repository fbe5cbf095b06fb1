"""Whether a sender that could aggregate does, from what it put into one PPDU though more was waiting.

A sender that aggregates sends what came since its last access: the stations as they were recorded, simulated, say how
many MPDUs that is on average (:mod:`.expected_collisions`). In light traffic it is hardly more than one, but a sender
that waits long, for others or for its own AIFS, should have had some. Where it should have been many and was one every
time, the sender does not aggregate: its driver, its queue, or the access category does not. Where it was more than of
packets that come at random, they come in batches.

A BlockAck to a sender, or its request for one, says that it does, however few went together: without an agreement there
is neither (10.25.2). An agreement is with one receiver: of another one it says only that the sender can. A link with
neither an A-MPDU nor an agreement of its own, where hardly a packet should have waited or whose sender aggregates for
others, is presumed to aggregate, as most do, and its answer has both readings in its interval (:mod:`.other_readings`).
"""

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum, quotient
from winf_analyzer._mac.aggregation import agreements, windows
from winf_analyzer._models.saturation.recorded import sender_limits
from winf_analyzer._models.saturation.recorded.ampdu import MPDUS_MAX, UNLIMITED

MIN_EXPECTED = 20.0
"""MPDUs beyond the first of an access that must be expected."""

MIN_WAITING = 0.03
"""Share of the accesses that they must be, besides: packets that come at equal intervals never meet, and how many more
than none the simulation expects depends on how well it has these intervals."""

MAX_SHARE = 0.05
"""Share of these that may have been seen of a sender that does not aggregate."""


def with_limits(sums: pl.DataFrame, limits: pl.DataFrame) -> pl.DataFrame:
    """Sums of links with the limits of their senders' own.

    Args:
        sums: with :data:`.sender_limits.LINK` and :data:`.exchange_sums.SUMS`.
        limits: of :func:`.sender_limits.found`.
    """
    if limits.is_empty():
        return sums
    limits = limits.rename({unit: f"limit_of_{unit}" for unit in sender_limits.UNITS})
    rows = sums.join(limits, on=sender_limits.LINK, how="left", maintain_order="left", nulls_equal=True)
    return rows.with_columns(
        (pl.col("carried") * pl.col(f"limit_of_{unit}")).fill_null(pl.col(name)).alias(name)
        for name, unit in zip(UNLIMITED, sender_limits.UNITS, strict=True)
    ).select(sums.columns)


def with_windows(
    sums: pl.DataFrame, lengths: pl.DataFrame, media: pl.DataFrame, frames: pl.LazyFrame | None
) -> pl.DataFrame:
    """Sums per window and link with the BlockAck windows that BlockAcks show in `window_mpdus`.

    `window_most`: those that the agreements may have. A BlockAck of 64 MPDUs may be one of an agreement for more, to an
    aggregate that held fewer (802.11ax-2021, table 26-1). Where aggregates of exactly 64 were seen, and none that a
    longer BlockAck acknowledged, there were no more to a window.

    Args:
        sums: of :data:`.exchange_sums.LINK_LOADS`.
        lengths: of :data:`.sender_limits.LENGTHS`.
        media: `medium source`.
        frames: the `frames` table, if it is at hand; read only if there is an aggregate of a PHY that has longer ones.
    """
    longer = sums.filter(pl.col("window_most") > pl.col("window_mpdus"), pl.col("aggregating") > 0)
    if longer.is_empty():
        return sums
    link = ["medium", "sender", "receiver"]
    of_window = lengths.filter(unit="mpdus", length=MPDUS_MAX)
    full = of_window.group_by(link).agg(is_full=pl.col("count").sum() >= sender_limits.MIN_FULL)
    rows = sums.join(full, on=link, how="left", maintain_order="left", nulls_equal=True)
    if frames is None:
        rows = rows.with_columns(shown=pl.lit(None, pl.Int64))
    else:
        shown = windows(frames).collect(engine="streaming")
        shown = shown.with_columns(pl.col("source", "sender", "receiver").cast(pl.Categorical))
        shown = media.select("medium", "source").join(shown, on="source").drop("source")
        rows = rows.join(shown, on=link, how="left", maintain_order="left")
    window = pl.col("shown").fill_null(MPDUS_MAX).clip(MPDUS_MAX)
    is_known = pl.col("is_full").fill_null(value=False) & (window == MPDUS_MAX)
    of_phy = pl.when(is_known).then("window_mpdus").otherwise("window_most")
    mpdus = pl.col("carried") * window
    rows = rows.with_columns(window_mpdus=mpdus, window_most=pl.max_horizontal(mpdus, of_phy))
    return rows.drop("shown", "is_full")


def told(links: pl.DataFrame, simulated: pl.DataFrame, rates: pl.DataFrame) -> pl.DataFrame:
    """Sums per window and link with `one_by_one`, `batch`, `burst_per_s` and `uneven` of their sender's queue.

    And `presumed`: it could aggregate, and no A-MPDU of the link was recorded. Both that and `one_by_one` are for
    :func:`settled` to confirm.

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
        told=(pl.col("expected") > (MIN_WAITING * pl.col("carried")).clip(MIN_EXPECTED))
        & (pl.col("seen") < MAX_SHARE * pl.col("expected")),
        together=quotient(pl.col("carried") + pl.col("seen"), pl.col("carried") + pl.col("expected")).clip(1),
    )
    links = links.drop("burst_per_s").join(found, on=queue, how="left", nulls_equal=True)
    links = links.join(rates, on=["medium", "sender"], how="left", nulls_equal=True)
    link = ("medium", "sender", "receiver")
    able, together = (pl.col(name).sum().over(link) > 0 for name in ("aggregating", "in_aggregates"))
    told = pl.col("told").fill_null(False)
    links = links.with_columns(
        one_by_one=told, batch=pl.col("together").fill_null(1.0), presumed=able & ~together & ~told
    )
    # Times between exchanges do not show it where packets come at once and go together.
    uneven = pl.max_horizontal("uneven", 1 - 1 / pl.col("batch"))
    # Packets of bursts are spread over the sender's queues as all are.
    of_queue = quotient(pl.col("mpdus").sum().over(queue), pl.col("mpdus").sum().over("medium", "sender").clip(1))
    burst = (pl.col("burst_per_s") * of_queue / pl.col("heard_share")).fill_null(0.0)
    return links.with_columns(uneven=uneven, burst_per_s=burst).drop("told", "together")


def settled(links: pl.DataFrame, media: pl.DataFrame, frames: pl.LazyFrame | None) -> pl.DataFrame:
    """What :func:`told` returns, with what frames show of BlockAck agreements.

    A sender that has one with anybody does not go `one_by_one`, and its voice is `voice_agreed` if one is for voice. A
    link that has none of its own is then `presumed` to aggregate; one that has is not.

    Args:
        links: of :func:`told`.
        media: `medium source observer`.
        frames: the `frames` table, if it is at hand; read only if there is a link to ask for.
    """
    asked_for = pl.col("presumed") | pl.col("one_by_one") | (pl.col("voice") > 0)
    if frames is None or not links.select(asked_for.any()).item():
        return links
    shown = agreements(frames).group_by("source", "sender", "receiver").agg(of_voice=pl.col("is_voice").any())
    found = shown.collect(engine="streaming").with_columns(pl.col("source", "sender", "receiver").cast(pl.Categorical))
    known = media.select("medium", "source").join(found, on="source").drop("source")
    senders = known.group_by("medium", "sender").agg(able=pl.lit(value=True), voice_agreed=pl.col("of_voice").any())
    agreed = known.select("medium", "sender", "receiver", agreed=True)
    rows = links.drop("voice_agreed").join(senders, on=["medium", "sender"], how="left", maintain_order="left")
    rows = rows.join(agreed, on=["medium", "sender", "receiver"], how="left", maintain_order="left")
    rows = rows.with_columns(pl.col("able", "agreed", "voice_agreed").fill_null(False))
    by_others = pl.col("able") & (pl.col("one_by_one") | (pl.col("voice_agreed") & (pl.col("voice") > 0)))
    rows = rows.with_columns(
        one_by_one=pl.col("one_by_one") & ~pl.col("able"),
        presumed=(pl.col("presumed") | by_others) & ~pl.col("agreed"),
    )
    return rows.drop("able", "agreed").select(links.columns)
