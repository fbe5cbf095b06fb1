"""Applications that write whole segments: pauses that come after equal bursts, and the pace within a burst.

A segment that is not full shows that a source had no more. One that writes the same number of octets before each pause
shows it by that number: what greedy sources send between two silences differs from time to time.
"""

from __future__ import annotations

import polars as pl

MIN_EQUAL, MIN_BURST_SEGMENTS = 3, 10
"""Least number of bursts of as many octets, and of segments of one: starved sources often send two or three segments
between timeouts."""

MIN_SHARE = 0.5
"""Share of all bursts that are equal."""

MIN_BRIEF_IDLE_NS = 300_000
"""A medium that was idle for that long beyond DIFS, in all, had nobody with a first attempt (15 slots of 20 us)."""

MIN_BRIEF_IDLE_DSSS_NS = 620_000
"""The same with 31 slots of 802.11b."""

MIN_BRIEF_WAITS = 4
"""Brief waits per pause from which on a source was slower than the network within its bursts too."""

SMALLEST = 0.1
"""The pieces in which it writes are the quantile of what it sends from one brief wait to the next."""


def after_equal_bursts(starts: pl.DataFrame, mss: int) -> pl.DataFrame:
    """Of the first segments after silences those that a number of octets separates which comes back.

    ``starts``: ``at_ns upto``, in order, from the first segment of all on, which stays; alone if none comes back.
    """
    between = starts["upto"].diff()
    common = between.filter(between >= MIN_BURST_SEGMENTS * mss).drop_nulls().value_counts(name="times")
    common = common.sort("times", "upto", descending=True)
    if common.is_empty() or common["times"][0] < max(MIN_EQUAL, MIN_SHARE * len(starts)):
        return starts.head(1)
    octets = common["upto"][0]
    one = starts["upto"].filter(between == octets)[0]
    return starts.filter(((pl.col("upto") - one) % octets == 0) | (pl.int_range(pl.len()) == 0))


def at_a_pace(news: pl.DataFrame, starts: pl.DataFrame, total: int) -> pl.DataFrame:
    """What an application wrote that also waited within its bursts: ``at_ns upto``; else only ``starts``.

    What it sent from one brief wait to the next it wrote evenly in between, in pieces as large as the least that it
    sent from one to the next, and nothing later than it was sent.

    Args:
        news: of :func:`.pauses._with_idle`, of new segments.
        starts: the first of each burst, ``at_ns upto``.
        total: octets that the source sent.
    """
    limit = pl.when("is_dsss").then(MIN_BRIEF_IDLE_DSSS_NS).otherwise(MIN_BRIEF_IDLE_NS)
    # Nothing was outstanding, or nothing came since its last segment that may have opened its window.
    # What is heard as a retry was first sent while the medium seemed idle, and collided.
    is_free = (pl.col("all_acked") | pl.col("after_sent")) & ~pl.col("again")
    waits = news.filter((pl.col("wire_ns") == 0) & is_free & (pl.col("idle_ns") >= limit))
    waits = waits.select("at_ns", upto="reached_before")
    if len(waits) < MIN_BRIEF_WAITS * len(starts):
        return starts
    sent = news.select(sent_ns="at_ns", upto="reached_before").unique("upto", keep="first").sort("upto")
    marks = pl.concat([starts, waits]).unique("upto", keep="first", maintain_order=True).sort("upto")
    marks = marks.with_columns(mark="upto", following=pl.col("upto").shift(-1, fill_value=total))
    # Up to the next wait; but up to the last segment of its burst, after which comes the pause.
    last = sent.with_columns(following=pl.col("upto").shift(-1, fill_value=total)).select(
        "following", last_ns="sent_ns"
    )
    is_last = pl.col("following").is_in([*starts["upto"], total])
    until_ns = pl.when(is_last).then("last_ns").otherwise(pl.col("at_ns").shift(-1))
    marks = marks.join(last, on="following", how="left", maintain_order="left").with_columns(
        until_ns=until_ns, octets=pl.col("following") - pl.col("upto")
    )
    is_wait = pl.col("upto").is_in(waits["upto"].implode())
    piece = max(1, int(marks.select(pl.col("octets").filter(is_wait).quantile(SMALLEST)).item()))
    into = (pl.col("upto") - pl.col("mark")) // piece * piece
    evenly_ns = pl.col("at_ns") + into / pl.col("octets") * (pl.col("until_ns") - pl.col("at_ns"))
    written = sent.join_asof(marks, on="upto").select(
        at_ns=pl.min_horizontal("sent_ns", evenly_ns.fill_null(pl.col("at_ns")).cast(pl.Int64)),
        upto=pl.col("mark") + into,
    )
    return written.unique("upto", keep="first", maintain_order=True).with_columns(pl.col("at_ns").cum_max())
