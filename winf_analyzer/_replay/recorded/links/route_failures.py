"""Routes that break when the MAC drops a packet at its retry limit, as in ad hoc routing protocols."""

from __future__ import annotations

import polars as pl

_GIVEN_UP = "CBK"
"""ns-2's drop reason of packets that a routing agent drops after the MAC failed to reach the next hop."""

_BURST_NS = 20_000_000
"""Maximum gap between drops of one route failure."""


def route_repair_ns(frames: pl.LazyFrame) -> int | None:
    """Median time for which packets wait for a route after it failed; None if no route failed.

    Only ns-2 traces show route failures. A route is looked for once a packet that needs it comes to the routing agent:
    a source whose packets were all dropped has none before its next acknowledgement, or timeout. What goes elsewhere
    has a route of its own.
    """
    route = ["source", "observer", "dst_ip"]
    at = pl.col("ts_ns").alias("at_ns")
    drops = frames.filter(pl.col("drop_reason") == _GIVEN_UP).select(*route, at)
    breaks = drops.collect(engine="streaming").sort("at_ns")
    if breaks.is_empty():
        return None
    starts_break = pl.col("at_ns").diff().over(route).fill_null(_BURST_NS + 1) > _BURST_NS
    users = pl.col("proto").is_in(["tcp", "ack", "cbr", "udp", "exp"])
    came = frames.filter(users, pl.col("layer") == "router", pl.col("direction") == "rx")
    went = frames.filter(users, pl.col("layer") == "mac", pl.col("direction") == "tx", pl.col("kind") == "data")
    needed = _next(breaks.filter(starts_break), came, route).drop_nulls().sort("at_ns")
    gone = _next(needed, went, route)
    median = (gone["at_ns"] - needed["at_ns"]).drop_nulls().median()
    return max(1, round(median)) if isinstance(median, float) else None


def _next(since: pl.DataFrame, frames: pl.LazyFrame, route: list[str]) -> pl.DataFrame:
    """The time of the first of the frames on the same route, in place of ``at_ns``; null without one."""
    later = frames.select(*route, at_ns="ts_ns", next_ns="ts_ns").collect(engine="streaming").sort("at_ns")
    # Both are sorted by time, which is what counts within a route.
    found = since.sort("at_ns").join_asof(later, on="at_ns", by=route, strategy="forward", check_sortedness=False)
    return found.select(*route, at_ns="next_ns")
