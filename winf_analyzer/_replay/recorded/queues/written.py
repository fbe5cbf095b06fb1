"""How many packets waited before segments of which it is known when the application wrote them.

A source that waits for its application and has not lost anything is in slow start (RFC 5681, sec. 3.1): its window has
grown by all that was acknowledged, and what fits into it joins the queue as it is written.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

import polars as pl

from winf_analyzer._replay.recorded.flows.packet_events import packet_events
from winf_analyzer._replay.recorded.flows.studied import StudiedFlow, Writes


def most_waiting(frames: pl.LazyFrame, flows: Iterable[tuple[StudiedFlow, Writes]]) -> int:
    """The most packets that a station sent from the writing of a segment until that was on the air; 0: not known.

    Args:
        frames: the ``frames`` table.
        flows: TCP flows, and what their applications wrote; those that sent a segment again say nothing.
    """
    return max((_waiting(packet_events(frames, flow), flow, written) for flow, written in flows), default=0)


def _waiting(events: pl.DataFrame, flow: StudiedFlow, written: Writes) -> int:
    begin = int(flow.first["first_seq"])
    own = events.filter("is_sent", "is_own").select("at_ns", at=pl.col("number") - begin)
    if own["at"].n_unique() < len(own):
        return 0
    news = events.filter(~pl.col("is_sent"), pl.col("is_own")).select("at_ns", acked=pl.col("ack") - begin)
    acked_ns, acked = news["at_ns"].to_list(), news["acked"].cum_max().to_list()
    written_ns = [at_ns for at_ns, _ in written]
    ends = pl.Series([octets for _, octets in written]).cum_sum().to_list()
    sent_ns = events.filter("is_sent")["at_ns"].to_list()
    longest = 0
    for at_ns, start in own.sort("at_ns").iter_rows():
        place = bisect_right(ends, start)
        if place == len(ends):
            continue
        since_ns = written_ns[place]
        answers = bisect_right(acked_ns, since_ns)
        known = acked[answers - 1] if answers else 0
        if start - known < known:
            longest = max(longest, bisect_right(sent_ns, at_ns) - bisect_right(sent_ns, since_ns))
    return longest
