"""When a segment joined its source's queue: when the acknowledgement came that let it go.

A source in congestion avoidance sends at once what its window admits. When a segment is missed its source has a window
of octets behind it on the way, which then are seen on the air; the window was as large, but for a segment or two, when
the missing segment was sent. So it was let go by the acknowledgement that reached to a window before its end, and
joined the queue then, or later by what both take on a wire behind the station. If the queue dropped it, what was still
before it is what fits: all that had been sent earlier and was on the air later. Where it is known what fits, the same
tells how long the wire takes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

LIMITED_TRANSMIT = 2
"""New segments that the first two duplicates let go beyond the window (RFC 3042)."""

AVOIDANCE = 4
"""A window that was not reduced for so many times its octets grows by a segment per round trip: in slow start, where it
doubles, it overflows a queue after twice its octets."""


class Drop(NamedTuple):
    """A segment that a full queue dropped."""

    acked_ns: int
    """When the acknowledgement came to the station that let it go."""

    ahead_ns: tuple[int, ...]
    """When each packet was on the air that the station sent since then and until the segment would have been next."""

    def waiting(self, wire_ns: int) -> int:
        """How many packets waited when it joined the queue; ``wire_ns``: round trip behind the station."""
        return len(self.ahead_ns) - bisect_right(self.ahead_ns, self.acked_ns + wire_ns)

    def wire_ns(self, packets: int) -> int | None:
        """The round-trip time of the wire with which so many waited; None if there are none with which they do."""
        first = len(self.ahead_ns) - packets
        if first < 0 or packets <= 0:
            return None
        since_ns = self.ahead_ns[first - 1] if first else self.acked_ns
        return (since_ns + self.ahead_ns[first]) // 2 - self.acked_ns


class Releases:
    """Acknowledgements and new segments of a flow, in order of time, as its source's station has them on the air."""

    def __init__(self, segment_octets: int) -> None:
        """Of segments of so many octets."""
        self._octets = segment_octets
        self._acks: list[tuple[int, int]] = []
        self._new: list[tuple[int, int]] = []

    def acknowledged(self, upto: int, at_ns: int) -> None:
        """An acknowledgement of new data came in."""
        self._acks.append((upto, at_ns))

    def sent(self, number: int, place: int) -> None:
        """A new segment is the packet of that place among all that the station sent."""
        self._new.append((number, place))

    def drop(self, missing: int, reduced_at: int, following: int, sent_ns: Sequence[int]) -> Drop | None:
        """How a segment was dropped that is missing; None if that is not known.

        Args:
            missing: its number.
            reduced_at: what had been sent when the window was last reduced, or the flow began.
            following: the number of the first new segment after its retransmission.
            sent_ns: when each packet of the station was on the air.
        """
        window = following - missing - LIMITED_TRANSMIT * self._octets
        if window <= 0 or missing - reduced_at < AVOIDANCE * window:
            return None
        ack = bisect_left(self._acks, (missing + self._octets - window, 0))
        last = bisect_left(self._new, (missing, 0)) - 1
        if ack == len(self._acks) or last < 0:
            return None
        acked_ns = self._acks[ack][1]
        return Drop(acked_ns, tuple(sent_ns[bisect_right(sent_ns, acked_ns) : self._new[last][1] + 1]))
