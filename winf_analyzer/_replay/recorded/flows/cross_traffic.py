"""Cross traffic: the use of the medium by other flows than those under study.

Unicast packets are sent again at the times of their first attempts, and contend with the flows under study. All other
exchanges that a node sensed (beacons, group addressed frames, partly heard exchanges) occupy its medium at their
recorded times.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from winf_analyzer._replay.recorded import views
from winf_analyzer._replay.recorded.flows.studied import StudiedFlow

_US = 1000

_MAX_EXCHANGE_NS = 1_000_000_000
"""Limit of an exchange's duration, against damaged times."""


def is_studied(flows: list[StudiedFlow]) -> pl.Expr:
    """True for exchanges of flows under study.

    RTS without CTS and partly heard exchanges have no flow; they are assigned to the flows of their link, or of their
    sender if the receiver is unknown.
    """
    names = {flow.conversation for flow in flows}
    names |= {name.replace("tcp ", "ack ", 1) for name in names}
    pairs = {f"{a} {b}" for flow in flows for a, b in flow.links}
    senders = {a for flow in flows for a, _ in flow.links}
    link = pl.concat_str("sender", pl.lit(" "), "receiver")
    of_link = link.is_in(pairs) | (pl.col("receiver").is_null() & pl.col("sender").is_in(senders))
    return pl.when(pl.col("flow").is_not_null()).then(pl.col("flow").is_in(names)).otherwise(of_link.fill_null(False))


def packets(
    exchanges: pl.LazyFrame, view: pl.DataFrame, flows: list[StudiedFlow], origin_ns: int, access_ns: int
) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """Packets of other flows per link: times after the origin, ns, and sizes in bytes, in order of time.

    A packet ends with an attempt that did not fail; whoever records beside its link may not hear that it was answered,
    but hears that the next one follows. It arrives at the MAC before its first attempt by the idle time before it, at
    most ``access_ns``. A packet without any data frame, only RTS, has the median size of the link. Packets of an A-MPDU
    arrive together, and have their mean size.
    """
    others = views.of(exchanges.filter(pl.col("kind").is_in(views.UNICAST), ~is_studied(flows)), view)
    usual_size = pl.col("payload_bytes").filter(pl.col("payload_bytes") > 0).median().over("sender", "receiver")
    wait = (pl.col("idle_before_us") * _US).clip(0, access_ns).fill_null(0).cast(pl.Int64)
    attempts = (
        others.filter(pl.col("start_ns").is_not_null())
        .select(
            *("sender", "receiver", "payload_bytes", "start_ns", "mpdus"),
            at=pl.col("start_ns") - wait,
            done=(~views.failed()).cast(pl.Int64),
        )
        .collect(engine="streaming")
        .sort("sender", "receiver", "start_ns")
        .with_columns(usual_size=usual_size)
        .with_columns(packet=(pl.col("done").cum_sum() - pl.col("done")).over("sender", "receiver"))
    )
    rows = (
        attempts.filter(pl.col("usual_size").is_not_null())
        .group_by("sender", "receiver", "packet", maintain_order=True)
        .agg(
            at=(pl.col("at").first() - origin_ns).clip(0),
            size=pl.coalesce(pl.col("payload_bytes").replace(0, None).max(), pl.col("usual_size").first()),
            number=pl.col("mpdus").max().clip(lower_bound=1).fill_null(1),
        )
        .with_columns(size=pl.col("size") / pl.col("number"))
        .sort("sender", "receiver", "at")
    )
    return {
        (str(sender), str(receiver)): [
            packet
            for at, size, number in part.select("at", "size", "number").iter_rows()
            for packet in [(at, max(1, min(65_535, round(size))))] * number
        ]
        for (sender, receiver), part in rows.group_by("sender", "receiver", maintain_order=True)
    }


def intervals(
    exchanges: pl.LazyFrame,
    flows: list[StudiedFlow],
    rescheduled_links: set[tuple[str, str]],
    origin_ns: int,
    duration_ns: int,
    gap_ns: int,
) -> list[list[int]]:
    """Intervals after the origin in which other flows occupied the medium, as one observer heard them.

    Exchanges on ``rescheduled_links`` do not count, nor partly heard exchanges of their senders. Gaps shorter than
    ``gap_ns`` (DIFS) are filled, because no station can use them.
    """
    links = [f"{a} {b}" for a, b in rescheduled_links]
    again = pl.concat_str("sender", pl.lit(" "), "receiver").is_in(links) | (
        pl.col("receiver").is_null() & pl.col("sender").is_in([a for a, _ in rescheduled_links])
    )
    busy = spans(exchanges.filter(~again.fill_null(False)), flows, gap_ns) - origin_ns
    inside = busy.with_columns(pl.all().clip(0, duration_ns)).filter(pl.col("end") > pl.col("start"))
    return [list(row) for row in inside.iter_rows()]


def spans(exchanges: pl.LazyFrame, flows: list[StudiedFlow], gap_ns: int = 0) -> pl.DataFrame:
    """``start`` and ``end`` of disjoint intervals in which exchanges of other flows occupied the medium.

    An interval includes the time reserved by Duration fields, because an observer may hear only part of an exchange.
    """
    reserved_until = pl.max_horizontal(
        "end_ns",
        pl.col("cts_ns") + pl.col("nav_cts_us").cast(pl.Int64) * _US,
        pl.col("data_ns") + pl.col("nav_data_us").cast(pl.Int64) * _US,
    )
    busy = (
        exchanges.filter(~is_studied(flows), pl.col("start_ns").is_not_null(), pl.col("end_ns").is_not_null())
        .select(start="start_ns", end=pl.min_horizontal(reserved_until, pl.col("start_ns") + _MAX_EXCHANGE_NS))
        .filter(pl.col("end") > pl.col("start"))
        .collect(engine="streaming")
        .sort("start")
    )
    is_disjoint = pl.col("start") > pl.col("end").cum_max().shift(1) + gap_ns
    return (
        busy.with_columns(span=is_disjoint.fill_null(True).cum_sum())
        .group_by("span", maintain_order=True)
        .agg(pl.col("start").first(), pl.col("end").max())
        .drop("span")
    )


def observer_for(node: str, observers: pl.DataFrame) -> tuple[str | None, Any, bool] | None:
    """The recording that shows what a node sensed: source, observer, and whether the observer is the node itself.

    ``observers`` has ``source``, ``observer`` and the number of ``uses``. Without a recording of the node, an anonymous
    recording is used, else the longest one.
    """
    order = observers.with_columns(
        place=pl.when(pl.col("observer") == node).then(0).when(pl.col("observer").is_null()).then(1).otherwise(2)
    ).sort("place", pl.col("uses").cast(pl.Int64).neg(), "source")
    if order.is_empty():
        return None
    row = order.row(0, named=True)
    return row["source"], row["observer"], row["place"] == 0
