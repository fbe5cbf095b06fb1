"""What S003's packets have room for: one congested link, and the largest round-trip times."""

from __future__ import annotations

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._studies._s003 import ONE_LINK, TOPOLOGIES, WCP
from winf_analyzer._papers.reproductions._study import Figure, Means, Statement, Study, X


def _alike(means: Means, x: X, share: float) -> bool:
    return abs(means[ONE_LINK.label, x] / means[WCP.label, x] - 1) < share


TOLD = Study(
    "s003-told",
    "WCP whose packets tell of one congested link of the node and one of its neighbours, and of every link",
    "topology",
    TOPOLOGIES,
    lambda x, _, seconds: worlds.neighbourhood(str(x), seconds),
    (WCP, ONE_LINK),
    (
        Figure(
            "S003-claim-7",
            "throughput",
            (
                Statement("both carry the same (5 %)", lambda m, xs: all(_alike(m, x, 0.05) for x in xs)),
                Statement(
                    "and share alike: the least flow's share of the mean (10 points)",
                    lambda m, xs: all(abs(m[ONE_LINK.label, x] - m[WCP.label, x]) < 10 for x in xs),
                    "least_share",
                ),
                Statement("with the same delay (10 %)", lambda m, xs: all(_alike(m, x, 0.1) for x in xs), "delay"),
            ),
        ),
    ),
    seeds=10,
    seconds=200,
    quick_places=TOPOLOGIES,
    quick_seeds=5,
    quick_seconds=60,
    notes="One link told takes nine octets of a frame, every link is told with five.",
)

STUDIES = (TOLD,)
"""In the order of the paper."""
