"""What S002 says of TCP, XCP and RCP over time: who is steady and fair, and what queues and other flows do to them."""

from __future__ import annotations

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._studies._common import CAPACITY_NOTE, RCP, TCP, XCP, mean_over
from winf_analyzer._papers.reproductions._study import Figure, Statement, Study, X, above, below
from winf_analyzer._replay.topologies.world import World

SECONDS = tuple(range(0, 60, 2))
THREE = (TCP, XCP, RCP)
CHAIN, MESH = "chain with base station", "5 mesh nodes, 5 mobiles"
SCENES = (CHAIN, MESH, "16 mesh nodes, 5 mobiles")


def _first(best: str, others: tuple[str, ...], text: str) -> Statement:
    return Statement(text, lambda m, xs: all(mean_over(m, best, xs) > mean_over(m, other, xs) for other in others))


def _mesh(nodes: int, seed: int, seconds: float) -> World:
    return worlds.mesh(nodes, 5, seed, seconds, side_m=800, payload=1400, mac=worlds.NS2_MAC)


def _scene(name: X, seed: int, seconds: float) -> World:
    if name == CHAIN:
        return worlds.base_station_chain(seed, seconds)
    return _mesh(5 if name == MESH else 16, seed, seconds)


CHAIN_SERIES = Study(
    "s002-chain-series",
    "throughput of all flows of the chain with a base station",
    "s",
    SECONDS,
    lambda _, seed, seconds: worlds.base_station_chain(seed, seconds),
    THREE,
    (
        Figure(
            "S002-fig5",
            "throughput",
            (_first("RCP", ("TCP", "XCP"), "RCP highest"), _first("TCP", ("XCP",), "XCP below TCP")),
        ),
    ),
    seeds=10,
    seconds=60,
    quick_places=SECONDS,
    quick_seeds=2,
    quick_seconds=60,
    along="seconds",
    bin_s=1.0,
    notes="How many fixed nodes there are is in a figure only; four are taken.",
)

MESH_SERIES = Study(
    "s002-mesh-series",
    "throughput of all flows with five mesh nodes and five mobiles",
    "s",
    SECONDS,
    lambda _, seed, seconds: _mesh(5, seed, seconds),
    THREE,
    (Figure("S002-fig6", "throughput", (_first("TCP", ("XCP", "RCP"), "TCP highest"),)),),
    seeds=10,
    seconds=60,
    quick_places=SECONDS,
    quick_seeds=3,
    quick_seconds=60,
    along="seconds",
    bin_s=1.0,
    notes=CAPACITY_NOTE,
)

FAIRER = (above("TCP", "XCP", "TCP fairer than XCP", "jain"), above("TCP", "RCP", "TCP fairer than RCP", "jain"))
STEADIER = (
    below("TCP", "XCP", "TCP steadier than XCP", "deviation"),
    below("TCP", "RCP", "TCP steadier than RCP", "deviation"),
)
MORE = (above("TCP", "XCP", "TCP carries more than XCP"), above("TCP", "RCP", "TCP carries more than RCP"))


def _at(place: str, says: Statement) -> Statement:
    """The statement about one scene."""
    return Statement(says.text, lambda m, _: says.holds(m, (place,)), says.metric)


def _in_meshes(says: Statement) -> Statement:
    return Statement(says.text, lambda m, _: says.holds(m, SCENES[1:]), says.metric)


def _steadier_in_the_chain(label: str) -> Statement:
    text = f"{label} steadier in the chain than in meshes"
    return Statement(text, lambda m, _: all(m[label, CHAIN] < m[label, x] for x in SCENES[1:]))


STEADINESS = Study(
    "s002-steadiness",
    "steadiness, fairness and losses in the chain and in meshes",
    "scene",
    SCENES,
    _scene,
    THREE,
    (
        Figure("S002-claim-7", "deviation", (*(_at(CHAIN, says) for says in STEADIER),)),
        Figure("S002-claim-8", "throughput", tuple(_at(MESH, says) for says in (*MORE, *FAIRER))),
        Figure(
            "S002-claim-9",
            "deviation",
            (_steadier_in_the_chain("XCP"), _steadier_in_the_chain("RCP")),
        ),
        Figure("S002-claim-1", "throughput", tuple(map(_in_meshes, (*MORE, *FAIRER, *STEADIER)))),
        Figure("S002-claim-11", "jain", tuple(map(_in_meshes, (*FAIRER, *STEADIER)))),
        Figure(
            "S002-claim-13",
            "lost",
            (
                _in_meshes(below("TCP", "XCP", "TCP loses a smaller share than XCP")),
                _in_meshes(below("TCP", "RCP", "TCP loses a smaller share than RCP")),
                _in_meshes(below("TCP", "XCP", "fewer attempts collide than with XCP", "collided")),
                _in_meshes(below("TCP", "RCP", "fewer attempts collide than with RCP", "collided")),
            ),
        ),
    ),
    seeds=10,
    seconds=60,
    quick_places=SCENES,
    quick_seeds=5,
    quick_seconds=40,
    bin_s=1.0,
    notes=CAPACITY_NOTE,
)

QUEUES = (5, 10, 25, 50, 100)


def _better_with_small_queues(label: str) -> tuple[Statement, ...]:
    return (
        Statement(f"{label} is steadier with 5 than with 50", lambda m, _: m[label, 5] < m[label, 50]),
        Statement(f"{label} is fairer", lambda m, _: m[label, 5] > m[label, 50], "jain"),
    )


SMALL_QUEUES = Study(
    "s002-queues",
    "queue limits of all nodes, five mesh nodes and five mobiles",
    "packets",
    QUEUES,
    lambda x, seed, seconds: worlds.with_queues(_mesh(5, seed, seconds), int(x)),
    (XCP, RCP),
    (
        Figure(
            "S002-claim-16",
            "deviation",
            (*_better_with_small_queues("XCP"), *_better_with_small_queues("RCP")),
        ),
    ),
    seeds=10,
    seconds=60,
    quick_places=QUEUES,
    quick_seeds=8,
    quick_seconds=40,
    notes=f"{CAPACITY_NOTE} Precise feedback is taken as steady and fair rates.",
)

FLOWS = (1, 2, 4, 8)

JITTER = Study(
    "s002-jitter",
    "round-trip times over one radio hop while flows come, one every five seconds",
    "flows",
    FLOWS,
    lambda x, _, seconds: worlds.arrivals(int(x), seconds),
    THREE,
    (
        Figure(
            "S002-claim-4",
            "jitter",
            (
                Statement(
                    "RCP's round-trip times vary more with eight flows than with one",
                    lambda m, _: m["RCP", 8] > 1.5 * m["RCP", 1],
                ),
                Statement("and more than XCP's", lambda m, _: m["RCP", 8] > m["XCP", 8]),
                Statement("and its queue more than XCP's", lambda m, _: m["RCP", 8] > m["XCP", 8], "queue_deviation"),
            ),
        ),
    ),
    seeds=10,
    seconds=60,
    quick_places=FLOWS,
    quick_seeds=2,
    quick_seconds=60,
    bin_s=0.2,
    notes=CAPACITY_NOTE,
)

STUDIES = (JITTER, CHAIN_SERIES, MESH_SERIES, STEADINESS, SMALL_QUEUES)
"""In the order of the paper."""
