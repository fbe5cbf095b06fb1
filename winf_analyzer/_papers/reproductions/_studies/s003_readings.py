"""Readings of S003: its four topologies with one thing changed at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._reading import Reading, holds_against, tried, with_mac
from winf_analyzer._papers.reproductions._studies._common import TCP
from winf_analyzer._papers.reproductions._studies._s003 import ROWS, WCP, WCP_CAP
from winf_analyzer._papers.reproductions._studies.s003_limits import ALONE
from winf_analyzer._papers.reproductions._study import Arm, Figure, Means, Statement, Study, X
from winf_analyzer._replay.topologies.world import World

CROSS = ("1-2", "1-7", "6-7", "8-9", "10-11")
OPTIMUM = Arm("max-min", "max_min")


def _heard(name: str, pairs: Sequence[tuple[str, str]]) -> Reading:
    """RunTables that hear each other over these pairs; links are heard in any case."""

    def change(world: World) -> World:
        links = [[link["from"], link["to"]] for link in world["links"]]
        decodes = [*links, *map(list, pairs)]
        return {**world, "hearing": {"graph": {"decodes": decodes, "symmetric": True}}}

    return Reading(name, world=change)


def _of(name: str, **settings: Any) -> Reading:
    """Another setting of WCP."""
    return Reading(name, settings={"wcp": settings})


PLAIN_ACKS, FAST_CONTROL = {"rts_threshold_bytes": 256}, {"control_rate_bps": 2_000_000}
MACS = (
    with_mac("acknowledgements without RTS/CTS", **PLAIN_ACKS),
    with_mac("control frames at 2 Mbit/s", **FAST_CONTROL),
    with_mac("both: acknowledgements without RTS/CTS, control frames at 2 Mbit/s", **PLAIN_ACKS, **FAST_CONTROL),
    with_mac("short preambles", plcp_ns=96_000),
    with_mac("no RTS/CTS", rts_threshold_bytes=None),
    with_mac("a backoff before every packet", access="always_back_off"),
)
WCP_READINGS = (  # of what the paper leaves open about WCP
    _of("queues averaged with weight 0.1", queue_weight=0.1),
    _of("signals reach one hop", reach="one_hop"),
    _of("each flow at its own round-trip time", share_rtt=False),
    _of("alpha of 0.2 packets/s", increase_packets_per_s=0.2),
    _of("packets tell of one congested link", signals="one_link"),
    _of("sources send at r / p, as printed", goodput_correction="loss_rate"),
)
READINGS = (*MACS, *WCP_READINGS)
WIDER = (
    _heard("2 and 8 hear 5 only", [("2", "5"), ("8", "5")]),
    _heard("1, 3, 7 and 9 hear 4 and 6", [(a, b) for a in ("1", "3", "7", "9") for b in ("4", "6")]),
    _heard("2 and 8 hear 4, 5 and 6", [(a, b) for a in ("2", "8") for b in ("4", "5", "6")]),
)


def each(flows: Sequence[str], *arms: Arm) -> tuple[Arm, ...]:
    """A curve for each flow of these arms."""
    return tuple(replace(arm, label=f"{arm.label}, {flow}", flows=(flow,)) for arm in arms for flow in flows)


def _printed(label: str, rates: Mapping[str, float]) -> dict[str, Mapping[X, float]]:
    return {f"{label}, {flow}": {"": 1e3 * kbps} for flow, kbps in rates.items()}


def _rates(means: Means, label: str, x: X, flows: Sequence[str]) -> list[float]:
    return [means[f"{label}, {flow}", x] for flow in flows]


def _optimum(item: str, rates: Mapping[str, float]) -> Figure:
    """The optimum of the paper, within 5 %."""
    near = Statement(
        "the max-min rates are those printed (5 %)",
        lambda m, xs: all(abs(m[f"max-min, {flow}", xs[0]] / (1e3 * kbps) - 1) < 0.05 for flow, kbps in rates.items()),
    )
    return Figure(item, "throughput", (near,), _printed("max-min", rates), arms="max-min")


def _study(topology: str, arms: Sequence[Arm], readings: Sequence[Reading], figures: Sequence[Figure]) -> Study:
    return tried(
        f"s003-{topology.replace('_', '-')}-readings",
        f"{topology.replace('_', '-')} with one thing changed",
        lambda _, seconds: worlds.neighbourhood(topology, seconds),
        arms,
        readings,
        figures,
        seeds=10,
        seconds=200,
        quick=(2, 60),
        notes="QualNet's settings of the MAC are not printed.",
    )


def _within(share: float, label: str, flows: Sequence[str], text: str) -> Statement:
    """Every flow has so much of the max-min rate of its own reading."""

    def holds(means: Means, places: Sequence[X]) -> bool:
        pairs = zip(_rates(means, label, places[0], flows), _rates(means, "max-min", places[0], flows), strict=True)
        return all(rate > share * most for rate, most in pairs)

    return Statement(text, holds)


def _starved(flows: Sequence[str]) -> Statement:
    def holds(means: Means, places: Sequence[X]) -> bool:
        least = {label: _least(means, label, places[0], flows) for label in ("TCP", "WCP without sharing")}
        return least["TCP"] >= 0.5 or least["WCP without sharing"] < 0.5

    return Statement("without sharing a flow has below half of the mean where one of TCP's has", holds)


def _least(means: Means, label: str, x: X, flows: Sequence[str]) -> float:
    rates = _rates(means, label, x, flows)
    return min(rates) * len(rates) / sum(rates)


HALF = Statement(
    "WCP gives 4-6 half of the others (0.35 to 0.65)",
    lambda m, xs: 0.35 < 2 * m["WCP, 4-6", xs[0]] / (m["WCP, 1-3", xs[0]] + m["WCP, 7-9", xs[0]]) < 0.65,
)
STACK = _study(
    "stack",
    each(ROWS, OPTIMUM, WCP, WCP_CAP),
    READINGS,
    (
        _optimum("S003-claim-17", dict.fromkeys(ROWS, 300)),
        Figure(
            "S003-claim-18",
            "throughput",
            (
                _within(0.8, "WCP", ROWS, "WCP within 20 % of the optimum"),
                Statement(
                    "and near 250 kbit/s (10 %)",
                    lambda m, xs: all(abs(rate / 250e3 - 1) < 0.1 for rate in _rates(m, "WCP", xs[0], ROWS)),
                ),
            ),
            _printed("WCP", dict.fromkeys(ROWS, 250)),
            arms=("WCP,", "max-min"),
        ),
        holds_against(
            "S003-claim-48",
            "throughput",
            (
                _within(0.8, "WCP", ROWS, "WCP within 20 % of the optimum"),
                _within(0.85, "WCPCap", ROWS, "WCPCap within 15 %"),
            ),
            arms=("WCP,", "WCPCap", "max-min"),
        ),
    ),
)
DIAMOND = _study(
    "diamond",
    each(ROWS, OPTIMUM, WCP, WCP_CAP, ALONE, TCP),
    (*READINGS, *WIDER),
    (
        _optimum("S003-claim-20", dict.fromkeys(ROWS, 325)),
        holds_against("S003-claim-23", "throughput", (HALF,), arms="WCP,"),
        holds_against("S003-claim-1", "throughput", (HALF,), arms="WCP,"),
        holds_against("S003-fig10", "throughput", (HALF,), arms=("WCP,", "TCP", "WCPCap")),
        holds_against("S003-claim-16", "throughput", (_starved(ROWS),), arms=("WCP without", "TCP")),
    ),
)
HALF_DIAMOND = _study(
    "half_diamond",
    each(ROWS, OPTIMUM),
    MACS,
    (_optimum("S003-claim-24", {"1-3": 335, "4-6": 315, "7-9": 315}),),
)
CHAIN_CROSS = _study(
    "chain_cross",
    each(CROSS, OPTIMUM),
    MACS,
    (_optimum("S003-claim-28", {"1-2": 255, "1-7": 255, "6-7": 420, "8-9": 255, "10-11": 255}),),
)

STUDIES = (STACK, DIAMOND, HALF_DIAMOND, CHAIN_CROSS)
"""In the order of the paper."""
