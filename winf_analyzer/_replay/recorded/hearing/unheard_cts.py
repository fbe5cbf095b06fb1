"""Stations that are hidden from each other, by CTS that a station beside them did not hear.

Where A's data follow its RTS after the time of a CTS, the receiver sent one. A recorder that heard the RTS, and else
hears the receiver, misses the CTS if somebody else transmits meanwhile, who began during the RTS and so does not hear
A. Stations that do hear A may only begin together with it, and are done with as short an RTS before the CTS.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from winf_analyzer._replay.recorded import views

MIN_UNHEARD = 20
"""Fewer CTS that were not heard say nothing."""

MIN_SHARE = 0.01
"""Nor does a smaller share of those that were sent."""

MORE_THAN_ACKS = 3
"""Least ratio of the CTS that were not heard to the ACKs of the same receiver that were not: noise hits both."""


def hidden_by_cts(exchanges: pl.LazyFrame, links: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Pairs of stations that do not hear each other, both ways; ``links``: directed, with acknowledged packets.

    Of several stations that exchange packets with the receiver any may be the one that transmitted, so nothing is said.
    """
    partners: dict[str, set[str]] = {}
    for a, b in links:
        partners.setdefault(a, set()).add(b)
        partners.setdefault(b, set()).add(a)
    found = set()
    for sender, receiver in _disturbed(exchanges):
        others = partners.get(receiver, set()) - {sender}
        if len(others) == 1:
            found |= {(sender, other) for other in others} | {(other, sender) for other in others}
    return found


def _disturbed(exchanges: pl.LazyFrame) -> list[tuple[str, str]]:
    """Links whose CTS a third station misses more often than their ACKs."""
    is_end = (pl.col("observer") == pl.col("sender")) | (pl.col("observer") == pl.col("receiver"))
    asked = exchanges.filter(
        pl.col("kind") == "rts",
        pl.col("rts_start_ns").is_not_null(),
        pl.col("data_start_ns").is_not_null(),
        is_end.not_().fill_null(True),
    )
    counts = (
        views.of(asked, views.links(exchanges))
        .group_by("sender", "receiver")
        .agg(sent=pl.len(), cts=pl.col("cts_start_ns").is_null().sum(), ack=pl.col("ack_start_ns").is_null().sum())
        .filter(
            pl.col("cts") >= MIN_UNHEARD,
            pl.col("cts") >= MIN_SHARE * pl.col("sent"),
            pl.col("cts") >= MORE_THAN_ACKS * pl.col("ack"),
        )
        .sort("sender", "receiver")
        .collect(engine="streaming")
    )
    return list(counts.select("sender", "receiver").iter_rows())
