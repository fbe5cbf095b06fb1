"""What is asked of a world: another controller for its TCP flows, one flow less, twice the rate, another queue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmarks.replay.counterfactual.worlds import PHYS, StudyWorld

BBR_OF_NS3 = {
    "least_rtt_of": "smoothed",
    "sent_until": "first_since_delivery",
    "ack_aggregation": "whole_seconds",
    "probe_segments": 2,
    "quantum_segments": 1,
}

CUBIC_OF_NS3 = {"growth": "ns3", "hystart": "ns3", "reduces": "window", "beta_slow_start": 0.7}


@dataclass(frozen=True)
class Question:
    """One thing to predict."""

    name: str
    ns3: str | None = "TcpNewReno"
    """ns-3's controller that really runs; None: not asked of worlds of ns-3."""

    controller: str = "new_reno"
    """Its name in a replay."""

    settings: dict[str, Any] | None = None
    """Constants that ns-3 has."""

    without: int = 0
    """TCP flows left out, from the last on."""

    doubled: bool = False
    """All data rates are doubled."""

    ns2: str | None = None
    """ns-2's controller; None: not asked of worlds of ns-2."""

    queue_packets: int | None = None
    """Limit of all queues; asked of worlds of ns-2 alone."""

    @property
    def changes(self) -> dict[str, Any] | None:
        """Those of a replay."""
        found: dict[str, Any] = {"link.rate": "2x"} if self.doubled else {}
        return found | ({"queue": self.queue_packets} if self.queue_packets else {}) or None

    def asked_of(self, world: StudyWorld) -> bool:
        """Whether it makes sense there."""
        if world.simulator == "ns-2":
            return self.ns2 is not None and world.flows > self.without
        if self.ns2 is not None and self.ns3 is None:
            return False
        if self.doubled and PHYS[world.phy].doubled is None:
            return False
        return world.flows > self.without


ITSELF = Question("itself", ns2="Newreno")
"""The recorded controller again."""

CONTROLLERS = (
    ITSELF,
    Question("Vegas", "TcpVegas", "vegas_linux", {"round_trip": "smoothed"}),
    Question("Westwood", "TcpWestwood", "westwood", {"filter": "ns3"}),
    Question("CUBIC", "TcpCubic", "cubic", CUBIC_OF_NS3),
    Question("BBR", "MendedTcpBbr", "bbr", BBR_OF_NS3),
)
"""Controllers that one recording is asked about."""

QUESTIONS = (
    *CONTROLLERS,
    Question("one flow fewer", without=1, ns2="Newreno"),
    Question("twice the rate", doubled=True),
    Question("ns-2's Vegas", None, "vegas", {"path": "least_sample"}, ns2="Vegas"),
    Question("queue of 20", None, ns2="Newreno", queue_packets=20),
)
