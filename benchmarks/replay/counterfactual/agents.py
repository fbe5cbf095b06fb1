"""What ns-2's agents know of their flows, from the events of agents in a trace."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import nan

SEGMENT_BYTES = 1000

_PACKET = re.compile(
    r"^([sr]) ([\d.]+) _(\d+)_ AGT  --- \d+ (tcp|ack) .*------- \[(\d+):(\d+) (\d+):(\d+) [^\]]*\] \[(\d+) "
)


@dataclass
class AgentFlow:
    """A TCP flow of ns-2, whose segments have numbers."""

    source: str
    destination: str
    port: int
    started_s: float
    acknowledged: int = -1
    segments: int = 0
    retransmissions: int = 0
    rtt_ms: list[float] = field(default_factory=list)
    """From the first transmission of the earliest segment that an acknowledgement covers, unless it was sent again."""

    _outstanding: dict[int, tuple[float, int]] = field(default_factory=dict)

    def sent(self, at_s: float, number: int) -> None:
        """The agent sends a segment."""
        first_s, times = self._outstanding.get(number, (at_s, 0))
        self._outstanding[number] = first_s, times + 1
        self.segments += 1
        # What is acknowledged already is sent again after a timeout.
        self.retransmissions += times > 0 or number <= self.acknowledged

    def answered(self, at_s: float, number: int) -> None:
        """The agent learns that all segments up to this one arrived."""
        covered = sorted(segment for segment in self._outstanding if segment <= number)
        if covered and number > self.acknowledged:
            first_s, times = self._outstanding[covered[0]]
            if times == 1:
                self.rtt_ms.append(1e3 * (at_s - first_s))
        for segment in covered:
            del self._outstanding[segment]
        self.acknowledged = max(self.acknowledged, number)

    def row(self, stop_s: float) -> list[object]:
        """The columns of ``truth.csv``."""
        goodput_bps = round(8 * SEGMENT_BYTES * (self.acknowledged + 1) / (stop_s - self.started_s))
        rtt_ms = sorted(self.rtt_ms)
        p50, p95 = (rtt_ms[int(share * (len(rtt_ms) - 1))] if rtt_ms else nan for share in (0.5, 0.95))
        return [
            self.source,
            self.destination,
            self.port,
            "tcp",
            goodput_bps,
            p50,
            p95,
            self.segments,
            self.retransmissions,
        ]


COLUMNS = (
    *("source", "destination", "port", "protocol", "goodput_bps"),
    *("rtt_p50_ms", "rtt_p95_ms", "segments", "retransmissions"),
)


def agent_flows(lines: Iterable[str]) -> list[AgentFlow]:
    """The TCP flows of a trace, in order of their first segments."""
    flows: dict[tuple[str, str, str, str], AgentFlow] = {}
    for line in lines:
        found = _PACKET.match(line)
        if found is None:
            continue
        event, at, node, kind, *ends, number = found.groups()
        if kind == "tcp" and event == "s":
            source, _, destination, port = ends
            key = (source, ends[1], destination, port)
            if key not in flows:
                flows[key] = AgentFlow(f"node-{source}", f"node-{destination}", int(port), float(at))
            flows[key].sent(float(at), int(number))
        elif kind == "ack" and event == "r" and node == ends[2]:
            flow = flows.get((ends[2], ends[3], ends[0], ends[1]))
            if flow:
                flow.answered(float(at), int(number))
    return list(flows.values())
