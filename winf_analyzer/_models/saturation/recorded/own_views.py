"""Of a simulator's trace, every sender's exchanges as it saw them itself.

Another node that hears CTS and ACK does not know that their receiver missed them: to it the exchange succeeded, and the
next attempt is another packet. Of a hidden node it hears the answers alone. A trace holds the view of every node, so
that of the sender is taken in all. That a node does not hear another stays: what it sends counts as `unheard`.

Of a node that it hears nothing of, nor answers to it, a node knows nothing. But where its receivers hear that node, it
is hidden from their sender, and what it sends counts as `unheard` too.
"""

import polars as pl

from winf_analyzer._models.saturation.recorded import completeness


def of_senders(links: pl.DataFrame, media: pl.DataFrame) -> pl.DataFrame:
    """Sums per window and link, those of traced senders from their own views.

    Args:
        links: what :data:`.exchange_sums.LINK_LOADS` sums.
        media: `medium source observer`.
    """
    traced = links.filter(completeness.is_traced())
    if traced.is_empty():
        return links
    # Windows and the whole recording have a medium each (:func:`.aggregate.with_whole`).
    media = media.with_columns(copy=pl.col("medium").rank("ordinal").over("source", "observer"))
    heard = traced.group_by("medium", "sender").agg(hidden=pl.col("unheard").sum() * 2 > pl.col("accesses").sum())
    heard = heard.join(media.select("medium", "source", "copy"), on="medium")
    own = media.select("source", "copy", sender="observer", own="medium")
    heard = pl.concat([heard, _at_receivers(traced, heard, media).select(heard.columns)])
    elsewhere = heard.join(own, on=["source", "copy", "sender"]).filter(pl.col("own") != pl.col("medium"))
    elsewhere = elsewhere.select("medium", "sender", "own", "hidden")
    kept = links.join(elsewhere, on=["medium", "sender"], how="anti", nulls_equal=True)
    of_own = links.rename({"medium": "own"}).join(elsewhere, on=["own", "sender"])
    clear = of_own.filter(~pl.col("hidden")).select(links.columns)
    return pl.concat([kept, clear, _unheard(of_own.filter("hidden")).select(links.columns)])


def _at_receivers(traced: pl.DataFrame, heard: pl.DataFrame, media: pl.DataFrame) -> pl.DataFrame:
    """`medium sender hidden source copy` of nodes that receivers of the medium's node hear, and it not at all.

    Args:
        traced: sums per window and link.
        heard: `medium sender hidden source copy`, of all that is known to each medium's node.
        media: `medium source observer copy`.
    """
    of_node = media.select("medium", "source", "copy", node="observer")
    receivers = traced.select("medium", "sender", "receiver").unique().join(of_node, on="medium")
    receivers = receivers.filter(pl.col("sender") == pl.col("node")).select(
        "medium", "source", "copy", "receiver", "node"
    )
    at = media.select("source", "copy", receiver="observer", at="medium")
    beside = heard.filter(~pl.col("hidden")).select("sender", at="medium")
    found = receivers.join(at, on=["source", "copy", "receiver"]).join(beside, on="at")
    found = found.filter(pl.col("sender") != pl.col("node")).unique(["medium", "sender"], maintain_order=True)
    found = found.join(heard, on=["medium", "sender"], how="anti", nulls_equal=True)
    return found.with_columns(hidden=pl.lit(value=True))


def _unheard(links: pl.DataFrame) -> pl.DataFrame:
    """Links of senders that the observer does not hear: to an unknown receiver, all of them `unheard`."""
    keys = ("medium", "window_start_ns", "sender")
    sums = pl.col(pl.Float64).exclude(keys).sum()
    receiver = pl.lit(None, links.schema["receiver"])
    return links.drop("own").group_by(keys).agg(sums).with_columns(receiver=receiver, unheard="accesses")
