"""Worlds that stand in for the testbed of S003 sec. V, which has 802.11b radios at 11 Mbit/s without RTS/CTS."""

from __future__ import annotations

import random
from collections import deque
from itertools import combinations, pairwise
from math import dist
from typing import Any

from winf_analyzer._papers.reproductions._worlds import FREE, neighbourhood
from winf_analyzer._replay.topologies import world as w
from winf_analyzer._replay.topologies.world import World

LOSS = 0.05
"""Of an attempt: the testbed's links lost less than 10 % of their packets."""

TRANSPORT = {"sack": True, "ecn": True, "receive_window_bytes": 2048 * 512}
"""As in the simulations, with receiver buffers of 2048 packets."""

NODES, FLOWS = 14, 5
SIDE, RANGE = 3.0, 1.0
"""A floor three ranges wide: paths have up to five hops, as antennas in foil made the paper's."""


def stack_without_rts(seconds: float) -> World:
    """Stack as it was built there."""
    return _as_built(neighbourhood(f"stack:loss={LOSS}", seconds))


def stack_at_rate(kbps: float, seconds: float) -> World:
    """The same, whose flows send at one rate."""
    world = stack_without_rts(seconds)
    source = {"source": {"cbr": {"rate_bps": round(1e3 * kbps)}}}
    return {**world, "flows": [{**flow, **source} for flow in world["flows"]]}


def fourteen_nodes(number: int, seconds: float) -> World:
    """Nodes at random places that form one network, and flows over two hops or more between distinct ends."""
    rng = random.Random(number)  # noqa: S311 (a simulation's randomness)
    while True:
        places = {str(node): (rng.uniform(0, SIDE), rng.uniform(0, SIDE)) for node in range(1, NODES + 1)}
        near = [(a, b) for a, b in combinations(places, 2) if dist(places[a], places[b]) <= RANGE]
        paths = _paths(list(places), near, rng)
        if len(paths) == FLOWS:
            break
    used = sorted({tuple(sorted(hop)) for path in paths for hop in pairwise(path)})
    world = w.world(
        f"fourteen_nodes_{number}",
        seconds,
        nodes=w.nodes(places),
        links=[_link(a, b) for a, b in used],
        flows=[w.flow(f"{path[0]}-{path[-1]}", path, payload_bytes=512) for path in paths],
        hearing=w.hearing_graph(near),
        mac=w.DOT11B,
    )
    return _as_built({**world, **FREE})


def _link(a: str, b: str) -> dict[str, Any]:
    link = w.wireless(a, b, queue=64, loss=LOSS)
    return {**link, "queue": {**link["queue"], "mark_from_packets": 4, "mark_average_weight": 0.02}}


def _as_built(world: World) -> World:
    return {**world, "mac": w.DOT11B, "flows": [{**flow, "transport": TRANSPORT} for flow in world["flows"]]}


def _paths(names: list[str], near: list[tuple[str, str]], rng: random.Random) -> list[list[str]]:
    """Shortest paths of at least two hops between ends that no other flow has."""
    free = list(names)
    paths: list[list[str]] = []
    rng.shuffle(free)
    for source in names:
        if source not in free or len(paths) == FLOWS:
            continue
        reached = _reached(source, near)
        if len(reached) < len(names):
            return []
        far = [name for name in free if len(reached[name]) > 2]
        if far:
            paths.append(reached[far[0]])
            free = [name for name in free if name not in (source, far[0])]
    return paths


def _reached(source: str, near: list[tuple[str, str]]) -> dict[str, list[str]]:
    """A shortest path to every node that can be reached."""
    neighbours: dict[str, list[str]] = {}
    for a, b in near:
        neighbours.setdefault(a, []).append(b)
        neighbours.setdefault(b, []).append(a)
    found, waiting = {source: [source]}, deque([source])
    while waiting:
        node = waiting.popleft()
        for other in neighbours.get(node, ()):
            if other not in found:
                found[other] = [*found[node], other]
                waiting.append(other)
    return found
