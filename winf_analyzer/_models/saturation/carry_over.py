"""What stations could not send in a window they send in the next: backlogs that the saturated flow leaves behind.

A recording shows what stations sent beside a light sender. Beside a backlogged one they get less where they have much
to send, and the rest waits, for as long as packets live (:data:`LIFETIME_S`). Of a window of 100 ms after a burst of
its neighbours a saturated flow gets its share of a busy medium, though the recording shows an idle one. So the load
of each other station in a window is what it sent then, and what the fixed point left it with in the window before. A
station that could not send everything anyway sends no more for it: its backlog only goes on.

Windows are solved together, and again with the backlogs of the solution before, until these no longer change.
"""

import polars as pl

from winf_analyzer._aggregate.windows import LINK
from winf_analyzer._mac.constants import whole
from winf_analyzer._models.saturation import fixed_point

LIFETIME_S = whole("dot11MaxTransmitMSDULifetime") * 1024e-6
"""Packets are discarded after as long: what waits longer is lost."""

ROUNDS = 16
"""Windows that a backlog is followed through at most."""

SETTLED = 0.01
"""Share of a station's load by which a backlog must change for its window to be solved again."""

LEAST = 0.1
"""Packets by which it must change."""

BLOCK = 16
"""Windows that hang together: nothing is carried from one block to the next, so that each can be worked out alone."""


def block(window_ns: int) -> pl.Expr:
    """The number of the block that a window belongs to."""
    return (pl.col("window_start_ns") // (BLOCK * window_ns)).alias("block")


def with_backlogs(stations: pl.DataFrame, links: pl.DataFrame, window_ns: int) -> pl.DataFrame:
    """The stations of cases, solved: those that are not the subject with what is left of the window before.

    Args:
        stations: rows of :data:`.fixed_point.STATIONS` with `sender`.
        links: `case medium window_start_ns sender receiver` of tumbling windows.
        window_ns: their length.
    """
    together, start = ["medium", *LINK, "block"], pl.col("window_start_ns")
    blocks = links.with_columns(block(window_ns)).sort(*together, "window_start_ns")
    adjacent = start.shift().over(together) == start - window_ns
    before = pl.when(adjacent).then(pl.col("case").shift().over(together))
    follows = blocks.select("case", before=before).drop_nulls()
    if follows.is_empty():
        return fixed_point.solve(stations)
    stations = stations.with_columns(offered=pl.col("packets_per_s"), row=pl.int_range(pl.len()))
    other = ~pl.col("subject") & pl.col("sender").is_not_null() & (pl.col("count") == 1)
    others = stations.filter(other).select("row", "case", "sender", "offered")
    pairs = others.join(follows, on="case").join(
        others.select(before="case", sender="sender", row_before="row"), on=["before", "sender"]
    )
    most, least = LIFETIME_S / (window_ns / 1e9), LEAST / (window_ns / 1e9)
    solved = fixed_point.solve(stations)
    for _ in range(ROUNDS):
        rest = (pl.col("packets_per_s") - pl.col("delivered_per_s")).clip(0, None)
        rest = pl.min_horizontal(rest, pl.col("delivered_per_s") * most)
        left = solved.filter(other).select(row_before="row", left=rest)
        loads = pairs.join(left, on="row_before").select("row", load=pl.col("offered") + pl.col("left"))
        loads = solved.select("row", "case", "packets_per_s").join(loads, on="row")
        change = (pl.col("load") - pl.col("packets_per_s")).abs()
        # A case is solved again for its own sake alone: what else is in the table makes no difference to it.
        again = loads.filter(change > pl.max_horizontal(SETTLED * pl.col("load"), least)).select("case").unique()
        if again.is_empty():
            break
        asked = solved.join(again, on="case", how="semi", maintain_order="left")
        asked = asked.join(loads.select("row", "load"), on="row", how="left", maintain_order="left")
        asked = asked.with_columns(packets_per_s=pl.coalesce("load", "packets_per_s")).drop("load")
        solved = pl.concat([solved.join(again, on="case", how="anti"), fixed_point.solve(asked)]).sort("row")
    return solved.drop("offered", "row")
