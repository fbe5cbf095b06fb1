"""Chains of S004 with RTS/CTS and under fixed windows."""

from __future__ import annotations

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._studies._common import TCP
from winf_analyzer._papers.reproductions._studies.s004_mesh import XCP_B
from winf_analyzer._papers.reproductions._study import Figure, Means, Statement, Study

LENGTHS = (1, 2, 3, 4, 6, 8)
WITH = {f"{hops}, RTS/CTS": hops for hops in LENGTHS}


RTS_CTS = Study(
    "s004-rts",
    "one flow over a chain, with and without RTS/CTS",
    "hops",
    (*LENGTHS, *WITH),
    lambda x, _, seconds: worlds.chain(x, seconds) if isinstance(x, int) else worlds.chain_rts(WITH[str(x)], seconds),
    (TCP, XCP_B),
    (
        Figure(
            "S004-claim-10",
            "throughput",
            (
                Statement(
                    "RTS/CTS costs every controller at every length more than 10 %",
                    lambda m, _: all(
                        m[label, with_] < 0.9 * m[label, hops]
                        for label in ("TCP", "XCP-b")
                        for with_, hops in WITH.items()
                    ),
                ),
            ),
        ),
        Figure(
            "S004-claim-9",
            "collided",
            (
                Statement(
                    "fewer data frames collide with RTS/CTS over three hops and more",
                    lambda m, _: all(m["TCP", with_] < m["TCP", hops] for with_, hops in WITH.items() if hops >= 3),
                    "lost_at_mac",
                ),
                Statement(
                    "and throughput falls",
                    lambda m, _: all(m["TCP", with_] < m["TCP", hops] for with_, hops in WITH.items()),
                    "throughput",
                ),
            ),
            arms="TCP",
        ),
    ),
    seeds=5,
    seconds=60,
    quick_places=(*LENGTHS, *WITH),
    quick_seeds=2,
    quick_seconds=20,
    notes="What eases hidden nodes is counted as packets that the MAC gave up.",
)

HOPS, WINDOWS = 8, (1, 2, 3, 4, 5, 6, 8, 12, 16, 24)
BOUND = 2 * HOPS // 5


def _beyond(means: Means, factor: float) -> bool:
    """No window beyond the bound carries so much more than it."""
    return all(means["TCP", x] < factor * means["TCP", BOUND] for x in WINDOWS if x > BOUND)


FIXED_WINDOWS = Study(
    "s004-windows",
    f"one flow under a fixed window over {HOPS} hops",
    "window, packets",
    WINDOWS,
    lambda x, _, seconds: worlds.fixed_window_chain(HOPS, int(x), seconds),
    (TCP,),
    (
        Figure(
            "S004-claim-11",
            "throughput",
            (
                Statement(
                    f"beyond a fifth of the hops there and back ({BOUND}) throughput does not grow (3 %)",
                    lambda m, _: _beyond(m, 1.03),
                ),
                Statement(
                    "and attempts meet more frames", lambda m, xs: m["TCP", xs[-1]] > 1.1 * m["TCP", BOUND], "collided"
                ),
            ),
        ),
    ),
    seeds=5,
    seconds=60,
    quick_places=WINDOWS,
    quick_seeds=3,
    quick_seconds=20,
)

STUDIES = (RTS_CTS, FIXED_WINDOWS)
"""In the order of the paper."""
