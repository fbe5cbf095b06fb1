"""Whether packets wait above the queue of an interface, in FQ-CoDel (RFC 8290), where that queue has no room for them.

Two things show it. CoDel drops one packet at a time, the first when packets have waited for too long for 100 ms, the
next ones at intervals that shrink with the square root of their number (RFC 8289, sec. 5.3). A queue that drops what
does not fit loses a part of the packets that come while it is full. And where packets have a lifetime in the queue of
an interface, those that have waited for longer have waited above it, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import sqrt
from statistics import median

from winf_analyzer._replay.recorded.queues.lifetimes import Gap, Waits
from winf_analyzer._replay.recorded.queues.limits import QueueLimit

INTERVAL_NS, TARGET_NS = 100_000_000, 5_000_000
"""Constants of RFC 8290, sec. 5.2, which Linux and ns-3 have."""

MIN_DROPS = 6
"""Fewer drops in a row follow any law."""

TOLERANCE = 0.25
"""Share by which the time since the first drop, and its median, may be off: packets also wait below."""

MOSTLY = 0.8
"""Least share of the drops whose times are within it."""

BEYOND = 1.1
"""A packet that waited for so many times its lifetime has waited above the queue that has it."""

MIN_BEYOND = 20
"""Least number of such packets; a timer of the receiver (delayed acknowledgements) may explain few."""


def waits_above(ack_waits_ns: Sequence[int], lifetime_ns: int | None) -> bool:
    """Whether acknowledgements have waited for longer than the queue of an interface lets them."""
    return lifetime_ns is not None and sum(wait > BEYOND * lifetime_ns for wait in ack_waits_ns) >= MIN_BEYOND


def limit_below(found: Sequence[Waits], mss: Sequence[int]) -> QueueLimit | None:
    """The limit of the interface's queue below a CoDel that drops show; None if they show none.

    ``found``, ``mss``: of each flow.
    """
    limits = [limit for waits, size in zip(found, mss, strict=True) if (limit := _limit_of(waits.gaps, size))]
    return max(limits, key=lambda limit: limit.packets, default=None)


def _limit_of(gaps: Sequence[Gap], mss: int) -> QueueLimit | None:
    drops = first_drops(gaps, mss)
    if not drops:
        return None
    first, second = drops[:2]
    # What waits grows steadily before the source learns of a drop; it began to wait above an interval before the first.
    growth = max(0.0, (second.before - first.before) / (second.at_ns - first.at_ns))
    served = first.before / max(first.age_ns, 1)
    packets = max(1, round(first.before - growth * INTERVAL_NS - served * TARGET_NS))
    note = f"queue limit of {packets} packets (observed: CoDel above it drops)"
    return QueueLimit(packets, (max(1, round(0.9 * packets)), max(packets, first.before)), note)


def first_drops(gaps: Sequence[Gap], mss: int) -> list[Gap]:
    """The gaps of single segments up to the first pause, if they are those of a CoDel.

    Of an A-MPDU whose repeated failures end in drops several segments are missing at once, whatever dropped others.
    """
    drops: list[Gap] = []
    for gap in gaps:
        if gap.missing_bytes > mss or (drops and gap.at_ns - drops[-1].at_ns > 2 * INTERVAL_NS):
            break
        drops.append(gap)
    if len(drops) < MIN_DROPS:
        return []
    # Since the first one: the packet behind a drop still waits below, for a time that varies.
    law = accumulate(1 / sqrt(n) for n in range(1, len(drops)))
    scaled = [(drop.at_ns - drops[0].at_ns) / intervals for drop, intervals in zip(drops[1:], law, strict=True)]
    typical = median(scaled)
    alike = sum(abs(each / typical - 1) <= TOLERANCE for each in scaled) if typical else 0
    if abs(typical / INTERVAL_NS - 1) > TOLERANCE or alike < MOSTLY * len(scaled):
        return []
    return drops
