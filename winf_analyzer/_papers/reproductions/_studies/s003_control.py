"""What S003's control messages cost, and what they reach at a lower rate."""

from __future__ import annotations

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._studies._s003 import TOPOLOGIES, WCP, WCP_CAP
from winf_analyzer._papers.reproductions._study import Arm, Figure, Statement, Study
from winf_analyzer._replay.topologies.world import World

COUNTED = Arm("WCPCap, control counted", "wcp_cap", settings={"counts_control": True})
STORE = Arm("WCPCap, central store", "wcp_cap", settings={"central_store": True})

COSTS = Study(
    "s003-control",
    "WCPCap, whose control messages are free, take four bytes a link and epoch, or come from a central store",
    "topology",
    TOPOLOGIES,
    lambda x, _, seconds: worlds.with_headers(worlds.neighbourhood(str(x), seconds), True),
    (WCP_CAP, COUNTED, STORE),
    (
        Figure(
            "S003-eq-overhead",
            "throughput",
            (
                Statement(
                    "control that counts costs less than 15 % of the throughput everywhere",
                    lambda m, xs: all(m[COUNTED.label, x] > 0.85 * m[WCP_CAP.label, x] for x in xs),
                ),
            ),
            arms=(WCP_CAP.label, COUNTED.label),
        ),
        Figure(
            "S003-proc-repository",
            "throughput",
            (
                Statement(
                    "a store without delay is worth less than 5 %",
                    lambda m, xs: all(abs(m[STORE.label, x] / m[WCP_CAP.label, x] - 1) < 0.05 for x in xs),
                ),
            ),
        ),
    ),
    seeds=10,
    seconds=200,
    quick_places=TOPOLOGIES,
    quick_seeds=2,
    quick_seconds=60,
)

DECODED, SENSED = "rows decode each other", "rows only sense each other"
SLOW = {"control_rate_bps": 1_000_000}
WCP_SLOW = Arm("WCP, control at 1 Mbit/s", "wcp", settings=SLOW)
WCP_CAP_SLOW = Arm("WCPCap, control at 1 Mbit/s", "wcp_cap", settings={**SLOW, "counts_control": True})
TWO_HOPS = Arm("WCP, two hops told", "wcp", settings={"reach": "two_hops"})


def _stack(place: object, seconds: float) -> World:
    world = worlds.neighbourhood("stack", seconds) if place == DECODED else worlds.stack_of_interferers(seconds)
    return worlds.with_headers(world, True)


REMEDIES = Study(
    "s003-remedies",
    "Stack, whose rows decode or only sense each other, with S003's remedies",
    "rows",
    (DECODED, SENSED),
    lambda x, _, seconds: _stack(x, seconds),
    (WCP, TWO_HOPS, WCP_SLOW, WCP_CAP, WCP_CAP_SLOW),
    (
        Figure(
            "S003-proc-twohop",
            "least_share",
            (
                Statement(
                    "WCP with control at a lower rate stays fair (85 %)", lambda m, _: m[WCP_SLOW.label, SENSED] > 85
                ),
                Statement("WCPCap, too", lambda m, _: m[WCP_CAP_SLOW.label, SENSED] > 85),
                Statement(
                    "telling two hops helps nobody who decodes no one of the other rows",
                    lambda m, _: m[TWO_HOPS.label, SENSED] < 85,
                ),
            ),
        ),
    ),
    seeds=10,
    seconds=200,
    quick_places=(DECODED, SENSED),
    quick_seeds=2,
    quick_seconds=60,
    notes="What is told at the lower rate stands at the end of a frame, and is lost where another is on the air then.",
)

STUDIES = (COSTS, REMEDIES)
"""In the order of the paper."""
