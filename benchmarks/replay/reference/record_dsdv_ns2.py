"""Runs DSDV on lines of nodes in ns-2, without load and with it.

    python -m benchmarks.replay.reference.record_dsdv_ns2

Needs ``ns`` (Debian: ns2 2.35+dfsg-5). Columns of the recording:

messages, octets   that all nodes sent in the run, IP headers included
first_s            when the first packet of the thin stream arrived
repaired_s         from the move of the last node to the next packet that arrived
delivered          share of the stream's packets that arrived, of those sent from second 100 to the move
"""

from __future__ import annotations

import csv
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from itertools import product
from pathlib import Path

HERE = Path(__file__).parent
TARGET = HERE / "dsdv_ns2.csv"
SIMULATOR = "ns-2.35 (Debian 2.35+dfsg-5)"
NODES = (3, 4)
LOADS_KBPS = (0, 1000, 2000)
SENSED_M = (550, 250)
SEEDS = range(1, 21)
MOVES_S, ENDS_S = 200, 400
MEASURED_FROM_S = 100


@dataclass(frozen=True)
class Measured:
    """One run."""

    messages: int
    octets: int
    first_s: float
    repaired_s: float
    delivered: float


KEYS = ("simulator", "nodes", "load_kbps", "sensed_m", "seed")
COLUMNS = tuple(field.name for field in fields(Measured))


def main() -> None:
    """Write the recording."""
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*KEYS, *COLUMNS])
        for key in product(NODES, LOADS_KBPS, SENSED_M, SEEDS):
            writer.writerow([SIMULATOR, *key, *(f"{value:.6g}" for value in astuple(_run(*key)))])


def _run(nodes: int, load_kbps: int, sensed_m: int, seed: int) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        asked = map(str, (nodes, load_kbps, sensed_m, seed, trace))
        subprocess.run(["ns", str(HERE / "dsdv_ns2.tcl"), *asked], check=True, capture_output=True)
        with trace.open(encoding="ascii") as lines:
            return _measured(lines, nodes - 1)


def _measured(lines: Iterable[str], last: int) -> Measured:
    messages = octets = 0
    sent, arrived = set(), {}
    for line in lines:
        words = line.split()
        if words[0] not in "sr" or len(words) < 8:
            continue
        at, node, layer, uid, kind, size = float(words[1]), words[2], words[3], int(words[5]), words[6], int(words[7])
        if (words[0], layer, kind) == ("s", "RTR", "message"):
            messages, octets = messages + 1, octets + size
        elif layer == "AGT" and kind == "cbr" and size < 1000:
            if words[0] == "s":
                sent.add((uid, at))
            elif node == f"_{last}_":
                arrived[uid] = at
    times = sorted(arrived.values())
    counted = [uid for uid, at in sent if MEASURED_FROM_S <= at < MOVES_S]
    after = (at - MOVES_S for at in times if at >= MOVES_S)
    return Measured(
        messages,
        octets,
        times[0] if times else ENDS_S,
        next(after, ENDS_S - MOVES_S),
        sum(uid in arrived for uid in counted) / len(counted),
    )


if __name__ == "__main__":
    main()
