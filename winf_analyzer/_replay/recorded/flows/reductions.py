"""How the windows of TCP sources go down in fast recovery, from when their segments are let go.

A segment echoes the time stamp (RFC 7323) of the acknowledgement that let it go, so it is known after how many
acknowledgements of a recovery the next segments follow the first retransmission, however long they wait in a queue. By
RFC 6675 none follows before half of the flight has left the network; by RFC 6937 one follows for two acknowledgements,
or for few, from the first on. ns-3.37 begins like that, and pauses after a few: it computes in 32 bits.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import polars as pl

from winf_analyzer._replay.recorded.flows.conversations import DUPLICATES, LLC_BYTES
from winf_analyzer._replay.recorded.flows.packet_events import packet_events
from winf_analyzer._replay.recorded.flows.studied import StudiedFlow

AT_ONCE, PROPORTIONAL, PROPORTIONAL_NS3 = "rfc6675", "prr", "prr_ns3"
"""How a window goes down, by the names of the engine."""

MIN_FLIGHT = 64
"""Fewer segments in flight do not tell a pause from the steps of time stamps."""

PAUSE = 1 / 16
"""A longer pause, in acknowledgements as a share of the flight, is none of a window that goes down in proportion."""

_STAMPED_BYTES = LLC_BYTES + 40 + 12
"""Least headers of a segment with a time stamp."""


class LetGo(NamedTuple):
    """How many acknowledgements had come since the first retransmission was let go, when a later segment was.

    Bounds, because several acknowledgements may have the time stamp that it echoes.
    """

    least: int
    most: int


class Recovery(NamedTuple):
    """The begin of a fast recovery."""

    flight: int
    """Segments that were outstanding."""

    segments: list[LetGo]
    """Those after the first retransmission."""


class Reduction(NamedTuple):
    """How the window of a flow goes down."""

    kind: str
    note: str | None
    """Where it comes from; None: the recording has nothing that could show it."""

    is_presumed: bool = False


def window_reductions(frames: pl.LazyFrame, flows: Iterable[StudiedFlow]) -> dict[str, Reduction]:
    """How the windows of TCP flows with time stamps go down, by name; those without are left out."""
    stamped = [
        flow for flow in flows if flow.tcp and flow.first["mss"] and (flow.first["header_bytes"] or 0) >= _STAMPED_BYTES
    ]
    found = {}
    for flow in stamped:
        events = packet_events(frames, flow).filter(pl.col("tsval").is_not_null() | ~pl.col("is_own"))
        if events["tsval"].is_not_null().any():
            found[flow.name] = shown(recoveries(events, int(flow.first["mss"])))
    seen = [kind for kind in found.values() if kind is not None]
    others = _most(seen)
    return {name: _reduction(kind, others) for name, kind in found.items()}


def _reduction(kind: str | None, others: str | None) -> Reduction:
    if kind or others:
        whose = "observed" if kind else "observed of other flows"
        return Reduction(kind or others or AT_ONCE, f"recovery {kind or others} ({whose})")
    return Reduction(PROPORTIONAL, f"recovery {PROPORTIONAL} assumed, as of stacks with time stamps", is_presumed=True)


def with_reduction(declared: dict[str, Any], found: Reduction | None) -> tuple[dict[str, Any], list[str]]:
    """A flow as the engine declares it with how its window goes down, and a note on that."""
    if found is None or not declared["transport"]["sack"]:
        return declared, []
    notes = [f"{declared['name']}: {found.note}"] if found.note else []
    return declared | {"transport": declared["transport"] | {"recovery": found.kind}}, notes


def shown(found: Sequence[Recovery]) -> str | None:
    """What most of the recoveries of a flow show; None if there are none."""
    return _most([_kind(each) for each in found if each.flight >= MIN_FLIGHT and each.segments])


def _most(kinds: Sequence[str]) -> str | None:
    return max(sorted(set(kinds)), key=kinds.count, default=None)


def _kind(recovery: Recovery) -> str:
    longest = PAUSE * recovery.flight
    if recovery.segments[0].least > longest:
        return AT_ONCE
    end = recovery.flight // 2
    begin = [each for each in recovery.segments if each.least <= end]
    pauses = [later.least - earlier.most for earlier, later in pairwise([*begin, LetGo(end, end)])]
    return PROPORTIONAL if max(pauses) <= longest else PROPORTIONAL_NS3


def recoveries(events: pl.DataFrame, mss: int) -> list[Recovery]:
    """Those of a flow; ``events``: see :func:`.packet_events`."""
    came: list[int] = []
    found: list[Recovery] = []
    highest = recovery_end = last_ack = -1
    duplicates = letting_go = 0
    lost: int | None = None
    is_open = False
    rows = events.select("is_sent", "is_own", "number", "ack", "length", "tsval", "tsecr")
    for is_sent, is_own, number, ack, length, tsval, tsecr in rows.iter_rows():
        if is_sent and is_own:
            if is_open:
                least, most = bisect_left(came, tsecr) + 1, bisect_right(came, tsecr)
                found[-1].segments.append(LetGo(max(0, least - letting_go), max(0, most - letting_go)))
            elif number == lost:
                found.append(Recovery((highest - number) // mss, []))
                is_open, letting_go, lost, recovery_end = True, bisect_right(came, tsecr), None, highest
            highest = max(highest, number + length)
        elif not is_sent:
            came.append(max(tsval, came[-1]) if came else tsval)
            if ack != last_ack:
                last_ack, duplicates, lost = ack, 0, None
                is_open = is_open and ack < recovery_end
                continue
            duplicates += 1
            if duplicates == DUPLICATES and ack > recovery_end and not is_open:
                lost = ack
    return found
