"""Mesh networks with mobile nodes: S002 (Barreto, Sargento: TCP, XCP and RCP in wireless mesh networks) and S000.

802.11b without RTS/CTS, transmission range 250 m, interference range 500 m. Mobiles follow the random waypoint model
(what ns-2's setdest draws). DSDV is stood in for by shortest paths, looked at every second: no routing packets.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

from winf_analyzer._replay.topologies import world as w
from winf_analyzer._replay.topologies.world import at_least

RANGE_M = 250.0
HEARING = {"range": {"decode_m": RANGE_M, "sense_m": 500.0, "corrupt_m": 500.0, "capture_db": 10.0}}
Place = tuple[float, float]
Track = list[tuple[float, Place]]


def mesh_mobiles(mesh: int = 16, mobiles: int = 5, seed: int = 1, area_m: int = 800, seconds: int = 300) -> w.World:
    """A grid of 5, 9, 12 or 16 mesh nodes and 3 to 7 mobiles at 10 to 30 m/s; every mobile sends to the next, greedily.

    1440-byte packets (S002). S000 uses an area of 1000 m and 1500 bytes.
    """
    at_least(mesh=(mesh, 1), mobiles=(mobiles, 2), seconds=(seconds, 1))
    draw = random.Random(seed)  # noqa: S311 (a simulation's randomness)
    fixed = _grid(mesh, float(area_m))
    tracks = [_waypoints(draw, float(area_m), 10.0, 30.0, seconds) for _ in range(mobiles)]
    flows = [(f"flow-{index}", f"mobile-{index}", f"mobile-{(index + 1) % mobiles}") for index in range(mobiles)]

    def declare(name: str, path: list[str]) -> dict[str, Any]:
        return w.flow(name, path, payload_bytes=1400)

    return _moving(f"mesh_mobiles:mesh={mesh},mobiles={mobiles},seed={seed}", seconds, fixed, tracks, flows, declare)


def building(
    mobiles: int = 10, heavy: int = 0, max_speed: int = 30, seed: int = 1, seconds: int = 600, down_s: int = 100
) -> w.World:
    """S000's public building: 400 m square, six mesh nodes at random places, four flows per mobile and 240 s.

    A flow offers 64 kbit/s in light, 128 kbit/s in heavy traffic; where the paper's table gives both a rate and a
    period, the rate is taken. A mesh node drawn at random is out of use for `down_s` seconds: nothing is routed over
    it.
    """
    at_least(mobiles=(mobiles, 2), seconds=(seconds, 1))
    draw = random.Random(seed)  # noqa: S311 (a simulation's randomness)
    side = 400.0
    fixed = {f"mesh-{index}": (draw.uniform(0, side), draw.uniform(0, side)) for index in range(6)}
    tracks = [_waypoints(draw, side, 1.0, float(max_speed), seconds) for _ in range(mobiles)]
    down = f"mesh-{draw.randrange(6)}"
    down_from = draw.uniform(0, max(1.0, seconds - down_s))
    rate_bps = 128_000 if heavy else 64_000
    flows, starts = [], {}
    for mobile in range(mobiles):
        for number in range(4):
            name = f"flow-{mobile}.{number}"
            to = draw.choice([other for other in range(mobiles) if other != mobile])
            flows.append((name, f"mobile-{mobile}", f"mobile-{to}"))
            starts[name] = draw.uniform(0, max(1.0, seconds - 240.0))

    def declare(name: str, path: list[str]) -> dict[str, Any]:
        stop_s = min(float(seconds), starts[name] + 240.0)
        declared = w.flow(name, path, payload_bytes=1460, start_s=starts[name], stop_s=stop_s)
        return declared | {"source": {"cbr": {"rate_bps": rate_bps}}}

    name = f"building:mobiles={mobiles},heavy={heavy},max_speed={max_speed},seed={seed}"
    return _moving(
        name, seconds, fixed, tracks, flows, declare, lambda at: {down} if 0 <= at - down_from < down_s else set()
    )


def _moving(
    name: str,
    seconds: int,
    fixed: dict[str, Place],
    tracks: list[Track],
    ends: list[tuple[str, str, str]],
    declare: Callable[[str, list[str]], dict[str, Any]],
    out_of_use: Callable[[float], set[str]] = lambda _: set(),
) -> w.World:
    """The world of fixed nodes and tracks; flows follow the shortest path of every second."""
    paths = _paths(seconds, fixed, tracks, ends, out_of_use)
    used = {tuple(sorted(hop)) for way in paths.values() for _, path in way for hop in pairwise(path)}
    flows = []
    for flow_name, _, _ in ends:
        way = paths[flow_name]
        declared = declare(flow_name, way[0][1])
        if len(way) > 1:
            declared["reroutes"] = [{"at_ns": second * w.SECOND, "path": path} for second, path in way[1:]]
        flows.append(declared)
    return w.world(
        name,
        float(seconds),
        nodes=[
            *({"name": node, "position_m": list(place)} for node, place in fixed.items()),
            *(
                {
                    "name": f"mobile-{index}",
                    "position_m": list(track[0][1]),
                    "waypoints": [{"at_ns": round(at * w.SECOND), "position_m": list(place)} for at, place in track],
                }
                for index, track in enumerate(tracks)
            ),
        ],
        links=[w.wireless(a, b) for a, b in sorted(used)],
        flows=flows,
        hearing=HEARING,
        mac=w.DOT11B,
    )


def _paths(
    seconds: int,
    fixed: dict[str, Place],
    tracks: list[Track],
    ends: list[tuple[str, str, str]],
    out_of_use: Callable[[float], set[str]],
) -> dict[str, list[tuple[int, list[str]]]]:
    """Per flow its paths and the second each begins at; where there is none, the last one stays."""
    paths: dict[str, list[tuple[int, list[str]]]] = {flow: [] for flow, _, _ in ends}
    for second in range(seconds):
        places = fixed | {f"mobile-{index}": _where(track, float(second)) for index, track in enumerate(tracks)}
        dead = out_of_use(float(second))
        near = {
            a: [b for b in places if a != b and math.dist(places[a], places[b]) <= RANGE_M]
            for a in places
            if a not in dead
        }
        for flow, source, destination in ends:
            path = _shortest(near, source, destination, dead) or ([source, destination] if second == 0 else None)
            if path and (not paths[flow] or paths[flow][-1][1] != path):
                paths[flow].append((second, path))
    return paths


def _shortest(near: dict[str, list[str]], source: str, destination: str, dead: Iterable[str]) -> list[str] | None:
    """A path with the fewest hops (breadth first, in the order of the nodes)."""
    before: dict[str, str | None] = {source: None, **dict.fromkeys(dead)}
    queue = deque([source])
    while queue:
        node = queue.popleft()
        if node == destination:
            path = [node]
            while (previous := before[path[0]]) is not None:
                path.insert(0, previous)
            return path
        for neighbour in near.get(node, ()):
            if neighbour not in before:
                before[neighbour] = node
                queue.append(neighbour)
    return None


def _waypoints(draw: random.Random, side: float, slowest: float, fastest: float, seconds: int) -> Track:
    """Random waypoints without pauses until `seconds`; standing still where `fastest` is 0."""
    at, place = 0.0, (draw.uniform(0, side), draw.uniform(0, side))
    track: Track = [(at, place)]
    while fastest > 0 and at < seconds:
        target = (draw.uniform(0, side), draw.uniform(0, side))
        at += max(math.dist(place, target), 1e-3) / draw.uniform(min(slowest, fastest), fastest)
        place = target
        track.append((at, place))
    return track


def _where(track: Track, at: float) -> Place:
    for (begin, start), (end, target) in pairwise(track):
        if begin <= at < end:
            share = (at - begin) / (end - begin)
            return (start[0] + share * (target[0] - start[0]), start[1] + share * (target[1] - start[1]))
    return track[-1][1]


def _grid(count: int, side: float) -> dict[str, Place]:
    """Mesh nodes 200 m apart around the middle of the area; five stand as on a die."""
    if count == 5:
        offsets = [(-1.0, -1.0), (1.0, -1.0), (0.0, 0.0), (-1.0, 1.0), (1.0, 1.0)]
        return {f"mesh-{i}": (side / 2 + 141.0 * x, side / 2 + 141.0 * y) for i, (x, y) in enumerate(offsets)}
    columns = math.ceil(count**0.5)
    rows = math.ceil(count / columns)
    left, top = side / 2 - 100.0 * (columns - 1), side / 2 - 100.0 * (rows - 1)
    return {f"mesh-{i}": (left + 200.0 * (i % columns), top + 200.0 * (i // columns)) for i in range(count)}
