"""Scenes of the study of S000's collision term with datagrams at fixed rates, as the engine and as ns-2 read them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import cos, hypot, pi, sin
from random import Random
from typing import NamedTuple

from benchmarks.replay.worlds import NS2_MAC, building
from winf_analyzer._replay.topologies.world import SECOND, World, flow, wireless

FACTORS = (0.5, 0.7, 0.85, 1.0, 1.2, 1.5, 2.5, 4.25)
"""Loads, as shares of what the scene's sources can send at most, about."""

PAYLOAD_BYTES, HEADER_BYTES = 1460, 20
"""ns-2 adds 20 bytes to a datagram."""

SHIFT_M = 1000.0
"""ns-2 wants positions above 0."""


class Scene(NamedTuple):
    """A scene whose sources all send at one rate."""

    name: str
    nominal_bps: int
    """Payload of a source at load 1."""
    seconds: int
    left_out_s: int
    """At the start."""
    sensed_m: int
    routes: str
    """DSDV's in ns-2, or given and ``held``."""
    make: Callable[[int], World]
    """The engine's world of a seed, with sources of any rate."""


def loaded(scene: Scene, factor: float, seed: int) -> World:
    """The engine's world with sources at a load, each from its own instant of the first tenth of a second on."""
    world, random = scene.make(seed), Random(seed)
    rate_bps = round(factor * scene.nominal_bps)
    source = {"source": {"cbr": {"rate_bps": rate_bps}}, "ack_bytes": 0, "header_bytes": HEADER_BYTES}
    flows = [
        {**one, **source, "payload_bytes": PAYLOAD_BYTES, "start_ns": round(random.uniform(0, 0.1) * SECOND)}
        for one in world["flows"]
    ]
    return {**world, "duration_ns": scene.seconds * SECOND, "flows": flows, "record": {"bin_ns": SECOND}}


def as_tcl(world: World) -> str:
    """The same for ``loads_ns2.tcl``."""
    number = {node["name"]: index for index, node in enumerate(world["nodes"])}
    places, moves = [], []
    for node in world["nodes"]:
        points = node.get("waypoints") or [{"at_ns": 0, "position_m": node["position_m"]}]
        places.append(_shifted(points[0]["position_m"]))
        for before, after in pairwise(points):
            metres = hypot(*(b - a for a, b in zip(before["position_m"], after["position_m"], strict=True)))
            speed = metres * SECOND / max(after["at_ns"] - before["at_ns"], 1)
            if speed > 0:
                at_s = before["at_ns"] / SECOND
                moves.append(f"{number[node['name']]} {at_s:.6f} {_shifted(after['position_m'])} {speed:.6f}")
    flows = [
        f"{number[one['path'][0]]} {number[one['path'][-1]]} {one['source']['cbr']['rate_bps']} "
        f"{one['start_ns'] / SECOND:.6f}"
        for one in world["flows"]
    ]
    lists = {"places": places, "moves": moves, "flows": flows}
    return "".join(f"set {name} {{{' '.join(f'{{{row}}}' for row in rows)}}}\n" for name, rows in lists.items())


def _shifted(position_m: list[float]) -> str:
    return " ".join(f"{axis + SHIFT_M:.3f}" for axis in position_m)


def _line(hops: int) -> World:
    names = [str(number) for number in range(hops + 1)]
    places = {name: [200.0 * number, 0.0] for number, name in enumerate(names)}
    return _placed(f"line of {hops}", places, list(pairwise(names)), [names])


def _around(groups: int, each: int) -> World:
    """Groups 200 m around a sink, in equal angles; members of a group stand 5 m apart."""
    places = {"sink": [0.0, 0.0]}
    for group in range(groups):
        angle = 2 * pi * group / groups
        for member in range(each):
            out = 200.0 - 5 * member
            places[f"{group}-{member}"] = [out * cos(angle), out * sin(angle)]
    senders = [name for name in places if name != "sink"]
    return _placed(
        f"{groups} groups of {each}", places, [(name, "sink") for name in senders], [[s, "sink"] for s in senders]
    )


def _in_any_seed(world: World) -> Callable[[int], World]:
    return lambda _: world


def _placed(name: str, places: dict[str, list[float]], links: list[tuple[str, str]], paths: list[list[str]]) -> World:
    """A world in which stations sense and corrupt as far as they decode."""
    queue = {"interface_queue": {"packets": 50}}
    return {
        "name": name,
        "nodes": [{"name": node, "position_m": place, **queue} for node, place in places.items()],
        "links": [wireless(a, b) for a, b in links],
        "flows": [flow(f"{path[0]}-{path[-1]}", path) for path in paths],
        "hearing": {"range": {"decode_m": 250.0, "sense_m": 250.0, "corrupt_m": 250.0, "capture_db": 10.0}},
        "mac": {**NS2_MAC, "rts_threshold_bytes": 0},
    }


SCENES = (
    Scene("2 hidden senders", 2_050_000, 20, 2, 250, "held", _in_any_seed(_around(2, 1))),
    Scene("3 groups of 2, hidden from each other", 570_000, 20, 2, 250, "held", _in_any_seed(_around(3, 2))),
    *(
        Scene(f"{hops} hops, only neighbours hear", bps, 20, 2, 250, "held", _in_any_seed(_line(hops)))
        for hops, bps in ((2, 2_250_000), (3, 1_370_000), (6, 900_000))
    ),
    Scene(
        *("building, 20 mobiles at up to 100 m/s", 30_000, 60, 10, 500, "dsdv"),
        lambda seed: building(20, True, 100, 60, seed),
    ),
)
"""In the building the largest load is that of S000's heavy traffic: 4 flows of 128 kbit/s from each mobile."""
