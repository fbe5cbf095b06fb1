"""Worlds of the studies: the named topologies with what a study changes, and the wired dumbbells."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

from benchmarks.replay.dumbbells import HEADER_BYTES, Dumbbell
from winf_analyzer._replay import topologies
from winf_analyzer._replay.topologies import neighbourhoods as s003
from winf_analyzer._replay.topologies.world import (
    DOT11B,
    DOT11B_RTS,
    SECOND,
    World,
    flow,
    hearing_graph,
    nodes,
    wired,
    wireless,
)
from winf_analyzer._replay.topologies.world import world as world_of

NS2_MAC: dict[str, Any] = {
    "preset": "802.11b",
    "eifs": "sensed",
    "access": "always_back_off",
    "nav_reset": False,
    "late_capture": False,
}
"""ns-2's: EIFS after every frame that is sensed only, a backoff before every packet, no capture of later frames."""

WIDE: dict[str, Any] = {"receive_window_bytes": 1 << 24, "initial_window_segments": 2}
"""A transport whose receiver never limits the window."""


def ns(seconds: float) -> int:
    """Nanoseconds."""
    return round(seconds * SECOND)


def in_bins(world: World, seconds: float) -> World:
    """The same world with bins of so many seconds."""
    return {**world, "record": {"bin_ns": ns(seconds)}}


def dumbbell(setting: Dumbbell) -> World:
    """The world of one comparison with ns-2."""
    # A queue of ns-2 with this limit holds one less.
    limit = setting.queue_packets - 1
    links = [wired("left", "right", bps(setting.rate_mbps), ms(setting.delay_ms), queue=limit)]
    flows = []
    for number, access_ms in enumerate(setting.access_ms):
        source, target = f"source-{number}", f"target-{number}"
        links.append(wired(source, "left", bps(100), ms(access_ms), queue=limit))
        links.append(wired("right", target, bps(100), ms(1), queue=limit))
        path = [source, "left", "right", target]
        opened = flow(str(number), path, start_s=number * setting.spacing_s, transport=WIDE | {"handshake": True})
        flows.append(opened | {"header_bytes": HEADER_BYTES})
    ends = [f"{end}-{number}" for number in range(len(setting.access_ms)) for end in ("source", "target")]
    return wired_world(setting.name, setting.stop_s, ["left", "right", *ends], links, flows)


def wired_world(name: str, seconds: float, names: list[str], links: list[Any], flows: list[Any]) -> World:
    """A world without radio."""
    return {"name": name, "duration_ns": ns(seconds), "nodes": nodes(names), "links": links, "flows": flows}


def chain(hops: int, seconds: float) -> World:
    """S004 fig. 2."""
    return _one_queue({**topologies.build(f"chain:{hops}"), "duration_ns": ns(seconds), "mac": NS2_MAC}, 25)


def mesh_access(seconds: float, hops: int = 3) -> World:
    """S004 fig. 5; with one hop, every station next to the base station."""
    world = topologies.build(f"mesh_access:hops={hops}")
    mac = {**NS2_MAC, "control_rate_bps": 2_000_000}
    return in_bins(_one_queue({**world, "duration_ns": ns(seconds), "mac": mac}, 50), 1.0)


def mobile_mesh(mobiles: int, seconds: int, seed: int) -> World:
    """S000 fig. 9: 16 mesh nodes and mobiles on 1000 m by 1000 m, packets of 1500 bytes, RTS/CTS for rt-Winf."""
    world = topologies.build(f"mesh_mobiles:mesh=16,mobiles={mobiles},seed={seed},area_m=1000,seconds={seconds}")
    flows = [{**flow, "payload_bytes": 1460} for flow in world["flows"]]
    return _winf({**world, "flows": flows})


def neighbourhoods(name: str, seconds: float, loss: float = 0.0) -> World:
    """A topology of S003, whose queues mark by their average as its TCP wants it; bins of a second."""
    return _marking({**topologies.build(f"{name}:loss={loss:g}"), "duration_ns": ns(seconds)})


def line(count: int, seconds: float) -> World:
    """So many nodes in a row that only hear those beside them, and a flow from end to end, as S003 tells of 15."""
    names = [str(number) for number in range(1, count + 1)]
    pairs = list(pairwise(names))
    transport = s003.TRANSPORT
    world = world_of(
        f"line of {count}",
        seconds,
        nodes=nodes(names),
        links=[wireless(a, b, queue=s003.QUEUE_PACKETS) for a, b in pairs],
        flows=[flow(f"1-{count}", names, payload_bytes=s003.PAYLOAD_BYTES, transport=transport)],
        hearing=hearing_graph(pairs),
        mac=DOT11B_RTS,
    )
    return _marking(world)


def without_rts(world: World) -> World:
    """The same world without RTS/CTS."""
    return {**world, "mac": DOT11B}


def short_control(world: World) -> World:
    """The same world with control frames at 2 Mbit/s, and TCP acknowledgements sent without RTS."""
    return {**world, "mac": {**world["mac"], "rts_threshold_bytes": 100, "control_rate_bps": 2_000_000}}


def without_mac_repair(world: World) -> World:
    """The same world with a MAC that sends data frames once."""
    return {**world, "mac": {**world["mac"], "long_retry_limit": 1}}


def building(mobiles: int, heavy: bool, fastest: int, seconds: int, seed: int) -> World:
    """S000 fig. 13; a mesh node is down for a sixth of the time: 100 s of the paper's 600."""
    asked = f"mobiles={mobiles},heavy={int(heavy)},max_speed={fastest},seed={seed}"
    return _winf(topologies.build(f"building:{asked},seconds={seconds},down_s={seconds // 6}"))


def around_a_sink(groups: int, each: int, rate_bps: int | None, seconds: float) -> World:
    """Senders around one sink, in groups that do not hear each other; 1500-byte packets at a rate, or greedily."""
    members = [[f"sender-{group}-{number}" for number in range(each)] for group in range(groups)]
    senders = [name for group in members for name in group]
    near = [pair for group in members for pair in combinations(group, 2)]
    source = {"source": {"cbr": {"rate_bps": rate_bps}}} if rate_bps else {}
    return _winf(
        world_of(
            f"{groups} groups of {each}",
            seconds,
            nodes=nodes([*senders, "sink"]),
            links=[wireless(name, "sink") for name in senders],
            flows=[flow(name, [name, "sink"], payload_bytes=1460) | source for name in senders],
            hearing=hearing_graph([*near, *((name, "sink") for name in senders)]),
            mac=DOT11B_RTS,
        )
    )


def short_sighted_line(hops: int, seconds: float) -> World:
    """A greedy flow over a line of nodes that hear only those beside them, 1500-byte packets."""
    world = line(hops + 1, seconds)
    return _winf({**world, "flows": [{**flow, "payload_bytes": 1460} for flow in world["flows"]]})


def bps(mbps: float) -> int:
    """Bits per second."""
    return round(mbps * 1e6)


def ms(milliseconds: float) -> int:
    """Nanoseconds."""
    return ns(milliseconds / 1000)


def _marking(world: World) -> World:
    marks = {"mark_from_packets": 4, "mark_average_weight": 0.02}
    links = [{**link, "queue": {**link["queue"], **marks}} for link in world["links"]]
    return in_bins({**world, "links": links}, 1.0)


def _winf(world: World) -> World:
    return in_bins(_one_queue({**world, "mac": {**NS2_MAC, "rts_threshold_bytes": 0}}, 50), 1.0)


def _one_queue(world: World, packets: int) -> World:
    """The same with one queue for all links of a radio, as ns-2's interface queue."""
    return {**world, "nodes": [{**node, "interface_queue": {"packets": packets}} for node in world["nodes"]]}
