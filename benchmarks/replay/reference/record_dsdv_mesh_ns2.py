"""What DSDV delivers to mobiles in ns-2: streams between the mobiles of the topology `mesh_mobiles`, along its tracks.

    python -m benchmarks.replay.reference.record_dsdv_mesh_ns2

Needs ``ns`` (Debian: ns2 2.35+dfsg-5). The seed is that of the tracks and of ns-2. Columns of the recording:

messages, octets   that all nodes sent, IP headers included
sent, delivered    packets of all streams
"""

from __future__ import annotations

import csv
import subprocess
import tempfile
from itertools import pairwise, product
from pathlib import Path

from winf_analyzer._replay import topologies
from winf_analyzer._replay.topologies.world import SECOND, World

HERE = Path(__file__).parent
TARGET = HERE / "dsdv_mesh_ns2.csv"
SIMULATOR = "ns-2.35 (Debian 2.35+dfsg-5)"
SCENES = ((16, 5), (5, 7))
"""Mesh nodes and mobiles."""
KBPS = (8, 80)
SEEDS = range(1, 21)
SECONDS = 200
MARGIN_M = 100.0
"""ns-2's places are above 0."""


def main() -> None:
    """Write the recording."""
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["simulator", "mesh", "mobiles", "kbps", "seed", "messages", "octets", "sent", "delivered"])
        for (mesh, mobiles), kbps, seed in product(SCENES, KBPS, SEEDS):
            writer.writerow([SIMULATOR, mesh, mobiles, kbps, seed, *run(mesh, mobiles, kbps, seed)])
            file.flush()


def run(mesh: int, mobiles: int, kbps: int, seed: int) -> tuple[int, int, int, int]:
    """Messages, their octets, packets sent and delivered."""
    world = topologies.build(f"mesh_mobiles:mesh={mesh},mobiles={mobiles},seed={seed},seconds={SECONDS}")
    with tempfile.TemporaryDirectory() as folder:
        scene, trace = Path(folder) / "scene.tcl", Path(folder) / "trace"
        scene.write_text(_scene(world, kbps), encoding="ascii")
        asked = (str(scene), str(seed), str(SECONDS), str(trace))
        subprocess.run(["ns", str(HERE / "dsdv_mesh_ns2.tcl"), *asked], check=True, capture_output=True)
        return _counted(trace)


def _scene(world: World, kbps: int) -> str:
    names = [node["name"] for node in world["nodes"]]

    def place(position: list[float]) -> str:
        return " ".join(f"{axis + MARGIN_M:.6f}" for axis in position)

    places = [place(node["position_m"]) for node in world["nodes"]]
    moves = []
    for number, node in enumerate(world["nodes"]):
        for start, end in pairwise(node.get("waypoints", [])):
            seconds = (end["at_ns"] - start["at_ns"]) / SECOND
            metres = sum((b - a) ** 2 for a, b in zip(start["position_m"], end["position_m"], strict=True)) ** 0.5
            if start["at_ns"] < SECONDS * SECOND:
                at, speed = start["at_ns"] / SECOND, metres / seconds
                moves.append(f"{number} {at:.9f} {place(end['position_m'])} {speed:.9f}")
    ends = [(flow["path"][0], flow["path"][-1]) for flow in world["flows"]]
    streams = [f"{names.index(source)} {names.index(target)} {kbps}" for source, target in ends]
    lists = {"places": places, "moves": moves, "streams": streams}
    return "".join(f"set {name} {{{' '.join(f'{{{row}}}' for row in rows)}}}\n" for name, rows in lists.items())


def _counted(trace: Path) -> tuple[int, int, int, int]:
    messages = octets = 0
    sent, delivered = set(), set()
    with trace.open(encoding="ascii") as lines:
        for line in lines:
            words = line.split()
            if words[0] not in "sr" or len(words) < 8:
                continue
            what, layer, uid, kind, size = words[0], words[3], int(words[5]), words[6], int(words[7])
            if (what, layer, kind) == ("s", "RTR", "message"):
                messages, octets = messages + 1, octets + size
            elif layer == "AGT":
                (sent if what == "s" else delivered).add(uid)
    return messages, octets, len(sent), len(delivered)


if __name__ == "__main__":
    main()
