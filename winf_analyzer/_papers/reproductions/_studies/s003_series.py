"""Chain-Cross of S003 over time: cuts that flows share, and a flow that comes and goes."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._studies._common import mean_over
from winf_analyzer._papers.reproductions._studies._s003 import WCP
from winf_analyzer._papers.reproductions._study import Arm, Figure, Means, Statement, Study, X

FLOWS = ("1-2", "1-7", "6-7", "8-9", "10-11")
NEAR = ("1-2", "8-9", "10-11")
"""The flows of one hop around 1 to 2."""
COMES_S, GOES_S = 25, 100


def _of_flows(label: str, controller: str) -> tuple[Arm, ...]:
    return tuple(Arm(f"{label}, {flow}", controller, flows=(flow,)) for flow in FLOWS)


def _least_of_all(means: Means, places: Sequence[X]) -> bool:
    rates = {flow: mean_over(means, f"WCP, {flow}", places, 20) for flow in FLOWS}
    return min(rates, key=rates.__getitem__) == "1-7" and max(rates, key=rates.__getitem__) == "6-7"


EVOLUTION = Study(
    "s003-chain-cross-series",
    "rates of the sources in Chain-Cross under WCP",
    "s",
    tuple(range(0, 200, 4)),
    lambda _, __, seconds: worlds.neighbourhood("chain_cross", seconds),
    _of_flows("WCP", "wcp"),
    (
        Figure(
            "S003-fig14",
            "pacing",
            (Statement("1-7 has the least rate, 6-7 the largest", _least_of_all),),
        ),
    ),
    seeds=10,
    seconds=200,
    quick_places=tuple(range(0, 100, 4)),
    quick_seeds=2,
    quick_seconds=100,
    along="seconds",
    bin_s=0.5,
)

CUTS = Study(
    "s003-cuts",
    "cuts of each flow's rate in Chain-Cross under WCP",
    "flow",
    FLOWS,
    lambda _, __, seconds: worlds.neighbourhood("chain_cross", seconds),
    (WCP,),
    (
        Figure(
            "S003-claim-32",
            "cuts",
            (
                Statement(
                    "1-2, 8-9 and 10-11 are cut more often than 6-7",
                    lambda m, _: min(m["WCP", x] for x in NEAR) > m["WCP", "6-7"],
                ),
                Statement(
                    "and have less throughput",
                    lambda m, _: max(m["WCP", x] for x in NEAR) < m["WCP", "6-7"],
                    "throughput",
                ),
                Statement("1-7 is cut most often", lambda m, xs: max(xs, key=lambda x: m["WCP", x]) == "1-7"),
            ),
        ),
    ),
    seeds=10,
    seconds=200,
    quick_places=FLOWS,
    quick_seeds=2,
    quick_seconds=100,
    along="flows",
    bin_s=0.1,
    notes="A cut is a tenth of a second at whose end the rate is less than 0.7 times that before.",
)


def _fair(label: str, since: float, until: float, text: str) -> Statement:
    def holds(means: Means, places: Sequence[X]) -> bool:
        rates = [mean_over(means, f"{label}, {flow}", places, since, until) for flow in NEAR]
        return min(rates) > 0.85 * max(rates)

    return Statement(text, holds)


def _recovers(label: str) -> Statement:
    return Statement(
        "the others take what 1-7 leaves",
        lambda m, xs: (
            mean_over(m, f"{label}, 8-9", xs, GOES_S + 15)
            > 1.1 * mean_over(m, f"{label}, 8-9", xs, COMES_S + 15, GOES_S)
        ),
    )


def _fair_throughout(label: str) -> tuple[Statement, ...]:
    return (
        _fair(label, 10, COMES_S, "1-2, 8-9 and 10-11 alike before 1-7 comes"),
        _fair(label, COMES_S + 15, GOES_S, "while it is there"),
        _fair(label, GOES_S + 15, 1e9, "and after it has gone"),
        _recovers(label),
    )


def _settles(means: Means, places: Sequence[X]) -> bool:
    """6-7's rate while 1-7 is there: the least of the first half, and what follows."""
    rates = [means["WCPCap, 6-7", x] for x in places if COMES_S <= float(x) < GOES_S]
    lowest = min(rates[: len(rates) // 2])
    return rates[0] > 1.2 * lowest and fmean(rates[len(rates) // 2 :]) > 1.2 * lowest


COMING_AND_GOING = Study(
    "s003-dynamics",
    f"rates of the sources in Chain-Cross while 1-7 comes at {COMES_S} s and goes at {GOES_S} s",
    "s",
    tuple(range(0, 200, 5)),
    lambda _, __, seconds: worlds.coming_and_going(COMES_S, GOES_S, seconds),
    (*_of_flows("WCP", "wcp"), *_of_flows("WCPCap", "wcp_cap")),
    (
        Figure("S003-fig20", "pacing", _fair_throughout("WCP"), arms="WCP,"),
        Figure("S003-fig21", "pacing", _fair_throughout("WCPCap"), arms="WCPCap"),
        Figure(
            "S003-claim-41",
            "pacing",
            (Statement("6-7 falls when 1-7 comes, then rises by more than a fifth", _settles),),
            arms="WCPCap, 6-7",
        ),
    ),
    seeds=10,
    seconds=200,
    quick_places=tuple(range(0, 140, 5)),
    quick_seeds=2,
    quick_seconds=140,
    along="seconds",
    bin_s=0.5,
)

STUDIES = (EVOLUTION, CUTS, COMING_AND_GOING)
"""In the order of the paper."""
