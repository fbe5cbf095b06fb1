"""Senders that do not hear one another, in the recording of a third station that hears all.

Where their frames overlap, the recorder decodes neither, as their receiver does not: no frame is heard without an
answer, but many are heard as repetitions of one that was not heard. Stations that hear each other collide where both
draw the same slot, hidden ones wherever their frames overlap, which are many times as many. What the channel alone
loses on its way to the receiver, the recorder would have heard. Packets that come together would nearly all overlap.

Of more than two senders some may hear all, and others not one another: :mod:`.hidden_pairs` tells which.
"""

import polars as pl

from winf_analyzer._aggregate.exchange_columns import quotient
from winf_analyzer._models.saturation.recorded import completeness
from winf_analyzer._models.saturation.unheard import hidden_pairs

UNHEARD = 0.8
"""Share of a sender's failed attempts that must not have been heard."""

UNHEARD_TOGETHER = 0.6
"""The same of aggregates: of each its first number is known and how many it holds, so that a number between those of
one before seems to have been in it, though it had been left out."""

MAX_SENDERS = 6
"""Senders that are told apart at most: each more trebles the readings."""

HEARD = 0.8
"""Share of its other attempts that must have been heard: a recorder at the edge of its range misses both kinds."""

MOSTLY = 0.5
"""The same of numbers, where answers without data are few."""


def told(links: pl.DataFrame, collided: pl.DataFrame, media: pl.DataFrame) -> pl.DataFrame:
    """`links` with `unaware`: a bit for each pair that does not hear each other, of those the sender is in; 0 of none.

    Args:
        links: sums per window and link, with :func:`.completeness.with_shares`.
        collided: `medium sender collided piled_up` of :func:`.near_misses.counted`: attempts that should have collided
            with all in range.
        media: `medium observer`.
    """
    third = media.filter(pl.col("observer").is_null())["medium"]
    senders = _together(links.filter(pl.col("medium").is_in(third.implode()), ~completeness.is_traced()))
    if senders.is_empty():
        return links
    beside = collided.rename({"collided": "beside"})
    rows = senders.join(beside, on=["medium", "sender"]).sort("medium", "sent", "missed", "beside")
    found = [_apart(of_medium) for of_medium in rows.partition_by("medium", maintain_order=True)]
    told_apart = pl.concat(found)
    if told_apart.is_empty():
        return links
    links = links.drop("unaware").join(told_apart, on=["medium", "sender"], how="left", maintain_order="left")
    return links.with_columns(pl.col("unaware").fill_null(0))


def missed() -> pl.Expr:
    """Attempts that failed and were not heard, at least: repetitions, less what was heard without an answer.

    Of a sender that aggregates, repetitions of which nothing was heard before: its MPDUs are also lost one by one.
    """
    single = quotient(pl.col("retries"), pl.col("heard_share").clip(0.05)) - pl.col("silent") - pl.col("silent_behind")
    together = quotient(pl.col("unheard_before"), pl.col("heard_share").clip(0.05))
    return pl.when(_aggregates()).then(together).otherwise(single).clip(0)


def _aggregates() -> pl.Expr:
    return pl.col("aggregating") * 2 > pl.col("carried")


def _apart(senders: pl.DataFrame) -> pl.DataFrame:
    """`medium sender unaware` of the senders of a medium; no rows where nothing tells."""
    # Whoever is hidden.
    heard = pl.col("silent") + pl.when(_aggregates()).then(pl.col("retries") - pl.col("unheard_before")).otherwise(0.0)
    most = pl.when(_aggregates()).then(UNHEARD_TOGETHER).otherwise(UNHEARD)
    failed = pl.col("missed") + heard
    unheard = (pl.col("missed") > most * failed) & _within_hearing()
    # Who hears all fails hardly ever, of which nothing follows.
    senders = senders.with_columns(unheard=unheard, hardly_fails=failed < hidden_pairs.MIN_DIFFERENCE)
    names = ("missed", "beside", "piled_up", "window", "unheard", "hardly_fails")
    each = [
        hidden_pairs.Sender(row["sent"], row["air_ns"] / max(row["sent"], 1.0), *(row[name] for name in names))
        for row in senders.iter_rows(named=True)
    ]
    pairs = hidden_pairs.found(each, senders["covered_ns"][0])
    bits = [sum(1 << number for number, pair in enumerate(pairs) if place in pair) for place in range(senders.height)]
    told = senders.select("medium", "sender", unaware=pl.Series(bits, dtype=pl.Int64))
    return told.head(senders.height if pairs else 0)


def _within_hearing() -> pl.Expr:
    """What collided with nothing the recorder heard: by numbers, or by answers of a sender that aggregates.

    It gives up MPDUs that overlap again and again, whose numbers were heard never.
    """
    by_answers = 1 - quotient(pl.col("unheard"), pl.col("accesses").clip(1))
    return (pl.col("heard_share") > HEARD) | (_aggregates() & (by_answers > HEARD) & (pl.col("heard_share") > MOSTLY))


def _together(links: pl.DataFrame) -> pl.DataFrame:
    """Senders without RTS to one receiver, of media that have some of them, and no others than that receiver."""
    counts = (
        *("accesses", "with_rts", "aggregating", "carried", "retries", "unheard_before", "silent", "unheard"),
        *("silent_behind", "carried_air_ns", "window_slots"),
    )
    covered = links.select("medium", "window_start_ns", "covered_ns").unique()
    covered = covered.group_by("medium").agg(pl.col("covered_ns").sum())
    unicast = links.filter(pl.col("receiver").is_not_null(), pl.col("carried") > 0)
    # What the receiver itself sends all of them hear.
    to = unicast.group_by("medium", "receiver").agg(senders=pl.col("sender").n_unique()).sort("senders", "receiver")
    common = to.group_by("medium", maintain_order=True).last().select("medium", common="receiver")
    unicast = unicast.join(common, on="medium").filter(pl.col("sender") != pl.col("common"))
    rows = unicast.group_by("medium", "sender").agg(
        pl.col(counts).sum(),
        pl.col("heard_share").first(),
        pl.col("receiver").first(),
        to=pl.col("receiver").n_unique(),
    )
    some = pl.len().over("medium").is_between(2, MAX_SENDERS) & (pl.col("receiver").n_unique().over("medium") == 1)
    together = (pl.col("with_rts") == 0) & (pl.col("to") == 1)
    rows = rows.filter(some & together.all().over("medium")).join(covered, on="medium")
    rows = rows.with_columns(missed=missed(), air_ns=quotient(pl.col("carried_air_ns"), pl.col("carried")))
    rows = rows.with_columns(window=quotient(pl.col("window_slots"), pl.col("accesses").clip(1)))
    sent = pl.col("accesses") + pl.col("missed")
    return rows.with_columns(sent=sent, air_ns=pl.col("air_ns") * sent)
