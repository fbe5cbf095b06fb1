"""Routes that break when the MAC drops a packet at its retry limit, as in ad hoc routing protocols."""

from __future__ import annotations

import polars as pl

_GIVEN_UP = "CBK"
"""ns-2's drop reason of packets that a routing agent drops after the MAC failed to reach the next hop."""

_BURST_NS = 20_000_000
"""Maximum gap between drops of one route failure."""


def route_repair_ns(frames: pl.LazyFrame) -> int | None:
    """Median time from a route failure to the node's next unicast packet; None if no route failed.

    Only ns-2 traces show route failures.
    """
    at = pl.col("ts_ns").alias("at_ns")
    drops = frames.filter(pl.col("drop_reason") == _GIVEN_UP).select("source", "observer", at)
    breaks = drops.collect(engine="streaming").sort("at_ns")
    if breaks.is_empty():
        return None
    starts_break = pl.col("at_ns").diff().over("source", "observer").fill_null(_BURST_NS + 1) > _BURST_NS
    sent = frames.filter(
        pl.col("layer") == "mac",
        pl.col("direction") == "tx",
        pl.col("kind") == "data",
        pl.col("proto").is_in(["tcp", "ack", "cbr", "udp", "exp"]),
    )
    resumed = sent.select("source", "observer", at, next_ns="ts_ns").collect(engine="streaming").sort("at_ns")
    gaps = breaks.filter(starts_break).join_asof(resumed, on="at_ns", by=["source", "observer"], strategy="forward")
    median = (gaps["next_ns"] - gaps["at_ns"]).drop_nulls().median()
    return max(1, round(median)) if isinstance(median, float) else None
