"""Worlds of the studies: the named topologies with what a study changes, and the wired dumbbells."""

from __future__ import annotations

from typing import Any

from benchmarks.replay.dumbbells import Dumbbell
from winf_analyzer import topologies
from winf_analyzer.topologies.world import SECOND, World, flow, nodes, wired

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
    limit = setting.queue_packets
    links = [wired("left", "right", bps(setting.rate_mbps), ms(setting.delay_ms), queue=limit)]
    flows = []
    for number, access_ms in enumerate(setting.access_ms):
        source, target = f"source-{number}", f"target-{number}"
        links.append(wired(source, "left", bps(100), ms(access_ms), queue=limit))
        links.append(wired("right", target, bps(100), ms(1), queue=limit))
        path = [source, "left", "right", target]
        flows.append(flow(str(number), path, start_s=number * setting.spacing_s, transport=WIDE))
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


def building(mobiles: int, heavy: bool, fastest: int, seconds: int, seed: int) -> World:
    """S000 fig. 13, shorter: a mesh node is down for a sixth of the time."""
    asked = f"mobiles={mobiles},heavy={int(heavy)},max_speed={fastest},seed={seed}"
    return _winf(topologies.build(f"building:{asked},seconds={seconds},down_s={seconds // 6}"))


def bps(mbps: float) -> int:
    """Bits per second."""
    return round(mbps * 1e6)


def ms(milliseconds: float) -> int:
    """Nanoseconds."""
    return ns(milliseconds / 1000)


def _winf(world: World) -> World:
    return in_bins(_one_queue({**world, "mac": {**NS2_MAC, "rts_threshold_bytes": 0}}, 50), 1.0)


def _one_queue(world: World, packets: int) -> World:
    """The same with one queue for all links of a radio, as ns-2's interface queue."""
    return {**world, "nodes": [{**node, "interface_queue": {"packets": packets}} for node in world["nodes"]]}
