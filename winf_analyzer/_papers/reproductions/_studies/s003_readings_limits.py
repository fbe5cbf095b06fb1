"""Readings of what S003 says of congested links, of rates beyond the optimum, of losses and of auto-rate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._reading import Reading, beside, holds_against, paired, tried, with_mac
from winf_analyzer._papers.reproductions._studies._s003 import ROWS, WCP, WCP_CAP
from winf_analyzer._papers.reproductions._studies.s003_flows import UNCORRECTED
from winf_analyzer._papers.reproductions._studies.s003_readings import MACS, WIDER, each
from winf_analyzer._papers.reproductions._study import Arm, Means, Statement, X
from winf_analyzer._replay.topologies.world import World

DATAGRAMS = Arm("datagrams", "new_reno")
BUSY = 90
"""Per cent of the time from which on a link counts as congested."""


def _at_max_min(seed: int, seconds: float, *, topology: str = "diamond", factor: float = 1.0, **options: Any) -> World:
    return worlds.offered_max_min(topology, factor, seed, seconds, **options)


def _congested(link: str) -> Statement:
    text = f"{link} is congested (used {BUSY} % of the time)"
    return Statement(text, lambda m, xs: m["datagrams", xs[0]] > BUSY, f"use of {link}")


CONGESTED = tried(
    "s003-congested-readings",
    "links of Diamond in use at the max-min rates, with one thing changed",
    _at_max_min,
    (DATAGRAMS,),
    (
        Reading("rates of flows with acknowledgements", {"acknowledged": True}),
        Reading("datagrams at one fixed period", {"periodic": True}),
        Reading("1.1 times the max-min rates", {"factor": 1.1}),
        Reading("1.3 times the max-min rates", {"factor": 1.3}),
        *(reading.beforehand() for reading in (*MACS[1:2], *MACS[4:5], *WIDER)),
    ),
    (holds_against("S003-claim-14", "use of 1 > 2", (_congested("1 > 2"), _congested("7 > 8"))),),
    seeds=5,
    seconds=200,
    quick=(1, 30),
    notes="Stack's congested link comes out; Diamond stands for the topologies in which none does.",
)

ARRIVES = 98
"""Per cent of the packets of a flow that arrive where its rate is achievable."""


def _offered(seed: int, seconds: float, **options: Any) -> World:
    return _at_max_min(seed, seconds, topology="stack", **options)


ACHIEVABLE = tried(
    "s003-offered-readings",
    "packets that arrive in Stack at the max-min rates, with one thing changed",
    _offered,
    (DATAGRAMS,),
    (
        Reading("1.1 times the rates", {"factor": 1.1}),
        Reading("at the rates of flows with acknowledgements", {"acknowledged": True}),
        Reading("1.1 times the rates of flows with acknowledgements", {"acknowledged": True, "factor": 1.1}),
        Reading("datagrams at one fixed period", {"periodic": True}),
        Reading("datagrams at one fixed period, 1.1 times the rates", {"periodic": True, "factor": 1.1}),
        *(reading.beforehand() for reading in (*MACS[1:2], *MACS[4:5])),
    ),
    (
        holds_against(
            "S003-claim-13",
            "delivered",
            (Statement("of every flow 98 % arrive", lambda m, xs: m["datagrams", xs[0]] > ARRIVES),),
        ),
    ),
    seeds=5,
    seconds=200,
    quick=(2, 30),
    notes="Rates that the paper's model finds are achievable there, 1.1 times these are not; it is not printed.",
)


def _lossy(_: int, seconds: float, *, loss: float = 0.1) -> World:
    return worlds.neighbourhood(f"stack:loss={loss:g}", seconds)


def _uneven(means: Means, label: str, x: X) -> bool:
    rates = [means[f"{label}, {flow}", x] for flow in ROWS]
    return min(rates) < 0.8 * max(rates)


LOSSLESS = "no losses"


def _falls(label: str) -> Statement:
    """By 7 to 13 %."""

    def holds(means: Means, places: Sequence[X]) -> bool:
        lossy, lossless = (
            sum(means[f"{label}, {flow}", x] for flow in ROWS) for x in (places[0], beside(places[0], LOSSLESS))
        )
        return 0.87 < lossy / lossless < 0.93

    return Statement(f"{label}'s goodput falls by about 10 % (7 to 13)", holds)


LOSSY = tried(
    "s003-loss-readings",
    "Stack with losses of 10 %, with one thing changed",
    _lossy,
    each(ROWS, WCP, WCP_CAP, UNCORRECTED),
    paired(
        LOSSLESS,
        (
            with_mac("packets are lost: data frames are sent once", long_retry_limit=1),
            with_mac("data frames are sent twice", long_retry_limit=2),
            Reading("a loss of 5 % on each link", {"loss": 0.05}),
            with_mac("no RTS/CTS", rts_threshold_bytes=None),
        ),
        loss=0.0,
    ),
    (
        holds_against(
            "S003-fig15",
            "throughput",
            (
                Statement(
                    "without correction the least has less than 80 % of the most",
                    lambda m, xs: _uneven(m, UNCORRECTED.label, xs[0]),
                ),
                Statement("with correction it has more", lambda m, xs: not _uneven(m, "WCP", xs[0])),
            ),
        ),
        holds_against("S003-claim-34", "throughput", (_falls("WCP"), _falls("WCPCap")), arms=("WCP,", "WCPCap")),
    ),
    seeds=10,
    seconds=200,
    quick=(2, 60),
)

AUTO_RATE = tried(
    "s003-auto-rate-readings",
    "Stack, whose links change between 11 and 5.5 Mbit/s every 2 s, with one thing changed",
    lambda _, seconds, period_s=2.0, **options: worlds.changing_rates(period_s, seconds, **options),
    (WCP, WCP_CAP),
    (
        Reading("rates stay", {"period_s": 0.0}),
        Reading("every 0.5 s", {"period_s": 0.5}),
        Reading("every 10 s", {"period_s": 10.0}),
        Reading("between 11 and 1 Mbit/s", {"slow_bps": 1_000_000}),
        Reading("links of the middle row only", {"rows": "456"}),
        Reading("links of the first row only", {"rows": "123"}),
        Reading("links of the middle row only, 1 Mbit/s", {"rows": "456", "slow_bps": 1_000_000}),
    ),
    (
        holds_against(
            "S003-claim-47",
            "least_share",
            (
                Statement("WCP becomes unfair (below 85 % of the mean)", lambda m, xs: m["WCP", xs[0]] < 85),
                Statement("WCPCap does not", lambda m, xs: m["WCPCap", xs[0]] > 85),
            ),
        ),
    ),
    seeds=10,
    seconds=200,
    quick=(2, 60),
)

TIME_TO_CONVERGE = tried(
    "s003-convergence-readings",
    "time until the rates of Stack stay, with one thing changed",
    lambda _, seconds, topology="stack": worlds.neighbourhood(topology, seconds),
    (WCP, WCP_CAP),
    (
        *(Reading(name.replace("_", "-"), {"topology": name}) for name in ("diamond", "half_diamond", "chain_cross")),
        *MACS[2:3],
        Reading("alpha of 0.05 packets/s", settings={"wcp": {"increase_packets_per_s": 0.05}}),
    ),
    (
        holds_against(
            "S003-claim-45",
            "settled",
            (Statement("WCP takes longer than WCPCap", lambda m, xs: m["WCP", xs[0]] > m["WCPCap", xs[0]]),),
        ),
    ),
    seeds=10,
    seconds=200,
    quick=(2, 100),
    bin_s=0.5,
)

STUDIES = (CONGESTED, ACHIEVABLE, LOSSY, AUTO_RATE, TIME_TO_CONVERGE)
"""In the order of the paper."""
