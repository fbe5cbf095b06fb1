"""Wires behind stations whose queues never show how long the source takes to answer.

What fits into a queue is known from flows whose sources are known. Where the queue of another station drops a segment,
as many packets wait in it: so it is known when the segment came there, and from the acknowledgement that let it go, how
long both were on the way behind the station.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import polars as pl

from winf_analyzer._replay.recorded.flows.studied import StudiedFlow
from winf_analyzer._replay.recorded.flows.wires import MAX_UNCERTAIN_SHARE, MIN_ANSWER_NS
from winf_analyzer._replay.recorded.queues.limits import QueueLimit, is_heard, retransmissions


def unseen_wires(frames: pl.LazyFrame, flows: Iterable[StudiedFlow], limit: QueueLimit) -> dict[str, int]:
    """Round-trip times of the wires behind the sources' stations, ns, by name of the flow; 0: there is none.

    Args:
        frames: the ``frames`` table.
        flows: TCP flows of which no wire is known, nor that there is none.
        limit: that of all queues. Only one that was seen when segments were dropped is exact enough.
    """
    if not limit.is_from_drops:
        return {}
    found = {}
    for flow in flows:
        drops = [each.drop for each in retransmissions(frames, flow, 0)] if is_heard(flow) else []
        spans = [span for drop in drops if drop and (span := drop.wire_ns(limit.packets)) is not None]
        span_ns = _most_agreed_on(spans)
        if span_ns is not None:
            found[flow.name] = span_ns if span_ns >= MIN_ANSWER_NS else 0
    return found


def _most_agreed_on(spans_ns: list[int]) -> int | None:
    """The longest time that two drops agree on; what seems shorter came with a window that seemed smaller."""
    near = pairwise(sorted(spans_ns, reverse=True))
    return next((more for more, less in near if more - less <= max(MIN_ANSWER_NS, MAX_UNCERTAIN_SHARE * more)), None)
