"""The recording that represents each link, if several recordings contain it."""

from __future__ import annotations

import polars as pl

UNICAST = ("rts", "basic", "cts_self", "rts_failed")
"""Kinds of exchanges with one receiver."""

SHORT = 20_000
"""Rows of a table up to which it is read once; dozens of queries make a world of it."""


def read_once(table: pl.LazyFrame) -> pl.LazyFrame:
    """A short table in memory, a long one as it is."""
    is_short = table.select(pl.len()).collect().item() <= SHORT
    return table.collect().lazy() if is_short else table


def failed(*, over: bool = True) -> pl.Expr:
    """Whether an attempt failed, of exchanges in order of time; ``over``: of several links.

    The sender knows. Whoever else records may not hear the response, but hears that the sender goes on to another
    packet.
    """
    again = pl.col("attempt").shift(-1) > 1
    again = again.over("sender", "receiver", order_by="start_ns") if over else again
    is_own = (pl.col("observer") == pl.col("sender")) | (pl.col("observer") == pl.col("receiver"))
    return ~pl.col("complete") & (is_own.fill_null(False) | again.fill_null(True))


def observer_rank(sender: str = "sender", receiver: str = "receiver") -> pl.Expr:
    """Rank of an observer for a link: the sender (0), an anonymous or global recording, the receiver, others (3).

    A sender records all of its attempts; a receiver misses those that failed.
    """
    observer = pl.col("observer")
    return (
        pl.when(observer == pl.col(sender))
        .then(0)
        .when(observer.is_null())
        .then(1)
        .when(observer == pl.col(receiver))
        .then(2)
        .otherwise(3)
    )


def best_rows(rows: pl.DataFrame, keys: list[str], count: str, by: pl.Expr) -> pl.DataFrame:
    """For each value of ``keys`` the row from the recording of best rank; of equal rank, the one with most data.

    Args:
        rows: with ``source``, ``observer``, ``sender``, ``receiver`` and the columns named.
        keys: columns that identify what a row is about.
        count: column with the number of frames or exchanges of a row.
        by: rank of the observer, lowest first (:func:`observer_rank`).
    """
    return (
        rows.with_columns(rank=by)
        .sort("rank", pl.col(count).cast(pl.Int64).neg(), "source", maintain_order=True)
        .unique(keys, keep="first", maintain_order=True)
        .drop("rank")
    )


def links(exchanges: pl.LazyFrame) -> pl.DataFrame:
    """One row per directed link with unicast exchanges: ``sender receiver source observer uses``.

    Source and observer are those of the best recording of the sender's attempts.
    """
    return _best_recordings(exchanges, observer_rank())


def answers(exchanges: pl.LazyFrame) -> pl.DataFrame:
    """The same as :func:`links`, with the best recordings of the receivers' responses."""
    return _best_recordings(exchanges, observer_rank("receiver", "sender"))


def _best_recordings(exchanges: pl.LazyFrame, by: pl.Expr) -> pl.DataFrame:
    known = pl.col("sender").is_not_null() & pl.col("receiver").is_not_null()
    rows = (
        exchanges.filter(pl.col("kind").is_in(UNICAST), known)
        .group_by("source", "observer", "sender", "receiver")
        .agg(uses=pl.len())
        .collect(engine="streaming")
    )
    return best_rows(rows, ["sender", "receiver"], "uses", by).sort("sender", "receiver")


def of(rows: pl.LazyFrame, view: pl.DataFrame) -> pl.LazyFrame:
    """The ``rows`` about links in ``view``, each from the recording named there."""
    keys = ["source", "observer", "sender", "receiver"]
    return rows.join(view.lazy().select(keys), on=keys, how="semi", nulls_equal=True)
