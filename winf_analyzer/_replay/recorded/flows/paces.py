"""Applications that write whole segments: pauses that come after equal bursts, and the pace within a burst.

A segment that is not full shows that a source had no more. One that writes the same number of octets before each pause
shows it by that number: what greedy sources send between two silences differs from time to time.
"""

from __future__ import annotations

from math import inf

import polars as pl

MIN_EQUAL, MIN_BURST_SEGMENTS = 3, 10
"""Least number of bursts of as many octets, and of segments of one: starved sources often send two or three segments
between timeouts."""

MIN_SHARE = 0.5
"""Share of all bursts that are equal."""

BRIEFLY = 1.1
"""A medium that was idle beyond DIFS for so many times the longest backoff of a first attempt, in all, had nobody with
one."""

MIN_BRIEF_WAITS = 4
"""Brief waits per pause from which on a source was slower than the network within its bursts too."""

FIRST_SEGMENTS = (3, 10)
"""Of so many at the start of a burst the fastest shows the pace: later ones wait for the network. Any window lets three
go at once after a pause, and those of common systems ten (RFC 6928)."""

SMALLEST = 0.1
"""The pieces in which it writes are the quantile of what it sends from one brief wait to the next; and its pace among
packets of other flows is that of its bursts."""


def after_equal_bursts(starts: pl.DataFrame, mss: int) -> pl.DataFrame:
    """Of the first segments after silences those that a number of octets separates which comes back.

    ``starts``: ``at_ns upto``, in order, from the first segment of all on, which stays; alone if none comes back.
    """
    between = starts["upto"].diff()
    common = between.filter(between >= MIN_BURST_SEGMENTS * mss).drop_nulls().value_counts(name="times")
    common = common.sort("times", "upto", descending=True)
    if common.is_empty():
        return starts.head(1)
    # At a rate that is no whole number of segments per burst, some have one more than others.
    alike = ((between - common["upto"][0]).abs() <= mss).fill_null(value=False)
    if alike.sum() < max(MIN_EQUAL, MIN_SHARE * len(starts)):
        return starts.head(1)
    octets, one = common["upto"][0], starts["upto"].filter(between == common["upto"][0])[0]
    is_start = alike | alike.shift(-1, fill_value=False) | ((starts["upto"] - one) % octets == 0)
    return starts.filter(is_start | (pl.int_range(pl.len()) == 0))


FREE, EVEN = 0.8, 0.5
"""Behind a wire an application has a pace if at least so many of its segments find an idle medium, and the middle half
of the times between them differs by no more than this share of the median."""


def at_a_pace(news: pl.DataFrame, starts: pl.DataFrame, total: int, backoff_ns: int) -> pl.DataFrame:
    """What an application wrote that also waited within its bursts: ``at_ns upto``; else only ``starts``.

    What it sent from one brief wait to the next it wrote evenly in between, in pieces as large as the least that it
    sent from one to the next, and nothing later than it was sent. After the last wait of a burst what is sent shows no
    more how fast it wrote, but how fast the network was: it went on writing as fast as between all waits.

    Args:
        news: of :func:`.pauses._with_idle`, of new segments.
        starts: the first of each burst, ``at_ns upto``.
        total: octets that the source sent.
        backoff_ns: the longest backoff of a first attempt.
    """
    if news["wire_ns"][0] != 0:
        return _behind_a_wire(news, starts, backoff_ns)
    # Nothing was outstanding, or nothing came since its last segment that may have opened its window.
    # What is heard as a retry was first sent while the medium seemed idle: a segment, which collided, or an
    # acknowledgement that was lost, and for whose end the source waited.
    is_free = (pl.col("all_acked") | pl.col("after_sent")) & ~pl.col("again") & ~pl.col("was_deaf")
    waits = news.filter(is_free & (pl.col("free_ns") >= BRIEFLY * backoff_ns))
    waits = waits.select("at_ns", upto="reached_before")
    if len(waits) < MIN_BRIEF_WAITS * len(starts):
        return _among_others(news, starts)
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
    lasted_ns = pl.col("until_ns") - pl.col("at_ns")
    per_octet_ns = marks.filter(~is_last).select(lasted_ns.sum() / pl.col("octets").sum()).item()
    faster_ns = pl.col("at_ns") + (per_octet_ns or inf) * pl.col("octets")
    marks = marks.with_columns(
        until_ns=pl.when(is_last).then(pl.min_horizontal("until_ns", faster_ns)).otherwise("until_ns")
    )
    into = (pl.col("upto") - pl.col("mark")) // piece * piece
    evenly_ns = pl.col("at_ns") + into / pl.col("octets") * (pl.col("until_ns") - pl.col("at_ns"))
    written = sent.join_asof(marks, on="upto").select(
        at_ns=pl.min_horizontal("sent_ns", evenly_ns.fill_null(pl.col("at_ns")).cast(pl.Int64)),
        upto=pl.col("mark") + into,
    )
    return written.unique("upto", keep="first", maintain_order=True).with_columns(pl.col("at_ns").cum_max())


def _behind_a_wire(news: pl.DataFrame, starts: pl.DataFrame, backoff_ns: int) -> pl.DataFrame:
    """What an application wrote whose segments come through a wire: ``at_ns upto``; as in :func:`at_a_pace`.

    What a window lets go comes in pairs, faster and faster. Segments that come evenly, to an idle medium, were written
    so.
    """
    gaps = news.filter(~pl.col("upto").is_in(starts["upto"].implode())).select(pl.col("at_ns").diff().drop_nulls())
    first, median, third = (gaps["at_ns"].quantile(share) or 0.0 for share in (0.25, 0.5, 0.75))
    is_free = (news["free_ns"] >= BRIEFLY * backoff_ns).mean()
    if not isinstance(is_free, float) or is_free < FREE or third - first > EVEN * median:
        return _among_others(news, starts)
    return news.select("at_ns", upto="reached_before").unique("upto", keep="first", maintain_order=True)


def _among_others(news: pl.DataFrame, starts: pl.DataFrame) -> pl.DataFrame:
    """What an application wrote at a pace whose station sends packets of other flows too: ``at_ns upto``.

    What is written at once is together in the queue. Where packets of other flows are among the first segments after
    most of the pauses, these were written one by one: at the pace of the fastest few, for the network only delays.
    Else only ``starts``.
    """
    least, most = FIRST_SEGMENTS
    begun = starts.select("upto", mark="upto", begun_ns="at_ns")
    sent = news.select("others", sent_ns="at_ns", upto="reached_before")
    sent = sent.unique("upto", keep="first").sort("upto").join_asof(begun, on="upto")
    sent = sent.with_columns(
        place=pl.int_range(pl.len()).over("mark"),
        among=(pl.col("others") - pl.col("others").first()).over("mark"),
    )
    early = sent.filter(pl.col("place").is_between(least, most))
    bursts = early.group_by("mark").agg(
        is_among=pl.col("among").max() > 0,
        per_octet_ns=((pl.col("sent_ns") - pl.col("begun_ns")) / (pl.col("upto") - pl.col("mark"))).min(),
    )
    if bursts["is_among"].sum() <= len(starts) / 2:
        return starts
    per_octet_ns = bursts["per_octet_ns"].quantile(SMALLEST)
    paced_ns = (pl.col("begun_ns") + per_octet_ns * (pl.col("upto") - pl.col("mark"))).cast(pl.Int64)
    return sent.select(at_ns=pl.min_horizontal("sent_ns", paced_ns), upto="upto")
