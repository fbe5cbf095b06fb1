"""Times in which DSDV finds a route in ns-2, and another one after a node has moved.

    python -m benchmarks.replay.reference.record_dsdv_times_ns2

Needs ``ns`` (Debian: ns2 2.35+dfsg-5). Scenes are those of dsdv_times_ns2.tcl. Columns of the recording:

first_s      when the first packet arrived
repaired_s   from the move to when a packet sent after it arrived; 199.95: none did
"""

from __future__ import annotations

import csv
import subprocess
import tempfile
from collections.abc import Iterable
from itertools import product
from pathlib import Path

HERE = Path(__file__).parent
TARGET = HERE / "dsdv_times_ns2.csv"
SIMULATOR = "ns-2.35 (Debian 2.35+dfsg-5)"
SCENES = {"one": 1, "two": 2, "nearer": 3, "farther": 3, "around": 4}
"""The number of the node that the packets go to."""
SEEDS = range(1, 101)
MOVES_S, ENDS_S = 200.05, 400.0


def main() -> None:
    """Write the recording."""
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["simulator", "scene", "seed", "first_s", "repaired_s"])
        for scene, seed in product(SCENES, SEEDS):
            writer.writerow([SIMULATOR, scene, seed, *(f"{value:.6g}" for value in run(scene, seed))])


def run(scene: str, seed: int) -> tuple[float, float]:
    """When the first packet arrived, and the time from the move to the first that was sent after it."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        asked = (scene, str(seed), str(trace))
        subprocess.run(["ns", str(HERE / "dsdv_times_ns2.tcl"), *asked], check=True, capture_output=True)
        with trace.open(encoding="ascii") as lines:
            return _measured(lines, SCENES[scene])


def _measured(lines: Iterable[str], target: int) -> tuple[float, float]:
    first, repaired, sent = ENDS_S, ENDS_S - MOVES_S, {}
    for line in lines:
        words = line.split()
        if words[0] not in "sr" or len(words) < 8 or words[3] != "AGT":
            continue
        at, uid = float(words[1]), int(words[5])
        if words[0] == "s":
            sent[uid] = at
        elif words[2] == f"_{target}_":
            first = min(first, at)
            if sent[uid] >= MOVES_S:
                repaired = min(repaired, at - MOVES_S)
    return first, repaired


if __name__ == "__main__":
    main()
