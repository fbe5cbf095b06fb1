"""What others than the lifted flows do on the medium.

Packets that one station sent to another are sent again, at the instants they were first tried: their stations contend
with the lifted flows as they did, and may be early or late. Whatever else a node sensed occupies the medium at it in
the spans it did: beacons, broadcasts, exchanges heard in part.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from winf_analyzer._replay.recorded import views
from winf_analyzer._replay.recorded.flows import Lifted

_US = 1000

_LONGEST_NS = 1_000_000_000
"""No exchange lasts longer, whatever damaged times say."""


def lifted(flows: list[Lifted]) -> pl.Expr:
    """Whether an exchange is of a lifted flow.

    An RTS without answer and what was heard in part name no flow: they count to the flows of their link, or of their
    sender where the receiver is unknown.
    """
    names = {flow.conversation for flow in flows}
    names |= {name.replace("tcp ", "ack ", 1) for name in names}
    pairs = {f"{a} {b}" for flow in flows for a, b in flow.links}
    senders = {a for flow in flows for a, _ in flow.links}
    link = pl.concat_str("sender", pl.lit(" "), "receiver")
    of_link = link.is_in(pairs) | (pl.col("receiver").is_null() & pl.col("sender").is_in(senders))
    return pl.when(pl.col("flow").is_not_null()).then(pl.col("flow").is_in(names)).otherwise(of_link.fill_null(False))


def packets(
    exchanges: pl.LazyFrame, view: pl.DataFrame, flows: list[Lifted], origin_ns: int, access_ns: int
) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """What others sent on each link: instants from the origin on, and bytes of the packets, in order of time.

    A packet came up before its first attempt, by the idle time before it or ``access_ns`` if that is less. The size of
    a packet that got no further than an RTS is taken to be the link's usual one.
    """
    others = views.of(exchanges.filter(pl.col("kind").is_in(views.UNICAST), ~lifted(flows)), view)
    usual = pl.col("payload_bytes").filter(pl.col("payload_bytes") > 0).median().over("sender", "receiver")
    waited = (pl.col("idle_before_us") * _US).clip(0, access_ns).fill_null(0).cast(pl.Int64)
    attempts = (
        others.filter(pl.col("start_ns").is_not_null())
        .select("sender", "receiver", "complete", "payload_bytes", "start_ns", at=pl.col("start_ns") - waited)
        .collect(engine="streaming")
        .sort("sender", "receiver", "start_ns")
        .with_columns(usual=usual, done=pl.col("complete").cast(pl.Int64))
        .with_columns(packet=(pl.col("done").cum_sum() - pl.col("done")).over("sender", "receiver"))
    )
    rows = (
        attempts.filter(pl.col("usual").is_not_null())
        .group_by("sender", "receiver", "packet", maintain_order=True)
        .agg(
            at=(pl.col("at").first() - origin_ns).clip(0),
            size=pl.coalesce(pl.col("payload_bytes").replace(0, None).max(), pl.col("usual").first()),
        )
        .sort("sender", "receiver", "at")
    )
    return {
        (str(sender), str(receiver)): [
            (at, max(1, min(65_535, round(size)))) for at, size in part.select("at", "size").iter_rows()
        ]
        for (sender, receiver), part in rows.group_by("sender", "receiver", maintain_order=True)
    }


def intervals(
    exchanges: pl.LazyFrame,
    flows: list[Lifted],
    sent_again: set[tuple[str, str]],
    origin_ns: int,
    duration_ns: int,
    gap_ns: int,
) -> list[list[int]]:
    """Spans from the origin on in which others occupied the medium, as one observer heard them.

    Exchanges on the links of ``sent_again`` do not count, nor what was heard in part of their senders. Gaps shorter
    than ``gap_ns`` (DIFS) are of no use to anybody.
    """
    links = [f"{a} {b}" for a, b in sent_again]
    again = pl.concat_str("sender", pl.lit(" "), "receiver").is_in(links) | (
        pl.col("receiver").is_null() & pl.col("sender").is_in([a for a, _ in sent_again])
    )
    busy = spans(exchanges.filter(~again.fill_null(False)), flows, gap_ns) - origin_ns
    inside = busy.with_columns(pl.all().clip(0, duration_ns)).filter(pl.col("end") > pl.col("start"))
    return [list(row) for row in inside.iter_rows()]


def spans(exchanges: pl.LazyFrame, flows: list[Lifted], gap_ns: int = 0) -> pl.DataFrame:
    """``start`` and ``end`` of the spans in which exchanges occupied the medium without the lifted flows, apart.

    A span lasts as long as the announced exchange does (Duration fields), of which an observer may hear a part only.
    """
    announced = pl.max_horizontal(
        "end_ns",
        pl.col("cts_ns") + pl.col("nav_cts_us").cast(pl.Int64) * _US,
        pl.col("data_ns") + pl.col("nav_data_us").cast(pl.Int64) * _US,
    )
    busy = (
        exchanges.filter(~lifted(flows), pl.col("start_ns").is_not_null(), pl.col("end_ns").is_not_null())
        .select(start="start_ns", end=pl.min_horizontal(announced, pl.col("start_ns") + _LONGEST_NS))
        .filter(pl.col("end") > pl.col("start"))
        .collect(engine="streaming")
        .sort("start")
    )
    apart = pl.col("start") > pl.col("end").cum_max().shift(1) + gap_ns
    return (
        busy.with_columns(span=apart.fill_null(True).cum_sum())
        .group_by("span", maintain_order=True)
        .agg(pl.col("start").first(), pl.col("end").max())
        .drop("span")
    )


def observer_for(node: str, observers: pl.DataFrame) -> tuple[str | None, Any, bool] | None:
    """Whose recording says what a node sensed: source, observer, and whether that is the node itself.

    ``observers`` has ``source``, ``observer`` and the number of ``uses``. Without a recording of the node an anonymous
    one stands in, or the longest.
    """
    order = observers.with_columns(
        place=pl.when(pl.col("observer") == node).then(0).when(pl.col("observer").is_null()).then(1).otherwise(2)
    ).sort("place", pl.col("uses").cast(pl.Int64).neg(), "source")
    if order.is_empty():
        return None
    row = order.row(0, named=True)
    return row["source"], row["observer"], row["place"] == 0
