"""Evidence in a dataset's exchanges for and against two stations being hidden from each other.

*Unheard senders*: a recording station hears the response to another station (CTS, ACK), but not that station's frame.
*Late starts*: a station starts a frame while the other is transmitting, more than a slot after its start; within a slot
stations that hear each other start together by chance. *Loss with overlap*: attempts fail more often when they overlap
an exchange of the other station. A *response* of one to the other is evidence against it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import polars as pl

from winf_analyzer import _core

BATCH = 1 << 18
"""Exchanges in memory at a time, plus those of the 50 ms before them."""

PAIR = ("source", "observer", "sender", "other")
"""Columns that identify a pair: `sender` may not be heard by `other`."""

_TEXTS = ("source", "observer", "sender", "receiver", "kind")
_STAMPS = ("rts_start_ns", "rts_ns", "cts_start_ns", "cts_ns", "data_start_ns", "data_ns", "ack_start_ns", "ack_ns")
_TIMES = ("start_ns", "end_ns", *_STAMPS)


_SUMS = ("sent", "air_ns", "first_ns", "firsts", "with_cts")
_SPAN = ("from_ns", "until_ns")


class PairEvidence(NamedTuple):
    """The result of one pass over the exchanges."""

    links: pl.DataFrame
    """Counts per observer and link: `source observer sender receiver` and

    `attempts` and `failed` (attempts of the sender), `whole` (exchanges with a response), `answered` (exchanges of
    which the observer heard the response or the sender), `unheard` (of them, those without a frame of the sender).
    """

    overlaps: pl.DataFrame
    """Overlaps per `source`, `sender` and `other`.

    `late_starts`: `other` started while `sender` was transmitting, both times being recorded, not inferred.
    `overlapped`: overlaps of an attempt of `sender` with an exchange of `other`; an attempt that two exchanges overlap
    counts twice. `overlapped_failed` of them failed, and `overlap_ns` is their total duration. Starts in the same slot
    do not count, because stations that hear each other collide in that way. A trace of all nodes contains each exchange
    once per node; there only the sender's own view counts.
    """

    active: pl.DataFrame
    """What each station does, as each observer knows it. Per `source observer sender`: `sent` (exchanges), `air_ns` (of
    the frames whose times are known), `first_ns` (mean length of the first frame of an attempt; null: none is known),
    `with_rts` (share of exchanges with a CTS), and `span_ns` of the medium.
    """


def collect_evidence(exchanges: pl.LazyFrame, batch: int = BATCH) -> PairEvidence:
    """The evidence in the `exchanges` table, `batch` rows at a time; computed natively in `kernels/src/hidden`."""
    media = exchanges.select("source", "observer").unique().collect(engine="streaming")
    found = _core.HiddenEvidence(global_traces(media))
    for rows in _batches(exchanges, batch):
        found.add(rows)
    links = pl.DataFrame(found.links())
    return PairEvidence(links.drop(*_SUMS, *_SPAN), pl.DataFrame(found.overlaps()), _active(links))


def global_traces(media: pl.DataFrame) -> list[str]:
    """Sources with several observers in the columns `source observer`: traces of all nodes."""
    observers = media.drop_nulls("source").group_by("source").agg(pl.col("observer").n_unique())
    return observers.filter(pl.col("observer") > 1)["source"].to_list()


def unheard_senders(links: pl.DataFrame) -> pl.DataFrame:
    """`answered` and `unheard` of :class:`PairEvidence` per sender and recording station (`other`).

    Only exchanges in which the recording station takes no part count.
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


def answering_pairs(links: pl.DataFrame) -> pl.DataFrame:
    """Pairs `sender`, `other` of which one responded to the other, in both orders: they hear each other."""
    pairs = links.filter(pl.col("whole") > 0).select("sender", "receiver").drop_nulls()
    both = [pairs.select(sender="sender", other="receiver"), pairs.select(sender="receiver", other="sender")]
    return pl.concat(both).unique()


def common_receivers(links: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """Of the stations that both of a pair send to, the one that `sender` sends to most: `sender`, `other`, `receiver`.

    Only of the `pairs` (`sender other`): all stations that send to one access point are too many. A pair's receivers
    are looked up from the one of both that has fewer.
    """
    tried = links.filter(pl.col("attempts") > 0, pl.col("receiver").is_not_null())
    tried = tried.group_by("sender", "receiver").agg(pl.col("attempts").sum())
    receivers = tried.group_by("sender").len("receivers")
    asked = pairs.select("sender", "other").unique().filter(pl.col("sender") != pl.col("other"))
    asked = asked.join(receivers, on="sender").join(
        receivers.select(other="sender", others_receivers="receivers"), on="other"
    )
    of_other = tried.select(other="sender", receiver="receiver")
    fewer = pl.col("receivers") <= pl.col("others_receivers")
    from_sender = asked.filter(fewer).join(tried, on="sender").join(of_other, on=["other", "receiver"], how="semi")
    from_other = asked.filter(~fewer).join(of_other, on="other").join(tried, on=["sender", "receiver"])
    both = pl.concat(some.select("sender", "other", "receiver", "attempts") for some in (from_sender, from_other))
    return (
        both.sort("attempts", "receiver", descending=[True, False])
        .group_by("sender", "other", maintain_order=True)
        .agg(pl.col("receiver").first())
    )


def attempts(links: pl.DataFrame) -> pl.DataFrame:
    """`attempts` and `failed` of every sender, per recording; in a trace of all nodes from the sender's own view."""
    as_sent = (pl.col("observer") == pl.col("sender")).fill_null(value=False)
    in_view = as_sent | ~pl.col("source").is_in(global_traces(links))
    own = links.filter(in_view, pl.col("attempts") > 0)
    return own.group_by("source", "sender").agg(pl.col("attempts", "failed").sum())


def _active(links: pl.DataFrame) -> pl.DataFrame:
    """:attr:`PairEvidence.active`, from the sums of each link."""
    sums = links.group_by("source", "observer", "sender")
    rows = sums.agg(pl.col(*_SUMS).sum(), pl.col("from_ns").min(), pl.col("until_ns").max())
    span_ns = (pl.col("until_ns").max() - pl.col("from_ns").min()).over("source", "observer").clip(1)
    return rows.select(
        "source",
        "observer",
        "sender",
        "sent",
        "air_ns",
        first_ns=pl.when(pl.col("firsts") > 0).then(pl.col("first_ns") / pl.col("firsts")),
        with_rts=pl.col("with_cts") / pl.col("sent"),
        span_ns=span_ns,
    )


def _batches(exchanges: pl.LazyFrame, batch: int) -> Iterator[pl.DataFrame]:
    """The exchanges in table order, in batches."""
    certain = pl.col("complete", "hidden", "is_group").fill_null(value=False)
    total = exchanges.select(pl.len()).collect(engine="streaming").item()
    for offset in range(0, max(total, 1), batch):  # of no exchanges one empty batch
        yield exchanges.select(*_TEXTS, *_TIMES, certain).slice(offset, batch).collect(engine="streaming")
