"""Limits of queues that stand full of acknowledgements, at the receivers of TCP flows.

A receiver acknowledges a segment when it arrives, so what its station sends between the segment and its
acknowledgement was waiting before that. Where several flows end at one station, which wins the medium no oftener than
each of their sources, this queue is the one that is full: it drops acknowledgements, which the sources hardly notice,
and most round trips are spent in it. Sources then overflow seldom, and say little about limits.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from heapq import heappop, heappush

import polars as pl

from winf_analyzer._replay.recorded.flows.conversations import data_frames, once_each
from winf_analyzer._replay.recorded.flows.studied import StudiedFlow

MIN_SAMPLES = 100
"""Fewer acknowledgements of a flow say nothing."""

TOP = 0.95
"""Quantile that is the limit of a queue that stands full; what lies above waited for a timer (delayed ACKs)."""

ALIKE = 0.9
"""Share of the limit from which on a queue is nearly full."""

STANDS_FULL = 0.5
"""Least share of the acknowledgements that find it nearly full."""

SEGMENTS_PER_ACK = 2
"""A receiver acknowledges at least every second segment (RFC 5681, sec. 4.2)."""

MIN_MISSING = 0.02
"""Least share of acknowledgements that the queue must have dropped; otherwise the window may keep its length."""


def standing_limit(frames: pl.LazyFrame, flows: Iterable[StudiedFlow], least: int) -> int | None:
    """The limit of the longest queue that stands full, packets besides the one in service; None if none does.

    Args:
        frames: the ``frames`` table.
        flows: TCP flows without a known wire behind their destination, which would be taken for a queue.
        least: shorter queues are none.
    """
    found = [limit for flow in flows if (limit := _of_flow(frames, flow)) is not None and limit >= least]
    return max(found, default=None)


def _of_flow(frames: pl.LazyFrame, flow: StudiedFlow) -> int | None:
    if flow.back is None or flow.back["sender"] != flow.path[-1] or not flow.first["mss"]:
        return None
    lengths, missing = _found(_events(frames, flow), SEGMENTS_PER_ACK * int(flow.first["mss"]))
    if len(lengths) < MIN_SAMPLES or missing < MIN_MISSING * (len(lengths) + missing):
        return None
    return full_at(lengths)


def ack_waits(frames: pl.LazyFrame, flows: Iterable[StudiedFlow]) -> list[int]:
    """How long acknowledgements of news waited at their stations, ns; ``flows`` as of :func:`standing_limit`."""
    known = (flow for flow in flows if flow.back is not None and flow.back["sender"] == flow.path[-1])
    return [wait for flow in known for wait in _waited(_events(frames, flow))]


def _waited(events: pl.DataFrame) -> list[int]:
    """Since the segment came that let each acknowledgement advance: of those that it acknowledges the last."""
    waited: list[int] = []
    arrived: list[tuple[int, int]] = []
    last: int | None = None
    for at_ns, is_sent, is_own, number in events.iter_rows():
        if not is_sent:
            heappush(arrived, (number, at_ns))
        elif is_own and (last is None or number > last):
            came = []
            while arrived and arrived[0][0] <= number:
                came.append(heappop(arrived)[1])
            if came:
                waited.append(at_ns - max(came))
            last = number
    return waited


def full_at(lengths: Iterable[int]) -> int | None:
    """Where a queue is full that most packets find nearly full; None if they do not."""
    ordered = sorted(lengths)
    top = ordered[int(TOP * (len(ordered) - 1))]
    full = len(ordered) - bisect_left(ordered, ALIKE * top)
    return top if full >= STANDS_FULL * len(ordered) else None


def _found(events: pl.DataFrame, most_bytes: int) -> tuple[list[int], float]:
    """How many packets waited before each acknowledgement of news, and how many of these are missing.

    One is missing where more than ``most_bytes`` are acknowledged at once.
    """
    departed: list[int] = []
    arrived: dict[int, int] = {}
    lengths: list[int] = []
    last: int | None = None
    missing = 0.0
    for at_ns, is_sent, is_own, number in events.iter_rows():
        if not is_sent:
            arrived[number] = at_ns
            continue
        if is_own and (last is None or number > last):
            if number in arrived:
                lengths.append(len(departed) - bisect_right(departed, arrived[number]))
                missing += max(0.0, (number - last) / most_bytes - 1) if last is not None else 0.0
            last = number
        departed.append(at_ns)
    return lengths, missing


def _events(frames: pl.LazyFrame, flow: StudiedFlow) -> pl.DataFrame:
    """What the receiver's station sends, and the flow's segments as they arrive, in order of time.

    Columns ``at_ns is_sent is_own number``: of a segment the number that acknowledges it.
    """
    station, back = flow.path[-1], flow.back or flow.first
    length, is_sent = pl.col("tcp_payload_bytes"), pl.col("ta") == station
    heard = (
        data_frames(frames)
        .filter(
            pl.col("source") == back["source"],
            pl.col("observer").eq_missing(back["observer"]),
            is_sent | (pl.col("ra") == station),
            pl.col("at_ns").is_not_null(),
        )
        .select(
            *("at_ns", "end_ns", "ta", "ra", "tid", "seq", "retry", "tcp_ack", "tcp_payload_bytes", "transport_seq"),
            ours=pl.col("conversation") == flow.conversation,
        )
        .collect(engine="streaming")
        .sort("at_ns", maintain_order=True)
    )
    out = once_each(heard.filter(is_sent)).select(
        "at_ns", is_sent=pl.lit(True), is_own=pl.col("ours") & (length == 0), number="tcp_ack"
    )
    # Of a segment that was sent again at the link the last attempt is the one that arrived.
    into = heard.filter(~is_sent, "ours", length > 0).select(
        at_ns="end_ns", is_sent=pl.lit(False), is_own=pl.lit(True), number=pl.col("transport_seq") + length
    )
    return pl.concat([out, into], how="vertical_relaxed").drop_nulls("at_ns").sort("at_ns", maintain_order=True)
