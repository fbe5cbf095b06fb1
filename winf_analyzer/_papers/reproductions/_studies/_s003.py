"""What the studies of S003 share: its topologies, the flows of its rows, and its controllers."""

from __future__ import annotations

from collections.abc import Sequence

from winf_analyzer._papers.reproductions._study import Arm, Means, Statement, X

TOPOLOGIES = ("stack", "diamond", "half_diamond", "chain_cross")
ROWS = ("1-3", "4-6", "7-9")
"""Flows of all of these but the last."""

WCP, WCP_CAP = Arm("WCP", "wcp"), Arm("WCPCap", "wcp_cap")
ONE_LINK = Arm("WCP, one link told", "wcp", settings={"signals": "one_link"})
"""Its packets tell of one congested link and the largest round-trip times, as the paper's."""
OPTIMUM = Arm("optimum", "max_min")
"""The max-min fair rates of the reference."""


def alike(label: str, least: float, text: str) -> Statement:
    """The flow with the least has so much of the one with the most."""

    def holds(means: Means, places: Sequence[X]) -> bool:
        rates = [means[label, x] for x in places]
        return min(rates) >= least * max(rates)

    return Statement(text, holds)
