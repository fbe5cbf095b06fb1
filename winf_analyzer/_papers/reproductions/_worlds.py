"""Worlds of the studies: the named topologies in the setting of ns-2, as the papers ran them."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

from winf_analyzer._replay import topologies
from winf_analyzer._replay.topologies import world as w
from winf_analyzer._replay.topologies.world import World

NS2_MAC: dict[str, Any] = {
    "preset": "802.11b",
    "eifs": "sensed",
    "access": "always_back_off",
    "nav_reset": False,
    "late_capture": False,
}
"""ns-2's 802.11: EIFS after every frame that is sensed only, a backoff before every packet, no late capture."""

RTS: dict[str, Any] = {**NS2_MAC, "rts_threshold_bytes": 0}
"""The same with RTS/CTS, which rt-Winf's formulas need."""

G711_BPS, G711_BYTES = 64_000, 160
"""A voice codec where a paper says "VoIP" without one: 160 bytes every 20 ms."""


def in_ns2(world: World, mac: dict[str, Any], queue_packets: int, seconds: float) -> World:
    """The world with ns-2's MAC, one queue for all links of a radio, and so many seconds."""
    nodes = [
        {**node, "interface_queue": {"packets": queue_packets}} if "position_m" in node else node
        for node in world["nodes"]
    ]
    return {**world, "nodes": nodes, "mac": mac, "duration_ns": round(seconds * w.SECOND)}


def mesh(
    mesh: int, mobiles: int, seed: int, seconds: float, *, side_m: int, payload: int, mac: dict[str, Any]
) -> World:
    """A mesh with mobiles, each of which has a greedy flow to the next."""
    asked = f"mesh_mobiles:mesh={mesh},mobiles={mobiles},seed={seed},area_m={side_m},seconds={round(seconds)}"
    world = topologies.build(asked)
    flows = [{**flow, "payload_bytes": payload} for flow in world["flows"]]
    return in_ns2({**world, "flows": flows}, mac, 50, seconds)


def voice_mesh(mobiles: int, seed: int, seconds: float) -> World:
    """S000's mesh of 16 with a voice call of G.711 from every mobile to the next."""
    world = mesh(16, mobiles, seed, seconds, side_m=1000, payload=G711_BYTES, mac=RTS)
    source = {"cbr": {"rate_bps": G711_BPS}}
    return {**world, "flows": [{**flow, "source": source} for flow in world["flows"]]}


def building(mobiles: int, heavy: bool, fastest: int, seed: int, seconds: float) -> World:
    """S000's building; where a run is shorter than 600 s the mesh node is out for a sixth of it."""
    span = round(seconds)
    asked = f"building:mobiles={mobiles},heavy={int(heavy)},max_speed={fastest},seed={seed}"
    return in_ns2(topologies.build(f"{asked},seconds={span},down_s={span // 6}"), RTS, 50, seconds)


def chain(hops: int, seconds: float) -> World:
    """S004's chain."""
    return in_ns2(topologies.build(f"chain:{hops}"), NS2_MAC, 25, seconds)


def neighbourhood(name: str, seconds: float) -> World:
    """A topology of S003, whose queues mark by their average as its TCP wants it."""
    world = topologies.build(name)
    marks = {"mark_from_packets": 4, "mark_average_weight": 0.02}
    links = [{**link, "queue": {**link["queue"], **marks}} for link in world["links"]]
    return {**world, "links": links, "duration_ns": round(seconds * w.SECOND)}


def base_station_chain(seed: int, seconds: float, nodes: int = 4) -> World:
    """S002 fig. 3: a base station and fixed nodes 200 m apart in a line, all of which talk to each other.

    The number of nodes is in the figure only; four fixed nodes are taken. Every ordered pair has a greedy flow that
    starts in the first second at a random time.
    """
    names = ["base", *(f"node_{number}" for number in range(nodes))]
    rng = random.Random(seed)  # noqa: S311 (a simulation's randomness)
    flows = []
    for a, start in enumerate(names):
        for b, end in enumerate(names):
            if a != b:
                path = names[a : b + 1] if a < b else names[b : a + 1][::-1]
                flow = w.flow(f"{start} to {end}", path, payload_bytes=1400, start_s=rng.uniform(0, 1))
                flows.append(flow)
    world = w.world(
        "base_station_chain",
        seconds,
        nodes=[{"name": name, "position_m": [200.0 * place, 0.0]} for place, name in enumerate(names)],
        links=[w.wireless(a, b) for a, b in pairwise(names)],
        flows=flows,
        hearing={"range": {"decode_m": 250.0, "sense_m": 500.0, "corrupt_m": 500.0, "capture_db": 10.0}},
        mac=NS2_MAC,
    )
    return in_ns2(world, NS2_MAC, 50, seconds)
