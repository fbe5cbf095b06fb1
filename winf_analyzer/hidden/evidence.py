"""What a dataset's exchanges say for and against two stations being hidden from each other.

*Answers without questions*: a station that records hears how another is answered (CTS, ACK), but not that other itself.
*Late starts*: one begins a frame while the other is sending, later than the slot in which two that hear each other
may both begin by chance. *Loss with overlap*: attempts fail more often where they overlap the other's exchange.
*Acquaintance* speaks against it: one has answered the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from winf_analyzer.hidden.overlaps import CARRIED_NS, overlapping

SAME_SLOT_NS = 25_000
"""Two starts this near are no evidence of not hearing: a slot (20 us at most, 17.3.3) and a few rounded stamps."""

BATCH = 1_000_000
"""Exchanges held in memory at a time, besides those of the last 50 ms before them."""

PAIR = ("source", "observer", "sender", "other")
"""Who is not heard, and by whom it may not be heard."""

_STAMPS = ("rts_start_ns", "rts_ns", "cts_start_ns", "cts_ns", "data_start_ns", "data_ns", "ack_start_ns", "ack_ns")
_COLUMNS = ("source", "observer", "sender", "receiver", "kind", "complete", "hidden", "start_ns", "end_ns", *_STAMPS)
_OF_BOTH = ("receiver", "is_attempt", "failed", "row", "sending_from_ns", "sending_until_ns", "start_is_heard")


def links(exchanges: pl.LazyFrame) -> pl.DataFrame:
    """What each observer recorded of each link, in one scan: `source observer sender receiver` and counts.

    `attempts`, `failed`: of the sender; `whole`: exchanges with an answer; `answered`: those of which it heard an
    answer or the sender; `unheard`: of them, nothing of the sender's own.
    """
    heard = _known("rts_start_ns", "rts_ns", "data_start_ns", "data_ns")
    answered = heard | _known("cts_start_ns", "cts_ns", "ack_start_ns", "ack_ns")
    counts = {
        "attempts": _is_attempt(),
        "failed": _is_attempt() & _failed(),
        "whole": pl.col("complete") & pl.col("kind").is_in(["rts", "basic", "cts_self"]),
        "answered": answered,
        "unheard": answered & ~heard,
    }
    return (
        exchanges.group_by("source", "observer", "sender", "receiver")
        .agg(counted.sum().cast(pl.Int64).alias(name) for name, counted in counts.items())
        .collect(engine="streaming")
    )


def traces(links: pl.DataFrame) -> list[str]:
    """Sources that several recorded: traces of all nodes."""
    observers = links.group_by("source").agg(pl.col("observer").n_unique())
    return observers.filter(pl.col("observer") > 1)["source"].to_list()


def unheard_senders(links: pl.DataFrame) -> pl.DataFrame:
    """How much of a sender's exchanges each recording station (`other`) holds, of exchanges it is no part of.

    `answered` and `unheard` are those of :func:`links`.
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
    own = links.filter(_in_one_view(traces(links)), pl.col("attempts") > 0)
    return own.group_by("source", "sender").agg(pl.col("attempts", "failed").sum())


def overlaps(exchanges: pl.LazyFrame, traces: Sequence[str]) -> pl.DataFrame:
    """What overlapped, per `source`, `sender` and `other`.

    `late_starts`: `other` began while `sender` was sending; `overlapped` attempts of `sender` that an exchange of
    `other` overlapped, `overlapped_failed` of them, and for how long in all, `overlap_ns`. Starts in the same slot are
    left out: stations that hear each other collide so. `traces` are those of :func:`traces`.
    """
    schema = {"source": pl.String, "sender": pl.String, "other": pl.String} | dict.fromkeys(_SUMS, pl.Int64)
    found = [pl.DataFrame(schema=schema)]
    for pairs in overlapping(_batches(exchanges, traces), _OF_BOTH):
        apart = pl.col("start_ns_second") - pl.col("start_ns_first") > SAME_SLOT_NS
        same_talk = _same("receiver_first", "sender_second") | _same("receiver_second", "sender_first")
        pairs = pairs.filter(apart, ~same_talk)
        found += [_late_starts(pairs), _overlapped(pairs, "first", "second"), _overlapped(pairs, "second", "first")]
        if len(found) > 256:
            found = [_summed(found)]
    return _summed(found)


_SUMS = ("late_starts", "overlapped", "overlapped_failed", "overlap_ns")


def _late_starts(pairs: pl.DataFrame) -> pl.DataFrame:
    """The second began inside the frame that the first was sending, and both are stamped, not inferred."""
    start = pl.col("start_ns_second")
    inside = (start > pl.col("sending_from_ns_first") + SAME_SLOT_NS) & (start < pl.col("sending_until_ns_first"))
    late = pairs.filter(inside, "start_is_heard_second")
    return late.group_by("source", sender="sender_first", other="sender_second").agg(
        late_starts=pl.len().cast(pl.Int64)
    )


def _overlapped(pairs: pl.DataFrame, own: str, others: str) -> pl.DataFrame:
    """The attempts of one side that the other overlapped, each once per other sender."""
    end = pl.min_horizontal("end_ns_first", "end_ns_second")
    attempts = (
        pairs.filter(f"is_attempt_{own}")
        .with_columns(overlap_ns=end - pl.col("start_ns_second"))
        .group_by("source", f"row_{own}", sender=f"sender_{own}", other=f"sender_{others}")
        .agg(pl.col("overlap_ns").sum(), failed=pl.col(f"failed_{own}").first())
    )
    return attempts.group_by("source", "sender", "other").agg(
        overlapped=pl.len().cast(pl.Int64),
        overlapped_failed=pl.col("failed").sum().cast(pl.Int64),
        overlap_ns=pl.col("overlap_ns").sum(),
    )


def _summed(tables: list[pl.DataFrame]) -> pl.DataFrame:
    together = pl.concat(tables, how="diagonal")
    return together.group_by("source", "sender", "other").agg(pl.col(_SUMS).sum())


def _batches(exchanges: pl.LazyFrame, traces: Sequence[str]) -> Iterator[pl.DataFrame]:
    """The exchanges of one view of each recording, with what `overlapping` wants, in the order of the table."""
    heard = ~pl.col("hidden").fill_null(value=False)
    # A CTS tells that an RTS came before it, at least as long as itself: 20 octets, not 14.
    t_cts = (pl.col("cts_ns") - pl.col("cts_start_ns")).clip(0, 1_000_000).fill_null(0)
    rts_heard = _known("rts_start_ns")
    total = exchanges.select(pl.len()).collect(engine="streaming").item()
    for offset in range(0, total, BATCH):
        rows = exchanges.select(_COLUMNS).slice(offset, BATCH).with_row_index("row", offset)
        lasts = (pl.col("end_ns") - pl.col("start_ns")).is_between(1, CARRIED_NS)
        yield (
            rows.filter(_in_one_view(traces), pl.col("sender").is_not_null(), lasts)
            .select(
                "source",
                "sender",
                "receiver",
                "end_ns",
                "row",
                start_ns=pl.when(heard).then("start_ns").otherwise(pl.col("start_ns") - t_cts),
                is_attempt=_is_attempt(),
                failed=_failed(),
                sending_from_ns=pl.coalesce("rts_start_ns", "data_start_ns"),
                sending_until_ns=pl.when(rts_heard).then("rts_ns").otherwise("data_ns"),
                start_is_heard=heard,
            )
            .collect(engine="streaming")
        )


def _in_one_view(traces: Sequence[str]) -> pl.Expr:
    """Each use of the medium once: a trace of all nodes holds it for every node, so there the senders' own."""
    return (pl.col("observer") == pl.col("sender")).fill_null(value=False) | ~pl.col("source").is_in(traces)


def _is_attempt() -> pl.Expr:
    """An attempt to reach one station, by a known one."""
    group = pl.col("receiver").str.contains(r"^[0-9a-f][13579bdf]:")
    kinds = pl.col("kind").is_in(["rts", "basic", "cts_self", "rts_failed"])
    return (kinds & ~group & pl.col("sender").is_not_null()).fill_null(value=False)


def _failed() -> pl.Expr:
    return ~pl.col("complete").fill_null(value=False)


def _known(*columns: str) -> pl.Expr:
    return pl.any_horizontal(pl.col(column).is_not_null() for column in columns)


def _same(one: str, other: str) -> pl.Expr:
    return (pl.col(one) == pl.col(other)).fill_null(value=False)
