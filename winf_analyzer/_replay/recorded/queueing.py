"""What waits where in a world: limits of its queues, lifetimes of packets, and what is above the queues."""

from __future__ import annotations

from typing import Any, NamedTuple

from winf_analyzer._replay.recorded.medium import Medium
from winf_analyzer._replay.recorded.queues.disciplines import limit_below, waits_above
from winf_analyzer._replay.recorded.queues.lifetimes import Lifetime, flow_waits, lifetime
from winf_analyzer._replay.recorded.queues.limits import QueueLimit, queue_limit
from winf_analyzer._replay.recorded.queues.standing_queues import ack_waits
from winf_analyzer._replay.recorded.recording import Recording
from winf_analyzer._replay.recorded.traffic import Traffic


class Queueing(NamedTuple):
    """The queues of a world, which are all alike."""

    limit: QueueLimit
    """How many packets fit."""

    lifetime: Lifetime
    """How long they may wait."""

    is_above: bool
    """Whether FQ-CoDel is above them."""

    notes: list[str]
    """What was observed."""

    @property
    def queue(self) -> dict[str, Any]:
        """A queue as the engine declares it."""
        return {"packets": self.limit.packets} | ({} if self.lifetime.ns is None else {"lifetime_ns": self.lifetime.ns})

    @property
    def of_node(self) -> dict[str, Any]:
        """What the engine declares of a node."""
        return {"interface_queue": self.queue} | ({"fq_codel": {}} if self.is_above else {})

    @property
    def least_lifetime_ns(self) -> int | None:
        """How long packets have been seen to wait, where it is unknown whether queues drop what has waited too long."""
        return None if self.lifetime.ns is not None else max(self.lifetime.longest_ns, self.limit.longest_ns)


def queueing_of(recording: Recording, traffic: Traffic, medium: Medium) -> Queueing:
    """The queues, from what TCP retransmits and how long its segments and acknowledgements wait."""
    frames, senders = recording.frames, traffic.senders
    waits = flow_waits(frames, senders)
    life = lifetime(waits)
    limit = queue_limit(
        frames,
        recording.exchanges,
        [(flow, traffic.hosts[flow.name].source_ns) for flow in traffic.tcp],
        medium.parameters.get("rts_retry_limit") or medium.parameters["short_retry_limit"],
        medium.aggregates.mpdus if medium.aggregates else {},
        traffic.direct,
        expires=life.ns is not None,
    )
    notes = []
    below = limit_below(waits, [int(flow.first["mss"] or 0) for flow, _ in senders])
    is_above = below is not None or waits_above(
        ack_waits(frames, traffic.direct) if life.ns is not None else [], life.ns
    )
    if below is not None:
        limit = below._replace(longest_ns=limit.longest_ns)
    if is_above:
        notes.append("FQ-CoDel above the queues of interfaces (observed), with the constants of RFC 8290")
    if life.ns is not None:
        notes.append(f"queues drop what has waited for {life.ns / 1e6:.0f} ms (observed)")
    return Queueing(limit, life, is_above, notes)
