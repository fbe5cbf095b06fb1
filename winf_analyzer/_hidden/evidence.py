"""What a dataset's exchanges say for and against two stations being hidden from each other.

*Answers without questions*: a station that records hears how another is answered (CTS, ACK), but not that other itself.
*Late starts*: one begins a frame while the other is sending, later than the slot in which two that hear each other
may both begin by chance. *Loss with overlap*: attempts fail more often where they overlap the other's exchange.
*Acquaintance* speaks against it: one has answered the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import polars as pl

from winf_analyzer import _core

BATCH = 1 << 18
"""Exchanges held in memory at a time, besides those of the last 50 ms before them."""

PAIR = ("source", "observer", "sender", "other")
"""Who is not heard, and by whom it may not be heard."""

_TEXTS = ("source", "observer", "sender", "receiver", "kind")
_STAMPS = ("rts_start_ns", "rts_ns", "cts_start_ns", "cts_ns", "data_start_ns", "data_ns", "ack_start_ns", "ack_ns")
_TIMES = ("start_ns", "end_ns", *_STAMPS)


class Evidence(NamedTuple):
    """What one pass over the exchanges gives."""

    links: pl.DataFrame
    """What each observer recorded of each link: `source observer sender receiver` and counts.

    `attempts`, `failed`: of the sender; `whole`: exchanges with an answer; `answered`: those of which it heard an
    answer or the sender; `unheard`: of them, nothing of the sender's own.
    """

    overlaps: pl.DataFrame
    """What overlapped, per `source`, `sender` and `other`.

    `late_starts`: `other` began while `sender` was sending, and both are stamped, not inferred; `overlapped`: how often
    an attempt of `sender` and an exchange of `other` overlapped, an attempt that two of these overlap counting twice;
    `overlapped_failed` of them, and for how long in all, `overlap_ns`. Starts in the same slot are left out: stations
    that hear each other collide so. A trace of all nodes holds each use of the medium for every node, so there the
    senders' own count.
    """


def gather(exchanges: pl.LazyFrame, batch: int = BATCH) -> Evidence:
    """The evidence of the `exchanges` table, `batch` rows at a time; natively, in `core/src/hidden`."""
    media = exchanges.select("source", "observer").unique().collect(engine="streaming")
    found = _core.HiddenEvidence(traces(media))
    for rows in _batches(exchanges, batch):
        found.add(rows)
    return Evidence(pl.DataFrame(found.links()), pl.DataFrame(found.overlaps()))


def traces(media: pl.DataFrame) -> list[str]:
    """Sources of `source observer` that several recorded: traces of all nodes."""
    observers = media.drop_nulls("source").group_by("source").agg(pl.col("observer").n_unique())
    return observers.filter(pl.col("observer") > 1)["source"].to_list()


def unheard_senders(links: pl.DataFrame) -> pl.DataFrame:
    """How much of a sender's exchanges each recording station (`other`) holds, of exchanges it is no part of.

    `answered` and `unheard` are those of :class:`Evidence`.
    """
    return (
        links.filter(
            pl.col("observer").is_not_null(),
            pl.col("sender") != pl.col("observer"),
            pl.col("receiver").fill_null("") != pl.col("observer"),
            pl.col("answered") > 0,
        )
        .group_by("source", "observer", "sender", other="observer")
        .agg(pl.col("answered", "unheard").sum())
    )


def acquaintances(links: pl.DataFrame) -> pl.DataFrame:
    """`sender` and `other` that answered each other, in both orders: they hear one another."""
    pairs = links.filter(pl.col("whole") > 0).select("sender", "receiver").drop_nulls()
    both = [pairs.select(sender="sender", other="receiver"), pairs.select(sender="receiver", other="sender")]
    return pl.concat(both).unique()


def common_receivers(links: pl.DataFrame) -> pl.DataFrame:
    """`sender`, `other` and `receiver`: the station both send to, the one that `sender` sends to most."""
    tried = links.filter(pl.col("attempts") > 0).group_by("sender", "receiver").agg(pl.col("attempts").sum())
    pairs = tried.join(tried.select("receiver", other="sender"), on="receiver")
    return (
        pairs.filter(pl.col("sender") != pl.col("other"))
        .sort("attempts", "receiver", descending=[True, False])
        .group_by("sender", "other", maintain_order=True)
        .agg(pl.col("receiver").first())
    )


def attempts(links: pl.DataFrame) -> pl.DataFrame:
    """`attempts` and `failed` of every sender, per recording; in a trace of all nodes as each node saw its own."""
    as_sent = (pl.col("observer") == pl.col("sender")).fill_null(value=False)
    in_view = as_sent | ~pl.col("source").is_in(traces(links))
    own = links.filter(in_view, pl.col("attempts") > 0)
    return own.group_by("source", "sender").agg(pl.col("attempts", "failed").sum())


def _batches(exchanges: pl.LazyFrame, batch: int) -> Iterator[pl.DataFrame]:
    """The exchanges in the order of the table."""
    certain = pl.col("complete", "hidden").fill_null(value=False)
    total = exchanges.select(pl.len()).collect(engine="streaming").item()
    for offset in range(0, total, batch):
        yield exchanges.select(*_TEXTS, *_TIMES, certain).slice(offset, batch).collect(engine="streaming")
