"""The mesh access network of S004 flow by flow: packets that arrived, and windows, over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from winf_analyzer._papers.reproductions._studies._common import TCP, mean_over
from winf_analyzer._papers.reproductions._studies.s004_mesh import CORRECTED, NO_LOSS, XCP_B, mesh_study
from winf_analyzer._papers.reproductions._study import Curve, Figure, Means, Statement, X

FLOWS = tuple(f"{arm}{group}.{station}" for group in (1, 2, 3) for arm in "TBR" for station in (1, 2, 3))
"""Stations in the order in which their flows begin: nine each at 0, 20 and 40 s."""
PER_FLOW = (XCP_B, NO_LOSS, TCP, CORRECTED)


def _per_flow(metric: str) -> tuple[Curve, ...]:
    """A panel per controller, a curve per flow."""
    return tuple(Curve(flow, f"{arm.label}, {flow}", metric, panel=arm.label) for arm in PER_FLOW for flow in FLOWS)


def _total(means: Means, label: str, place: X) -> float:
    return sum(means[f"{label}, {flow}", place] for flow in FLOWS)


def _apart(means: Means, label: str, place: X) -> float:
    """Packets between the first and the last of the flows that began together, mean of the three groups."""
    groups = [FLOWS[at : at + 9] for at in (0, 9, 18)]
    sequences = [[means[f"{label}, {flow}", place] for flow in group] for group in groups]
    return fmean(max(group) - min(group) for group in sequences)


def _mean_window(means: Means, label: str, places: Sequence[X]) -> float:
    """Once all flows run."""
    return fmean(mean_over(means, f"{label}, {flow}", places, 40) for flow in FLOWS)


BY_FLOW = mesh_study(
    "s004-mesh-flows",
    "each of 27 flows into a mesh access network",
    "s, each with what follows until the next",
    tuple(range(0, 70, 5)),
    tuple(replace(arm, label=f"{arm.label}, {flow}", flows=(flow,)) for arm in PER_FLOW for flow in FLOWS),
    (
        Figure(
            "S004-fig8",
            "sequence",
            (
                Statement(
                    "as many packets under all three at the end (10 %)",
                    lambda m, xs: (
                        max(_total(m, arm.label, xs[-1]) for arm in PER_FLOW[:3])
                        < 1.1 * min(_total(m, arm.label, xs[-1]) for arm in PER_FLOW[:3])
                    ),
                ),
                Statement(
                    "TCP's flows lie further apart than XCP-b's, twice as far",
                    lambda m, xs: _apart(m, "TCP", xs[-1]) > 2 * _apart(m, "XCP-b", xs[-1]),
                ),
            ),
            curves=_per_flow("sequence"),
        ),
        Figure(
            "S004-fig9",
            "window",
            (
                Statement(
                    "XCP-b's windows are below half of TCP's",
                    lambda m, xs: 2 * _mean_window(m, "XCP-b", xs) < _mean_window(m, "TCP", xs),
                ),
            ),
            curves=_per_flow("window"),
        ),
    ),
    quick=(1, 70),
    along="seconds",
)

STUDIES = (BY_FLOW,)
