"""How long packets may wait in queues, from how long the segments of TCP flows with time stamps did.

A segment that an acknowledgement lets go joins its station's queue when that arrives, and echoes its time stamp
(RFC 7323), so it is known how long it waited. A queue that drops what has waited too long, the lifetime of IEEE 802.11
(``dot11EDCATableMSDULifetime``), leaves gaps in front of segments that waited for nearly that long, however many
packets were before them. In a queue that drops what does not fit it is the number that is alike.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import polars as pl

from winf_analyzer._replay.recorded.flows.conversations import comes_next, data_frames, once_each
from winf_analyzer._replay.recorded.flows.studied import StudiedFlow

MIN_GAPS = 10
"""Fewer gaps say nothing."""

ALIKE = 0.95
"""Share of the lifetime that segments behind a gap have waited at least: they came right after what was dropped."""

MOSTLY = 0.75
"""Least share of the gaps at which that holds."""

UNLIKE = 2
"""Least ratio of how far apart the numbers of packets before such segments are to how far apart their waits are."""

MIN_LIFETIME_NS = 20_000_000
"""A shorter wait is no lifetime; that of the standard is half a second."""


class Gap(NamedTuple):
    """Segments that never were on the air, and the one behind them."""

    age_ns: int
    """How long that one had waited."""

    before: int
    """Packets that its station sent meanwhile."""

    at_ns: int = 0
    """When it is on the air."""

    missing_bytes: int = 0
    """Payload that is missing in front of it."""


class Waits(NamedTuple):
    """How long the segments of a flow waited at its source."""

    longest_ns: int
    """What one in a hundred exceeds; 0 if it is not known."""

    gaps: list[Gap]
    """Where segments are missing."""


class Lifetime(NamedTuple):
    """How long a packet may wait in any queue of a recorded world."""

    ns: int | None
    """None: nothing shows that there is a limit."""

    longest_ns: int
    """How long packets have been seen to wait; no lifetime is shorter."""


def flow_waits(frames: pl.LazyFrame, flows: Iterable[tuple[StudiedFlow, int]]) -> list[Waits]:
    """How long the segments of each TCP flow waited.

    Args:
        frames: the ``frames`` table.
        flows: the flows, and the round-trip time of the wire behind their sources, ns.
    """
    return [waits(_events(frames, flow), wire_ns) for flow, wire_ns in flows if flow.tcp]


def lifetime(found: Iterable[Waits]) -> Lifetime:
    """The lifetime that the queues of the sources show together."""
    found = list(found)
    longest_ns = max((each.longest_ns for each in found), default=0)
    return Lifetime(shown([gap for each in found for gap in each.gaps], longest_ns), longest_ns)


def shown(gaps: Sequence[Gap], longest_ns: int) -> int | None:
    """The lifetime that gaps show, in queues of one recording; None if they show none."""
    if len(gaps) < MIN_GAPS:
        return None
    top = _quantile([gap.age_ns for gap in gaps], 0.9)
    alike = [(gap.age_ns, gap.before) for gap in gaps if gap.age_ns >= ALIKE * top]
    if top < MIN_LIFETIME_NS or len(alike) < MOSTLY * len(gaps) or ALIKE * longest_ns > top:
        return None
    ages, before = zip(*alike, strict=True)
    return top if _spread(before) >= UNLIKE * _spread(ages) else None


def _spread(values: Sequence[int]) -> float:
    """How far apart values are, as a share of the median one."""
    return (_quantile(values, 0.9) - _quantile(values, 0.1)) / max(_quantile(values, 0.5), 1)


def _quantile(values: Sequence[int], share: float) -> int:
    return sorted(values)[int(share * (len(values) - 1))]


def waits(events: pl.DataFrame, wire_ns: int = 0) -> Waits:
    """Of the events of a flow, see :func:`_events`."""
    came: dict[int, int] = {}
    departed: list[int] = []
    ages: list[int] = []
    gaps: list[Gap] = []
    highest: int | None = None
    is_whole = True
    for at_ns, is_sent, is_own, is_next, number, length, tsval, tsecr in events.iter_rows():
        if not is_sent:
            came[tsval] = at_ns + wire_ns
            continue
        is_whole = is_whole and is_next
        if is_own and (highest is None or number >= highest):
            since = came.get(tsecr)
            if since is not None and since <= at_ns:
                ages.append(at_ns - since)
                if is_whole and highest is not None and number > highest:
                    before = len(departed) - bisect_right(departed, since)
                    gaps.append(Gap(at_ns - since, before, at_ns, number - highest))
            highest, is_whole = number + length, True
        departed.append(at_ns)
    ages.sort()
    return Waits(ages[int(0.99 * (len(ages) - 1))] if ages else 0, gaps)


def _events(frames: pl.LazyFrame, flow: StudiedFlow) -> pl.DataFrame:
    """What the source's station sends, and the flow's acknowledgements as they arrive, in order of time.

    Columns ``at_ns is_sent is_own is_next number length tsval tsecr``; ``is_next``: no packet is missing before it.
    """
    station, length, is_sent = flow.path[0], pl.col("tcp_payload_bytes"), pl.col("ta") == flow.path[0]
    ours = pl.col("conversation") == flow.conversation
    heard = (
        data_frames(frames)
        .filter(
            pl.col("source") == flow.first["source"],
            pl.col("observer").eq_missing(flow.first["observer"]),
            is_sent | ((pl.col("ra") == station) & ours),
            pl.col("at_ns").is_not_null(),
        )
        .select(
            *("at_ns", "end_ns", "ta", "ra", "tid", "seq", "retry", "tcp_payload_bytes", "transport_seq"),
            *("tcp_tsval", "tcp_tsecr"),
            ours=ours,
        )
        .collect(engine="streaming")
        .sort("at_ns", maintain_order=True)
    )
    number = {"number": "transport_seq", "length": length, "tsval": "tcp_tsval", "tsecr": "tcp_tsecr"}
    out = once_each(heard.filter(is_sent)).select(
        "at_ns",
        is_sent=pl.lit(True),
        is_own=pl.col("ours") & (length > 0),
        is_next=comes_next(),
        **number,
    )
    # Of an acknowledgement that was sent again at the link the first attempt may be the one that arrived; the last is
    # at most some milliseconds later.
    into = heard.filter(~is_sent, pl.col("tcp_tsval").is_not_null()).select(
        at_ns="end_ns", is_sent=pl.lit(False), is_own=pl.lit(True), is_next=pl.lit(True), **number
    )
    return pl.concat([out, into], how="vertical_relaxed").drop_nulls("at_ns").sort("at_ns", maintain_order=True)
