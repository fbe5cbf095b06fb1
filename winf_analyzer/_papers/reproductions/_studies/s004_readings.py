"""Readings of S004: its mesh access network and its chains with one thing changed at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._reading import Reading, beside, holds_against, paired, tried, with_mac
from winf_analyzer._papers.reproductions._studies._common import TCP
from winf_analyzer._papers.reproductions._studies.s004_mesh import NO_LOSS, NOTE, QUEUE, XCP_B
from winf_analyzer._papers.reproductions._study import Arm, Figure, Means, Statement, X
from winf_analyzer._replay.topologies.world import SECOND, World


def _queue(name: str, **settings: Any) -> Reading:
    """Another reading of XCP-b's law."""
    return Reading(name, settings={controller: {"queue": settings} for controller in ("xcp_b", "xcp_b_nl")})


def _scaled(factor: float) -> Any:
    def change(world: World) -> World:
        nodes = [
            {**node, "position_m": [factor * place for place in node["position_m"]]} if "position_m" in node else node
            for node in world["nodes"]
        ]
        return {**world, "nodes": nodes}

    return change


def _heard(**ranges: float) -> Any:
    return lambda world: {**world, "hearing": {"range": {**world["hearing"]["range"], **ranges}}}


LAW = (
    _queue("least queue of the control interval", least_over="interval"),
    _queue("least queue of half a round trip", least_over="half_round_trip"),
    _queue("kappa in packets of 1300 bytes", kappa_packet_bytes=1300.0),
    _queue("kappa of 15 packets", kappa_packets=15.0),
)
RADIO = (
    with_mac(
        "access and capture of the standard", access="immediate", eifs="corrupted", nav_reset=True, late_capture=True
    ),
    with_mac("control frames at 1 Mbit/s", control_rate_bps=1_000_000),
    Reading("frames sensed as far as decoded", world=_heard(sense_m=250.0, corrupt_m=250.0)),
    Reading("no capture", world=_heard(capture_db=100.0)),
    Reading("hops of 240 m", world=_scaled(1.2)),
    Reading("routes break for 1 s when the MAC gives up", world=lambda world: {**world, "route_repair_ns": SECOND}),
    Reading("queues of 25 packets", world=lambda world: worlds.with_queues(world, 25)),
)


def _mesh(_: int, seconds: float, **options: Any) -> World:
    return worlds.mesh_access(seconds, **options)


def _above(upper: str, lower: str, least: float, most: float, text: str, metric: str = "") -> Statement:
    return Statement(text, lambda m, xs: least <= m[upper, xs[0]] / m[lower, xs[0]] - 1 <= most, metric)


MESH = tried(
    "s004-mesh-readings",
    "the mesh access network with one thing changed",
    _mesh,
    (XCP_B, NO_LOSS, TCP),
    (*LAW, *RADIO, Reading("11 Mbit/s", {"rate_mbps": 11})),
    (
        Figure(
            "S004-claim-22",
            "beyond_102_ms",
            (Statement("XCP-b adds about 50 ms (40 to 60)", lambda m, xs: 40 <= m["XCP-b", xs[0]] <= 60),),
            {"XCP-b": {"": 50.0}},
            arms=("XCP-b",),
        ),
        holds_against(
            "S004-claim-24",
            "deviation_together",
            (_above("XCP-b", "XCP-b-nl", 0.05, 10, "XCP-b-nl is steadier than XCP-b by 5 %"),),
            arms="XCP-b",
        ),
        holds_against(
            "S004-table2-xcp_b",
            "deviation_together",
            (
                Statement("deviation near 22.3 % (20 %)", lambda m, xs: abs(m["XCP-b", xs[0]] / 22.3 - 1) < 0.2),
                Statement(
                    "data packets near 20113 (10 %)",
                    lambda m, xs: abs(m["XCP-b", xs[0]] / 20113 - 1) < 0.1,
                    "data_packets",
                ),
                Statement("collisions of 0.35 or more", lambda m, xs: m["XCP-b", xs[0]] >= 0.35, "collided_share"),
            ),
            arms=("XCP-b",),
        ),
        holds_against(
            "S004-table2-xcp_b_nl",
            "data_packets",
            (
                Statement("data packets near 20620 (10 %)", lambda m, xs: abs(m["XCP-b-nl", xs[0]] / 20620 - 1) < 0.1),
                Statement("collisions of 0.35 or more", lambda m, xs: m["XCP-b-nl", xs[0]] >= 0.35, "collided_share"),
            ),
            arms="XCP-b-nl",
        ),
        holds_against(
            "S004-table2-new_reno",
            "data_packets",
            (
                Statement("data packets near 21063 (10 %)", lambda m, xs: abs(m["TCP", xs[0]] / 21063 - 1) < 0.1),
                Statement("collisions of 0.35 or more", lambda m, xs: m["TCP", xs[0]] >= 0.35, "collided_share"),
            ),
            arms="TCP",
        ),
        holds_against(
            "S004-claim-27",
            "data_packets",
            (_above("TCP", "XCP-b", 0.03, 0.08, "TCP has 3 to 8 % more packets than XCP-b"),),
            arms=("XCP-b", "TCP"),
        ),
        holds_against(
            "S004-claim-28",
            "collided_share",
            (
                _above("TCP", "XCP-b", -0.05, 0.05, "collisions of TCP and XCP-b are equal (5 %)"),
                _above("XCP-b", "XCP-b-nl", 0.0, 0.2, "and XCP-b-nl has fewer than XCP-b"),
            ),
        ),
        holds_against(
            "S004-claim-30",
            "acks",
            (
                Statement(
                    "fewer acknowledgements of a data packet arrive under TCP than under XCP-b (2 points)",
                    lambda m, xs: m["TCP", xs[0]] < m["XCP-b", xs[0]] - 2,
                ),
            ),
            arms=("XCP-b", "TCP"),
        ),
        holds_against(
            "S004-claim-20",
            "stalled",
            (Statement("several flows of XCP-b-nl stall for three seconds", lambda m, xs: m["XCP-b-nl", xs[0]] >= 2),),
            arms="XCP-b-nl",
        ),
    ),
    seeds=5,
    seconds=70,
    quick=(2, 70),
    bin_s=1.0,
    notes=NOTE,
)

SLOW = tried(
    "s004-rates-readings",
    "windows in the mesh access network at 11 Mbit/s, with one thing changed",
    lambda _, seconds, **options: worlds.mesh_access(seconds, **{"rate_mbps": 11, **options}),
    (XCP_B,),
    (
        *LAW[:3],
        _queue("kappa of 1 packet", kappa_packets=1.0),
        Reading("1 Mbit/s", {"rate_mbps": 1}),
        Reading("2 Mbit/s", {"rate_mbps": 2}),
    ),
    (
        holds_against(
            "S004-claim-15",
            "window",
            (Statement("windows of one packet (below 1.5)", lambda m, xs: m["XCP-b", xs[0]] < 1.5),),
        ),
    ),
    seeds=5,
    seconds=70,
    quick=(1, 50),
    notes=NOTE,
)


def _with(key: str, value: float) -> Arm:
    return replace(XCP_B, label=f"{key} = {value:g}", settings={"queue": {**QUEUE, key: value}})


CHI, TAU, KAPPA = (0.057, 0.228, 0.912), (0.056, 0.178, 0.563), (1.0, 3.0, 9.0)


def _peak(key: str, values: tuple[float, ...], x: X, means: Means) -> bool:
    """The middle value carries no less than 1 % below the greatest."""
    found = [means[f"{key} = {value:g}", x] for value in values]
    return max(found) < 1.01 * found[1] and found[1] > found[0]


CONSTANTS = tried(
    "s004-constants-readings",
    "constants of XCP-b in the mesh access network, with one thing changed",
    _mesh,
    (
        *(_with("chi", value) for value in CHI),
        *(_with("tau", value) for value in TAU),
        *(_with("kappa_packets", value) for value in KAPPA),
    ),
    (*LAW[:3], *RADIO[2:3], *RADIO[6:], Reading("11 Mbit/s", {"rate_mbps": 11})),
    (
        holds_against(
            "S004-claim-37",
            "data_packets",
            (
                Statement(
                    "packets grow with chi up to 0.228 and not beyond (1 %)", lambda m, xs: _peak("chi", CHI, xs[0], m)
                ),
            ),
            arms="chi",
        ),
        holds_against(
            "S004-claim-38",
            "dropped",
            (
                Statement(
                    "above chi = 0.228 queues overflow",
                    lambda m, xs: m["chi = 0.912", xs[0]] > m["chi = 0.228", xs[0]] + 10,
                ),
            ),
            arms="chi",
        ),
        holds_against(
            "S004-claim-40",
            "data_packets",
            (
                Statement(
                    "packets grow with tau up to 0.178 and not beyond (1 %)", lambda m, xs: _peak("tau", TAU, xs[0], m)
                ),
            ),
            arms="tau",
        ),
        holds_against(
            "S004-claim-41",
            "data_packets",
            (
                Statement(
                    "none of the constants carries more with another value (1 %)",
                    lambda m, xs: all(
                        _peak(key, values, xs[0], m)
                        for key, values in (("chi", CHI), ("tau", TAU), ("kappa_packets", KAPPA))
                    ),
                ),
            ),
        ),
    ),
    seeds=5,
    seconds=70,
    quick=(1, 60),
    bin_s=0.2,
    notes=NOTE,
)

PLAIN = "no RTS/CTS"


def _eases(means: Means, places: Sequence[X]) -> bool:
    return means["TCP", places[0]] < 0.8 * means["TCP", beside(places[0], PLAIN)]


HIDDEN = tried(
    "s004-rts-readings",
    "packets that the MAC gives up over four hops, with and without RTS/CTS, with one thing changed",
    lambda _, seconds, hops=4, rts=True: worlds.chain_rts(hops, seconds) if rts else worlds.chain(hops, seconds),
    (TCP,),
    paired(
        PLAIN,
        (
            Reading("eight hops", {"hops": 8}),
            Reading("frames sensed as far as decoded", world=_heard(sense_m=250.0, corrupt_m=250.0)),
            Reading("no capture", world=_heard(capture_db=100.0)),
            RADIO[0],
        ),
        rts=False,
    ),
    (
        holds_against(
            "S004-claim-9",
            "lost_at_mac",
            (Statement("the MAC gives up 20 % fewer packets with RTS/CTS", _eases),),
        ),
    ),
    seeds=5,
    seconds=60,
    quick=(3, 30),
)

STUDIES = (MESH, SLOW, CONSTANTS, HIDDEN)
"""In the order of the paper."""
