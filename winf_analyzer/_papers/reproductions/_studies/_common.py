"""Controllers and statements that the studies of several papers share."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from statistics import fmean

from winf_analyzer._papers.reproductions._study import Arm, Means, X, above, below

XCP, RCP = Arm("XCP", "xcp"), Arm("RCP", "rcp")
WINF = (
    Arm("XCP-Winf", "xcp_winf"),
    Arm("XCP-Winf, paper", "xcp_winf", "paper"),
    Arm("RCP-Winf", "rcp_winf"),
    Arm("RCP-Winf, paper", "rcp_winf", "paper"),
)
TCP = Arm("TCP", "new_reno")
WITHOUT = {"collisions": "off"}
"""A Winf variant without the collision term."""
BETTER = (above("XCP-Winf", "XCP", "XCP-Winf above XCP"), above("RCP-Winf", "RCP", "RCP-Winf above RCP"))
FASTER = (below("XCP-Winf", "XCP", "XCP-Winf below XCP"), below("RCP-Winf", "RCP", "RCP-Winf below RCP"))
CAPACITY_NOTE = (
    "XCP and RCP are told 11 Mbit/s as capacity, as ns-2's scripts do. Routes follow positions every second."
)


def mean_over(means: Means, label: str, places: Sequence[X], since: float = -inf, until: float = inf) -> float:
    """Mean of a curve over the places that have a value, or those of them from `since` to before `until`."""
    bounded = since > -inf or until < inf
    inside = (x for x in places if not bounded or since <= float(x) < until)
    return fmean(means[label, x] for x in inside if (label, x) in means)
