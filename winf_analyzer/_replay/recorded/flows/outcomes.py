"""What TCP flows did at the beginning of a recording: what a replay of them in its world should do as well.

A segment that an acknowledgement lets go joins its station's queue when that arrives, and echoes its time stamp
(RFC 7323); the acknowledgement that echoes the segment's own ends the round trip. Both are heard where the source's
station is, so the time in its queue, which no radio shows, is part of it, and so is a wire behind it.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

import polars as pl

from winf_analyzer._replay.recorded.flows.packet_events import packet_events
from winf_analyzer._replay.recorded.flows.studied import StudiedFlow, Writes, segments_of
from winf_analyzer._replay.unknowns import RecordedOutcome

MIN_ROUND_TRIPS = 50
"""Of fewer no median is told."""

FEW_REPEATED = 0.001
"""Who has to send no more of its segments again never filled a queue: a window grows until one overflows."""

MIN_SEGMENTS = 100
"""Fewer segments may not have filled one yet."""

PIECE_NS = 10_000_000
"""What is sent in so long counts as written at once."""

_NUMBERS, _HALF = 1 << 32, 1 << 31


def outcomes(
    frames: pl.LazyFrame, flows: Iterable[tuple[StudiedFlow, int]], origin_ns: int, until_ns: int
) -> dict[str, RecordedOutcome]:
    """What flows did, by name; of flows that ended, or were not recorded at their sources, nothing is told.

    Args:
        frames: the ``frames`` table.
        flows: the flows, and the payload of their packets, octets, which numbers of ns-2 count.
        origin_ns: start of the world, on the recording's clock.
        until_ns: what comes later does not count, likewise.
    """
    found: dict[str, RecordedOutcome | None] = {}
    for flow, payload in flows:
        if not flow.tcp or flow.first["closed"] or flow.first["observer"] != flow.path[0]:
            continue
        events = packet_events(frames, flow)
        if flow.first["mss"]:
            found[flow.name] = outcome(events, flow, origin_ns, until_ns)
        else:
            packets = events.filter(~pl.col("is_sent"), "is_own", pl.col("at_ns") < until_ns)["ack"].max()
            found[flow.name] = (
                RecordedOutcome(packets * payload, None, []) if isinstance(packets, int) and packets > 0 else None
            )
    return {name: each for name, each in found.items() if each is not None}


def outcome(events: pl.DataFrame, flow: StudiedFlow, origin_ns: int, until_ns: int) -> RecordedOutcome | None:
    """Of one flow; ``events`` as of :func:`.packet_events`. None if nothing was acknowledged."""
    sent = events.filter("is_sent", "is_own")
    if sent.is_empty():
        return None
    begin, mss = int(sent["number"][0]), int(flow.first["mss"])
    sent = sent.with_columns(upto=_octets(pl.col("number") + pl.col("length"), begin))
    sent = sent.with_columns(before=pl.col("upto").cum_max().shift(1, fill_value=0))
    early = events.filter(pl.col("at_ns") < until_ns)
    acks = early.filter(~pl.col("is_sent"), "is_own").drop_nulls("ack")
    delivered = acks.select(_octets(pl.col("ack"), begin)).to_series().max()
    if not isinstance(delivered, int) or delivered <= 0:
        return None
    news = sent.filter(pl.col("upto") > pl.col("before"))
    writes: Writes = []
    if len(sent) >= MIN_SEGMENTS and len(sent) - len(news) <= FEW_REPEATED * len(sent):
        pieces = news.group_by(pl.col("at_ns") // PIECE_NS, maintain_order=True).agg(
            first=pl.col("at_ns").first(), octets=(pl.col("upto") - pl.col("before")).sum()
        )
        writes = list(pieces.select("first", "octets").iter_rows())
    round_trips = round_trips_ns(early)
    rtt_ms = median(round_trips) / 1e6 if len(round_trips) >= MIN_ROUND_TRIPS else None
    return RecordedOutcome(delivered, rtt_ms, segments_of(writes, mss, origin_ns))


def _octets(number: pl.Expr, begin: int) -> pl.Expr:
    """Octets since a sequence number, however often the numbers began anew: neighbours are less than half apart."""
    step = number - number.shift(1, fill_value=begin)
    return ((step + _HALF) % _NUMBERS - _HALF).cum_sum()


def round_trips_ns(events: pl.DataFrame) -> list[int]:
    """Each round trip that an acknowledgement ends; ``events`` as of :func:`.packet_events`.

    What an application writes after a pause no acknowledgement lets go: such segments seem to have waited since the
    last one. They are few, and a median does not depend on them.
    """
    came: dict[int, int] = {}
    began: dict[int, int] = {}
    found: list[int] = []
    highest = -1
    columns = ("at_ns", "is_sent", "is_own", "number", "tsval", "tsecr")
    for at_ns, is_sent, is_own, number, tsval, tsecr in events.select(columns).iter_rows():
        if tsval is None or tsecr is None:
            continue
        if not is_sent:
            came.setdefault(tsval, at_ns)
            if tsecr in began:
                found.append(at_ns - began[tsecr])
        elif is_own and number > highest:
            highest = number
            if tsecr in came:
                began.setdefault(tsval, came[tsecr])
    return found
