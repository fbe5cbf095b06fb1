"""Cross traffic: the use of the medium by other flows than those under study.

Unicast packets are sent again at the times of their first attempts, and contend with the flows under study. All other
exchanges that a node sensed (beacons, group addressed frames, partly heard exchanges) occupy its medium at their
recorded times.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import polars as pl

from winf_analyzer._replay.recorded import views
from winf_analyzer._replay.recorded.flows.conversations import data_frames, once_each
from winf_analyzer._replay.recorded.flows.studied import StudiedFlow

Link = tuple[str, str]

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
    of_link = _link().is_in(pairs) | (pl.col("receiver").is_null() & pl.col("sender").is_in(senders))
    return pl.when(pl.col("flow").is_not_null()).then(pl.col("flow").is_in(names)).otherwise(of_link.fill_null(False))


def packets(
    frames: pl.LazyFrame,
    exchanges: pl.LazyFrame,
    view: pl.DataFrame,
    flows: list[StudiedFlow],
    origin_ns: int,
    access_ns: int,
    aggregating: Collection[Link] = (),
) -> dict[Link, list[tuple[int, int]]]:
    """Packets of other flows per link: times after the origin, ns, and sizes in bytes, in order of time.

    On links with A-MPDUs, ``aggregating``, see :func:`_in_ampdus`. On others a packet ends with an attempt that did not
    fail; whoever records beside its link may not hear that it was answered, but hears that the next one follows. It
    arrives at the MAC before its first attempt by the idle time before it, at most ``access_ns``. A packet without any
    data frame, only RTS, has the median size of the link.
    """
    in_ampdus = _link().is_in([f"{a} {b}" for a, b in aggregating])
    begun = exchanges.filter(pl.col("kind").is_in(views.UNICAST), pl.col("start_ns").is_not_null()).with_columns(
        at=pl.col("start_ns") - (pl.col("idle_before_us") * _US).clip(0, access_ns).fill_null(0).cast(pl.Int64)
    )
    rows = _single(views.of(begun.filter(~is_studied(flows)), view.filter(~in_ampdus)))
    if aggregating:
        more = _in_ampdus(data_frames(frames), begun, view.filter(in_ampdus), {flow.conversation for flow in flows})
        rows = pl.concat([rows, more], how="vertical_relaxed")
    ordered = rows.with_columns((pl.col("at") - origin_ns).clip(0)).sort(
        "sender", "receiver", "at", maintain_order=True
    )
    return {
        (str(sender), str(receiver)): [
            (at, max(1, min(65_535, round(size)))) for at, size in part.select("at", "size").iter_rows()
        ]
        for (sender, receiver), part in ordered.group_by("sender", "receiver", maintain_order=True)
    }


def _single(begun: pl.LazyFrame) -> pl.DataFrame:
    """``sender receiver at size`` of packets that are sent one by one, from the exchanges of their attempts."""
    usual_size = pl.col("payload_bytes").filter(pl.col("payload_bytes") > 0).median().over("sender", "receiver")
    attempts = (
        begun.select("sender", "receiver", "payload_bytes", "start_ns", "at", done=(~views.failed()).cast(pl.Int64))
        .collect(engine="streaming")
        .sort("sender", "receiver", "start_ns")
        .with_columns(usual_size=usual_size)
        .with_columns(packet=(pl.col("done").cum_sum() - pl.col("done")).over("sender", "receiver"))
    )
    size = pl.coalesce(pl.col("payload_bytes").replace(0, None).max(), pl.col("usual_size").first())
    packets = attempts.filter(pl.col("usual_size").is_not_null()).group_by(
        "sender", "receiver", "packet", maintain_order=True
    )
    return packets.agg(pl.col("at").first(), size=size).drop("packet")


def _in_ampdus(data: pl.LazyFrame, begun: pl.LazyFrame, view: pl.DataFrame, studied: set[str]) -> pl.DataFrame:
    """``sender receiver at size`` of packets of other flows than those studied, each from its own frame.

    An A-MPDU may hold packets of several flows. Those that first were in one PPDU come together, before that by the
    idle time before it.
    """
    keys = ["source", "observer", "sender", "receiver"]
    heard = (
        data.join(view.lazy().select(keys), on=keys, how="semi", nulls_equal=True)
        .filter(pl.col("at_ns").is_not_null())
        .select("sender", "receiver", "ta", "ra", "tid", "seq", "retry", "at_ns", "conversation", size="payload_bytes")
        .collect(engine="streaming")
        .sort("at_ns", maintain_order=True)
    )
    rows = once_each(heard).filter(~pl.col("conversation").is_in(studied).fill_null(False))
    ppdus = views.of(begun, view).select("sender", "receiver", "start_ns", "at").collect(engine="streaming")
    rows = rows.join_asof(
        ppdus.sort("start_ns"),
        left_on="at_ns",
        right_on="start_ns",
        by=["sender", "receiver"],
        check_sortedness=False,
    )
    return rows.select("sender", "receiver", pl.coalesce("at", "at_ns"), "size")


def _link() -> pl.Expr:
    return pl.concat_str("sender", pl.lit(" "), "receiver")


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
    again = _link().is_in(links) | (
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
