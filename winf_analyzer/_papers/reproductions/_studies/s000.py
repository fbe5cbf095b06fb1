"""The studies of S000: meshes and public buildings with mobiles."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import pstdev

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._studies import s000_adhoc
from winf_analyzer._papers.reproductions._studies._common import (
    BETTER,
    CAPACITY_NOTE,
    FASTER,
    RCP,
    TCP,
    WINF,
    WITHOUT,
    XCP,
)
from winf_analyzer._papers.reproductions._study import Arm, Figure, Means, Statement, Study, X, above
from winf_analyzer._replay.topologies.world import World


def _catches_up(means: Means, places: Sequence[X]) -> bool:
    """RCP's share of XCP's throughput grows from the first place to the last."""
    first, last = places[0], places[-1]
    return means["RCP", last] / means["XCP", last] > means["RCP", first] / means["XCP", first]


def _considerably(name: str, share: float) -> Statement:
    """A Winf variant lies above the plain one by so much everywhere."""
    return Statement(
        f"{name}-Winf by {share:.0%} everywhere",
        lambda m, xs: all(m[f"{name}-Winf", x] > (1 + share) * m[name, x] for x in xs),
    )


S000_MESH = Study(
    "s000-mesh",
    "16 mesh nodes and mobiles, FTP of 1500-byte packets",
    "mobile nodes",
    (3, 4, 5, 6, 7),
    lambda x, seed, seconds: worlds.mesh(16, int(x), seed, seconds, side_m=1000, payload=1460, mac=worlds.RTS),
    (XCP, RCP, *WINF, TCP),
    (
        Figure("S000-fig10a", "throughput", BETTER, arms=("XCP", "RCP")),
        Figure("S000-fig10b", "delay", FASTER, arms=("XCP", "RCP")),
        Figure("S000-fig10c", "received", BETTER, arms=("XCP", "RCP")),
        Figure(
            "S000-claim-1",
            "throughput",
            (above("XCP-Winf", "TCP", "XCP-Winf above TCP"), above("RCP-Winf", "TCP", "RCP-Winf above TCP")),
            arms=("XCP-Winf", "RCP-Winf", "TCP"),
        ),
    ),
    seeds=30,
    seconds=300,
    quick_places=(3, 7),
    quick_seeds=3,
    quick_seconds=20,
    notes=f"{CAPACITY_NOTE} The paper prints no repetitions and no length for the mesh: those of its table 1 and S002.",
)

S000_VOICE = Study(
    "s000-voice",
    "16 mesh nodes and mobiles, a voice call from each",
    "mobile nodes",
    (3, 4, 5, 6, 7),
    lambda x, seed, seconds: worlds.voice_mesh(int(x), seed, seconds),
    (XCP, RCP, *WINF),
    (
        Figure(
            "S000-fig11",
            "throughput",
            (
                Statement("XCP above RCP with the fewest mobiles", lambda m, xs: m["XCP", xs[0]] > m["RCP", xs[0]]),
                Statement("RCP gains on XCP with more mobiles", _catches_up),
                *BETTER,
            ),
        ),
        Figure(
            "S000-claim-21",
            "throughput",
            (
                Statement("XCP above RCP with the fewest mobiles", lambda m, xs: m["XCP", xs[0]] > m["RCP", xs[0]]),
                Statement("RCP above XCP with the most", lambda m, xs: m["XCP", xs[-1]] < m["RCP", xs[-1]]),
            ),
            arms=("XCP", "RCP"),
        ),
        Figure(
            "S000-claim-22",
            "throughput",
            (*BETTER, _considerably("XCP", 0.1), _considerably("RCP", 0.1)),
            arms=("XCP", "RCP"),
        ),
    ),
    seeds=30,
    seconds=300,
    quick_places=(3, 7),
    quick_seeds=3,
    quick_seconds=20,
    notes=f"{CAPACITY_NOTE} The codec is assumed: G.711, 160 bytes every 20 ms.",
)


def _building(heavy: bool) -> Study:
    load, figure = ("heavy", "15") if heavy else ("light", "14")
    return Study(
        f"s000-building-{load}",
        f"public building, {load} traffic",
        "mobile nodes",
        (10, 20, 30),
        lambda x, seed, seconds: worlds.building(int(x), heavy, 30, seed, seconds),
        (XCP, RCP, *WINF),
        (
            Figure(f"S000-fig{figure}a", "throughput", BETTER),
            Figure(f"S000-fig{figure}b", "delay", FASTER),
            Figure(f"S000-fig{figure}c", "received", BETTER),
        ),
        seeds=30,
        seconds=600,
        quick_places=(10, 30),
        quick_seeds=2,
        quick_seconds=30,
        bin_s=1.0,
        notes=f"{CAPACITY_NOTE} Four flows per mobile; the period that the table gives besides the rate is ignored.",
    )


def _gains(upper: str, lower: str, share: float, text: str) -> Statement:
    """At the fastest place with heavy traffic one curve lies above another by at least half of what is printed."""
    return Statement(text, lambda m, xs: m[upper, xs[-1]] / m[lower, xs[-1]] >= 1 + share / 2)


def _gain(means: Means, name: str, place: X) -> float:
    return means[name, place] / means[f"{name} without P_c", place]


def _gains_more_when_fast(name: str) -> Statement:
    text = f"{name}: P_c gains more at 100 m/s than without mobility"
    return Statement(text, lambda m, xs: _gain(m, name, xs[-1]) > _gain(m, name, xs[-2]))


LIGHT, HEAVY = _building(heavy=False), _building(heavy=True)

BY_TRAFFIC = ("light, 0 m/s", "light, 100 m/s", "heavy, 0 m/s", "heavy, 100 m/s")
"""Traffic and greatest speed."""


def _moving(place: str, seed: int, seconds: float) -> World:
    traffic, speed = place.split(", ")
    return worlds.building(20, traffic == "heavy", int(speed.split()[0]), seed, seconds)


def _gains_more_with_traffic(name: str) -> Statement:
    text = f"{name}: P_c gains more with heavy traffic than with light"
    return Statement(text, lambda m, xs: _gain(m, name, xs[-1]) > _gain(m, name, xs[1]))


S000_COLLISIONS = Study(
    "s000-collisions",
    "public building with 20 mobiles, with and without P_c",
    "traffic and greatest speed",
    BY_TRAFFIC,
    lambda x, seed, seconds: _moving(str(x), seed, seconds),
    (
        Arm("XCP-Winf", "xcp_winf"),
        Arm("XCP-Winf without P_c", "xcp_winf", settings=WITHOUT),
        Arm("XCP-Winf, paper, greedy", "xcp_winf", "paper_greedy"),
        Arm("XCP-Winf, paper, greedy, without P_c", "xcp_winf", "paper_greedy", WITHOUT),
        Arm("RCP-Winf", "rcp_winf"),
        Arm("RCP-Winf without P_c", "rcp_winf", settings=WITHOUT),
        Arm("RCP-Winf, paper", "rcp_winf", "paper"),
        Arm("RCP-Winf, paper, without P_c", "rcp_winf", "paper", WITHOUT),
    ),
    (
        Figure(
            "S000-fig17",
            "throughput",
            (
                _gains(
                    "XCP-Winf", "XCP-Winf without P_c", 0.085, "corrected: P_c gains 8.5 % at 100 m/s (half counts)"
                ),
                _gains(
                    "XCP-Winf, paper, greedy",
                    "XCP-Winf, paper, greedy, without P_c",
                    0.085,
                    "paper: P_c gains 8.5 % at 100 m/s (half counts)",
                ),
            ),
            arms="XCP-Winf",
        ),
        Figure(
            "S000-fig18",
            "throughput",
            (
                _gains(
                    "RCP-Winf", "RCP-Winf without P_c", 0.065, "corrected: P_c gains 6.5 % at 100 m/s (half counts)"
                ),
                _gains(
                    "RCP-Winf, paper",
                    "RCP-Winf, paper, without P_c",
                    0.065,
                    "paper: P_c gains 6.5 % at 100 m/s (half counts)",
                ),
            ),
            arms="RCP-Winf",
        ),
        Figure(
            "S000-claim-29",
            "throughput",
            (
                *map(_gains_more_when_fast, ("XCP-Winf", "RCP-Winf")),
                *map(_gains_more_with_traffic, ("XCP-Winf", "RCP-Winf")),
            ),
        ),
    ),
    seeds=30,
    seconds=600,
    quick_places=BY_TRAFFIC,
    quick_seeds=3,
    quick_seconds=30,
    bin_s=1.0,
    notes=f"{CAPACITY_NOTE} The XCP-Winf of the paper asks for nothing, so its greedy source is drawn.",
)


def _spread(means: Means, label: str, places: Sequence[X]) -> float:
    """Standard deviation of a queue over time, packets."""
    return pstdev(means[label, x] for x in places if (label, x) in means)


QUEUE_SECONDS = tuple(range(2, 60))

S000_QUEUE = Study(
    "s000-queue-series",
    "queue of one of ten mobiles in the building, heavy traffic",
    "s",
    QUEUE_SECONDS,
    lambda _, seed, seconds: worlds.building(10, True, 30, seed, seconds),
    (XCP, RCP, *WINF),
    (
        Figure(
            "S000-fig16",
            "queue_at_mobile",
            tuple(
                Statement(
                    f"{plain}'s queue varies twice as much as {plain}-Winf's",
                    lambda m, xs, plain=plain: _spread(m, plain, xs) > 2 * _spread(m, f"{plain}-Winf", xs),  # type: ignore[misc]
                )
                for plain in ("XCP", "RCP")
            ),
        ),
    ),
    seeds=30,
    seconds=600,
    quick_places=QUEUE_SECONDS,
    quick_seeds=1,
    quick_seconds=60,
    along="seconds",
    bin_s=0.2,
    notes=f"{CAPACITY_NOTE} Which mobile is not said: the first.",
)

STUDIES = (
    S000_MESH,
    S000_VOICE,
    *s000_adhoc.STUDIES,
    LIGHT,
    HEAVY,
    S000_COLLISIONS,
    S000_QUEUE,
)
"""In the order of the paper."""
