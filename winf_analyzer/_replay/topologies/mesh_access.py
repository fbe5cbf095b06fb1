"""The mesh access network of S004 (Abrantes, Ricardo: XCP-b in wireless multi-hop networks, sec. 5.3).

Wired hosts reach a base station, which three arms of 802.11 stations surround: top, bottom and right, three groups of
three stations each, every group one hop further out. The figure has the places; the arms here are 200 m per hop, the
stations of a group 30 m apart, and the middle one relays.
"""

from __future__ import annotations

from winf_analyzer._replay.topologies import world as w
from winf_analyzer._replay.topologies.shapes import RANGE, S004_TRANSPORT

RATE_BPS = 22_000_000
QUEUE_PACKETS = 50
HOP_M, APART_M = 200.0, 30.0
ARMS = {"T": (0.0, 1.0), "B": (0.0, -1.0), "R": (1.0, 0.0)}
GROUPS = (1, 2, 3)
STATIONS = (1, 2, 3)


def mesh_access(hops: int = 3) -> w.World:
    """27 flows from wired hosts to stations up to `hops` hops away; groups start at 0, 20 and 40 s. 100 s in all.

    22 Mbit/s data rate, 2 Mbit/s basic rate, no RTS/CTS; wires of 100 Mbit/s with 50 ms and 1 Gbit/s with 1 ms. With
    `hops=1` every station is a neighbour of the base station.
    """
    stations = [(arm, group, station) for arm in ARMS for group in GROUPS for station in STATIONS]
    groups = [f"{arm}{group}" for arm in ARMS for group in GROUPS]
    links = [w.wired(f"N.{group}", "R", 100_000_000, 50_000_000) for group in groups]
    links.append(w.wired("R", "BS", 1_000_000_000, 1_000_000))
    parents: dict[str, str] = {}
    for arm, group, station in stations:
        name = _name(arm, group, station)
        parents[name] = "BS" if group == 1 or hops == 1 else _name(arm, group - 1, 2)
        links.append(w.wireless(parents[name], name, RATE_BPS, queue=QUEUE_PACKETS))
    flows = []
    for arm, group, station in stations:
        name = _name(arm, group, station)
        way = [name]
        while way[0] != "BS":
            way.insert(0, parents[way[0]])
        path = [f"N.{arm}{group}", "R", *way]
        start_s = 20.0 * (group - 1)
        flows.append(w.flow(name, path, payload_bytes=1260, start_s=start_s, transport=S004_TRANSPORT))
    return w.world(
        f"mesh_access:hops={hops}",
        100.0,
        nodes=[
            *w.nodes([*(f"N.{group}" for group in groups), "R"]),
            {"name": "BS", "position_m": [0.0, 0.0]},
            *({"name": _name(*station), "position_m": _place(*station, hops=hops)} for station in stations),
        ],
        links=links,
        flows=flows,
        hearing=RANGE,
        mac={"preset": "802.11b", "control_rate_bps": 2_000_000},
    )


def _name(arm: str, group: int, station: int) -> str:
    return f"{arm}{group}.{station}"


def _place(arm: str, group: int, station: int, *, hops: int) -> list[float]:
    out = HOP_M * (group if hops > 1 else 1)
    aside = APART_M * (station - 2 + (0 if hops > 1 else 3 * (group - 2)))
    x, y = ARMS[arm]
    return [x * out - y * aside, y * out + x * aside]
