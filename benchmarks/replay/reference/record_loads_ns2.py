"""Runs the scenes of S000's collision term in ns-2 with datagrams at several loads.

    python -m benchmarks.replay.reference.record_loads_ns2

Needs ``ns`` (Debian: ns2 2.35+dfsg-5). Columns of the recording, without the first seconds of a run:

throughput_kbps    payload that arrived, each packet once
failed_share       RTS that no MAC ACK followed, of all
delay_ms           from source to destination, mean
"""

from __future__ import annotations

import csv
import subprocess
import tempfile
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from statistics import fmean

from benchmarks.replay.loads import FACTORS, PAYLOAD_BYTES, SCENES, Scene, as_tcl, loaded
from benchmarks.replay.reference.record_s004_ns2 import SETTLED_S, SIMULATOR

HERE = Path(__file__).parent
TARGET = HERE / "loads_ns2.csv"
SEEDS = range(1, 4)
COLUMNS = ("throughput_kbps", "failed_share", "delay_ms")


def main() -> None:
    """Write the recording."""
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["simulator", "scene", "factor", "seed", *COLUMNS])
        for scene, factor, seed in product(SCENES, FACTORS, SEEDS):
            values = (f"{value:.6g}" for value in _run(scene, factor, seed))
            writer.writerow([SIMULATOR, scene.name, factor, seed, *values])
            file.flush()


def _run(scene: Scene, factor: float, seed: int) -> tuple[float, float, float]:
    with tempfile.TemporaryDirectory() as folder:
        declared, trace = Path(folder) / "scene.tcl", Path(folder) / "trace"
        declared.write_text(as_tcl(loaded(scene, factor, seed)), encoding="ascii")
        asked = map(str, (declared, scene.sensed_m, scene.routes, seed, scene.seconds, trace))
        subprocess.run(["ns", str(HERE / "loads_ns2.tcl"), *asked], check=True, capture_output=True)
        with trace.open(encoding="ascii") as lines:
            return _measured(lines, SETTLED_S + scene.left_out_s, scene.seconds - scene.left_out_s)


def _measured(trace: Iterable[str], first_s: float, seconds: float) -> tuple[float, float, float]:
    born: dict[str, float] = {}
    delays: dict[str, float] = {}
    tried = acknowledged = 0
    for line in trace:
        event, time, node, layer, _, uid, kind, *_ = line.split(maxsplit=8)
        at_s = float(time)
        if not node.startswith("_") or at_s < SETTLED_S:
            continue
        if layer == "AGT" and kind == "cbr":
            if event == "s":
                born[uid] = at_s
            elif event == "r" and at_s >= first_s:
                delays.setdefault(uid, at_s - born[uid])
        elif layer == "MAC" and at_s >= first_s:
            tried += event == "s" and kind == "RTS"
            acknowledged += event == "r" and kind == "ACK"
    arrived_kbps = len(delays) * PAYLOAD_BYTES * 8 / 1000 / seconds
    return arrived_kbps, 1 - acknowledged / max(tried, 1), 1000 * fmean(delays.values() or [0.0])


if __name__ == "__main__":
    main()
