"""S003's bars of goodput per flow with losses and without RTS/CTS, and delays."""

from __future__ import annotations

from collections.abc import Sequence

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._studies._s003 import OPTIMUM, ROWS, TOPOLOGIES, WCP, WCP_CAP, alike
from winf_analyzer._papers.reproductions._study import Arm, Curve, Figure, Statement, Study, X
from winf_analyzer._replay.topologies.world import World

UNCORRECTED = Arm("WCP without correction", "wcp", settings={"goodput_correction": "off"})


def _bars(name: str, title: str, world: str, plain: bool, arms: Sequence[Arm], figures: Sequence[Figure]) -> Study:
    """Goodput of each flow of a topology."""

    def made(_: X, __: int, seconds: float) -> World:
        made = worlds.neighbourhood(world, seconds)
        return {**made, "mac": {"preset": "802.11b"}} if plain else made

    return Study(
        name,
        title,
        "flow",
        ROWS,
        made,
        arms,
        figures,
        seeds=10,
        seconds=200,
        quick_places=ROWS,
        quick_seeds=2,
        quick_seconds=60,
        along="flows",
    )


LOSSY = _bars(
    "s003-loss",
    "Stack, every attempt lost with probability 0.1",
    "stack:loss=0.1",
    plain=False,
    arms=(WCP, WCP_CAP, UNCORRECTED, OPTIMUM),
    figures=(
        Figure(
            "S003-fig13",
            "throughput",
            (
                alike("WCP", 0.8, "WCP's flows alike (the least has 80 % of the most)"),
                alike("WCPCap", 0.8, "WCPCap's flows alike"),
            ),
            curves=tuple(Curve(arm.label, arm.label, "throughput") for arm in (WCP, WCP_CAP, OPTIMUM)),
        ),
        Figure(
            "S003-fig15",
            "throughput",
            (
                Statement(
                    "without correction the least has less than 80 % of the most",
                    lambda m, xs: (
                        min(m[UNCORRECTED.label, x] for x in xs) < 0.8 * max(m[UNCORRECTED.label, x] for x in xs)
                    ),
                ),
            ),
            arms=UNCORRECTED.label,
        ),
    ),
)

PLAIN = tuple(
    _bars(
        f"s003-plain-{world.replace('_', '-')}",
        f"{title} without RTS/CTS",
        world,
        plain=True,
        arms=(WCP, WCP_CAP),
        figures=(Figure(item, "throughput", says),),
    )
    for world, title, item, says in (
        (
            "stack",
            "Stack",
            "S003-fig17",
            (alike("WCP", 0.8, "WCP's flows alike (80 %)"), alike("WCPCap", 0.8, "WCPCap's flows alike")),
        ),
        (
            "half_diamond",
            "Half-Diamond",
            "S003-fig18",
            (
                Statement("WCP gives 4-6 the least", lambda m, xs: min(xs, key=lambda x: m["WCP", x]) == "4-6"),
                alike("WCPCap", 0.7, "WCPCap's flows alike (70 %)"),
            ),
        ),
    )
)

DELAYS = Study(
    "s003-delay",
    "delays in the four topologies",
    "topology",
    TOPOLOGIES,
    lambda x, _, seconds: worlds.neighbourhood(str(x), seconds),
    (WCP, WCP_CAP),
    (
        Figure(
            "S003-fig19",
            "delay",
            (
                Statement(
                    "WCPCap's is lower in Stack, Diamond and Half-Diamond",
                    lambda m, _: all(m["WCPCap", x] < m["WCP", x] for x in TOPOLOGIES[:3]),
                ),
                Statement("and not in Chain-Cross", lambda m, _: m["WCPCap", "chain_cross"] >= m["WCP", "chain_cross"]),
            ),
        ),
    ),
    seeds=10,
    seconds=200,
    quick_places=TOPOLOGIES,
    quick_seeds=2,
    quick_seconds=60,
)

STUDIES = (LOSSY, *PLAIN, DELAYS)
"""In the order of the paper."""
