"""Worlds of the studies as the engine reads them: plain JSON objects."""

from __future__ import annotations

import math
import random
from collections import deque
from itertools import pairwise, permutations
from typing import Any

from benchmarks.replay.dumbbells import Dumbbell

Json = dict[str, Any]
Place = tuple[float, float]

SECOND_NS = 10**9
DECODE_M = 250.0
SENSE_M = 550.0
# ns-2's MAC: EIFS after every frame that is sensed only, a backoff before every packet, capture at 10 dB.
NS2_MAC: Json = {"preset": "802.11b", "eifs": "sensed", "access": "always_back_off", "nav_reset": False}


def ns(seconds: float) -> int:
    """Nanoseconds."""
    return round(seconds * SECOND_NS)


def world(name: str, seconds: float, nodes: list[Json], links: list[Json], flows: list[Json], **other: Any) -> Json:
    """A world with bins of 100 ms unless ``other`` says otherwise."""
    return {"name": name, "duration_ns": ns(seconds), "nodes": nodes, "links": links, "flows": flows, **other}


def wire(a: str, b: str, mbps: float, delay_ms: float, queue_packets: int) -> Json:
    """A wire both ways."""
    medium = {"wired": {"rate_bps": round(mbps * 1e6), "delay_ns": round(delay_ms * 1e6)}}
    return {"from": a, "to": b, "duplex": True, "medium": medium, "queue": {"packets": queue_packets}}


def radio(a: str, b: str, mbps: float, queue_packets: int) -> Json:
    """A wireless link both ways."""
    medium = {"wireless": {"rate_bps": round(mbps * 1e6)}}
    return {"from": a, "to": b, "duplex": True, "medium": medium, "queue": {"packets": queue_packets}}


def flow(name: str, path: list[str], payload_bytes: int, start_s: float = 0.0, **other: Any) -> Json:
    """A greedy flow; ``other`` replaces defaults."""
    return {"name": name, "path": path, "payload_bytes": payload_bytes, "start_ns": ns(start_s), **other}


def transport(**other: Any) -> Json:
    """A transport whose receiver never limits the window."""
    return {"receive_window_bytes": 1 << 24, "initial_window_segments": 2, **other}


def by_distance() -> Json:
    """ns-2's ranges, and capture at 10 dB."""
    return {"range": {"decode_m": DECODE_M, "sense_m": SENSE_M, "capture_db": 10.0}}


def dumbbell(setting: Dumbbell) -> Json:
    """The world of one comparison with ns-2."""
    nodes, links, flows = [{"name": "left"}, {"name": "right"}], [], []
    links.append(wire("left", "right", setting.rate_mbps, setting.delay_ms, setting.queue_packets))
    for number, access_ms in enumerate(setting.access_ms):
        source, target = f"source-{number}", f"target-{number}"
        nodes += [{"name": source}, {"name": target}]
        links.append(wire(source, "left", 100, access_ms, setting.queue_packets))
        links.append(wire("right", target, 100, 1, setting.queue_packets))
        path = [source, "left", "right", target]
        flows.append(flow(str(number), path, 1000, number * setting.spacing_s, transport=transport()))
    return world(setting.name, setting.stop_s, nodes, links, flows)


def chain(hops: int, seconds: float) -> Json:
    """S004 fig. 2: a line of nodes 200 m apart, one flow from end to end, queues of 25 packets."""
    names = [f"n{place}" for place in range(hops + 1)]
    nodes = [{"name": name, "position_m": [200.0 * place, 0.0]} for place, name in enumerate(names)]
    links = [radio(a, b, 11, 25) for a, b in pairwise(names)]
    slow = transport(maximum_timeout_ns=ns(2), sack=False)
    flows = [flow("flow", names, 1300, transport=slow)]
    return world(f"chain-{hops}", seconds, nodes, links, flows, mac=NS2_MAC, hearing=by_distance())


def mesh_access(seconds: float, hops: int = 3) -> Json:
    """S004 fig. 5, as far as the text tells: three branches of groups of three stations around a base station.

    Group k of a branch is k hops away, each of its stations behind one of group k - 1; its flows start at 20 (k - 1) s.
    With ``hops`` = 1 all groups of a branch are next to the base station, and flows start at the same instants.
    """
    nodes: list[Json] = [{"name": "R"}, {"name": "BS", "position_m": [0.0, 0.0]}]
    links, flows = [wire("R", "BS", 1000, 1, 1000)], []
    for branch, (x, y) in {"T": (0, 1), "B": (0, -1), "R": (1, 0)}.items():
        for group in (1, 2, 3):
            for station in (1, 2, 3):
                name, host = f"{branch}{group}-{station}", f"N-{branch}{group}-{station}"
                along, across = 200.0 * min(group, hops), 40.0 * (station - 2) + (10.0 * group if hops == 1 else 0.0)
                nodes += [{"name": name, "position_m": [along * x + across * y, along * y + across * x]}]
                nodes += [{"name": host}]
                links.append(wire(host, "R", 100, 50, 1000))
                behind = [f"{branch}{nearer}-{station}" for nearer in range(1, group)] if hops > 1 else []
                links.append(radio((["BS", *behind])[-1], name, 22, 50))
                slow = transport(maximum_timeout_ns=ns(2), sack=False)
                path = [host, "R", "BS", *behind, name]
                flows.append(flow(name, path, 1300, 20.0 * (group - 1), transport=slow))
    mac = {**NS2_MAC, "control_rate_bps": 2_000_000}
    return world(f"mesh-access-{hops}", seconds, nodes, links, flows, mac=mac, hearing=by_distance())


def mobile_mesh(mobiles: int, seconds: float, seed: int, source: Any = "greedy") -> Json:
    """S000 sec. 5: a grid of 16 mesh nodes 240 m apart on 1000 m by 1000 m, mobiles at 10 to 30 m/s.

    Each mobile is both source and sink of a flow of 1500-byte packets.
    """
    places = [(140.0 + 240.0 * (k % 4), 140.0 + 240.0 * (k // 4)) for k in range(16)]
    return _moving("mesh", places, mobiles, mobiles, 1000.0, (10.0, 30.0), seconds, seed, source)


def building(mobiles: int, flows: int, seconds: float, seed: int, fastest: float, source: Any) -> Json:
    """S000 table 1: 400 m by 400 m, six mesh nodes at random places, one of them off for a sixth of the time."""
    chance = random.Random(seed)
    places = [(chance.uniform(0, 400.0), chance.uniform(0, 400.0)) for _ in range(6)]
    off = (f"mesh-{chance.randrange(6)}", seconds / 2, seconds * 2 / 3)
    return _moving("building", places, mobiles, flows, 400.0, (min(1.0, fastest), fastest), seconds, seed, source, off)


def _moving(
    name: str,
    fixed: list[Place],
    mobiles: int,
    count: int,
    side: float,
    speeds: tuple[float, float],
    seconds: float,
    seed: int,
    source: Any,
    off: tuple[str, float, float] | None = None,
) -> Json:
    chance = random.Random(1000 + seed)
    tracks = {f"mesh-{k}": [(0.0, place)] for k, place in enumerate(fixed)}
    roaming = [f"mobile-{k}" for k in range(mobiles)]
    tracks |= {mobile: _random_waypoints(chance, side, speeds, seconds) for mobile in roaming}
    shown = {node: [_at(track, second) for second in range(math.ceil(seconds) + 1)] for node, track in tracks.items()}
    neighbours = [_neighbours(shown, second) for second in range(math.ceil(seconds) + 1)]
    if off:
        node, start, end = off
        for second in range(math.ceil(start), math.ceil(end)):
            neighbours[second] = {a: set() if a == node else near - {node} for a, near in neighbours[second].items()}
    pairs = sorted({tuple(sorted((a, b))) for now in neighbours for a in now for b in now[a]})
    flows = []
    for number in range(count):
        ends = (roaming[number % mobiles], roaming[(number + 1) % mobiles])
        flows.append(_routed(f"{number}", ends, neighbours, source))
        pairs += [pair for pair in _hops(flows[-1]) if pair not in pairs]
    nodes = [_node(node, track) for node, track in tracks.items()]
    links = [radio(a, b, 11, 50) for a, b in pairs]
    mac = {**NS2_MAC, "rts_threshold_bytes": 0}
    return world(f"{name}-{mobiles}", seconds, nodes, links, flows, mac=mac, hearing=by_distance())


def _node(name: str, track: list[tuple[float, Place]]) -> Json:
    waypoints = [{"at_ns": ns(at), "position_m": list(place)} for at, place in track]
    node: Json = {"name": name, "position_m": list(track[0][1]), "interface_queue": {"packets": 50}}
    return node | ({"waypoints": waypoints} if len(track) > 1 else {})


def _random_waypoints(
    chance: random.Random, side: float, speeds: tuple[float, float], seconds: float
) -> list[tuple[float, Place]]:
    at, place = 0.0, (chance.uniform(0, side), chance.uniform(0, side))
    track = [(at, place)]
    while at < seconds:
        target, speed = (chance.uniform(0, side), chance.uniform(0, side)), chance.uniform(*speeds)
        at += max(math.dist(place, target) / speed, 0.001) if speed > 0 else seconds
        place = target if speed > 0 else place
        track.append((at, place))
    return track


def _at(track: list[tuple[float, Place]], second: float) -> Place:
    for (before, a), (after, b) in pairwise(track):
        if before <= second <= after:
            share = (second - before) / (after - before)
            return (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]))
    return track[-1][1]


def _neighbours(shown: dict[str, list[Place]], second: int) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {node: set() for node in shown}
    for a, b in permutations(shown, 2):
        if math.dist(shown[a][second], shown[b][second]) <= DECODE_M:
            found[a].add(b)
    return found


def _routed(name: str, ends: tuple[str, str], neighbours: list[dict[str, set[str]]], source: Any) -> Json:
    """A flow on a shortest path that is kept while it holds; looked at every second, as if routing knew."""
    path: list[str] | None = None
    first, reroutes = None, []
    for second, now in enumerate(neighbours):
        if path and all(b in now[a] for a, b in pairwise(path)):
            continue
        found = _shortest(now, *ends)
        if found is None or found == path:
            continue
        path = found
        if first is None:
            first = path
        else:
            reroutes.append({"at_ns": ns(second), "path": path})
    if first is None:
        first = list(ends)
    return flow(name, first, 1460, source=source, reroutes=reroutes, transport=transport())


def _hops(made: Json) -> list[tuple[str, ...]]:
    paths = [made["path"], *(reroute["path"] for reroute in made["reroutes"])]
    return [tuple(sorted(hop)) for path in paths for hop in pairwise(path)]


def _shortest(neighbours: dict[str, set[str]], start: str, end: str) -> list[str] | None:
    came_from, waiting = {start: start}, deque([start])
    while waiting:
        here = waiting.popleft()
        if here == end:
            path = [end]
            while path[-1] != start:
                path.append(came_from[path[-1]])
            return path[::-1]
        for there in sorted(neighbours[here] - came_from.keys()):
            came_from[there] = here
            waiting.append(there)
    return None
