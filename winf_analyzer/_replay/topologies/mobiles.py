"""Mesh networks with mobile nodes: S002 (Barreto, Sargento: TCP, XCP and RCP in wireless mesh networks) and S000.

802.11b without RTS/CTS, transmission range 250 m, interference range 500 m. Mobiles follow the random waypoint model
(as ns-2's setdest). Routes are shortest paths, updated every second, without routing packets. With `dsdv=1` they are
those of DSDV, worked out from positions alone (:mod:`.dsdv`): messages take airtime, and each node in range misses
`dsdv_loss` of them. With `dsdv=2` nodes run DSDV: messages contend, wait and collide, and there are no routes at first.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

from winf_analyzer._replay.topologies import dsdv as dsdv_routing
from winf_analyzer._replay.topologies import world as w
from winf_analyzer._replay.topologies.world import require_at_least, require_size

RANGE_M = 250.0
AUDIBILITY = {"range": {"decode_m": RANGE_M, "sense_m": 500.0, "corrupt_m": 500.0, "capture_db": 10.0}}
Position = tuple[float, float]
Track = list[tuple[float, Position]]

MARGIN_M = 60.0
"""How much nearer two nodes may come, or farther apart be, between two looks at their positions a second apart."""

MAX_ROUTES = 20_000_000
"""Pairs of nodes times seconds: links and routes are worked out for each second."""


def mesh_mobiles(
    mesh: int = 16,
    mobiles: int = 5,
    seed: int = 1,
    area_m: int = 800,
    seconds: int = 300,
    dsdv: int = 0,
    dsdv_loss: float = 0.0,
) -> w.World:
    """A grid of 5, 9, 12 or 16 mesh nodes and 3 to 7 mobiles at 10 to 30 m/s; every mobile has a bulk flow to the next.

    1440-byte packets (S002). S000 uses an area of 1000 m and 1500 bytes.
    """
    require_at_least(mesh=(mesh, 1), mobiles=(mobiles, 2), seconds=(seconds, 1))
    _require_size(mesh, mobiles, seconds)
    rng = random.Random(seed)  # noqa: S311 (a simulation's randomness)
    mesh_positions = _grid(mesh, float(area_m))
    tracks = [_waypoints(rng, float(area_m), 10.0, 30.0, seconds) for _ in range(mobiles)]
    flows = [(f"flow-{index}", f"mobile-{index}", f"mobile-{(index + 1) % mobiles}") for index in range(mobiles)]

    def declare(name: str, path: list[str]) -> dict[str, Any]:
        return w.flow(name, path, payload_bytes=1400)

    name = f"mesh_mobiles:mesh={mesh},mobiles={mobiles},seed={seed}"
    return _mobile_world(name, seconds, mesh_positions, tracks, flows, declare, routing=_Routing(dsdv, seed, dsdv_loss))


def building(
    mobiles: int = 10,
    heavy: int = 0,
    max_speed: int = 30,
    seed: int = 1,
    seconds: int = 600,
    down_s: int = 100,
    dsdv: int = 0,
    dsdv_loss: float = 0.0,
) -> w.World:
    """S000's public building: 400 m square, six mesh nodes at random places, four flows per mobile and 240 s.

    A flow offers 64 kbit/s in light, 128 kbit/s in heavy traffic; if the paper's table gives both a rate and a period,
    the rate is used. A random mesh node is out of service for `down_s` seconds: nothing is routed over it.
    """
    require_at_least(mobiles=(mobiles, 2), seconds=(seconds, 1))
    _require_size(6, mobiles, seconds)
    rng = random.Random(seed)  # noqa: S311 (a simulation's randomness)
    side = 400.0
    mesh_positions = {f"mesh-{index}": (rng.uniform(0, side), rng.uniform(0, side)) for index in range(6)}
    tracks = [_waypoints(rng, side, 1.0, float(max_speed), seconds) for _ in range(mobiles)]
    down = f"mesh-{rng.randrange(6)}"
    down_from = rng.uniform(0, max(1.0, seconds - down_s))
    rate_bps = 128_000 if heavy else 64_000
    flows, starts = [], {}
    for mobile in range(mobiles):
        for number in range(4):
            name = f"flow-{mobile}.{number}"
            to = rng.choice([other for other in range(mobiles) if other != mobile])
            flows.append((name, f"mobile-{mobile}", f"mobile-{to}"))
            starts[name] = rng.uniform(0, max(1.0, seconds - 240.0))

    def declare(name: str, path: list[str]) -> dict[str, Any]:
        stop_s = min(float(seconds), starts[name] + 240.0)
        declared = w.flow(name, path, payload_bytes=1460, start_s=starts[name], stop_s=stop_s)
        return declared | {"source": {"cbr": {"rate_bps": rate_bps}}}

    name = f"building:mobiles={mobiles},heavy={heavy},max_speed={max_speed},seed={seed}"
    return _mobile_world(
        name,
        seconds,
        mesh_positions,
        tracks,
        flows,
        declare,
        (down, down_from, down_from + down_s),
        routing=_Routing(dsdv, seed, dsdv_loss),
    )


def ad_hoc(
    nodes: int = 8,
    flows: int = 4,
    seed: int = 1,
    seconds: int = 300,
    neighbours: int = 8,
    dsdv: int = 0,
    dsdv_loss: float = 0.0,
) -> w.World:
    """S000's ad hoc network: mobiles alone at 10 to 30 m/s, CBR flows of 64 kbit/s between random pairs.

    The density is not printed: the area is such that a mobile has so many `neighbours` in the mean.
    """
    require_at_least(nodes=(nodes, 2), flows=(flows, 1), seconds=(seconds, 1), neighbours=(neighbours, 1))
    _require_size(0, nodes, seconds)
    require_size(flows=flows)
    rng = random.Random(seed)  # noqa: S311 (a simulation's randomness)
    side = math.sqrt(nodes * math.pi * RANGE_M**2 / (neighbours + 1))
    tracks = [_waypoints(rng, side, 10.0, 30.0, seconds) for _ in range(nodes)]
    pairs = [rng.sample(range(nodes), 2) for _ in range(flows)]
    ends = [(f"flow-{number}", f"mobile-{a}", f"mobile-{b}") for number, (a, b) in enumerate(pairs)]
    starts = {name: rng.uniform(0, 1) for name, _, _ in ends}

    def declare(name: str, path: list[str]) -> dict[str, Any]:
        return w.flow(name, path, payload_bytes=1460, start_s=starts[name]) | {"source": {"cbr": {"rate_bps": 64_000}}}

    name = f"ad_hoc:nodes={nodes},flows={flows},seed={seed}"
    return _mobile_world(name, seconds, {}, tracks, ends, declare, routing=_Routing(dsdv, seed, dsdv_loss))


def _require_size(mesh: int, mobiles: int, seconds: int) -> None:
    nodes = mesh + mobiles
    require_size(nodes=nodes)
    if nodes * nodes * seconds > MAX_ROUTES:
        raise ValueError(f"{nodes} nodes that move for {seconds} s are too many to work out their routes")


@dataclass(frozen=True)
class _Routing:
    """Which routes there are: 0 shortest paths, 1 those of DSDV before the run, 2 those that nodes find in the run."""

    dsdv: int
    seed: int
    loss: float
    """Of DSDV before the run: the probability that a node misses a message."""

    def __post_init__(self) -> None:
        if self.dsdv not in (0, 1, 2):
            raise ValueError(f"dsdv must be 0, 1 or 2, not {self.dsdv}")
        if not 0 <= self.loss < 1:
            raise ValueError(f"dsdv_loss must be at least 0 and below 1, not {self.loss:g}")
        if self.loss and self.dsdv == 2:
            raise ValueError("dsdv_loss is for dsdv=1; with dsdv=2 messages are lost in the run")


Outage = tuple[str, float, float]
"""A node that is out of service, from when and until when."""


def _mobile_world(
    name: str,
    seconds: int,
    mesh_positions: dict[str, Position],
    tracks: list[Track],
    ends: list[tuple[str, str, str]],
    declare: Callable[[str, list[str]], dict[str, Any]],
    outage: Outage | None = None,
    *,
    routing: _Routing,
) -> w.World:
    """The world of mesh nodes and mobiles."""
    positions_at = _positions(mesh_positions, tracks)
    nodes = [
        *({"name": node, "position_m": list(position)} for node, position in mesh_positions.items()),
        *(
            {
                "name": f"mobile-{index}",
                "position_m": list(track[0][1]),
                "waypoints": [{"at_ns": round(at * w.SECOND), "position_m": list(position)} for at, position in track],
            }
            for index, track in enumerate(tracks)
        ),
    ]
    if routing.dsdv == 2:
        links, flows, more = _routed(seconds, positions_at, ends, declare, outage)
    else:
        links, flows, more = _given_routes(seconds, positions_at, ends, declare, outage, routing)
    made = w.world(name, float(seconds), nodes=nodes, links=links, flows=flows, hearing=AUDIBILITY, mac=w.DOT11B)
    return {**made, **more}


Parts = tuple[list[dict[str, Any]], list[dict[str, Any]], dict[str, Any]]
"""Links, flows, and further fields of a world."""


def _given_routes(
    seconds: int,
    positions_at: Callable[[float], dict[str, Position]],
    ends: list[tuple[str, str, str]],
    declare: Callable[[str, list[str]], dict[str, Any]],
    outage: Outage | None,
    routing: _Routing,
) -> Parts:
    """Flows follow the shortest path, updated every second, or that of DSDV before the run."""

    def out_of_service_at(at: float) -> set[str]:
        return {outage[0]} if outage and 0 <= at - outage[1] < outage[2] - outage[1] else set()

    more: dict[str, Any] = {}
    if routing.dsdv:
        found = dsdv_routing.simulate(positions_at, out_of_service_at, RANGE_M, seconds, routing.seed, routing.loss)
        paths = _changes(seconds, ends, found.path)
        busy = dsdv_routing.busy_intervals(found.messages, positions_at, AUDIBILITY["range"]["sense_m"], seconds)
        background = [{"node": node, "busy_ns": spans} for node, spans in busy.items()]
        more = {"background": background} if background else {}
    else:
        paths = _paths(seconds, positions_at, ends, out_of_service_at)
    used = {tuple(sorted(hop)) for path_changes in paths.values() for _, path in path_changes for hop in pairwise(path)}
    flows = []
    for flow_name, _, _ in ends:
        path_changes = paths[flow_name]
        declared = declare(flow_name, path_changes[0][1])
        if len(path_changes) > 1:
            declared["reroutes"] = [{"at_ns": second * w.SECOND, "path": path} for second, path in path_changes[1:]]
        flows.append(declared)
    return [w.wireless(a, b) for a, b in sorted(used)], flows, more


def _routed(
    seconds: int,
    positions_at: Callable[[float], dict[str, Position]],
    ends: list[tuple[str, str, str]],
    declare: Callable[[str, list[str]], dict[str, Any]],
    outage: Outage | None,
) -> Parts:
    """Nodes run DSDV; a link is between any two that are ever in range, or that a flow has as its ends."""
    near = {tuple(sorted((source, destination))) for _, source, destination in ends}
    for second in range(seconds + 1):
        places = positions_at(float(second))
        near |= {
            (a, b) for a, b in combinations(sorted(places), 2) if math.dist(places[a], places[b]) <= RANGE_M + MARGIN_M
        }
    dsdv: dict[str, Any] = {}
    if outage:
        node, since, until = outage
        dsdv["outages"] = [{"node": node, "from_ns": round(since * w.SECOND), "until_ns": round(until * w.SECOND)}]
    flows = [declare(name, [source, destination]) for name, source, destination in ends]
    return [w.wireless(a, b) for a, b in sorted(near)], flows, {"routing": {"dsdv": dsdv}}


def _positions(mesh_positions: dict[str, Position], tracks: list[Track]) -> Callable[[float], dict[str, Position]]:
    """Where everybody is at an instant."""
    return lambda at: (
        mesh_positions | {f"mobile-{index}": _position_at(track, at) for index, track in enumerate(tracks)}
    )


def _changes(
    seconds: int, ends: list[tuple[str, str, str]], path_at: Callable[[int, str, str], list[str] | None]
) -> dict[str, list[tuple[int, list[str]]]]:
    """Per flow its paths and the second at which each starts; without a path the last one stays in use."""
    paths: dict[str, list[tuple[int, list[str]]]] = {flow: [] for flow, _, _ in ends}
    for second in range(seconds):
        for flow, source, destination in ends:
            path = path_at(second, source, destination) or ([source, destination] if second == 0 else None)
            if path and (not paths[flow] or paths[flow][-1][1] != path):
                paths[flow].append((second, path))
    return paths


def _paths(
    seconds: int,
    positions_at: Callable[[float], dict[str, Position]],
    ends: list[tuple[str, str, str]],
    out_of_service_at: Callable[[float], set[str]],
) -> dict[str, list[tuple[int, list[str]]]]:
    """Shortest paths, see :func:`_changes`."""
    around: dict[int, tuple[dict[str, list[str]], set[str]]] = {}

    def path_at(second: int, source: str, destination: str) -> list[str] | None:
        if second not in around:
            around.clear()
            positions, out_of_service = positions_at(float(second)), out_of_service_at(float(second))
            around[second] = _neighbours(positions, out_of_service), out_of_service
        neighbours, out_of_service = around[second]
        return _shortest(neighbours, source, destination, out_of_service)

    return _changes(seconds, ends, path_at)


def _neighbours(positions: dict[str, Position], out_of_service: set[str]) -> dict[str, list[str]]:
    return {
        a: [b for b in positions if a != b and math.dist(positions[a], positions[b]) <= RANGE_M]
        for a in positions
        if a not in out_of_service
    }


def _shortest(
    neighbours: dict[str, list[str]], source: str, destination: str, out_of_service: Iterable[str]
) -> list[str] | None:
    """A path with the fewest hops, by breadth-first search in node order."""
    predecessor: dict[str, str | None] = {source: None, **dict.fromkeys(out_of_service)}
    queue = deque([source])
    while queue:
        node = queue.popleft()
        if node == destination:
            path = [node]
            while (previous := predecessor[path[0]]) is not None:
                path.insert(0, previous)
            return path
        for neighbour in neighbours.get(node, ()):
            if neighbour not in predecessor:
                predecessor[neighbour] = node
                queue.append(neighbour)
    return None


def _waypoints(rng: random.Random, side: float, slowest: float, fastest: float, seconds: int) -> Track:
    """Random waypoints without pauses until `seconds`; a single one if `fastest` is 0."""
    at, position = 0.0, (rng.uniform(0, side), rng.uniform(0, side))
    track: Track = [(at, position)]
    while fastest > 0 and at < seconds:
        target = (rng.uniform(0, side), rng.uniform(0, side))
        at += max(math.dist(position, target), 1e-3) / rng.uniform(min(slowest, fastest), fastest)
        position = target
        track.append((at, position))
    return track


def _position_at(track: Track, at: float) -> Position:
    for (begin, start), (end, target) in pairwise(track):
        if begin <= at < end:
            share = (at - begin) / (end - begin)
            return (start[0] + share * (target[0] - start[0]), start[1] + share * (target[1] - start[1]))
    return track[-1][1]


def _grid(count: int, side: float) -> dict[str, Position]:
    """Mesh nodes 200 m apart around the centre of the area; five are in a quincunx."""
    if count == 5:
        offsets = [(-1.0, -1.0), (1.0, -1.0), (0.0, 0.0), (-1.0, 1.0), (1.0, 1.0)]
        return {f"mesh-{i}": (side / 2 + 141.0 * x, side / 2 + 141.0 * y) for i, (x, y) in enumerate(offsets)}
    columns = math.ceil(count**0.5)
    rows = math.ceil(count / columns)
    left, top = side / 2 - 100.0 * (columns - 1), side / 2 - 100.0 * (rows - 1)
    return {f"mesh-{i}": (left + 200.0 * (i % columns), top + 200.0 * (i // columns)) for i in range(count)}
