"""Limits of queues, from what TCP retransmits.

A retransmission joins the end of its source's queue when the third duplicate acknowledgement arrives, and is seen on
the air when it has passed it: what the node sends in between was waiting. If the lost segment was never on the air, the
queue dropped it, so it was full about a round trip before, and what waited is its limit but for the few packets that
left, or came, meanwhile: of an A-MPDU, whose answers come together, up to all of it. If the MAC or the channel lost it,
what waited is only a lower bound. In congestion avoidance it is known too what waited when the segment was dropped, see
:mod:`.releases`: that is the limit itself.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import inf, sqrt
from typing import NamedTuple

import polars as pl

from winf_analyzer._replay.recorded.flows.conversations import DUPLICATES
from winf_analyzer._replay.recorded.flows.packet_events import packet_events
from winf_analyzer._replay.recorded.flows.studied import StudiedFlow
from winf_analyzer._replay.recorded.queues.releases import Drop, Releases
from winf_analyzer._replay.recorded.queues.standing_queues import standing_limit

LEFT_MEANWHILE = 4
"""Most packets by which a limit differs from what waits at a retransmission: three acknowledged ones that nothing
followed, and the one on the air, which some queues count."""

MIN_WAITING = 8
"""Fewer packets than this in front of a retransmission say nothing."""

OUTLYING = 2
"""A queue so many times as long as others is no queue: its retransmission was lost, and sent again later."""

ALIKE = 0.9
"""Share of the longest queue from which on another one had the same limit."""

PRESUMED_PACKETS = 50
"""Limit where nothing shows it: that of ns-2 and of the papers' simulations."""

PRESUMED_BOUNDS = (10, 1000)
"""Bounds where nothing shows it: short queues of routers, and Linux's ``txqueuelen``."""

MIN_HEARD = 0.98
"""Least share of a flow's segments that must have been recorded."""

MIN_PAUSE_NS = 100_000_000
"""Shorter pauses of a sender are waits for the medium."""


class QueueLimit(NamedTuple):
    """The limit of all queues of a recorded world, packets."""

    packets: int
    """The most likely one."""

    bounds: tuple[int, int]
    """What the recording allows."""

    note: str
    """Where it comes from."""

    longest_ns: int = 0
    """How long a retransmission has waited."""

    is_from_drops: bool = False
    """It is what waited when segments were dropped, see :mod:`.releases`."""

    is_presumed: bool = False
    """No drop shows it."""

    def holding(self, waiting: int) -> QueueLimit:
        """The same where so many packets have been seen to wait, of which no queue dropped any."""
        if not self.is_presumed or waiting <= self.bounds[0]:
            return self
        high = max(self.bounds[1], waiting)
        packets = max(self.packets, waiting, round(sqrt(waiting * high)) if waiting > self.packets else 0)
        note = f"queue limit of {packets} packets assumed: {waiting} were seen to wait, and none was dropped"
        return self._replace(packets=packets, bounds=(waiting, high), note=note)


def queue_limit(
    frames: pl.LazyFrame,
    exchanges: pl.LazyFrame,
    flows: Iterable[tuple[StudiedFlow, int | None]],
    rts_attempts: int,
    mpdus: Mapping[tuple[str, str], int],
    direct: Iterable[StudiedFlow] = (),
    *,
    expires: bool = False,
) -> QueueLimit:
    """The limit of queues, of those that overflowed before others: the queues of the sources of TCP flows.

    Two dropped segments that found queues of the same length fix it. One gives a lower bound, because a queue may have
    emptied before the third duplicate; retransmissions of what the MAC lost give a weaker one.

    Args:
        frames: the ``frames`` table.
        exchanges: the ``exchanges`` table.
        flows: the flows, and the round-trip time of the wire behind their sources, ns (None: unknown); those without
            TCP, and those whose segments were not recorded at the source, say nothing.
        rts_attempts: attempts of an RTS after which stations give up a packet, which then never was on the air; that
            matters where no sequence number tells of such packets.
        mpdus: usual number of MPDUs in an A-MPDU, by link.
        direct: TCP flows that end at a station, as far as is known without a wire behind it.
        expires: queues drop what has waited too long, so what they dropped tells nothing of how many fit.
    """
    given_up = _given_up(exchanges, rts_attempts)
    dropped: list[int] = []
    waited: list[int] = []
    full: list[int] = []
    together = 1
    waited_here: list[int] = []
    longest_ns = 0
    for flow, wire_ns in flows:
        found = retransmissions(frames, flow, wire_ns or 0) if flow.tcp and is_heard(flow) else []
        # What waited when a segment was dropped is known, too, of a queue that emptied before its retransmission.
        known, gone = [each.drop for each in found if each.drop], sum(each.is_dropped for each in found)
        found = [each for each in found if each.waiting >= MIN_WAITING]
        waited += [each.waiting for each in found]
        longest_ns = max([longest_ns, *(each.waited_ns for each in found)])
        drops = [each.waiting for each in found if each.is_dropped]
        if flow.first["numbered"] or gone > given_up.get(flow.path[0], 0):
            dropped += drops
            in_ppdu = mpdus.get((flow.path[0], flow.path[1]), 1)
            together = max(together, in_ppdu)
            if wire_ns is not None:
                # Besides the packet in service. What comes over a wire finds a PPDU on the air more often than not, of
                # which the others still take room.
                besides = in_ppdu // 2 if wire_ns else -1
                full += [drop.waiting(wire_ns) + besides for drop in known]
                waited_here += [each.waiting for each in found]
    longest = max(_without_outliers(waited), default=0)
    if expires:
        return beyond(longest)
    limit = full_of(full)
    most = max(_without_outliers(waited_here, shorter=2), default=0)
    if limit is None or most > limit.packets + LEFT_MEANWHILE + together:
        limit = limit_of(dropped, longest, together)
    limit = limit._replace(longest_ns=longest_ns)
    return or_standing(limit, standing_limit(frames, direct, MIN_WAITING))


def or_standing(limit: QueueLimit, packets: int | None) -> QueueLimit:
    """The limit, unless a queue of so many packets stands full: that one has been seen thousands of times.

    It is another station's where the drops of sources allow no such limit, not even if they are taken for queues that
    had emptied by a factor of :data:`OUTLYING`.
    """
    low, high = limit.bounds
    if packets is None or not low - LEFT_MEANWHILE <= packets <= OUTLYING * high:
        return limit
    note = f"queue limit of {packets} packets (observed: a queue of acknowledgements stands full with so many)"
    return limit._replace(packets=packets, bounds=(packets - 1, packets + 1), note=note)


def beyond(waited: int) -> QueueLimit:
    """The limit of queues that drop what has waited too long before they are full: more than ever waited."""
    low, high = PRESUMED_BOUNDS
    low = max(low, waited)
    packets = max(low, round(sqrt(low * high)))
    note = f"queue limit of {packets} packets assumed: at most {waited} were seen, and dropped because of their age"
    return QueueLimit(packets, (low, max(high, packets)), note)


def _without_outliers(waiting: Iterable[int], *, shorter: int = 1) -> list[int]:
    """Lengths of queues, longest first, without those that were no queues.

    ``shorter``: how many shorter ones, 1 or 2 that agree, it takes to say so.
    """
    longest = sorted(waiting, reverse=True)
    while (
        len(longest) > shorter
        and longest[0] > OUTLYING * longest[1]
        and (shorter == 1 or longest[2] >= ALIKE * longest[1])
    ):
        longest = longest[1:]
    return longest


def limit_of(dropped: Iterable[int], waited: int, together: int = 1) -> QueueLimit:
    """The limit, from how many packets waited where a queue had dropped the segment, and at most anywhere.

    ``together``: packets that are sent in one PPDU: between none and all of them left before the retransmission.
    """
    # Of a queue that was full the longest counts; others may have emptied before the third duplicate.
    longest = _without_outliers(dropped, shorter=2)
    if longest:
        most = longest[0]
        is_confirmed = len(longest) > 1 and longest[1] >= ALIKE * most
        high = (most if is_confirmed else 2 * most) + LEFT_MEANWHILE + together - 1
        seen = "so many" if is_confirmed else "at least so many, once,"
        packets = most + together // 2
        why = f"{seen} waited where a segment had been dropped"
        if together > 1:
            why = f"{most}, {why}, and half of an A-MPDU"
        note = f"queue limit of {packets} packets (observed: {why})"
        return QueueLimit(packets, (max(1, most - LEFT_MEANWHILE), high), note)
    low, high = PRESUMED_BOUNDS
    packets = max(PRESUMED_PACKETS, waited)
    note = f"queue limit of {packets} packets assumed"
    return QueueLimit(packets, (max(low, round(ALIKE * waited)), high), note, is_presumed=True)


def full_of(waiting: Sequence[int]) -> QueueLimit | None:
    """The limit, from how many packets waited each time that a segment was dropped; None if that is not known.

    The most that two drops agree on: where the last segments of a window were dropped with the missing one the window
    seems smaller than it was, and so what waited.
    """
    waiting = sorted((packets for packets in waiting if packets >= MIN_WAITING), reverse=True)
    if not waiting:
        return None
    packets = next((more for more, less in pairwise(waiting) if less >= ALIKE * more), waiting[0])
    note = f"queue limit of {packets} packets (observed: so many waited when a segment was dropped)"
    bounds = (max(1, packets - LEFT_MEANWHILE), packets + LEFT_MEANWHILE)
    return QueueLimit(packets, bounds, note, is_from_drops=True)


def _given_up(exchanges: pl.LazyFrame, rts_attempts: int) -> dict[str, float]:
    """Packets by sender that never were on the air because no RTS was answered; a third station cannot count them.

    Where sequence numbers are known, one is missing for each.
    """
    asked = exchanges.filter(
        pl.col("kind") == "rts_failed", pl.col("observer").eq_missing(pl.col("sender")) | pl.col("observer").is_null()
    )
    counts = asked.group_by("sender", by_itself=pl.col("observer").is_not_null()).agg(
        given_up=(pl.col("attempt") == rts_attempts).sum()
    )
    rows = counts.collect(engine="streaming").sort("sender", "by_itself").iter_rows()
    return {sender: given_up if by_itself else inf for sender, by_itself, given_up in rows}


def is_heard(flow: StudiedFlow) -> bool:
    """Whether nearly all segments were recorded on their first link: one that is missing was never on the air."""
    first = flow.first
    if first["sender"] != flow.path[0] or not first["mss"] or first["end_seq"] is None:
        return False
    sent = (first["end_seq"] - first["first_seq"]) / first["mss"]
    return bool(0 < sent < (1 << 31) / first["mss"] and first["segments"] >= MIN_HEARD * sent)


class Retransmission(NamedTuple):
    """A fast retransmission."""

    is_dropped: bool
    """Whether a queue had dropped the segment."""

    waiting: int
    """How many packets waited in front of it."""

    waited_ns: int
    """How long it waited."""

    drop: Drop | None = None
    """How the queue dropped the segment, if that is known."""


def retransmissions(frames: pl.LazyFrame, flow: StudiedFlow, wire_ns: int) -> list[Retransmission]:
    """The fast retransmissions of a flow.

    Only the first retransmission of a recovery counts: the window decides when later ones are sent. A recovery lasts
    until everything is acknowledged that had been sent before it (RFC 6582); what still waited in the queue then is on
    the air before the retransmission. Where the MAC's sequence numbers show that the recorder missed packets, segments
    that it did not hear may have been among them: no queue need have dropped those.
    """
    found = []
    first_sent: list[int] = []
    seen: set[int] = set()
    unheard: list[tuple[int, int]] = []
    missed = False
    highest = recovery_end = last_ack = -1
    releases, reduced_at = Releases(int(flow.first["mss"])), int(flow.first["first_seq"])
    duplicates = 0
    lost: tuple[int, int] | None = None
    missing: tuple[int, int] | None = None
    events = packet_events(frames, flow).select("at_ns", "is_sent", "is_own", "is_next", "number", "ack")
    for at_ns, is_sent, is_own, is_next, number, ack in events.iter_rows():
        if is_sent:
            missed = missed or not is_next
            if is_own and lost is not None and number == lost[0]:
                begin = bisect_right(first_sent, lost[1])
                if _is_steady([*first_sent[begin:], at_ns], lost[1]):
                    is_dropped = number not in seen and not any(low < number < high for low, high in unheard)
                    found.append(Retransmission(is_dropped, len(first_sent) - begin, at_ns - lost[1]))
                    missing = (number, reduced_at) if is_dropped else None
                lost, recovery_end = None, highest
            elif is_own and lost is not None and lost[0] < number < highest:
                # Of several lost segments the first is sent first: that retransmission was dropped too.
                lost, recovery_end = None, highest
            if is_own:
                seen.add(number)
                reduced_at = highest if number < highest else reduced_at
            if is_own and number > highest:
                if missing is not None:
                    # Of a window whose last segments were dropped too, only what follows it shows how long it was.
                    found[-1] = found[-1]._replace(drop=releases.drop(*missing, number, first_sent))
                    missing = None
                releases.sent(number, len(first_sent))
                if missed:
                    unheard.append((highest, number))
                highest, missed = number, False
            first_sent.append(at_ns)
        elif ack == last_ack:
            duplicates += 1
            if duplicates == DUPLICATES and ack > recovery_end:
                lost, recovery_end = (ack, at_ns + wire_ns), highest
        else:
            releases.acknowledged(ack, at_ns)
            last_ack, duplicates, lost = ack, 0, None
    return found


def _is_steady(sent_ns: list[int], begin_ns: int) -> bool:
    """Whether a queue was served without a pause; after a timeout it has run empty."""
    gaps = sorted(later - earlier for earlier, later in pairwise([begin_ns, *sent_ns]))
    return gaps[-1] <= max(MIN_PAUSE_NS, 10 * gaps[len(gaps) // 2])
