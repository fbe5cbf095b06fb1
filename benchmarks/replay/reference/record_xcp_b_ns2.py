"""Runs the queue law of XCP-b over S004's chains in ns-2, with each reading of kappa and of the persistent queue.

    python -m benchmarks.replay.reference.record_xcp_b_ns2

Needs ``ns`` (Debian: ns2 2.35+dfsg-5). ns-2 has no XCP-b: ``xcp_b_ns2.tcl`` has the law and says what it simplifies;
MAC, queues, routes and TCP are ns-2's. Columns of the recording, means over all but the first 5 of 60 s:

window_packets, rtt_ms                 samples every 0.1 s
goodput_kbps                           packets sent in the whole run, repetitions left out
"""

from __future__ import annotations

import csv
import subprocess
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from benchmarks.replay.reference.record_s004_ns2 import PAYLOAD_BYTES, SETTLED_S, SIMULATOR

HERE = Path(__file__).parent
TARGET = HERE / "xcp_b_ns2.csv"
HOPS = (1, 2, 3, 4, 6, 8, 10)
SEEDS = range(1, 4)
SECONDS, LEFT_OUT_S, SENSED_M = 60, 5, 550
KEYS = ("simulator", "kappa_bytes", "span", "hops", "seed")
COLUMNS = ("window_packets", "rtt_ms", "goodput_kbps")


class Reading(NamedTuple):
    """What S004 leaves open."""

    kappa_bytes: int
    """Three packets of 650 or of 1300 bytes."""
    span: str
    """The persistent queue is the present one (``shortest``) or the least one of the control ``interval``."""


READINGS = (Reading(1950, "shortest"), Reading(3900, "shortest"), Reading(1950, "interval"))


def main() -> None:
    """Write the recording."""
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*KEYS, *COLUMNS])
        for reading, hops, seed in product(READINGS, HOPS, SEEDS):
            values = (f"{value:.6g}" for value in _run(reading, hops, seed))
            writer.writerow([SIMULATOR, *reading, hops, seed, *values])
            file.flush()


def _run(reading: Reading, hops: int, seed: int) -> tuple[float, float, float]:
    asked = map(str, ("chain", hops, SENSED_M, "held", seed, SECONDS, "/dev/null", *reading))
    command = ["ns", str(HERE / "s004_ns2.tcl"), *asked]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    rows = [line.split() for line in told]
    samples = [row for row in rows if row[:1] == ["sample"] and float(row[2]) >= SETTLED_S + LEFT_OUT_S]
    (sent,) = (int(row[2]) for row in rows if row[:1] == ["flow"])
    window, rtt_ms = (fmean(float(row[column]) for row in samples) for column in (3, 4))
    return window, rtt_ms, sent * PAYLOAD_BYTES * 8 / 1000 / SECONDS


if __name__ == "__main__":
    main()
