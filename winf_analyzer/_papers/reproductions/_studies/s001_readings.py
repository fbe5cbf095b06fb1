"""Readings of S001: its string and its grid with one thing changed at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import dist
from typing import Any

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._reading import Reading, holds_against, tried, with_mac
from winf_analyzer._papers.reproductions._study import Arm, Figure, Means, Statement, X
from winf_analyzer._replay.topologies.world import World

C3TCP = Arm("C3TCP", "c3tcp", "paper")
OTHERS = (Arm("TCP", "new_reno"), Arm("Vegas", "vegas"), Arm("Westwood+", "westwood"))
MS = 1_000_000


def _flows(**transport: Any) -> Callable[[World], World]:
    """Another transport of the TCP flows."""

    def change(world: World) -> World:
        flows = [
            {**flow, "transport": {**flow["transport"], **transport}} if "transport" in flow else flow
            for flow in world["flows"]
        ]
        return {**world, "flows": flows}

    return change


def _one_queue(world: World) -> World:
    return {**world, "nodes": [{**node, "interface_queue": {"packets": 20}} for node in world["nodes"]]}


def _sensed_twice_as_far(world: World) -> World:
    return {**world, "hearing": {"range": {"decode_m": 22.5, "sense_m": 45.0}}}


def _last_hop(world: World) -> World:
    tcp, *others = world["flows"]
    return {**world, "flows": [{**tcp, "path": tcp["path"][-2:]}, *others]}


def _c3tcp(name: str, **settings: Any) -> Reading:
    return Reading(name, settings={"c3tcp": settings})


COMMON = (
    Reading("cross traffic of 400 kbit/s", {"cross_kbps": 400}),
    Reading("cross traffic of 1500 kbit/s", {"cross_kbps": 1500}),
    Reading("timeouts of 1 s or more", world=_flows(minimum_timeout_ns=1000 * MS)),
    Reading("windows of 64 packets", world=_flows(receive_window_bytes=64_000)),
    Reading("selective acknowledgements", world=_flows(sack=True)),
    with_mac("access of ns-2", **{key: value for key, value in worlds.NS2_MAC.items() if key != "preset"}),
    with_mac("no RTS/CTS", rts_threshold_bytes=None),
    Reading("frames sensed twice as far as decoded", world=_sensed_twice_as_far),
    Reading("one queue for all links of a radio", world=_one_queue),
)
MEASUREMENT = (
    _c3tcp("no DIFS in the transmission (eq. 3)", counts_difs=False),
    _c3tcp("acknowledgements at their own rate (eq. 5)", ack_at_data_rate=False),
    _c3tcp("measurements smoothed over eight", gain=0.125),
)
BREAKING = (
    Reading("routes break for 50 ms", {"repair_ns": 50 * MS}),
    Reading("routes break for 200 ms", {"repair_ns": 200 * MS}),
    Reading("routes break for 1 s", {"repair_ns": 1000 * MS}),
)


def _ahead(by: float, of: str) -> tuple[Statement, ...]:
    """C3TCP carries so much more with cross traffic."""
    least, most = by / 2, 1.5 * by
    return (
        Statement(
            f"C3TCP carries {100 * by:.0f} % more than {of} with cross traffic (half to one and a half of that)",
            lambda m, xs: least <= m["C3TCP", xs[0]] / m[of, xs[0]] - 1 <= most,
        ),
    )


def _alike(means: Means, x: X) -> float:
    """Largest difference of a throughput from another, as a share."""
    rates = [means[arm.label, x] for arm in (C3TCP, *OTHERS)]
    return max(rates) / min(rates) - 1


BOTH = tuple(
    Statement(
        f"the measured bandwidth is the throughput's {phase} (0.75 to 1.25)",
        lambda m, xs: 0.75 < m["C3TCP", xs[0]] < 1.25,
        f"measured {phase}",
    )
    for phase in ("alone", "crossed")
)


STRING = tried(
    "s001-string-readings",
    "the string with static routes, and with one thing changed",
    lambda _, seconds, repair_ns=0, cross_kbps=800: worlds.string(seconds, repair_ns, cross_kbps),
    tuple(replace(arm, flows=("tcp",)) for arm in (C3TCP, *OTHERS)),
    (*BREAKING, *COMMON, *MEASUREMENT),
    (
        holds_against(
            "S001-claim-6",
            "bandwidth growth",
            (
                Statement("cross traffic lowers the measured bandwidth (10 %)", lambda m, xs: m["C3TCP", xs[0]] < 0.9),
                Statement(
                    "and leaves the delay that the hops measure (25 %)",
                    lambda m, xs: m["C3TCP", xs[0]] < 1.25,
                    "delay growth",
                ),
            ),
            arms="C3TCP",
        ),
        holds_against(
            "S001-claim-14",
            "queue alone",
            (Statement("TCP alone keeps fewer than 5 packets", lambda m, xs: m["TCP", xs[0]] < 5),),
            arms="TCP",
        ),
        *(
            holds_against(
                item,
                "queue crossed",
                (Statement("TCP fills 18 or more of the 20 places", lambda m, xs: m["TCP", xs[0]] >= 18),),
                arms="TCP",
            )
            for item in ("S001-claim-15", "S001-fig14")
        ),
        holds_against(
            "S001-claim-16",
            "queue alone",
            (Statement("C3TCP alone keeps at most 3 packets", lambda m, xs: m["C3TCP", xs[0]] <= 3),),
            arms="C3TCP",
        ),
        holds_against(
            "S001-claim-18",
            "throughput alone",
            (Statement("alone all carry the same (2 %)", lambda m, xs: _alike(m, xs[0]) < 0.02),),
        ),
        holds_against(
            "S001-claim-19",
            "silence crossed",
            tuple(
                Statement(
                    f"{label} is silent for 10 % of the half seconds with cross traffic",
                    lambda m, xs, label=label: m[label, xs[0]] >= 10,  # type: ignore[misc]
                )
                for label in ("Vegas", "Westwood+")
            ),
        ),
        *(
            holds_against(
                item,
                "throughput crossed",
                (
                    Statement(
                        "C3TCP carries more than Vegas with cross traffic",
                        lambda m, xs: m["C3TCP", xs[0]] > m["Vegas", xs[0]],
                    ),
                ),
                arms=("C3TCP", "Vegas"),
            )
            for item in ("S001-fig16", "S001-fig18")
        ),
        holds_against(
            "S001-claim-20",
            "throughput crossed",
            (
                Statement(
                    "Vegas carries more than Westwood+ with cross traffic",
                    lambda m, xs: m["Vegas", xs[0]] > m["Westwood+", xs[0]],
                ),
            ),
            arms=("Vegas", "West"),
        ),
        *(
            holds_against(item, "throughput crossed", _ahead(by, of), arms=("C3TCP", of))
            for item, by, of in (
                ("S001-claim-21", 0.27, "TCP"),
                ("S001-claim-22", 0.18, "Westwood+"),
                ("S001-claim-23", 0.07, "Vegas"),
            )
        ),
    ),
    seeds=10,
    seconds=45,
    quick=(3, 45),
    bin_s=0.05,
    notes=(
        "Neither the routing nor the rate of the cross traffic is printed: static routes and 800 kbit/s. In ns-2.35 "
        "with AODV NewReno carries 223 and Vegas 527 kbit/s with cross traffic (docs/replay/c3tcp.md)."
    ),
)

MEASURED = tried(
    "s001-measured-readings",
    "what C3TCP measures on the string over its throughput, with one thing changed",
    lambda _, seconds: worlds.string(seconds, 0),
    (replace(C3TCP, flows=("tcp",)),),
    (
        *MEASUREMENT,
        with_mac("no RTS/CTS", rts_threshold_bytes=None),
        Reading("the last hop only", world=_last_hop),
        Reading("the last hop only, smoothed over eight", world=_last_hop, settings=MEASUREMENT[2].settings),
    ),
    tuple(holds_against(item, "measured alone", BOTH) for item in ("S001-fig11", "S001-claim-10")),
    seeds=10,
    seconds=45,
    quick=(3, 45),
    bin_s=1.0,
    notes="Over three hops a frame waits for two others; over one hop the acknowledgements of TCP take a share.",
)

LONG = ("short", "long")


def _no_diagonals(world: World) -> World:
    """Cells of 20 m, in which neighbours across a corner do not hear each other."""
    paths = {"short": ["5", "6", "11", "16", "17"], "udp": ["8", "9", "4"]}
    nodes = [{**node, "position_m": [2**0.5 * place for place in node["position_m"]]} for node in world["nodes"]]
    places = {node["name"]: node["position_m"] for node in nodes}
    links = [link for link in world["links"] if dist(places[link["from"]], places[link["to"]]) < 22.5]
    flows = [{**flow, "path": paths.get(flow["name"], flow["path"])} for flow in world["flows"]]
    return {**world, "nodes": nodes, "links": links, "flows": flows}


def _grid_arms(*arms: Arm) -> tuple[Arm, ...]:
    return tuple(replace(arm, label=f"{arm.label}, {flow}", flows=(flow,)) for arm in arms for flow in LONG)


def _equal(label: str) -> Statement:
    return Statement(
        f"both flows of {label} alike without UDP (15 %)",
        lambda m, xs: 0.85 <= m[f"{label}, short", xs[0]] / m[f"{label}, long", xs[0]] <= 1.15,
    )


def _rates(item: str, label: str, short: float, long: float) -> Figure:
    """Printed rates of both flows, in kbit/s, within 10 %."""
    printed = {f"{label}, short": short, f"{label}, long": long}
    near = Statement(
        "both rates are those printed (10 %)",
        lambda m, xs: all(abs(m[flow, xs[0]] / (1e3 * kbps) - 1) < 0.1 for flow, kbps in printed.items()),
    )
    return Figure(
        item, "throughput grid alone", (near,), {flow: {"": 1e3 * kbps} for flow, kbps in printed.items()}, arms=label
    )


STARVED = Statement(
    "the long flow of Vegas falls to a tenth with UDP",
    lambda m, xs: m["Vegas, long", xs[0]] < 0.1 * m["Vegas, short", xs[0]],
    "throughput grid crossed",
)
GRID = tried(
    "s001-grid-readings",
    "the grid with static routes, and with one thing changed",
    lambda _, seconds, cross_kbps=800, repair_ns=None: worlds.grid(seconds, cross_kbps, repair_ns),
    _grid_arms(C3TCP, *OTHERS),
    (
        *BREAKING[1:],
        *COMMON,
        *MEASUREMENT[2:],
        Reading("neighbours across a corner do not hear each other", world=_no_diagonals),
    ),
    (
        holds_against("S001-fig21b", "throughput grid alone", (_equal("Westwood+"),), arms="West"),
        holds_against("S001-fig21c", "throughput grid crossed", (STARVED,), arms="Vegas"),
        holds_against("S001-fig21d", "throughput grid alone", (_equal("C3TCP"),), arms="C3TCP"),
        _rates("S001-claim-24", "TCP", 400, 330),
        holds_against("S001-claim-25", "throughput grid alone", (_equal("Westwood+"),), arms=("West", "TCP")),
        holds_against("S001-claim-26", "throughput grid crossed", (STARVED,), arms="Vegas"),
        _rates("S001-claim-27", "C3TCP", 450, 450),
    ),
    seeds=10,
    seconds=100,
    quick=(1, 100),
    bin_s=0.5,
    notes="Routes are static; the rate of the cross traffic is not printed: 800 kbit/s.",
)

TWO_ENDS = (Arm("first", "new_reno", flows=("first",)), Arm("second", "new_reno", flows=("second",)))


def _later(_: int, seconds: float, *, hops: int = 4, start_s: float = 10.0) -> World:
    return worlds.two_flows(hops, start_s, seconds)


LATER = tried(
    "s001-two-flows-readings",
    "two TCP flows over the same hops from 10 s on, with one thing changed",
    _later,
    TWO_ENDS,
    (
        Reading("two hops", {"hops": 2}),
        Reading("eight hops", {"hops": 8}),
        Reading("windows of 20 packets", world=_flows(receive_window_bytes=26_000)),
        Reading("windows of 8 packets", world=_flows(receive_window_bytes=10_400)),
        Reading("queues of 100 packets", world=lambda world: worlds.with_queues(world, 100)),
        Reading("queues of 5 packets", world=lambda world: worlds.with_queues(world, 5)),
        Reading("timeouts of 1 s or more", world=_flows(minimum_timeout_ns=1000 * MS)),
        Reading("RTS/CTS", world=lambda world: {**world, "mac": worlds.RTS}),
        Reading("routes break for 1 s", world=lambda world: {**world, "route_repair_ns": 1000 * MS}),
    ),
    (
        holds_against(
            "S001-claim-4",
            "throughput later",
            (
                Statement(
                    "the later flow takes more than nine tenths",
                    lambda m, xs: m["second", xs[0]] > 9 * m["first", xs[0]],
                ),
            ),
        ),
    ),
    seeds=10,
    seconds=60,
    quick=(3, 60),
    bin_s=1.0,
)

STUDIES = (LATER, MEASURED, STRING, GRID)
"""In the order of the paper."""
