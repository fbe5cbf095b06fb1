"""The studies of S003: goodput of each flow in its neighbourhoods."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._studies import (
    s003_congested,
    s003_control,
    s003_flows,
    s003_limits,
    s003_region,
    s003_series,
    s003_testbed,
    s003_told,
)
from winf_analyzer._papers.reproductions._studies._common import TCP
from winf_analyzer._papers.reproductions._studies._s003 import OPTIMUM, ROWS, WCP, WCP_CAP, alike
from winf_analyzer._papers.reproductions._study import Arm, Figure, Statement, Study, X


def _neighbourhood(name: str, figure: str, optimum: dict[X, float], says: Sequence[Statement]) -> Study:
    """Goodputs of the flows of a topology of S003; `optimum` in kbit/s."""
    return Study(
        f"s003-{name.replace('_', '-')}",
        f"goodput of each flow in {name.replace('_', '-')}",
        "flow",
        tuple(optimum),
        lambda _, __, seconds: worlds.neighbourhood(name, seconds),
        (TCP, WCP, WCP_CAP, OPTIMUM),
        (
            Figure(
                figure,
                "throughput",
                says,
                printed={OPTIMUM.label: {flow: 1e3 * kbps for flow, kbps in optimum.items()}},
            ),
        ),
        seeds=10,
        seconds=200,
        quick_places=tuple(optimum),
        quick_seeds=2,
        quick_seconds=40,
        along="flows",
    )


def _starves(flow: str, text: str) -> Statement:
    """TCP gives a flow less than a quarter of the mean of all."""
    return Statement(text, lambda m, xs: 4 * m["TCP", flow] < fmean(m["TCP", x] for x in xs))


def _more(upper: str, lower: str, text: str) -> Statement:
    """An arm carries more in sum."""
    return Statement(text, lambda m, xs: sum(m[upper, x] for x in xs) > sum(m[lower, x] for x in xs))


S003_ALONE = Study(
    "s003-without-sharing",
    "goodput of each flow in stack, without sharing",
    "flow",
    ROWS,
    lambda _, __, seconds: worlds.neighbourhood("stack", seconds),
    (
        TCP,
        WCP,
        Arm("WCP without sharing", "wcp", settings={"share_congestion": False, "share_rtt": False}),
        Arm("WCP with its own round-trip times", "wcp", settings={"share_rtt": False}),
    ),
    (
        Figure(
            "S003-fig8",
            "throughput",
            (
                _starves("4-6", "TCP starves 4-6"),
                Statement(
                    "without sharing 4-6 has less than half of 1-3",
                    lambda m, _: 2 * m["WCP without sharing", "4-6"] < m["WCP without sharing", "1-3"],
                ),
                Statement("and more than with TCP", lambda m, _: m["WCP without sharing", "4-6"] > m["TCP", "4-6"]),
            ),
        ),
        Figure(
            "S003-claim-8",
            "throughput",
            (
                Statement(
                    "with its own round-trip times the rates differ by more than 15 %",
                    lambda m, _: (
                        m["WCP with its own round-trip times", "4-6"]
                        < 0.85 * m["WCP with its own round-trip times", "1-3"]
                    ),
                ),
            ),
        ),
    ),
    seeds=10,
    seconds=200,
    quick_places=ROWS,
    quick_seeds=2,
    quick_seconds=40,
    along="flows",
)

NEIGHBOURHOODS = (
    _neighbourhood(
        "stack",
        "S003-fig9",
        {"1-3": 300, "4-6": 300, "7-9": 300},
        (
            _starves("4-6", "TCP starves 4-6"),
            alike("WCP", 0.85, "WCP's flows alike"),
            alike("WCPCap", 0.85, "WCPCap's flows alike"),
            _more("WCPCap", "WCP", "WCPCap above WCP"),
        ),
    ),
    _neighbourhood(
        "diamond",
        "S003-fig10",
        {"1-3": 325, "4-6": 325, "7-9": 325},
        (
            _starves("4-6", "TCP starves 4-6"),
            Statement("WCP gives 4-6 half of the others", lambda m, _: m["WCP", "4-6"] < 0.65 * m["WCP", "1-3"]),
            alike("WCPCap", 0.85, "WCPCap's flows alike"),
        ),
    ),
    _neighbourhood(
        "half_diamond",
        "S003-fig11",
        {"1-3": 335, "4-6": 315, "7-9": 315},
        (
            Statement(
                "WCP gives 1-3 more than 4-6, less than twice", lambda m, _: 1 < m["WCP", "1-3"] / m["WCP", "4-6"] < 2
            ),
        ),
    ),
    _neighbourhood(
        "chain_cross",
        "S003-fig12",
        {"1-2": 255, "1-7": 255, "6-7": 420, "8-9": 255, "10-11": 255},
        (
            _starves("1-2", "TCP starves 1-2"),
            Statement("WCP gives 1-7 least", lambda m, xs: min(xs, key=lambda x: m["WCP", x]) == "1-7"),
            Statement("WCP gives 6-7 most", lambda m, xs: max(xs, key=lambda x: m["WCP", x]) == "6-7"),
        ),
    ),
)

STUDIES = (
    *s003_told.STUDIES,
    *s003_control.STUDIES,
    *s003_congested.STUDIES,
    *NEIGHBOURHOODS,
    S003_ALONE,
    *s003_series.STUDIES,
    *s003_region.STUDIES,
    *s003_flows.STUDIES,
    *s003_limits.STUDIES,
    *s003_testbed.STUDIES,
)
"""In the order of the paper."""
