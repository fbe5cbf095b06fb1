"""Readings of S002: its chain with a base station and its meshes with one thing changed at a time."""

from __future__ import annotations

from typing import Any

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._reading import Reading, beside, holds_against, paired, tried
from winf_analyzer._papers.reproductions._studies._common import CAPACITY_NOTE, RCP, TCP, XCP
from winf_analyzer._papers.reproductions._study import Means, Statement, X
from winf_analyzer._replay.topologies.world import SECOND, World

THREE = (TCP, XCP, RCP)
STANDARD = {"preset": "802.11b"}
MEASURED = {"capacity": "measured"}


def ns2_windows(world: World) -> World:
    """ns-2's sources send no more than 20 packets ahead, unless a script says so."""
    flows = [
        {**flow, "transport": {**flow.get("transport", {}), "receive_window_bytes": 20 * flow["payload_bytes"]}}
        for flow in world["flows"]
    ]
    return {**world, "flows": flows}


def _queue(packets: int) -> Reading:
    return Reading(f"queues of {packets} packets", world=lambda world: worlds.with_queues(world, packets))


COMMON = (
    Reading("windows of 20 packets at most, as in ns-2", world=ns2_windows),
    Reading("RTS/CTS", world=lambda world: {**world, "mac": worlds.RTS}),
    Reading("access and capture of the standard", world=lambda world: {**world, "mac": STANDARD}),
    Reading("XCP and RCP measure their capacity", settings={"xcp": MEASURED, "rcp": MEASURED}),
    Reading("headers take their octets", world=lambda world: worlds.with_headers(world, counted=True)),
    _queue(10),
    _queue(200),
    Reading("routes break for 1 s when the MAC gives up", world=lambda world: {**world, "route_repair_ns": SECOND}),
)
DSDV = Reading("DSDV", {"dsdv": True})


def _chain(seed: int, seconds: float, *, nodes: int = 4) -> World:
    return worlds.base_station_chain(seed, seconds, nodes)


def _mesh(seed: int, seconds: float, *, mesh: int = 16, mobiles: int = 5, dsdv: bool = False) -> World:
    options: dict[str, Any] = {"side_m": 800, "payload": 1400, "mac": worlds.NS2_MAC, "dsdv": dsdv}
    return worlds.mesh(mesh, mobiles, seed, seconds, **options)


def _rates(means: Means, x: X) -> list[float]:
    return [means[arm.label, x] for arm in THREE]


BEST = Statement("RCP carries the most", lambda m, xs: m["RCP", xs[0]] == max(_rates(m, xs[0])))
WORST = Statement("XCP carries the least", lambda m, xs: m["XCP", xs[0]] == min(_rates(m, xs[0])))
LEVEL = Statement(
    "no clear winner (all within 20 %)", lambda m, xs: max(_rates(m, xs[0])) < 1.2 * min(_rates(m, xs[0]))
)


def _tcp(does: str, metric: str, factor: float) -> Statement:
    """TCP has so many times as much of something as both others, or more; below 1: so many times as much, or less."""

    def holds(means: Means, places: Any) -> bool:
        tcp, *others = _rates(means, places[0])
        return all(tcp >= factor * other if factor > 1 else tcp <= factor * other for other in others)

    return Statement(f"TCP {does} than both ({abs(factor - 1):.0%})", holds, metric)


FAIR = (_tcp("is fairer", "jain", 1.02), _tcp("is steadier", "deviation", 0.98))

CHAIN = tried(
    "s002-chain-readings",
    "the chain with a base station, with one thing changed",
    _chain,
    THREE,
    (*COMMON, Reading("two fixed nodes", {"nodes": 2}), Reading("seven fixed nodes", {"nodes": 7})),
    (
        holds_against("S002-fig5", "throughput", (BEST, WORST)),
        holds_against("S002-claim-5", "throughput", (BEST, WORST)),
        holds_against(
            "S002-claim-6",
            "received",
            (
                Statement("RCP receives fewer packets than TCP", lambda m, xs: m["RCP", xs[0]] < m["TCP", xs[0]]),
                Statement("and carries more", lambda m, xs: m["RCP", xs[0]] > m["TCP", xs[0]], "throughput"),
            ),
        ),
    ),
    seeds=10,
    seconds=300,
    quick=(2, 30),
    notes="How many fixed nodes there are is in a figure only.",
)

MESH = tried(
    "s002-mesh-readings",
    "16 mesh nodes and 5 mobiles, with one thing changed",
    _mesh,
    THREE,
    (*COMMON, DSDV, Reading("3 mobiles", {"mobiles": 3}), Reading("7 mobiles", {"mobiles": 7})),
    (
        holds_against("S002-fig7", "throughput", (LEVEL,)),
        holds_against("S002-claim-1", "throughput", (_tcp("carries more", "throughput", 1.02), *FAIR)),
        holds_against("S002-claim-11", "jain", FAIR),
        holds_against("S002-claim-12", "throughput", (LEVEL, _tcp("receives more", "received", 1.05))),
        holds_against(
            "S002-claim-13",
            "lost",
            (_tcp("loses less", "lost", 0.95), _tcp("collides less", "collided", 0.95)),
        ),
        holds_against(
            "S002-claim-17",
            "throughput",
            (
                WORST,
                Statement("and has the most delay", lambda m, xs: m["XCP", xs[0]] == max(_rates(m, xs[0])), "delay"),
            ),
        ),
    ),
    seeds=10,
    seconds=300,
    quick=(3, 30),
    bin_s=1.0,
    notes=CAPACITY_NOTE,
)

SMALL = tried(
    "s002-small-mesh-readings",
    "5 mesh nodes and 7 mobiles, with one thing changed",
    lambda seed, seconds, **options: _mesh(seed, seconds, **{"mesh": 5, "mobiles": 7, **options}),
    THREE,
    (*COMMON, DSDV, Reading("12 mesh nodes", {"mesh": 12})),
    (
        holds_against("S002-fig10", "throughput", (LEVEL,)),
        holds_against("S002-fig12", "received", (_tcp("receives more", "received", 1.05),)),
    ),
    seeds=10,
    seconds=300,
    quick=(3, 30),
    notes=CAPACITY_NOTE,
)

MESSAGES = "DSDV"


def _more_collisions(means: Means, places: Any) -> bool:
    there = beside(places[0], MESSAGES)
    return all(means[arm.label, there] > means[arm.label, places[0]] for arm in THREE)


COLLISIONS = tried(
    "s002-routing-readings",
    "16 mesh nodes and 5 mobiles without and with DSDV, with one thing changed",
    _mesh,
    THREE,
    paired(
        MESSAGES,
        (COMMON[0], COMMON[1], COMMON[2], Reading("7 mobiles", {"mobiles": 7}), Reading("5 mesh nodes", {"mesh": 5})),
        dsdv=True,
    ),
    (
        holds_against(
            "S002-claim-10",
            "collided",
            (Statement("more attempts collide with DSDV, under all three", _more_collisions),),
        ),
    ),
    seeds=10,
    seconds=300,
    quick=(2, 30),
    notes="DSDV's messages take airtime; they do not wait in queues.",
)

IN_MESH = "five mesh nodes"


def _scene(seed: int, seconds: float, *, meshed: bool = False) -> World:
    return _mesh(seed, seconds, mesh=5) if meshed else _chain(seed, seconds)


def _steadier(label: str, metric: str, of: str) -> Statement:
    text = f"{label} is steadier in the chain than in the mesh, by the throughput of {of}"
    return Statement(text, lambda m, xs: m[label, xs[0]] < m[label, beside(xs[0], IN_MESH)], metric)


BASE_STATION = tried(
    "s002-base-station-readings",
    "the chain with a base station and a mesh of 5 nodes with 5 mobiles, with one thing changed",
    _scene,
    (XCP, RCP),
    paired(IN_MESH, (*COMMON[:4],), meshed=True),
    (
        holds_against(
            "S002-claim-9",
            "deviation",
            tuple(
                _steadier(label, metric, of)
                for label in ("XCP", "RCP")
                for metric, of in (("deviation", "a flow"), ("total_deviation", "all flows"))
            ),
        ),
    ),
    seeds=10,
    seconds=60,
    quick=(3, 30),
    bin_s=1.0,
    notes=CAPACITY_NOTE,
)

SHORT = "queues of 5 packets"


def _queues(seed: int, seconds: float, *, packets: int = 50, mesh: int = 5, **options: Any) -> World:
    return worlds.with_queues(_mesh(seed, seconds, mesh=mesh, **options), packets)


def _with_short(label: str, metric: str, text: str, sign: int) -> Statement:
    def holds(means: Means, places: Any) -> bool:
        return sign * means[label, beside(places[0], SHORT)] > sign * means[label, places[0]]

    return Statement(f"{label} is {text} with queues of 5 packets than of 50", holds, metric)


QUEUES = tried(
    "s002-queues-readings",
    "queues of 50 and of 5 packets, 5 mesh nodes and 5 mobiles, with one thing changed",
    _queues,
    (XCP, RCP),
    paired(SHORT, (COMMON[1], COMMON[3], Reading("16 mesh nodes", {"mesh": 16}), DSDV), packets=5),
    (
        holds_against(
            "S002-claim-16",
            "deviation",
            tuple(
                statement
                for label in ("XCP", "RCP")
                for statement in (
                    _with_short(label, "deviation", "steadier", -1),
                    _with_short(label, "jain", "fairer", 1),
                    _with_short(label, "delay", "faster", -1),
                )
            ),
        ),
    ),
    seeds=10,
    seconds=60,
    quick=(4, 30),
    bin_s=1.0,
    notes=CAPACITY_NOTE,
)

FEW = "one flow"


def _grows(label: str) -> Statement:
    text = f"{label}'s round-trip times vary more with eight flows than with one (1.5 times)"
    return Statement(text, lambda m, xs: m[label, xs[0]] > 1.5 * m[label, beside(xs[0], FEW)])


JITTER = tried(
    "s002-jitter-readings",
    "round-trip times over one hop with eight flows, with one thing changed",
    lambda _, seconds, count=8: worlds.arrivals(count, seconds),
    (XCP, RCP),
    paired(
        FEW,
        (COMMON[3], COMMON[1], COMMON[5], Reading("RCP with beta of 0.226", settings={"rcp": {"beta": 0.226}})),
        count=1,
    ),
    (
        holds_against(
            "S002-claim-4",
            "jitter",
            (_grows("RCP"), Statement("and more than XCP's", lambda m, xs: m["RCP", xs[0]] > m["XCP", xs[0]])),
        ),
    ),
    seeds=10,
    seconds=60,
    quick=(2, 60),
    bin_s=0.2,
    notes=CAPACITY_NOTE,
)

STUDIES = (JITTER, CHAIN, BASE_STATION, MESH, SMALL, COLLISIONS, QUEUES)
"""In the order of the paper."""
