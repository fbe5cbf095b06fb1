"""Whose recording tells most about what: of several radios that heard the same, one speaks for each link."""

from __future__ import annotations

import polars as pl

UNICAST = ("rts", "basic", "cts_self", "rts_failed")
"""Kinds of exchanges with one receiver."""


def rank(sender: str = "sender", receiver: str = "receiver") -> pl.Expr:
    """How well placed an observer is: the sender itself, everybody's or an anonymous recording, the receiver, others.

    A sender knows each of its attempts; a receiver misses those that failed.
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


def best_views(rows: pl.DataFrame, keys: list[str], count: str, by: pl.Expr) -> pl.DataFrame:
    """Of rows that several recordings have of the same thing (``keys``), those of the best placed that has most.

    Args:
        rows: with ``source``, ``observer``, ``sender``, ``receiver`` and the columns named.
        keys: what makes two rows say the same thing.
        count: column with the number of frames or exchanges a row rests on.
        by: how well placed an observer is, best first (:func:`rank`).
    """
    return (
        rows.with_columns(rank=by)
        .sort("rank", pl.col(count).cast(pl.Int64).neg(), "source", maintain_order=True)
        .unique(keys, keep="first", maintain_order=True)
        .drop("rank")
    )


def links(exchanges: pl.LazyFrame) -> pl.DataFrame:
    """One row per directed link that carried unicast exchanges: ``sender receiver source observer uses``.

    Source and observer are those of the recording that tells best what the sender did.
    """
    return _told(exchanges, rank())


def answers(exchanges: pl.LazyFrame) -> pl.DataFrame:
    """The same of the recordings that tell best what the receivers answered."""
    return _told(exchanges, rank("receiver", "sender"))


def _told(exchanges: pl.LazyFrame, by: pl.Expr) -> pl.DataFrame:
    known = pl.col("sender").is_not_null() & pl.col("receiver").is_not_null()
    rows = (
        exchanges.filter(pl.col("kind").is_in(UNICAST), known)
        .group_by("source", "observer", "sender", "receiver")
        .agg(uses=pl.len())
        .collect(engine="streaming")
    )
    return best_views(rows, ["sender", "receiver"], "uses", by).sort("sender", "receiver")


def of(rows: pl.LazyFrame, view: pl.DataFrame) -> pl.LazyFrame:
    """Those of ``rows`` that are of the links in ``view``, each as its own recording tells it."""
    keys = ["source", "observer", "sender", "receiver"]
    return rows.join(view.lazy().select(keys), on=keys, how="semi", nulls_equal=True)
