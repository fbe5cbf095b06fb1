"""Readings of S000: its meshes, ad hoc networks and building with one thing changed at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._reading import Reading, beside, holds_against, paired, tried, with_mac
from winf_analyzer._papers.reproductions._studies._common import (
    BETTER,
    CAPACITY_NOTE,
    RCP,
    TCP,
    WINF,
    WITHOUT,
    XCP,
)
from winf_analyzer._papers.reproductions._studies.s002_readings import MEASURED, ns2_windows
from winf_analyzer._papers.reproductions._study import Arm, Means, Statement, above, below
from winf_analyzer._replay import topologies
from winf_analyzer._replay.topologies.world import SECOND, World

PLAIN = (XCP, RCP)
CORRECTED = WINF[::2]
DSDV = Reading("DSDV", {"dsdv": True})
STANDARD = Reading(
    "access and capture of the standard",
    world=lambda world: {**world, "mac": {"preset": "802.11b", "rts_threshold_bytes": 0}},
)
NO_RTS = with_mac("no RTS/CTS", rts_threshold_bytes=None)
OWN_CAPACITY = Reading("XCP and RCP measure their capacity", settings={"xcp": MEASURED, "rcp": MEASURED})
WINDOWS = Reading("windows of 20 packets at most, as in ns-2", world=ns2_windows)
COUNTED = Reading("headers take their octets", world=lambda world: worlds.with_headers(world, counted=True))
BREAKS = Reading("routes break for 1 s when the MAC gives up", world=lambda world: {**world, "route_repair_ns": SECOND})


def _queue(packets: int) -> Reading:
    return Reading(f"queues of {packets} packets", world=lambda world: worlds.with_queues(world, packets))


def _greedy(world: World) -> World:
    return {**world, "flows": [{**flow, "source": "greedy"} for flow in world["flows"]]}


def _rate(rate_bps: int) -> Callable[[World], World]:
    return lambda world: {
        **world,
        "flows": [{**flow, "source": {"cbr": {"rate_bps": rate_bps}}} for flow in world["flows"]],
    }


def _packets(payload: int) -> Callable[[World], World]:
    return lambda world: {**world, "flows": [{**flow, "payload_bytes": payload} for flow in world["flows"]]}


def _mesh(seed: int, seconds: float, *, mobiles: int = 7, dsdv: bool = False) -> World:
    return worlds.mesh(16, mobiles, seed, seconds, side_m=1000, payload=1460, mac=worlds.RTS, dsdv=dsdv)


MORE_ONCE = tuple(
    above(f"{name}-Winf", name, f"{name}-Winf receives more, each packet counted once", "throughput")
    for name in ("XCP", "RCP")
)

MESH = tried(
    "s000-mesh-readings",
    "16 mesh nodes and 7 mobiles, FTP, with one thing changed",
    _mesh,
    (*PLAIN, *CORRECTED, TCP),
    (
        DSDV,
        STANDARD,
        NO_RTS,
        OWN_CAPACITY,
        WINDOWS,
        COUNTED,
        BREAKS,
        _queue(10),
        _queue(200),
        Reading("3 mobiles", {"mobiles": 3}),
    ),
    (
        holds_against(
            "S000-claim-1",
            "throughput",
            (
                above("XCP-Winf", "TCP", "XCP-Winf above TCP"),
                above("RCP-Winf", "TCP", "RCP-Winf above TCP"),
                below("XCP-Winf", "TCP", "XCP-Winf with less delay than TCP", "delay"),
            ),
            arms=("XCP-Winf", "RCP-Winf", "TCP"),
        ),
        holds_against(
            "S000-claim-2",
            "received",
            tuple(
                statement
                for name in ("XCP", "RCP")
                for statement in (
                    below(name, "TCP", f"{name} receives fewer packets than TCP"),
                    above(name, "TCP", f"{name} has more delay than TCP", "delay"),
                )
            ),
            arms=("XCP", "RCP", "TCP"),
        ),
        holds_against("S000-fig10c", "received", (*BETTER, *MORE_ONCE), arms=("XCP", "RCP")),
    ),
    seeds=30,
    seconds=300,
    quick=(3, 20),
    bin_s=1.0,
    notes=CAPACITY_NOTE,
)

GAINS = Statement(
    "RCP carries more than XCP with 7 mobiles, and no more with 3",
    lambda m, xs: (
        m["RCP", xs[0]] > m["XCP", xs[0]] and m["RCP", beside(xs[0], FEWER)] <= m["XCP", beside(xs[0], FEWER)]
    ),
)
FEWER = "3 mobiles"

VOICE = tried(
    "s000-voice-readings",
    "16 mesh nodes and 7 mobiles, a call from each, with one thing changed",
    lambda seed, seconds, mobiles=7, **options: worlds.voice_mesh(mobiles, seed, seconds, **options),
    PLAIN,
    paired(
        FEWER,
        (
            DSDV,
            Reading("G.729: 20 bytes every 20 ms", {"rate_bps": 8_000, "payload": 20}),
            Reading("G.711: 80 bytes every 10 ms", {"payload": 80}),
            Reading("CBR of 256 kbit/s in packets of 1000 bytes", {"rate_bps": 256_000, "payload": 1000}),
            Reading("CBR of 64 kbit/s in packets of 1460 bytes", {"payload": 1460}),
            STANDARD,
            NO_RTS,
            OWN_CAPACITY,
        ),
        mobiles=3,
    ),
    tuple(holds_against(item, "throughput", (GAINS,)) for item in ("S000-fig11", "S000-claim-21")),
    seeds=30,
    seconds=300,
    quick=(3, 20),
    bin_s=1.0,
    notes=CAPACITY_NOTE,
)


def _ad_hoc(seed: int, seconds: float, *, flows: int = 16, neighbours: int = 8, dsdv: bool = False) -> World:
    asked = f"ad_hoc:nodes={2 * flows},flows={flows},seed={seed},seconds={round(seconds)}"
    world = topologies.build(f"{asked},neighbours={neighbours},dsdv={int(dsdv)}")
    return worlds.in_ns2(world, worlds.RTS, 50, seconds)


def _apart(name: str, metric: str = "") -> Statement:
    """A Winf variant differs from the plain one by a tenth, in its favour."""
    text = f"{name}-Winf above {name} by 10 %{' in throughput' if metric else ''}"
    return Statement(text, lambda m, xs: m[f"{name}-Winf", xs[0]] > 1.1 * m[name, xs[0]], metric)


ALIKE = Statement("XCP and RCP alike (10 %)", lambda m, xs: abs(m["XCP", xs[0]] / m["RCP", xs[0]] - 1) < 0.1)
AD_HOC = tried(
    "s000-ad-hoc-readings",
    "32 mobiles and 16 CBR flows between random pairs, with one thing changed",
    _ad_hoc,
    (*PLAIN, *CORRECTED),
    (
        DSDV,
        Reading("CBR of 128 kbit/s", world=_rate(128_000)),
        Reading("CBR of 256 kbit/s", world=_rate(256_000)),
        Reading("packets of 200 bytes", world=_packets(200)),
        Reading("4 neighbours", {"neighbours": 4}),
        Reading("16 neighbours", {"neighbours": 16}),
        Reading("32 flows", {"flows": 32}),
        STANDARD,
        NO_RTS,
        OWN_CAPACITY,
    ),
    (
        holds_against("S000-fig12a", "throughput", (ALIKE, _apart("XCP"), _apart("RCP"))),
        holds_against("S000-fig12c", "received", (*BETTER, *MORE_ONCE)),
        holds_against(
            "S000-claim-23",
            "delay",
            (
                ALIKE,
                _apart("XCP", "throughput"),
                Statement(
                    "the Winf variants differ from them (10 %)",
                    lambda m, xs: all(
                        abs(m[f"{name}-Winf", xs[0]] / m[name, xs[0]] - 1) > 0.1 for name in ("XCP", "RCP")
                    ),
                ),
            ),
        ),
        holds_against("S000-claim-24", "received", BETTER),
    ),
    seeds=30,
    seconds=300,
    quick=(3, 20),
    bin_s=1.0,
    notes=CAPACITY_NOTE,
)


def _building(heavy: bool) -> Callable[..., World]:
    def made(seed: int, seconds: float, *, mobiles: int = 20 if heavy else 10) -> World:
        return worlds.building(mobiles, heavy, 30, seed, seconds)

    return made


def _building_readings(heavy: bool) -> tuple[Reading, ...]:
    period_ms = 100 if heavy else 400
    return (
        Reading(f"a packet every {period_ms} ms", world=_rate(round(8 * 1460 * 1000 / period_ms))),
        Reading("greedy flows", world=_greedy),
        Reading("packets of 460 bytes", world=_packets(460)),
        Reading("30 mobiles", {"mobiles": 30}),
        STANDARD,
        NO_RTS,
        OWN_CAPACITY,
        BREAKS,
    )


def _in_building(heavy: bool, items: tuple[str, ...]) -> Any:
    load = "heavy" if heavy else "light"
    return tried(
        f"s000-building-{load}-readings",
        f"public building, {load} traffic, with one thing changed",
        _building(heavy),
        (*PLAIN, *CORRECTED),
        _building_readings(heavy),
        tuple(holds_against(item, "received", (*BETTER, *MORE_ONCE)) for item in items),
        seeds=30,
        seconds=600,
        quick=(2, 30),
        bin_s=1.0,
        notes=CAPACITY_NOTE,
    )


STILL = "no mobility"


def _fast(seed: int, seconds: float, *, mobiles: int = 20, speed: int = 100) -> World:
    return worlds.building(mobiles, True, speed, seed, seconds)


def _gains(label: str, share: float) -> Statement:
    return Statement(
        f"{label}: P_c gains {share:.1%} at 100 m/s (half counts)",
        lambda m, xs: m[label, xs[0]] / m[f"{label} without P_c", xs[0]] >= 1 + share / 2,
    )


def _gain(means: Means, label: str, place: Any) -> float:
    return means[label, place] / means[f"{label} without P_c", place]


def _gains_more(label: str) -> Statement:
    return Statement(
        f"{label}: P_c gains more at 100 m/s than without mobility (1 %)",
        lambda m, xs: _gain(m, label, xs[0]) > _gain(m, label, beside(xs[0], STILL)) + 0.01,
    )


COLLISION_ARMS = tuple(
    arm
    for label, controller, mode in (
        ("XCP-Winf", "xcp_winf", "corrected"),
        ("XCP-Winf, paper, greedy", "xcp_winf", "paper_greedy"),
        ("RCP-Winf", "rcp_winf", "corrected"),
        ("RCP-Winf, paper", "rcp_winf", "paper"),
    )
    for arm in (Arm(label, controller, mode), Arm(f"{label} without P_c", controller, mode, WITHOUT))
)


def _both_gain(name: str, paper: str, share: float) -> tuple[Statement, ...]:
    return (_gains(f"{name}-Winf", share), _gains(paper, share))


XCP_GAIN = _both_gain("XCP", "XCP-Winf, paper, greedy", 0.085)
RCP_GAIN = _both_gain("RCP", "RCP-Winf, paper", 0.065)
COLLISIONS = tried(
    "s000-collisions-readings",
    "the building at 100 m/s with heavy traffic, with and without P_c, with one thing changed",
    _fast,
    COLLISION_ARMS,
    paired(
        STILL,
        (
            Reading("greedy flows", world=_greedy),
            Reading("10 mobiles", {"mobiles": 10}),
            NO_RTS,
            Reading(
                "the pools charged after the branch (alg. 4), RCP-Winf's traffic what came in",
                settings={"xcp_winf": {"pool_charging": "after_branch"}, "rcp_winf": {"traffic": "input"}},
            ),
        ),
        speed=0,
    ),
    (
        holds_against("S000-claim-28", "throughput", XCP_GAIN, arms="XCP"),
        holds_against("S000-fig17", "throughput", XCP_GAIN, arms="XCP"),
        holds_against("S000-claim-27", "throughput", RCP_GAIN, arms="RCP"),
        holds_against("S000-fig18", "throughput", RCP_GAIN, arms="RCP"),
        holds_against("S000-claim-29", "throughput", tuple(_gains_more(label) for label in ("XCP-Winf", "RCP-Winf"))),
    ),
    seeds=30,
    seconds=600,
    quick=(2, 30),
    bin_s=1.0,
    notes=f"{CAPACITY_NOTE} `paper` has equations 7 to 9 and each packet's backoff, `corrected` the failed share.",
)

STUDIES = (
    MESH,
    VOICE,
    AD_HOC,
    _in_building(heavy=False, items=("S000-fig14c",)),
    _in_building(heavy=True, items=("S000-fig15c", "S000-claim-25")),
    COLLISIONS,
)
"""In the order of the paper."""
