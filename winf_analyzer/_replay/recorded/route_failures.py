"""Routes that break when the MAC gives a packet up, as ad hoc routing protocols have it."""

from __future__ import annotations

import polars as pl

_GIVEN_UP = "CBK"
"""ns-2's reason for what a routing agent drops because the MAC gave up its next hop."""

_BURST_NS = 20_000_000
"""Drops no further apart than this are of one break."""


def route_repair_ns(frames: pl.LazyFrame) -> int | None:
    """Median time from a break until the node sends the next packet to one station; None: no route was seen to break.

    Only ns-2's traces tell of breaks.
    """
    at = pl.col("ts_ns").alias("at_ns")
    drops = frames.filter(pl.col("drop_reason") == _GIVEN_UP).select("source", "observer", at)
    breaks = drops.collect(engine="streaming").sort("at_ns")
    if breaks.is_empty():
        return None
    apart = pl.col("at_ns").diff().over("source", "observer").fill_null(_BURST_NS + 1) > _BURST_NS
    sent = frames.filter(
        pl.col("layer") == "mac",
        pl.col("direction") == "tx",
        pl.col("kind") == "data",
        pl.col("proto").is_in(["tcp", "ack", "cbr", "udp", "exp"]),
    )
    resumed = sent.select("source", "observer", at, next_ns="ts_ns").collect(engine="streaming").sort("at_ns")
    gaps = breaks.filter(apart).join_asof(resumed, on="at_ns", by=["source", "observer"], strategy="forward")
    median = (gaps["next_ns"] - gaps["at_ns"]).drop_nulls().median()
    return max(1, round(median)) if isinstance(median, float) else None
