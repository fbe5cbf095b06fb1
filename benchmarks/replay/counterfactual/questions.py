"""What is asked of a world: another controller for its TCP flows, one flow less, twice the rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmarks.replay.counterfactual.worlds import PHYS, StudyWorld


@dataclass(frozen=True)
class Question:
    """One thing to predict."""

    name: str
    ns3: str = "TcpNewReno"
    """ns-3's controller that really runs."""

    controller: str = "new_reno"
    """Its name in a replay."""

    settings: dict[str, Any] | None = None
    """Constants that ns-3 has."""

    without: int = 0
    """TCP flows left out, from the last on."""

    doubled: bool = False
    """All data rates are doubled."""

    segments_per_ack: int = 2
    """Delayed acknowledgements of the recording and of the truth. BBR of ns-3 falls to a few hundred kbit/s over one
    hop where receivers acknowledge every second segment, because its window of four segments then waits for timers."""

    def asked_of(self, world: StudyWorld) -> bool:
        """Whether it makes sense there."""
        if self.doubled and PHYS[world.phy].doubled is None:
            return False
        return world.flows > self.without


ITSELF = Question("itself")
"""The recorded controller again."""

CONTROLLERS = (
    ITSELF,
    Question("Vegas", "TcpVegas", "vegas_linux", {"round_trip": "smoothed"}),
    Question("Westwood", "TcpWestwood", "westwood", {"filter": "ns3"}),
    Question("CUBIC", "TcpCubic", "cubic"),
)
"""Controllers that one recording is asked about."""

QUESTIONS = (
    *CONTROLLERS,
    Question("BBR", "TcpBbr", "bbr", segments_per_ack=1),
    Question("one flow fewer", without=1),
    Question("twice the rate", doubled=True),
)
