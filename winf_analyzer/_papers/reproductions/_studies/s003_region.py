"""The rate region of Stack, and link rates that change."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from winf_analyzer._papers.reproductions import _rate_region
from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._studies._s003 import WCP, WCP_CAP
from winf_analyzer._papers.reproductions._study import Arm, Figure, Means, Statement, Study, X
from winf_analyzer._replay.topologies.world import World

OUTER_KBPS, MIDDLE_KBPS = (0, 50, 100, 150, 200), (200, 150, 100, 50, 0)
STACK = "Stack"
"""The place where nothing is limited."""
BOUNDARY = (*(f"outer {kbps}" for kbps in OUTER_KBPS), *(f"middle {kbps}" for kbps in MIDDLE_KBPS))
OUTER, MIDDLE = "outer flow", "middle flow"
MODELLED, MEASURED = ", model of datagrams", ", datagrams measured"
"""What ends the places, and the arms, of the boundaries without acknowledgements."""

POINTS = {"max-min": "max_min", "TCP": "new_reno", "WCP": "wcp", "WCPCap": "wcp_cap"}
"""What is drawn beside the boundary."""


def _arms(ending: str, controller: str, places: tuple[X, ...]) -> tuple[Arm, Arm]:
    """What a controller gives an outer flow and the middle one."""
    return (
        Arm(f"{OUTER}{ending}", controller, flows=("1-3",), places=places),
        Arm(f"{MIDDLE}{ending}", controller, flows=("4-6",), places=places),
    )


def _point(x: X, seed: int, seconds: float) -> World:
    if x == STACK:
        return worlds.neighbourhood("stack", seconds)
    place, _, ending = str(x).partition(",")
    capped, kbps = place.split()
    if f",{ending}" == MEASURED:
        return _rate_region.measured_point(capped, 1e3 * float(kbps), seed, seconds)
    return _rate_region.region_point(capped, 1e3 * float(kbps), seconds, acknowledged=not ending)


def _ending(of: str) -> tuple[str, ...]:
    return tuple(f"{x}{of}" for x in BOUNDARY)


def _points(means: Means, of: str = "") -> list[tuple[float, float]]:
    """Rates of the outer and the middle flow along a boundary, from none of the outer to none of the middle."""
    return [(means[OUTER + of, x + of], means[MIDDLE + of, x + of]) for x in BOUNDARY]


def _below_a_line(means: Means, of: str = "", between: str = "") -> bool:
    """Every point within the ends lies below the line between the model's: what a perfect scheduler shares out."""
    modelled = _points(means, between)
    most_middle, most_outer = modelled[0][1], modelled[-1][0]
    return all(outer / most_outer + middle / most_middle < 1 for outer, middle in _points(means, of)[1:-1])


def _dented(means: Means, _: Sequence[X]) -> bool:
    """Some point lies below the line between two others, by more than a hundredth."""
    points = _points(means)
    return any(
        points[between][1] < 0.99 * _on_line(points[a], points[b], points[between][0])
        for a, b in combinations(range(len(points)), 2)
        for between in range(a + 1, b)
    )


def _on_line(start: tuple[float, float], end: tuple[float, float], outer: float) -> float:
    span = end[0] - start[0]
    return start[1] + (end[1] - start[1]) * (outer - start[0]) / span if span else start[1]


REGION = Study(
    "s003-region",
    "the rate region of Stack",
    "rate, kbit/s",
    (*BOUNDARY, *_ending(MODELLED), *_ending(MEASURED), STACK),
    _point,
    (
        *_arms("", "max_min", BOUNDARY),
        *_arms(MODELLED, "max_min", _ending(MODELLED)),
        *_arms(MEASURED, "new_reno", _ending(MEASURED)),
        *(arm for name, controller in POINTS.items() for arm in _arms(f", {name}", controller, (STACK,))),
    ),
    (
        Figure(
            "S003-fig2",
            "throughput",
            (
                Statement("the region of 802.11 lies below a perfect scheduler's line", lambda m, _: _below_a_line(m)),
                Statement(
                    "so do the greatest rates of datagrams that were measured",
                    lambda m, _: _below_a_line(m, MEASURED, MODELLED),
                ),
            ),
            across=tuple(
                (OUTER + of, MIDDLE + of) for of in ("", MODELLED, MEASURED, *(f", {name}" for name in POINTS))
            ),
            chord="perfect scheduler",
        ),
        Figure(
            "S003-claim-5", "throughput", (Statement("the region is not convex", _dented),), across=((OUTER, MIDDLE),)
        ),
    ),
    seeds=10,
    seconds=200,
    quick_places=(*BOUNDARY, *_ending(MODELLED), *_ending(MEASURED), STACK),
    quick_seeds=1,
    quick_seconds=40,
    notes="The reference `max_min` with acknowledgements of 40 bytes, TCP's, and without; it has no randomness. "
    "Measured: datagrams at random instants, at the greatest rates of which every flow gets 98 % through.",
)

PERIODS = (0, 2, 10, 50)
SLOWEST = PERIODS[-1]

CHANGING = Study(
    "s003-auto-rate",
    "Stack, whose links change between 11 and 5.5 Mbit/s",
    "between two changes, s",
    PERIODS,
    lambda x, _, seconds: worlds.changing_rates(float(x), seconds),
    (WCP, WCP_CAP),
    (
        Figure(
            "S003-claim-47",
            "least_share",
            (
                Statement(
                    "with slow changes both share as without (10 points)",
                    lambda m, _: all(m[label, SLOWEST] > m[label, 0] - 10 for label in ("WCP", "WCPCap")),
                ),
                Statement("with fast changes WCP does not", lambda m, _: m["WCP", 2] < m["WCP", 0] - 10),
                Statement(
                    "WCPCap loses less than WCP with fast changes",
                    lambda m, _: m["WCPCap", 2] / m["WCPCap", 0] > m["WCP", 2] / m["WCP", 0],
                ),
            ),
        ),
    ),
    seeds=10,
    seconds=200,
    quick_places=PERIODS,
    quick_seeds=2,
    quick_seconds=100,
    notes="Rates change for all links at once; ranges stay.",
)

STUDIES = (REGION, CHANGING)
"""In the order of the paper."""
