"""Worlds of the studies: the named topologies in the setting of ns-2, as the papers ran them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

from winf_analyzer._replay import replay, topologies
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

FREE: dict[str, Any] = {"congestion_headers": "free"}
"""Headers of controllers have no length: so it is in ns-2, and S003 prints none."""

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
    return {**world, **FREE, "nodes": nodes, "mac": mac, "duration_ns": round(seconds * w.SECOND)}


def mesh(
    mesh: int,
    mobiles: int,
    seed: int,
    seconds: float,
    *,
    side_m: int,
    payload: int,
    mac: dict[str, Any],
    dsdv: int = 0,
) -> World:
    """A mesh with mobiles, each of which has a greedy flow to the next; `dsdv` as in the topology."""
    asked = f"mesh_mobiles:mesh={mesh},mobiles={mobiles},seed={seed},area_m={side_m},seconds={round(seconds)}"
    world = topologies.build(f"{asked},dsdv={int(dsdv)}")
    flows = [{**flow, "payload_bytes": payload} for flow in world["flows"]]
    return in_ns2({**world, "flows": flows}, mac, 50, seconds)


def voice_mesh(
    mobiles: int,
    seed: int,
    seconds: float,
    *,
    rate_bps: int = G711_BPS,
    payload: int = G711_BYTES,
    mac: dict[str, Any] = RTS,
    dsdv: int = 0,
) -> World:
    """S000's mesh of 16 with a voice call from every mobile to the next, of G.711 if nothing else is said."""
    world = mesh(16, mobiles, seed, seconds, side_m=1000, payload=payload, mac=mac, dsdv=dsdv)
    source = {"cbr": {"rate_bps": rate_bps}}
    return {**world, "flows": [{**flow, "source": source} for flow in world["flows"]]}


def building(mobiles: int, heavy: bool, fastest: int, seed: int, seconds: float, *, dsdv: int = 0) -> World:
    """S000's building; where a run is shorter than 600 s the mesh node is out for a sixth of it."""
    span = round(seconds)
    asked = f"building:mobiles={mobiles},heavy={int(heavy)},max_speed={fastest},seed={seed}"
    return in_ns2(topologies.build(f"{asked},seconds={span},down_s={span // 6},dsdv={dsdv}"), RTS, 50, seconds)


RTP_BYTES = 12
"""Header of a packet of a call (RFC 3550, section 5.1)."""


def probed(rate_bps: float, probes: Sequence[tuple[int, float]], seconds: float) -> World:
    """Two nodes with a flow, a call at the rate of G.711, and beside it probes: payload, and seconds between two."""
    size = G711_BYTES if rate_bps == G711_BPS else 1000
    headers = RTP_BYTES if rate_bps == G711_BPS else 0
    rate = round(rate_bps * (size + headers) / size)
    flows = [w.cbr("flow", ["1", "2"], rate, payload_bytes=size + headers, stop_s=seconds)]
    for number, (payload, every_s) in enumerate(probes):
        times = [round(turn * every_s * w.SECOND) for turn in range(int(seconds / every_s))]
        probe = w.flow(f"probes-{number};", ["1", "2"], payload_bytes=payload)
        sent = {"source": {"scheduled": [[at, payload] for at in times]}, "header_bytes": flows[0]["header_bytes"]}
        flows.append(datagrams({**probe, **sent}))
    return in_ns2({**topologies.build("chain:1"), "flows": flows}, RTS, 50, seconds)


def chain(hops: int, seconds: float) -> World:
    """S004's chain."""
    return in_ns2(topologies.build(f"chain:{hops}"), NS2_MAC, 25, seconds)


def neighbourhood(name: str, seconds: float) -> World:
    """A topology of S003, whose queues mark by their average as its TCP wants it."""
    world = topologies.build(name)
    marks = {"mark_from_packets": 4, "mark_average_weight": 0.02}
    links = [{**link, "queue": {**link["queue"], **marks}} for link in world["links"]]
    return {**world, **FREE, "links": links, "duration_ns": round(seconds * w.SECOND)}


def base_station_chain(seed: int, seconds: float, nodes: int = 4, *, dsdv: bool = False) -> World:
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
    return in_ns2(with_dsdv(world) if dsdv else world, NS2_MAC, 50, seconds)


SETTLED_S = 300.0
"""By then DSDV has found the routes of a chain of ten hops, as in ns-2."""


def with_dsdv(world: World, before_s: float = 0.0) -> World:
    """The same, whose nodes run DSDV: its messages contend, and there are no routes at first.

    Nodes do so for `before_s` before what else happens; everything is later by that.
    """
    before = round(before_s * w.SECOND)
    flows = [
        {**flow, **{at: flow.get(at, 0) + before for at in ("start_ns", "stop_ns") if at in flow or at == "start_ns"}}
        for flow in world["flows"]
    ]
    return {**world, "flows": flows, "duration_ns": world["duration_ns"] + before, "routing": {"dsdv": {}}}


NS2_TCP: dict[str, Any] = {
    "minimum_timeout_ns": 200_000_000,
    "sack": False,
    "receive_window_bytes": 20_000,
    "initial_window_segments": 2,
}
"""ns-2's transport, as S001 has it: windows of at most 20 packets."""


def string(seconds: float, repair_ns: int, cross_kbps: int = 800) -> World:
    """S001's string; a packet that the MAC gave up breaks its route for so long."""
    return _c3tcp(topologies.build(f"string_cross:cross_kbps={cross_kbps}"), seconds, repair_ns)


def grid(seconds: float, cross_kbps: int = 800, repair_ns: int | None = None) -> World:
    """S001's grid, whose routes nothing breaks, or likewise."""
    return _c3tcp(topologies.build(f"grid_cross:cross_kbps={cross_kbps}"), seconds, repair_ns)


def several_flows(place: str, seconds: float) -> World:
    """S001's fig. 8, with the flows that a place names; they wait apart where it says so."""
    paths = {"F1": ["N1", "N2", "N3", "N4"], "F2": ["N1", "N2", "N3", "N5"], "F3": ["N7", "N6"]}
    links = [("N1", "N2"), ("N2", "N3"), ("N3", "N4"), ("N3", "N5"), ("N7", "N6")]
    in_range = [*links, ("N4", "N5"), *(("N6", node) for node in ("N2", "N3", "N4"))]
    queue = {"packets": 20, "per_flow": place.endswith("told apart")}
    world = w.world(
        "several_flows",
        seconds,
        nodes=w.nodes([f"N{number}" for number in range(1, 8)]),
        links=[{**w.wireless(a, b), "queue": queue} for a, b in links],
        flows=[w.flow(name, path) for name, path in paths.items() if name in place],
        hearing={"graph": {"decodes": [list(pair) for pair in in_range], "symmetric": True}},
        mac=w.DOT11B_RTS,
    )
    return {**world, **FREE, "flows": [{**flow, "transport": NS2_TCP} for flow in world["flows"]]}


def _c3tcp(world: World, seconds: float, repair_ns: int | None) -> World:
    *tcp, cross = world["flows"]
    flows = [*({**flow, "transport": NS2_TCP} for flow in tcp), cross]
    repair = {"route_repair_ns": repair_ns} if repair_ns else {}
    return {**world, **FREE, **repair, "flows": flows, "duration_ns": round(seconds * w.SECOND)}


def fixed_window_string(packets: int, seconds: float) -> World:
    """The flow of S001's string alone, held by its receiver's window."""
    world = topologies.build("string_cross")
    transport = {**NS2_TCP, "receive_window_bytes": 1000 * packets}
    flows = [{**world["flows"][0], "transport": transport, "start_ns": 0}]
    return {**world, "flows": flows, "duration_ns": round(seconds * w.SECOND)}


def fixed_window_chain(hops: int, packets: int, seconds: float) -> World:
    """S004's chain, its flow held by its receiver's window."""
    world = chain(hops, seconds)
    (flow,) = world["flows"]
    transport = {**flow["transport"], "receive_window_bytes": flow["payload_bytes"] * packets}
    return {**world, "flows": [{**flow, "transport": transport}]}


def two_flows(hops: int, second_at_s: float, seconds: float) -> World:
    """Two flows over the same chain, one of which starts later."""
    world = chain(hops, seconds)
    (flow,) = world["flows"]
    later = {**flow, "name": "second", "start_ns": round(second_at_s * w.SECOND)}
    return {**world, "flows": [{**flow, "name": "first"}, later]}


def chain_rts(hops: int, seconds: float) -> World:
    """S004's chain with RTS/CTS."""
    return {**chain(hops, seconds), "mac": RTS}


def mesh_access(seconds: float, *, hops: int = 3, rate_mbps: int = 22) -> World:
    """S004's mesh access network, all its radios at one rate and control frames at 2 Mbit/s or less."""
    world = topologies.build(f"mesh_access:hops={hops}")
    rate_bps = rate_mbps * 1_000_000
    links = [
        {**link, "medium": {"wireless": {**link["medium"]["wireless"], "rate_bps": rate_bps}}}
        if "wireless" in link["medium"]
        else link
        for link in world["links"]
    ]
    mac = {**NS2_MAC, "control_rate_bps": min(2_000_000, rate_bps)}
    return in_ns2({**world, "links": links}, mac, 50, seconds)


def coming_and_going(comes_s: float, goes_s: float, seconds: float) -> World:
    """S003's Chain-Cross, in which flow 1-7 comes and goes."""
    world = neighbourhood("chain_cross", seconds)
    span = {"start_ns": round(comes_s * w.SECOND), "stop_ns": round(goes_s * w.SECOND)}
    return {**world, "flows": [{**flow, **span} if flow["name"] == "1-7" else flow for flow in world["flows"]]}


def offered(name: str, rates_bps: Mapping[str, float], seed: int, seconds: float, *, periodic: bool = False) -> World:
    """A topology of S003 whose flows are datagrams at these mean payload rates.

    They come at random instants: flows of one fixed period may keep out of each other's way for ever.
    """
    world = neighbourhood(name, seconds)
    rng = random.Random(seed)  # noqa: S311 (a simulation's randomness)
    flows = [datagrams(flow) for flow in world["flows"]]
    for flow in flows:
        size, mean_s = flow["payload_bytes"], 8 * flow["payload_bytes"] / rates_bps[flow["name"]]
        if periodic:
            flow["source"] = {"cbr": {"rate_bps": round(rates_bps[flow["name"]])}}
            continue
        times = accumulate(rng.expovariate(1 / mean_s) for _ in range(round(2 * seconds / mean_s)))
        flow["source"] = {"scheduled": [[round(at * w.SECOND), size] for at in times if at < seconds]}
    return {**world, "flows": flows}


def offered_max_min(
    name: str,
    factor: float,
    seed: int,
    seconds: float,
    *,
    acknowledged: bool = False,
    periodic: bool = False,
    change: Callable[[World], World] = lambda world: world,
) -> World:
    """Datagrams at so many times the max-min rates that the reference finds for them.

    `acknowledged`: at the rates of flows with acknowledgements, which take air. `change`: what is done to the topology.
    """
    world = change(neighbourhood(name, seconds))
    greedy = {**world, "flows": world["flows"] if acknowledged else list(map(datagrams, world["flows"]))}
    summary = replay(topology=greedy, controllers=["max_min"]).summary
    rates = zip(summary["flow"], summary["throughput_bps"], strict=True)
    offer = {flow: factor * rate for flow, rate in rates}
    return change(offered(name, offer, seed, seconds, periodic=periodic))


def datagrams(flow: dict[str, Any]) -> dict[str, Any]:
    """The flow without acknowledgements, its headers as they were."""
    return {**flow, "ack_bytes": 0}


def two_bottlenecks(seconds: float) -> World:
    """Two wires of 10 Mbit/s in a row: a flow over both, and one over each; all with the same delay."""
    access = {"long": ("a", "c", 20), "short-1": ("a", "b", 25), "short-2": ("b", "c", 25)}
    links = [w.wired("a", "b", 10_000_000, 10_000_000, queue=20), w.wired("b", "c", 10_000_000, 10_000_000, queue=20)]
    flows, names = [], ["a", "b", "c"]
    for flow, (enters, leaves, delay_ms) in access.items():
        ends = [f"{flow}.source", f"{flow}.sink"]
        names += ends
        links.append(w.wired(ends[0], enters, 100_000_000, delay_ms * 1_000_000))
        links.append(w.wired(leaves, ends[1], 100_000_000, delay_ms * 1_000_000))
        inner = ["a", "b", "c"][["a", "b", "c"].index(enters) : ["a", "b", "c"].index(leaves) + 1]
        flows.append(w.flow(flow, [ends[0], *inner, ends[1]]))
    return {
        **FREE,
        "name": "two_bottlenecks",
        "duration_ns": round(seconds * w.SECOND),
        "nodes": w.nodes(names),
        "links": links,
        "flows": flows,
    }


def with_queues(world: World, packets: int) -> World:
    """The same with other limits of the radios' queues."""
    nodes = [
        {**node, "interface_queue": {"packets": packets}} if "interface_queue" in node else node
        for node in world["nodes"]
    ]
    return {**world, "nodes": nodes}


def arrivals(count: int, seconds: float) -> World:
    """Stations around a base station that sends to each, to one more every five seconds."""
    names = [f"station-{number}" for number in range(count)]
    world = w.world(
        "arrivals",
        seconds,
        nodes=w.nodes(["base", *names]),
        links=[w.wireless("base", name) for name in names],
        flows=[
            w.flow(name, ["base", name], payload_bytes=1400, start_s=5.0 * number) for number, name in enumerate(names)
        ],
        hearing="everyone",
        mac=NS2_MAC,
    )
    return {**world, **FREE, "nodes": [{**node, "interface_queue": {"packets": 50}} for node in world["nodes"]]}


def ad_hoc(nodes: int, flows: int, seed: int, seconds: float, *, dsdv: int = 0) -> World:
    """S000's ad hoc network: mobiles alone, CBR flows of 64 kbit/s between random pairs."""
    asked = f"ad_hoc:nodes={nodes},flows={flows},seed={seed},seconds={round(seconds)},dsdv={int(dsdv)}"
    return in_ns2(topologies.build(asked), RTS, 50, seconds)


def changing_rates(period_s: float, seconds: float, *, slow_bps: int = 5_500_000, rows: str = "123456789") -> World:
    """S003's Stack, whose links change between 11 Mbit/s and a slower rate, as auto-rate does; 0: they stay.

    `rows`: the nodes whose links change.
    """
    world = neighbourhood("stack", seconds)
    if not period_s:
        return world
    ends = [(link["from"], link["to"]) for link in world["links"] if link["from"] in rows]
    ways = [*ends, *((b, a) for a, b in ends)]
    instants = range(1, int(seconds / period_s) + 1)
    changes = [
        {
            "at_ns": round(number * period_s * w.SECOND),
            "change": {"link": {"from": a, "to": b, "rate_bps": slow_bps if number % 2 else 11_000_000}},
        }
        for number in instants
        for a, b in ways
    ]
    return {**world, "changes": changes}


def with_headers(world: World, counted: bool) -> World:
    """The same, whose congestion headers take their octets, or none."""
    return {**world, "congestion_headers": "counted" if counted else "free"}


def stack_of_interferers(seconds: float) -> World:
    """S003's Stack, whose rows sense each other and cannot decode each other."""
    world = neighbourhood("stack", seconds)
    links = [[link["from"], link["to"]] for link in world["links"]]
    pairs = world["hearing"]["graph"]["decodes"]
    graph = {"decodes": links, "senses": [pair for pair in pairs if pair not in links], "symmetric": True}
    return {**world, "hearing": {"graph": graph}}
