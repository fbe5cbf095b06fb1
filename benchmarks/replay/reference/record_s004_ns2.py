"""Runs S004's chains and mesh access network under NewReno in ns-2, sensed as far as ns-2's default and as decoded.

    python -m benchmarks.replay.reference.record_s004_ns2

Needs ``ns`` (Debian: ns2 2.35+dfsg-5). Columns of the recording, means over what a run is measured over:

window_packets, rtt_ms, goodput_kbps   of a flow's samples; chains without their first 5 s, the mesh once all run
data_packets                           sent by the sources in the whole run, repetitions left out
deviation_percent, jain                of the flows' packets a second, as S004 section 5.3; the mesh once all run
failed_share                           transmissions of unicast frames that no MAC ACK followed, of all
collisions_per_frame                   frames that ns-2's nodes, addressed or not, dropped as collided, per frame sent
given_up                               packets that the MAC gave up
"""

from __future__ import annotations

import csv
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from itertools import product
from pathlib import Path
from statistics import fmean, pstdev

HERE = Path(__file__).parent
TARGET = HERE / "s004_ns2.csv"
SIMULATOR = "ns-2.35 (Debian 2.35+dfsg-5)"
SCENES = (*(("chain", hops) for hops in range(1, 11)), ("mesh", 1), ("mesh", 3))
SENSED_M = (550, 250)
ROUTES = ("held", "dsdv")
"""Given and kept, as in the engine, or DSDV's throughout, as S004 ran it."""
SEEDS = range(1, 6)
SECONDS = {"chain": 60, "mesh": 70}
LEFT_OUT_S = {"chain": 5, "mesh": 40}
SETTLED_S = 300
"""The flows' first second: `settled` of the script."""
PAYLOAD_BYTES = 1260
BROADCAST = "ffffffff"


@dataclass(frozen=True)
class Measured:
    """One run."""

    window_packets: float
    rtt_ms: float
    goodput_kbps: float
    data_packets: int
    deviation_percent: float
    jain: float
    failed_share: float
    collisions_per_frame: float
    given_up: int


KEYS = ("simulator", "routes", "scene", "hops", "sensed_m", "seed")
COLUMNS = tuple(field.name for field in fields(Measured))


def main() -> None:
    """Write the recording."""
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*KEYS, *COLUMNS])
        for routes, (scene, hops), sensed_m, seed in product(ROUTES, SCENES, SENSED_M, SEEDS):
            values = (f"{value:.6g}" for value in astuple(_run(scene, hops, sensed_m, routes, seed)))
            writer.writerow([SIMULATOR, routes, scene, hops, sensed_m, seed, *values])


def _run(scene: str, hops: int, sensed_m: int, routes: str, seed: int) -> Measured:
    seconds = SECONDS[scene]
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        asked = map(str, (scene, hops, sensed_m, routes, seed, seconds, trace))
        command = ["ns", str(HERE / "s004_ns2.tcl"), *asked]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        with trace.open(encoding="ascii") as lines:
            return _measured(told, lines, SETTLED_S + LEFT_OUT_S[scene], SETTLED_S + seconds)


def _measured(told: list[str], trace: Iterable[str], first_s: int, end_s: int) -> Measured:
    samples: dict[str, list[tuple[float, float]]] = defaultdict(list)
    sent = 0
    for line in told:
        kind, *rest = line.split()
        if kind == "sample" and float(rest[1]) >= first_s:
            samples[rest[0]].append((float(rest[2]), float(rest[3])))
        elif kind == "flow":
            sent += int(rest[1])
    frames, arrived = _counted(trace)
    rates = [[float(arrived[flow][second]) for second in range(first_s, end_s)] for flow in samples]
    return Measured(
        window_packets=fmean(fmean(window for window, _ in flow) for flow in samples.values()),
        rtt_ms=fmean(fmean(rtt for _, rtt in flow) for flow in samples.values()),
        goodput_kbps=sum(map(sum, rates)) * PAYLOAD_BYTES * 8 / 1000 / (end_s - first_s),
        data_packets=sent,
        deviation_percent=100 * fmean(pstdev(rate) / fmean(rate) for rate in rates if any(rate)),
        jain=fmean(map(_jain, zip(*rates, strict=True))),
        failed_share=1 - frames["acknowledged"] / frames["unicast"],
        collisions_per_frame=frames["collided"] / frames["sent"],
        given_up=frames["given up"],
    )


def _jain(rates: tuple[float, ...]) -> float:
    squares = sum(rate**2 for rate in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else 1.0


def _counted(trace: Iterable[str]) -> tuple[Counter[str], dict[str, Counter[int]]]:
    """Frames by what became of them from the flows' first second on, and new packets by destination and second."""
    frames: Counter[str] = Counter()
    arrived: dict[str, Counter[int]] = defaultdict(Counter)
    seen: set[tuple[str, str]] = set()
    for line in trace:
        event, time, node, layer, reason, _, kind, *rest = line.split()
        if not node.startswith("_") or float(time) < SETTLED_S:
            continue  # of a wire, or from before the flows
        if layer == "MAC" and event == "s":
            frames["sent"] += 1
            frames["unicast"] += kind != "ACK" and rest[2] != BROADCAST
        elif layer == "MAC" and event == "r":
            frames["acknowledged"] += kind == "ACK"
        elif layer == "MAC" and event == "D":
            frames["collided"] += reason == "COL"
            frames["given up"] += reason == "RET"
        elif layer == "AGT" and event == "r" and kind == "tcp":
            packet = (node, line.rsplit("[", 1)[1].split()[0])
            arrived[node.strip("_")][int(float(time))] += packet not in seen
            seen.add(packet)
    return frames, arrived


if __name__ == "__main__":
    main()
